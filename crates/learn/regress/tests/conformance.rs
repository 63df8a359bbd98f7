//! The conformance suite over every estimator of this crate.

use pricetag_estimator::{Checked, Design, Estimator, EstimatorError, Fitted, conformance};
use pricetag_regress::{Hierarchical, Hierarchy, LeastSquares, NonNegative};

/// Hierarchical prices of columns about which nothing is known.
struct Flat;

impl Estimator for Flat {
    fn name(&self) -> &'static str {
        "hier"
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        let hierarchy = Hierarchy::flat(design.columns.len());
        Hierarchical {
            hierarchy,
            shrinkage: None,
            certainty: true,
        }
        .fit(design)
    }
}

#[test]
fn every_estimator_conforms() {
    let estimators: [&dyn Estimator; 4] = [
        &LeastSquares::default(),
        &LeastSquares {
            intercept: true,
            ..LeastSquares::default()
        },
        &NonNegative,
        &Flat,
    ];
    let found: Vec<String> = estimators
        .iter()
        .flat_map(|e| conformance::violations(*e))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}
