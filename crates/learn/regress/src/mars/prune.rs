//! The backward pass: which subset of the terms predicts best.
//!
//! Friedman (1991), algorithm 3, the way `leaps` (Miller 2002, *Subset Selection in Regression*, section 3.4) does it:
//! starting from all terms, the one whose loss raises the residual sum of squares least is moved behind the others, and
//! after every move all leading subsets are compared with the best of their size. So a subset may be better than
//! the one plain elimination would leave, and leading subsets of the forward pass count from the start.
//!
//! Everything happens on the triangle of the terms' QR decomposition. Losing term j raises the sum of squares by
//! (z·θ)² / (z·z), where z solves zᵀR = eⱼ and θ are the target's coordinates.

use super::data::dot;

/// The best subset of its size.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    /// Indices of the columns, ascending.
    pub members: Vec<usize>,
    pub rss: f64,
}

/// The triangle of columns in some order.
struct Triangle {
    order: Vec<usize>,
    /// Column m holds rows 0 … m.
    columns: Vec<Vec<f64>>,
    effects: Vec<f64>,
    /// Residual sum of squares of all columns.
    outside: f64,
}

/// The best subset of every size; the first column is never lost, and the columns must be independent.
///
/// `columns` and `target` are coordinates in an orthonormal basis, missing ones zero; `outside` is the target's sum of
/// squares outside that basis.
pub(super) fn backward(columns: &[&[f64]], target: &[f64], outside: f64) -> Vec<Candidate> {
    let mut triangle = Triangle::new(columns, target, outside);
    let count = columns.len();
    let mut best: Vec<Candidate> = (1..=count).map(|size| triangle.leading(size)).collect();
    for last in (2..count).rev() {
        let (mut least, mut loss) = (last, f64::INFINITY);
        for j in 1..=last {
            let increase = triangle.loss(j, last);
            if increase < loss {
                (least, loss) = (j, increase);
            }
        }
        triangle.shift(least, last);
        for size in least + 1..=last {
            let candidate = triangle.leading(size);
            if candidate.rss < best[size - 1].rss {
                best[size - 1] = candidate;
            }
        }
    }
    best
}

impl Triangle {
    /// Householder reflections, column by column.
    fn new(columns: &[&[f64]], target: &[f64], outside: f64) -> Self {
        let height = target.len();
        let mut full: Vec<Vec<f64>> = columns
            .iter()
            .map(|c| {
                let mut column = c.to_vec();
                column.resize(height, 0.0);
                column
            })
            .collect();
        let mut effects = target.to_vec();
        for k in 0..full.len() {
            let (done, rest) = full.split_at_mut(k + 1);
            let column = &mut done[k];
            let length = dot(&column[k..], &column[k..]).sqrt();
            if length == 0.0 || column[k + 1..].iter().all(|v| *v == 0.0) {
                continue;
            }
            let mut head = column[k..].to_vec();
            head[0] += length.copysign(head[0]);
            let scale = 2.0 / dot(&head, &head);
            for other in rest.iter_mut().chain([&mut effects]) {
                let factor = -scale * dot(&head, &other[k..]);
                super::basis::add(factor, &head, &mut other[k..]);
            }
            column[k] = -length.copysign(column[k]);
        }
        let tail = &effects[columns.len()..];
        let outside = outside + dot(tail, tail);
        for (m, column) in full.iter_mut().enumerate() {
            column.truncate(m + 1);
        }
        effects.truncate(columns.len());
        Self {
            order: (0..columns.len()).collect(),
            columns: full,
            effects,
            outside,
        }
    }

    fn leading(&self, size: usize) -> Candidate {
        let mut members = self.order[..size].to_vec();
        members.sort_unstable();
        let lost = &self.effects[size..];
        Candidate {
            members,
            rss: self.outside + dot(lost, lost),
        }
    }

    /// Increase of the sum of squares of columns 0 … last when column `j` goes.
    fn loss(&self, j: usize, last: usize) -> f64 {
        let mut z = Vec::with_capacity(last + 1 - j);
        z.push(1.0 / self.columns[j][j]);
        for m in j + 1..=last {
            let column = &self.columns[m];
            let known = dot(&z, &column[j..m]);
            z.push(-known / column[m]);
        }
        let inner = dot(&z, &self.effects[j..=last]);
        inner * inner / dot(&z, &z)
    }

    /// Moves column `from` behind column `to`; rotations restore the triangle.
    fn shift(&mut self, from: usize, to: usize) {
        let moved = self.columns.remove(from);
        self.columns.insert(to, moved);
        let moved = self.order.remove(from);
        self.order.insert(to, moved);
        self.columns[to].resize(to + 1, 0.0);
        for k in from..to {
            // Column k came from the right and reaches one row too far.
            let (a, b) = (self.columns[k][k], self.columns[k][k + 1]);
            let r = a.hypot(b);
            let (c, s) = if r > 0.0 { (a / r, b / r) } else { (1.0, 0.0) };
            let others = self.columns[k..].iter_mut();
            for column in others.chain([&mut self.effects]) {
                let (u, v) = (column[k], column[k + 1]);
                column[k] = c * u + s * v;
                column[k + 1] = c * v - s * u;
            }
            self.columns[k].truncate(k + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pricetag_estimator::Qr;
    use proptest::prelude::*;

    fn rss(columns: &[Vec<f64>], members: &[usize], target: &[f64]) -> f64 {
        let chosen: Vec<Vec<f64>> = members.iter().map(|&m| columns[m].clone()).collect();
        let qr = Qr::new(chosen.clone(), target.to_vec(), 1e-12);
        let solution = qr.solve();
        let mut rest = target.to_vec();
        for (&at, x) in qr.pivot.iter().zip(&solution) {
            super::super::basis::add(-x, &chosen[at], &mut rest);
        }
        dot(&rest, &rest)
    }

    proptest! {
        /// Sums of squares are those of regressions on the members, no subset is worse than plain elimination's, and
        /// none is worse than the leading columns.
        #[test]
        fn subsets_are_what_they_claim(
            values in prop::collection::vec(prop::collection::vec(-1.0..1.0_f64, 9), 6),
            target in prop::collection::vec(-1.0..1.0_f64, 9),
        ) {
            let refs: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
            let found = backward(&refs, &target, 0.5);
            prop_assert_eq!(found.len(), 6);
            let mut left: Vec<usize> = (0..6).collect();
            for size in (1..=6).rev() {
                let best = &found[size - 1];
                prop_assert_eq!(best.members.len(), size);
                prop_assert_eq!(best.members[0], 0);
                let expected = 0.5 + rss(&values, &best.members, &target);
                prop_assert!((best.rss - expected).abs() < 1e-8, "{} {}", best.rss, expected);
                let leading: Vec<usize> = (0..size).collect();
                prop_assert!(best.rss <= 0.5 + rss(&values, &leading, &target) + 1e-8);
                prop_assert!(best.rss <= 0.5 + rss(&values, &left, &target) + 1e-8);
                if size > 1 {
                    let without = |at: usize| {
                        let mut fewer = left.clone();
                        fewer.remove(at);
                        rss(&values, &fewer, &target)
                    };
                    let worst = (1..size).min_by(|&a, &b| without(a).total_cmp(&without(b))).unwrap();
                    left.remove(worst);
                }
            }
        }
    }
}
