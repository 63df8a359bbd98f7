//! The triangle of a tall matrix by Householder reflections, block of rows after block of rows.
//!
//! A block that fits the cache is stacked under the triangle so far and both are reduced (Golub & Van Loan, *Matrix
//! Computations*, 4th ed., §5.2 and §5.3.4): backward stable as QR of the whole, for the few columns of a formula's
//! parameters faster than a general one.

use faer::Mat;

/// Rows taken at a time.
const BLOCK: usize = 1024;

/// R of the columns divided by their scales, and the rotated right side.
pub(super) fn triangle(columns: &[&[f64]], scale: &[f64], right: &[f64]) -> (Mat<f64>, Vec<f64>) {
    let p = columns.len();
    let rows = right.len();
    let mut work = vec![vec![0.0; p + rows.min(BLOCK)]; p + 1];
    let mut from = 0;
    while from < rows {
        let to = rows.min(from + BLOCK);
        let height = p + to - from;
        for ((work, column), s) in work.iter_mut().zip(columns).zip(scale) {
            for (w, x) in work[p..height].iter_mut().zip(&column[from..to]) {
                *w = x / s;
            }
        }
        work[p][p..height].copy_from_slice(&right[from..to]);
        reflect(&mut work, height);
        from = to;
    }
    let upper = Mat::from_fn(p, p, |i, k| if i <= k { work[k][i] } else { 0.0 });
    (upper, work[p][..p].to_vec())
}

/// Makes all but the last column upper triangular in their first `height` rows.
fn reflect(work: &mut [Vec<f64>], height: usize) {
    for k in 0..work.len() - 1 {
        let (done, rest) = work.split_at_mut(k + 1);
        let v = &mut done[k][k..height];
        let norm = dot(v, v).sqrt();
        if norm == 0.0 {
            continue;
        }
        let first = v[0];
        v[0] += norm.copysign(first);
        let length = norm * (norm + first.abs());
        for column in rest {
            let column = &mut column[k..height];
            let share = dot(v, column) / length;
            for (c, v) in column.iter_mut().zip(v.iter()) {
                *c -= share * v;
            }
        }
        v[0] = -norm.copysign(first);
        v[1..].fill(0.0);
    }
}

/// Sum of products in eight parts, which leaves less rounding than one running sum and needs not wait for it.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a8, a_rest), (b8, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a8.iter().zip(b8) {
        for ((sum, x), y) in sums.iter_mut().zip(a).zip(b) {
            *sum += x * y;
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_triangle_has_the_gram_matrix_of_the_rows() {
        for rows in [2, 3, BLOCK, 2 * BLOCK + 5] {
            let value = |i: usize, j: usize| ((i * (2 * j + 3) + j) % 17) as f64 - 5.0;
            let columns: Vec<Vec<f64>> = (0..3)
                .map(|j| (0..rows).map(|i| value(i, j)).collect())
                .collect();
            let views: Vec<&[f64]> = columns[..2].iter().map(Vec::as_slice).collect();
            let (upper, rotated) = triangle(&views, &[2.0, 4.0], &columns[2]);
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * (1.0 + b.abs());
            for j in 0..2 {
                for k in 0..3 {
                    let right = |i| if k < 2 { upper[(i, k)] } else { rotated[i] };
                    let found: f64 = (0..2).map(|i| upper[(i, j)] * right(i)).sum();
                    let scale = [2.0, 4.0, 1.0];
                    let exact = dot(&columns[j], &columns[k]) / scale[j] / scale[k];
                    assert!(near(found, exact), "{rows} rows, {j} {k}: {found} {exact}");
                }
            }
        }
    }
}
