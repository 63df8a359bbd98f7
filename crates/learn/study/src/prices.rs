//! The price list: one line per bucket, never a negative price, always a reason where there is none.

use pricetag_cost_model::{Formula, Price};
use pricetag_estimator::{Bucket, Coefficient, Design, Support};

use pricetag_quantity::counted;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::jackknife::FoldPrices;
use crate::learner::{Learned, Learner};
use crate::method::Method;

/// Prices of features that the training rows never use are listed up to this many; the formula has them all.
const UNSEEN_LISTED: usize = 2000;

/// Makes the price list of a fit from `rows`, most expensive share first; `folds` are for methods without standard errors.
pub(crate) fn price_list(
    learner: &Learner,
    learned: &Learned,
    rows: &[usize],
    folds: Option<&FoldPrices>,
) -> Vec<Price> {
    let design = learner.design;
    let total: f64 = learned.predict(design, rows).iter().sum();
    let mut out: Vec<Price> = learned
        .buckets
        .iter()
        .zip(&learned.coefficients)
        .map(|(bucket, coefficient)| {
            price(learner, learned, bucket, coefficient, (rows, total), folds)
        })
        .collect();
    out.extend(
        learned
            .empty
            .iter()
            .take(UNSEEN_LISTED)
            .map(|&column| unseen(learned, design, column)),
    );
    out.sort_by(|a, b| {
        b.share
            .total_cmp(&a.share)
            .then_with(|| a.bucket.cmp(&b.bucket))
    });
    out
}

fn price(
    learner: &Learner,
    learned: &Learned,
    bucket: &Bucket,
    coefficient: &Coefficient,
    (rows, total): (&[usize], f64),
    folds: Option<&FoldPrices>,
) -> Price {
    let design: &Design = learner.design;
    let dense = design.columns[bucket.members[0]]
        .values
        .select(rows, design.rows())
        .to_dense(rows.len());
    let units: f64 = dense.iter().sum();
    let varies = Support::of(&dense).varying;
    let (value, note) = judge(learner, coefficient, varies);
    let (std_error, df) = match coefficient.std_error {
        Some(error) => {
            let summary = learned.summary.as_ref();
            (Some(error), summary.map(|s| s.residual_df))
        }
        None => folds
            .and_then(|f| f.std_error(bucket))
            .map_or((None, None), |(error, df)| (Some(error), Some(df))),
    };
    let paid: f64 = bucket
        .members
        .iter()
        .zip(&bucket.ratios)
        .map(|(&m, r)| learned.prices[m] * r)
        .sum();
    Price {
        bucket: bucket.name(design),
        members: bucket
            .members
            .iter()
            .map(|&m| design.columns[m].name.clone())
            .collect(),
        ratios: bucket.ratios.clone(),
        price: value,
        std_error,
        bounds: bounds(value, std_error, df, learner.confidence()),
        prior: coefficient.prior,
        evidence: coefficient.evidence,
        support: varies,
        share: if total > 0.0 {
            paid * units / total
        } else {
            0.0
        },
        note,
    }
}

/// Value less and plus its error times the quantile of Student's t, of the normal distribution where the degrees of freedom
/// are not known; never below zero.
pub(crate) fn bounds(
    value: Option<f64>,
    std_error: Option<f64>,
    df: Option<u32>,
    level: f64,
) -> Option<(f64, f64)> {
    let (value, error) = (value?, std_error.filter(|e| e.is_finite())?);
    let tail = f64::midpoint(1.0, level);
    let quantile = match df {
        Some(0) => return None,
        Some(df) => StudentsT::new(0.0, 1.0, f64::from(df))
            .ok()?
            .inverse_cdf(tail),
        None => Normal::standard().inverse_cdf(tail),
    };
    let half = quantile * error;
    Some(((value - half).max(0.0), value + half))
}

/// Why a coefficient is no price, if it is none.
pub(crate) fn no_price(coefficient: &Coefficient) -> Option<String> {
    let Some(estimate) = coefficient.estimate else {
        return Some(
            "a sum of other features in every observation (NA): it has no price of its own".into(),
        );
    };
    (estimate < 0.0).then(|| {
        let number = |x: f64| Formula::Constant(x).rounded(4).text();
        let error = coefficient.std_error.map(|e| format!(" ± {}", number(e)));
        format!(
            "least squares gives {}{}, which no price can be; use nnls or hier",
            number(estimate),
            error.unwrap_or_default()
        )
    })
}

/// What is to be said of a price that few observations bear on.
pub(crate) fn rare(varies: u32) -> Option<String> {
    match varies {
        0 => Some(
            "its count never varies: it cannot be told from the base price of a run".to_owned(),
        ),
        1 | 2 => Some(format!(
            "its count varies in {} only",
            counted(varies as usize, "observation")
        )),
        _ => None,
    }
}

fn judge(
    learner: &Learner,
    coefficient: &Coefficient,
    varies: u32,
) -> (Option<f64>, Option<String>) {
    if let Some(why) = no_price(coefficient) {
        return (None, Some(why));
    }
    let estimate = coefficient.estimate.unwrap_or(0.0);
    let note = match learner.method {
        Method::Nnls if estimate == 0.0 => Some(
            "the observations give it nothing: other features explain its cost as well or better"
                .to_owned(),
        ),
        Method::Hier if coefficient.evidence.is_some_and(|e| e < 0.1) => {
            Some("the observations hardly bear on it: mostly the price of its parts".to_owned())
        }
        _ => rare(varies),
    };
    (Some(estimate), note)
}

fn unseen(learned: &Learned, design: &Design, column: usize) -> Price {
    let prior = learned.priors[column];
    Price {
        bucket: design.columns[column].name.clone(),
        members: vec![design.columns[column].name.clone()],
        ratios: vec![1.0],
        price: prior,
        std_error: None,
        bounds: None,
        prior,
        evidence: prior.map(|_| 0.0),
        support: 0,
        share: 0.0,
        note: Some(if prior.is_some() {
            "never used in the training rows: the price of its parts alone".into()
        } else {
            "never used in the training rows: add inputs that use it".into()
        }),
    }
}
