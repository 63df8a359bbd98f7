//! The lasso against glmnet and scikit-learn (`golden/lasso/make.py`, `make.R`) and against its own definition: the
//! objective and the optimality conditions are written out once more in `definition`.

mod definition;
mod frozen;

use definition::Definition;
use frozen::{Frozen, numbers};
use pricetag_estimator::{Checked, Column, Design, Estimator, Values};
use pricetag_regress::Lasso;
use pricetag_regress::lasso::{Lambda, SparseModel, Standardisation};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// glmnet and scikit-learn.
const ORACLES: Frozen = Frozen("golden/lasso");

fn design(name: &str) -> Checked<Design> {
    ORACLES.design(name).check().unwrap()
}

fn check_glmnet(file: &str) -> Result<(), String> {
    let (name, _) = file.rsplit_once('.').unwrap();
    let design = design(name);
    let text = ORACLES.text(&format!("{file}.glmnet"));
    let mut lines = text.lines();
    let setting = numbers(lines.next().unwrap().split(' ').skip(1));
    let lasso = Lasso {
        intercept: setting[0] == 1.0,
        standardisation: if setting[1] == 1.0 {
            Standardisation::Deviation
        } else {
            Standardisation::None
        },
        alpha: setting[2],
        non_negative: setting[3] == 1.0,
        penalties: setting[4..].to_vec(),
        ratio: Some(1e-4),
        ..Lasso::default()
    };
    let lasso = if setting[3] == 1.0 {
        Lasso {
            penalties: Vec::new(),
            ..lasso
        }
    } else {
        lasso
    };
    let definition = Definition::new(&design, &lasso);
    let path = lasso.path(&design).map_err(|e| e.to_string())?;
    definition.check(&path, 1e-9)?;
    for line in lines {
        let values = numbers(line.split(' '));
        let coefficients = values[2..]
            .iter()
            .copied()
            .enumerate()
            .filter(|c| c.1 != 0.0);
        let theirs = SparseModel {
            intercept: values[1],
            coefficients: coefficients.collect(),
        };
        let lambda = values[0];
        let ours = if lasso.alpha < 1.0 {
            let exact = Lasso {
                lambda: Lambda::Value(lambda),
                ..lasso.clone()
            };
            let fitted = exact.fit(&design).unwrap();
            let estimates = fitted
                .coefficients
                .iter()
                .map(|c| c.estimate.unwrap_or(0.0));
            SparseModel {
                intercept: fitted.intercept,
                coefficients: estimates.enumerate().filter(|c| c.1 != 0.0).collect(),
            }
        } else {
            path.at(lambda)
        };
        let (a, b) = (
            definition.objective(lambda, &ours),
            definition.objective(lambda, &theirs),
        );
        if a > b * (1.0 + 1e-10) || b > a * (1.0 + 1e-6) {
            return Err(format!("λ {lambda}: objective {a}, glmnet {b}"));
        }
    }
    Ok(())
}

#[test]
fn objectives_are_those_of_glmnet() {
    let names = ORACLES.names("", ".glmnet");
    assert!(names.len() >= 20, "{names:?}");
    let wrong: Vec<String> = names
        .iter()
        .filter_map(|n| check_glmnet(n).err().map(|e| format!("{n}: {e}")))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn check_lars(name: &str) -> Result<(), String> {
    let design = design(name);
    let lasso = Lasso {
        intercept: false,
        standardisation: Standardisation::None,
        ratio: Some(0.0),
        ..Lasso::default()
    };
    let definition = Definition::new(&design, &lasso);
    let path = lasso.path(&design).map_err(|e| e.to_string())?;
    definition.check(&path, 1e-9)?;
    // Copies, exact sums and ties have many solutions; on the widest ranges scikit-learn loses digits.
    let unique = !["duplicates", "sum", "ties", "constant", "ranges"].contains(&name);
    let text = ORACLES.text(&format!("{name}.lars"));
    let largest = path.largest_lambda();
    for line in text.lines() {
        let values = numbers(line.split(' '));
        // The last knots of scikit-learn stop short of 0 by rounding.
        let lambda = if values[0] < 1e-13 * largest {
            0.0
        } else {
            values[0]
        };
        let theirs = SparseModel {
            intercept: 0.0,
            coefficients: values[1..].iter().copied().enumerate().collect(),
        };
        let ours = path.at(lambda);
        let (a, b) = (
            definition.objective(lambda, &ours),
            definition.objective(lambda, &theirs),
        );
        let floor = 1e-12 * definition.objective(0.0, &SparseModel::default());
        if a > b * (1.0 + 1e-9) + floor {
            return Err(format!("λ {lambda}: objective {a}, scikit-learn {b}"));
        }
        if unique && (b - a).abs() > 1e-7 * a + floor {
            return Err(format!(
                "λ {lambda}: objective {a} below scikit-learn's {b}"
            ));
        }
    }
    Ok(())
}

#[test]
fn paths_are_those_of_scikit_learn() {
    let names = ORACLES.names("", ".lars");
    assert!(names.len() >= 14, "{names:?}");
    let wrong: Vec<String> = names
        .iter()
        .filter_map(|n| check_lars(n).err().map(|e| format!("{n}: {e}")))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn knots_are_those_of_scikit_learn() {
    let lasso = Lasso {
        intercept: false,
        standardisation: Standardisation::None,
        ratio: Some(0.0),
        ..Lasso::default()
    };
    for name in ["counts", "diabetes", "drops", "mixed", "ranges"] {
        let path = lasso.path(&design(name)).unwrap();
        let text = ORACLES.text(&format!("{name}.lars"));
        let theirs: Vec<f64> = text.lines().map(|l| numbers(l.split(' '))[0]).collect();
        let largest = path.largest_lambda();
        let seen = |l: &&f64| **l > 1e-9 * largest;
        let theirs: Vec<f64> = theirs.iter().filter(seen).copied().collect();
        let ours: Vec<f64> = path.knots.iter().map(|k| k.lambda).collect();
        let ours: Vec<f64> = ours.iter().filter(seen).copied().collect();
        assert_eq!(ours.len(), theirs.len(), "{name}: {ours:?} {theirs:?}");
        for (a, b) in ours.iter().zip(&theirs) {
            assert!((a - b).abs() <= 1e-8 * b, "{name}: {a} {b}");
        }
    }
}

#[test]
fn of_equal_columns_the_first_stands_for_all() {
    let design = design("duplicates");
    let lasso = Lasso::default();
    let path = lasso.path(&design).unwrap();
    assert_eq!(path.dropped.len(), 3);
    assert!(path.dropped.iter().all(|d| d.column >= 6));
    // Copies in proportion cannot be told by their values; ties settle them the same way.
    let mut scaled = design.into_inner();
    for column in &mut scaled.columns[6..] {
        column.values = column.values.scaled(3.0);
    }
    let path = lasso.path(&scaled.check().unwrap()).unwrap();
    assert_eq!(path.dropped.len(), 1, "the last is a copy of the seventh");
    let named = path.knots.iter().flat_map(|k| &k.model.coefficients);
    assert!(
        named.clone().all(|c| c.0 < 6),
        "{:?}",
        named.collect::<Vec<_>>()
    );
}

/// Correlated columns of small integers, some equal, some zero, some sums, stored dense or sparse.
fn integers(rows: usize, columns: usize) -> impl Strategy<Value = Design> {
    let cells = proptest::collection::vec(0u8..6, rows * columns);
    let costs = proptest::collection::vec(-20i32..200, rows);
    let weights = proptest::collection::vec(0u8..4, rows);
    let kinds = proptest::collection::vec(0u8..10, columns);
    (cells, costs, weights, kinds).prop_map(move |(cells, costs, weights, kinds)| {
        let mut data: Vec<Vec<f64>> = Vec::new();
        for (j, kind) in kinds.iter().enumerate() {
            let own: Vec<f64> = (0..rows).map(|i| f64::from(cells[j * rows + i])).collect();
            let previous = data.last().cloned().unwrap_or_else(|| own.clone());
            data.push(match kind {
                0 => previous,
                1 => previous.iter().map(|v| 3.0 * v).collect(),
                2 => previous.iter().zip(&own).map(|(a, b)| a + b).collect(),
                3 => vec![f64::from(cells[j]); rows],
                4 => own.iter().map(|v| (v - 4.0).max(0.0)).collect(),
                _ => own,
            });
        }
        // After the sums: a large column plus a small one would be dependent to rounding, where no solution has 9 digits.
        for (column, _) in data.iter_mut().zip(&kinds).filter(|(_, kind)| **kind == 4) {
            for v in column {
                *v *= 1e6;
            }
        }
        let columns = data
            .into_iter()
            .zip(&kinds)
            .enumerate()
            .map(|(j, (values, kind))| Column {
                name: format!("c{j}"),
                values: if kind % 2 == 0 {
                    let entries = values.iter().enumerate().filter(|v| *v.1 != 0.0);
                    Values::Sparse(entries.map(|(i, v)| (i as u32, *v)).collect())
                } else {
                    Values::Dense(values)
                },
            })
            .collect();
        let mut design = Design::new(columns, costs.into_iter().map(f64::from).collect());
        design.weights = weights.into_iter().map(|w| f64::from(w) + 0.5).collect();
        design
    })
}

fn options() -> impl Strategy<Value = Lasso> {
    let scale = prop_oneof![
        Just(Standardisation::None),
        Just(Standardisation::Maximum),
        Just(Standardisation::Range),
        Just(Standardisation::Deviation)
    ];
    (
        any::<bool>(),
        scale,
        any::<bool>(),
        any::<bool>(),
        0usize..3,
    )
        .prop_map(
            |(intercept, standardisation, non_negative, weighted, end)| Lasso {
                // A range or deviation of 0 is no scale for a constant column that is kept.
                intercept: intercept
                    || matches!(
                        standardisation,
                        Standardisation::Range | Standardisation::Deviation
                    ),
                standardisation,
                non_negative,
                penalties: if weighted { vec![1.0] } else { Vec::new() },
                ratio: Some([0.0, 1e-3, 0.2][end]),
                ..Lasso::default()
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    #[test]
    fn every_knot_is_optimal(
        (design, mut lasso) in (2usize..16, 1usize..12).prop_flat_map(|(n, p)| (integers(n, p), options()))
    ) {
        if !lasso.penalties.is_empty() {
            let least = if lasso.non_negative { 1.0 } else { 0.0 };
            lasso.penalties = (0..design.columns.len()).map(|j| least + (j * 7 % 4) as f64 * 0.5).collect();
        }
        let design = design.check().unwrap();
        let path = lasso.path(&design).unwrap();
        let definition = Definition::new(&design, &lasso);
        prop_assert_eq!(definition.check(&path, 1e-9), Ok(()));
        prop_assert!(path.violation() <= 1e-9);
    }

    #[test]
    fn every_elastic_solution_is_optimal(
        (design, mut lasso, alpha) in (2usize..16, 1usize..12)
            .prop_flat_map(|(n, p)| (integers(n, p), options(), 0.05f64..0.95))
    ) {
        lasso.alpha = alpha;
        lasso.penalties.clear();
        lasso.grid = 10;
        lasso.ratio = Some(1e-3);
        let design = design.check().unwrap();
        let path = lasso.path(&design).unwrap();
        prop_assert_eq!(Definition::new(&design, &lasso).check(&path, 1e-9), Ok(()));
    }
}

/// Many columns that share a common size, a deterministic stand-in for the counts of a program.
fn many(rows: usize, columns: usize) -> Design {
    let mut state = 1_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let size: Vec<f64> = (0..rows).map(|_| 1.0 + 9.0 * random()).collect();
    let mut all = Vec::new();
    for j in 0..columns {
        let values: Vec<f64> = size
            .iter()
            .map(|s| {
                if j % 3 == 0 && random() < 0.8 {
                    0.0
                } else {
                    (s * 20.0 * random()).floor()
                }
            })
            .collect();
        let entries = values.iter().enumerate().filter(|v| *v.1 != 0.0);
        let values = if j % 3 == 0 {
            Values::Sparse(entries.map(|(i, v)| (i as u32, *v)).collect())
        } else {
            Values::Dense(values)
        };
        all.push(Column {
            name: format!("c{j}"),
            values,
        });
    }
    let dense: Vec<Vec<f64>> = all.iter().map(|c| c.values.to_dense(rows)).collect();
    let target = (0..rows)
        .map(|i| {
            (50.0 + 3.0 * dense[0][i] + 2.0 * dense[7][i] + dense[500][i]) * (1.0 + 0.02 * random())
        })
        .collect();
    Design::new(all, target)
}

#[test]
fn many_columns_are_followed_on_a_working_set() {
    let design = many(60, 700).check().unwrap();
    for lasso in [
        Lasso {
            ratio: Some(1e-3),
            ..Lasso::default()
        },
        Lasso {
            intercept: false,
            standardisation: Standardisation::Maximum,
            non_negative: true,
            ..Lasso::default()
        },
        Lasso {
            standardisation: Standardisation::None,
            ..Lasso::default()
        },
    ] {
        let path = lasso.path(&design).unwrap();
        assert!(path.exact && path.knots.len() > 20, "{}", path.knots.len());
        assert_eq!(Definition::new(&design, &lasso).check(&path, 1e-9), Ok(()));
    }
}

/// Columns of counts, and twins of some that differ from them by a small share of their size.
fn nearly_dependent(rows: usize, columns: usize, share: f64, seed: u64) -> Design {
    let mut state = seed;
    let mut random = move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    };
    let mut data: Vec<Vec<f64>> = Vec::new();
    for j in 0..columns {
        let own: Vec<f64> = (0..rows).map(|_| (30.0 * random()).floor()).collect();
        let (a, b) = (j.saturating_sub(1), j.saturating_sub(2));
        data.push(match j % 4 {
            2 => (0..rows).map(|i| data[a][i] + share * own[i]).collect(),
            3 => (0..rows)
                .map(|i| data[a][i] + data[b][i] + share * own[i])
                .collect(),
            _ => own,
        });
    }
    let target = (0..rows)
        .map(|i| {
            let sum: f64 = (0..columns).map(|j| data[j][i] * (j % 3) as f64).sum();
            10.0 + sum * (1.0 + 0.1 * random())
        })
        .collect();
    let columns = data.into_iter().enumerate().map(|(j, values)| Column {
        name: format!("c{j}"),
        values: Values::Dense(values),
    });
    Design::new(columns.collect(), target)
}

/// Paths of one table under several settings; how many ended early.
fn optimal_to_the_end(design: &Checked<Design>, lassos: &[Lasso], case: &str) -> usize {
    let mut cut = 0;
    for lasso in lassos {
        let path = lasso.path(design).unwrap();
        let case = format!("{case}, {lasso:?}");
        let found = Definition::new(design, lasso).check(&path, 1e-9);
        assert_eq!(found, Ok(()), "{case}");
        assert!(path.violation() <= 1e-9, "{case}");
        // Where the path ends early, it says so.
        let asked = lasso.ratio.unwrap() * path.largest_lambda();
        let short = path.smallest_lambda() > asked * (1.0 + 1e-9);
        assert_eq!(path.unreached, short.then_some(asked), "{case}");
        cut += usize::from(short);
    }
    cut
}

/// Some shapes and seeds; with `PRICETAG_FULL` set many, in a minute or two: the recipe of docs/benchmarks.md.
#[test]
fn knots_are_optimal_where_columns_are_dependent_to_rounding() {
    let full = std::env::var_os("PRICETAG_FULL").is_some();
    let mut settings = Vec::new();
    for (non_negative, ratio) in [
        (false, 1e-4),
        (true, 1e-4),
        (false, 1e-6),
        (false, 1e-9),
        (false, 0.0),
        (true, 0.0),
    ] {
        let lasso = Lasso {
            ratio: Some(ratio),
            non_negative,
            intercept: !non_negative,
            ..Lasso::default()
        };
        if full {
            for (intercept, standardisation) in [
                (true, Standardisation::None),
                (true, Standardisation::Maximum),
                (false, Standardisation::Deviation),
                (false, Standardisation::Maximum),
            ] {
                settings.push(Lasso {
                    intercept,
                    standardisation,
                    ..lasso.clone()
                });
            }
        }
        settings.push(lasso);
    }
    let mut shapes = vec![(12, 8), (40, 20), (15, 30), (40, 560)];
    if full {
        shapes.extend([(8, 40), (100, 12), (200, 60)]);
    }
    let shares = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 3e-8, 1e-8, 1e-9, 1e-10, 1e-12];
    let (mut paths, mut cut) = (0, 0);
    for (rows, columns) in shapes {
        for share in shares {
            for seed in 1..if full { 16 } else { 4 } {
                let design = nearly_dependent(rows, columns, share, seed)
                    .check()
                    .unwrap();
                let case = format!("{rows} × {columns}, share {share}, seed {seed}");
                cut += optimal_to_the_end(&design, &settings, &case);
                paths += settings.len();
            }
        }
    }
    println!("{paths} paths, {cut} end early");
    assert!(cut > 10, "rounding never mattered: {cut}");
}

#[test]
fn a_path_that_ends_early_says_where() {
    let design = nearly_dependent(40, 20, 1e-7, 1).check().unwrap();
    let fit = |lambda| {
        let lasso = Lasso {
            lambda: Lambda::Value(lambda),
            ..Lasso::default()
        };
        let notes = lasso.fit(&design).unwrap().notes;
        let early = notes
            .iter()
            .find(|n| n.message.contains("the lasso path ends at"));
        (notes[0].message.clone(), early.map(|n| n.message.clone()))
    };
    let lasso = Lasso {
        lambda: Lambda::Value(0.0),
        ..Lasso::default()
    };
    let choice = lasso.select(&design).unwrap();
    assert_eq!(choice.path.unreached, Some(0.0));
    assert!(choice.lambda > 0.0);
    assert_eq!(choice.model, choice.path.knots.last().unwrap().model);
    let (used, early) = fit(0.0);
    let end = format!("{:.4e}", choice.lambda);
    assert!(used.ends_with(&format!("at λ = {end}")), "{used}");
    assert!(
        early
            .unwrap()
            .contains(&format!("at λ = {end} instead of 0.0000e0"))
    );
    assert_eq!(fit(1e-4 * choice.path.largest_lambda()).1, None);
}
