//! Backward elimination by Akaike's criterion, as R's `step(direction = "backward")` does it.
//!
//! R (4.2, `step` and `drop1.lm`) refits the model without each column in turn and drops the one whose absence gives the
//! lowest n·ln(RSS/n) + k·edf, as long as that is below the criterion of the present model. Here one triangle serves
//! all steps: leaving out column j adds `b_j²/(R⁻¹R⁻ᵀ)`_jj to the RSS (Seber & Lee 2003, §3.9), and the triangle without
//! it comes by plane rotations (Golub & Van Loan, §6.5.2). R⁻¹ is rotated along, and worked out anew when the dropped
//! column was nearly dependent, so that no digits are lost.
//!
//! The rule for columns without a degree of freedom: R first drops the last column whose absence leaves the rank. Of a
//! set of dependent columns these are the `NA` column and those it depends on, which come before it: so the `NA` columns
//! go, from the last to the first.
//!
//! Limit: where the columns explain the costs to rounding, the criterion means nothing and the estimator gives up (R's
//! `step` stops only at −∞).

use faer::Mat;
use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_estimator::{
    Checked, Coefficient, Design, Estimator, EstimatorError, Fitted, Qr, R_TOLERANCE,
};

use crate::ols::LeastSquares;

/// RSS below this share of the sum of squares is rounding.
const EXACT: f64 = 1e-24;
/// Variance inflation of a dropped column beyond which R⁻¹ is worked out anew.
const INFLATED: f64 = 1e6;
/// Dropped columns named in a note.
const LISTED: usize = 12;

/// Least squares on the columns that backward elimination keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BackwardElimination {
    /// Whether a constant is fitted as well; it is never dropped.
    pub intercept: bool,
    /// Tolerance of the rank decision, as in [`LeastSquares`].
    pub tolerance: f64,
    /// Price of a degree of freedom: 2 for AIC, ln n for BIC.
    pub penalty: f64,
}

impl Default for BackwardElimination {
    fn default() -> Self {
        Self {
            intercept: false,
            tolerance: R_TOLERANCE,
            penalty: 2.0,
        }
    }
}

/// One column dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct Drop {
    /// Index of the column in the design.
    pub column: usize,
    /// Its degrees of freedom: 0 if the others determine it.
    pub df: u32,
    /// Residual sum of squares without it.
    pub rss: f64,
    /// Criterion without it.
    pub aic: f64,
}

/// The way from all columns to those kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Elimination {
    /// Criterion of the model with all columns.
    pub aic: f64,
    /// Its residual sum of squares.
    pub rss: f64,
    /// The columns dropped, in order.
    pub drops: Vec<Drop>,
    /// The columns kept, ascending.
    pub kept: Vec<usize>,
}

impl BackwardElimination {
    /// Finds the columns to keep.
    pub fn eliminate(&self, design: &Checked<Design>) -> Result<Elimination, EstimatorError> {
        self.check()?;
        let (columns, target, unit) = weighted(design, self.intercept);
        let used = design.weights.iter().filter(|w| **w > 0.0).count();
        if used == 0 {
            return Err(EstimatorError::TooFewRows {
                method: "step",
                needed: 1,
                rows: 0,
            });
        }
        let total: f64 = target.iter().map(|y| y * y).sum();
        let qr = Qr::new(columns, target, self.tolerance);
        let first = usize::from(self.intercept);
        // `extractAIC` counts rows of weight zero as rows and as degrees of freedom.
        let criterion = Criterion {
            rows: design.rows() as f64,
            idle: (design.rows() - used) as f64,
            penalty: self.penalty,
            exact: EXACT * total,
            unit: 2.0 * unit.ln(),
        };
        let square = unit * unit;
        let rss = qr.rest();
        let aic = criterion.of(rss, qr.rank)?;
        let mut aliased: Vec<usize> = qr.pivot[qr.rank..].to_vec();
        aliased.sort_unstable();
        let mut drops: Vec<Drop> = aliased
            .iter()
            .rev()
            .filter(|&&column| column >= first)
            .map(|&column| Drop {
                column: column - first,
                df: 0,
                rss: rss * square,
                aic,
            })
            .collect();
        let mut model = Model::new(&qr, first);
        let mut present = aic;
        while let Some((at, added)) = model.cheapest() {
            let next = criterion.of(model.rss + added, model.columns.len() - 1)?;
            if next >= present {
                break;
            }
            drops.push(Drop {
                column: model.columns[at] - first,
                df: 1,
                rss: (model.rss + added) * square,
                aic: next,
            });
            model.drop(at);
            present = next;
        }
        let mut kept: Vec<usize> = model
            .columns
            .iter()
            .copied()
            .filter(|&c| c >= first)
            .collect();
        for c in &mut kept {
            *c -= first;
        }
        kept.sort_unstable();
        Ok(Elimination {
            aic,
            rss: rss * square,
            drops,
            kept,
        })
    }

    fn check(&self) -> Result<(), EstimatorError> {
        for (parameter, value, fits) in [
            (
                "tolerance",
                self.tolerance,
                (0.0..1.0).contains(&self.tolerance),
            ),
            (
                "penalty",
                self.penalty,
                self.penalty >= 0.0 && self.penalty.is_finite(),
            ),
        ] {
            if !fits {
                return Err(EstimatorError::Parameter {
                    method: "step",
                    parameter,
                    value,
                });
            }
        }
        Ok(())
    }
}

impl Estimator for BackwardElimination {
    fn name(&self) -> &'static str {
        "step"
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        let found = self.eliminate(design)?;
        let mut chosen = Design::clone(design);
        let mut index = 0;
        chosen.columns.retain(|_| {
            index += 1;
            found.kept.binary_search(&(index - 1)).is_ok()
        });
        let mut fitted = if found.kept.is_empty() {
            self.without_columns(design)?
        } else {
            LeastSquares {
                intercept: self.intercept,
                tolerance: self.tolerance,
            }
            .fit(&chosen.check()?)?
        };
        // Dropped columns have the coefficient 0; aliased ones, which the data do not determine, none.
        let mut coefficients = vec![
            Coefficient {
                estimate: Some(0.0),
                ..Coefficient::default()
            };
            design.columns.len()
        ];
        for drop in found.drops.iter().filter(|d| d.df == 0) {
            coefficients[drop.column].estimate = None;
        }
        for (&column, coefficient) in found.kept.iter().zip(&fitted.coefficients) {
            coefficients[column] = coefficient.clone();
        }
        fitted.method = "step";
        fitted.coefficients = coefficients;
        fitted.notes.splice(0..0, found.notes(design));
        Ok(fitted)
    }
}

impl BackwardElimination {
    /// The mean, or zero.
    fn without_columns(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        let mut constant = Design::clone(design);
        constant.columns = vec![pricetag_estimator::Column {
            name: "none".into(),
            values: pricetag_estimator::Values::Sparse(Vec::new()),
        }];
        let mut fitted = LeastSquares {
            intercept: self.intercept,
            tolerance: self.tolerance,
        }
        .fit(&constant.check()?)?;
        if let Some(summary) = &mut fitted.summary {
            summary.coefficients.retain(|c| c.name != "none");
        }
        fitted.coefficients.clear();
        fitted.notes.clear();
        Ok(fitted)
    }
}

impl Elimination {
    /// What was kept, and the way there.
    fn notes(&self, design: &Design) -> Vec<Diagnostic> {
        let last = self.drops.last().map_or(self.aic, |d| d.aic);
        let kept = format!(
            "backward elimination kept {} of {} columns (AIC {last:.2}, with all of them {:.2})",
            self.kept.len(),
            design.columns.len(),
            self.aic
        );
        let advice = "Standard errors and p-values after a selection are too optimistic; trust the error on held-out rows.";
        let note = |message, advice| Diagnostic {
            severity: Severity::Note,
            message,
            advice,
        };
        let mut notes = vec![note(kept, Some(advice.to_owned()))];
        if !self.drops.is_empty() {
            notes.push(note(self.order(design), None));
        }
        notes
    }

    /// The columns dropped, in order, with the criterion after each.
    fn order(&self, design: &Design) -> String {
        let name = |drop: &Drop| {
            let redundant = if drop.df == 0 { ", redundant" } else { "" };
            format!(
                "`{}` ({:.2}{redundant})",
                design.columns[drop.column].name, drop.aic
            )
        };
        let mut listed: Vec<String> = self.drops.iter().take(LISTED).map(name).collect();
        if self.drops.len() > LISTED {
            listed.push(format!("{} more", self.drops.len() - LISTED));
        }
        format!(
            "dropped in this order (AIC after each): {}",
            listed.join(", ")
        )
    }
}

/// n·ln(RSS/n) + k·edf.
struct Criterion {
    rows: f64,
    idle: f64,
    penalty: f64,
    exact: f64,
    /// Logarithm of the square of the target's unit.
    unit: f64,
}

impl Criterion {
    fn of(&self, rss: f64, rank: usize) -> Result<f64, EstimatorError> {
        if rss <= self.exact {
            return Err(EstimatorError::Request {
                method: "step",
                reason: format!(
                    "{rank} columns explain {} rows exactly, so the AIC is minus infinity",
                    self.rows
                ),
            });
        }
        let edf = rank as f64 + self.idle;
        Ok(self.rows * ((rss / self.rows).ln() + self.unit) + self.penalty * edf)
    }
}

/// The weighted columns, intercept first, and the weighted target, each in a unit of its own, so that no square overflows; and
/// the target's unit. Rows of weight zero stay as rows of zeros. Units are powers of two, which leave the digits alone.
fn weighted(design: &Design, intercept: bool) -> (Vec<Vec<f64>>, Vec<f64>, f64) {
    let roots: Vec<f64> = design.weights.iter().map(|w| w.sqrt()).collect();
    let scale = |values: &mut Vec<f64>| values.iter_mut().zip(&roots).for_each(|(v, r)| *v *= r);
    let mut columns = Vec::with_capacity(design.columns.len() + 1);
    if intercept {
        columns.push(roots.clone());
    }
    for column in &design.columns {
        let mut dense = column.values.to_dense(design.rows());
        scale(&mut dense);
        columns.push(dense);
    }
    let mut target = design.target.clone();
    scale(&mut target);
    for column in &mut columns {
        in_own_unit(column);
    }
    let unit = in_own_unit(&mut target);
    (columns, target, unit)
}

/// Divides by the largest power of two up to the largest magnitude, which is returned; 1 where all are zero.
fn in_own_unit(values: &mut [f64]) -> f64 {
    let largest = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let unit = largest.log2().floor().exp2();
    if !(unit > 0.0 && unit.is_finite()) {
        return 1.0;
    }
    for value in values.iter_mut() {
        *value /= unit;
    }
    unit
}

/// The independent columns of a model as a triangle, its inverse and the rotated target.
struct Model {
    /// Column at each position.
    columns: Vec<usize>,
    /// Columns before this one are never dropped.
    first: usize,
    /// Upper triangle, column by column.
    upper: Vec<Vec<f64>>,
    /// Its inverse: `inverse[(i, j)]` with i ≤ j.
    inverse: Mat<f64>,
    effects: Vec<f64>,
    rss: f64,
}

impl Model {
    fn new(qr: &Qr, first: usize) -> Self {
        let mut model = Self {
            columns: qr.pivot[..qr.rank].to_vec(),
            first,
            upper: (0..qr.rank).map(|j| qr.upper(j).to_vec()).collect(),
            inverse: Mat::zeros(0, 0),
            effects: qr.effects().to_vec(),
            rss: qr.rest(),
        };
        model.invert();
        model
    }

    /// R⁻¹ from R.
    fn invert(&mut self) {
        let k = self.columns.len();
        self.inverse = Mat::zeros(k, k);
        for j in 0..k {
            let mut x = vec![0.0; j + 1];
            x[j] = 1.0;
            for i in (0..=j).rev() {
                x[i] /= self.upper[i][i];
                let xi = x[i];
                for (xk, r) in x[..i].iter_mut().zip(&self.upper[i]) {
                    *xk -= xi * r;
                }
            }
            for (i, x) in x.into_iter().enumerate() {
                self.inverse[(i, j)] = x;
            }
        }
    }

    /// The column whose absence adds least to the RSS, the first of equals, and what it adds.
    fn cheapest(&self) -> Option<(usize, f64)> {
        let k = self.columns.len();
        let (mut b, mut v) = (vec![0.0; k], vec![0.0; k]);
        for j in 0..k {
            let effect = self.effects[j];
            for i in 0..=j {
                let x = self.inverse[(i, j)];
                b[i] += x * effect;
                v[i] += x * x;
            }
        }
        // Positions of columns may differ from their order in the formula only by what was dropped.
        (0..k)
            .filter(|&i| self.columns[i] >= self.first)
            .map(|i| (i, b[i] * b[i] / v[i]))
            .min_by(|a, b| {
                a.1.total_cmp(&b.1)
                    .then(self.columns[a.0].cmp(&self.columns[b.0]))
            })
    }

    /// How much the variance of a column's coefficient is inflated by the others, about zero.
    fn inflation(&self, at: usize) -> f64 {
        let length: f64 = self.upper[at].iter().map(|r| r * r).sum();
        let variance: f64 = (at..self.columns.len())
            .map(|j| self.inverse[(at, j)].powi(2))
            .sum();
        length * variance
    }

    /// Takes the column at a position out.
    fn drop(&mut self, at: usize) {
        let inflated = self.inflation(at) > INFLATED;
        let k = self.columns.len();
        self.columns.remove(at);
        self.upper.remove(at);
        let mut inverse =
            Mat::from_fn(k - 1, k, |i, j| self.inverse[(i + usize::from(i >= at), j)]);
        for i in at..k - 1 {
            // Rotate rows i and i + 1 so that the entry below the diagonal of the new column i vanishes.
            let (a, b) = (self.upper[i][i], self.upper[i][i + 1]);
            let length = a.hypot(b);
            let (c, s) = (a / length, b / length);
            for column in &mut self.upper[i..] {
                let (x, y) = (column[i], column[i + 1]);
                column[i] = c * x + s * y;
                column[i + 1] = c * y - s * x;
            }
            self.upper[i].truncate(i + 1);
            let (x, y) = (self.effects[i], self.effects[i + 1]);
            self.effects[i] = c * x + s * y;
            self.effects[i + 1] = c * y - s * x;
            for row in 0..k - 1 {
                let (x, y) = (inverse[(row, i)], inverse[(row, i + 1)]);
                inverse[(row, i)] = c * x + s * y;
                inverse[(row, i + 1)] = c * y - s * x;
            }
        }
        if let Some(out) = self.effects.pop() {
            self.rss += out * out;
        }
        if inflated {
            self.invert();
        } else {
            self.inverse = inverse.submatrix(0, 0, k - 1, k - 1).to_owned();
        }
    }
}
