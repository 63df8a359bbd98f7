//! What a bound rests on, as plain numbers: potentials where ways meet and of recursive functions. Made by the analysis, read by the checker.

use num_rational::BigRational;
use pricetag_miniml::first_order::{FunctionId, Var};

use crate::derive::{Decision, Derivation};
use crate::index::Index;
use crate::metric::Side;
use crate::potential::Potential;

/// Products of base polynomials of variables, each with its factor, in millionths of the metric's unit.
pub type Sum = Vec<(Vec<(Var, Index)>, BigRational)>;

/// Factors that are kept across a call, each with the derivations that pay it.
pub type Kept = Vec<(Vec<(Var, Index)>, Vec<usize>)>;

/// A choice of the analysis, in the order in which steps are gone through: the last of a block first.
#[derive(Clone, Debug)]
pub enum Choice {
    /// The potential before ways part.
    Meet(Sum),
    /// What is kept across a call, and by which derivations the call is paid.
    Call(Kept),
}

/// What a function needs and leaves, in one derivation.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The function.
    pub function: FunctionId,
    /// Needed, of its parameters.
    pub before: Sum,
    /// Left in its result, which is the variable [`Var::MAX`].
    pub after: Sum,
    /// The choices in its body.
    pub choices: Vec<Choice>,
}

/// A derivation: claims that hold together.
#[derive(Clone, Debug)]
pub struct Together {
    /// Whether costs are paid.
    pub costly: bool,
    /// One claim for each function.
    pub claims: Vec<Claim>,
}

/// All of it.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// Which side the bound is on.
    pub side: Side,
    /// The bound, of the entry's parameters.
    pub bound: Sum,
    /// The choices in the entry's body.
    pub choices: Vec<Choice>,
    /// The derivations, by number.
    pub derivations: Vec<Together>,
}

impl Certificate {
    pub(crate) fn of(
        derivation: &Derivation<'_>,
        side: Side,
        bound: &Potential,
        decisions: &[Decision],
        values: &[BigRational],
    ) -> Self {
        let choices = |all: &[Decision]| {
            all.iter()
                .map(|d| match d {
                    Decision::Meet(potential) => Choice::Meet(sum(potential, values)),
                    Decision::Call(used) => Choice::Call(used.clone()),
                })
                .collect()
        };
        let together = derivation.instances.iter().map(|instance| Together {
            costly: instance.costly,
            claims: instance
                .functions
                .iter()
                .map(|(function, specification)| Claim {
                    function: *function,
                    before: sum(&specification.before, values),
                    after: sum(&specification.after, values),
                    choices: choices(&specification.decisions),
                })
                .collect(),
        });
        Self {
            side,
            bound: sum(bound, values),
            choices: choices(decisions),
            derivations: together.collect(),
        }
    }
}

/// A potential with the unknowns' values.
fn sum(potential: &Potential, values: &[BigRational]) -> Sum {
    let number = |n: i64| BigRational::from_integer(n.into());
    potential
        .of
        .iter()
        .map(|(monomial, linear)| {
            let mut factor = number(linear.constant);
            for (unknown, n) in &linear.terms {
                factor += number(*n) * &values[*unknown];
            }
            (monomial.clone(), factor)
        })
        .filter(|(_, factor)| *factor != number(0))
        .collect()
}
