//! Least squares over a handful of columns.
//!
//! Modified Gram–Schmidt, every column orthogonalised twice ("twice is enough", Giraud, Langou & Rozložník 2005), with
//! the target carried along. A column of which less than `NEW` is new gets no coefficient.

/// Share of a column's length that must be independent of the columns before it.
const NEW: f64 = 1e-9;

/// A solution, with the orthonormal basis of the columns.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// One coefficient per column; 0 for columns that are not independent.
    pub coefficients: Vec<f64>,
    /// Whether each column got a coefficient.
    pub kept: Vec<bool>,
    /// What remains of the target.
    pub residual: Vec<f64>,
    /// Orthonormal columns, one per kept column.
    pub basis: Vec<Vec<f64>>,
    /// Squared length of the residual.
    pub rss: f64,
}

/// Inner product over eight partial sums, in an order that does not depend on the machine.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (x, y) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = x
        .remainder()
        .iter()
        .zip(y.remainder())
        .map(|(p, q)| p * q)
        .sum();
    for (p, q) in x.zip(y) {
        for k in 0..8 {
            sums[k] += p[k] * q[k];
        }
    }
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest
}

/// `to += factor · column`.
pub fn add_to(to: &mut [f64], factor: f64, column: &[f64]) {
    for (t, c) in to.iter_mut().zip(column) {
        *t += factor * c;
    }
}

/// Removes from `column` its projection on the orthonormal `basis`; returns the projections.
pub fn project_out(column: &mut [f64], basis: &[Vec<f64>]) -> Vec<f64> {
    let mut total = vec![0.0; basis.len()];
    for _ in 0..2 {
        for (q, sum) in basis.iter().zip(&mut total) {
            let along = dot(q, column);
            add_to(column, -along, q);
            *sum += along;
        }
    }
    total
}

/// min ‖columns · x − target‖; none when a number is not finite.
pub fn solve(columns: Vec<Vec<f64>>, target: &[f64]) -> Option<Solution> {
    let mut out = Solution {
        residual: target.to_vec(),
        ..Solution::default()
    };
    let mut upper: Vec<Vec<f64>> = Vec::new(); // columns of R over the kept ones
    for mut column in columns {
        let length = dot(&column, &column).sqrt();
        if !length.is_finite() {
            return None;
        }
        let mut above = project_out(&mut column, &out.basis);
        let rest = dot(&column, &column).sqrt();
        let kept = rest > NEW * length && rest > 0.0;
        out.kept.push(kept);
        if kept {
            for v in &mut column {
                *v /= rest;
            }
            above.push(rest);
            upper.push(above);
            out.basis.push(column);
        }
    }
    let right = project_out(&mut out.residual, &out.basis);
    let x = back_substitute(&upper, right);
    out.rss = dot(&out.residual, &out.residual);
    let mut solved = x.into_iter();
    let coefficients = out.kept.iter().map(|&kept| {
        if kept {
            solved.next().unwrap_or(0.0)
        } else {
            0.0
        }
    });
    out.coefficients = coefficients.collect();
    let finite = out.rss.is_finite() && out.coefficients.iter().all(|c| c.is_finite());
    finite.then_some(out)
}

fn back_substitute(upper: &[Vec<f64>], mut x: Vec<f64>) -> Vec<f64> {
    for j in (0..x.len()).rev() {
        x[j] /= upper[j][j];
        for i in 0..j {
            x[i] -= upper[j][i] * x[j];
        }
    }
    x
}

/// Solves A x = b for a small symmetric positive definite A, given by rows; none if it is not.
pub fn solve_positive(a: &[Vec<f64>], b: &[f64]) -> Option<Vec<f64>> {
    let n = b.len();
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let inner: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            let rest = a[i][j] - inner;
            l[i][j] = if i == j {
                if rest.is_nan() || rest <= 0.0 {
                    return None;
                }
                rest.sqrt()
            } else {
                rest / l[j][j]
            };
        }
    }
    let mut x = b.to_vec();
    for i in 0..n {
        for k in 0..i {
            x[i] -= l[i][k] * x[k];
        }
        x[i] /= l[i][i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            x[i] -= l[k][i] * x[k];
        }
        x[i] /= l[i][i];
    }
    x.iter().all(|v| v.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::{dot, solve, solve_positive};
    use proptest::prelude::*;

    #[test]
    fn a_dependent_column_gets_nothing() {
        let columns = vec![
            vec![1.0, 1.0, 1.0],
            vec![1.0, 2.0, 3.0],
            vec![2.0, 3.0, 4.0],
        ];
        let solution = solve(columns, &[3.0, 5.0, 7.0]).unwrap();
        assert_eq!(solution.kept, [true, true, false]);
        assert!((solution.coefficients[0] - 1.0).abs() < 1e-12);
        assert!((solution.coefficients[1] - 2.0).abs() < 1e-12);
        assert!(solve(vec![vec![f64::NAN]], &[1.0]).is_none());
        assert!(solve(vec![vec![1e200, 1e200]], &[1.0, 1.0]).is_none());
    }

    proptest! {
        #[test]
        fn residuals_are_orthogonal(numbers in proptest::collection::vec(-1.0_f64..1.0, 40)) {
            let columns: Vec<Vec<f64>> = numbers[..30].chunks(10).map(<[f64]>::to_vec).collect();
            let solution = solve(columns.clone(), &numbers[30..]).unwrap();
            for column in &columns {
                prop_assert!(dot(column, &solution.residual).abs() < 1e-10);
            }
            let gram: Vec<Vec<f64>> = columns.iter().map(|a| columns.iter().map(|b| dot(a, b)).collect()).collect();
            let right: Vec<f64> = columns.iter().map(|a| dot(a, &numbers[30..])).collect();
            if let Some(x) = solve_positive(&gram, &right) {
                for (a, b) in x.iter().zip(&solution.coefficients) {
                    prop_assert!((a - b).abs() < 1e-4 * (1.0 + a.abs()));
                }
            }
        }
    }
}
