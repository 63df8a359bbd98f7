//! How much of a prediction rests on prices that little was learnt about.
//!
//! The leverage of a new row x on the rows X learnt from is x'(X'X)⁻¹x (Hoaglin and Welsch, *The hat matrix in regression and ANOVA*, 1978): the variance of its prediction is that
//! many times the variance of a row. Here rows are *shares*: each construct's part of the time, so that errors are relative.

use serde::{Deserialize, Serialize};

/// What is needed for the leverage of programs to come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Leverage {
    /// Constructs, in the order of the rows.
    pub constructs: Vec<String>,
    /// Lower triangle, diagonal included, of (X'X)⁻¹: a row for each construct, as long as its place.
    pub inverse: Vec<Vec<f64>>,
}

impl Leverage {
    /// The leverage of a program in which each construct has this share of the time, 0 … 1; none of a construct that is not known here.
    pub fn of(&self, share: &dyn Fn(&str) -> f64) -> f64 {
        let shares: Vec<f64> = self.constructs.iter().map(|c| share(c)).collect();
        let rows = self.inverse.iter().zip(&shares).enumerate();
        let all = rows.map(|(i, (row, own))| {
            let before: f64 = row.iter().zip(&shares[..i]).map(|(v, s)| v * s).sum();
            let diagonal = row.get(i).copied().unwrap_or(0.0);
            own * (2.0 * before + diagonal * own)
        });
        all.sum::<f64>().max(0.0)
    }

    /// By how much the errors of a program of this leverage are larger than those of one whose prices are known exactly: √(1 + h).
    pub fn widening(leverage: f64) -> f64 {
        (1.0 + leverage).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leverage_of_a_mean_is_one_of_its_number() {
        // Four rows of one construct alone: X'X = 4.
        let leverage = Leverage {
            constructs: vec!["a".into()],
            inverse: vec![vec![0.25]],
        };
        let of = |share: f64| leverage.of(&|name| if name == "a" { share } else { 0.0 });
        assert_eq!([of(1.0), of(0.5), of(0.0)], [0.25, 0.0625, 0.0]);
    }

    #[test]
    fn both_triangles_count() {
        // Rows (1, 0), (½, ½), (½, ½): X'X = (1.5, 0.5; 0.5, 0.5), its inverse (1, −1; −1, 3).
        let leverage = Leverage {
            constructs: ["a", "b"].map(str::to_owned).into(),
            inverse: vec![vec![1.0], vec![-1.0, 3.0]],
        };
        let of = |a: f64, b: f64| leverage.of(&|name| if name == "a" { a } else { b });
        // The three rows' own leverages sum up to the number of constructs.
        assert!((of(1.0, 0.0) + 2.0 * of(0.5, 0.5) - 2.0).abs() < 1e-12);
        assert_eq!(of(0.0, 1.0), 3.0);
    }
}
