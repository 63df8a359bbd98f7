//! Householder QR with limited column pivoting, as R's `lm` uses it.
//!
//! `dqrdc2` (R, `src/appl/dqrdc2.f`, after LINPACK's `dqrdc`, Dongarra et al. 1979): columns are taken from left to
//! right; one whose remaining norm has fallen below `tolerance` times its original norm is moved to the end. So the
//! columns that R reports as `NA` are exactly the ones beyond [`Qr::rank`]. The test compares a column with itself, so
//! it does not depend on units.
//!
//! Deviation: with many more rows than columns the matrix is first reduced by blocked QR (Householder, by faer) in
//! chunks of rows. Orthogonal transformations change no norm, so the pivoting sees the same numbers up to rounding.

use faer::Mat;

/// R's default tolerance in `lm`.
pub const R_TOLERANCE: f64 = 1e-7;

/// Rows of one chunk of the blocked reduction.
const CHUNK: usize = 1024;

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
    /// First `rank` components of Qᵀx for the dependent columns, in the order of `pivot[rank..]`.
    dependent: Vec<Vec<f64>>,
}

impl Qr {
    /// Decomposes the columns and rotates `target` along.
    pub fn new(columns: Vec<Vec<f64>>, target: Vec<f64>, tolerance: f64) -> Self {
        let (mut columns, mut target) = (columns, target);
        let (rows, p) = (target.len(), columns.len());
        if rows > 2 * CHUNK && rows > 4 * (p + 1) {
            (columns, target) = reduce(&columns, &target);
        }
        decompose(columns, target, tolerance)
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
        let k = self.rank;
        let mut diagonal = vec![0.0; k];
        // Column j of R⁻¹ by back substitution; row sums of squares are the diagonal.
        for j in 0..k {
            let mut x = vec![0.0; j + 1];
            x[j] = 1.0 / self.upper[j][j];
            for i in (0..j).rev() {
                let sum: f64 = (i + 1..=j).map(|m| self.upper[m][i] * x[m]).sum();
                x[i] = -sum / self.upper[i][i];
            }
            for (d, xi) in diagonal.iter_mut().zip(&x) {
                *d += xi * xi;
            }
        }
        diagonal
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

fn reduce(columns: &[Vec<f64>], target: &[f64]) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (n, width) = (target.len(), columns.len() + 1);
    let chunk = CHUNK.max(2 * width);
    let mut top: Mat<f64> = Mat::zeros(0, width);
    let mut start = 0;
    while start < n {
        let end = (start + chunk).min(n);
        let kept = top.nrows();
        let value = |row: usize, j: usize| columns.get(j).map_or(target[row], |c| c[row]);
        let stacked = Mat::from_fn(kept + end - start, width, |i, j| {
            if i < kept {
                top[(i, j)]
            } else {
                value(start + i - kept, j)
            }
        });
        top = stacked.qr().thin_R().to_owned();
        start = end;
    }
    let column = |j: usize| {
        (0..top.nrows())
            .map(|i| if i <= j { top[(i, j)] } else { 0.0 })
            .collect::<Vec<f64>>()
    };
    ((0..width - 1).map(column).collect(), column(width - 1))
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
        dependent,
    }
}
