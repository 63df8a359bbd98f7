//! Which numbers are natural if those of the parameters are: the greatest solution, so what recursion keeps natural is.
//!
//! A test for zero tells of a natural number that one comes before it; of another number it tells nothing.

use super::{Atom, Block, Entry, Question, Right, Shape, Step, Var};

struct Natural {
    of: Vec<bool>,
    /// Variables with numbers in them, outside of data.
    numbers: Vec<bool>,
    results: Vec<bool>,
    parameters: Vec<Vec<Var>>,
    changed: bool,
    /// Numbers before others that were tested for zero and may be negative.
    unsure: Vec<Var>,
}

/// Marks the variables; returns those named by tests for zero that tell nothing.
pub(super) fn mark(entry: &mut Entry) -> Vec<Var> {
    let mut natural = Natural {
        of: vec![true; entry.shapes.len()],
        numbers: entry.shapes.iter().map(has_number).collect(),
        results: vec![true; entry.functions.len()],
        parameters: entry
            .functions
            .iter()
            .map(|f| f.parameters.clone())
            .collect(),
        changed: true,
        unsure: vec![],
    };
    while natural.changed {
        natural.changed = false;
        natural.unsure.clear();
        natural.block(&entry.body);
        for (i, function) in entry.functions.iter().enumerate() {
            let result = natural.block(&function.body);
            if natural.results[i] && !result {
                natural.results[i] = false;
                natural.changed = true;
            }
        }
    }
    entry.natural = natural.of;
    natural.unsure
}

fn has_number(shape: &Shape) -> bool {
    match shape {
        Shape::Number => true,
        Shape::Tuple(parts) => parts.iter().any(has_number),
        _ => false,
    }
}

impl Natural {
    fn atom(&self, atom: Atom) -> bool {
        match atom {
            Atom::Constant(n) => n >= 0,
            Atom::Var(v) => self.of[v as usize],
        }
    }

    fn set(&mut self, var: Var, natural: bool) {
        if self.numbers[var as usize] && self.of[var as usize] && !natural {
            self.of[var as usize] = false;
            self.changed = true;
        }
    }

    fn block(&mut self, block: &Block) -> bool {
        for step in &block.steps {
            if let Step::Bind(var, right) = step {
                let natural = self.right(right);
                self.set(*var, natural);
            }
        }
        block.value.is_none_or(|v| self.atom(v))
    }

    fn right(&mut self, right: &Right) -> bool {
        match right {
            Right::Same(a) => self.atom(*a),
            Right::Build(..) => true,
            Right::Tuple(parts) => parts.iter().all(|a| self.atom(*a)),
            Right::Part(v, _) => self.of[*v as usize],
            Right::Sum(a, b) => self.atom(*a) && self.atom(*b),
            Right::AtMost(_, like) => like.is_some_and(|a| self.atom(a)),
            Right::Less(..) | Right::Unknown => false,
            Right::Call(function, arguments) => {
                for (i, argument) in arguments.iter().enumerate() {
                    let natural = self.atom(*argument);
                    self.set(self.parameters[*function][i], natural);
                }
                self.results[*function]
            }
            Right::Case(of, arms, question) => {
                let known = match question {
                    Question::Constructor => false,
                    Question::Positive => true,
                    Question::Zero => self.of[*of as usize],
                };
                let mut all = true;
                for arm in arms {
                    for field in &arm.fields {
                        self.set(*field, known);
                        if *question == Question::Zero && !known {
                            self.unsure.push(*field);
                        }
                    }
                    all &= self.block(&arm.block);
                }
                all
            }
            Right::Choice(blocks) => {
                let mut all = true;
                for block in blocks {
                    all &= self.block(block);
                }
                all
            }
        }
    }
}
