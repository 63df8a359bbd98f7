//! Inner products of standardised columns: all at once when columns are few, as they are needed when they are many.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatRef, Par};

use super::homotopy::Gram;
use super::scaled::Scaled;

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

/// Inner products among a growing set of columns; a column of them is worked out when it is asked for.
pub(crate) struct Lazy<'p, 'a> {
    problem: &'p Scaled<'a>,
    /// Kept columns in the set, in the order they came.
    pub members: Vec<usize>,
    /// The standardised members, a matrix per extension.
    parts: Vec<Mat<f64>>,
    known: Vec<Option<Vec<f64>>>,
}

impl<'p, 'a> Lazy<'p, 'a> {
    pub(crate) fn new(problem: &'p Scaled<'a>) -> Self {
        Self {
            problem,
            members: Vec::new(),
            parts: Vec::new(),
            known: Vec::new(),
        }
    }

    /// Takes columns in; products of those that are `needed` are brought up to date, others forgotten.
    pub(crate) fn extend(&mut self, new: &[usize], needed: &[usize]) {
        if new.is_empty() {
            return;
        }
        let part = self.problem.matrix(new);
        let old = std::mem::take(&mut self.known);
        self.known = vec![None; self.members.len() + new.len()];
        for (j, column) in old.into_iter().enumerate() {
            if let Some(mut column) = column.filter(|_| needed.contains(&j)) {
                column.extend(products(&part, self.member(j)));
                self.known[j] = Some(column);
            }
        }
        self.members.extend(new);
        self.parts.push(part);
    }

    /// The standardised column of a member.
    pub(crate) fn member(&self, mut j: usize) -> &[f64] {
        for part in &self.parts {
            if j < part.ncols() {
                return part.col_as_slice(j);
            }
            j -= part.ncols();
        }
        &[]
    }
}

/// Aᵀx.
fn products(a: &Mat<f64>, x: &[f64]) -> Vec<f64> {
    let mut out: Mat<f64> = Mat::zeros(a.ncols(), 1);
    let right = MatRef::from_column_major_slice(x, x.len(), 1);
    matmul(
        out.as_mut(),
        Accum::Replace,
        a.transpose(),
        right,
        1.0,
        Par::Seq,
    );
    out.col_as_slice(0).to_vec()
}

impl Gram for Lazy<'_, '_> {
    fn load(&mut self, j: usize) {
        if self.known[j].is_none() {
            let x = self.member(j);
            self.known[j] = Some(self.parts.iter().flat_map(|a| products(a, x)).collect());
        }
    }

    fn column(&self, j: usize) -> &[f64] {
        self.known[j].as_deref().unwrap_or_default()
    }
}
