//! The search for what can be reached, behind [`crate::calls`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pricetag_classfile::class::{ACC_ABSTRACT, ACC_PRIVATE, ACC_PROTECTED, ACC_PUBLIC};
use pricetag_classfile::opcode as op;
use pricetag_classfile::{
    ClassFile, ClassFileError, Code, Constant, ConstantPool, Instruction, MemberRef, Operand,
    descriptor,
};

use crate::calls::{
    Call, CallGraph, Key, KeyId, Lambda, LambdaId, Reached, Target, argument_slots,
};
use crate::models::{ALL, Models};
use crate::program::{ClassId, MethodId, Program};
use crate::throwing::catchers;

/// What a call names as its static type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Type {
    Object,
    /// A class outside, whichever.
    Outside,
    Of(ClassId),
}

pub(crate) struct Search<'p, 'a> {
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
    pub(crate) fn new(program: &'p Program<'a>, models: &'p Models) -> Self {
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

    pub(crate) fn reach(&mut self, method: MethodId) {
        if !std::mem::replace(&mut self.seen[method.0 as usize], true) {
            self.pending.push(method);
        }
    }

    pub(crate) fn run(mut self) -> CallGraph {
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
        self.graph
    }

    /// Runs the static initialisers of a class and its superclasses.
    pub(crate) fn initialise(&mut self, class: ClassId) {
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
    pub(crate) fn make_by_name(&mut self, class: ClassId) {
        self.initialise(class);
        self.make(class);
        let all = self.program.methods();
        let own: Vec<MethodId> = all
            .filter(|(_, m)| m.class == class && self.program.text(m.selector).0 == "<init>")
            .map(|(id, _)| id)
            .collect();
        for constructor in own {
            self.reach(constructor);
        }
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
        let Some(method) = self.program.select(class, selector) else {
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
                let Some(method) = self.program.select(class, selector) else {
                    continue;
                };
                if self.program.method(method).access & ACC_ABSTRACT != 0 {
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
            (Type::Outside, interface) => interface.is_none_or(|c| self.program.class(c).outside),
            (Type::Of(class), Some(own)) => self.program.supertypes(own).contains(&class),
            (Type::Object, _) | (Type::Of(_), None) => false,
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
        if let Some(found) = found
            && self.program.method(found).access & ACC_PRIVATE != 0
        {
            // Since Java 11 a class calls its own private methods so, and nothing overrides them.
            self.reach(found);
            return Target {
                method: Some(found),
                ..Target::default()
            };
        }
        // Nothing in another package overrides a method without access flags: it stays a target beside what has its name there.
        let here = found.filter(|found| {
            self.program.method(*found).access & (ACC_PUBLIC | ACC_PROTECTED | ACC_ABSTRACT) == 0
        });
        if let Some(here) = here {
            self.reach(here);
        }
        let outside = found.is_none().then(|| {
            let member = self.inherited(member);
            self.outside(&member)
        });
        Target {
            method: here,
            key: Some(key),
            outside,
        }
    }

    /// A member as the nearest class outside has it.
    fn inherited(&self, member: &MemberRef) -> MemberRef {
        let mut owner = member.owner.clone();
        // Superclasses may form a circle in the files.
        for _ in 0..self.program.class_count() {
            let Some(class) = self.program.named(&owner) else {
                break;
            };
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
        let interface = interface.and_then(|name| self.program.named(name));
        if let Some(interface) = interface {
            // Its default methods may be called on the lambda.
            self.initialise(interface);
            self.make(interface);
        }
        let lambda = LambdaId(self.graph.lambdas.len() as u32);
        let arity = descriptor::split(&shape).map_or(0, |(parameters, _)| parameters.len());
        self.graph.lambdas.push(Lambda {
            made_at: (method, instruction),
            interface,
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
