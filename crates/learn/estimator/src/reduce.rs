//! Many rows reduced to a triangle, block by block, in memory that does not grow with the rows.
//!
//! The triangle R of the rows A seen so far satisfies `RᵀR = AᵀA`. A block B is taken up by the rule that makes Cholesky
//! QR stable (Yamamoto, Nakatsukasa, Yanagisawa & Fukaya 2015, *Roundoff error analysis of the `CholeskyQR2` algorithm*):
//! precondition first. With C = B·R⁻¹ the rows \[R; B\] equal \[I; C\]·R, whose Gram matrix `I + CᵀC` has no eigenvalue
//! below 1; its Cholesky factor Lᵀ gives the new triangle Lᵀ·R. All work is in matrix products, at twice the operations
//! of a Gram matrix and several times the speed of reflections.
//!
//! Rounding errors are relative to the length of each column times 1 + ‖C‖². Where a block is unlike the rows before it
//! (‖C‖² above `GROWTH`), and for the first rows, the rows are stacked and reduced by blocked Householder QR instead.
//!
//! Limit: a column that is new by less than a `floor`th of its length is held up at that share, so that dependent columns
//! do not force reflections. It must lie well below the tolerance at which the triangle will be judged.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};

/// Largest diagonal entry of `I + CᵀC` for which a block is taken up without reflections.
const GROWTH: f64 = 64.0;
/// Width at which the triangular solve stops splitting.
const NARROW: usize = 8;
/// Least number of rows worth one block.
const ROWS: usize = 1024;

/// Rows per block that suit `width` columns.
pub fn block_rows(width: usize) -> usize {
    ROWS.max(2 * width)
}

/// A triangle R with `RᵀR = AᵀA` for all rows A pushed so far.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// `width × width` once there are as many rows; before, all rows as they are.
    upper: Mat<f64>,
    /// `B·R⁻¹`, kept for its memory.
    solved: Mat<f64>,
    width: usize,
    floor: f64,
    /// Blocks that had to be reflected.
    reflected: usize,
}

impl Reduction {
    /// For rows of `width` numbers; `floor` is described above, 0 asks for reflections throughout.
    pub fn new(width: usize, floor: f64) -> Self {
        Self {
            upper: Mat::zeros(0, width),
            solved: Mat::zeros(0, width),
            width,
            floor,
            reflected: 0,
        }
    }

    /// Takes up the rows of a block.
    ///
    /// # Panics
    /// If the block has another width.
    pub fn push(&mut self, block: MatRef<'_, f64>) {
        assert_eq!(block.ncols(), self.width, "a block of another width");
        if self.upper.nrows() < self.width || self.floor <= 0.0 || !self.update(block) {
            self.reflect(block);
        }
    }

    /// How many blocks were reflected rather than multiplied.
    pub fn reflected(&self) -> usize {
        self.reflected
    }

    /// The triangle, `min(rows, width) × width`.
    pub fn finish(self) -> Mat<f64> {
        if self.upper.nrows() <= self.width {
            return self.upper;
        }
        self.upper.qr().thin_R().to_owned()
    }

    fn reflect(&mut self, block: MatRef<'_, f64>) {
        let (kept, rows) = (self.upper.nrows(), block.nrows());
        let mut stacked = Mat::zeros(kept + rows, self.width);
        stacked
            .as_mut()
            .submatrix_mut(0, 0, kept, self.width)
            .copy_from(&self.upper);
        stacked
            .as_mut()
            .submatrix_mut(kept, 0, rows, self.width)
            .copy_from(block);
        self.reflected += 1;
        self.upper = if kept + rows > self.width {
            stacked.qr().thin_R().to_owned()
        } else {
            stacked
        };
        // The part below the diagonal of a block too short to be reduced is data, otherwise it is zero already.
    }

    /// Multiplies a block in; false, and nothing changed, if that would cost digits.
    fn update(&mut self, block: MatRef<'_, f64>) -> bool {
        let p = self.width;
        let mut upper = self.upper.clone();
        let mut empty = Vec::new();
        for j in 0..p {
            let length = upper.col(j).norm_l2();
            if length == 0.0 {
                empty.push(j);
                upper[(j, j)] = 1.0;
            } else if upper[(j, j)].abs() < self.floor * length {
                upper[(j, j)] = self.floor * length;
            }
        }
        if self.solved.nrows() != block.nrows() {
            self.solved = Mat::zeros(block.nrows(), p);
        }
        self.solved.copy_from(block);
        solve_right(self.solved.as_mut(), upper.as_ref());
        let mut gram: Mat<f64> = Mat::identity(p, p);
        triangular::matmul(
            gram.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            self.solved.transpose(),
            BlockStructure::Rectangular,
            self.solved.as_ref(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        let grown = (0..p).any(|j| gram[(j, j)].is_nan() || gram[(j, j)] > GROWTH);
        if grown || empty.iter().any(|&j| gram[(j, j)] != 1.0) {
            return false;
        }
        let Ok(factor) = gram.llt(Side::Lower) else {
            return false;
        };
        triangular::matmul(
            self.upper.as_mut(),
            BlockStructure::TriangularUpper,
            Accum::Replace,
            factor.L().transpose(),
            BlockStructure::TriangularUpper,
            upper.as_ref(),
            BlockStructure::TriangularUpper,
            1.0,
            Par::Seq,
        );
        for j in empty {
            self.upper[(j, j)] = 0.0;
        }
        true
    }
}

/// `block ← block · upper⁻¹`, by halves: all but the narrowest parts are products.
fn solve_right(block: MatMut<'_, f64>, upper: MatRef<'_, f64>) {
    let width = upper.ncols();
    if width <= NARROW {
        return solve_narrow(block, upper);
    }
    let half = width / 2;
    let (mut left, mut right) = block.split_at_col_mut(half);
    solve_right(left.as_mut(), upper.submatrix(0, 0, half, half));
    let corner = upper.submatrix(0, half, half, width - half);
    matmul(
        right.as_mut(),
        Accum::Add,
        left.as_ref(),
        corner,
        -1.0,
        Par::Seq,
    );
    let rest = upper.submatrix(half, half, width - half, width - half);
    solve_right(right, rest);
}

fn solve_narrow(mut block: MatMut<'_, f64>, upper: MatRef<'_, f64>) {
    for j in 0..upper.ncols() {
        let (left, mut right) = block.as_mut().split_at_col_mut(j);
        let Some(target) = right.as_mut().col_mut(0).try_as_col_major_mut() else {
            unreachable!("blocks are column-major");
        };
        let target = target.as_slice_mut();
        for i in 0..j {
            let factor = upper[(i, j)];
            if let Some(source) = left.as_ref().col(i).try_as_col_major() {
                for (t, s) in target.iter_mut().zip(source.as_slice()) {
                    *t -= factor * s;
                }
            }
        }
        let inverse = 1.0 / upper[(j, j)];
        for t in target {
            *t *= inverse;
        }
    }
}
