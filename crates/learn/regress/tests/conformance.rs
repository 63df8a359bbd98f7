//! The conformance suite over every estimator of this crate.

use pricetag_estimator::{Checked, Design, Estimator, EstimatorError, Fitted, conformance};
use pricetag_regress::{Hierarchical, Hierarchy, LeastSquares, NonNegative, PartsAlone};

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

/// The common price of those columns, and nothing else.
struct FlatParts;

impl Estimator for FlatParts {
    fn name(&self) -> &'static str {
        "hier"
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        let hierarchy = Hierarchy::flat(design.columns.len());
        PartsAlone { hierarchy }.fit(design)
    }
}

#[test]
fn every_estimator_conforms() {
    let estimators: [&dyn Estimator; 3] = [
        &LeastSquares::default(),
        &LeastSquares {
            intercept: true,
            ..LeastSquares::default()
        },
        &NonNegative,
    ];
    let mut found: Vec<String> = estimators
        .iter()
        .flat_map(|e| conformance::violations(*e))
        .collect();
    // Prices that share what they learn are compared with each other: a feature in another unit is another price, and one
    // that occurs twice counts twice in what is usual.
    let shared = ["scaled columns", "a copy changes nothing"];
    found.extend(conformance::violations_except(&Flat, &shared));
    found.extend(conformance::violations_except(&FlatParts, &shared));
    assert!(found.is_empty(), "{found:#?}");
}
