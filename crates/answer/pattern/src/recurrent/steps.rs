//! A pattern in words: calls in order, loops within loops.

use pricetag_events::{Dictionary, Symbol};
use serde::Serialize;

use super::grammar::{NODE, Node, Rule};

/// A step of a pattern.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// An invocation.
    Call {
        /// The method, with the class that declares it.
        method: String,
        /// The receiver's class, if it is another.
        #[serde(skip_serializing_if = "Option::is_none")]
        receiver: Option<String>,
    },
    /// Steps that are repeated.
    Loop {
        /// How often on average.
        turns: f64,
        /// What is repeated.
        steps: Vec<Step>,
    },
    /// There is more: so many steps are not written down.
    More(u64),
}

/// Steps written down, loops and their contents counted alike.
const LONGEST: usize = 60;

/// Loops within loops that are written down.
const DEEPEST: usize = 12;

/// The steps of a symbol of the grammar.
pub(crate) fn steps(token: u32, nodes: &[Node], dictionary: &Dictionary) -> Vec<Step> {
    let mut room = LONGEST;
    of(token, nodes, dictionary, &mut room, 0)
}

fn of(
    token: u32,
    nodes: &[Node],
    dictionary: &Dictionary,
    room: &mut usize,
    depth: usize,
) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut left = 0;
    // Pairs lean to either side, as deep as they are long: no recursion.
    let mut pending = vec![token];
    while let Some(token) = pending.pop() {
        let rule = (token & NODE != 0).then(|| nodes[(token & !NODE) as usize].rule);
        if let Some(Rule::Pair(a, b)) = rule
            && *room > 0
        {
            pending.extend([b, a]);
            continue;
        }
        if *room == 0 || depth >= DEEPEST {
            left += 1;
            continue;
        }
        *room -= 1;
        match rule {
            Some(Rule::Loop(body)) => {
                let node = &nodes[(token & !NODE) as usize];
                steps.push(Step::Loop {
                    turns: node.turns as f64 / node.count as f64,
                    steps: of(body, nodes, dictionary, room, depth + 1),
                });
            }
            _ => steps.push(call(Symbol(token), dictionary)),
        }
    }
    if left > 0 {
        steps.push(Step::More(left));
    }
    steps
}

fn call(symbol: Symbol, dictionary: &Dictionary) -> Step {
    let Some(kind) = dictionary.kinds.get(symbol.index()) else {
        return Step::More(1);
    };
    let class = dictionary.method_class(symbol);
    Step::Call {
        method: dictionary.method_name(kind.method),
        receiver: (class != Some(kind.receiver)).then(|| dictionary.class_name(kind.receiver)),
    }
}
