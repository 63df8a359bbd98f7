//! An orthonormal basis that grows column by column, and the target's residual in it.
//!
//! Modified Gram–Schmidt, done twice (Kahan's "twice is enough"), so that the columns stay orthogonal to rounding even
//! when a term is nearly dependent on the earlier ones. The coordinates of every term are kept: they are the triangle of
//! its QR decomposition, which is all that pruning needs.

use super::data::dot;

/// Of a column's sum of squares, less than this is rounding.
const ROUNDING: f64 = 1e-24;

/// An orthonormal basis and what it leaves of the target.
#[derive(Default)]
pub(super) struct Basis {
    pub columns: Vec<Vec<f64>>,
    /// Coordinates of the target.
    pub effects: Vec<f64>,
    /// The target without its projection.
    pub residual: Vec<f64>,
}

/// What a basis leaves of a column.
pub(super) struct Projection {
    pub coordinates: Vec<f64>,
    /// The part outside the basis.
    pub rest: Vec<f64>,
    /// Its sum of squares.
    pub left: f64,
}

impl Basis {
    pub fn new(target: &[f64]) -> Self {
        Self {
            residual: target.to_vec(),
            ..Self::default()
        }
    }

    pub fn project(&self, column: &[f64]) -> Projection {
        let mut rest = column.to_vec();
        let mut coordinates = vec![0.0; self.columns.len()];
        for _ in 0..2 {
            for (q, c) in self.columns.iter().zip(&mut coordinates) {
                let inner = dot(q, &rest);
                add(-inner, q, &mut rest);
                *c += inner;
            }
        }
        let left = dot(&rest, &rest);
        Projection {
            coordinates,
            rest,
            left,
        }
    }

    /// Takes a column in and returns its coordinates; one whose remaining share is below `share` adds no direction.
    pub fn push(&mut self, column: &[f64], share: f64) -> Vec<f64> {
        let mut projection = self.project(column);
        let whole = dot(column, column);
        if projection.left > share.max(ROUNDING) * whole && projection.left > f64::MIN_POSITIVE {
            let length = projection.left.sqrt();
            for value in &mut projection.rest {
                *value /= length;
            }
            let effect = dot(&projection.rest, &self.residual);
            add(-effect, &projection.rest, &mut self.residual);
            self.effects.push(effect);
            self.columns.push(projection.rest);
            projection.coordinates.push(length);
        }
        projection.coordinates
    }
}

/// `to += factor · column`.
pub(super) fn add(factor: f64, column: &[f64], to: &mut [f64]) {
    for (t, c) in to.iter_mut().zip(column) {
        *t += factor * c;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_dependent_columns_stay_orthogonal() {
        let rows = 50;
        let x: Vec<f64> = (0..rows).map(|i| 1e6 + f64::from(i)).collect();
        let y: Vec<f64> = (0..rows).map(|i| f64::from(i * i % 17)).collect();
        let square: Vec<f64> = x.iter().map(|v| v * v).collect();
        let mut basis = Basis::new(&y);
        for column in [vec![1.0; rows as usize], x.clone(), square] {
            basis.push(&column, 0.0);
        }
        assert_eq!(basis.columns.len(), 3);
        for (i, a) in basis.columns.iter().enumerate() {
            for (j, b) in basis.columns.iter().enumerate() {
                let expected = f64::from(u8::from(i == j));
                assert!((dot(a, b) - expected).abs() < 1e-13);
            }
            assert!(dot(a, &basis.residual).abs() < 1e-11);
        }
        let twice: Vec<f64> = x.iter().map(|v| 2.0 * v).collect();
        basis.push(&twice, 0.0);
        assert_eq!(basis.columns.len(), 3, "a dependent column adds nothing");
    }
}
