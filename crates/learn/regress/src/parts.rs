//! Prices of parts alone: every column costs what its parts cost, and nothing departs from that.
//!
//! Non-negative least squares (Lawson & Hanson 1974) over the parts' use and the free columns. It errs differently from
//! [`crate::Hierarchical`], which is what makes the two worth averaging. No row is weighed down. A part that is in no
//! row with weight has the mean price of its kind, by use, as a part without evidence has it in the hierarchy.

use faer::Mat;
use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{Checked, Coefficient, Design, Estimator, EstimatorError, Fitted};

use crate::hier::{Outcome, check};
use crate::hierarchy::Hierarchy;
use crate::kernel::{Upper, composition};
use crate::nnls::nnls;

/// The estimator that prices parts and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct PartsAlone {
    /// What the design's columns consist of.
    pub hierarchy: Hierarchy,
}

impl Estimator for PartsAlone {
    fn name(&self) -> &'static str {
        "hier"
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        self.solve(design).map(|outcome| outcome.fitted)
    }
}

impl PartsAlone {
    /// Fits, and keeps the prices of the parts.
    pub fn solve(&self, design: &Checked<Design>) -> Result<Outcome, EstimatorError> {
        check(&self.hierarchy, design)?;
        let problem = Upper::new(&self.hierarchy, design);
        let (q, kinds) = (problem.part_scale.len(), self.hierarchy.kinds.len());
        let mut columns = Mat::<f64>::zeros(problem.z.len(), q + problem.free.len());
        columns.as_mut().subcols_mut(0, q).copy_from(&problem.parts);
        let free = problem.top.as_ref().subcols(kinds, problem.free.len());
        columns
            .as_mut()
            .subcols_mut(q, problem.free.len())
            .copy_from(free);
        let found = nnls(&columns, &problem.z).x;
        let part_prices = part_prices(&problem, &found[..q]);
        let mut coefficients = vec![Coefficient::default(); design.columns.len()];
        for &j in &problem.composed {
            let price = composition(&self.hierarchy.roles[j], &part_prices);
            coefficients[j].estimate = Some(price);
            coefficients[j].prior = Some(price);
        }
        for (&j, price) in problem.free.iter().zip(&found[q..]) {
            coefficients[j].estimate = Some(*price);
        }
        let mut fitted = Fitted::linear("hier", design, 0.0, coefficients);
        fitted.notes.push(Diagnostic {
            severity: Severity::Note,
            message: format!(
                "100 % of every price is what its parts cost: {} prices follow from those of {q} parts, and nothing departs from that",
                problem.composed.len()
            ),
            advice: None,
        });
        Ok(Outcome {
            fitted,
            part_prices,
            shrinkage: None,
        })
    }
}

/// Unscaled prices of the parts; the mean of its kind for a part that is never used.
fn part_prices(problem: &Upper, found: &[f64]) -> Vec<f64> {
    let kinds = problem.hierarchy.kinds.len();
    let (mut cost, mut all) = (vec![0.0; kinds], vec![0.0; kinds]);
    let mut used = vec![false; found.len()];
    for (part, &kind) in problem.hierarchy.part_kinds.iter().enumerate() {
        let column = problem.parts.col_as_slice(part);
        let use_of_it: f64 = column.iter().map(|v| v.abs()).sum();
        used[part] = use_of_it > 0.0;
        // Parts of a kind have one scale.
        cost[kind] += use_of_it * found[part];
        all[kind] += use_of_it;
    }
    let price = |part: usize| {
        let kind = problem.hierarchy.part_kinds[part];
        match (used[part], all[kind] > 0.0) {
            (true, _) => found[part],
            (false, true) => cost[kind] / all[kind],
            (false, false) => 0.0,
        }
    };
    (0..found.len())
        .map(|part| price(part) * problem.part_scale[part])
        .collect()
}
