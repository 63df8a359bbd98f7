//! Householder QR with limited column pivoting, as R's `lm` uses it.
//!
//! `dqrdc2` (R, `src/appl/dqrdc2.f`, after LINPACK's `dqrdc`, Dongarra et al. 1979): columns are taken from left to
//! right; one whose remaining norm has fallen below `tolerance` times its original norm is moved to the end. So the
//! columns that R reports as `NA` are exactly the ones beyond [`Qr::rank`]. The test compares a column with itself, so
//! it does not depend on units.
//!
//! Deviation: with many more rows than columns the matrix is first reduced to a triangle ([`crate::reduce`]). Orthogonal
//! transformations change no norm, so the pivoting sees the same numbers up to rounding.

use faer::Mat;

use crate::reduce::{Reduction, block_rows};

/// R's default tolerance in `lm`.
pub const R_TOLERANCE: f64 = 1e-7;

/// The reduction may hold up columns at this share of the tolerance: too little to be taken for independent.
pub const FLOOR: f64 = 1e-3;

/// A decomposition of `[X | y]`, enough for least squares.
#[derive(Clone, Debug)]
pub struct Qr {
    /// Numerical rank of X.
    pub rank: usize,
    /// Original index of the column at each position; the first `rank` are independent.
    pub pivot: Vec<usize>,
    /// Upper triangle, column-major, `rank × rank`.
    upper: Vec<Vec<f64>>,
    /// First `rank` components of Qᵀy.
    effects: Vec<f64>,
    /// Squared length of what is left of y.
    rest: f64,
    /// First `rank` components of Qᵀx for the dependent columns, in the order of `pivot[rank..]`.
    dependent: Vec<Vec<f64>>,
}

impl Qr {
    /// Decomposes the columns and rotates `target` along.
    pub fn new(columns: Vec<Vec<f64>>, target: Vec<f64>, tolerance: f64) -> Self {
        let (rows, p) = (target.len(), columns.len());
        if rows > 2 * block_rows(p + 1) && rows > 4 * (p + 1) {
            return Self::of_triangle(&reduce(&columns, &target, tolerance), tolerance);
        }
        decompose(columns, target, tolerance)
    }

    /// Decomposes a triangle of which y is the last column: as the rows that were reduced to it would be.
    pub fn of_triangle(upper: &Mat<f64>, tolerance: f64) -> Self {
        let column = |j: usize| (0..upper.nrows()).map(|i| upper[(i, j)]).collect();
        let last = upper.ncols() - 1;
        decompose((0..last).map(column).collect(), column(last), tolerance)
    }

    /// Column `j` of the triangle of the independent columns, from the top to the diagonal.
    pub fn upper(&self, j: usize) -> &[f64] {
        &self.upper[j]
    }

    /// First `rank` components of Qᵀy.
    pub fn effects(&self) -> &[f64] {
        &self.effects
    }

    /// Squared length of y less its projection on the columns.
    pub fn rest(&self) -> f64 {
        self.rest
    }

    /// x with RᵀR·x = `right`, both in the order of `pivot`.
    pub fn solve_normal(&self, right: &[f64]) -> Vec<f64> {
        let mut z = right.to_vec();
        for j in 0..self.rank {
            let sum: f64 = self.upper[j]
                .iter()
                .zip(&z)
                .take(j)
                .map(|(r, z)| r * z)
                .sum();
            z[j] = (z[j] - sum) / self.upper[j][j];
        }
        self.back_substitute(&z)
    }

    /// Coefficients of the independent columns, in the order of `pivot`.
    pub fn solve(&self) -> Vec<f64> {
        self.back_substitute(&self.effects)
    }

    /// The coefficients that express dependent column `pivot[rank + i]` by the independent ones.
    pub fn dependence(&self, i: usize) -> Vec<f64> {
        self.back_substitute(&self.dependent[i])
    }

    fn back_substitute(&self, right: &[f64]) -> Vec<f64> {
        let mut x = right.to_vec();
        for j in (0..self.rank).rev() {
            x[j] /= self.upper[j][j];
            let xj = x[j];
            for (xi, r) in x.iter_mut().zip(&self.upper[j]).take(j) {
                *xi -= xj * r;
            }
        }
        x
    }

    /// Diagonal of (RᵀR)⁻¹ for the independent columns, in the order of `pivot`.
    pub fn inverse_diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.rank];
        // Row sums of squares of R⁻¹, column after column.
        for j in 0..self.rank {
            for (d, x) in diagonal.iter_mut().zip(self.inverse_column(j)) {
                *d += x * x;
            }
        }
        diagonal
    }

    /// Column `j` of R⁻¹, from the top to the diagonal.
    pub fn inverse_column(&self, j: usize) -> Vec<f64> {
        let mut x = vec![0.0; j + 1];
        x[j] = 1.0;
        for i in (0..=j).rev() {
            x[i] /= self.upper[i][i];
            let xi = x[i];
            for (xk, r) in x[..i].iter_mut().zip(&self.upper[i]) {
                *xk -= xi * r;
            }
        }
        x
    }

    /// Largest variance inflation of an independent column by the others, about zero; its root is a lower bound of the
    /// scaled condition number.
    pub fn inflation(&self) -> f64 {
        let diagonal = self.inverse_diagonal();
        let length = |j: usize| self.upper[j].iter().map(|r| r * r).sum::<f64>();
        (0..self.rank).fold(1.0, |most, j| (length(j) * diagonal[j]).max(most))
    }

    /// The triangle of the independent columns scaled to unit length.
    fn scaled_upper(&self) -> Mat<f64> {
        Mat::from_fn(self.rank, self.rank, |i, j| {
            let norm = self.upper[j].iter().map(|x| x * x).sum::<f64>().sqrt();
            if i <= j { self.upper[j][i] / norm } else { 0.0 }
        })
    }

    /// Ratio of the largest to the smallest singular value of the independent columns scaled to unit length.
    pub fn condition(&self) -> f64 {
        if self.rank == 0 {
            return 1.0;
        }
        match self.scaled_upper().singular_values() {
            Ok(s) => s[0] / s[s.len() - 1],
            Err(_) => f64::INFINITY,
        }
    }
}

fn reduce(columns: &[Vec<f64>], target: &[f64], tolerance: f64) -> Mat<f64> {
    let (n, width) = (target.len(), columns.len() + 1);
    let chunk = block_rows(width);
    let mut reduction = Reduction::new(width, FLOOR * tolerance);
    let mut block = Mat::zeros(chunk, width);
    for start in (0..n).step_by(chunk) {
        let rows = chunk.min(n - start);
        for j in 0..width {
            let column = columns.get(j).map_or(target, Vec::as_slice);
            for (to, from) in block
                .col_mut(j)
                .iter_mut()
                .zip(&column[start..start + rows])
            {
                *to = *from;
            }
        }
        reduction.push(block.as_ref().subrows(0, rows));
    }
    reduction.finish()
}

fn norm(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    if (1e-140..1e140).contains(&largest) {
        return x.iter().map(|v| v * v).sum::<f64>().sqrt();
    }
    largest * x.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt()
}

fn reflect(head: &[f64], column: &mut [f64]) {
    let dot: f64 = head.iter().zip(column.iter()).map(|(a, b)| a * b).sum();
    let t = -dot / head[0];
    for (c, h) in column.iter_mut().zip(head) {
        *c += t * h;
    }
}

fn decompose(mut x: Vec<Vec<f64>>, mut y: Vec<f64>, tolerance: f64) -> Qr {
    let (n, p) = (y.len(), x.len());
    let mut remaining: Vec<f64> = x.iter().map(|c| norm(c)).collect();
    let mut original: Vec<f64> = remaining
        .iter()
        .map(|&r| if r == 0.0 { 1.0 } else { r })
        .collect();
    let mut pivot: Vec<usize> = (0..p).collect();
    let mut usable = p;
    for l in 0..n.min(p) {
        while l < usable && remaining[l] < original[l] * tolerance {
            x[l..].rotate_left(1);
            remaining[l..].rotate_left(1);
            original[l..].rotate_left(1);
            pivot[l..].rotate_left(1);
            usable -= 1;
        }
        if l >= usable {
            break;
        }
        if l + 1 == n {
            continue;
        }
        let (done, rest) = x.split_at_mut(l + 1);
        let head = &mut done[l][l..];
        let mut length = norm(head);
        if length == 0.0 {
            continue;
        }
        if head[0] != 0.0 {
            length = length.copysign(head[0]);
        }
        for h in head.iter_mut() {
            *h /= length;
        }
        head[0] += 1.0;
        for (j, column) in rest.iter_mut().enumerate() {
            reflect(head, &mut column[l..]);
            let left = &mut remaining[l + 1 + j];
            if *left != 0.0 {
                let t = (1.0 - (column[l] / *left).powi(2)).max(0.0);
                *left = if t < 1e-6 {
                    norm(&column[l + 1..])
                } else {
                    *left * t.sqrt()
                };
            }
        }
        reflect(head, &mut y[l..]);
        done[l][l] = -length;
    }
    let rank = usable.min(n);
    let upper = x
        .iter()
        .take(rank)
        .enumerate()
        .map(|(j, c)| c[..=j].to_vec())
        .collect();
    let dependent = x[rank..].iter().map(|c| c[..rank].to_vec()).collect();
    Qr {
        rank,
        pivot,
        upper,
        effects: y[..rank].to_vec(),
        rest: y[rank..].iter().map(|v| v * v).sum(),
        dependent,
    }
}
