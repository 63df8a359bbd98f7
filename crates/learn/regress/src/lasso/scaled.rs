//! The problem in units where every centred, weighted column and the target have length one.
//!
//! With W = Σ wᵢ, z_j = √(w/W)·(x_j − m_j)/ℓ_j and t = √(w/W)·(y − ȳ)/ℓ_y, the objective of [`crate::lasso`] divided by
//! ℓ_y² is ½‖t − Zθ‖² + μ Σ u_j |θ_j| with β_j = θ_j ℓ_y/ℓ_j, μ = λ/ℓ_y and u_j = v_j s_j/ℓ_j. So the scale s_j that a
//! user chooses is nothing but a penalty weight, and the numerics are the same for every choice.
//!
//! Columns are read in blocks and never copied as a whole; a block is standardised into scratch memory and multiplied
//! there. Constant columns and exact copies are left out here.

#![expect(
    clippy::inline_always,
    reason = "loops are compiled for wider vectors only where they are inlined into the dispatching function"
)]

use std::collections::BTreeMap;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use serde::{Deserialize, Serialize};

use super::Standardisation;
use crate::columns::Columns;
use crate::wide::{inner, inner_about, range, wide};

/// Columns standardised at a time.
const BLOCK: usize = 64;

/// A column that takes no part in a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Index of the column.
    pub column: usize,
    /// Why.
    pub reason: Reason,
}

/// Why a column takes no part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The same value in every row that counts (without intercept: zero in every such row).
    Constant,
    /// Equal to this column in every row that counts.
    CopyOf(usize),
}

/// What the scaling needs to know besides the columns.
pub(crate) struct Conventions<'a> {
    pub intercept: bool,
    pub standardisation: Standardisation,
    /// v_j; empty for all 1.
    pub penalties: &'a [f64],
    pub keep_copies: bool,
}

/// Location and size of one column.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    pub centre: f64,
    /// ℓ of the header.
    pub length: f64,
    /// s of the header.
    pub scale: f64,
    pub correlation: f64,
    pub constant: bool,
}

/// The scaled problem; indices are positions among the kept columns.
pub(crate) struct Scaled<'a> {
    pub source: &'a dyn Columns,
    /// Original index of each kept column.
    pub kept: Vec<usize>,
    pub shapes: Vec<Shape>,
    /// u of the header.
    pub penalty: Vec<f64>,
    pub dropped: Vec<Dropped>,
    /// √(w/W).
    pub roots: Vec<f64>,
    pub target: Vec<f64>,
    pub target_mean: f64,
    /// ℓ_y; 0 when nothing is left to explain.
    pub target_length: f64,
}

impl<'a> Scaled<'a> {
    pub(crate) fn new(
        source: &'a dyn Columns,
        target: &[f64],
        weights: &[f64],
        conventions: &Conventions,
    ) -> Self {
        let total: f64 = weights.iter().sum();
        let roots: Vec<f64> = weights.iter().map(|w| (w / total).sqrt()).collect();
        let shares: Vec<f64> = roots.iter().map(|r| r * r).collect();
        let target_mean = if conventions.intercept {
            centre(target, &shares)
        } else {
            0.0
        };
        let mut scaled_target: Vec<f64> = target
            .iter()
            .zip(&roots)
            .map(|(y, r)| (y - target_mean) * r)
            .collect();
        let mut target_length = length(&scaled_target);
        let largest = target
            .iter()
            .zip(&roots)
            .fold(0.0_f64, |m, (y, r)| m.max((y * r).abs()));
        if target_length <= 1e-14 * largest {
            target_length = 0.0; // a constant target: what is left is rounding
            scaled_target.fill(0.0);
        } else {
            for t in &mut scaled_target {
                *t /= target_length;
            }
        }
        let mut problem = Self {
            source,
            kept: Vec::new(),
            shapes: Vec::new(),
            penalty: Vec::new(),
            dropped: Vec::new(),
            roots,
            target: scaled_target,
            target_mean,
            target_length,
        };
        problem.measure(&shares, conventions);
        problem
    }

    /// Location, length and correlation of every column; decides which are kept.
    fn measure(&mut self, shares: &[f64], conventions: &Conventions) {
        let rows = self.source.rows();
        let (mut scratch, mut weighted) = (vec![0.0; rows], vec![0.0; rows]);
        let mut seen: BTreeMap<[u64; 3], Vec<usize>> = BTreeMap::new();
        for j in 0..self.source.count() {
            let values = self.source.view(j, &mut scratch);
            let counts = (self.roots.as_slice(), shares);
            let shape = wide(
                #[inline(always)]
                || shape(values, counts, &self.target, conventions, &mut weighted),
            );
            if shape.constant {
                let reason = Reason::Constant;
                self.dropped.push(Dropped { column: j, reason });
                continue;
            }
            let key = [shape.centre, shape.length, shape.correlation].map(f64::to_bits);
            let twins = seen.entry(key).or_default();
            let v = conventions.penalties.get(j).copied().unwrap_or(1.0);
            let twin = twins.iter().copied().find(|&i| {
                conventions.penalties.get(i).copied().unwrap_or(1.0) <= v && self.equal(i, j)
            });
            if let Some(first) = twin.filter(|_| !conventions.keep_copies) {
                let reason = Reason::CopyOf(first);
                self.dropped.push(Dropped { column: j, reason });
                continue;
            }
            twins.push(j);
            self.kept.push(j);
            self.shapes.push(shape);
            self.penalty.push(v * shape.scale / shape.length);
        }
    }

    /// Whether two columns agree in every row that counts.
    fn equal(&self, i: usize, j: usize) -> bool {
        let rows = self.source.rows();
        let (mut a, mut b) = (vec![0.0; rows], vec![0.0; rows]);
        let a = self.source.view(i, &mut a);
        let b = self.source.view(j, &mut b);
        (0..rows).all(|r| self.roots[r] == 0.0 || a[r] == b[r])
    }

    pub(crate) fn rows(&self) -> usize {
        self.roots.len()
    }

    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// c_j = z_jᵀt.
    pub(crate) fn correlations(&self) -> Vec<f64> {
        self.shapes.iter().map(|s| s.correlation).collect()
    }

    /// Writes standardised columns side by side.
    pub(crate) fn pack(&self, columns: &[usize], mut out: MatMut<'_, f64>) {
        let mut scratch = vec![0.0; self.rows()];
        for (at, &j) in columns.iter().enumerate() {
            let values = self.source.view(self.kept[j], &mut scratch);
            let Shape { centre, length, .. } = self.shapes[j];
            let factor = 1.0 / length;
            let column = out.as_mut().col_mut(at);
            if let Some(column) = column.try_as_col_major_mut() {
                let slice = column.as_slice_mut();
                wide(
                    #[inline(always)]
                    || {
                        for ((o, v), r) in slice.iter_mut().zip(values).zip(&self.roots) {
                            *o = (v - centre) * (r * factor);
                        }
                    },
                );
            }
        }
    }

    /// Standardised columns as a matrix.
    pub(crate) fn matrix(&self, columns: &[usize]) -> Mat<f64> {
        let mut out = Mat::zeros(self.rows(), columns.len());
        self.pack(columns, out.as_mut());
        out
    }

    /// Zᵀ R for all kept columns.
    pub(crate) fn scores(&self, right: MatRef<'_, f64>) -> Mat<f64> {
        let all: Vec<usize> = (0..self.len()).collect();
        self.scores_of(&all, right)
    }

    /// Zᵀ R for some columns, a row for each.
    pub(crate) fn scores_of(&self, columns: &[usize], right: MatRef<'_, f64>) -> Mat<f64> {
        let (p, width) = (columns.len(), right.ncols());
        let mut out = Mat::zeros(p, width);
        let mut block: Mat<f64> = Mat::zeros(self.rows(), BLOCK.min(p));
        let mut waiting: Vec<usize> = Vec::with_capacity(BLOCK);
        let sums: Vec<f64> = (0..width)
            .map(|b| {
                (0..self.rows())
                    .map(|i| right[(i, b)] * self.roots[i])
                    .sum()
            })
            .collect();
        let rows_first = right.transpose().to_owned();
        for (at, &j) in columns.iter().enumerate() {
            match self.source.entries(self.kept[j]) {
                Some(entries) if entries.len() * 4 < self.rows() => {
                    let found = self.sparse_scores(j, entries, &rows_first, &sums);
                    for (b, score) in found.into_iter().enumerate() {
                        out[(at, b)] = score;
                    }
                }
                _ => waiting.push(at),
            }
            if waiting.len() == BLOCK || (at + 1 == p && !waiting.is_empty()) {
                let m = waiting.len();
                let packed: Vec<usize> = waiting.iter().map(|&at| columns[at]).collect();
                self.pack(&packed, block.as_mut().subcols_mut(0, m));
                let mut part = Mat::zeros(m, width);
                let left = block.as_ref().subcols(0, m).transpose();
                matmul(part.as_mut(), Accum::Replace, left, right, 1.0, Par::Seq);
                for (at, &k) in waiting.iter().enumerate() {
                    for b in 0..width {
                        out[(k, b)] = part[(at, b)];
                    }
                }
                waiting.clear();
            }
        }
        out
    }

    /// The same for one sparse column; `rows_first` holds Rᵀ, so that a row of R is contiguous.
    fn sparse_scores(
        &self,
        j: usize,
        entries: &[(u32, f64)],
        rows_first: &Mat<f64>,
        sums: &[f64],
    ) -> Vec<f64> {
        let Shape { centre, length, .. } = self.shapes[j];
        let mut out: Vec<f64> = sums.iter().map(|s| -centre * s).collect();
        for &(row, value) in entries {
            let factor = value * self.roots[row as usize];
            let residuals = rows_first.col_as_slice(row as usize);
            for (o, r) in out.iter_mut().zip(residuals) {
                *o += factor * r;
            }
        }
        for o in &mut out {
            *o /= length;
        }
        out
    }
}

/// Σ share · value, corrected once for rounding.
#[inline(always)]
fn centre(values: &[f64], shares: &[f64]) -> f64 {
    let mean = inner(values, shares);
    mean + inner_about(values, mean, shares)
}

/// Euclidean length, also of numbers whose squares overflow or vanish.
#[inline(always)]
fn length(v: &[f64]) -> f64 {
    let plain = inner(v, v).sqrt();
    if (1e-140..1e140).contains(&plain) {
        return plain;
    }
    let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    let sum: f64 = v.iter().map(|x| (x / largest).powi(2)).sum();
    largest * sum.sqrt()
}

/// What is to be known of a column, within a wide loop.
#[inline(always)]
fn shape(
    values: &[f64],
    (roots, shares): (&[f64], &[f64]),
    target: &[f64],
    conventions: &Conventions,
    weighted: &mut [f64],
) -> Shape {
    let (low, high) = range(values, roots);
    let constant = if conventions.intercept {
        low == high
    } else {
        low == 0.0 && high == 0.0
    };
    if constant {
        return Shape {
            constant,
            ..Shape::default()
        };
    }
    let needs_mean =
        conventions.intercept || conventions.standardisation == Standardisation::Deviation;
    let mean = if needs_mean {
        centre(values, shares)
    } else {
        0.0
    };
    let location = if conventions.intercept { mean } else { 0.0 };
    for ((o, v), r) in weighted.iter_mut().zip(values).zip(roots) {
        *o = (v - location) * r;
    }
    let size = length(weighted);
    let scale = match conventions.standardisation {
        Standardisation::None => 1.0,
        Standardisation::Maximum => high.abs().max(low.abs()),
        Standardisation::Range => high - low,
        Standardisation::Deviation if conventions.intercept => size,
        Standardisation::Deviation => {
            for ((o, v), r) in weighted.iter_mut().zip(values).zip(roots) {
                *o = (v - mean) * r;
            }
            let deviation = length(weighted);
            for ((o, v), r) in weighted.iter_mut().zip(values).zip(roots) {
                *o = v * r;
            }
            deviation
        }
    };
    Shape {
        centre: location,
        length: size,
        scale: if scale > 0.0 {
            scale
        } else {
            high.abs().max(low.abs())
        },
        correlation: inner(weighted, target) / size,
        constant,
    }
}
