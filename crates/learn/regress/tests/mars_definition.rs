//! MARS against its definition: every candidate fitted by least squares, jumps found where they are, units, threads.

use pricetag_estimator::{Column, Design, Estimator, Qr, Values, conformance, relative_weights};
use pricetag_regress::Mars;
use pricetag_regress::mars::{MarsModel, Shape, Span, Term};
use proptest::prelude::*;

fn design(columns: Vec<Vec<f64>>, target: Vec<f64>, weights: Option<Vec<f64>>) -> Design {
    let columns = columns
        .into_iter()
        .enumerate()
        .map(|(j, values)| Column {
            name: format!("x{j}"),
            values: Values::Dense(values),
        })
        .collect();
    let mut design = Design::new(columns, target);
    if let Some(weights) = weights {
        design.weights = weights;
    }
    design
}

fn model(options: &Mars, design: Design) -> MarsModel {
    options.model(&design.check().unwrap()).unwrap()
}

/// Weighted residual sum of squares of the regression of the target on some columns.
fn rss(columns: &[Vec<f64>], design: &Design) -> f64 {
    let weigh = |values: &[f64]| -> Vec<f64> {
        let pairs = values.iter().zip(&design.weights);
        pairs.map(|(v, w)| v * w.sqrt()).collect()
    };
    let columns: Vec<Vec<f64>> = columns.iter().map(|c| weigh(c)).collect();
    let target = weigh(&design.target);
    let qr = Qr::new(columns.clone(), target.clone(), 1e-9);
    let solution = qr.solve();
    (0..target.len())
        .map(|i| {
            let fitted: f64 = qr
                .pivot
                .iter()
                .zip(&solution)
                .map(|(&j, b)| columns[j][i] * b)
                .sum();
            (target[i] - fitted).powi(2)
        })
        .sum()
}

/// The column of a term, without its coefficient.
fn column(term: &Term, x: &[Vec<f64>]) -> Vec<f64> {
    let bare = Term {
        coefficient: 1.0,
        ..term.clone()
    };
    (0..x[0].len()).map(|i| bare.value(&|v| x[v][i])).collect()
}

/// The least sum of squares that one more line, or line and hinge, on any parent can reach.
fn best_by_trying(terms: &[Term], degree: usize, x: &[Vec<f64>], design: &Design) -> f64 {
    let have: Vec<Vec<f64>> = terms.iter().map(|t| column(t, x)).collect();
    let mut best = rss(&have, design);
    for (term, parent) in terms
        .iter()
        .zip(&have)
        .filter(|t| t.0.factors.len() < degree)
    {
        for (v, values) in x.iter().enumerate() {
            if term.factors.iter().any(|f| f.variable == v) {
                continue;
            }
            let times = |shape: Shape| -> Vec<f64> {
                parent
                    .iter()
                    .zip(values)
                    .map(|(b, x)| b * shape.value(*x))
                    .collect()
            };
            let mut with = have.clone();
            with.push(times(Shape::Linear));
            best = best.min(rss(&with, design));
            with.push(Vec::new());
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
            // One row stays outside the lowest knot; the parent must be positive in the row after the knot's.
            for i in 1..order.len() - 1 {
                if parent[order[i + 1]] > 0.0 {
                    *with.last_mut().unwrap() = times(Shape::Above(values[order[i]]));
                    best = best.min(rss(&with, design));
                }
            }
        }
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Every step takes the best of all candidates.
    #[test]
    fn each_step_is_the_best_one(
        rows in prop::collection::vec((-40..40_i32, 0..30_i32, -9.0..9.0_f64, 0.2..4.0_f64), 14..26),
        degree in 1..3_u32,
    ) {
        // Whole numbers, because earth refuses a second hinge with a sum of squares of less than 0.01.
        let x: Vec<Vec<f64>> = vec![
            rows.iter().map(|r| f64::from(r.0)).collect(),
            rows.iter().map(|r| f64::from(r.1)).collect(),
        ];
        let y = rows.iter().map(|r| f64::from(r.0.abs() + r.1 * r.0) + r.2).collect();
        // Equal weights would bring in earth's rule that a hinge must be new by 1 %.
        let weights = rows.iter().enumerate().map(|(i, r)| r.3 + 0.01 * i as f64).collect();
        let design = design(x.clone(), y, Some(weights));
        let mut terms = vec![Term { coefficient: 1.0, factors: Vec::new() }];
        for places in [3, 5] {
            let options = Mars {
                degree,
                max_terms: Some(places),
                threshold: 0.0,
                min_span: Span::Rows(1),
                end_span: Some(1),
                adjust_end_span: 0.0,
                all_parents: true,
                ..Mars::default()
            };
            let found = model(&options, design.clone());
            // The pair spans the line and one hinge; earth's rules may leave the second hinge out.
            let added = &found.forward[terms.len()..];
            let mut columns: Vec<Vec<f64>> = terms.iter().chain(added).map(|t| column(t, &x)).collect();
            if let Some(first) = added.first() {
                let mut line = first.clone();
                line.factors.last_mut().unwrap().shape = Shape::Linear;
                columns.push(column(&line, &x));
            }
            let reached = rss(&columns, &design);
            let expected = best_by_trying(&terms, degree as usize, &x, &design);
            prop_assert!((reached - expected).abs() <= 1e-7 * expected, "{reached} {expected}");
            let whole = added.len() == 2 || added.iter().all(|t| t.factors[0].shape == Shape::Linear);
            if !whole {
                break; // earth never offers the line that the missing hinge would have brought
            }
            terms = found.forward;
        }
    }

    /// The formula, the terms and the reported sum of squares tell the same story.
    #[test]
    fn formula_terms_and_sums_agree(
        rows in prop::collection::vec((0..40_i32, 0.0..3.0_f64, -1.0..1.0_f64), 20..60),
        steps in any::<bool>(),
    ) {
        let x: Vec<Vec<f64>> = vec![rows.iter().map(|r| f64::from(r.0)).collect(), rows.iter().map(|r| r.1).collect()];
        let y = rows.iter().map(|r| f64::from(r.0).sqrt() * r.1 + r.2).collect();
        let design = design(x.clone(), y, None);
        let options = Mars { degree: 2, step_bases: steps, ..Mars::default() };
        let checked = design.clone().check().unwrap();
        let fitted = options.fit(&checked).unwrap().predict(&checked).unwrap();
        let found = options.model(&checked).unwrap();
        let mut sum = 0.0;
        for (i, (f, y)) in fitted.iter().zip(&design.target).enumerate() {
            let own = found.predict(&|v| x[v][i]);
            prop_assert!((own - f).abs() <= 1e-8 * own.abs().max(1.0), "{own} {f}");
            sum += (y - own).powi(2);
        }
        prop_assert!((sum - found.rss).abs() <= 1e-6 * sum.max(1e-6), "{sum} {}", found.rss);
    }
}

#[test]
fn conforms_in_every_form() {
    for degree in 1..=3 {
        for step_bases in [false, true] {
            let options = Mars {
                degree,
                step_bases,
                ..Mars::default()
            };
            let found = conformance::violations(&options);
            assert!(
                found.is_empty(),
                "degree {degree}, steps {step_bases}: {found:?}"
            );
        }
    }
}

/// Krogmann's jump and one more: 20·a + 5·b + 30285.9 + (12·a where c > 500).
#[test]
fn a_jump_is_found_where_it_is() {
    let rows = 300;
    let a: Vec<f64> = (0..rows).map(|i| f64::from(i * 37 % 1000)).collect();
    let b: Vec<f64> = (0..rows).map(|i| f64::from(i * 91 % 777)).collect();
    let c: Vec<f64> = (0..rows).map(|i| f64::from(i * 53 % 1009)).collect();
    let cost = |i: usize| {
        let extra = if c[i] > 500.0 { 12.0 * a[i] } else { 0.0 };
        20.0 * a[i] + 5.0 * b[i] + 30285.9 + extra
    };
    let target: Vec<f64> = (0..rows as usize).map(cost).collect();
    let below = c
        .iter()
        .copied()
        .filter(|v| *v <= 500.0)
        .fold(0.0, f64::max);
    let make = |steps: bool| {
        let options = Mars {
            degree: 2,
            step_bases: steps,
            threshold: 1e-9,
            ..Mars::default()
        };
        let x = vec![a.clone(), b.clone(), c.clone()];
        let weights = relative_weights(&target);
        model(&options, design(x, target.clone(), Some(weights)))
    };
    let found = make(true);
    let knots: Vec<f64> = found
        .terms
        .iter()
        .filter(|t| t.factors.len() == 2)
        .flat_map(|t| &t.factors)
        .filter_map(|f| match f.shape {
            Shape::Step(knot) => Some(knot),
            _ => None,
        })
        .collect();
    assert!(knots.contains(&below), "{knots:?} {below}");
    assert!(found.r_squared > 1.0 - 1e-9, "{}", found.r_squared);
    assert!(
        make(false).r_squared < 1.0 - 1e-5,
        "hinges cannot represent a jump"
    );
}

#[test]
fn a_variable_in_tiny_units_is_the_same_variable() {
    let rows = 80;
    let x: Vec<f64> = (0..rows).map(|i| f64::from(i * 29 % 83)).collect();
    let z: Vec<f64> = (0..rows).map(|i| f64::from(i * 7 % 31)).collect();
    let y: Vec<f64> = x
        .iter()
        .zip(&z)
        .map(|(x, z)| (x - 40.0).abs() * z + x)
        .collect();
    let options = Mars {
        degree: 2,
        ..Mars::default()
    };
    let tiny: Vec<f64> = x.iter().map(|v| v * 1e-9).collect();
    let (large, small) = (
        model(
            &options,
            design(vec![x.clone(), z.clone()], y.clone(), None),
        ),
        model(&options, design(vec![tiny.clone(), z.clone()], y, None)),
    );
    assert!(
        (large.grsq - small.grsq).abs() < 1e-9,
        "{} {}",
        large.grsq,
        small.grsq
    );
    for i in 0..rows as usize {
        let a = large.predict(&|v| [x[i], z[i]][v]);
        let b = small.predict(&|v| [tiny[i], z[i]][v]);
        assert!((a - b).abs() < 1e-7 * a.abs().max(1.0), "{a} {b}");
    }
}

#[test]
fn threads_do_not_matter() {
    let rows = 2600;
    let x: Vec<Vec<f64>> = (1..9)
        .map(|j| {
            (0..rows)
                .map(|i| f64::from(i * (2 * j + 1) % 211 + i % j))
                .collect()
        })
        .collect();
    let y = (0..rows as usize)
        .map(|i| x[0][i] * x[1][i] + x[2][i].max(80.0))
        .collect();
    let checked = design(x, y, None).check().unwrap();
    let options = Mars {
        degree: 2,
        max_terms: Some(11),
        ..Mars::default()
    };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        format!("{:?}", pool.install(|| options.model(&checked).unwrap()))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn bad_parameters_are_refused_by_name() {
    let checked = design(vec![vec![1.0, 2.0, 3.0]], vec![1.0, 2.0, 4.0], None)
        .check()
        .unwrap();
    for (options, name) in [
        (
            Mars {
                degree: 0,
                ..Mars::default()
            },
            "degree",
        ),
        (
            Mars {
                penalty: Some(-2.0),
                ..Mars::default()
            },
            "penalty",
        ),
        (
            Mars {
                threshold: 1.0,
                ..Mars::default()
            },
            "threshold",
        ),
    ] {
        let said = options.model(&checked).unwrap_err().to_string();
        assert!(said.contains(name), "{said}");
    }
}
