//! Where counts are final: no update of them can be reached from any frame that is still active.
//!
//! A place *may update* if it is counted, or calls something that may. It is *open* if it, or anything that follows it in its method, may update.
//! A method is *followed* if some caller is open behind the call, or is followed itself. In a method that is not followed, the counts are
//! final at every place that is not open: everything behind it is not open either, so it need not be told how it was reached. A stop is
//! put at the first such places.
//!
//! That an update is certain to come (post-dominance) would be another question: a stop must be where none can come.
//!
//! Refused: counts that code outside of the program may update (callbacks, threads among them), and those that training runs updated in a
//! method that nothing calls as far as the code shows. Callbacks that no training run entered are assumed not to be entered behind a stop
//! either ([`Stopping::assumed`]): most programs have some method that `toString` of some class might reach. Before a stop a guard tells.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_probe_plan::Node;

use crate::graph::{Flow, Graph, MethodId};

/// What is counted, by method: indices of instructions, and whether entries of the method are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Updates {
    /// By method, the instructions in front of which something is counted.
    pub at: BTreeMap<MethodId, BTreeSet<usize>>,
    /// Methods whose entries are counted.
    pub entries: BTreeSet<MethodId>,
}

/// Why counts are final at the program's end only.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unstoppable {
    /// Code outside of the program may call what counts.
    #[error("code outside of the program may call {0}, on any thread")]
    Callback(String),
    /// It ran in training, and nothing calls it.
    #[error("{0} ran in training, and the code does not show what calls it")]
    Uncalled(String),
    /// There is no place behind the last update.
    #[error("updates are possible until the program ends")]
    Never,
}

/// In front of which instructions of which methods the counts are final.
pub type Stops = BTreeSet<(MethodId, usize)>;

/// What is asked again and again of one program.
#[derive(Debug)]
pub struct Stopping<'g, 'p> {
    graph: &'g Graph<'p>,
    main: MethodId,
    /// By method, the methods that call it.
    callers: Vec<BTreeSet<MethodId>>,
    /// Methods that the program's beginning reaches, as far as the code shows.
    reached: BTreeSet<MethodId>,
    /// Methods that ran in training.
    ran: BTreeSet<MethodId>,
}

impl<'g, 'p> Stopping<'g, 'p> {
    /// Prepares for a program that begins in `main`.
    pub fn new(graph: &'g Graph<'p>, main: MethodId, ran: BTreeSet<MethodId>) -> Self {
        let mut callers = vec![BTreeSet::new(); graph.methods.len()];
        for id in graph.ids() {
            for target in targets(graph, id) {
                callers[target.0 as usize].insert(id);
            }
        }
        let class = graph.classes[graph.method(main).class].file.name();
        let first = graph.find(&class, "<clinit>", "()V");
        let mut reached: BTreeSet<MethodId> = first.into_iter().chain([main]).collect();
        let mut open: Vec<MethodId> = reached.iter().copied().collect();
        while let Some(id) = open.pop() {
            for target in targets(graph, id) {
                if reached.insert(target) {
                    open.push(target);
                }
            }
        }
        Self {
            graph,
            main,
            callers,
            reached,
            ran,
        }
    }

    /// The methods that may update what is counted.
    pub fn updating(&self, updates: &Updates) -> BTreeSet<MethodId> {
        let mut found: BTreeSet<MethodId> = updates.at.keys().copied().collect();
        found.extend(&updates.entries);
        let mut open: Vec<MethodId> = found.iter().copied().collect();
        while let Some(id) = open.pop() {
            for &caller in &self.callers[id.0 as usize] {
                if found.insert(caller) {
                    open.push(caller);
                }
            }
        }
        found
    }

    /// Where the counts are final.
    ///
    /// # Errors
    /// If they are at the program's end only.
    pub fn stops(&self, updates: &Updates) -> Result<Stops, Unstoppable> {
        let updating = self.updating(updates);
        let shown = |id: &MethodId| self.graph.shown(*id);
        let mut called_back = self.called_back(&updating);
        if let Some(id) = called_back.find(|id| self.ran.contains(id) || self.ran.is_empty()) {
            return Err(Unstoppable::Callback(shown(&id)));
        }
        let mut unexplained = updating.difference(&self.reached);
        if let Some(id) = unexplained.find(|id| self.ran.contains(id)) {
            return Err(Unstoppable::Uncalled(shown(id)));
        }
        let flows: BTreeMap<MethodId, Open> = updating
            .iter()
            .filter(|id| self.reached.contains(id))
            .filter_map(|&id| {
                let flow = self.graph.method(id).flow.as_ref()?;
                Some((id, Open::of(flow, updates.at.get(&id), &updating)))
            })
            .collect();
        let followed = self.followed(&flows, &updating);
        let mut stops = Stops::new();
        for (&id, open) in flows.iter().filter(|(id, _)| !followed.contains(id)) {
            let Some(flow) = self.graph.method(id).flow.as_ref() else {
                continue;
            };
            stops.extend(open.borders(flow).into_iter().map(|i| (id, i)));
            if updates.entries.contains(&id) && !open.instruction(flow, 0) {
                stops.insert((id, 0));
            }
        }
        if stops.is_empty() {
            return Err(Unstoppable::Never);
        }
        Ok(stops)
    }

    /// Those of some methods that code outside of the program may call.
    fn called_back(&self, updating: &BTreeSet<MethodId>) -> impl Iterator<Item = MethodId> {
        // The launcher calls `main`, once.
        let outside = updating.iter().copied().filter(|id| *id != self.main);
        outside.filter(|id| self.graph.callbacks.contains(id))
    }

    /// Methods that the stops of these updates assume not to be called from outside of the program, since no training run entered them.
    pub fn assumed(&self, updates: &Updates) -> Vec<MethodId> {
        self.called_back(&self.updating(updates)).collect()
    }

    /// Methods behind whose end updates may come.
    fn followed(
        &self,
        flows: &BTreeMap<MethodId, Open>,
        updating: &BTreeSet<MethodId>,
    ) -> BTreeSet<MethodId> {
        let mut followed = BTreeSet::new();
        // The initialiser of the main class runs before `main`, which may update.
        let main_class = self.graph.method(self.main).class;
        let first = flows.keys().filter(|id| {
            let method = self.graph.method(**id);
            method.class == main_class && method.name == "<clinit>"
        });
        if updating.contains(&self.main) {
            followed.extend(first.copied());
        }
        let mut work: Vec<MethodId> = followed.iter().copied().collect();
        for (&id, open) in flows {
            let Some(flow) = self.graph.method(id).flow.as_ref() else {
                continue;
            };
            for (index, targets) in &flow.calls {
                if open.behind(flow, *index) {
                    let fresh = targets.iter().filter(|t| updating.contains(t));
                    work.extend(fresh.copied().filter(|&t| followed.insert(t)));
                }
            }
        }
        while let Some(id) = work.pop() {
            for target in targets(self.graph, id) {
                if updating.contains(&target) && followed.insert(target) {
                    work.push(target);
                }
            }
        }
        followed
    }
}

fn targets<'g>(graph: &'g Graph<'_>, id: MethodId) -> impl Iterator<Item = MethodId> + 'g {
    let calls = graph.method(id).flow.iter().flat_map(|flow| &flow.calls);
    calls.flat_map(|(_, targets)| targets.iter().copied())
}

/// Which places of a method are open.
#[derive(Clone, Debug)]
struct Open {
    /// Instructions that may update by themselves, ascending.
    updates: BTreeSet<usize>,
    /// By block, whether its first instruction is open.
    blocks: Vec<bool>,
    /// By block, whether what follows it is.
    behind: Vec<bool>,
}

impl Open {
    fn of(flow: &Flow, at: Option<&BTreeSet<usize>>, updating: &BTreeSet<MethodId>) -> Self {
        let mut updates = at.cloned().unwrap_or_default();
        let calls = flow.calls.iter();
        let may = calls.filter(|(_, targets)| targets.iter().any(|t| updating.contains(t)));
        updates.extend(may.map(|(index, _)| *index));
        let cfg = &flow.cfg;
        let count = cfg.blocks.len();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (from, to) in edges(flow) {
            before[to].push(from);
        }
        let mut open = Self {
            updates,
            blocks: vec![false; count],
            behind: vec![false; count],
        };
        let own = |block: &pricetag_flow::cfg::Block| {
            open.updates
                .range(block.instructions.clone())
                .next()
                .is_some()
        };
        let mut work: Vec<usize> = (0..count).filter(|&b| own(&cfg.blocks[b])).collect();
        for &block in &work {
            open.blocks[block] = true;
        }
        while let Some(block) = work.pop() {
            for &from in &before[block] {
                open.behind[from] = true;
                if !open.blocks[from] {
                    open.blocks[from] = true;
                    work.push(from);
                }
            }
        }
        open
    }

    fn block_of(flow: &Flow, index: usize) -> Option<usize> {
        let blocks = &flow.cfg.blocks;
        let number = blocks.partition_point(|block| block.instructions.end <= index);
        blocks
            .get(number)
            .filter(|block| block.instructions.contains(&index))
            .map(|_| number)
    }

    /// Whether an instruction is open.
    fn instruction(&self, flow: &Flow, index: usize) -> bool {
        let Some(block) = Self::block_of(flow, index) else {
            return false;
        };
        let end = flow.cfg.blocks[block].instructions.end;
        self.behind[block] || self.updates.range(index..end).next().is_some()
    }

    /// Whether something behind an instruction is open.
    fn behind(&self, flow: &Flow, index: usize) -> bool {
        let Some(block) = Self::block_of(flow, index) else {
            return false;
        };
        let end = flow.cfg.blocks[block].instructions.end;
        self.behind[block] || self.updates.range(index + 1..end).next().is_some()
    }

    /// Instructions that are not open, and come right behind one that is.
    fn borders(&self, flow: &Flow) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        for (from, to) in edges(flow) {
            if self.blocks[from] && !self.blocks[to] {
                found.insert(flow.cfg.blocks[to].instructions.start);
            }
        }
        for (number, block) in flow.cfg.blocks.iter().enumerate() {
            if self.behind[number] {
                continue;
            }
            let last = self.updates.range(block.instructions.clone()).next_back();
            let next = last.map(|last| last + 1);
            found.extend(next.filter(|next| block.instructions.contains(next)));
        }
        found
    }
}

/// Edges between blocks, exceptional ones included.
fn edges(flow: &Flow) -> impl Iterator<Item = (usize, usize)> + '_ {
    let cfg = &flow.cfg;
    let normal = cfg
        .edges
        .iter()
        .filter_map(|edge| match (edge.from, edge.to) {
            (Node::Block(from), Node::Block(to)) => Some((from.0 as usize, to.0 as usize)),
            _ => None,
        });
    let exceptional = cfg
        .exceptional
        .iter()
        .map(|(from, handler)| (from.0 as usize, cfg.handlers[*handler].block.0 as usize));
    normal.chain(exceptional)
}
