//! Least squares over rows that come in blocks: R's `lm` in memory that does not depend on the number of rows.
//!
//! First pass: the weighted rows, with the cost as their last column, are reduced to a triangle
//! ([`pricetag_estimator::reduce`]); R's rank decision, coefficients and variances come from it. Second pass: one step of
//! refinement by the corrected seminormal equations (Björck 1987, *Stability analysis of the method of seminormal
//! equations*), left out where the columns are too nearly dependent for it to help. Third pass: residuals. Their
//! quantiles are exact; with more than [`crate::quantile::KEPT`] rows they take one or two passes more.

use faer::Mat;
use pricetag_estimator::diagnose::{ILL, inflated, relations};
use pricetag_estimator::qr::FLOOR;
use pricetag_estimator::reduce::{Reduction, block_rows};
use pricetag_estimator::{Fitted, Inflation, Qr, Relation};

use crate::lm_summary::Moments;
use crate::ols::LeastSquares;
use crate::quantile::Selection;
use crate::rows::{Block, Result, RowBlocks};

/// Rows worked on at a time: their columns stay in the cache.
const ROWS: usize = 1024;
/// Seminormal equations lose their use near 1/√ε; above this condition they are left out.
const CONDITION: f64 = 1e7;

/// Which weights the squared errors get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowWeights {
    /// Those of the rows, 1 where they have none.
    #[default]
    AsGiven,
    /// 1 / max(|y|, q)² with q the 5 % quantile of |y|, as [`pricetag_estimator::relative_weights`].
    Relative,
}

/// A fit and what was seen of the rows on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct RowsFit {
    /// Model and summary.
    pub fitted: Fitted,
    /// All rows, those of weight zero included.
    pub rows: u64,
    /// Smallest and largest value of every column.
    pub ranges: Vec<(f64, f64)>,
    /// How often all rows were read.
    pub passes: u32,
    /// Condition number of the independent columns, the constant among them, weighted and scaled to unit length.
    pub condition: f64,
    /// The columns behind a large condition number; where a constant is fitted it is column 0 and all others one higher.
    pub inflated: Vec<Inflation>,
    /// How dependent columns follow from others, numbered likewise.
    pub relations: Vec<Relation>,
}

impl LeastSquares {
    /// Fits rows that come in blocks, without holding them.
    pub fn fit_rows(&self, source: &mut dyn RowBlocks, weights: RowWeights) -> Result<RowsFit> {
        self.check()?;
        let names = source.names();
        let mut rows = Weighted::new(source, weights)?;
        let first = FirstPass::run(&mut rows, names.len(), self)?;
        if first.used == 0 {
            return Err(Self::no_rows().into());
        }
        let upper = first.triangle;
        let qr = Qr::of_triangle(&upper, self.tolerance);
        let mut solution = Solution::new(&qr, names.len() + usize::from(self.intercept));
        if qr.rank > 0 && qr.inflation() < CONDITION * CONDITION {
            solution.refine(&qr, &mut rows, self.intercept)?;
        }
        let sums = ResidualPass::run(&mut rows, &solution.beta, self.intercept, first.mean)?;
        let condition = qr.condition();
        let moments = Moments {
            used: first.used,
            rank: qr.rank,
            intercept: self.intercept,
            weighted: rows.unequal,
            rss: sums.rss,
            mss: sums.mss,
            quantiles: sums.quantiles,
        };
        Ok(RowsFit {
            fitted: self.fitted(&names, &solution.beta, &solution.variance, &moments),
            rows: first.rows,
            relations: self.related(&qr, first.used, &first.ranges),
            ranges: first.ranges,
            passes: rows.passes,
            condition,
            inflated: if condition > ILL {
                inflated(&qr, &(0..solution.beta.len()).collect::<Vec<_>>())
            } else {
                Vec::new()
            },
        })
    }

    /// Relations among the columns; none where there are no more rows than columns, for then everything is related.
    fn related(&self, qr: &Qr, rows: u64, ranges: &[(f64, f64)]) -> Vec<Relation> {
        if rows <= qr.rank as u64 {
            return Vec::new();
        }
        let constant = self.intercept.then_some(1.0);
        let size = |(low, high): &(f64, f64)| low.abs().max(high.abs());
        let sizes: Vec<f64> = constant
            .into_iter()
            .chain(ranges.iter().map(size))
            .collect();
        relations(qr, &|j| sizes[j])
    }
}

/// Rows with their weights.
struct Weighted<'a> {
    source: &'a mut dyn RowBlocks,
    /// The floor under |y| of relative weights.
    floor: Option<f64>,
    /// Whether a weight other than 1 was seen.
    unequal: bool,
    passes: u32,
}

/// Up to [`ROWS`] rows.
struct Part<'a> {
    columns: Vec<&'a [f64]>,
    target: &'a [f64],
    /// Square roots of the weights; none if they are all 1.
    roots: Option<&'a [f64]>,
}

impl<'a> Weighted<'a> {
    fn new(source: &'a mut dyn RowBlocks, weights: RowWeights) -> Result<Self> {
        let mut rows = Self {
            source,
            floor: None,
            unequal: weights == RowWeights::Relative,
            passes: 0,
        };
        if weights == RowWeights::Relative {
            rows.floor = rows.magnitude_floor()?;
        }
        Ok(rows)
    }

    /// The 5 % quantile of |y|, or the smallest positive |y| if that is zero; none if all are zero.
    fn magnitude_floor(&mut self) -> Result<Option<f64>> {
        let mut selection = Selection::new(&[0.05]);
        let mut smallest = f64::INFINITY;
        loop {
            self.source.for_each_target(&mut |target| {
                for y in target.iter().map(|y| y.abs()) {
                    selection.push(y);
                    if y > 0.0 && y < smallest {
                        smallest = y;
                    }
                }
            })?;
            if !selection.end_pass() {
                break;
            }
        }
        let quantile = selection.quantiles()[0];
        let floor = if quantile > 0.0 { quantile } else { smallest };
        Ok(floor.is_finite().then_some(floor))
    }

    fn for_each(&mut self, mut visit: impl FnMut(&Part<'_>)) -> Result<()> {
        let floor = self.floor;
        let unequal = &mut self.unequal;
        let mut roots = Vec::new();
        self.passes += 1;
        self.source.for_each(&mut |block: &Block<'_>| {
            for start in (0..block.target.len()).step_by(ROWS) {
                let range = start..(start + ROWS).min(block.target.len());
                let target = &block.target[range.clone()];
                roots.clear();
                match (floor, block.weights) {
                    (Some(floor), _) => {
                        roots.extend(target.iter().map(|y| 1.0 / y.abs().max(floor)));
                    }
                    (None, Some(weights)) => {
                        let weights = &weights[range.clone()];
                        *unequal |= weights.iter().any(|w| *w != 1.0);
                        roots.extend(weights.iter().map(|w| w.sqrt()));
                    }
                    (None, None) => {}
                }
                visit(&Part {
                    columns: block.columns.iter().map(|c| &c[range.clone()]).collect(),
                    target,
                    roots: (!roots.is_empty()).then_some(&roots),
                });
            }
            Ok(())
        })
    }
}

/// What the first reading yields.
struct FirstPass {
    triangle: Mat<f64>,
    rows: u64,
    used: u64,
    /// Weighted mean of the cost.
    mean: f64,
    ranges: Vec<(f64, f64)>,
}

impl FirstPass {
    fn run(rows: &mut Weighted<'_>, columns: usize, options: &LeastSquares) -> Result<Self> {
        let first = usize::from(options.intercept);
        let width = columns + first + 1;
        let mut reduction = Reduction::new(width, FLOOR * options.tolerance);
        let mut buffer = Mat::zeros(block_rows(width), width);
        let mut filled = 0;
        let (mut seen, mut used, mut weight, mut total) = (0, 0, 0.0, 0.0);
        let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); columns];
        rows.for_each(|part| {
            let n = part.target.len();
            seen += n as u64;
            if let Some(roots) = part.roots {
                used += roots.iter().filter(|r| **r > 0.0).count() as u64;
                weight += roots.iter().map(|r| r * r).sum::<f64>();
                let products = roots.iter().zip(part.target).map(|(r, y)| r * r * y);
                total += products.sum::<f64>();
            } else {
                used += n as u64;
                weight += n as f64;
                total += part.target.iter().sum::<f64>();
            }
            for (range, column) in ranges.iter_mut().zip(&part.columns) {
                *range = extremes(column, *range);
            }
            let mut at = 0;
            while at < n {
                let take = (n - at).min(buffer.nrows() - filled);
                part.copy(at..at + take, &mut buffer, filled, first == 1);
                (at, filled) = (at + take, filled + take);
                if filled == buffer.nrows() {
                    reduction.push(buffer.as_ref());
                    filled = 0;
                }
            }
        })?;
        if filled > 0 {
            reduction.push(buffer.as_ref().subrows(0, filled));
        }
        Ok(Self {
            triangle: reduction.finish(),
            rows: seen,
            used,
            mean: total / weight,
            ranges,
        })
    }
}

fn extremes(column: &[f64], (low, high): (f64, f64)) -> (f64, f64) {
    // Branch-free comparisons; the numbers are finite.
    column.iter().fold((low, high), |(low, high), &x| {
        (
            if x < low { x } else { low },
            if x > high { x } else { high },
        )
    })
}

impl Part<'_> {
    /// Copies weighted rows, intercept first and cost last, to the rows of `to` from `row` on.
    fn copy(&self, rows: std::ops::Range<usize>, to: &mut Mat<f64>, row: usize, intercept: bool) {
        let n = rows.len();
        let roots = self.roots.map(|r| &r[rows.clone()]);
        let first = usize::from(intercept);
        let width = to.ncols();
        for j in 0..width {
            let Some(column) = to.col_mut(j).try_as_col_major_mut() else {
                unreachable!("owned matrices are column-major");
            };
            let cells = &mut column.as_slice_mut()[row..row + n];
            if j < first {
                match roots {
                    Some(roots) => cells.copy_from_slice(roots),
                    None => cells.fill(1.0),
                }
                continue;
            }
            let source = self.columns.get(j - first).unwrap_or(&self.target);
            let source = &source[rows.clone()];
            match roots {
                Some(roots) => {
                    for ((cell, x), root) in cells.iter_mut().zip(source).zip(roots) {
                        *cell = x * root;
                    }
                }
                None => cells.copy_from_slice(source),
            }
        }
    }

    /// y − Xβ, times the roots of the weights.
    fn residuals(&self, beta: &[Option<f64>], intercept: bool, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(self.target);
        let first = usize::from(intercept);
        if let Some(constant) = beta.first().copied().flatten().filter(|_| intercept) {
            for r in out.iter_mut() {
                *r -= constant;
            }
        }
        let mut terms = Vec::with_capacity(beta.len());
        terms.extend(
            self.columns
                .iter()
                .zip(&beta[first..])
                .filter_map(|(c, b)| b.map(|b| (*c, b))),
        );
        let mut fours = terms.chunks_exact(4);
        for four in &mut fours {
            let [(a, p), (b, q), (c, r), (d, s)] = [four[0], four[1], four[2], four[3]];
            for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *out -= (p * a + q * b) + (r * c + s * d);
            }
        }
        for (column, b) in fours.remainder() {
            for (out, x) in out.iter_mut().zip(*column) {
                *out -= b * x;
            }
        }
        if let Some(roots) = self.roots {
            for (out, root) in out.iter_mut().zip(roots) {
                *out *= root;
            }
        }
    }
}

/// Coefficients and unscaled variances, the intercept first.
struct Solution {
    beta: Vec<Option<f64>>,
    variance: Vec<f64>,
}

impl Solution {
    fn new(qr: &Qr, columns: usize) -> Self {
        let mut beta = vec![None; columns];
        let mut variance = vec![f64::NAN; columns];
        for ((&column, b), v) in qr.pivot.iter().zip(qr.solve()).zip(qr.inverse_diagonal()) {
            beta[column] = Some(b);
            variance[column] = v;
        }
        Self { beta, variance }
    }

    fn refine(&mut self, qr: &Qr, rows: &mut Weighted<'_>, intercept: bool) -> Result<()> {
        let first = usize::from(intercept);
        let mut gradient = vec![0.0; self.beta.len()];
        let mut residuals = Vec::with_capacity(ROWS);
        rows.for_each(|part| {
            part.residuals(&self.beta, intercept, &mut residuals);
            if let Some(roots) = part.roots {
                for (r, root) in residuals.iter_mut().zip(roots) {
                    *r *= root;
                }
            }
            if intercept {
                gradient[0] += residuals.iter().sum::<f64>();
            }
            for (g, column) in gradient[first..].iter_mut().zip(&part.columns) {
                *g += dot(column, &residuals);
            }
        })?;
        let right: Vec<f64> = qr.pivot[..qr.rank].iter().map(|&j| gradient[j]).collect();
        for (&column, d) in qr.pivot.iter().zip(qr.solve_normal(&right)) {
            self.beta[column] = self.beta[column].map(|b| b + d);
        }
        Ok(())
    }
}

/// Inner product with eight partial sums.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest = a_chunks.remainder().iter().zip(b_chunks.remainder());
    let tail: f64 = rest.map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    sums.iter().sum::<f64>() + tail
}

/// Sums over the residuals, and their quantiles.
struct ResidualPass {
    rss: f64,
    mss: f64,
    quantiles: [f64; 5],
}

impl ResidualPass {
    fn run(
        rows: &mut Weighted<'_>,
        beta: &[Option<f64>],
        intercept: bool,
        mean: f64,
    ) -> Result<Self> {
        let centre = if intercept { mean } else { 0.0 };
        let (mut rss, mut squares, mut shift, mut weight) = (0.0, 0.0, 0.0, 0.0);
        let mut selection = Selection::five();
        let mut residuals = Vec::with_capacity(ROWS);
        let mut first = true;
        loop {
            rows.for_each(|part| {
                part.residuals(beta, intercept, &mut residuals);
                for r in &residuals {
                    selection.push(*r);
                }
                if first {
                    rss += dot(&residuals, &residuals);
                    let (s, m, w) = part.explained(&residuals, centre);
                    (squares, shift, weight) = (squares + s, shift + m, weight + w);
                }
            })?;
            first = false;
            if !selection.end_pass() {
                break;
            }
        }
        if intercept {
            // The mean of the fitted values is that of the costs up to rounding.
            squares -= shift * shift / weight;
        }
        let q = selection.quantiles();
        Ok(Self {
            rss,
            mss: squares,
            quantiles: [q[0], q[1], q[2], q[3], q[4]],
        })
    }
}

impl Part<'_> {
    /// Σ w (f − c)², Σ w (f − c) and Σ w over the fitted values f.
    fn explained(&self, residuals: &[f64], centre: f64) -> (f64, f64, f64) {
        let (mut squares, mut sum, mut weight) = (0.0, 0.0, 0.0);
        for (i, (y, r)) in self.target.iter().zip(residuals).enumerate() {
            let root = self.roots.map_or(1.0, |roots| roots[i]);
            let f = (y - centre) * root - r;
            squares += f * f;
            sum += f * root;
            weight += root * root;
        }
        (squares, sum, weight)
    }
}
