//! Fits over blocks of rows: against R (`tests/oracle_ols/make.R`), against the same fit at once, and from Parquet.

mod frozen;

use frozen::{Frozen, close, number};
use pricetag_dataset::table::{self, Table};
use pricetag_estimator::{Checked, Column, Design, Estimator, Values, relative_weights};
use pricetag_regress::rows::Visit;
use pricetag_regress::{
    Block, DesignRows, LeastSquares, RowBlocks, RowWeights, RowsError, TableRows,
};

/// R's least squares.
const R: Frozen = Frozen("oracle_ols");
const ROWS: usize = 20_000;

/// The data of `large()` in `make.R`.
fn large(aliased: bool, weighted: bool, zeros: bool) -> Checked<Design> {
    let cell = |i: usize, j: usize| {
        let mixed = i * (7 * j + 13) + (i / 97) * (3 * j + 5) + j * j * 11;
        (mixed % 1009) as f64 - 100.0 * (j % 3) as f64
    };
    let mut columns: Vec<Vec<f64>> = (0..12)
        .map(|j| (0..ROWS).map(|i| cell(i, j)).collect())
        .collect();
    let target = (0..ROWS)
        .map(|i| {
            let sum: f64 = (0..12).map(|j| columns[j][i] * (1 + j % 4) as f64).sum();
            5.0 + sum + ((i * 31 + (i / 53) * 17) % 257) as f64
        })
        .collect();
    if aliased {
        let twin = columns[1].clone();
        columns[3] = twin;
        columns[6] = columns[0]
            .iter()
            .zip(&columns[2])
            .map(|(a, b)| a + 2.0 * b)
            .collect();
        columns[9] = vec![4.0; ROWS];
        columns[10] = vec![0.0; ROWS];
    }
    let columns = columns
        .into_iter()
        .enumerate()
        .map(|(j, values)| Column {
            name: format!("c{j}"),
            values: match j {
                10 => Values::Sparse((0..).zip(values).filter(|e| e.1 != 0.0).collect()),
                _ => Values::Dense(values),
            },
        })
        .collect();
    let mut design = Design::new(columns, target);
    if weighted {
        design.weights = (0..ROWS)
            .map(|i| {
                if zeros && (i + 1) % 10 == 0 {
                    0.0
                } else {
                    (1 + i % 3) as f64
                }
            })
            .collect();
    }
    design.check().unwrap()
}

/// What `large()` was made with: c3 = c1, c6 = c0 + 2·c2, c9 = 4, c10 = 0.
#[test]
fn relations_of_many_rows_are_named() {
    for intercept in [false, true] {
        let design = large(true, false, false);
        let fit = LeastSquares {
            intercept,
            ..LeastSquares::default()
        };
        let found = fit
            .fit_rows(&mut DesignRows(&design), RowWeights::Relative)
            .unwrap();
        let first = usize::from(intercept);
        let shifted = |j: usize| j + first;
        let mut expected = vec![
            (3, vec![(1.0, shifted(1))]),
            (6, vec![(1.0, shifted(0)), (2.0, shifted(2))]),
            (10, Vec::new()),
        ];
        if intercept {
            expected.insert(2, (9, vec![(4.0, 0)]));
        }
        assert_eq!(
            found.relations.len(),
            expected.len(),
            "{:?}",
            found.relations
        );
        for (relation, (dependent, terms)) in found.relations.iter().zip(expected) {
            assert_eq!(relation.dependent, shifted(dependent));
            assert_eq!(relation.terms.len(), terms.len(), "{relation:?}");
            for ((c, j), (expected, column)) in relation.terms.iter().zip(terms) {
                assert!(*j == column && close(*c, expected, 1e-9), "{relation:?}");
            }
        }
    }
}

#[test]
fn summaries_of_many_rows_are_those_of_lm() {
    let names = R.cases("large-");
    assert!(names.len() >= 6);
    for name in names {
        let design = large(
            name.contains("aliased"),
            name.contains("weight"),
            name.contains("zero") || name.contains("aliased-weighted"),
        );
        let intercept = !name.contains("plain") && name != "large-aliased-weighted";
        let fit = LeastSquares {
            intercept,
            ..LeastSquares::default()
        };
        let s = fit.fit(&design).unwrap().summary.unwrap();
        let all = R.lines(&name);
        let words = |key: &str| &all.iter().find(|l| l[0] == key).unwrap()[1..];
        let check = |what: &str, found: f64, expected: f64, tolerance: f64| {
            assert!(
                close(found, expected, tolerance),
                "{name}: {what} {found}, R has {expected}"
            );
        };
        check("rank", f64::from(s.rank), number(&words("rank")[0]), 0.0);
        check("df", f64::from(s.residual_df), number(&words("df")[0]), 0.0);
        check("sigma", s.sigma, number(&words("sigma")[0]), 1e-10);
        check("R²", s.r_squared, number(&words("r2")[0]), 1e-11);
        check(
            "adjusted R²",
            s.adjusted_r_squared,
            number(&words("r2")[1]),
            1e-11,
        );
        check("F", s.f.unwrap().0, number(&words("f")[0]), 1e-9);
        for (found, r) in s.residual_quantiles.iter().zip(words("quantiles")) {
            assert!(
                (found - number(r)).abs() < 1e-8,
                "{name}: quantile {found} {r}"
            );
        }
        let rows: Vec<_> = all.iter().filter(|l| l[0] == "coefficient").collect();
        assert_eq!(rows.len(), s.coefficients.len());
        for (found, r) in s.coefficients.iter().zip(rows) {
            assert_eq!(found.name, r[1], "{name}");
            let Some((b, error, t, p)) = found.estimate else {
                assert_eq!(r[2], "NA", "{name}: {}", found.name);
                continue;
            };
            assert_ne!(r[2], "NA", "{name}: {}", found.name);
            check(&r[1], b, number(&r[2]), 1e-9);
            check("error", error, number(&r[3]), 1e-9);
            check("t", t, number(&r[4]), 1e-8);
            if number(&r[5]) > 0.0 {
                check("p", p, number(&r[5]), 1e-5);
            }
        }
    }
}

/// A design whose blocks have awkward lengths.
struct Uneven<'a>(&'a Checked<Design>, usize);

impl RowBlocks for Uneven<'_> {
    fn names(&self) -> Vec<String> {
        DesignRows(self.0).names()
    }

    fn for_each(&mut self, visit: &mut Visit<'_>) -> Result<(), RowsError> {
        let rows = self.0.rows();
        let dense: Vec<Vec<f64>> = self
            .0
            .columns
            .iter()
            .map(|c| c.values.to_dense(rows))
            .collect();
        let mut start = 0;
        while start < rows {
            let end = (start + 1 + start % self.1).min(rows);
            visit(&Block {
                start: start as u64,
                columns: dense.iter().map(|c| &c[start..end]).collect(),
                target: &self.0.target[start..end],
                weights: Some(&self.0.weights[start..end]),
            })?;
            start = end;
        }
        Ok(())
    }
}

#[test]
fn the_length_of_blocks_does_not_matter() {
    let design = large(true, true, true);
    let fit = LeastSquares {
        intercept: true,
        ..LeastSquares::default()
    };
    let whole = fit
        .fit_rows(&mut DesignRows(&design), RowWeights::AsGiven)
        .unwrap();
    assert_eq!((whole.rows, whole.passes), (ROWS as u64, 3));
    assert_eq!(whole.ranges[9], (4.0, 4.0));
    for length in [1, 7, 5000] {
        let other = fit
            .fit_rows(&mut Uneven(&design, length), RowWeights::AsGiven)
            .unwrap();
        let (a, b) = (
            whole.fitted.summary.as_ref().unwrap(),
            other.fitted.summary.unwrap(),
        );
        for (x, y) in a.coefficients.iter().zip(&b.coefficients) {
            match (x.estimate, y.estimate) {
                (Some(x), Some(y)) => assert!(close(x.0, y.0, 1e-10) && close(x.1, y.1, 1e-10)),
                (x, y) => assert_eq!(x, y),
            }
        }
        assert!(close(a.sigma, b.sigma, 1e-12));
    }
}

/// Columns in the shape of a badly conditioned polynomial, and rows that grow by orders of magnitude.
#[test]
fn hard_rows_lose_no_digits_against_a_fit_at_once() {
    let n = 12_000;
    let x = |i: usize| i as f64 / n as f64;
    let noise = |i: usize| ((i * 7919) % 1013) as f64 / 1013.0 - 0.5;
    let polynomial: Vec<Vec<f64>> = (1..7)
        .map(|k| (0..n).map(|i| x(i).powi(k)).collect())
        .collect();
    let growing: Vec<Vec<f64>> = (0..5)
        .map(|k| {
            (0..n)
                .map(|i| (10.0 * x(i)).exp() * (1.0 + ((i * (k + 3)) % 17) as f64))
                .collect()
        })
        .collect();
    let late: Vec<Vec<f64>> = (0..4)
        .map(|k| {
            (0..n)
                .map(|i| {
                    if i < n / 2 {
                        ((i * (k + 2)) % 5) as f64
                    } else {
                        1e4 * ((i * (k + 5)) % 19) as f64
                    }
                })
                .collect()
        })
        .collect();
    let mut broken = late.clone();
    broken.push(
        late[0]
            .iter()
            .enumerate()
            .map(|(i, v)| v + f64::from(u8::from(i > n - 100)))
            .collect(),
    );
    for (name, columns) in [
        ("polynomial", polynomial),
        ("growing", growing),
        ("late", late),
        ("broken", broken),
    ] {
        let target: Vec<f64> = (0..n)
            .map(|i| {
                columns
                    .iter()
                    .enumerate()
                    .map(|(k, c)| (k + 1) as f64 * c[i])
                    .sum::<f64>()
                    * (1.0 + 0.01 * noise(i))
                    + noise(i)
            })
            .collect();
        // Exact in the direct path: twice the working precision, reflections only.
        let some: Vec<usize> = (0..n).collect();
        let build = |columns: &[Vec<f64>]| {
            let columns = columns.iter().enumerate().map(|(k, c)| Column {
                name: format!("c{k}"),
                values: Values::Dense(some.iter().map(|&i| c[i]).collect()),
            });
            Design::new(columns.collect(), target.clone())
                .check()
                .unwrap()
        };
        let design = build(&columns);
        let fit = LeastSquares {
            intercept: true,
            tolerance: 1e-12,
        };
        assert!(
            n * (columns.len() + 1) <= 200_000,
            "the direct path is meant"
        );
        let direct = fit.fit(&design).unwrap().summary.unwrap();
        let blocked = fit
            .fit_rows(&mut DesignRows(&design), RowWeights::AsGiven)
            .unwrap();
        let blocked = blocked.fitted.summary.unwrap();
        assert_eq!(direct.rank, blocked.rank, "{name}");
        for (a, b) in direct.coefficients.iter().zip(&blocked.coefficients) {
            let (a, b) = (a.estimate.unwrap(), b.estimate.unwrap());
            assert!((a.0 - b.0).abs() <= 1e-7 * a.1, "{name}: {a:?} {b:?}");
            assert!(close(b.1, a.1, 1e-8), "{name}: {a:?} {b:?}");
        }
    }
}

fn write(design: &Design, path: &std::path::Path, groups: usize) {
    let mut writer: Option<table::TableWriter> = None;
    let each = design.rows().div_ceil(groups);
    for start in (0..design.rows()).step_by(each) {
        let rows = start..(start + each).min(design.rows());
        let mut t = Table::default();
        let real = |values: &[f64]| {
            table::Values::Reals(values[rows.clone()].iter().map(|v| Some(*v)).collect())
        };
        t.push(
            "note",
            table::Values::Texts(rows.clone().map(|r| Some(format!("r{r}"))).collect()),
        );
        for column in &design.columns {
            let dense = column.values.to_dense(design.rows());
            if column.name == "c2" {
                let cells = dense[rows.clone()]
                    .iter()
                    .map(|v| Some(*v as i64))
                    .collect();
                t.push("c2", table::Values::Integers(cells));
            } else {
                t.push(column.name.clone(), real(&dense));
            }
        }
        t.push("time", real(&design.target));
        t.push("weight", real(&design.weights));
        let writer = match &mut writer {
            Some(writer) => writer,
            None => writer.insert(table::TableWriter::create(path, &t).unwrap()),
        };
        writer.write(&t).unwrap();
    }
    writer.unwrap().close().unwrap();
}

#[test]
fn rows_from_a_file_give_the_fit_of_the_same_rows_in_memory() {
    let design = large(true, true, true);
    let dir = tempfile::tempdir().unwrap();
    let fit = LeastSquares {
        intercept: true,
        ..LeastSquares::default()
    };
    for groups in [1, 3] {
        let path = dir.path().join(format!("{groups}.parquet"));
        write(&design, &path, groups);
        let mut rows = TableRows::open(&path, "time", Some("weight"), &[]).unwrap();
        assert_eq!(rows.rows(), ROWS as u64);
        assert_eq!(rows.left_out(), [("note".to_owned(), "texts".to_owned())]);
        let from_file = fit.fit_rows(&mut rows, RowWeights::AsGiven).unwrap();
        let in_memory = fit
            .fit_rows(&mut DesignRows(&design), RowWeights::AsGiven)
            .unwrap();
        if groups == 1 {
            assert_eq!(from_file, in_memory);
        }
        let estimates = |fit: &pricetag_regress::RowsFit| -> Vec<Option<f64>> {
            fit.fitted.coefficients.iter().map(|c| c.estimate).collect()
        };
        for (a, b) in estimates(&from_file).into_iter().zip(estimates(&in_memory)) {
            assert!(
                a == b || close(a.unwrap(), b.unwrap(), 1e-11),
                "{a:?} {b:?}"
            );
        }
        let mut rows = TableRows::open(&path, "time", None, &["weight", "c11"]).unwrap();
        assert_eq!(rows.names().len(), 11);
        let relative = fit.fit_rows(&mut rows, RowWeights::Relative).unwrap();
        let mut same = Design::clone(&design);
        same.columns.pop();
        same.weights = relative_weights(&same.target);
        let same = fit.fit(&same.check().unwrap()).unwrap().summary.unwrap();
        let relative = relative.fitted.summary.unwrap();
        assert!(close(relative.sigma, same.sigma, 1e-9));
        assert!(relative.weighted);
    }
}

#[test]
fn what_cannot_be_used_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("t.parquet");
    let mut t = Table::default();
    t.push(
        "y",
        table::Values::Reals(vec![Some(1.0), Some(2.0), Some(3.0)]),
    );
    t.push(
        "a",
        table::Values::Reals(vec![Some(1.0), None, Some(f64::NAN)]),
    );
    t.push("s", table::Values::Texts(vec![None, None, None]));
    table::write(&path, &t).unwrap();
    let fit = |target: &str, ignore: &[&str]| {
        let mut rows = TableRows::open(&path, target, None, ignore)?;
        LeastSquares::default()
            .fit_rows(&mut rows, RowWeights::AsGiven)
            .map(|_| ())
    };
    let text = |e: Result<(), RowsError>| e.unwrap_err().to_string();
    let missing = text(fit("y", &[]));
    assert!(
        missing.contains("row 2") && missing.contains("`a`") && missing.contains("missing"),
        "{missing}"
    );
    assert!(text(fit("z", &[])).contains("no column `z`"));
    assert!(text(fit("s", &[])).contains("`s`"));
    let mut cells = t.columns[1].values.numbers().unwrap();
    cells[1] = Some(0.0);
    t.columns[1].values = table::Values::Reals(cells);
    table::write(&path, &t).unwrap();
    let nan = text(fit("y", &[]));
    assert!(
        nan.contains("row 3") && nan.contains("NaN is not a finite number"),
        "{nan}"
    );
}
