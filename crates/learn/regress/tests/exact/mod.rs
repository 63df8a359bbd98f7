//! Least squares in whole numbers, for problems small enough.

/// Determinant by fraction-free elimination (Bareiss 1968), exact.
fn determinant(mut m: Vec<Vec<i128>>) -> i128 {
    let n = m.len();
    let (mut sign, mut previous) = (1, 1);
    for k in 0..n {
        let Some(pivot) = (k..n).find(|&i| m[i][k] != 0) else {
            return 0;
        };
        if pivot != k {
            m.swap(pivot, k);
            sign = -sign;
        }
        for i in k + 1..n {
            for j in k + 1..n {
                m[i][j] = (m[i][j] * m[k][k] - m[i][k] * m[k][j]) / previous;
            }
        }
        previous = m[k][k];
    }
    if n == 0 { 1 } else { sign * m[n - 1][n - 1] }
}

/// Exact coefficients of the normal equations by Cramer's rule, as numerators over one denominator.
pub fn cramer(columns: &[Vec<i128>], target: &[i128]) -> Option<(Vec<i128>, i128)> {
    let dot = |a: &[i128], b: &[i128]| a.iter().zip(b).map(|(x, y)| x * y).sum::<i128>();
    let gram: Vec<Vec<i128>> = columns
        .iter()
        .map(|a| columns.iter().map(|b| dot(a, b)).collect())
        .collect();
    let denominator = determinant(gram.clone());
    if denominator == 0 {
        return None;
    }
    let numerators = (0..columns.len())
        .map(|k| {
            let mut m = gram.clone();
            for (row, a) in m.iter_mut().zip(columns) {
                row[k] = dot(a, target);
            }
            determinant(m)
        })
        .collect();
    Some((numerators, denominator))
}
