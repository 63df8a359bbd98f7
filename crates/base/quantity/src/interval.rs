//! A closed interval of numbers.

use serde::{Deserialize, Serialize};

/// `[low, high]`; the bounds may be infinite, never NaN.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound, at least `low`.
    pub high: f64,
}

impl Interval {
    /// The interval between two bounds given in any order; none if one is NaN.
    pub fn between(a: f64, b: f64) -> Option<Self> {
        if a.is_nan() || b.is_nan() {
            return None;
        }
        Some(Self {
            low: a.min(b),
            high: a.max(b),
        })
    }

    /// Whether `value` lies in it, bounds included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// `high - low`.
    pub fn width(&self) -> f64 {
        self.high - self.low
    }

    /// The smallest interval that contains both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Both bounds times `factor`; a negative factor swaps them.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let (a, b) = (self.low * factor, self.high * factor);
        Self {
            low: a.min(b),
            high: a.max(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_ordered_and_included() {
        let i = Interval::between(3.0, 1.0).unwrap();
        assert_eq!((i.low, i.high, i.width()), (1.0, 3.0, 2.0));
        assert!(i.contains(1.0) && i.contains(3.0) && !i.contains(3.1));
        assert!(Interval::between(f64::NAN, 1.0).is_none());
    }

    #[test]
    fn hull_and_scaling() {
        let a = Interval {
            low: 1.0,
            high: 2.0,
        };
        let b = Interval {
            low: 5.0,
            high: 6.0,
        };
        assert_eq!(
            a.hull(&b),
            Interval {
                low: 1.0,
                high: 6.0
            }
        );
        assert_eq!(
            a.scaled(-2.0),
            Interval {
                low: -4.0,
                high: -2.0
            }
        );
    }
}
