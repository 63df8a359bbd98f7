//! The figures of R's `summary.lm` from coefficients, unscaled variances and sums of squares.
//!
//! Conventions (R 4.2): R² and F use centred sums with an intercept and uncentred ones without; p-values come from
//! survival functions; a model of the intercept alone has no F.

use pricetag_cost_model::{CoefficientRow, LinearSummary};
use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};

/// R's name of the constant.
pub const INTERCEPT: &str = "(Intercept)";

/// F, its degrees of freedom and its p-value.
type FTest = (f64, u32, u32, f64);

/// What the rows say about a fit, in sums.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moments {
    /// Rows of positive weight.
    pub used: u64,
    /// Rank of the columns, the intercept included.
    pub rank: usize,
    /// Whether there is an intercept.
    pub intercept: bool,
    /// Whether any weight differs from 1.
    pub weighted: bool,
    /// Sum of squared weighted residuals.
    pub rss: f64,
    /// Sum of squared weighted fitted values, about their mean if there is an intercept.
    pub mss: f64,
    /// Minimum, quartiles and maximum of the weighted residuals.
    pub quantiles: [f64; 5],
}

impl Moments {
    /// The summary; `variance` is the diagonal of (XᵀWX)⁻¹, both slices have one entry per name.
    pub fn summary(
        &self,
        names: Vec<String>,
        beta: &[Option<f64>],
        variance: &[f64],
    ) -> LinearSummary {
        let df = self.used - self.rank as u64;
        let sigma2 = if df > 0 {
            self.rss / df as f64
        } else {
            f64::NAN
        };
        let coefficients = names
            .into_iter()
            .zip(beta.iter().zip(variance))
            .map(|(name, (beta, variance))| CoefficientRow {
                name,
                estimate: beta.map(|b| {
                    let error = (sigma2 * variance).sqrt();
                    let t = b / error;
                    (b, error, t, two_sided(t, df))
                }),
            })
            .collect();
        let (r_squared, adjusted, f) = self.goodness(sigma2, df);
        LinearSummary {
            weighted: self.weighted,
            residual_quantiles: self.quantiles,
            coefficients,
            sigma: sigma2.sqrt(),
            residual_df: u32::try_from(df).unwrap_or(u32::MAX),
            rank: self.rank as u32,
            r_squared,
            adjusted_r_squared: adjusted,
            f,
        }
    }

    /// R², adjusted R² and F.
    fn goodness(&self, sigma2: f64, df: u64) -> (f64, f64, Option<FTest>) {
        let constant = usize::from(self.intercept);
        if self.rank <= constant {
            return (0.0, 0.0, None);
        }
        let r_squared = self.mss / (self.mss + self.rss);
        let freedom = (self.used - constant as u64) as f64 / df as f64;
        let df1 = self.rank - constant;
        let f = self.mss / df1 as f64 / sigma2;
        let p = FisherSnedecor::new(df1 as f64, df as f64)
            .map_or(f64::NAN, |d| if f.is_nan() { f } else { d.sf(f) });
        let df2 = u32::try_from(df).unwrap_or(u32::MAX);
        (
            r_squared,
            1.0 - (1.0 - r_squared) * freedom,
            Some((f, df1 as u32, df2, p)),
        )
    }
}

/// Two-sided p-value of a t statistic.
fn two_sided(t: f64, df: u64) -> f64 {
    if t.is_nan() || df == 0 {
        return f64::NAN;
    }
    if t.is_infinite() {
        return 0.0;
    }
    StudentsT::new(0.0, 1.0, df as f64).map_or(f64::NAN, |d| 2.0 * d.sf(t.abs()))
}
