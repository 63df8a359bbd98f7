//! The rank of a matrix of whole numbers, without rounding.
//!
//! Elimination modulo the prime 2⁶¹ − 1. The rank modulo a prime is never more than the rank, and less only where the prime divides all its largest minors, which
//! happens to one matrix in about 10¹⁸. Floating-point ranks depend on a tolerance: counts that nearly rise and fall together are one for
//! the purpose of learning prices, and two for arithmetic.

const PRIME: u64 = (1 << 61) - 1;

/// Rank of rows of whole numbers; none where one is no whole number that a float holds exactly.
pub(crate) fn exact_rank(rows: &[Vec<f64>]) -> Option<u32> {
    let whole = |v: &f64| v.fract() == 0.0 && v.abs() < 9e15;
    if !rows.iter().flatten().all(whole) {
        return None;
    }
    let mut matrix: Vec<Vec<u64>> = rows
        .iter()
        .map(|row| row.iter().map(|v| residue(*v as i64)).collect())
        .collect();
    let columns = matrix.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..columns {
        let Some(pivot) = (rank..matrix.len()).find(|&r| matrix[r][column] != 0) else {
            continue;
        };
        matrix.swap(rank, pivot);
        let inverse = power(matrix[rank][column], PRIME - 2);
        let lead = matrix[rank].clone();
        for row in &mut matrix[rank + 1..] {
            let factor = times(row[column], inverse);
            for (cell, above) in row.iter_mut().zip(&lead) {
                *cell = (*cell + PRIME - times(factor, *above)) % PRIME;
            }
        }
        rank += 1;
    }
    Some(rank as u32)
}

fn residue(value: i64) -> u64 {
    value.rem_euclid(PRIME as i64) as u64
}

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(base: u64, mut exponent: u64) -> u64 {
    let (mut base, mut out) = (base, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = times(out, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::exact_rank;

    #[test]
    fn nearly_dependent_rows_are_independent_and_dependent_ones_are_not() {
        let rows = vec![vec![1e9, 2e9, 5.0], vec![1e9, 2e9, 6.0]];
        assert_eq!(exact_rank(&rows), Some(2));
        let rows = vec![
            vec![1.0, 2.0, -3.0],
            vec![4.0, 5.0, 6.0],
            vec![9.0, 12.0, 9.0],
        ];
        assert_eq!(exact_rank(&rows), Some(2), "the last is 1 + 2 · 4, …");
        assert_eq!(exact_rank(&[vec![0.0, 0.0]]), Some(0));
        assert_eq!(exact_rank(&[vec![0.5]]), None);
        assert_eq!(exact_rank(&[]), Some(0));
    }
}
