//! Evaluation of a tree over all rows, a block of rows at a time, and its derivatives by its constants.
//!
//! The tree is compiled to steps; leaves are operands, not steps, so a column is read where it lies. Each step writes
//! its own slot of [`BLOCK`] rows, which stays in the first-level cache, and each inner loop is a plain zip that the
//! compiler turns into vector instructions (the blocked interpreter of Operon: Burlacu, Kronberger & Kommenda 2020).
//! Because slots are never reused, the derivatives by all constants follow in one sweep backwards (reverse mode).

#![expect(
    clippy::inline_always,
    reason = "loops are compiled for wider vectors only where they are inlined into the dispatching function"
)]

use crate::elementary;
use crate::tree::{Op, Tree};

/// Rows evaluated at a time.
pub const BLOCK: usize = 256;

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Column(usize),
    Scalar(f64),
    Parameter(usize),
    Slot(usize),
}

#[derive(Clone, Copy, Debug)]
struct Step {
    op: Op,
    operands: [Source; 3],
}

/// A compiled tree.
#[derive(Clone, Debug)]
pub struct Program {
    steps: Vec<Step>,
    result: Source,
    /// Current values of the movable constants, in postfix order.
    pub parameters: Vec<f64>,
}

/// Buffers that are kept between evaluations, and when the work they are for is to stop.
#[derive(Clone, Default)]
pub struct Scratch<'a> {
    slots: Vec<f64>,
    adjoints: Vec<f64>,
    stop: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl std::fmt::Debug for Scratch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let slots = self.slots.len();
        f.debug_struct("Scratch")
            .field("slots", &slots)
            .finish_non_exhaustive()
    }
}

/// An operand resolved for one block.
#[derive(Clone, Copy)]
enum Operand<'a> {
    Rows(&'a [f64]),
    Scalar(f64),
}

impl Program {
    /// Compiles a valid tree.
    pub fn new(tree: &Tree, given: &[f64]) -> Self {
        let mut steps: Vec<Step> = Vec::with_capacity(tree.ops().len());
        let mut parameters = Vec::new();
        let mut stack: Vec<Source> = Vec::new();
        for &op in tree.ops() {
            let source = match op {
                Op::Var(index) => Source::Column(usize::from(index)),
                Op::Given(index) => Source::Scalar(given[usize::from(index)]),
                Op::Const(value) => {
                    parameters.push(value);
                    Source::Parameter(parameters.len() - 1)
                }
                _ => {
                    let base = stack.len() - op.arity();
                    let mut operands = [Source::Scalar(0.0); 3];
                    operands[..op.arity()].copy_from_slice(&stack[base..]);
                    stack.truncate(base);
                    steps.push(Step { op, operands });
                    Source::Slot(steps.len() - 1)
                }
            };
            stack.push(source);
        }
        let result = stack.last().copied().unwrap_or(Source::Scalar(0.0));
        Self {
            steps,
            result,
            parameters,
        }
    }

    /// Writes the value for every row to `out`.
    pub fn run(&self, columns: &[Vec<f64>], scratch: &mut Scratch, out: &mut [f64]) {
        scratch.reserve(self.steps.len());
        pulp::Arch::new().dispatch(Blocks {
            program: self,
            columns,
            slots: &mut scratch.slots,
            out,
        });
    }

    #[inline(always)]
    fn run_blocks(&self, columns: &[Vec<f64>], slots: &mut [f64], out: &mut [f64]) {
        let mut first = 0;
        for block in out.chunks_mut(BLOCK) {
            self.forward(columns, first, block.len(), slots);
            match self.resolve(self.result, columns, slots, first, block.len()) {
                Operand::Rows(rows) => block.copy_from_slice(rows),
                Operand::Scalar(value) => block.fill(value),
            }
            first += block.len();
        }
    }

    /// Writes the value for every row to `out` and its derivative by each parameter to `by`.
    pub fn run_with_derivatives(
        &self,
        columns: &[Vec<f64>],
        scratch: &mut Scratch,
        out: &mut [f64],
        by: &mut [Vec<f64>],
    ) {
        scratch.reserve(self.steps.len());
        let mut first = 0;
        for block in out.chunks_mut(BLOCK) {
            let rows = block.len();
            self.forward(columns, first, rows, &mut scratch.slots);
            match self.resolve(self.result, columns, &scratch.slots, first, rows) {
                Operand::Rows(values) => block.copy_from_slice(values),
                Operand::Scalar(value) => block.fill(value),
            }
            for column in by.iter_mut() {
                column[first..first + rows].fill(0.0);
            }
            self.backward(columns, scratch, first, rows, by);
            first += rows;
        }
    }

    #[inline(always)]
    fn resolve<'a>(
        &self,
        source: Source,
        columns: &'a [Vec<f64>],
        slots: &'a [f64],
        first: usize,
        rows: usize,
    ) -> Operand<'a> {
        match source {
            Source::Column(index) => Operand::Rows(&columns[index][first..first + rows]),
            Source::Slot(index) => Operand::Rows(&slots[index * BLOCK..index * BLOCK + rows]),
            Source::Parameter(index) => Operand::Scalar(self.parameters[index]),
            Source::Scalar(value) => Operand::Scalar(value),
        }
    }

    #[inline(always)]
    fn forward(&self, columns: &[Vec<f64>], first: usize, rows: usize, slots: &mut [f64]) {
        for (index, step) in self.steps.iter().enumerate() {
            let (before, after) = slots.split_at_mut(index * BLOCK);
            let operand = |i: usize| self.resolve(step.operands[i], columns, before, first, rows);
            let out = &mut after[..rows];
            match step.op {
                Op::Log => logarithm(out, operand(0)),
                Op::Exp => exponential(out, operand(0)),
                Op::Sin => unary(out, operand(0), f64::sin),
                Op::If => choose(out, operand(0), operand(1), operand(2)),
                op => forward_binary(op, out, operand(0), operand(1)),
            }
        }
    }

    /// Adjoints from the last step to the first; ∂result/∂step · ∂step/∂operand is added to each operand.
    fn backward(
        &self,
        columns: &[Vec<f64>],
        scratch: &mut Scratch,
        first: usize,
        rows: usize,
        by: &mut [Vec<f64>],
    ) {
        let Scratch {
            slots, adjoints, ..
        } = scratch;
        adjoints[..self.steps.len() * BLOCK].fill(0.0);
        match self.result {
            Source::Slot(index) => adjoints[index * BLOCK..index * BLOCK + rows].fill(1.0),
            Source::Parameter(index) => by[index][first..first + rows].fill(1.0),
            Source::Column(_) | Source::Scalar(_) => {}
        }
        for (index, step) in self.steps.iter().enumerate().rev() {
            let (lower, upper) = adjoints.split_at_mut(index * BLOCK);
            let outer = &upper[..rows];
            let value = &slots[index * BLOCK..index * BLOCK + rows];
            let operand = |i: usize, row: usize| match self.resolve(
                step.operands[i],
                columns,
                slots,
                first,
                rows,
            ) {
                Operand::Rows(values) => values[row],
                Operand::Scalar(value) => value,
            };
            for position in 0..step.op.arity() {
                let target = match step.operands[position] {
                    Source::Slot(slot) => &mut lower[slot * BLOCK..slot * BLOCK + rows],
                    Source::Parameter(index) => &mut by[index][first..first + rows],
                    Source::Column(_) | Source::Scalar(_) => continue,
                };
                for row in 0..rows {
                    if outer[row] != 0.0 {
                        let local = partial(step.op, position, value[row], |i| operand(i, row));
                        // A branch not taken has derivative 0, whatever the value there.
                        if local != 0.0 {
                            target[row] += outer[row] * local;
                        }
                    }
                }
            }
        }
    }
}

/// ∂op/∂operand number `position`, where `value` is the result.
fn partial(op: Op, position: usize, value: f64, operand: impl Fn(usize) -> f64) -> f64 {
    let when = |holds: bool| f64::from(u8::from(holds));
    let (a, b) = (operand(0), operand(1));
    match (op, position) {
        (Op::Add, _) | (Op::Sub, 0) => 1.0,
        (Op::Sub, _) => -1.0,
        (Op::Mul, 0) => b,
        (Op::Mul, _) => a,
        (Op::Div, 0) => 1.0 / b,
        (Op::Div, _) => -value / b,
        (Op::Pow, 0) => b * a.powf(b - 1.0),
        (Op::Pow, _) => value * a.ln(),
        (Op::Log, _) => 1.0 / a,
        (Op::Exp, _) => value,
        (Op::Sin, _) => a.cos(),
        (Op::Min, 0) => when(a <= b),
        (Op::Min, _) => when(a > b),
        (Op::Max, 0) => when(a >= b),
        (Op::Max, _) => when(a < b),
        (Op::If, 1) => when(a != 0.0),
        (Op::If, 2) => when(a == 0.0),
        _ => 0.0, // a threshold moves nothing but at single points
    }
}

/// One evaluation, compiled for the widest vectors of this machine. Results are equal bit by bit on every machine, because
/// each operation is an IEEE one on one row.
struct Blocks<'a> {
    program: &'a Program,
    columns: &'a [Vec<f64>],
    slots: &'a mut [f64],
    out: &'a mut [f64],
}

impl pulp::WithSimd for Blocks<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.program.run_blocks(self.columns, self.slots, self.out);
    }
}

impl<'a> Scratch<'a> {
    /// Buffers for work that ends early when `stop` says so, with what it has reached until then.
    pub fn until(stop: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self {
            stop: Some(stop),
            ..Self::default()
        }
    }

    /// Whether the work is to stop.
    pub fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop())
    }

    fn reserve(&mut self, steps: usize) {
        if self.slots.len() < steps * BLOCK {
            self.slots.resize(steps * BLOCK, 0.0);
            self.adjoints.resize(steps * BLOCK, 0.0);
        }
    }
}

#[inline(always)]
fn unary(out: &mut [f64], a: Operand, f: impl Fn(f64) -> f64) {
    match a {
        Operand::Rows(a) => {
            for (o, &x) in out.iter_mut().zip(a) {
                *o = f(x);
            }
        }
        Operand::Scalar(a) => out.fill(f(a)),
    }
}

#[inline(always)]
fn binary(out: &mut [f64], a: Operand, b: Operand, f: impl Fn(f64, f64) -> f64) {
    match (a, b) {
        (Operand::Rows(a), Operand::Rows(b)) => {
            for ((o, &x), &y) in out.iter_mut().zip(a).zip(b) {
                *o = f(x, y);
            }
        }
        (Operand::Rows(a), Operand::Scalar(y)) => {
            for (o, &x) in out.iter_mut().zip(a) {
                *o = f(x, y);
            }
        }
        (Operand::Scalar(x), Operand::Rows(b)) => {
            for (o, &y) in out.iter_mut().zip(b) {
                *o = f(x, y);
            }
        }
        (Operand::Scalar(x), Operand::Scalar(y)) => out.fill(f(x, y)),
    }
}

/// Without selections per row when every number of the block is ordinary. (The loops are written out: a function passed
/// as an argument is not always compiled into them.)
#[inline(always)]
fn logarithm(out: &mut [f64], a: Operand) {
    let a = match a {
        Operand::Rows(a) => a,
        Operand::Scalar(a) => return out.fill(elementary::ln(a)),
    };
    let ordinary = a
        .iter()
        .fold(true, |all, &x| all & elementary::is_ordinary(x));
    if ordinary {
        for (o, &x) in out.iter_mut().zip(a) {
            *o = elementary::ln_normal(x);
        }
    } else {
        for (o, &x) in out.iter_mut().zip(a) {
            *o = elementary::ln(x);
        }
    }
}

#[inline(always)]
fn exponential(out: &mut [f64], a: Operand) {
    match a {
        Operand::Rows(a) => {
            for (o, &x) in out.iter_mut().zip(a) {
                *o = elementary::exp(x);
            }
        }
        Operand::Scalar(a) => out.fill(elementary::exp(a)),
    }
}

#[inline(always)]
fn forward_binary(op: Op, out: &mut [f64], a: Operand, b: Operand) {
    let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
    match op {
        Op::Add => binary(out, a, b, |x, y| x + y),
        Op::Sub => binary(out, a, b, |x, y| x - y),
        Op::Mul => binary(out, a, b, |x, y| x * y),
        Op::Div => binary(out, a, b, |x, y| x / y),
        Op::Pow => power(out, a, b),
        // A NaN operand makes the row invalid later, so the library's care for NaN is not needed; comparisons vectorise.
        Op::Min => binary(out, a, b, |x, y| if x < y || y.is_nan() { x } else { y }),
        Op::Max => binary(out, a, b, |x, y| if x > y || y.is_nan() { x } else { y }),
        Op::Greater => binary(out, a, b, |x, y| truth(x > y)),
        Op::GreaterEqual => binary(out, a, b, |x, y| truth(x >= y)),
        Op::Less => binary(out, a, b, |x, y| truth(x < y)),
        Op::LessEqual => binary(out, a, b, |x, y| truth(x <= y)),
        _ => out.fill(f64::NAN),
    }
}

#[inline(always)]
fn power(out: &mut [f64], a: Operand, b: Operand) {
    match b {
        Operand::Scalar(2.0) => unary(out, a, |x| x * x),
        Operand::Scalar(3.0) => unary(out, a, |x| x * x * x),
        _ => binary(out, a, b, f64::powf),
    }
}

#[inline(always)]
fn choose(out: &mut [f64], condition: Operand, yes: Operand, no: Operand) {
    match condition {
        Operand::Scalar(c) => unary(out, if c == 0.0 { no } else { yes }, |x| x),
        Operand::Rows(condition) => {
            let rows = out.len();
            let pick = |o: &mut f64, c: f64, y: f64, n: f64| *o = if c == 0.0 { n } else { y };
            match (yes, no) {
                (Operand::Rows(y), Operand::Rows(n)) => {
                    for i in 0..rows {
                        pick(&mut out[i], condition[i], y[i], n[i]);
                    }
                }
                (Operand::Rows(y), Operand::Scalar(n)) => {
                    for i in 0..rows {
                        pick(&mut out[i], condition[i], y[i], n);
                    }
                }
                (Operand::Scalar(y), Operand::Rows(n)) => {
                    for i in 0..rows {
                        pick(&mut out[i], condition[i], y, n[i]);
                    }
                }
                (Operand::Scalar(y), Operand::Scalar(n)) => {
                    for i in 0..rows {
                        pick(&mut out[i], condition[i], y, n);
                    }
                }
            }
        }
    }
}
