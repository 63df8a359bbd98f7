//! Who calls whom: the methods that can be reached from the start of a program.
//!
//! A virtual call reaches the method of every class below its static type that reached code makes (`new`, a service, a name in a string).
//! A call into code outside may come back to the methods that its model names. What `LambdaMetafactory` makes is a class of one method.
//! Static initialisers are reached with the first use of their class.
//!
//! Source: Dean, Grove & Chambers 1995 (class hierarchy analysis); Bacon & Sweeney 1996 (rapid type analysis). Limits: what reflection and
//! method handles call is not known unless a string names the class; see `docs/slices.md`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pricetag_classfile::class::{ACC_ABSTRACT, ACC_PRIVATE};
use pricetag_classfile::opcode as op;
use pricetag_classfile::{
    ClassFile, ClassFileError, Code, Constant, ConstantPool, Instruction, MemberRef, Operand,
    descriptor,
};

use crate::models::{ALL, Model, Models};
use crate::program::{ClassId, MethodId, Program};
use crate::throwing::catchers;

/// A virtual call's static type and selector: all such calls have the same targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub u32);

/// An object that `invokedynamic` makes of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LambdaId(pub u32);

/// What a call names as its static type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Type {
    Object,
    /// A class outside, whichever.
    Outside,
    Of(ClassId),
}

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
    interface: Option<ClassId>,
    name: String,
    arity: usize,
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
    throws: bool,
    /// Calls whose exceptions no handler takes for sure, by index into `calls`.
    open: Vec<usize>,
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
        search.run();
        let mut graph = search.graph;
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

struct Search<'p, 'a> {
    program: &'p Program<'a>,
    models: &'p Models,
    graph: CallGraph,
    pending: Vec<MethodId>,
    seen: Vec<bool>,
    initialised: Vec<bool>,
    made: Vec<bool>,
    key_ids: HashMap<(Type, String, String), KeyId>,
    /// Keys by static type, with their selector if a method of the program has it.
    keys_on: HashMap<Type, Vec<(KeyId, String, String)>>,
    made_under: HashMap<Type, Vec<ClassId>>,
    outside_ids: BTreeMap<(String, String, String), usize>,
    /// Names that code outside may call.
    called_back: BTreeSet<String>,
    /// Made classes, in order.
    made_classes: Vec<ClassId>,
}

impl<'p, 'a> Search<'p, 'a> {
    fn new(program: &'p Program<'a>, models: &'p Models) -> Self {
        let methods = program.methods().count();
        Self {
            program,
            models,
            graph: CallGraph {
                reached: (0..methods).map(|_| None).collect(),
                keys: Vec::new(),
                lambdas: Vec::new(),
                outside: Vec::new(),
                callbacks: BTreeMap::new(),
                lambda_callbacks: BTreeMap::new(),
                throws: Vec::new(),
                broken: Vec::new(),
                natives: Vec::new(),
            },
            pending: Vec::new(),
            seen: vec![false; methods],
            initialised: vec![false; program.class_count()],
            made: vec![false; program.class_count()],
            key_ids: HashMap::new(),
            keys_on: HashMap::new(),
            made_under: HashMap::new(),
            outside_ids: BTreeMap::new(),
            called_back: BTreeSet::new(),
            made_classes: Vec::new(),
        }
    }

    fn reach(&mut self, method: MethodId) {
        if !std::mem::replace(&mut self.seen[method.0 as usize], true) {
            self.pending.push(method);
        }
    }

    fn run(&mut self) {
        while let Some(method) = self.pending.pop() {
            let (file, member) = self.program.member(method);
            let constants = file.constants();
            match member.code(constants) {
                Ok(Some(code)) => {
                    let mut reached = Reached::default();
                    let scanned = self.scan(method, file, &code, &mut reached);
                    if let Err(e) = scanned {
                        self.graph
                            .broken
                            .push(format!("{}: {e}", self.program.shown(method)));
                    }
                    self.graph.reached[method.0 as usize] = Some(reached);
                }
                Ok(None) if member.access & ACC_ABSTRACT == 0 => self.graph.natives.push(method),
                Ok(None) => {}
                Err(e) => {
                    self.graph
                        .broken
                        .push(format!("{}: {e}", self.program.shown(method)));
                }
            }
        }
    }

    /// Runs the static initialisers of a class and its superclasses.
    fn initialise(&mut self, class: ClassId) {
        let mut at = Some(class);
        while let Some(here) = at {
            if std::mem::replace(&mut self.initialised[here.0 as usize], true) {
                return;
            }
            if let Some(selector) = self.program.known_selector("<clinit>", "()V")
                && let Some(method) = self.program.resolve(here, selector)
                && self.program.method(method).class == here
            {
                self.reach(method);
            }
            at = self.program.class(here).superclass;
        }
    }

    /// A class that something makes by its name: every constructor may run.
    fn make_by_name(&mut self, class: ClassId) {
        self.initialise(class);
        self.make(class);
        let all = self.program.methods();
        let own: Vec<MethodId> = all
            .filter(|(_, m)| m.class == class && self.program.text(m.selector).0 == "<init>")
            .map(|(id, _)| id)
            .collect();
        own.into_iter()
            .for_each(|constructor| self.reach(constructor));
    }

    fn make(&mut self, class: ClassId) {
        if std::mem::replace(&mut self.made[class.0 as usize], true) {
            return;
        }
        self.made_classes.push(class);
        let mut types: Vec<Type> = self
            .program
            .supertypes(class)
            .into_iter()
            .map(Type::Of)
            .collect();
        types.push(Type::Object);
        if self.program.class(class).outside {
            types.push(Type::Outside);
        }
        for kind in types {
            self.made_under.entry(kind).or_default().push(class);
            for (key, name, descriptor) in self.keys_on.get(&kind).cloned().unwrap_or_default() {
                self.dispatch(key, class, &name, &descriptor);
            }
        }
        self.call_back(class, None);
    }

    fn dispatch(&mut self, key: KeyId, class: ClassId, name: &str, descriptor: &str) {
        let Some(selector) = self.program.known_selector(name, descriptor) else {
            return;
        };
        let Some(method) = self.program.resolve(class, selector) else {
            return;
        };
        if self.program.method(method).access & ACC_ABSTRACT != 0 {
            return;
        }
        let methods = &mut self.graph.keys[key.0 as usize].methods;
        if !methods.contains(&method) {
            methods.push(method);
            self.reach(method);
        }
    }

    /// Lets code outside call the methods of a class that it may know, of one name or of all that are called.
    fn call_back(&mut self, class: ClassId, only: Option<&str>) {
        let outside = self.program.class(class).outside;
        for owner in self.program.supertypes(class) {
            for member in self.program.class(owner).file.methods() {
                let constants = self.program.class(owner).file.constants();
                let (name, descriptor) = (member.name(constants), member.descriptor(constants));
                let called = match only {
                    Some(only) => name == only || only == ALL,
                    None => self.called_back.contains(&name) || self.called_back.contains(ALL),
                };
                let of_object = matches!(
                    name.as_str(),
                    "toString" | "hashCode" | "equals" | "finalize"
                );
                if !called || name.starts_with('<') || !(outside || of_object) {
                    continue;
                }
                let Some(selector) = self.program.known_selector(&name, &descriptor) else {
                    continue;
                };
                let Some(method) = self.program.resolve(class, selector) else {
                    continue;
                };
                let found = self.program.method(method);
                if found.is_static() || found.access & (ACC_ABSTRACT | ACC_PRIVATE) != 0 {
                    continue;
                }
                let known = self.graph.callbacks.entry(name).or_default();
                if !known.contains(&method) {
                    known.push(method);
                    self.reach(method);
                }
            }
        }
    }

    fn lambda_call_back(&mut self, lambda: LambdaId) {
        let made = &self.graph.lambdas[lambda.0 as usize];
        let called = self.called_back.contains(&made.name) || self.called_back.contains(ALL);
        let known_outside = made.interface.is_none_or(|c| self.program.class(c).outside);
        if called && known_outside {
            let known = self
                .graph
                .lambda_callbacks
                .entry(made.name.clone())
                .or_default();
            if !known.contains(&lambda) {
                known.push(lambda);
            }
        }
    }

    /// The number of the model of a call to the outside.
    fn outside(&mut self, member: &MemberRef) -> usize {
        let key = (
            member.owner.clone(),
            member.name.clone(),
            member.descriptor.clone(),
        );
        if let Some(&known) = self.outside_ids.get(&key) {
            return known;
        }
        let model = self.models.of(&key.0, &key.1, &key.2);
        let id = self.graph.outside.len();
        self.outside_ids.insert(key, id);
        self.graph.outside.push((member.clone(), model.clone()));
        for name in model.calls {
            if self.called_back.insert(name.clone()) {
                for class in self.made_classes.clone() {
                    self.call_back(class, Some(&name));
                }
                for lambda in 0..self.graph.lambdas.len() as u32 {
                    self.lambda_call_back(LambdaId(lambda));
                }
            }
        }
        id
    }

    fn key(&mut self, kind: Type, member: &MemberRef) -> KeyId {
        let (name, descriptor) = (member.name.clone(), member.descriptor.clone());
        let full = (kind, name.clone(), descriptor.clone());
        if let Some(&known) = self.key_ids.get(&full) {
            return known;
        }
        let key = KeyId(self.graph.keys.len() as u32);
        self.graph.keys.push(Key::default());
        self.key_ids.insert(full, key);
        let keys = self.keys_on.entry(kind).or_default();
        keys.push((key, name.clone(), descriptor.clone()));
        for class in self.made_under.get(&kind).cloned().unwrap_or_default() {
            self.dispatch(key, class, &name, &descriptor);
        }
        for lambda in 0..self.graph.lambdas.len() as u32 {
            self.offer(LambdaId(lambda), kind, key, &name, &descriptor);
        }
        key
    }

    /// Adds a lambda to the targets of a key if it may be called so.
    fn offer(&mut self, lambda: LambdaId, kind: Type, key: KeyId, name: &str, descriptor: &str) {
        let made = &self.graph.lambdas[lambda.0 as usize];
        let arity = descriptor::split(descriptor).map(|(parameters, _)| parameters.len());
        let fits = match (kind, made.interface) {
            (Type::Object, _) => false,
            (Type::Outside, interface) => interface.is_none_or(|c| self.program.class(c).outside),
            (Type::Of(class), Some(own)) => self.program.supertypes(own).contains(&class),
            (Type::Of(_), None) => false,
        };
        if fits && made.name == name && arity == Some(made.arity) {
            self.graph.keys[key.0 as usize].lambdas.push(lambda);
        }
    }

    fn scan(
        &mut self,
        method: MethodId,
        file: &ClassFile<'_>,
        code: &Code<'_>,
        reached: &mut Reached,
    ) -> Result<(), ClassFileError> {
        let constants = file.constants();
        for (i, here) in code.instructions()?.iter().enumerate() {
            match (here.opcode, &here.operand) {
                (op::ATHROW, _) => reached.throws |= !catchers(code, here).all,
                (op::NEW, Operand::Constant(index)) => {
                    if let Some(class) = self.program.named(&constants.class_name(*index)?) {
                        self.initialise(class);
                        self.make(class);
                    }
                }
                (op::GETSTATIC | op::PUTSTATIC, Operand::Constant(index)) => {
                    let field = constants.member_ref(*index)?;
                    if let Some(owner) = self.program.named(&field.owner) {
                        let declares = self.program.declares(owner, &field.name, &field.descriptor);
                        self.initialise(declares.unwrap_or(owner));
                    }
                }
                (op::LDC | op::LDC_W, Operand::Constant(index)) => {
                    if let Ok(Constant::String(text)) = constants.loadable(*index)
                        && let Some(class) = self.program.named(&text.replace('.', "/"))
                    {
                        self.make_by_name(class);
                    }
                }
                (op::INVOKEVIRTUAL..=op::INVOKEDYNAMIC, _) => {
                    if let Some(call) = self.call(method, file, constants, i, here)? {
                        if !catchers(code, here).all {
                            reached.open.push(reached.calls.len());
                        }
                        reached.calls.push(call);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn call(
        &mut self,
        method: MethodId,
        file: &ClassFile<'_>,
        constants: &ConstantPool<'_>,
        instruction: usize,
        here: &Instruction,
    ) -> Result<Option<Call>, ClassFileError> {
        if let Operand::InvokeDynamic(index) = here.operand {
            return self.dynamic(method, file, instruction, index).map(Some);
        }
        let (Operand::Constant(index) | Operand::InvokeInterface { index, .. }) = here.operand
        else {
            return Ok(None);
        };
        let member = constants.member_ref(index)?;
        let receiver = here.opcode != op::INVOKESTATIC;
        let target = match here.opcode {
            op::INVOKESTATIC => self.exactly(&member, true),
            op::INVOKESPECIAL => self.exactly(&member, false),
            _ => self.dispatched(&member),
        };
        Ok(Some(Call {
            instruction,
            target,
            slots: argument_slots(&member.descriptor, receiver),
            dispatches: receiver,
            makes: None,
        }))
    }

    /// The target of a call that does not dispatch.
    fn exactly(&mut self, member: &MemberRef, initialises: bool) -> Target {
        if let Some(owner) = self.program.named(&member.owner) {
            let selector = self
                .program
                .known_selector(&member.name, &member.descriptor);
            if let Some(found) = selector.and_then(|s| self.program.resolve(owner, s)) {
                if initialises {
                    self.initialise(self.program.method(found).class);
                }
                self.reach(found);
                return Target {
                    method: Some(found),
                    ..Target::default()
                };
            }
        }
        let outside = self.inherited(member);
        Target {
            outside: Some(self.outside(&outside)),
            ..Target::default()
        }
    }

    fn dispatched(&mut self, member: &MemberRef) -> Target {
        let own = self.program.named(&member.owner);
        let kind = match own {
            Some(class) => Type::Of(class),
            None if member.owner == "java/lang/Object" || member.owner.starts_with('[') => {
                Type::Object
            }
            None => Type::Outside,
        };
        let key = self.key(kind, member);
        let selector = self
            .program
            .known_selector(&member.name, &member.descriptor);
        let found = own
            .zip(selector)
            .and_then(|(c, s)| self.program.resolve(c, s));
        let outside = found.is_none().then(|| {
            let member = self.inherited(member);
            self.outside(&member)
        });
        Target {
            method: None,
            key: Some(key),
            outside,
        }
    }

    /// A member as the nearest class outside has it.
    fn inherited(&self, member: &MemberRef) -> MemberRef {
        let mut owner = member.owner.clone();
        while let Some(class) = self.program.named(&owner) {
            let file = &self.program.class(class).file;
            let outside = |name: &String| self.program.named(name).is_none();
            let parent = file.super_name();
            let interface = file.interfaces().into_iter().find(outside);
            owner = match (parent, interface) {
                (Some(parent), Some(interface)) if parent == "java/lang/Object" => interface,
                (Some(parent), _) => parent,
                (None, _) => break,
            };
        }
        MemberRef {
            owner,
            ..member.clone()
        }
    }

    fn dynamic(
        &mut self,
        method: MethodId,
        file: &ClassFile<'_>,
        instruction: usize,
        index: u16,
    ) -> Result<Call, ClassFileError> {
        let constants = file.constants();
        let site = constants.invoke_dynamic(index)?;
        let (bootstrap, arguments) = file.bootstrap(site.bootstrap)?;
        let mut call = Call {
            instruction,
            target: Target::default(),
            slots: argument_slots(&site.descriptor, false),
            dispatches: false,
            makes: None,
        };
        if bootstrap.owner != "java/lang/invoke/LambdaMetafactory" || arguments.len() < 3 {
            let member = MemberRef {
                owner: bootstrap.owner,
                name: bootstrap.name,
                descriptor: site.descriptor,
            };
            call.target.outside = Some(self.outside(&member));
            return Ok(call);
        }
        let (kind, member) = constants.method_handle(arguments[1])?;
        let Constant::MethodType(shape) = constants.loadable(arguments[0])? else {
            return Ok(call);
        };
        // JVMS table 5.4.3.5-A.
        let target = match kind {
            5 | 9 => self.dispatched(&member),
            8 => {
                if let Some(class) = self.program.named(&member.owner) {
                    self.initialise(class);
                    self.make(class);
                }
                self.exactly(&member, true)
            }
            _ => self.exactly(&member, kind == 6),
        };
        let interface = site
            .descriptor
            .rsplit_once(")L")
            .map(|(_, name)| name.trim_end_matches(';'));
        let lambda = LambdaId(self.graph.lambdas.len() as u32);
        let arity = descriptor::split(&shape).map_or(0, |(parameters, _)| parameters.len());
        self.graph.lambdas.push(Lambda {
            made_at: (method, instruction),
            interface: interface.and_then(|name| self.program.named(name)),
            name: site.name,
            arity,
            target,
            captured: call.slots.len(),
            constructs: kind == 8,
        });
        let keys: Vec<(Type, KeyId, String, String)> = self
            .key_ids
            .iter()
            .map(|((kind, name, descriptor), key)| (*kind, *key, name.clone(), descriptor.clone()))
            .collect();
        for (kind, key, name, descriptor) in keys {
            self.offer(lambda, kind, key, &name, &descriptor);
        }
        self.lambda_call_back(lambda);
        call.makes = Some(lambda);
        Ok(call)
    }
}

/// Slots of receiver and arguments.
fn argument_slots(text: &str, receiver: bool) -> Vec<u16> {
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
