//! The black-box baseline: what can be said from the inputs alone, without looking into the program.
//!
//! An honest opponent: polynomials up to the third degree of every input, their logarithms, products of two inputs, and
//! power laws (least squares on logarithms), each by ridge regression on relative errors, the form and the strength chosen
//! by cross-validation over groups.

use pricetag_cost_model::Formula;
use pricetag_dataset::Dataset;
use pricetag_estimator::{Split, Table, folds_by_group, relative_weights};

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

use crate::inputs::known_before;
use crate::study::relative_error;

/// Inputs used at most; further ones are left out, in order.
const INPUTS: usize = 12;
/// Ridge strengths tried, relative to the columns' mean square.
const RIDGES: [f64; 5] = [1e-9, 1e-6, 1e-4, 1e-2, 1.0];
const FOLDS: usize = 10;

/// One term: a formula over the inputs and its values.
struct Term {
    formula: Formula,
    values: Vec<f64>,
}

/// A family of terms; power laws predict the logarithm.
struct Form {
    terms: Vec<Term>,
    logarithmic: bool,
}

/// The best form's formula and its predictions for all rows of the table.
pub(crate) struct Baseline {
    pub formula: Formula,
    pub predicted: Vec<f64>,
    /// By row of the table: what the form predicts for a training row from the other folds, NaN for other rows. The form
    /// was chosen by these, so that their error is a little too low.
    pub unseen: Vec<f64>,
}

/// Fits the baseline on `train`; none when the dataset has no inputs that vary.
pub(crate) fn baseline(
    dataset: &Dataset,
    target: &str,
    train: &[usize],
    seed: u64,
) -> Option<Baseline> {
    let table = known_before(dataset, target)?;
    let inputs = inputs(&table);
    if inputs.is_empty() || train.len() < 3 {
        return None;
    }
    let y = &table.design.target;
    let groups: Vec<String> = train
        .iter()
        .map(|&r| table.design.groups[r].clone())
        .collect();
    let folds: Vec<Split> = folds_by_group(&groups, FOLDS, seed)
        .into_iter()
        .map(|f| Split {
            train: f.train.iter().map(|&i| train[i]).collect(),
            test: f.test.iter().map(|&i| train[i]).collect(),
        })
        .collect();
    let least = train
        .iter()
        .map(|&r| y[r])
        .filter(|v| *v > 0.0)
        .fold(f64::INFINITY, f64::min);
    let floor = if least.is_finite() { 0.1 * least } else { 0.0 };
    let mut best: Option<(f64, Form, f64, Vec<f64>)> = None;
    // Of few rows a form of many terms learns their luck by heart; the smallest is a constant.
    let small = |form: &Form| form.terms.len() == 1 || 2 * form.terms.len() <= train.len();
    for form in forms(&inputs).into_iter().filter(small) {
        for ridge in RIDGES {
            let Some((error, unseen)) = cross_validate(&form, ridge, y, &folds, floor) else {
                continue;
            };
            if best.as_ref().is_none_or(|b| error < b.0 * 0.999) {
                best = Some((
                    error,
                    Form {
                        terms: copies(&form),
                        logarithmic: form.logarithmic,
                    },
                    ridge,
                    unseen,
                ));
            }
        }
    }
    let (_, form, ridge, unseen) = best?;
    let coefficients = fit(&form, ridge, y, train)?;
    let predicted = (0..y.len())
        .map(|r| predict(&form, &coefficients, r, floor))
        .collect();
    Some(Baseline {
        formula: formula(&form, &coefficients, floor),
        predicted,
        unseen,
    })
}

fn copies(form: &Form) -> Vec<Term> {
    form.terms
        .iter()
        .map(|t| Term {
            formula: t.formula.clone(),
            values: t.values.clone(),
        })
        .collect()
}

/// Name and values of each varying input.
fn inputs(table: &Table) -> Vec<(String, Vec<f64>)> {
    let rows = table.design.rows();
    table
        .design
        .columns
        .iter()
        .map(|c| (c.name.clone(), c.values.to_dense(rows)))
        .filter(|(_, v)| v.iter().any(|x| *x != v[0]))
        .take(INPUTS)
        .collect()
}

fn power(name: &str, values: &[f64], exponent: i32) -> Term {
    let feature = Formula::Feature(name.to_owned());
    let formula = match exponent {
        1 => feature,
        e => Formula::Power(Box::new(feature), Box::new(Formula::Constant(f64::from(e)))),
    };
    Term {
        formula,
        values: values.iter().map(|x| x.powi(exponent)).collect(),
    }
}

/// log(1 + |x|), defined everywhere.
fn logarithm(name: &str, values: &[f64], times_x: bool) -> Term {
    let feature = || Formula::Feature(name.to_owned());
    let magnitude = Formula::Max(
        Box::new(feature()),
        Box::new(Formula::Product(vec![Formula::Constant(-1.0), feature()])),
    );
    let log = Formula::Log(Box::new(Formula::Sum(vec![
        Formula::Constant(1.0),
        magnitude,
    ])));
    let value = |x: f64| (1.0 + x.abs()).ln();
    if times_x {
        let values = values.iter().map(|&x| x * value(x)).collect();
        return Term {
            formula: Formula::Product(vec![feature(), log]),
            values,
        };
    }
    Term {
        formula: log,
        values: values.iter().map(|&x| value(x)).collect(),
    }
}

fn forms(inputs: &[(String, Vec<f64>)]) -> Vec<Form> {
    let rows = inputs[0].1.len();
    let one = || Term {
        formula: Formula::Constant(1.0),
        values: vec![1.0; rows],
    };
    let powers = |degree: i32| -> Vec<Term> {
        inputs
            .iter()
            .flat_map(|(n, v)| (1..=degree).map(move |e| power(n, v, e)))
            .collect()
    };
    let logs = |times_x| -> Vec<Term> {
        inputs
            .iter()
            .map(|(n, v)| logarithm(n, v, times_x))
            .collect()
    };
    let products = || -> Vec<Term> {
        let mut out = Vec::new();
        for (i, (a, va)) in inputs.iter().enumerate() {
            for (b, vb) in &inputs[i + 1..] {
                let formula = Formula::Product(vec![
                    Formula::Feature(a.clone()),
                    Formula::Feature(b.clone()),
                ]);
                out.push(Term {
                    formula,
                    values: va.iter().zip(vb).map(|(x, y)| x * y).collect(),
                });
            }
        }
        out
    };
    let with_one = |mut parts: Vec<Vec<Term>>| {
        parts.insert(0, vec![one()]);
        parts.into_iter().flatten().collect::<Vec<_>>()
    };
    let mut families = vec![
        (vec![], false),
        (vec![powers(1)], false),
        (vec![powers(2)], false),
        (vec![powers(3)], false),
        (vec![powers(1), logs(false)], false),
        (vec![powers(1), logs(true)], false),
        (vec![powers(3), logs(false), logs(true)], false),
        (vec![logs(false)], true),
        (vec![logs(false), powers(1)], true),
    ];
    if inputs.len() > 1 {
        families.push((vec![powers(2), products()], false));
    }
    families
        .into_iter()
        .map(|(parts, logarithmic)| Form {
            terms: with_one(parts),
            logarithmic,
        })
        .collect()
}

/// Mean relative error over the folds, and what was predicted.
fn cross_validate(
    form: &Form,
    ridge: f64,
    y: &[f64],
    folds: &[Split],
    floor: f64,
) -> Option<(f64, Vec<f64>)> {
    let mut unseen = vec![f64::NAN; y.len()];
    let mut pairs = Vec::new();
    for fold in folds {
        let coefficients = fit(form, ridge, y, &fold.train)?;
        for &row in &fold.test {
            unseen[row] = predict(form, &coefficients, row, floor);
            pairs.push((y[row], unseen[row]));
        }
    }
    let error = relative_error(&pairs);
    error.is_finite().then_some((error, unseen))
}

/// Ridge regression on relative errors, columns scaled to unit mean square, the constant free.
fn fit(form: &Form, ridge: f64, y: &[f64], rows: &[usize]) -> Option<Vec<f64>> {
    let targets: Vec<f64> = rows.iter().map(|&r| y[r]).collect();
    let (target, roots): (Vec<f64>, Vec<f64>) = if form.logarithmic {
        if targets.iter().any(|t| *t <= 0.0) {
            return None;
        }
        (
            targets.iter().map(|t| t.ln()).collect(),
            vec![1.0; rows.len()],
        )
    } else {
        let roots: Vec<f64> = relative_weights(&targets)
            .iter()
            .map(|w| w.sqrt())
            .collect();
        (targets, roots)
    };
    let p = form.terms.len();
    let mut x = Mat::from_fn(rows.len(), p, |i, j| {
        form.terms[j].values[rows[i]] * roots[i]
    });
    let scale: Vec<f64> = (0..p)
        .map(|j| {
            let square = x.col_as_slice(j).iter().map(|v| v * v).sum::<f64>() / rows.len() as f64;
            if square > 0.0 && square.is_finite() {
                square.sqrt()
            } else {
                1.0
            }
        })
        .collect();
    for (j, s) in scale.iter().enumerate() {
        x.col_as_slice_mut(j).iter_mut().for_each(|v| *v /= s);
    }
    let mut gram = x.transpose() * &x;
    for j in 1..p {
        gram[(j, j)] += ridge * rows.len() as f64;
    }
    gram[(0, 0)] += 1e-12 * rows.len() as f64;
    let right = x.transpose() * Mat::from_fn(rows.len(), 1, |i, _| target[i] * roots[i]);
    let solution = gram.llt(Side::Lower).ok()?.solve(&right);
    let out: Vec<f64> = (0..p).map(|j| solution[(j, 0)] / scale[j]).collect();
    out.iter().all(|c| c.is_finite()).then_some(out)
}

fn predict(form: &Form, coefficients: &[f64], row: usize, floor: f64) -> f64 {
    let sum: f64 = form
        .terms
        .iter()
        .zip(coefficients)
        .map(|(t, c)| c * t.values[row])
        .sum();
    if form.logarithmic {
        sum.min(700.0).exp()
    } else {
        sum.max(floor)
    }
}

fn formula(form: &Form, coefficients: &[f64], floor: f64) -> Formula {
    let terms = form
        .terms
        .iter()
        .zip(coefficients)
        .map(|(term, &c)| match &term.formula {
            Formula::Constant(_) => Formula::Constant(c),
            f => Formula::Product(vec![Formula::Constant(c), f.clone()]),
        });
    let sum = Formula::Sum(terms.collect());
    if form.logarithmic {
        Formula::Exp(Box::new(Formula::Min(
            Box::new(sum),
            Box::new(Formula::Constant(700.0)),
        )))
    } else {
        Formula::Max(Box::new(sum), Box::new(Formula::Constant(floor)))
    }
}
