//! Inner products of standardised columns: all at once when columns are few, as they are needed when they are many.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par};

use super::homotopy::{Data, Gram};
use super::scaled::Scaled;
use crate::wide::dot;

/// Up to this many numbers the standardised columns are held at once.
const HELD: usize = 50_000_000;
/// Columns held at a time beyond that.
const BLOCK: usize = 64;

/// The complete matrix.
#[derive(Clone, Debug)]
pub(crate) struct Complete(pub Mat<f64>);

impl Gram for Complete {
    fn load(&mut self, _: usize) {}

    fn column(&self, j: usize) -> &[f64] {
        self.0.col_as_slice(j)
    }
}

/// Both halves of AᵀA.
pub(crate) fn square(a: MatRef<'_, f64>) -> Mat<f64> {
    let p = a.ncols();
    let mut out = Mat::zeros(p, p);
    triangular::matmul(
        out.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Replace,
        a.transpose(),
        BlockStructure::Rectangular,
        a,
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
    mirror(&mut out);
    out
}

/// Copies the lower half of a square matrix onto the upper one.
pub(crate) fn mirror(matrix: &mut Mat<f64>) {
    for j in 0..matrix.ncols() {
        for i in 0..j {
            matrix[(i, j)] = matrix[(j, i)];
        }
    }
}

impl Complete {
    pub(crate) fn of(problem: &Scaled) -> Self {
        let p = problem.len();
        let all: Vec<usize> = (0..p).collect();
        if problem.rows().saturating_mul(p) <= HELD {
            return Self(square(problem.matrix(&all).as_ref()));
        }
        let mut out = Mat::zeros(p, p);
        for left in all.chunks(BLOCK) {
            let a = problem.matrix(left);
            for right in all[left[0]..].chunks(BLOCK) {
                let b = problem.matrix(right);
                let part = out
                    .as_mut()
                    .submatrix_mut(right[0], left[0], right.len(), left.len());
                matmul(part, Accum::Replace, b.transpose(), &a, 1.0, Par::Seq);
            }
        }
        mirror(&mut out);
        Self(out)
    }
}

/// The complete matrix with the columns behind it.
pub(crate) struct Sourced<'p, 'a> {
    gram: Complete,
    problem: &'p Scaled<'a>,
}

impl<'p, 'a> Sourced<'p, 'a> {
    pub(crate) fn of(problem: &'p Scaled<'a>) -> Self {
        Self {
            gram: Complete::of(problem),
            problem,
        }
    }
}

impl Gram for Sourced<'_, '_> {
    fn load(&mut self, _: usize) {}

    fn column(&self, j: usize) -> &[f64] {
        self.gram.column(j)
    }

    fn data(&self) -> Option<&dyn Data> {
        Some(self)
    }
}

impl Data for Sourced<'_, '_> {
    fn vector(&self, j: usize) -> Vec<f64> {
        self.problem.matrix(&[j]).col_as_slice(0).to_vec()
    }

    fn target(&self) -> &[f64] {
        &self.problem.target
    }

    fn scores(&self, vector: &[f64]) -> Vec<f64> {
        let vector = column(vector);
        self.problem
            .scores(vector.as_ref())
            .col_as_slice(0)
            .to_vec()
    }
}

fn column(vector: &[f64]) -> Mat<f64> {
    Mat::from_fn(vector.len(), 1, |i, _| vector[i])
}

/// Inner products among a growing set of columns. All of them are worked out when columns come in: as matrix products
/// these cost less than the few columns that become active would cost one by one.
pub(crate) struct Growing<'p, 'a> {
    problem: &'p Scaled<'a>,
    /// Kept columns in the set, in the order they came.
    pub members: Vec<usize>,
    /// The standardised members, a matrix per extension.
    pub parts: Vec<Mat<f64>>,
    columns: Vec<Vec<f64>>,
}

impl<'p, 'a> Growing<'p, 'a> {
    pub(crate) fn new(problem: &'p Scaled<'a>) -> Self {
        Self {
            problem,
            members: Vec::new(),
            parts: Vec::new(),
            columns: Vec::new(),
        }
    }

    /// Takes columns in.
    pub(crate) fn extend(&mut self, new: &[usize]) {
        if new.is_empty() {
            return;
        }
        let part = self.problem.matrix(new);
        let mut fresh: Vec<Vec<f64>> = vec![Vec::new(); new.len()];
        let mut before = 0;
        for old in &self.parts {
            let mut products: Mat<f64> = Mat::zeros(new.len(), old.ncols());
            let to = products.as_mut();
            matmul(to, Accum::Replace, part.transpose(), old, 1.0, Par::Seq);
            for j in 0..old.ncols() {
                let column = products.col_as_slice(j);
                self.columns[before + j].extend_from_slice(column);
                for (to, value) in fresh.iter_mut().zip(column) {
                    to.push(*value);
                }
            }
            before += old.ncols();
        }
        let own = square(part.as_ref());
        for (j, mut column) in fresh.into_iter().enumerate() {
            column.extend_from_slice(own.col_as_slice(j));
            self.columns.push(column);
        }
        self.members.extend(new);
        self.parts.push(part);
    }
}

impl Gram for Growing<'_, '_> {
    fn load(&mut self, _: usize) {}

    fn column(&self, j: usize) -> &[f64] {
        &self.columns[j]
    }

    fn data(&self) -> Option<&dyn Data> {
        Some(self)
    }
}

impl Data for Growing<'_, '_> {
    fn vector(&self, mut j: usize) -> Vec<f64> {
        for part in &self.parts {
            if j < part.ncols() {
                return part.col_as_slice(j).to_vec();
            }
            j -= part.ncols();
        }
        Vec::new()
    }

    fn target(&self) -> &[f64] {
        &self.problem.target
    }

    fn scores(&self, vector: &[f64]) -> Vec<f64> {
        let columns = self
            .parts
            .iter()
            .flat_map(|part| (0..part.ncols()).map(|j| part.col_as_slice(j)));
        columns.map(|z| dot(z, vector)).collect()
    }
}
