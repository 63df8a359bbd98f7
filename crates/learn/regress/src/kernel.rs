//! The hierarchical problem in the space of observations: weighted columns, their scales, and the covariances of the
//! observations through departures of blocks and parts. Where observations are many and columns few, an orthogonal
//! transformation leaves as many rows as columns ([`Problem::compressed`]).

use std::cell::OnceCell;
use std::ops::Deref;

use faer::linalg::solvers::Llt;
use faer::{Mat, MatRef, Side};
use pricetag_estimator::{Design, EstimatorError};

use crate::bounded::gram_of;
use crate::hierarchy::{Hierarchy, Role};
use crate::nnls::nnls;
use crate::shrinkage::Shrinkage;
use crate::wide::add;

/// Least expected share of a kind in the total cost, so that no kind's scale is zero.
const LEAST_SHARE: f64 = 0.05;
/// The levels above the blocks, weighted and scaled.
pub(crate) struct Upper<'a> {
    pub hierarchy: &'a Hierarchy,
    /// Observations; there are fewer rows where they were compressed.
    pub observations: usize,
    /// √w·y.
    pub z: Vec<f64>,
    /// Indices of the composed and the free columns of the design.
    pub composed: Vec<usize>,
    pub free: Vec<usize>,
    /// √w · N H · diag(t) and the scales t.
    pub parts: Mat<f64>,
    pub part_scale: Vec<f64>,
    /// √w · [N H per kind | F]: columns without shrinkage.
    pub top: Mat<f64>,
}

impl<'a> Upper<'a> {
    pub fn new(hierarchy: &'a Hierarchy, design: &Design) -> Self {
        Self::of(hierarchy, design, &design.weights, |_, _| ())
    }

    /// Under some weights; `keep` is shown the weighted composed columns by their number.
    fn of(
        hierarchy: &'a Hierarchy,
        design: &Design,
        weights: &[f64],
        mut keep: impl FnMut(usize, &[f64]),
    ) -> Self {
        let n = design.rows();
        let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
        let z: Vec<f64> = design
            .target
            .iter()
            .zip(&roots)
            .map(|(y, r)| y * r)
            .collect();
        let is_free = |j: &usize| matches!(hierarchy.roles[*j], Role::Free);
        let (free, composed): (Vec<usize>, Vec<usize>) =
            (0..design.columns.len()).partition(is_free);
        let mut parts = Mat::<f64>::zeros(n, hierarchy.part_kinds.len());
        let mut top = Mat::<f64>::zeros(n, hierarchy.kinds.len() + free.len());
        let mut column = vec![0.0; n];
        for (k, &j) in composed.iter().enumerate() {
            column.fill(0.0);
            for (i, value) in design.columns[j].values.entries() {
                column[i] = value * roots[i];
            }
            if let Role::Composed(list) = &hierarchy.roles[j] {
                for &(part, amount) in list {
                    add(parts.col_as_slice_mut(part), amount, &column);
                }
            }
            keep(k, &column);
        }
        for (part, &kind) in hierarchy.part_kinds.iter().enumerate() {
            add(top.col_as_slice_mut(kind), 1.0, parts.col_as_slice(part));
        }
        for (k, &j) in free.iter().enumerate() {
            for (i, value) in design.columns[j].values.entries() {
                top[(i, hierarchy.kinds.len() + k)] = value * roots[i];
            }
        }
        let kind_scale = kind_scales(&top, &z, hierarchy.kinds.len());
        let kinds = hierarchy.part_kinds.iter();
        let part_scale: Vec<f64> = kinds.map(|&k| kind_scale[k]).collect();
        scale(&mut parts, &part_scale);
        Self {
            hierarchy,
            observations: n,
            z,
            composed,
            free,
            parts,
            part_scale,
            top,
        }
    }
}

/// The weighted, scaled problem: the upper levels and the blocks.
pub(crate) struct Problem<'a> {
    upper: Upper<'a>,
    /// √w · N · diag(s) and the scales s.
    pub blocks: Mat<f64>,
    pub block_scale: Vec<f64>,
    kernels: OnceCell<Kernels>,
}

impl<'a> Deref for Problem<'a> {
    type Target = Upper<'a>;

    fn deref(&self) -> &Upper<'a> {
        &self.upper
    }
}

impl<'a> Problem<'a> {
    pub fn new(hierarchy: &'a Hierarchy, design: &Design) -> Self {
        Self::weighted(hierarchy, design, &design.weights)
    }

    /// Under other weights than the design's.
    pub fn weighted(hierarchy: &'a Hierarchy, design: &Design, weights: &[f64]) -> Self {
        let composed = hierarchy.roles.iter();
        let composed = composed.filter(|role| !matches!(role, Role::Free)).count();
        let mut blocks = Mat::<f64>::zeros(design.rows(), composed);
        let upper = Upper::of(hierarchy, design, weights, |k, column| {
            blocks.col_as_slice_mut(k).copy_from_slice(column);
        });
        let composed = upper.composed.iter();
        let block_scale: Vec<f64> = composed
            .map(|&j| composition(&hierarchy.roles[j], &upper.part_scale))
            .collect();
        scale(&mut blocks, &block_scale);
        Self {
            upper,
            blocks,
            block_scale,
            kernels: OnceCell::new(),
        }
    }

    /// The same problem in no more rows than it has columns, where it has more than twice as many: with A = QR of all columns and z,
    /// least squares in R's columns is least squares in A's (Golub & Van Loan, 4th ed., §5.3), penalties and bounds included. Rows are no
    /// observations any more.
    pub fn compressed(self) -> Self {
        let Upper { parts, top, z, .. } = &self.upper;
        let target = column(z);
        let all = [
            self.blocks.as_ref(),
            parts.as_ref(),
            top.as_ref(),
            target.as_ref(),
        ];
        let width: usize = all.iter().map(MatRef::ncols).sum();
        if z.len() <= 2 * width {
            return self;
        }
        let mut stacked = Mat::<f64>::zeros(z.len(), width);
        let mut before = 0;
        for m in all {
            stacked.as_mut().subcols_mut(before, m.ncols()).copy_from(m);
            before += m.ncols();
        }
        let r = stacked.qr().thin_R().to_owned();
        let mut before = 0;
        let [blocks, parts, top, target] = all.map(|m| {
            before += m.ncols();
            r.subcols(before - m.ncols(), m.ncols()).to_owned()
        });
        Self {
            upper: Upper {
                z: target.col_as_slice(0).to_vec(),
                parts,
                top,
                ..self.upper
            },
            blocks,
            block_scale: self.block_scale,
            kernels: OnceCell::new(),
        }
    }

    /// Covariances of the observations through departures, worked out when first asked for.
    pub fn kernels(&self) -> &Kernels {
        self.kernels
            .get_or_init(|| Kernels::of(&self.blocks, &self.parts))
    }
}

/// Multiplies each column by its factor.
fn scale(columns: &mut Mat<f64>, factors: &[f64]) {
    for (k, factor) in factors.iter().enumerate() {
        for value in columns.col_as_slice_mut(k) {
            *value *= factor;
        }
    }
}

pub(crate) fn composition(role: &Role, part_prices: &[f64]) -> f64 {
    match role {
        Role::Free => 0.0,
        Role::Composed(parts) => parts
            .iter()
            .map(|(part, amount)| amount * part_prices[*part])
            .sum(),
    }
}

/// What one unit of each kind costs if kinds were all there is, but never less than a small share of the total.
pub(crate) fn kind_scales(top: &Mat<f64>, z: &[f64], kinds: usize) -> Vec<f64> {
    let start = nnls(top, z);
    let total: f64 = z.iter().map(|v| v.abs()).sum();
    (0..kinds)
        .map(|k| {
            let units: f64 = top.col_as_slice(k).iter().sum();
            let least = if units > 0.0 {
                LEAST_SHARE * total / units
            } else {
                0.0
            };
            start.x[k].max(least)
        })
        .collect()
}

/// K₁, K₂: covariances of the observations through departures of blocks and parts, for λ = 1.
pub(crate) struct Kernels {
    pub blocks: Mat<f64>,
    pub parts: Mat<f64>,
}

impl Kernels {
    pub fn of(blocks: &Mat<f64>, parts: &Mat<f64>) -> Self {
        let all = |m: &Mat<f64>| (0..m.ncols()).collect::<Vec<_>>();
        Self {
            blocks: gram_of(blocks, &all(blocks), 1.0),
            parts: gram_of(parts, &all(parts), 1.0),
        }
    }

    /// I + K₁/λ₁ + K₂/λ₂ (the last term only when asked for).
    pub fn covariance(&self, s: &Shrinkage, with_parts: bool) -> Mat<f64> {
        let n = self.blocks.nrows();
        Mat::from_fn(n, n, |i, j| {
            let parts = if with_parts {
                self.parts[(i, j)] / s.parts
            } else {
                0.0
            };
            f64::from(u8::from(i == j)) + self.blocks[(i, j)] / s.blocks + parts
        })
    }
}

pub(crate) fn factor(m: &Mat<f64>) -> Result<Llt<f64>, EstimatorError> {
    m.llt(Side::Lower).map_err(|_| EstimatorError::Numerical {
        method: "hier",
        reason: "the covariance of the observations is not positive definite".into(),
    })
}

pub(crate) fn column(v: &[f64]) -> Mat<f64> {
    Mat::from_fn(v.len(), 1, |i, _| v[i])
}

/// L⁻¹ · m.
pub(crate) fn whiten(llt: &Llt<f64>, m: &Mat<f64>) -> Mat<f64> {
    let mut out = m.clone();
    faer::linalg::triangular_solve::solve_lower_triangular_in_place(
        llt.L(),
        out.as_mut(),
        faer::Par::Seq,
    );
    out
}

/// τ and γ by generalised non-negative least squares; their covariance-weighted residual follows from it.
pub(crate) fn solve_top(llt: &Llt<f64>, top: &Mat<f64>, z: &[f64]) -> Vec<f64> {
    let white = whiten(llt, &column(z));
    nnls(&whiten(llt, top), white.col_as_slice(0)).x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint;
    use pricetag_estimator::{Column, Values, relative_weights};

    /// 60 rows of three blocks of two parts and a base price, one block without a price of its own.
    fn design() -> (Hierarchy, Design) {
        let cell = |i: usize, j: usize| ((i * (5 * j + 3) + (i / 7) * (j + 2)) % 23) as f64;
        let mut columns: Vec<Column> = (0..3)
            .map(|j| Column {
                name: format!("b{j}"),
                values: Values::Dense((0..60).map(|i| cell(i, j)).collect()),
            })
            .collect();
        columns.push(Column {
            name: "base".into(),
            values: Values::Dense(vec![1.0; 60]),
        });
        let cost = |i: usize| 9.0 + 3.0 * cell(i, 0) + 7.0 * cell(i, 1) + ((i * 31) % 11) as f64;
        let mut design = Design::new(columns, (0..60).map(cost).collect());
        design.weights = relative_weights(&design.target);
        let mut hierarchy = Hierarchy::flat(4);
        hierarchy.roles = vec![
            Role::Composed(vec![(0, 1.0), (1, 2.0)]),
            Role::Composed(vec![(0, 1.0), (1, 5.0)]),
            Role::Composed(vec![(0, 1.0)]),
            Role::Free,
        ];
        hierarchy.part_kinds = vec![0, 1];
        hierarchy.kinds = vec!["executed".into(), "opcode".into()];
        (hierarchy, design)
    }

    #[test]
    fn fewer_rows_have_the_same_solution() {
        let (hierarchy, design) = design();
        for blocks in [1e-4, 1e-1, 10.0] {
            let strengths = Shrinkage {
                blocks,
                parts: 0.3,
                error: f64::NAN,
            };
            let full = Problem::new(&hierarchy, &design);
            let fewer = Problem::new(&hierarchy, &design).compressed();
            assert!(fewer.z.len() < 12 && fewer.observations == 60);
            let full = joint::solve(&full, &strengths).unwrap();
            let fewer = joint::solve(&fewer, &strengths).unwrap();
            let levels = |l: &joint::Levels| [&l.blocks[..], &l.parts, &l.kinds, &l.free].concat();
            for (a, b) in levels(&full).iter().zip(levels(&fewer)) {
                assert!((a - b).abs() <= 1e-8 * (1.0 + a.abs()), "{a} {b}");
            }
            assert!((full.objective / fewer.objective - 1.0).abs() < 1e-9);
        }
    }
}
