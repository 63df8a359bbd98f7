//! What is folded expands to the same, by the rules of the grammar.

use super::*;
use proptest::prelude::*;

fn expand(arena: &[Derived], at: usize, out: &mut Vec<u32>) {
    match &arena[at] {
        Derived::Kind(kind) => out.push(*kind),
        Derived::Pair(a, b) => {
            expand(arena, *a, out);
            expand(arena, *b, out);
        }
        Derived::Loop(parts) => {
            for &part in parts {
                expand(arena, part, out);
            }
        }
    }
}

/// Folds and expands, and checks what is said of the parts.
fn check(grammar: &mut Grammar, events: &[u32]) {
    let symbols: Vec<Symbol> = events.iter().map(|&e| Symbol(e)).collect();
    grammar.derivation = Some((Vec::new(), Vec::new()));
    grammar.push(&symbols, Spot::default(), Some(&[1.0; 100]));
    let Some((arena, derived)) = &grammar.derivation else {
        unreachable!();
    };
    let mut again = Vec::new();
    let pairs = derived.iter().zip(&grammar.tokens).zip(&grammar.lengths);
    for ((&at, &token), &length) in pairs {
        let before = again.len();
        expand(arena, at, &mut again);
        assert_eq!(again.len() - before, length as usize);
        follows(grammar, arena, at, token);
    }
    assert_eq!(again, events);
    for node in &grammar.nodes {
        assert!((node.ns - node.events as f64).abs() < 1e-6);
    }
}

/// The derivation is one that the grammar's rules allow.
fn follows(grammar: &Grammar, arena: &[Derived], at: usize, token: u32) {
    if token & NODE == 0 {
        assert_eq!(arena[at], Derived::Kind(token));
        return;
    }
    match (grammar.nodes[(token & !NODE) as usize].rule, &arena[at]) {
        (Rule::Pair(a, b), Derived::Pair(x, y)) => {
            follows(grammar, arena, *x, a);
            follows(grammar, arena, *y, b);
        }
        (Rule::Loop(a), Derived::Loop(turns)) => {
            assert!(turns.len() >= 2);
            for &turn in turns {
                follows(grammar, arena, turn, a);
            }
        }
        (rule, derived) => panic!("{rule:?} gave {derived:?}"),
    }
}

#[test]
fn nested_loops_become_one_symbol() {
    let mut events = Vec::new();
    for turn in 0..40 {
        events.push(1);
        for _ in 0..2 + turn % 5 {
            events.extend([2, 3]);
        }
        events.push(4);
    }
    let mut grammar = Grammar::new(1);
    check(&mut grammar, &events);
    assert_eq!(grammar.tokens.len(), 1, "{:?}", grammar.nodes);
    let top = &grammar.nodes[(grammar.tokens[0] & !NODE) as usize];
    assert!(matches!(top.rule, Rule::Loop(_)));
    assert_eq!(
        (top.count, top.turns, top.events),
        (1, 40, events.len() as u64)
    );
}

#[test]
fn a_full_dictionary_forgets_what_is_rare() {
    let mut grammar = Grammar::new(3);
    let symbols: Vec<Symbol> = (0..4000_u32).map(|i| Symbol(i % 50)).collect();
    grammar.push(&symbols, Spot::default(), None);
    let frequent = grammar.nodes.iter().map(|n| n.count).max();
    for id in 0..MOST_NODES as u32 {
        let slot = grammar.entry(100 + id, 7);
        grammar.occur(
            slot,
            Rule::Pair(100 + id, 7),
            1,
            (2, None),
            0,
            Spot::default(),
        );
    }
    grammar.push(&symbols, Spot::default(), None);
    assert!(grammar.forgotten > 1000 && grammar.nodes.len() <= MOST_NODES);
    let after = grammar.nodes.iter().map(|n| n.count).max();
    assert!(after > frequent, "{after:?} {frequent:?}");
    for (id, node) in grammar.nodes.iter().enumerate() {
        assert!(parts(node.rule).all(|part| part < id));
    }
}

fn sequence() -> impl Strategy<Value = Vec<u32>> {
    let leaf = prop::collection::vec(0..6_u32, 1..6);
    let nested = leaf.prop_recursive(4, 400, 5, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 1..4)).prop_map(|parts| parts.concat()),
            (inner, 1..9_usize).prop_map(|(part, times)| part.repeat(times)),
        ]
    });
    nested.prop_filter("not too long", |events| events.len() < 20_000)
}

proptest! {
    #[test]
    fn what_is_folded_expands_to_the_same(sequences in prop::collection::vec(sequence(), 1..5)) {
        let mut grammar = Grammar::new(1);
        for events in sequences {
            check(&mut grammar, &events);
        }
    }
}
