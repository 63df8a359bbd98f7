//! Calls that leave the counted code.
//!
//! A counted method writes down what it is about to call: a number for what the instruction names, and the receiver's class where that decides. Before a thread hands
//! its log over it asks for each pair, once in the process, which method that is (JVMS §5.4.6), and takes those out of the log that write themselves down: counted methods
//! and the program's own native ones. What stays has left.
//!
//! Superclasses and interfaces are walked by JVMTI, which loads and initialises nothing. No lock is held meanwhile.
//!
//! Limits: a method that is package-private is taken to be overridden by one of the same name in any package. What static calls and calls of `super` name is looked for by the
//! name of the class, among all loaders.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use jvmti_bindings::sys::jni::jmethodID;
use pricetag_classfile::opcode;
use pricetag_instrument::{ASKED_BIT, AskedSite, RECEIVER_BITS, RECEIVER_SHIFT};
use pricetag_probe_plan::{ClassPlan, MethodOutcome};

use super::facts::{Type, name_of};
use crate::jvm::{Global, Id, Jni, jclass};
use crate::session::{Session, lock};

const ACC_PRIVATE: i32 = 0x0002;
const ACC_STATIC: i32 = 0x0008;
const ACC_NATIVE: i32 = 0x0100;
const ACC_ABSTRACT: i32 = 0x0400;

/// Classes whose methods of any descriptor exist (JVMS §2.9.3).
const POLYMORPHIC: [&str; 2] = [
    "java/lang/invoke/MethodHandle",
    "java/lang/invoke/VarHandle",
];

/// What an invocation instruction names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Target {
    /// Whether the receiver's class decides what runs.
    dispatches: bool,
    owner: String,
    name: String,
    descriptor: String,
}

/// A method outside the counted code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The class that declares it.
    pub class: String,
    /// Name.
    pub name: String,
    /// Descriptor.
    pub descriptor: String,
    /// Access flags; 0 if unknown.
    pub access: i32,
    /// Size of its bytecode, bytes.
    pub bytes: Option<u32>,
}

/// The methods that a class declares, by name and descriptor, with their access flags.
#[derive(Debug)]
struct Declared {
    class: String,
    methods: HashMap<(String, String), (Id<jmethodID>, i32)>,
}

impl Declared {
    fn find(&self, target: &Target) -> Option<(Id<jmethodID>, i32)> {
        let key = (target.name.clone(), target.descriptor.clone());
        self.methods.get(&key).copied()
    }
}

/// A class and what it declares.
type Looked = (Global, Arc<Declared>);

/// What was asked for so far.
#[derive(Debug, Default)]
pub struct Asked {
    targets: Mutex<Targets>,
    /// By word: where the call goes; none if it stays.
    verdicts: Mutex<HashMap<i64, Option<Arc<Outside>>>>,
    /// By name of the class.
    declared: Mutex<HashMap<String, Vec<Looked>>>,
}

#[derive(Debug, Default)]
struct Targets {
    numbers: HashMap<Arc<Target>, u32>,
    all: Vec<Arc<Target>>,
}

/// Whether a word is a call that is about to be made.
pub fn is_asked(word: i64) -> bool {
    word >> ASKED_BIT & 1 != 0
}

/// The number of the receiver's class in a word, 0 if there is none.
pub fn receiver_of(word: i64) -> i32 {
    (word >> RECEIVER_SHIFT) as i32 & ((1 << RECEIVER_BITS) - 1)
}

/// Words of which the verdict is known without a lock, a power of two.
const RECENT: usize = 512;

impl Asked {
    /// The calls of a class that are written down. Those that reach a counted method of the class itself, whatever the receiver, are not asked for unless `all` are.
    pub fn sites(&self, plan: &ClassPlan, all: bool) -> Vec<AskedSite> {
        let counts = |name: &str, descriptor: &str| {
            let mut methods = plan.methods.iter();
            methods.any(|method| {
                method.name == name
                    && method.descriptor == descriptor
                    && method.outcome == MethodOutcome::Counted
            })
        };
        let mut sites = Vec::new();
        let mut targets = lock(&self.targets);
        for (index, method) in (0..).zip(&plan.methods) {
            if method.outcome != MethodOutcome::Counted {
                continue;
            }
            for call in method.blocks.iter().flat_map(|block| &block.calls) {
                let dispatches =
                    matches!(call.opcode, opcode::INVOKEVIRTUAL | opcode::INVOKEINTERFACE);
                let itself = call.owner == *plan.name
                    && counts(call.name.as_str(), call.descriptor.as_str());
                if call.opcode == opcode::INVOKEDYNAMIC || (itself && !dispatches && !all) {
                    continue;
                }
                let target = Target {
                    dispatches,
                    owner: call.owner.to_string(),
                    name: call.name.to_string(),
                    descriptor: call.descriptor.to_string(),
                };
                sites.push(AskedSite {
                    method: index,
                    pc: call.pc.0,
                    target: targets.number(target),
                });
            }
        }
        sites.sort_unstable();
        sites
    }

    /// Takes the calls out that stay within the counted code.
    pub fn settle(&self, session: &Session, jni: Jni, words: &mut Vec<i64>) {
        let mut recent = [(0, false); RECENT];
        words.retain(|&word| {
            if !is_asked(word) {
                return true;
            }
            let slot = (word as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 55;
            let recent = &mut recent[slot as usize % RECENT];
            if recent.0 != word {
                *recent = (word, self.leaves(session, jni, word));
            }
            recent.1
        });
    }

    /// Where a call went that was not taken out.
    pub fn outside(&self, word: i64) -> Option<Arc<Outside>> {
        lock(&self.verdicts).get(&word).cloned().flatten()
    }

    fn leaves(&self, session: &Session, jni: Jni, word: i64) -> bool {
        if let Some(known) = lock(&self.verdicts).get(&word) {
            return known.is_some();
        }
        let target = lock(&self.targets).all.get(word as u32 as usize).cloned();
        let verdict = target.and_then(|target| {
            let receiver = session.calls.receivers.class(receiver_of(word));
            match receiver.filter(|_| target.dispatches) {
                Some(class) => self.selected(session, jni, &target, class.0),
                None => self.named(session, jni, &target),
            }
        });
        let leaves = verdict.is_some();
        lock(&self.verdicts).insert(word, verdict.map(Arc::new));
        leaves
    }

    /// The method that a call on an object of a class runs, if that is outside.
    fn selected(
        &self,
        session: &Session,
        jni: Jni,
        target: &Target,
        class: jclass,
    ) -> Option<Outside> {
        let found = self.above(
            session,
            jni,
            class,
            |declared, access| {
                access & ACC_STATIC == 0
                    && access & ACC_ABSTRACT == 0
                    && (access & ACC_PRIVATE == 0 || declared.class == target.owner)
            },
            target,
        );
        match found.or_else(|| self.default_method(session, jni, target, class)) {
            Some(found) => outside_of(session, target, &found),
            None => Some(unknown(target, &target.owner)),
        }
    }

    /// The first method of the target's name in a class or above it that suits.
    fn above(
        &self,
        session: &Session,
        jni: Jni,
        class: jclass,
        suits: impl Fn(&Declared, i32) -> bool,
        target: &Target,
    ) -> Option<Found> {
        let mut at = Some((class, false));
        while let Some((class, local)) = at {
            let declared = self.declared(session, jni, class);
            let found = declared.as_ref().and_then(|declared| {
                let (id, access) = declared.find(target)?;
                suits(declared, access).then(|| Found {
                    class: declared.class.clone(),
                    id,
                    access,
                })
            });
            if found.is_some() {
                session.calls.receivers.describe(session, jni, class);
            }
            at = match found {
                Some(_) => None,
                None => jni.superclass(class).map(|above| (above, true)),
            };
            if local {
                jni.delete_local(class);
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The default method that an object of a class inherits: that of the most special interface.
    fn default_method(
        &self,
        session: &Session,
        jni: Jni,
        target: &Target,
        class: jclass,
    ) -> Option<Found> {
        let types = Type::describe(session, jni, class)?;
        let mut found: Vec<Found> = Vec::new();
        self.interfaces_of(session, jni, target, class, &mut found);
        let is_above =
            |above: &str, below: &str| above != below && Type::is_above(&types, above, below);
        let special = |one: &&Found| !found.iter().any(|other| is_above(&one.class, &other.class));
        found.iter().find(special).cloned()
    }

    /// Adds the methods with code that interfaces of a class, of those above it, and of themselves declare.
    fn interfaces_of(
        &self,
        session: &Session,
        jni: Jni,
        target: &Target,
        class: jclass,
        found: &mut Vec<Found>,
    ) {
        for interface in session.jvmti.interfaces(class) {
            let declared = self.declared(session, jni, interface);
            let own = declared
                .as_ref()
                .and_then(|declared| Some((declared, declared.find(target)?)));
            if let Some((declared, (id, access))) = own
                && access & (ACC_STATIC | ACC_ABSTRACT | ACC_PRIVATE) == 0
            {
                session.calls.receivers.describe(session, jni, interface);
                found.push(Found {
                    class: declared.class.clone(),
                    id,
                    access,
                });
            }
            self.interfaces_of(session, jni, target, interface, found);
            jni.delete_local(interface);
        }
        if let Some(above) = jni.superclass(class) {
            self.interfaces_of(session, jni, target, above, found);
            jni.delete_local(above);
        }
    }

    /// The method that a static call, a constructor call or one of `super` runs, if that is outside.
    fn named(&self, session: &Session, jni: Jni, target: &Target) -> Option<Outside> {
        let mut owner = target.owner.clone();
        // Ends where the counted classes do; the bound guards against a hierarchy that bites its tail.
        for _ in 0..1000 {
            let counted = session.classes.named(&owner);
            let Some((_, first)) = counted.first() else {
                break;
            };
            let same = |name: &str, descriptor: &str| {
                name == target.name && descriptor == target.descriptor
            };
            let declares = counted.iter().any(|(_, class)| {
                let mut methods = class.methods.iter();
                methods.any(|method| same(&method.name, &method.descriptor))
            });
            match &first.super_name {
                Some(above) if !declares => owner.clone_from(above),
                _ => break,
            }
        }
        let Some(class) = self.loaded(session, jni, &owner) else {
            return Some(unknown(target, &owner));
        };
        let found = self.above(
            session,
            jni,
            class.0,
            |_, access| access & ACC_ABSTRACT == 0,
            target,
        );
        match found.or_else(|| self.default_method(session, jni, target, class.0)) {
            Some(found) => outside_of(session, target, &found),
            None => Some(unknown(target, &owner)),
        }
    }

    /// What a class declares.
    fn declared(&self, session: &Session, jni: Jni, class: jclass) -> Option<Arc<Declared>> {
        let name = name_of(session, jni, class)?;
        let known = lock(&self.declared).get(&name).cloned().unwrap_or_default();
        if let Some((_, found)) = known.iter().find(|(known, _)| jni.same(known.0, class)) {
            return Some(Arc::clone(found));
        }
        let mut methods = HashMap::new();
        for method in session.jvmti.methods(class) {
            if let Some(name) = session.jvmti.method_name(method.0) {
                let access = session.jvmti.method_access(method).unwrap_or(0);
                methods.insert(name, (method, access));
            }
        }
        let declared = Arc::new(Declared {
            class: name.clone(),
            methods,
        });
        // The JVM tells nothing yet of a class that is not linked.
        if !declared.methods.is_empty() {
            let global = jni.global(class)?;
            let entry = (global, Arc::clone(&declared));
            lock(&self.declared).entry(name).or_default().push(entry);
        }
        Some(declared)
    }

    /// A loaded class by name. The search goes through all classes, so that it looks for all others that were named, too.
    fn loaded(&self, session: &Session, jni: Jni, name: &str) -> Option<Global> {
        let known = |name: &str| {
            let declared = lock(&self.declared);
            Some(declared.get(name)?.first()?.0)
        };
        if let Some(class) = known(name) {
            return Some(class);
        }
        let wanted: Vec<String> = {
            let targets = lock(&self.targets);
            let named = targets.all.iter().filter(|target| !target.dispatches);
            let named = named.map(|target| target.owner.clone());
            named.chain([name.to_owned()]).collect()
        };
        let mut wanted: std::collections::HashSet<String> = wanted.into_iter().collect();
        {
            let declared = lock(&self.declared);
            wanted.retain(|name| !declared.contains_key(name));
        }
        for class in session.jvmti.loaded_classes() {
            let plain = session.jvmti.class_name(class);
            if plain.is_some_and(|plain| wanted.contains(&plain.plain)) {
                self.declared(session, jni, class);
            }
            jni.delete_local(class);
        }
        known(name)
    }
}

impl Targets {
    fn number(&mut self, target: Target) -> u32 {
        if let Some(number) = self.numbers.get(&target) {
            return *number;
        }
        let number = self.all.len() as u32;
        let target = Arc::new(target);
        self.all.push(Arc::clone(&target));
        self.numbers.insert(target, number);
        number
    }
}

/// A method that was found.
#[derive(Clone, Debug)]
struct Found {
    class: String,
    id: Id<jmethodID>,
    access: i32,
}

/// What is known of a method that was not found: what the instruction says.
fn unknown(target: &Target, owner: &str) -> Outside {
    let polymorphic = POLYMORPHIC.contains(&owner);
    Outside {
        class: owner.to_owned(),
        name: target.name.clone(),
        descriptor: target.descriptor.clone(),
        access: if polymorphic { ACC_NATIVE } else { 0 },
        bytes: None,
    }
}

/// None if the method writes itself down.
fn outside_of(session: &Session, target: &Target, found: &Found) -> Option<Outside> {
    let counted = session.classes.named(&found.class);
    let writes = counted.iter().any(|(_, class)| {
        let mut methods = class.methods.iter();
        methods.any(|method| {
            method.name == target.name
                && method.descriptor == target.descriptor
                && !method.pcs.is_empty()
        })
    });
    let native = found.access & ACC_NATIVE != 0 && !counted.is_empty();
    if writes || (native && super::thunks::exist()) {
        return None;
    }
    Some(Outside {
        class: found.class.clone(),
        name: target.name.clone(),
        descriptor: target.descriptor.clone(),
        access: found.access,
        bytes: session.jvmti.code_length(found.id),
    })
}
