//! How far a solution can be from the best one, by duality; shares no code with the search.
//!
//! For multipliers a with |aᵢ| ≤ 1 and Xᵀa = 0, every β has Σ|yᵢ − xᵢβ| ≥ Σ aᵢ(yᵢ − xᵢβ) = Σ aᵢyᵢ. With β ≥ 0 the second
//! condition is Xᵀa ≤ 0.

/// Bounds of the objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Certificate {
    /// Σ |residual| of the solution, weighted.
    pub objective: f64,
    /// What no solution can be below.
    pub bound: f64,
    /// By how much Xᵀa = 0 is missed, relative to Σ |x| of the column.
    pub imbalance: f64,
}

impl Certificate {
    pub(super) fn new(
        columns: &[Vec<f64>],
        target: &[f64],
        beta: &[f64],
        multipliers: &[f64],
        non_negative: bool,
    ) -> Self {
        let fitted = |i: usize| columns.iter().zip(beta).map(|(c, b)| c[i] * b).sum::<f64>();
        let objective = (0..target.len())
            .map(|i| (target[i] - fitted(i)).abs())
            .sum();
        let bounded: Vec<f64> = multipliers.iter().map(|a| a.clamp(-1.0, 1.0)).collect();
        let bound = bounded.iter().zip(target).map(|(a, y)| a * y).sum();
        let missed = |column: &Vec<f64>| {
            let dot: f64 = column.iter().zip(&bounded).map(|(x, a)| x * a).sum();
            let size: f64 = column.iter().map(|x| x.abs()).sum();
            let dot = if non_negative {
                dot.max(0.0)
            } else {
                dot.abs()
            };
            if size > 0.0 { dot / size } else { 0.0 }
        };
        Self {
            objective,
            bound,
            imbalance: columns.iter().map(missed).fold(0.0, f64::max),
        }
    }

    /// Distance between objective and bound, relative to the objective; below `size` (of the data) relative to that.
    pub(super) fn gap(&self, size: f64) -> f64 {
        let scale = self.objective.max(size);
        if scale > 0.0 {
            (self.objective - self.bound).abs() / scale
        } else {
            0.0
        }
    }
}
