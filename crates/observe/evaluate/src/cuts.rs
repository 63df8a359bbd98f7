//! Which methods an evaluation can do without: candidates by what they cost, a floor that is never cut, and a search.
//!
//! A candidate is cut by being emptied: it returns at once. The *floor* is kept whatever the search says: methods that may count, and in
//! these what decides on the count as far as it is easily told. That is every method whose result they use, and every method that may,
//! by way of others, write a field that they read. Cuts above the floor are tried, dearest first, on recorded inputs; one that leaves
//! all values as they were recorded stays.
//!
//! That values stayed the same on these inputs proves nothing for others: what collections and arrays carry from a cut method to the kept
//! code is seen by trials alone. So the outcome has to be tried on inputs kept aside, and code that no training run reached is told.
//!
//! Limits: regions inside of methods are not cut, nor constructors, initialisers and `main`.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_classfile::{Operand, opcode};

use crate::graph::{Flow, Graph, MethodId};

/// A field, by class and name as they stand in the code.
type Field = (String, String);

/// Stacks as a predictor tells them: methods `package.Class.method`, the innermost first, with semicolons; and how often each was seen.
pub type Stacks = [(String, u64)];

/// Candidates seen in fewer samples than this share are not worth a trial.
const LEAST: f64 = 0.01;

/// What may be cut.
#[derive(Debug)]
pub struct Cuttable {
    by_name: BTreeMap<String, BTreeSet<MethodId>>,
}

impl Cuttable {
    /// By what may update the counts.
    pub fn of(graph: &Graph<'_>, main: MethodId, updating: &BTreeSet<MethodId>) -> Self {
        let mut floor = updating.clone();
        floor.insert(main);
        let mut read = BTreeSet::new();
        for &id in updating {
            let Some(flow) = &graph.method(id).flow else {
                continue;
            };
            read.extend(fields(graph, id, flow, false));
            for (index, targets) in &flow.calls {
                if uses_result(graph, flow, *index, targets) {
                    floor.extend(targets.iter());
                }
            }
        }
        floor.extend(writers(graph, &read));
        let mut by_name: BTreeMap<String, BTreeSet<MethodId>> = BTreeMap::new();
        for id in graph.ids() {
            let method = graph.method(id);
            let class = graph.classes[method.class].file.name().replace('/', ".");
            let name = format!("{class}.{}", method.name);
            let cuttable =
                method.flow.is_some() && !method.name.starts_with('<') && !floor.contains(&id);
            let ids = by_name.entry(name).or_default();
            if cuttable {
                ids.insert(id);
            }
        }
        by_name.retain(|_, ids| !ids.is_empty());
        Self { by_name }
    }

    /// Cuts, dearest first, whatever `holds`: it says whether all values are as recorded without these methods.
    ///
    /// # Errors
    /// Those of `holds`.
    pub fn search<E>(
        &self,
        stacks: &Stacks,
        most: usize,
        holds: &mut dyn FnMut(&BTreeSet<MethodId>) -> Result<bool, E>,
    ) -> Result<BTreeSet<MethodId>, E> {
        let all: u64 = stacks.iter().map(|(_, times)| times).sum();
        let mut left: Vec<(BTreeSet<&str>, u64)> = stacks
            .iter()
            .map(|(stack, times)| (stack.split(';').collect(), *times))
            .collect();
        let (mut cut, mut tried) = (BTreeSet::new(), BTreeSet::new());
        while tried.len() < most {
            let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
            for (names, times) in &left {
                for name in names.iter().filter(|name| !tried.contains(*name)) {
                    *seen.entry(name).or_default() += times;
                }
            }
            seen.retain(|name, _| self.by_name.contains_key(*name));
            let dearest = seen.into_iter().max_by_key(|(_, times)| *times);
            let Some((name, _)) = dearest.filter(|(_, n)| *n as f64 >= LEAST * all as f64) else {
                break;
            };
            tried.insert(name);
            let more = &self.by_name[name];
            let with: BTreeSet<MethodId> = cut.union(more).copied().collect();
            if holds(&with)? {
                cut = with;
                left.retain(|(names, _)| !names.contains(name));
            }
        }
        Ok(cut)
    }
}

/// Whether what a call returns is not thrown away.
fn uses_result(graph: &Graph<'_>, flow: &Flow, index: usize, targets: &[MethodId]) -> bool {
    let next = flow.cfg.instructions.get(index + 1).map(|i| i.opcode);
    let dropped = matches!(next, Some(opcode::POP | opcode::POP2));
    let returns = targets
        .iter()
        .any(|id| !graph.method(*id).descriptor.ends_with('V'));
    returns && !dropped
}

/// Fields that a method reads, or writes.
fn fields(graph: &Graph<'_>, id: MethodId, flow: &Flow, written: bool) -> BTreeSet<Field> {
    let pool = graph.classes[graph.method(id).class].file.constants();
    let wanted = if written {
        [opcode::PUTFIELD, opcode::PUTSTATIC]
    } else {
        [opcode::GETFIELD, opcode::GETSTATIC]
    };
    let instructions = flow.cfg.instructions.iter();
    let found = instructions.filter_map(|i| match i.operand {
        Operand::Constant(index) if wanted.contains(&i.opcode) => {
            let field = pool.member_ref(index).ok()?;
            // The same field may be named by a subclass: its name and type are enough.
            Some((field.name, field.descriptor))
        }
        _ => None,
    });
    found.collect()
}

/// Methods that write one of some fields, and all that may call one of these.
fn writers(graph: &Graph<'_>, read: &BTreeSet<Field>) -> BTreeSet<MethodId> {
    let mut callers: BTreeMap<MethodId, BTreeSet<MethodId>> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for id in graph.ids() {
        let Some(flow) = &graph.method(id).flow else {
            continue;
        };
        for target in flow.calls.iter().flat_map(|(_, targets)| targets.iter()) {
            callers.entry(*target).or_default().insert(id);
        }
        if fields(graph, id, flow, true)
            .iter()
            .any(|field| read.contains(field))
        {
            found.insert(id);
        }
    }
    let mut open: Vec<MethodId> = found.iter().copied().collect();
    while let Some(id) = open.pop() {
        for &caller in callers.get(&id).into_iter().flatten() {
            if found.insert(caller) {
                open.push(caller);
            }
        }
    }
    found
}
