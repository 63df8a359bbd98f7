//! The conformance suite over every estimator of this crate.

use pricetag_estimator::{Estimator, conformance};
use pricetag_regress::{LeastSquares, NonNegative};

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
    let found: Vec<String> = estimators
        .iter()
        .flat_map(|e| conformance::violations(*e))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}
