//! The classes that are counted: their indices, chunk lengths, and the way back from rewritten to original bytecode.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock};

use pricetag_probe_plan::{ClassHash, Pc, VariablePlan};
use serde::{Deserialize, Serialize};

use crate::session::lock;

/// Index of a class in this process, written into its rewritten methods. Loaders that define the same bytes share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassIndex(pub u32);

/// A counted class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Hash of its original bytes.
    pub hash: ClassHash,
    /// Internal name.
    pub name: String,
    /// Number of its counters.
    pub counters: usize,
    /// Length of its chunk: the counters, then an element per variable and two per recursive method.
    pub chunk: usize,
    /// Variables whose values are taken.
    pub variables: Vec<VariablePlan>,
    /// Recursive methods, and where in the chunk the largest depth is noted.
    pub depths: Vec<(u16, usize)>,
    /// Fields that it declares, if values are taken.
    pub fields: Vec<(String, String)>,
    /// Internal name of its superclass.
    pub super_name: Option<String>,
    /// Its methods, in the order of the class file.
    #[serde(skip)]
    pub methods: Methods,
    /// Number of its loops.
    pub loops: usize,
    /// The number of a calling method, if this is no class but the passes of one's loops for that caller.
    pub caller: Option<u32>,
}

impl Counted {
    /// Counters of a class, and nothing known of its methods.
    fn counters(hash: ClassHash, name: &str, counters: usize) -> Self {
        Self {
            hash,
            name: name.to_owned(),
            counters,
            chunk: counters,
            variables: Vec::new(),
            depths: Vec::new(),
            fields: Vec::new(),
            super_name: None,
            methods: Methods::default(),
            loops: 0,
            caller: None,
        }
    }
}

/// The methods of a counted class. Few are ever asked for, at the end of a run: those of a class that an earlier run rewrote stay encoded until then.
#[derive(Clone, Debug, Default)]
pub struct Methods {
    encoded: Vec<u8>,
    decoded: OnceLock<Vec<CountedMethod>>,
}

impl Methods {
    /// Methods in their encoding, which is whole.
    pub fn encoded(bytes: &[u8]) -> Self {
        Self {
            encoded: bytes.to_vec(),
            decoded: OnceLock::new(),
        }
    }

    /// Their encoding.
    pub fn encode(&self) -> postcard::Result<Vec<u8>> {
        postcard::to_stdvec(&**self)
    }
}

impl From<Vec<CountedMethod>> for Methods {
    fn from(methods: Vec<CountedMethod>) -> Self {
        Self {
            encoded: Vec::new(),
            decoded: OnceLock::from(methods),
        }
    }
}

impl Deref for Methods {
    type Target = Vec<CountedMethod>;

    fn deref(&self) -> &Self::Target {
        let decode = || postcard::from_bytes(&self.encoded).unwrap_or_default();
        self.decoded.get_or_init(decode)
    }
}

impl PartialEq for Methods {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Methods {}

/// A method of a counted class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedMethod {
    /// Name.
    pub name: String,
    /// Descriptor.
    pub descriptor: String,
    /// `(rewritten pc, original pc)` of every original instruction, ascending; empty when the method is not counted.
    pub pcs: Vec<(u32, u16)>,
    /// Length of the rewritten code in bytes.
    pub code_length: usize,
    /// Original pcs of its `monitorenter` instructions.
    pub monitor_enters: Vec<u16>,
}

impl CountedMethod {
    /// The original instruction that is executing at a rewritten pc; none in the prologue.
    pub fn original(&self, pc: u32) -> Option<Pc> {
        let behind = self.pcs.partition_point(|&(new, _)| new <= pc);
        behind.checked_sub(1).map(|index| Pc(self.pcs[index].1))
    }

    /// The original instruction whose call is under way at a rewritten pc; none if the call was inserted.
    pub fn original_call(&self, pc: u32) -> Option<Pc> {
        let index = self.pcs.binary_search_by_key(&pc, |&(new, _)| new).ok()?;
        Some(Pc(self.pcs[index].1))
    }

    /// The same as [`original`](Self::original) for a thread that is blocked on a monitor: HotSpot's interpreter steps over
    /// `monitorenter` before it waits.
    pub fn original_blocked(&self, pc: u32) -> Option<Pc> {
        let before = pc.checked_sub(1).and_then(|pc| self.original(pc));
        before
            .filter(|before| self.monitor_enters.contains(&before.0))
            .or_else(|| self.original(pc))
    }
}

/// All counted classes.
#[derive(Debug, Default)]
pub struct Classes {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    by_hash: BTreeMap<ClassHash, ClassIndex>,
    by_name: BTreeMap<String, Vec<ClassIndex>>,
    entries: Vec<Option<Arc<Counted>>>,
    loaders: Vec<u32>,
    /// Whether the class is counted now.
    active: Vec<bool>,
}

impl Table {
    fn push(&mut self, class: Option<Arc<Counted>>) {
        self.entries.push(class);
        self.loaders.push(0);
        self.active.push(false);
    }
}

impl Classes {
    /// The index for a class; reserved when new.
    pub fn index(&self, hash: ClassHash) -> ClassIndex {
        let mut table = lock(&self.table);
        let next = ClassIndex(table.entries.len() as u32);
        let index = *table.by_hash.entry(hash).or_insert(next);
        if index == next {
            table.push(None);
        }
        index
    }

    /// A new index for passes of a class's loops for a caller, and for invocations of so many methods.
    pub fn add_passes(&self, class: &Counted, methods: usize, caller: u32) -> ClassIndex {
        let passes = Counted {
            caller: Some(caller),
            ..Counted::counters(class.hash, &class.name, class.loops + methods)
        };
        let mut table = lock(&self.table);
        table.push(Some(Arc::new(passes)));
        ClassIndex(table.entries.len() as u32 - 1)
    }

    /// Notes that a class is defined, by a `new_loader` or anew; `counted` is kept if it is the first.
    pub fn define(&self, index: ClassIndex, counted: &Arc<Counted>, new_loader: bool) {
        let mut table = lock(&self.table);
        let at = index.0 as usize;
        table.active[at] = true;
        // A class that was loaded before the agent could see it has a loader, too.
        table.loaders[at] += u32::from(new_loader || table.entries[at].is_none());
        if table.entries[at].is_none() {
            table
                .by_name
                .entry(counted.name.clone())
                .or_default()
                .push(index);
            table.entries[at] = Some(Arc::clone(counted));
        }
    }

    /// How many indices are in use.
    pub fn len(&self) -> usize {
        lock(&self.table).entries.len()
    }

    /// The class of an index.
    pub fn get(&self, index: ClassIndex) -> Option<Arc<Counted>> {
        lock(&self.table)
            .entries
            .get(index.0 as usize)
            .cloned()
            .flatten()
    }

    /// The classes of an internal name: several when loaders define different bytes under it.
    pub fn named(&self, name: &str) -> Vec<(ClassIndex, Arc<Counted>)> {
        let table = lock(&self.table);
        let indices = table.by_name.get(name).map_or(&[][..], Vec::as_slice);
        indices
            .iter()
            .filter_map(|&index| Some((index, table.entries[index.0 as usize].clone()?)))
            .collect()
    }

    /// Notes that no class is counted until it is defined anew.
    pub fn rest(&self) {
        lock(&self.table).active.fill(false);
    }

    /// Every class that is counted, with the number of loaders that defined it.
    pub fn all(&self) -> Vec<(ClassIndex, Arc<Counted>, u32)> {
        let table = lock(&self.table);
        let entries = table.entries.iter().zip(&table.loaders).enumerate();
        entries
            .filter(|(index, _)| table.active[*index])
            .filter_map(|(index, (entry, &loaders))| {
                let class = entry.clone().filter(|class| class.caller.is_none())?;
                Some((ClassIndex(index as u32), class, loaders))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(hash: u128, name: &str) -> Arc<Counted> {
        Arc::new(Counted::counters(ClassHash(hash), name, 1))
    }

    #[test]
    fn loaders_that_define_the_same_bytes_share_an_index() {
        let classes = Classes::default();
        let (a, b) = (classes.index(ClassHash(1)), classes.index(ClassHash(2)));
        assert_ne!(a, b);
        assert_eq!(classes.index(ClassHash(1)), a);
        assert!(classes.get(a).is_none(), "reserved is not defined");
        classes.define(a, &counted(1, "A"), true);
        classes.define(a, &counted(1, "A"), true);
        classes.define(b, &counted(2, "A"), true);
        let loaders: Vec<u32> = classes.all().iter().map(|entry| entry.2).collect();
        assert_eq!(loaders, [2, 1]);
        assert_eq!(classes.named("A").len(), 2);
        assert!(classes.named("B").is_empty());
    }

    #[test]
    fn a_pc_between_two_instructions_belongs_to_the_first() {
        let method = CountedMethod {
            pcs: vec![(10, 0), (21, 1), (40, 4)],
            ..CountedMethod::default()
        };
        assert_eq!(method.original(9), None);
        assert_eq!(method.original(10), Some(Pc(0)));
        assert_eq!(method.original(39), Some(Pc(1)));
        assert_eq!(method.original(41), Some(Pc(4)));
    }

    #[test]
    fn a_call_between_two_instructions_belongs_to_neither() {
        let method = CountedMethod {
            pcs: vec![(10, 0), (21, 1)],
            ..CountedMethod::default()
        };
        assert_eq!(method.original_call(21), Some(Pc(1)));
        assert_eq!(method.original_call(20), None);
        assert_eq!(method.original_call(22), None);
    }
}
