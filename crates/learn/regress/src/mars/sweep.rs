//! Inner products of all hinges, or all steps, of one variable with given vectors, in one pass over the rows.
//!
//! Friedman (1991), section 3.9: as the knot moves down from t′ to t, Σ bᵢ·(xᵢ − t)₊·qᵢ grows by (t′ − t)·Σ bᵢ·qᵢ over the
//! rows already passed, plus the rows between. Here four vectors q are swept at once, and the rows between two knots are
//! summed directly as differences from the lower knot, so no error runs along the whole column.

use super::data::Variable;

/// Products b·q of one row with up to four vectors.
pub(super) type Lanes = [f64; 4];

/// Calls `found(k, hinge)` with Σ bᵢ·(xᵢ − tₖ)₊·qᵢ for every knot; `knots` are descending positions in the sort order.
pub(super) fn hinges(
    variable: &Variable,
    knots: &[u32],
    lanes: &[Lanes],
    mut found: impl FnMut(usize, Lanes),
) {
    let (order, sorted) = (&variable.order, &variable.sorted);
    let (mut above, mut hinge) = ([0.0; 4], [0.0; 4]);
    let mut top = order.len();
    let mut previous = sorted[top - 1];
    for (k, &knot) in knots.iter().enumerate() {
        let from = knot as usize + 1;
        let t = sorted[knot as usize];
        let (mut sum, mut moment) = ([0.0; 4], [0.0; 4]);
        for (&row, x) in order[from..top].iter().zip(&sorted[from..top]) {
            let (products, distance) = (&lanes[row as usize], x - t);
            for lane in 0..4 {
                sum[lane] += products[lane];
                moment[lane] += products[lane] * distance;
            }
        }
        let gap = previous - t;
        for lane in 0..4 {
            hinge[lane] += gap * above[lane] + moment[lane];
            above[lane] += sum[lane];
        }
        (top, previous) = (from, t);
        found(k, hinge);
    }
}

/// Calls `found(k, step)` with Σ bᵢ·qᵢ over the rows above position `jumps[k]`.
pub(super) fn steps(
    variable: &Variable,
    jumps: &[u32],
    lanes: &[Lanes],
    mut found: impl FnMut(usize, Lanes),
) {
    let mut above = [0.0; 4];
    let mut top = variable.order.len();
    for (k, &jump) in jumps.iter().enumerate() {
        let from = jump as usize + 1;
        for &row in &variable.order[from..top] {
            for (a, product) in above.iter_mut().zip(&lanes[row as usize]) {
                *a += product;
            }
        }
        top = from;
        found(k, above);
    }
}

/// Sums that give a hinge's size: of b, and of b² with distances.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    /// Σ b·(x − t)₊.
    pub sum: f64,
    /// Σ (b·(x − t)₊)².
    pub squares: f64,
}

/// The sizes of all hinges on the parent `b`.
pub(super) fn sizes(variable: &Variable, knots: &[u32], b: &[f64]) -> Vec<Size> {
    let (order, sorted) = (&variable.order, &variable.sorted);
    let mut out = Vec::with_capacity(knots.len());
    let (mut b0, mut b1) = (0.0, 0.0);
    let (mut s0, mut s1, mut s2) = (0.0, 0.0, 0.0);
    let mut top = order.len();
    let mut previous = sorted[top - 1];
    for &knot in knots {
        let from = knot as usize + 1;
        let t = sorted[knot as usize];
        let gap = previous - t;
        s2 += gap * (2.0 * s1 + gap * s0);
        s1 += gap * s0;
        b1 += gap * b0;
        for (&row, x) in order[from..top].iter().zip(&sorted[from..top]) {
            let (parent, distance) = (b[row as usize], x - t);
            let (square, moment) = (parent * parent, parent * parent * distance);
            b0 += parent;
            b1 += parent * distance;
            s0 += square;
            s1 += moment;
            s2 += moment * distance;
        }
        (top, previous) = (from, t);
        out.push(Size {
            sum: b1,
            squares: s2,
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::data::Data;
    use super::*;
    use pricetag_estimator::{Column, Design, Values};
    use proptest::prelude::*;

    fn data(x: Vec<f64>) -> Data {
        let rows = x.len();
        let column = Column {
            name: "x".into(),
            values: Values::Dense(x),
        };
        Data::new(&Design::new(vec![column], vec![1.0; rows])).unwrap()
    }

    proptest! {
        /// Against the definition, with ties, negative parents and any set of knots.
        #[test]
        fn sweeps_equal_their_definition(
            rows in prop::collection::vec((0..12_i32, -2.0..2.0_f64, -1.0..1.0_f64), 2..40),
            skip in 1..4_usize,
        ) {
            let x: Vec<f64> = rows.iter().map(|r| f64::from(r.0)).collect();
            prop_assume!(x.iter().any(|v| *v != x[0]));
            let data = data(x.clone());
            let variable = &data.variables[0];
            let b: Vec<f64> = rows.iter().map(|r| r.1).collect();
            let q: Vec<f64> = rows.iter().map(|r| r.2).collect();
            let knots: Vec<u32> = (0..rows.len() as u32 - 1).rev().step_by(skip).collect();
            let lanes: Vec<Lanes> = b.iter().zip(&q).map(|(b, q)| [b * q, b * q * q, 0.0, *b]).collect();
            let mut wrong = Vec::new();
            let mut check = |what: &str, found: f64, expected: f64| {
                if (found - expected).abs() > 1e-10 {
                    wrong.push(format!("{what}: {found} {expected}"));
                }
            };
            let hinge = |t: f64, i: usize| b[i] * (x[i] - t).max(0.0);
            let all = 0..rows.len();
            hinges(variable, &knots, &lanes, |k, h| {
                let t = variable.sorted[knots[k] as usize];
                check("hinge", h[0], all.clone().map(|i| hinge(t, i) * q[i]).sum());
                check("second", h[1], all.clone().map(|i| hinge(t, i) * q[i] * q[i]).sum());
                check("fourth", h[3], all.clone().map(|i| hinge(t, i)).sum());
            });
            for (size, &k) in sizes(variable, &knots, &b).iter().zip(&knots) {
                let t = variable.sorted[k as usize];
                check("sum", size.sum, all.clone().map(|i| hinge(t, i)).sum());
                check("squares", size.squares, all.clone().map(|i| hinge(t, i).powi(2)).sum());
            }
            let jumps: Vec<u32> = knots.iter().copied()
                .filter(|&k| variable.sorted[k as usize] < variable.sorted[k as usize + 1]).collect();
            steps(variable, &jumps, &lanes, |k, s| {
                let t = variable.sorted[jumps[k] as usize];
                check("step", s[0], all.clone().filter(|&i| x[i] > t).map(|i| b[i] * q[i]).sum());
            });
            prop_assert!(wrong.is_empty(), "{wrong:?}");
        }
    }
}
