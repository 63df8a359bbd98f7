//! What a recurrent sequence looks like, as what can be found again.

use pricetag_events::Symbol;

use super::grammar::{NODE, Node, Rule};

/// Kinds of invocation in a shape at most: more are not looked for.
const LONGEST: usize = 400;

/// Invocations in order, loops within loops; a loop turns twice or more, however often it did elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub(super) parts: Vec<Part>,
}

/// A part of a shape.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// An invocation.
    Call(Symbol),
    /// What is repeated.
    Loop(Vec<Part>),
}

impl Shape {
    /// Kinds of invocation in it, each once, in the order of their numbers.
    pub fn kinds(&self) -> Vec<Symbol> {
        let mut kinds = Vec::new();
        let mut pending: Vec<&Part> = self.parts.iter().collect();
        while let Some(part) = pending.pop() {
            match part {
                Part::Call(symbol) => kinds.push(*symbol),
                Part::Loop(parts) => pending.extend(parts),
            }
        }
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

/// The shape of a symbol of the grammar, or none if it is too long.
pub(super) fn shape(token: u32, nodes: &[Node]) -> Option<Shape> {
    let mut room = LONGEST;
    let parts = parts(token, nodes, &mut room)?;
    Some(Shape { parts })
}

fn parts(token: u32, nodes: &[Node], room: &mut usize) -> Option<Vec<Part>> {
    let mut out = Vec::new();
    // As in `steps`: pairs are as deep as they are long.
    let mut pending = vec![token];
    while let Some(token) = pending.pop() {
        let rule = (token & NODE != 0).then(|| nodes[(token & !NODE) as usize].rule);
        match rule {
            Some(Rule::Pair(a, b)) => pending.extend([b, a]),
            Some(Rule::Loop(body)) => {
                *room = room.checked_sub(1)?;
                out.push(Part::Loop(parts(body, nodes, room)?));
            }
            None => {
                *room = room.checked_sub(1)?;
                out.push(Part::Call(Symbol(token)));
            }
        }
    }
    Some(out)
}
