//! Sparse polynomials and greedy selection: planted formulas come back, and selections agree with exhaustive search.

use pricetag_estimator::{
    Checked, Column, Design, Estimator, Values, conformance, relative_weights,
};
use pricetag_regress::lasso::Lambda;
use pricetag_regress::polynomial::{Selection, Selector, expand};
use pricetag_regress::{Greedy, Lasso, LeastSquares, SparsePolynomial};

/// A stream of numbers in [0, 1).
fn stream(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as f64 / f64::from(1_u32 << 31)
    }
}

fn column(name: &str, values: Vec<f64>) -> Column {
    Column {
        name: name.into(),
        values: Values::Dense(values),
    }
}

/// Six features of different units, and a cost of 200 + 3·width·height + 5e-4·length² with 1 % noise.
fn planted(rows: usize) -> Checked<Design> {
    let mut random = stream(11);
    let mut draw = |scale: f64| {
        (0..rows)
            .map(|_| (scale * (0.05 + random())).floor())
            .collect::<Vec<f64>>()
    };
    let (width, height, length) = (draw(100.0), draw(40.0), draw(9000.0));
    let idle: Vec<Vec<f64>> = [10.0, 1e6, 300.0].iter().map(|s| draw(*s)).collect();
    let mut random = stream(5);
    let target = (0..rows)
        .map(|i| {
            (200.0 + 3.0 * width[i] * height[i] + 5e-4 * length[i] * length[i])
                * (1.0 + 0.02 * (random() - 0.5))
        })
        .collect();
    let mut columns = vec![
        column("width", width),
        column("height", height),
        column("length", length),
    ];
    columns.extend(
        idle.into_iter()
            .enumerate()
            .map(|(k, v)| column(&format!("idle{k}"), v)),
    );
    let mut design = Design::new(columns, target);
    design.weights = relative_weights(&design.target);
    design.check().unwrap()
}

#[test]
fn terms_are_those_of_the_binomial() {
    for (columns, degree) in [(1, 3), (3, 2), (4, 3), (5, 4)] {
        let names: Vec<usize> = (0..columns).collect();
        let found = expand(&names, degree as u32, degree);
        let binomial = (1..=degree).fold(1, |c, k| c * (columns + k) / k);
        assert_eq!(found.len(), binomial - 1);
        let distinct: std::collections::BTreeSet<_> = found.iter().collect();
        assert_eq!(distinct.len(), found.len());
        assert!(found.windows(2).all(|w| w[0].degree() <= w[1].degree()));
        let alone = expand(&names, degree as u32, 1);
        assert_eq!(alone.len(), columns * degree);
        assert!(found.iter().all(|t| t.powers.iter().all(|p| p.1 >= 1)));
    }
    let text = |t: &pricetag_regress::polynomial::Term| format!("{:?}", t.powers);
    let found: Vec<String> = expand(&[2, 7], 2, 2).iter().map(text).collect();
    assert_eq!(
        found,
        [
            "[(2, 1)]",
            "[(7, 1)]",
            "[(2, 2)]",
            "[(2, 1), (7, 1)]",
            "[(7, 2)]"
        ]
    );
}

#[test]
fn a_planted_polynomial_comes_back() {
    let design = planted(300);
    for selector in [
        Selector::Lasso(Lasso {
            lambda: Lambda::OneStandardError,
            ..Lasso::default()
        }),
        Selector::ForwardBackward(Greedy {
            one_standard_error: true,
            ..Greedy::default()
        }),
    ] {
        let method = SparsePolynomial {
            selector,
            ..SparsePolynomial::default()
        };
        let found = method.polynomial(&design).unwrap();
        assert!(
            found.survivors.contains(&0)
                && found.survivors.contains(&1)
                && found.survivors.contains(&2)
        );
        let coefficient = |powers: &[(usize, u32)]| {
            found
                .terms
                .iter()
                .find(|t| t.0.powers == powers)
                .map_or(0.0, |t| t.1)
        };
        let (area, square) = (coefficient(&[(0, 1), (1, 1)]), coefficient(&[(2, 2)]));
        assert!((area - 3.0).abs() < 0.1, "{area} {:?}", found.terms);
        assert!((square - 5e-4).abs() < 2e-5, "{square} {:?}", found.terms);
        let predicted = method.fit(&design).unwrap().predict(&design).unwrap();
        let errors: Vec<f64> = predicted
            .iter()
            .zip(&design.target)
            .map(|(p, y)| (p / y - 1.0).abs())
            .collect();
        assert!(errors.iter().sum::<f64>() / 300.0 < 0.012);
        if let Some(Selection::ForwardBackward(path)) = &found.selection {
            assert!(found.terms.len() <= 4, "{:?}", found.terms);
            assert!(path.unexplained.windows(2).all(|w| w[1] <= w[0]));
        }
    }
}

#[test]
fn coefficients_are_those_of_least_squares_on_the_terms() {
    let design = planted(120);
    let method = SparsePolynomial::default();
    let found = method.polynomial(&design).unwrap();
    let dense: Vec<Vec<f64>> = design
        .columns
        .iter()
        .map(|c| c.values.to_dense(120))
        .collect();
    let columns = found
        .terms
        .iter()
        .map(|(term, _)| {
            let value = |i: usize| {
                term.powers
                    .iter()
                    .map(|&(j, k)| dense[j][i].powi(k as i32))
                    .product()
            };
            column(&format!("{:?}", term.powers), (0..120).map(value).collect())
        })
        .collect();
    let mut terms = Design::new(columns, design.target.clone());
    terms.weights.clone_from(&design.weights);
    let exact = LeastSquares {
        intercept: true,
        tolerance: 1e-14,
    }
    .fit(&terms.check().unwrap())
    .unwrap();
    assert!((exact.intercept - found.intercept).abs() <= 1e-5 * exact.intercept.abs());
    for ((term, ours), theirs) in found.terms.iter().zip(&exact.coefficients) {
        let theirs = theirs.estimate.unwrap();
        assert!(
            (ours - theirs).abs() <= 1e-5 * theirs.abs(),
            "{term:?}: {ours} {theirs}"
        );
    }
}

#[test]
fn the_formula_reads_as_products_of_powers() {
    let fitted = SparsePolynomial {
        selector: Selector::ForwardBackward(Greedy {
            one_standard_error: true,
            ..Greedy::default()
        }),
        ..SparsePolynomial::default()
    }
    .fit(&planted(300))
    .unwrap();
    let text = fitted.formula.text();
    assert!(
        text.contains("width·height") && text.contains("length^2"),
        "{text}"
    );
}

#[test]
fn backward_steps_undo_what_forward_steps_mistook() {
    // The decoy is closer to the cost than either part of it, so it comes first; with both parts in, it is not needed.
    let mut random = stream(3);
    let rows = 80;
    let mut draw = || (0..rows).map(|_| 100.0 * random()).collect::<Vec<f64>>();
    let (a, b, noise, other) = (draw(), draw(), draw(), draw());
    let decoy = (0..rows).map(|i| a[i] + b[i] + 0.2 * noise[i]).collect();
    let target = (0..rows)
        .map(|i| 50.0 + a[i] + 1.2 * b[i] + 0.01 * other[i])
        .collect();
    let columns = vec![column("decoy", decoy), column("a", a), column("b", b)];
    let design = Design::new(columns, target).check().unwrap();
    let path = Greedy {
        most: 3,
        ..Greedy::default()
    }
    .path(&design)
    .unwrap();
    assert_eq!(path.models[1].coefficients[0].0, 0, "{path:?}");
    let pair: Vec<usize> = path.models[2].coefficients.iter().map(|c| c.0).collect();
    assert_eq!(pair, [1, 2]);
    let forward = Greedy {
        most: 3,
        backward: 0.0,
        ..Greedy::default()
    }
    .path(&design)
    .unwrap();
    assert!(
        forward.models[2].coefficients.iter().any(|c| c.0 == 0),
        "without backward steps the decoy stays"
    );
}

#[test]
fn single_columns_are_the_best_of_all() {
    let design = planted(60);
    let path = Greedy::default().path(&design).unwrap();
    let total: f64 = design.weights.iter().sum();
    let left = |j: usize| {
        let x = design.columns[j].values.to_dense(60);
        let mean = |v: &[f64]| {
            v.iter()
                .zip(&design.weights)
                .map(|(v, w)| v * w)
                .sum::<f64>()
                / total
        };
        let (mx, my) = (mean(&x), mean(&design.target));
        let sum = |f: &dyn Fn(usize) -> f64| (0..60).map(|i| design.weights[i] * f(i)).sum::<f64>();
        let (sxx, sxy) = (
            sum(&|i| (x[i] - mx).powi(2)),
            sum(&|i| (x[i] - mx) * (design.target[i] - my)),
        );
        1.0 - sxy * sxy / sxx / sum(&|i| (design.target[i] - my).powi(2))
    };
    let best = (0..6).map(left).fold(f64::INFINITY, f64::min);
    assert!(
        (path.unexplained[1] - best).abs() < 1e-10,
        "{} {best}",
        path.unexplained[1]
    );
    assert_eq!(left(path.models[1].coefficients[0].0), best);
}

#[test]
fn selectors_conform() {
    let methods: [&dyn Estimator; 5] = [
        &SparsePolynomial::default(),
        &SparsePolynomial {
            degree: 3,
            refit: false,
            ..SparsePolynomial::default()
        },
        &Greedy::default(),
        &Greedy {
            degree: 2,
            ..Greedy::default()
        },
        &Greedy {
            intercept: false,
            one_standard_error: true,
            ..Greedy::default()
        },
    ];
    for method in methods {
        let found = conformance::violations(method);
        assert!(found.is_empty(), "{found:#?}");
    }
}
