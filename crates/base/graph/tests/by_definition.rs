//! Every result is compared with its definition, on random graphs small enough to enumerate.

use pricetag_graph::{
    Digraph, Dominators, LoopNest, bridges, maximum_spanning_forest, strongly_connected,
};
use proptest::prelude::*;

fn graphs() -> impl Strategy<Value = Digraph> {
    (1u32..10).prop_flat_map(|n| {
        prop::collection::vec((0..n, 0..n), 0..24).prop_map(move |edges| Digraph::new(n, edges))
    })
}

/// Nodes reachable from `root` by paths of any length (zero included) that never touch `removed`.
fn reach(g: &Digraph, root: u32, removed: Option<u32>) -> Vec<bool> {
    let mut seen = vec![false; g.nodes() as usize];
    let mut stack: Vec<u32> = Some(root)
        .filter(|r| Some(*r) != removed)
        .into_iter()
        .collect();
    while let Some(n) = stack.pop() {
        if !std::mem::replace(&mut seen[n as usize], true) {
            stack.extend(g.successors(n).filter(|&s| Some(s) != removed));
        }
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_dominator_cuts_all_paths(g in graphs()) {
        let dominators = Dominators::of(&g, 0);
        let reachable = reach(&g, 0, None);
        for a in g.node_range() {
            let without = reach(&g, 0, Some(a));
            for b in g.node_range() {
                let expected = reachable[b as usize] && reachable[a as usize] && (a == b || !without[b as usize]);
                prop_assert_eq!(dominators.dominates(a, b), expected, "{} dominates {}", a, b);
            }
            // The immediate dominator is the strict dominator that every other strict dominator dominates.
            if let Some(i) = dominators.immediate(a) {
                prop_assert!(i != a && dominators.dominates(i, a));
                for d in g.node_range().filter(|&d| d != a && dominators.dominates(d, a)) {
                    prop_assert!(dominators.dominates(d, i));
                }
            } else {
                prop_assert!(a == 0 || !reachable[a as usize]);
            }
        }
    }

    #[test]
    fn a_post_dominator_cuts_all_paths_to_the_exits(g in graphs(), exit in 0u32..10) {
        let exit = exit % g.nodes();
        let post = Dominators::post(&g, &[exit]);
        for a in g.node_range() {
            for b in g.node_range() {
                let ends = reach(&g, b, None)[exit as usize];
                let cut = !reach(&g, b, Some(a))[exit as usize];
                let a_ends = reach(&g, a, None)[exit as usize];
                prop_assert_eq!(post.dominates(a, b), ends && a_ends && (a == b || cut));
            }
        }
    }

    #[test]
    fn components_are_mutual_reachability(g in graphs()) {
        let parts = strongly_connected(&g);
        let reach: Vec<_> = g.node_range().map(|n| reach(&g, n, None)).collect();
        for a in g.node_range() {
            for b in g.node_range() {
                let mutual = reach[a as usize][b as usize] && reach[b as usize][a as usize];
                prop_assert_eq!(parts.of(a) == parts.of(b), mutual);
                // Reverse topological numbering.
                if reach[a as usize][b as usize] {
                    prop_assert!(parts.of(a) >= parts.of(b));
                }
            }
        }
    }

    #[test]
    fn reducible_loops_are_the_natural_loops(g in graphs()) {
        let nest = LoopNest::of(&g, &g.reverse_postorder(0));
        let dominators = Dominators::of(&g, 0);
        let reachable = reach(&g, 0, None);
        for l in nest.loops().iter().filter(|l| l.reducible) {
            // Header dominates the loop, and the loop is what reaches the back edges without passing the header.
            for &n in &l.nodes {
                prop_assert!(dominators.dominates(l.header, n));
            }
            let mut natural = vec![false; g.nodes() as usize];
            natural[l.header as usize] = true;
            for n in g.node_range().filter(|&n| n != l.header && reachable[n as usize]) {
                let paths = reach(&g, n, Some(l.header));
                natural[n as usize] = l.back_edges.iter().any(|&e| paths[g.ends(e).0 as usize]);
            }
            let members: Vec<u32> = g.node_range().filter(|&n| natural[n as usize]).collect();
            prop_assert_eq!(&l.nodes, &members);
        }
    }

    #[test]
    fn every_back_edge_in_dominance_has_its_loop(g in graphs()) {
        let nest = LoopNest::of(&g, &g.reverse_postorder(0));
        let dominators = Dominators::of(&g, 0);
        for e in 0..g.edges() {
            let (from, to) = g.ends(e);
            // In an irreducible region the header may be another node; it then contains the natural loop.
            if dominators.dominates(to, from) {
                prop_assert!(nest.loops().iter().any(|l| l.nodes.contains(&from) && l.nodes.contains(&to)));
            }
        }
    }

    #[test]
    fn loops_nest_and_cover_all_cycles(g in graphs()) {
        let nest = LoopNest::of(&g, &g.reverse_postorder(0));
        let reachable = reach(&g, 0, None);
        let parts = strongly_connected(&g);
        for n in g.node_range() {
            let cyclic = parts.of(n).is_some_and(|p| parts.members_of(p).len() > 1) || g.successors(n).any(|s| s == n);
            prop_assert_eq!(nest.depth(n) > 0, reachable[n as usize] && cyclic);
            let around = nest.loops().iter().filter(|l| l.nodes.contains(&n)).count() as u32;
            prop_assert_eq!(nest.depth(n), around);
        }
        for (i, l) in nest.loops().iter().enumerate() {
            if let Some(p) = l.parent {
                prop_assert!((p as usize) < i);
                let outer = &nest.loops()[p as usize];
                prop_assert!(l.nodes.iter().all(|n| outer.nodes.contains(n)) && l.nodes.len() <= outer.nodes.len());
                prop_assert_eq!(l.depth, outer.depth + 1);
            } else {
                prop_assert_eq!(l.depth, 1);
            }
            // Strongly connected even on its own.
            let inner = Digraph::new(g.nodes(), (0..g.edges()).map(|e| g.ends(e)).filter(|(a, b)| l.nodes.contains(a) && l.nodes.contains(b)));
            for &n in &l.nodes {
                prop_assert!(l.nodes.iter().all(|&m| reach(&inner, n, None)[m as usize]));
            }
            // Entries and back edges by definition; a reducible loop has no other way in than its header.
            for e in 0..g.edges() {
                let (from, to) = g.ends(e);
                let enters = reachable[from as usize] && !l.nodes.contains(&from) && l.nodes.contains(&to);
                prop_assert_eq!(l.entry_edges.contains(&e), enters);
                prop_assert_eq!(l.back_edges.contains(&e), l.nodes.contains(&from) && to == l.header);
                prop_assert!(!(l.reducible && enters && to != l.header));
            }
            // The header lies on every cycle that no nested loop covers: without it and them nothing cycles.
            let covered = |n: u32| nest.innermost(n) != Some(i as u32);
            let rest = Digraph::new(g.nodes(), (0..g.edges()).map(|e| g.ends(e)).filter(|&(a, b)| l.nodes.contains(&a) && l.nodes.contains(&b) && a != l.header && b != l.header && !covered(a) && !covered(b)));
            prop_assert!(strongly_connected(&rest).members().all(|m| m.len() == 1));
        }
    }

    #[test]
    fn the_spanning_forest_is_acyclic_connecting_and_heaviest(
        n in 1u32..6, edges in prop::collection::vec((0u32..6, 0u32..6, 0u64..5), 0..9)
    ) {
        let edges: Vec<_> = edges.into_iter().map(|(a, b, w)| (a % n, b % n, w)).collect();
        let chosen = maximum_spanning_forest(n, &edges);
        let weight: u64 = edges.iter().zip(&chosen).filter(|(_, c)| **c).map(|(e, _)| e.2).sum();
        let size = chosen.iter().filter(|c| **c).count();
        // Compare with all subsets of edges that are forests of the same size; size itself is the maximum.
        let mut best = (0, 0);
        for mask in 0u32..1 << edges.len() {
            let subset: Vec<_> = edges.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1).map(|(_, e)| *e).collect();
            if is_forest(n, &subset) {
                best = best.max((subset.len(), subset.iter().map(|e| e.2).sum()));
            }
        }
        prop_assert_eq!((size, weight), best);
        prop_assert!(is_forest(n, &edges.iter().zip(&chosen).filter(|(_, c)| **c).map(|(e, _)| *e).collect::<Vec<_>>()));
    }

    #[test]
    fn without_a_bridge_its_ends_are_apart(n in 1u32..9, edges in prop::collection::vec((0u32..9, 0u32..9), 0..14)) {
        let edges: Vec<_> = edges.into_iter().map(|(a, b)| (a % n, b % n)).collect();
        let found = bridges(n, &edges);
        for (number, &(a, b)) in edges.iter().enumerate() {
            let others = edges.iter().enumerate().filter(|(other, _)| *other != number);
            let both_ways = others.flat_map(|(_, &(a, b))| [(a, b), (b, a)]);
            let without = Digraph::new(n, both_ways.collect::<Vec<_>>());
            prop_assert_eq!(found[number], !reach(&without, a, None)[b as usize], "edge {} of {:?}", number, &edges);
        }
    }
}

/// By removing leaves until nothing is left.
fn is_forest(n: u32, edges: &[(u32, u32, u64)]) -> bool {
    let mut rest: Vec<_> = edges.to_vec();
    loop {
        let degree = |node: u32, rest: &[(u32, u32, u64)]| -> usize {
            rest.iter()
                .map(|e| usize::from(e.0 == node) + usize::from(e.1 == node))
                .sum()
        };
        let Some(leaf) = (0..n).find(|&node| degree(node, &rest) == 1) else {
            return rest.is_empty();
        };
        rest.retain(|e| e.0 != leaf && e.1 != leaf);
    }
}

/// Reaching definitions of one variable: node `n` defines it as `n` if its bit is set.
struct Reaching(u32);

impl pricetag_graph::Analysis for Reaching {
    type Fact = u32;
    type Error = std::convert::Infallible;
    fn transfer(
        &self,
        node: u32,
        fact: &u32,
        out: &mut Vec<(u32, u32)>,
    ) -> Result<(), Self::Error> {
        let after = if self.0 >> node & 1 == 1 {
            1 << node
        } else {
            *fact
        };
        out.extend((node * 16..node * 16 + 16).map(|edge| (edge, after)));
        Ok(())
    }
    fn join(&self, _: u32, fact: &mut u32, new: u32) -> Result<bool, Self::Error> {
        let old = std::mem::replace(fact, *fact | new);
        Ok(old != *fact)
    }
}

proptest! {
    #[test]
    fn reaching_definitions_follow_paths(targets in prop::collection::vec(0u32..6, 96), defines in 0u32..64) {
        // Six nodes with sixteen edges each.
        let g = Digraph::new(6, targets.iter().enumerate().map(|(i, &t)| (i as u32 / 16, t)));
        let facts = pricetag_graph::solve(&g, &g.reverse_postorder(0), 0, &Reaching(defines)).unwrap();
        for d in (0..6).filter(|d| defines >> d & 1 == 1) {
            // d reaches n if a path from a successor of d leads to n without passing another definition on the way.
            let open = Digraph::new(6, (0..96).map(|e| g.ends(e)).filter(|(from, _)| defines >> from & 1 == 0));
            let live = reach(&g, 0, None)[d as usize];
            for n in 0..6 {
                let expected = live && g.successors(d).any(|s| reach(&open, s, None)[n as usize]);
                prop_assert_eq!(facts[n as usize].is_some_and(|f| f >> d & 1 == 1), expected);
            }
        }
    }
}

#[test]
fn hecht_and_ullmans_irreducible_triangle() {
    // 0 branches into both nodes of a two-node cycle.
    let g = Digraph::new(3, [(0, 1), (0, 2), (1, 2), (2, 1)]);
    let nest = LoopNest::of(&g, &g.reverse_postorder(0));
    assert_eq!(nest.loops().len(), 1);
    assert!(!nest.loops()[0].reducible);
    assert_eq!(nest.loops()[0].header, 1);
    assert_eq!(nest.loops()[0].entry_edges, [0, 1]);
}

#[test]
fn deep_graphs_do_not_overflow_the_stack() {
    let n = 200_000;
    let g = Digraph::new(n, (0..n - 1).map(|i| (i, i + 1)));
    assert_eq!(strongly_connected(&g).members().len(), n as usize);
    assert!(Dominators::of(&g, 0).dominates(7, n - 1));
    assert!(LoopNest::of(&g, &g.reverse_postorder(0)).loops().is_empty());
}
