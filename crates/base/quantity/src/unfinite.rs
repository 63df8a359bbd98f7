//! How many numbers are none that can be computed with, by what they are.

use std::fmt;

/// Numbers that are not finite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfinite {
    /// NaN.
    pub nan: usize,
    /// Positive infinity.
    pub infinite: usize,
    /// Negative infinity.
    pub minus_infinite: usize,
}

impl Unfinite {
    /// Counts one more, unless it is finite.
    pub fn add(&mut self, value: f64) {
        if value.is_nan() {
            self.nan += 1;
        } else if value.is_infinite() {
            let same = if value > 0.0 {
                &mut self.infinite
            } else {
                &mut self.minus_infinite
            };
            *same += 1;
        }
    }

    /// Whether all were finite.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

impl FromIterator<f64> for Unfinite {
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Self {
        let mut all = Self::default();
        values.into_iter().for_each(|value| all.add(value));
        all
    }
}

impl fmt::Display for Unfinite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = [
            (self.nan, "not a number"),
            (self.infinite, "infinite"),
            (self.minus_infinite, "negative infinite"),
        ];
        let found = found.iter().filter(|(count, _)| *count > 0);
        let found: Vec<String> = found.map(|(n, what)| format!("{n} {what}")).collect();
        f.write_str(&found.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_apart() {
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        let values = [0.0, nan, infinity, -1e308, -infinity, infinity, -nan];
        let all: Unfinite = values.into_iter().collect();
        assert_eq!(
            all.to_string(),
            "2 not a number, 2 infinite, 1 negative infinite"
        );
        let none: Unfinite = [f64::MAX, f64::MIN_POSITIVE].into_iter().collect();
        assert!(none.is_none() && none.to_string().is_empty());
    }
}
