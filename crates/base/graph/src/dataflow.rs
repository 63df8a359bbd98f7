//! Data-flow problems solved by a worklist in reverse post-order.
//!
//! Source: Kildall 1973, "A unified approach to global program optimization"; Kam & Ullman 1976. Deviation: facts are
//! sent along *edges*, not out of nodes, because the exceptional edges of one block carry other facts than the normal
//! ones. Terminates if every chain of joins is finite; an edge may also stay silent, i.e. not be taken at all.
//! Backward problems run on [`Digraph::reversed`].

use crate::Digraph;

/// A data-flow problem.
pub trait Analysis {
    /// What is known on entry to a node.
    type Fact: Clone;
    /// What goes wrong with a malformed program.
    type Error;

    /// Sends, for each edge out of `node` that may be taken, the fact that arrives over it: pushes `(edge, fact)`, given
    /// the fact at the start of `node`.
    fn transfer(
        &self,
        node: u32,
        fact: &Self::Fact,
        out: &mut Vec<(u32, Self::Fact)>,
    ) -> Result<(), Self::Error>;

    /// Joins `new` into `fact` at `node`; whether `fact` changed.
    fn join(&self, node: u32, fact: &mut Self::Fact, new: Self::Fact) -> Result<bool, Self::Error>;
}

/// The least fixpoint: per node the fact at its start, none where no fact ever arrives. `order` is a reverse post-order of what can be
/// reached from its first node, at which `start` holds.
///
/// # Errors
/// The first error of the analysis, in worklist order.
pub fn solve<A: Analysis>(
    graph: &Digraph,
    order: &[u32],
    start: A::Fact,
    analysis: &A,
) -> Result<Vec<Option<A::Fact>>, A::Error> {
    let mut rank = vec![u32::MAX; graph.nodes() as usize];
    for (i, &node) in order.iter().enumerate() {
        rank[node as usize] = i as u32;
    }
    let mut facts: Vec<Option<A::Fact>> = vec![None; graph.nodes() as usize];
    facts[order[0] as usize] = Some(start);
    let mut pending = Pending::of(order.len());
    pending.insert(0);
    let mut out = Vec::new();
    while let Some(next) = pending.pop_first() {
        let node = order[next as usize];
        let Some(fact) = &facts[node as usize] else {
            continue;
        };
        analysis.transfer(node, fact, &mut out)?;
        for (edge, new) in out.drain(..) {
            let target = graph.ends(edge).1;
            let changed = match &mut facts[target as usize] {
                Some(old) => analysis.join(target, old, new)?,
                empty => {
                    *empty = Some(new);
                    true
                }
            };
            if changed {
                pending.insert(rank[target as usize]);
            }
        }
    }
    Ok(facts)
}

/// Ranks of nodes that wait, smallest first.
struct Pending {
    words: Vec<u64>,
    /// Nothing waits in the words before this one.
    first: usize,
}

impl Pending {
    fn of(ranks: usize) -> Self {
        Self {
            words: vec![0; ranks.div_ceil(64)],
            first: 0,
        }
    }

    fn insert(&mut self, rank: u32) {
        let word = rank as usize / 64;
        self.words[word] |= 1 << (rank % 64);
        self.first = self.first.min(word);
    }

    fn pop_first(&mut self) -> Option<u32> {
        while let Some(word) = self.words.get_mut(self.first) {
            if *word != 0 {
                let bit = word.trailing_zeros();
                *word &= *word - 1;
                return Some(self.first as u32 * 64 + bit);
            }
            self.first += 1;
        }
        None
    }
}
