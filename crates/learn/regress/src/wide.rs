//! Loops over vectors in the widest registers that the processor has.
//!
//! A sum is always one of eight partial sums, whatever the registers' width, and nothing is fused: every processor
//! gives the same bits.

#![expect(
    clippy::inline_always,
    reason = "loops are compiled for wider vectors only where they are inlined into the dispatching function"
)]

/// Partial sums.
const LANES: usize = 8;
/// Shorter vectors are not worth asking the processor.
const SHORT: usize = 48;

/// Runs loops compiled for the processor at hand. What is called in there has to be inlined to profit.
#[inline(always)]
pub(crate) fn wide<T>(work: impl FnOnce() -> T) -> T {
    pulp::Arch::new().dispatch(work)
}

/// Inner product of two vectors of one length.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    if a.len() < SHORT {
        inner(a, b)
    } else {
        wide(
            #[inline(always)]
            || inner(a, b),
        )
    }
}

/// [`dot`] within a loop that is [`wide`] as a whole.
#[inline(always)]
pub(crate) fn inner(a: &[f64], b: &[f64]) -> f64 {
    let (left, left_rest) = a.as_chunks::<LANES>();
    let (right, right_rest) = b[..a.len()].as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in left.iter().zip(right) {
        for k in 0..LANES {
            sums[k] += x[k] * y[k];
        }
    }
    let rest: f64 = left_rest.iter().zip(right_rest).map(|(x, y)| x * y).sum();
    total(sums) + rest
}

/// Partial sums added up in pairs.
#[inline(always)]
fn total(s: [f64; LANES]) -> f64 {
    ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

/// Σ (aᵢ − centre)·bᵢ within a wide loop.
#[inline(always)]
pub(crate) fn inner_about(a: &[f64], centre: f64, b: &[f64]) -> f64 {
    let (left, left_rest) = a.as_chunks::<LANES>();
    let (right, right_rest) = b[..a.len()].as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in left.iter().zip(right) {
        for k in 0..LANES {
            sums[k] += (x[k] - centre) * y[k];
        }
    }
    let rest = left_rest.iter().zip(right_rest);
    total(sums) + rest.map(|(x, y)| (x - centre) * y).sum::<f64>()
}

/// Least and largest of the values whose weight is positive, within a wide loop; (∞, −∞) if none is.
#[inline(always)]
pub(crate) fn range(values: &[f64], weights: &[f64]) -> (f64, f64) {
    let (mut low, mut high) = ([f64::INFINITY; LANES], [f64::NEG_INFINITY; LANES]);
    let (left, left_rest) = values.as_chunks::<LANES>();
    let (right, right_rest) = weights[..values.len()].as_chunks::<LANES>();
    let mut take = |k: usize, v: f64, w: f64| {
        let (least, most) = if w > 0.0 {
            (v, v)
        } else {
            (f64::INFINITY, f64::NEG_INFINITY)
        };
        low[k] = if least < low[k] { least } else { low[k] };
        high[k] = if most > high[k] { most } else { high[k] };
    };
    for (v, w) in left.iter().zip(right) {
        for k in 0..LANES {
            take(k, v[k], w[k]);
        }
    }
    for (v, w) in left_rest.iter().zip(right_rest) {
        take(0, *v, *w);
    }
    let low = low.into_iter().fold(f64::INFINITY, f64::min);
    (low, high.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

/// to += factor · from.
pub(crate) fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    if to.len() < SHORT {
        accumulate(to, factor, from);
    } else {
        wide(
            #[inline(always)]
            || accumulate(to, factor, from),
        );
    }
}

/// [`add`] within a loop that is [`wide`] as a whole.
#[inline(always)]
pub(crate) fn accumulate(to: &mut [f64], factor: f64, from: &[f64]) {
    for (t, f) in to.iter_mut().zip(from) {
        *t += factor * f;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole numbers, so that every order of adding is exact.
    fn vectors(count: usize) -> (Vec<f64>, Vec<f64>) {
        let number = |i: usize, by: usize| ((i * by + 3) % 101) as f64 - 50.0;
        let vector = |by: usize| (0..count).map(|i| number(i, by)).collect();
        (vector(37), vector(59))
    }

    #[test]
    fn sums_of_any_length_are_those_of_the_definition() {
        for count in (0..40).chain([47, 48, 49, 64, 1000, 1003]) {
            let (a, b) = vectors(count);
            let pairs = || a.iter().zip(&b);
            assert_eq!(dot(&a, &b), pairs().map(|(x, y)| x * y).sum::<f64>());
            let about: f64 = pairs().map(|(x, y)| (x - 7.0) * y).sum();
            assert_eq!(inner_about(&a, 7.0, &b), about);
            let seen = || pairs().filter(|p| *p.1 > 0.0).map(|p| *p.0);
            let low = seen().fold(f64::INFINITY, f64::min);
            let high = seen().fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(range(&a, &b), (low, high));
            let mut sum = a.clone();
            add(&mut sum, 3.0, &b);
            assert!(pairs().zip(&sum).all(|((x, y), s)| x + 3.0 * y == *s));
        }
    }

    #[test]
    fn the_width_of_registers_changes_no_bit() {
        let number = |i: usize| (i as f64 * 0.7).sin() * 10_f64.powi((i % 9) as i32 - 4);
        let a: Vec<f64> = (0..997).map(number).collect();
        let b: Vec<f64> = (0..997).map(|i| number(i * 31 + 7)).collect();
        assert_eq!(dot(&a, &b).to_bits(), inner(&a, &b).to_bits());
    }
}
