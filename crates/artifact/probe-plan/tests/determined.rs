//! Which counts follow without some counters, against linear algebra: a count is determined if and only if its unit vector lies in the row
//! space of the balances and of what is counted.

use pricetag_graph::maximum_spanning_forest;
use pricetag_probe_plan::*;
use proptest::prelude::*;

/// Ranks are taken modulo this prime; the matrix is totally unimodular, so they are the same as over the rationals.
const PRIME: i64 = 2_147_483_647;

/// Rows in echelon form.
#[derive(Clone, Default)]
struct Rows(Vec<Vec<i64>>);

impl Rows {
    /// What is left of a row; zero everywhere if the others span it.
    fn reduce(&self, mut row: Vec<i64>) -> Vec<i64> {
        for known in &self.0 {
            let pivot = known.iter().position(|x| *x != 0).unwrap();
            let factor = row[pivot];
            for (x, k) in row.iter_mut().zip(known) {
                *x = (*x - factor * k).rem_euclid(PRIME);
            }
        }
        row
    }

    fn add(&mut self, row: Vec<i64>) {
        let row = self.reduce(row.into_iter().map(|x| x.rem_euclid(PRIME)).collect());
        let Some(&pivot) = row.iter().find(|x| **x != 0) else {
            return;
        };
        let inverse = power(pivot, PRIME - 2);
        self.0
            .push(row.iter().map(|x| x * inverse % PRIME).collect());
    }

    fn spans(&self, row: Vec<i64>) -> bool {
        self.reduce(row).iter().all(|x| *x == 0)
    }
}

fn power(mut base: i64, mut exponent: i64) -> i64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % PRIME;
        }
        base = base * base % PRIME;
        exponent >>= 1;
    }
    result
}

/// Blocks of one instruction; with `throws` it is an `athrow` without throw point, as in a constructor before `super()`.
fn method(throws: &[bool], edges: &[(u32, u32, bool)]) -> MethodPlan {
    let n = throws.len() as u32;
    let block = |(b, throws): (u16, &bool)| BlockPlan {
        start: Pc(b),
        end: u32::from(b) + 1,
        loop_depth: 1,
        innermost_loop: Some(0),
        instructions: vec![Instruction {
            pc: Pc(b),
            opcode: if *throws { 0xbf } else { 0 },
        }],
        lines: Vec::new(),
        calls: Vec::new(),
    };
    let mut next = 0;
    let mut edge = |&(from, to, counted): &(u32, u32, bool)| {
        next += u32::from(counted);
        EdgePlan {
            from: if from < n {
                Node::Block(BlockId(from))
            } else {
                Node::Entry
            },
            to: if to < n {
                Node::Block(BlockId(to))
            } else {
                Node::Exit
            },
            kind: EdgeKind::Jump,
            counter: counted.then(|| CounterIndex(next - 1)),
        }
    };
    MethodPlan {
        name: "m".into(),
        descriptor: "()V".into(),
        code_bytes: n,
        blocks: (0..).zip(throws).map(block).collect(),
        edges: edges.iter().map(&mut edge).collect(),
        loops: vec![LoopPlan {
            header: BlockId(0),
            parent: None,
            depth: 1,
            back_edges: Vec::new(),
            entry_edges: Vec::new(),
            reducible: false,
        }],
        removed_loops: vec![0],
        ..MethodPlan::default()
    }
}

/// The balances of all blocks, before and behind the instruction, of the caller, and the counters.
fn equations(plan: &MethodPlan) -> Rows {
    let (edges, blocks) = (plan.edges.len(), plan.blocks.len());
    let throws = plan.uncounted_throws();
    let width = edges + blocks + throws.len();
    let mut rows = Rows::default();
    for b in 0..=blocks {
        let caller = b == blocks;
        let is = |node: Node| match node {
            Node::Block(id) => id.0 as usize == b,
            Node::Entry | Node::Exit => caller,
        };
        let (mut entrance, mut exit) = (vec![0; width], vec![0; width]);
        for (e, edge) in plan.edges.iter().enumerate() {
            entrance[e] += i64::from(is(edge.to));
            exit[e] -= i64::from(is(edge.from));
        }
        for (t, block) in throws.iter().enumerate() {
            entrance[edges + blocks + t] += i64::from(caller);
            exit[edges + blocks + t] -= i64::from(block.0 as usize == b);
        }
        if caller {
            rows.add(entrance.iter().zip(&exit).map(|(a, b)| a + b).collect());
        } else {
            entrance[edges + b] -= 1;
            exit[edges + b] += 1;
            rows.add(entrance);
            rows.add(exit);
        }
    }
    for e in (0..edges).filter(|e| plan.edges[*e].counter.is_some()) {
        rows.add(unit(width, e));
    }
    rows
}

fn unit(width: usize, at: usize) -> Vec<i64> {
    let mut row = vec![0; width];
    row[at] = 1;
    row
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn what_follows_is_what_the_balances_determine(
        throws in prop::collection::vec(prop::bool::weighted(0.2), 1..8),
        edges in prop::collection::vec((0u32..9, 0u32..9, prop::bool::weighted(0.4)), 1..16),
    ) {
        let n = throws.len() as u32;
        let ends = edges.into_iter().map(|(a, b, counted)| (a.min(n), b.min(n), counted));
        // From the caller to the caller leads no edge.
        let edges: Vec<_> = ends.filter(|e| e.0 < n || e.1 < n).collect();
        let plan = method(&throws, &edges);
        let counts = plan.derive(&vec![0; edges.len()], &[]).expect("nothing ran");
        let rows = equations(&plan);
        let width = edges.len() + throws.len() + plan.uncounted_throws().len();
        let found = counts.edges.iter().chain(&counts.blocks);
        for (x, count) in found.enumerate() {
            prop_assert_eq!(count.is_some(), rows.spans(unit(width, x)), "unknown {} of {}", x, &plan);
        }
        for (t, block) in plan.uncounted_throws().iter().enumerate() {
            let determined = rows.spans(unit(width, edges.len() + throws.len() + t));
            prop_assert_eq!(counts.throws[block.0 as usize].is_some(), determined);
        }
    }
}

/// Whether the counts of all listed blocks are determined if these edges have counters.
fn determined(plan: &MethodPlan, counted: &[bool]) -> bool {
    let mut plan = plan.clone();
    set(&mut plan, counted);
    let rows = equations(&plan);
    let width = plan.edges.len() + plan.blocks.len() + plan.uncounted_throws().len();
    let mut listed = plan.listed_blocks.iter().flatten();
    listed.all(|b| rows.spans(unit(width, plan.edges.len() + b.0 as usize)))
}

fn set(plan: &mut MethodPlan, counted: &[bool]) {
    for (number, (edge, counted)) in (0..).zip(plan.edges.iter_mut().zip(counted)) {
        edge.counter = counted.then_some(CounterIndex(number));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The counters that a list needs are those that are left when one after another is taken away, the dearest first, as long as linear algebra says that the
    /// counts of all listed blocks are determined.
    #[test]
    fn listed_blocks_are_determined_by_the_counters_they_need(
        throws in prop::collection::vec(prop::bool::weighted(0.2), 1..8),
        edges in prop::collection::vec((0u32..9, 0u32..9, 1u64..1000), 1..16),
        listed in any::<u8>(),
    ) {
        let n = throws.len() as u32;
        let ends = edges.into_iter().map(|(a, b, weight)| (a.min(n), b.min(n), weight));
        let edges: Vec<_> = ends.filter(|e| e.0 < n || e.1 < n).collect();
        let ways: Vec<_> = edges.iter().map(|&(a, b, _)| (a, b, false)).collect();
        let mut plan = method(&throws, &ways);
        plan.removed_loops.clear();
        let listed = (0..n).filter(|b| listed >> b & 1 == 1).map(BlockId);
        plan.listed_blocks = Some(listed.collect());
        let caller = plan.uncounted_throws().into_iter().map(|b| (b.0, n, u64::MAX));
        let candidates: Vec<_> = edges.iter().copied().chain(caller).collect();
        let in_tree = maximum_spanning_forest(n + 1, &candidates);
        let outside: Vec<bool> = in_tree[..edges.len()].iter().map(|tree| !tree).collect();

        let needed = plan.needed(outside.clone());
        let mut greedy = outside;
        let mut dearest: Vec<usize> = (0..edges.len()).filter(|e| greedy[*e]).collect();
        dearest.sort_by_key(|e| std::cmp::Reverse(edges[*e].2));
        prop_assert!(determined(&plan, &greedy), "with all counters: {}", &plan);
        for e in dearest {
            greedy[e] = false;
            greedy[e] = !determined(&plan, &greedy);
        }
        prop_assert_eq!(&needed, &greedy, "{}", &plan);

        set(&mut plan, &needed);
        let counts = plan.derive(&vec![0; edges.len()], &[]).expect("nothing ran");
        for block in plan.listed_blocks.iter().flatten() {
            prop_assert_eq!(counts.blocks[block.0 as usize], Some(0), "{:?} of {}", block, &plan);
        }
    }
}
