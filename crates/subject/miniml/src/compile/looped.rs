//! Dependent chains of loops: operations between a variable's value and the one that the next round finds in it.
//!
//! Each loop has one chain, its longest by about how many cycles the operations wait; the chains of all loops of a recursive definition (or
//! of what is in none) add up, since the loops run one after the other. Limits: chains through references that live on the heap, through
//! elements of arrays and fields of records, and through called functions are not seen.

use std::collections::BTreeMap;

use super::chain::{Chained, Flow, Name};
use crate::code::{Chain, LOOP};
use crate::core::{Expr, Operator, VarId};

/// Adds the chains of all loops inside.
pub(super) fn find(e: &Expr, chained: &mut Chained) {
    if let Expr::While(_, body) | Expr::For(_, _, _, _, body) = e {
        for (operation, membership) in longest(body) {
            let known = chained.entry(operation).or_default();
            known.chains.extend(membership.chains);
            known.second.extend(membership.second);
        }
    }
    e.children().into_iter().for_each(|c| find(c, chained));
}

/// What a round assigns to variables from outside of it.
fn assignments<'p>(e: &'p Expr, inside: &mut Vec<VarId>, all: &mut Vec<(VarId, &'p Expr)>) {
    match e {
        // Another function's: its calls are no rounds of this loop.
        Expr::Lambda(_) => return,
        Expr::Mutable(v, ..) => inside.push(*v),
        Expr::Assign(v, value) => all.push((*v, value)),
        _ => {}
    }
    for child in e.children() {
        assignments(child, inside, all);
    }
}

/// The operations of the longest chain.
fn longest(body: &Expr) -> Chained {
    let (mut inside, mut assigned) = (vec![], vec![]);
    assignments(body, &mut inside, &mut assigned);
    assigned.retain(|(v, _)| !inside.contains(v));
    let mut variables: Vec<VarId> = assigned.iter().map(|(v, _)| *v).collect();
    variables.sort_unstable();
    variables.dedup();
    let place = |v: VarId| variables.binary_search(&v).unwrap_or_default();
    let mut flow = Flow::new(Name::None, 0);
    for v in &variables {
        flow.start(*v, place(*v) as Chain);
    }
    // Variables that are bound on the way are known once the body was gone through.
    flow.sources(body);
    let n = variables.len();
    let mut into = vec![vec![false; n]; n];
    for (v, value) in &assigned {
        for source in flow.sources(value) {
            if let Some(row) = into.get_mut(source as usize) {
                row[place(*v)] = true;
            }
        }
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                into[i][j] |= into[i][k] && into[k][j];
            }
        }
    }
    let round = (0..n).filter(|v| into[*v][*v]).map(|around| {
        let mut marked = Chained::new();
        // Variables that go round together are one chain.
        let together = |v: usize| into[around][v] && into[v][around];
        for (_, value) in assigned.iter().filter(|(v, _)| together(place(*v))) {
            for source in (0..n).filter(|s| together(*s)) {
                flow.mark(value, source as Chain, LOOP, &mut marked, 0);
            }
        }
        marked
    });
    let all: Vec<Chained> = round.collect();
    let waits = waits(body);
    all.into_iter()
        .max_by_key(|chain| {
            chain
                .keys()
                .map(|at| waits.get(at).copied().unwrap_or(1))
                .sum::<u64>()
        })
        .unwrap_or_default()
}

/// About how many cycles the result of each operation is waited for.
fn waits(e: &Expr) -> BTreeMap<usize, u64> {
    let mut all = BTreeMap::new();
    let mut todo = vec![e];
    while let Some(e) = todo.pop() {
        if let Expr::Operate(operator, ..) = e {
            let cycles = match operator {
                Operator::ArrayGet
                | Operator::ArrayUnsafeGet
                | Operator::StringGet
                | Operator::BytesUnsafeGet => 5,
                Operator::IntMul | Operator::FloatAdd | Operator::FloatSub | Operator::FloatMul => {
                    4
                }
                Operator::IntDiv | Operator::IntMod | Operator::FloatDiv | Operator::FloatSqrt => {
                    14
                }
                _ => 1,
            };
            all.insert(std::ptr::from_ref(e).addr(), cycles);
        }
        todo.extend(e.children());
    }
    all
}
