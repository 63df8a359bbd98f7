//! A filter against collinearity in front of another estimator.

use pricetag_estimator::{Checked, Coefficient, Design, Estimator, EstimatorError, Fitted};
use pricetag_regress::{CorrelationFilter, InflationFilter};

use crate::tuning::Filter;

/// Fits the columns that a filter keeps; those left out cost nothing of their own.
pub(crate) struct FilteredFit {
    pub filter: Filter,
    pub inner: Box<dyn Estimator>,
}

impl Estimator for FilteredFit {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        let filtered = match self.filter {
            Filter::Correlation(threshold) => CorrelationFilter { threshold }.filter(design)?,
            Filter::Inflation(limit) => InflationFilter { limit }.filter(design)?,
        };
        let mut fitted = self.inner.fit(&filtered.apply(design).check()?)?;
        fitted.notes.extend(filtered.note(design));
        if fitted.coefficients.len() == filtered.kept.len() {
            let mut all = vec![
                Coefficient {
                    estimate: Some(0.0),
                    ..Coefficient::default()
                };
                design.columns.len()
            ];
            for (coefficient, &column) in fitted.coefficients.drain(..).zip(&filtered.kept) {
                all[column] = coefficient;
            }
            fitted.coefficients = all;
        }
        Ok(fitted)
    }
}

#[cfg(test)]
mod tests {
    use pricetag_estimator::conformance;
    use pricetag_regress::LeastSquares;

    use super::{Filter, FilteredFit};

    #[test]
    fn filtered_fits_conform() {
        // The paper's rule leaves out the earlier of two columns: their order matters, and a copy takes its original's place.
        let exempt = ["permuted columns"];
        for (filter, exempt) in [
            (Filter::Correlation(0.3), exempt.as_slice()),
            (Filter::Inflation(10.0), &[]),
        ] {
            let inner = Box::new(LeastSquares::default());
            let found = conformance::violations_except(&FilteredFit { filter, inner }, exempt);
            assert!(found.is_empty(), "{found:?}");
        }
    }
}
