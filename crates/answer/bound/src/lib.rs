//! Bounds of functions in the sizes of their arguments, by automatic amortised resource analysis.
//!
//! After Hoffmann, Aehlig and Hofmann, *Multivariate Amortized Resource Analysis* (TOPLAS 2012), and Hoffmann, Das and Weng, *Towards
//! Automatic Resource Bound Analysis for OCaml* (POPL 2017); with learnt prices as Das and Hoffmann (TACAS 2017, section 8).
//! Normal form → linear program of potentials → exact solution → [`check`](check::check) of the derivation, which shares no code with
//! what made it → polynomial in named sizes. A bound that the checker does not accept is not given.

#![allow(
    clippy::needless_for_each,
    clippy::needless_pass_by_value,
    clippy::type_complexity,
    clippy::unnecessary_wraps,
    reason = "recursive walks read better with one signature for all steps"
)]

mod certificate;
pub mod check;
mod derive;
mod index;
mod linear_program;
mod metric;
mod potential;
mod sizes;

use std::collections::BTreeMap;

pub use certificate::{Certificate, Choice, Claim, Kept, Sum, Together};

pub use index::Index;
pub use metric::{Metric, Side, Unpriced};
pub use sizes::{Polynomial, Size, Term, Way};

use linear_program::Unsolved;
use metric::{Costs, MILLION};
use pricetag_miniml::first_order::{Atom, Block, Entry, Refusal, Right, Step};

/// How much the analysis of a lower degree weighs less: higher degrees are avoided first.
const WEIGHT: f64 = 1000.0;

/// A bound.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The bound.
    pub polynomial: Polynomial,
    /// The degree searched when it was found.
    pub degree: u32,
    /// Unknowns of the linear program.
    pub unknowns: usize,
    /// Its constraints.
    pub constraints: usize,
    /// What it rests on.
    pub certificate: Certificate,
}

/// Why there is no bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoBound {
    /// The function is outside of what is analysed.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A construct without a price.
    #[error(transparent)]
    Unpriced(#[from] Unpriced),
    /// No polynomial was found.
    #[error("no polynomial of degree {degree} or less was found{}", culprit.as_ref().map_or(String::new(), |f| format!(": `{f}` has none as it is called here. Its cost may grow faster, what shrinks from call to call may be no size that is looked at, or what it is given has no size")))]
    None {
        /// The largest degree tried.
        degree: u32,
        /// A function that has none by itself.
        culprit: Option<String>,
    },
    /// The linear program became too large.
    #[error("the analysis becomes too large at degree {0}")]
    Large(u32),
    /// The solver failed, or what it found does not hold exactly.
    #[error("the linear program was not solved exactly: {0}")]
    Inexact(String),
    /// A bound with sizes inside of others has no lower form.
    #[error("the lower bound depends on what is inside of lists, which has no one size")]
    Inside,
    /// The checker refused it.
    #[error(transparent)]
    Checker(#[from] check::Refused),
}

/// The bound of a function: the smallest degree that has one, up to a largest.
///
/// # Errors
/// If there is none.
pub fn bound(entry: &Entry, metric: &Metric, side: Side, degree: u32) -> Result<Bound, NoBound> {
    let first = if side == Side::Upper { 1 } else { degree };
    for degree in first..=degree {
        match at(entry, metric, side, degree) {
            Err(NoBound::None { .. }) => {}
            other => return other,
        }
    }
    let culprit = (0..entry.functions.len()).rev().find(|f| {
        let alone = alone(entry, *f);
        (1..=degree).all(|d| matches!(at(&alone, metric, side, d), Err(NoBound::None { .. })))
    });
    Err(NoBound::None {
        degree,
        culprit: culprit.map(|f| entry.functions[f].name.clone()),
    })
}

/// A function that is called, by itself.
fn alone(entry: &Entry, function: usize) -> Entry {
    let called = &entry.functions[function];
    let arguments = called.parameters.iter().map(|p| Atom::Var(*p)).collect();
    Entry {
        parameters: called.parameters.clone(),
        body: Block {
            steps: vec![Step::Bind(called.result, Right::Call(function, arguments))],
            value: Some(Atom::Constant(0)),
        },
        ..entry.clone()
    }
}

fn at(entry: &Entry, metric: &Metric, side: Side, degree: u32) -> Result<Bound, NoBound> {
    let costs = Costs::new(metric, side);
    let mut derivation = derive::Derivation::new(entry, &costs, side);
    let (before, decisions) = derivation.run(degree).map_err(|e| match e {
        derive::Underived::Unpriced(unpriced) => NoBound::Unpriced(unpriced),
        derive::Underived::Large => NoBound::Large(degree),
    })?;
    let mut objective = BTreeMap::new();
    for (monomial, linear) in &before.of {
        for unknown in linear.terms.keys() {
            objective.insert(*unknown, WEIGHT.powi(potential::degree(monomial) as i32));
        }
    }
    let values = derivation
        .program
        .solve(&objective, side == Side::Upper)
        .map_err(|why| match why {
            Unsolved::Infeasible | Unsolved::Unbounded => NoBound::None {
                degree,
                culprit: None,
            },
            Unsolved::Inexact(why) => NoBound::Inexact(why),
        })?;
    let certificate = Certificate::of(&derivation, side, &before, &decisions, &values);
    verify(entry, &costs, &certificate)?;
    Ok(Bound {
        polynomial: Polynomial::of(entry, &certificate.bound, side).ok_or(NoBound::Inside)?,
        degree,
        unknowns: derivation.program.unknowns,
        constraints: derivation.program.constraints.len(),
        certificate,
    })
}

/// Has the checker look at a certificate, with the same costs.
fn verify(entry: &Entry, costs: &Costs, certificate: &Certificate) -> Result<(), check::Refused> {
    let of = |step: &Step| costs.of(step).unwrap_or(MILLION * MILLION);
    let prices = check::Prices {
        construct: &|c| of(&Step::Charge(c, 1)),
        byte: of(&Step::Bytes(1)),
        call: &|name| of(&Step::Enter(name.to_owned())),
        meets: &|step| costs.meets(step),
    };
    check::check(entry, &prices, certificate)
}

/// Nothing, as a factor.
pub fn zero() -> num_rational::BigRational {
    num_traits::Zero::zero()
}
