//! Rows that the others do not explain, weighed down: Huber's weights on errors of leave-one-group-out prediction.
//!
//! Huber (1964) with the scale from the median absolute error, as `rlm` has it. A measurement that a collector or another
//! program disturbed then pulls prices with a bounded force. Deviation: errors are those of prediction from the other
//! groups, because a row that prices can bend to has no residual, and there are two rounds, each with prices learnt anew.

use pricetag_estimator::{Checked, Design, EstimatorError};

use crate::hierarchy::Hierarchy;
use crate::kernel::{Kernels, Problem};
use crate::shrinkage::{Shrinkage, choose, errors_without};

/// Rounds of weighing.
const ROUNDS: usize = 2;
/// Errors above so many standard deviations pull with constant force: 95 % efficiency where errors are normal.
const BEND: f64 = 1.345;
/// Median absolute deviation to standard deviation.
const NORMAL: f64 = 1.4826;

/// The design with outlying rows weighed down, for strengths that are given or chosen on the way.
pub(crate) fn weigh_down(
    hierarchy: &Hierarchy,
    design: &Checked<Design>,
    given: Option<&Shrinkage>,
) -> Result<Checked<Design>, EstimatorError> {
    let mut weighed = design.clone();
    let mut factors = vec![1.0; design.rows()];
    for _ in 0..ROUNDS {
        let problem = Problem::new(hierarchy, &weighed);
        let strengths = match given {
            Some(given) => given.clone(),
            None => choose(&problem, &design.groups),
        };
        let kernels = Kernels::of(&problem);
        let Some(errors) = errors_without(&kernels, &problem, &design.groups, &strengths) else {
            break;
        };
        let sizes: Vec<f64> = errors
            .iter()
            .zip(&factors)
            .map(|(e, f)| e.abs() / f64::sqrt(*f))
            .collect();
        let scale = NORMAL * pricetag_quantity::quantile(&sizes, 0.5).unwrap_or(0.0);
        if scale <= 0.0 {
            break;
        }
        factors = sizes
            .iter()
            .map(|size| (BEND * scale / size.max(f64::MIN_POSITIVE)).min(1.0))
            .collect();
        let weights = design.weights.iter().zip(&factors).map(|(w, f)| w * f);
        weighed = weighed.reweighted(weights.collect())?;
    }
    Ok(weighed)
}
