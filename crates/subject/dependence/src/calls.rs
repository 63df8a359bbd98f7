//! Who calls whom: the methods that can be reached from the start of a program.
//!
//! A virtual call reaches the method of every class below its static type that reached code makes (`new`, a service, a name in a string).
//! A call into code outside may come back to the methods that its model names. What `LambdaMetafactory` makes is a class of one method.
//! Static initialisers are reached with the first use of their class.
//!
//! Source: Dean, Grove & Chambers 1995 (class hierarchy analysis); Bacon & Sweeney 1996 (rapid type analysis). Limits: what reflection and
//! method handles call is not known unless a string names the class; see `docs/slices.md`.

use std::collections::BTreeMap;

use pricetag_classfile::{MemberRef, descriptor};

use crate::models::{Model, Models};
use crate::program::{ClassId, MethodId, Program};
use crate::reach::Search;

/// A virtual call's static type and selector: all such calls have the same targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub u32);

/// An object that `invokedynamic` makes of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LambdaId(pub u32);

/// Targets of one kind of virtual call.
#[derive(Clone, Debug, Default)]
pub struct Key {
    /// Methods, in the order they were found.
    pub methods: Vec<MethodId>,
    /// Lambdas.
    pub lambdas: Vec<LambdaId>,
}

/// What a call may run.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The one method.
    pub method: Option<MethodId>,
    /// The methods that dispatch chooses among.
    pub key: Option<KeyId>,
    /// Code outside, by number of its model.
    pub outside: Option<usize>,
}

/// A call of a method.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its index among the instructions.
    pub instruction: usize,
    /// What it runs.
    pub target: Target,
    /// Slots of each argument, the receiver included, in order.
    pub slots: Vec<u16>,
    /// Whether the first argument decides what runs.
    pub dispatches: bool,
    /// What it makes, if it is the `invokedynamic` of a lambda.
    pub makes: Option<LambdaId>,
}

/// An object that stands for a method.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// The method that holds the `invokedynamic`, and its index there.
    pub made_at: (MethodId, usize),
    /// Which class of the program its interface is; none if that is outside.
    pub(crate) interface: Option<ClassId>,
    pub(crate) name: String,
    pub(crate) arity: usize,
    /// What runs when it is called.
    pub target: Target,
    /// How many of the method's first arguments are captured.
    pub captured: usize,
    /// Whether the method is a constructor: its receiver is new.
    pub constructs: bool,
}

/// What is known of a reached method.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// Its calls, in order.
    pub calls: Vec<Call>,
    /// Whether an `athrow` of it may leave the method.
    pub(crate) throws: bool,
    /// Calls whose exceptions no handler takes for sure, by index into `calls`.
    pub(crate) open: Vec<usize>,
}

/// The reached part of a program.
#[derive(Debug)]
pub struct CallGraph {
    /// By method; none if it is not reached or has no code.
    pub reached: Vec<Option<Reached>>,
    /// By [`KeyId`].
    pub keys: Vec<Key>,
    /// By [`LambdaId`].
    pub lambdas: Vec<Lambda>,
    /// Models of calls to the outside: who is called, and what that does.
    pub outside: Vec<(MemberRef, Model)>,
    /// Methods that code outside may call, by their name.
    pub callbacks: BTreeMap<String, Vec<MethodId>>,
    /// Lambdas that code outside may call, by the name of the interface's method.
    pub lambda_callbacks: BTreeMap<String, Vec<LambdaId>>,
    /// Methods that may end in an exception which an `athrow` of the program raised.
    pub throws: Vec<bool>,
    /// Methods that cannot be decoded, and why.
    pub broken: Vec<String>,
    /// Native methods of the program that are called.
    pub natives: Vec<MethodId>,
}

impl CallGraph {
    /// Follows calls from `roots`.
    pub fn of(
        program: &Program<'_>,
        models: &Models,
        roots: &[MethodId],
        made: &[ClassId],
    ) -> Self {
        let mut search = Search::new(program, models);
        for &root in roots {
            search.initialise(program.method(root).class);
            search.reach(root);
        }
        for &class in made {
            search.make_by_name(class);
        }
        let mut graph = search.run();
        graph.find_throws();
        graph
    }

    /// Methods that a target may be, those of lambdas included, each with the lambda it comes through.
    pub fn methods_of(&self, target: &Target) -> Vec<(MethodId, Option<LambdaId>)> {
        let mut found = Vec::new();
        self.collect(target, None, &mut found);
        found.sort_unstable();
        found.dedup();
        found
    }

    fn collect(
        &self,
        target: &Target,
        through: Option<LambdaId>,
        found: &mut Vec<(MethodId, Option<LambdaId>)>,
    ) {
        found.extend(target.method.map(|m| (m, through)));
        let Some(key) = target.key.map(|k| &self.keys[k.0 as usize]) else {
            return;
        };
        found.extend(key.methods.iter().map(|&m| (m, through)));
        // What a lambda stands for may be called through a lambda in turn; once is enough to reach its methods.
        if through.is_none() {
            for &lambda in &key.lambdas {
                self.collect(&self.lambdas[lambda.0 as usize].target, Some(lambda), found);
            }
        }
    }

    /// Whether the call at an instruction of a method may end in an exception that an `athrow` of the program raised.
    pub fn raises(&self, method: MethodId, instruction: usize) -> bool {
        let Some(reached) = &self.reached[method.0 as usize] else {
            return false;
        };
        let found = reached
            .calls
            .binary_search_by_key(&instruction, |c| c.instruction);
        found.is_ok_and(|at| {
            let methods = self.methods_of(&reached.calls[at].target);
            methods.iter().any(|(m, _)| self.throws[m.0 as usize])
        })
    }

    fn find_throws(&mut self) {
        let mut throws = vec![false; self.reached.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (method, reached) in self.reached.iter().enumerate() {
                let Some(reached) = reached.as_ref().filter(|_| !throws[method]) else {
                    continue;
                };
                let mut open = reached.open.iter().map(|&c| &reached.calls[c].target);
                if reached.throws
                    || open.any(|t| self.methods_of(t).iter().any(|(m, _)| throws[m.0 as usize]))
                {
                    throws[method] = true;
                    changed = true;
                }
            }
        }
        self.throws = throws;
    }
}

/// Slots of receiver and arguments.
pub(crate) fn argument_slots(text: &str, receiver: bool) -> Vec<u16> {
    let parameters = descriptor::split(text)
        .map(|(parameters, _)| parameters)
        .unwrap_or_default();
    let own = parameters.iter().map(|p| descriptor::slots(p));
    receiver.then_some(1).into_iter().chain(own).collect()
}

/// Slots of receiver and parameters of a method.
pub fn parameter_slots(program: &Program<'_>, method: MethodId) -> Vec<u16> {
    let found = program.method(method);
    argument_slots(program.text(found.selector).1, !found.is_static())
}
