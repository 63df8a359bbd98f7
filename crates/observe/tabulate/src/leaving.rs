//! Which calls leave the counted code, and to what.
//!
//! A call stays inside if its target, looked up as the JVM does from the named class upwards, is a method of a counted
//! class. It leaves if the search arrives at an uncounted class, or finds a native method or one that was left
//! uncounted. The receiver's class is not known: a call through an uncounted interface leaves, even when a counted class
//! implements it, and its body is then counted as well.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use pricetag_classfile::opcode as op;
use pricetag_dataset::{DatasetBuilder, FeatureId};
use pricetag_probe_plan::{CallSite, ClassPlan, MethodOutcome, Name};

use crate::describe;

/// JVM access flag of native methods.
const NATIVE: u16 = 0x0100;

/// Call sites with the same static target, numbered over all plans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TargetId(u32);

/// Numbers static targets.
#[derive(Default)]
pub(crate) struct Targets {
    numbers: HashMap<(Name, Name, Name, bool), TargetId>,
    methods: u32,
}

impl Targets {
    /// The number of a further method.
    pub(crate) fn method(&mut self) -> u32 {
        self.methods += 1;
        self.methods
    }

    pub(crate) fn number(&mut self, call: &CallSite) -> TargetId {
        let key = (
            call.owner.clone(),
            call.name.clone(),
            call.descriptor.clone(),
            call.opcode == op::INVOKEDYNAMIC,
        );
        let next = TargetId(self.numbers.len() as u32);
        *self.numbers.entry(key).or_insert(next)
    }
}

/// The leaving calls of one trace; each target is looked up once.
#[derive(Default)]
pub(crate) struct Leaving {
    pub(crate) counted: Counted,
    /// Calls by calling method, target and opcode.
    pub(crate) contexts: HashMap<(u32, TargetId, u8), Option<FeatureId>>,
    /// Columns of them that are not described yet, with the number of methods they may reach.
    pub(crate) fresh: Vec<(FeatureId, usize)>,
    resolved: HashMap<TargetId, Option<FeatureId>>,
}

impl Leaving {
    /// The feature that counts calls of this target; none if they stay inside.
    pub(crate) fn feature(
        &mut self,
        target: TargetId,
        call: &CallSite,
        builder: &mut DatasetBuilder,
    ) -> Option<FeatureId> {
        let counted = &self.counted;
        *self.resolved.entry(target).or_insert_with(|| {
            let owner = counted.leaves_to(call)?;
            Some(builder.intern(describe::call(owner, call)))
        })
    }

    /// The same without looking up a target that was not yet asked for.
    pub(crate) fn known(&self, target: TargetId) -> Option<FeatureId> {
        self.resolved.get(&target).copied().flatten()
    }
}

/// A counted class, and the names its methods are shown by.
pub(crate) struct Known {
    pub(crate) plan: Rc<ClassPlan>,
    pub(crate) names: Rc<Vec<String>>,
}

/// The counted classes of one trace, by internal name.
#[derive(Default)]
pub(crate) struct Counted {
    classes: BTreeMap<String, Known>,
    /// Names of the classes below each class or interface, once they are asked for.
    below: OnceCell<BTreeMap<String, BTreeSet<String>>>,
}

impl Counted {
    pub(crate) fn add(&mut self, plan: &Rc<ClassPlan>, names: &Rc<Vec<String>>) {
        self.below.take();
        let known = Known {
            plan: Rc::clone(plan),
            names: Rc::clone(names),
        };
        self.classes.insert(plan.name.clone(), known);
    }

    /// A counted class by its internal name.
    pub(crate) fn known(&self, name: &str) -> Option<&Known> {
        self.classes.get(name)
    }

    /// The counted classes below a class or interface, as far as the counted classes between them tell.
    pub(crate) fn below(&self, name: &str) -> impl Iterator<Item = &Known> {
        let below = self.below.get_or_init(|| self.all_below());
        let names = below.get(name).into_iter().flatten();
        names.filter_map(|name| self.classes.get(name))
    }

    fn all_below(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut below: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for class in self.classes.values() {
            let mut open = vec![&class.plan];
            let mut seen = BTreeSet::new();
            while let Some(plan) = open.pop() {
                for above in plan.interfaces.iter().chain(&plan.super_name) {
                    if seen.insert(above) && *above != class.plan.name {
                        let names = below.entry(above.clone()).or_default();
                        names.insert(class.plan.name.clone());
                        open.extend(self.classes.get(above).map(|known| &known.plan));
                    }
                }
            }
        }
        below
    }

    /// The class at which a call leaves the counted code; none if it stays inside.
    pub(crate) fn leaves_to<'a>(&'a self, call: &'a CallSite) -> Option<&'a str> {
        if call.opcode == op::INVOKEDYNAMIC {
            return Some(&call.owner);
        }
        let mut owner = call.owner.as_str();
        // A hierarchy of loaded classes has no cycle; the bound guards against plans that do not belong together.
        for _ in 0..=self.classes.len() {
            let Some(class) = self.classes.get(owner).map(|known| &known.plan) else {
                return self.default_method(call).map_or(Some(owner), |()| None);
            };
            if let Some(leaves) = declared(class, call) {
                return leaves.then_some(owner);
            }
            match &class.super_name {
                Some(parent) => owner = parent,
                None => break,
            }
        }
        self.default_method(call).map_or(Some(owner), |()| None)
    }

    /// Whether a counted superinterface of the call's owner declares the method.
    fn default_method(&self, call: &CallSite) -> Option<()> {
        let mut open = vec![call.owner.as_str()];
        let mut seen = BTreeSet::new();
        while let Some(name) = open.pop() {
            if !seen.insert(name) {
                continue;
            }
            let Some(class) = self.classes.get(name).map(|known| &known.plan) else {
                continue;
            };
            if declared(class, call) == Some(false) {
                return Some(());
            }
            open.extend(class.interfaces.iter().map(String::as_str));
            open.extend(class.super_name.as_deref());
        }
        None
    }
}

/// Whether the class declares the target, and if so, whether a call of it leaves the counted code.
fn declared(class: &ClassPlan, call: &CallSite) -> Option<bool> {
    let method = class
        .methods
        .iter()
        .find(|m| call.name == *m.name && call.descriptor == *m.descriptor)?;
    Some(match method.outcome {
        MethodOutcome::Counted => false,
        MethodOutcome::NoCode => method.access & NATIVE != 0,
        MethodOutcome::Left(_) => true,
    })
}
