//! The first values that variables were given.
//!
//! Instrumented code calls `taken` for the first values only; how many were taken is noted in the chunk of the thread (decision 001
//! and `pricetag_instrument::values`), the values themselves are kept here. Each thread counts its own versions. In a run
//! without method scopes a version is kept as sum and number of threads; with scopes values belong to the invocations
//! that are active on the thread, and the marks in the chunk are cleared when one begins. They leave for the trace in parts of a few
//! hundred, so that what an active invocation needs does not grow with them.
//!
//! A field may be assigned by methods of several classes, each of which takes its own first values: the first of all of them
//! are among these, and come in order, so counting them again per thread and field yields the field's first values.
//!
//! Where an observation is what all threads do, values are kept as those of a run are, and forgotten when one begins.
//!
//! The table's lock is never held while the JVM is called.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use pricetag_probe_plan::{ClassHash, ValueKind, VariableIndex, VariablePlace, VariablePlan};
use pricetag_trace::{
    Given, Numbered, Record, Unusable, ValuePlace, Values as Taken, VariableValues, VersionValue,
};

use crate::classes::{ClassIndex, Classes, Counted};
use crate::compact::Compact;
use crate::jvm::Jni;
use crate::session::{Session, lock};
use crate::threads;
use crate::unobserved;

/// A variable of this process; index into [`Table::variables`].
type Number = u32;

/// Values of an invocation that go to the trace together.
const PART: usize = 256;
/// By so many elements the counts of an invocation's values grow.
const STEP: usize = 256;

/// Values of one invocation.
#[derive(Debug, Default)]
pub struct Own {
    /// How many values each variable was given, up to the limit, by its number.
    counts: Vec<u16>,
    /// What is not in the trace yet, in order.
    values: Vec<(Number, f64)>,
    /// Whether all stays here until the invocation ends, since it is looked into.
    kept: bool,
}

impl Own {
    /// No values yet; they stay until the invocation ends if that is wanted.
    pub fn new(kept: bool) -> Self {
        Self {
            kept,
            ..Self::default()
        }
    }

    /// Adds a value unless there are enough of its variable; what is to leave for the trace.
    fn push(&mut self, number: Number, value: f64, limit: u16) -> Option<Vec<(Number, f64)>> {
        let at = number as usize;
        if self.counts.len() <= at {
            let length = (at + 1).next_multiple_of(STEP);
            self.counts.reserve_exact(length - self.counts.len());
            self.counts.resize(length, 0);
        }
        if self.counts[at] >= limit {
            return None;
        }
        self.counts[at] += 1;
        if self.values.capacity() == 0 {
            self.values.reserve_exact(PART);
        }
        self.values.push((number, value));
        (self.values.len() >= PART && !self.kept).then(|| std::mem::take(&mut self.values))
    }
}

/// All values of the run.
#[derive(Debug, Default)]
pub struct Values {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// By class and element of its chunk.
    known: HashMap<(ClassIndex, u32), Number>,
    fields: BTreeMap<(String, String, String), Number>,
    variables: Vec<Variable>,
    /// How many values a live thread gave to each field, by its number.
    given: HashMap<i32, Vec<u16>>,
}

#[derive(Debug)]
struct Variable {
    place: ValuePlace,
    kind: ValueKind,
    versions: Vec<Version>,
}

/// One version over all threads.
#[derive(Clone, Copy, Debug, Default)]
struct Version {
    sum: f64,
    threads: u32,
    unusable: Unusable,
}

impl Version {
    fn add(&mut self, value: f64) {
        if value.is_finite() {
            self.sum += value;
            self.threads += 1;
        } else {
            self.unusable.add(value, 1);
        }
    }

    fn mean(self) -> VersionValue {
        let mean = self.sum / f64::from(self.threads.max(1));
        // Sums of huge values may overflow although every value is finite.
        let finite = mean.is_finite();
        let mut unusable = self.unusable;
        unusable.add(mean, self.threads);
        VersionValue {
            mean: if finite { mean } else { 0.0 },
            threads: if finite { self.threads } else { 0 },
            unusable,
        }
    }
}

impl Values {
    /// A thread takes its `nth` value, from 0, of the variable that has this element in a class's chunk.
    pub fn take(
        &self,
        session: &Session,
        jni: Jni,
        (class, element): (ClassIndex, u32),
        nth: u32,
        value: Value,
    ) {
        if unobserved::is_running() {
            return;
        }
        let limit = session.options.values;
        let Some((number, kind)) = self.number(session, class, element) else {
            return;
        };
        if session.scopes.by_thread() {
            let value = value.of(kind);
            let full: Vec<Record> = threads::with(session, jni, |thread| {
                let active = thread.active.iter_mut().filter_map(|active| {
                    let values = active.values.push(number, value, limit)?;
                    Some(given(active.sequence, values))
                });
                active.collect()
            });
            for part in full {
                session.record(&part);
            }
            return;
        }
        let serial = current_serial(session, jni);
        let mut table = lock(&self.table);
        let Table {
            variables, given, ..
        } = &mut *table;
        let variable = &mut variables[number as usize];
        let nth = match variable.place {
            ValuePlace::Local { .. } | ValuePlace::Depth { .. } => nth as u16,
            ValuePlace::Field { .. } => {
                let given = given.entry(serial).or_default();
                let at = number as usize;
                if given.len() <= at {
                    given.resize(at + 1, 0);
                }
                given[at] = given[at].saturating_add(1);
                given[at] - 1
            }
        };
        if nth >= limit {
            return;
        }
        let value = value.of(variable.kind);
        let at = usize::from(nth);
        if variable.versions.len() <= at {
            variable.versions.resize(at + 1, Version::default());
        }
        variable.versions[at].add(value);
    }

    /// Forgets what is only needed while a thread lives.
    pub fn thread_end(&self, serial: i32) {
        lock(&self.table).given.remove(&serial);
    }

    /// Forgets all values.
    pub fn forget(&self) {
        let mut table = lock(&self.table);
        table.given.clear();
        for variable in &mut table.variables {
            variable.versions.clear();
        }
    }

    /// The values of all threads since they were last forgotten.
    pub fn all(&self) -> Vec<VariableValues> {
        let table = lock(&self.table);
        let variables = table.variables.iter().filter(|v| !v.versions.is_empty());
        let means = variables.map(|v| VariableValues {
            place: v.place.clone(),
            versions: v.versions.iter().map(|version| version.mean()).collect(),
        });
        means.collect()
    }

    /// The values of the whole run so far, with its depths of recursion; none if there are none.
    pub fn record(&self, depths: Vec<VariableValues>) -> Option<Record> {
        let mut variables = self.all();
        variables.extend(depths);
        if variables.is_empty() {
            return None;
        }
        variables.sort_by(|a, b| a.place.cmp(&b.place));
        let invocation = None;
        Some(Record::Values(Taken {
            invocation,
            variables,
        }))
    }

    /// The values of one invocation so far, all of which were kept.
    pub fn of(&self, own: &Own, depths: Vec<VariableValues>) -> Vec<VariableValues> {
        let mut versions: BTreeMap<Number, Vec<VersionValue>> = BTreeMap::new();
        for (number, value) in &own.values {
            let known = versions.entry(*number).or_default();
            known.push(VersionValue::of(*value));
        }
        let table = lock(&self.table);
        let mut variables: Vec<VariableValues> = versions
            .into_iter()
            .map(|(number, versions)| VariableValues {
                place: table.variables[number as usize].place.clone(),
                versions,
            })
            .collect();
        variables.extend(depths);
        variables.sort_by(|a, b| a.place.cmp(&b.place));
        variables
    }

    /// The number of a variable, given one when it is first asked for, and what is taken of it.
    fn number(
        &self,
        session: &Session,
        class: ClassIndex,
        element: u32,
    ) -> Option<(Number, ValueKind)> {
        {
            let table = lock(&self.table);
            if let Some(&number) = table.known.get(&(class, element)) {
                return Some((number, table.variables[number as usize].kind));
            }
        }
        let classes = &session.classes;
        let counted = classes.get(class)?;
        let index = element.checked_sub(counted.counters as u32)?;
        let variable = counted.variables.get(index as usize)?;
        let place = place(classes, &counted, VariableIndex(index), variable);
        let mut table = lock(&self.table);
        let next = table.variables.len() as Number;
        let number = match &place {
            ValuePlace::Field {
                class,
                name,
                descriptor,
            } => {
                let key = (class.clone(), name.clone(), descriptor.clone());
                *table.fields.entry(key).or_insert(next)
            }
            // Two threads may ask for the same one at once.
            ValuePlace::Local { .. } | ValuePlace::Depth { .. } => {
                table.known.get(&(class, element)).copied().unwrap_or(next)
            }
        };
        if number == next {
            if session.scopes.by_thread() {
                // Under the lock, so that the number is in the trace before any value.
                session.record(&Record::Variable(Numbered {
                    number,
                    place: place.clone(),
                }));
            }
            table.variables.push(Variable {
                place,
                kind: variable.kind,
                versions: Vec::new(),
            });
        }
        table.known.insert((class, element), number);
        Some((number, table.variables[number as usize].kind))
    }
}

fn given(invocation: u64, values: Vec<(Number, f64)>) -> Record {
    Record::Given(Given { invocation, values })
}

/// What is not in the trace yet of the values of one invocation.
pub fn records_of(
    sequence: u64,
    own: Own,
    depths: Vec<VariableValues>,
) -> impl Iterator<Item = Record> {
    let rest = (!own.values.is_empty()).then(|| given(sequence, own.values));
    let depths = (!depths.is_empty()).then_some(Record::Values(Taken {
        invocation: Some(sequence),
        variables: depths,
    }));
    rest.into_iter().chain(depths)
}

/// Where a variable lives. A field is looked for from the class it was named with upwards.
fn place(
    classes: &Classes,
    counted: &Arc<Counted>,
    index: VariableIndex,
    variable: &VariablePlan,
) -> ValuePlace {
    let hash: ClassHash = counted.hash;
    let VariablePlace::Field {
        owner,
        name,
        descriptor,
    } = &variable.place
    else {
        return ValuePlace::Local {
            hash,
            variable: index,
        };
    };
    let field = (name.clone(), descriptor.clone());
    let mut class = owner.clone();
    let declaring = loop {
        let Some((_, here)) = classes.named(&class).into_iter().next() else {
            break owner.clone();
        };
        match &here.super_name {
            _ if here.fields.contains(&field) => break class,
            // A hierarchy of loaded classes has no cycle, but two of one name could make one.
            Some(parent) if *parent != class && *parent != *owner => class.clone_from(parent),
            _ => break owner.clone(),
        }
    };
    let (name, descriptor) = field;
    ValuePlace::Field {
        class: declaring,
        name,
        descriptor,
    }
}

/// The depths of a class's recursive methods that ran, given the elements of its chunk.
pub fn depths(class: &Counted, element: impl Fn(usize) -> u64) -> Vec<VariableValues> {
    let recursive = class
        .depths
        .iter()
        .map(|&(method, at)| (method, element(at)));
    let ran = recursive.filter(|(_, most)| *most > 0);
    ran.map(|(method, most)| VariableValues {
        place: ValuePlace::Depth {
            hash: class.hash,
            method,
        },
        versions: vec![VersionValue {
            mean: most as f64,
            threads: 1,
            unusable: Unusable::default(),
        }],
    })
    .collect()
}

/// The depths of the recursive methods that ran on one thread; none unless values are taken.
pub fn depths_of(session: &Session, thread: &Compact) -> Vec<VariableValues> {
    let (mut reader, mut chunk, mut found) = (thread.read(), Vec::new(), Vec::new());
    while let Some(class) = reader.next(&mut chunk) {
        if let Some(class) = session.classes.get(class) {
            let element = |at: usize| chunk.get(at).map_or(0, |&n| u64::try_from(n).unwrap_or(0));
            found.extend(depths(&class, element));
        }
    }
    found
}

fn current_serial(session: &Session, jni: Jni) -> i32 {
    let keeper = session.runtime.get().and_then(|runtime| runtime.keeper);
    let thread = session.jvmti.current_thread();
    let (Some(keeper), Some(thread)) = (keeper, thread) else {
        return 0;
    };
    let serial = keeper.serial(session.jvmti, jni, thread);
    jni.delete_local(thread);
    serial
}

/// A value on its way here.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// An integer, or the bits of a `double`.
    Bits(i64),
    /// A length or size, if it is known.
    Size(Option<u64>),
}

impl Value {
    fn of(self, kind: ValueKind) -> f64 {
        match self {
            Self::Bits(bits) if kind.is_real() => f64::from_bits(bits as u64),
            Self::Bits(integer) => integer as f64,
            Self::Size(size) => size.map_or(f64::NAN, |size| size as f64),
        }
    }
}
