//! Who may call whom: a call graph by class hierarchy, with what the code alone does not show told apart.
//!
//! Source: Dean, Grove & Chambers 1995, "Optimization of object-oriented programs using static class hierarchy analysis". Deviation: a
//! call through a type outside of the program may reach every method of that name and descriptor. Class initialisers are called where an
//! instruction may initialise their class. *Callbacks* are methods that code outside of the program may call: those behind lambdas and method
//! references, and those that may override something from outside.
//!
//! Limits: reflection and what a JVM calls by itself have no edges.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use pricetag_classfile::class::{ACC_PRIVATE, ACC_STATIC};
use pricetag_classfile::pool::tag;
use pricetag_classfile::{ClassFile, Instruction, MemberRef, Operand, opcode};
use pricetag_flow::Cfg;

use crate::program::Program;

/// A method of the program; index into [`Graph::methods`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodId(pub u32);

/// A class of the program.
#[derive(Debug)]
pub struct Class<'p> {
    /// Its file.
    pub file: ClassFile<'p>,
    /// Number of its first method.
    first: u32,
    /// Direct subtypes in the program.
    below: Vec<usize>,
}

/// A method.
#[derive(Debug)]
pub struct Method {
    /// Index of its class.
    pub class: usize,
    /// Index in its class.
    pub index: u16,
    /// Name.
    pub name: String,
    /// Descriptor.
    pub descriptor: String,
    access: u16,
    /// Control flow and calls; none without code, or if the code makes no sense.
    pub flow: Option<Flow>,
}

/// Control flow and calls of a method.
#[derive(Debug)]
pub struct Flow {
    /// Its graph.
    pub cfg: Cfg,
    /// By index of the instruction, what it may call in the program; ascending.
    pub calls: Vec<(usize, Rc<[MethodId]>)>,
}

/// The classes and methods of a program.
#[derive(Debug)]
pub struct Graph<'p> {
    /// Its classes, by name.
    pub classes: Vec<Class<'p>>,
    /// Their methods.
    pub methods: Vec<Method>,
    /// Methods that code outside of the program may call.
    pub callbacks: BTreeSet<MethodId>,
    by_name: HashMap<String, usize>,
}

/// What types outside of the program have to be overridden, as far as that is known; of others everything may be.
const OUTSIDE: [(&str, &[&str]); 14] = [
    ("java/lang/Object", &[]),
    ("java/io/Serializable", &[]),
    ("java/lang/Cloneable", &[]),
    ("java/util/RandomAccess", &[]),
    ("java/lang/annotation/Annotation", &[]),
    ("java/lang/Enum", &[]),
    ("java/lang/Record", &[]),
    ("java/lang/Comparable", &[]),
    ("java/lang/Runnable", &["run"]),
    ("java/util/concurrent/Callable", &["call"]),
    ("java/util/Comparator", &["compare", "reversed"]),
    (
        "java/lang/Iterable",
        &["iterator", "forEach", "spliterator"],
    ),
    ("java/lang/AutoCloseable", &["close"]),
    ("java/io/Closeable", &["close"]),
];
/// What every object may have called from outside.
const OF_OBJECTS: [&str; 6] = [
    "toString",
    "hashCode",
    "equals",
    "compareTo",
    "finalize",
    "clone",
];

impl<'p> Graph<'p> {
    /// Reads the classes of a program. Those that are damaged have no methods here.
    pub fn of(program: &'p Program) -> Self {
        let mut graph = Self {
            classes: Vec::new(),
            methods: Vec::new(),
            callbacks: BTreeSet::new(),
            by_name: HashMap::new(),
        };
        for (name, bytes) in program.classes() {
            let Some(file) = ClassFile::parse(bytes).ok().filter(|f| f.name() == name) else {
                continue;
            };
            let first = graph.methods.len() as u32;
            for (index, member) in file.methods().iter().enumerate() {
                graph.methods.push(Method {
                    class: graph.classes.len(),
                    index: index as u16,
                    name: member.name(file.constants()),
                    descriptor: member.descriptor(file.constants()),
                    access: member.access,
                    flow: None,
                });
            }
            graph.by_name.insert(name.to_owned(), graph.classes.len());
            graph.classes.push(Class {
                file,
                first,
                below: Vec::new(),
            });
        }
        for class in 0..graph.classes.len() {
            for above in graph.above(class) {
                if let Some(&above) = graph.by_name.get(&above) {
                    graph.classes[above].below.push(class);
                }
            }
        }
        Linker::new(&graph).link(graph)
    }

    /// Names of the direct supertypes.
    fn above(&self, class: usize) -> Vec<String> {
        let file = &self.classes[class].file;
        file.super_name()
            .into_iter()
            .chain(file.interfaces())
            .collect()
    }

    /// The number of a class.
    pub fn class(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// A method by its class, name and descriptor.
    pub fn find(&self, class: &str, name: &str, descriptor: &str) -> Option<MethodId> {
        self.declared(self.class(class)?, name, descriptor)
    }

    fn declared(&self, class: usize, name: &str, descriptor: &str) -> Option<MethodId> {
        let first = self.classes[class].first;
        let ids = first..first + self.classes[class].file.methods().len() as u32;
        let mut ids = ids.map(MethodId);
        ids.find(|id| {
            let method = self.method(*id);
            method.name == name && method.descriptor == descriptor
        })
    }

    /// A method.
    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.0 as usize]
    }

    /// `org.example.Search.run()V`.
    pub fn shown(&self, id: MethodId) -> String {
        let method = self.method(id);
        let class = self.classes[method.class].file.name().replace('/', ".");
        format!("{class}.{}{}", method.name, method.descriptor)
    }

    /// All numbers of methods.
    pub fn ids(&self) -> impl Iterator<Item = MethodId> + use<> {
        (0..self.methods.len() as u32).map(MethodId)
    }

    /// What a look-up in a class finds, in its supertypes if need be; none outside of the program.
    fn resolve(&self, class: usize, name: &str, descriptor: &str) -> Option<MethodId> {
        // Depth first, each class once: interfaces form diamonds, and classes of different builds circles.
        let (mut open, mut seen) = (vec![class], BTreeSet::new());
        while let Some(class) = open.pop() {
            if !seen.insert(class) {
                continue;
            }
            if let Some(found) = self.declared(class, name, descriptor) {
                return Some(found);
            }
            let above = self.above(class);
            let known = above.iter().rev().filter_map(|name| self.class(name));
            open.extend(known);
        }
        None
    }

    /// A class and all its subtypes.
    fn with_subtypes(&self, class: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([class]);
        let mut open = vec![class];
        while let Some(class) = open.pop() {
            for &below in &self.classes[class].below {
                if found.insert(below) {
                    open.push(below);
                }
            }
        }
        found
    }
}

type Key = (String, String, String);

/// Finds the targets of calls.
struct Linker {
    /// Methods that can be overridden, by name and descriptor.
    overridable: HashMap<(String, String), Vec<MethodId>>,
    /// Methods behind lambdas, by the name of the method that they implement.
    lambdas: BTreeMap<String, Vec<MethodId>>,
    known: HashMap<Key, Rc<[MethodId]>>,
    initialisers: HashMap<String, Rc<[MethodId]>>,
    callbacks: BTreeSet<MethodId>,
}

impl Linker {
    fn new(graph: &Graph<'_>) -> Self {
        let mut linker = Self {
            overridable: HashMap::new(),
            lambdas: BTreeMap::new(),
            known: HashMap::new(),
            initialisers: HashMap::new(),
            callbacks: BTreeSet::new(),
        };
        for id in graph.ids() {
            let method = graph.method(id);
            if method.access & (ACC_STATIC | ACC_PRIVATE) != 0 || method.name.starts_with('<') {
                continue;
            }
            let key = (method.name.clone(), method.descriptor.clone());
            linker.overridable.entry(key).or_default().push(id);
            if may_override(graph, method) {
                linker.callbacks.insert(id);
            }
        }
        for class in &graph.classes {
            for (name, target) in lambdas(&class.file) {
                let targets = linker.virtual_targets(graph, &target);
                linker.callbacks.extend(targets.iter());
                linker
                    .lambdas
                    .entry(name)
                    .or_default()
                    .extend(targets.iter());
            }
        }
        linker.known.clear();
        linker
    }

    fn link(mut self, mut graph: Graph<'_>) -> Graph<'_> {
        for id in graph.ids() {
            let flow = self.flow(&graph, id);
            graph.methods[id.0 as usize].flow = flow;
        }
        graph.callbacks = self.callbacks;
        graph
    }

    fn flow(&mut self, graph: &Graph<'_>, id: MethodId) -> Option<Flow> {
        let method = graph.method(id);
        let file = &graph.classes[method.class].file;
        let member = file.methods()[usize::from(method.index)];
        let code = member.code(file.constants()).ok()??;
        let cfg = Cfg::of(&code).ok()?;
        let mut calls = Vec::new();
        for (index, instruction) in cfg.instructions.iter().enumerate() {
            let targets = self.targets(graph, file, instruction);
            if !targets.is_empty() {
                calls.push((index, targets));
            }
        }
        Some(Flow { cfg, calls })
    }

    /// What an instruction may call.
    fn targets(
        &mut self,
        graph: &Graph<'_>,
        file: &ClassFile<'_>,
        instruction: &Instruction,
    ) -> Rc<[MethodId]> {
        let pool = file.constants();
        let none = || Rc::from([]);
        match (instruction.opcode, &instruction.operand) {
            (opcode::NEW, Operand::Constant(index)) => {
                let name = pool.class_name(*index);
                name.map_or_else(|_| none(), |name| self.initialisers(graph, &name))
            }
            (opcode::GETSTATIC | opcode::PUTSTATIC, Operand::Constant(index)) => {
                let field = pool.member_ref(*index);
                field.map_or_else(|_| none(), |f| self.initialisers(graph, &f.owner))
            }
            (opcode::INVOKESTATIC | opcode::INVOKESPECIAL, Operand::Constant(index)) => {
                let Ok(member) = pool.member_ref(*index) else {
                    return none();
                };
                let class = graph.class(&member.owner);
                let exact = class.and_then(|c| graph.resolve(c, &member.name, &member.descriptor));
                if instruction.opcode == opcode::INVOKESPECIAL {
                    return exact.into_iter().collect();
                }
                let initialisers = self.initialisers(graph, &member.owner);
                exact
                    .into_iter()
                    .chain(initialisers.iter().copied())
                    .collect()
            }
            (opcode::INVOKEVIRTUAL, Operand::Constant(index))
            | (_, Operand::InvokeInterface { index, .. }) => {
                let member = pool.member_ref(*index);
                member.map_or_else(|_| none(), |member| self.virtual_targets(graph, &member))
            }
            _ => none(),
        }
    }

    /// The initialisers of a class and its supertypes.
    fn initialisers(&mut self, graph: &Graph<'_>, class: &str) -> Rc<[MethodId]> {
        if let Some(known) = self.initialisers.get(class) {
            return Rc::clone(known);
        }
        let (mut found, mut seen, mut open) = (Vec::new(), BTreeSet::new(), vec![class.to_owned()]);
        while let Some(name) = open.pop() {
            let Some(class) = graph.class(&name).filter(|class| seen.insert(*class)) else {
                continue;
            };
            found.extend(graph.declared(class, "<clinit>", "()V"));
            open.extend(graph.above(class));
        }
        let found: Rc<[MethodId]> = found.into();
        self.initialisers
            .insert(class.to_owned(), Rc::clone(&found));
        found
    }

    fn virtual_targets(&mut self, graph: &Graph<'_>, member: &MemberRef) -> Rc<[MethodId]> {
        let MemberRef {
            owner,
            name,
            descriptor,
        } = member.clone();
        let key = (owner, name, descriptor);
        if let Some(known) = self.known.get(&key) {
            return Rc::clone(known);
        }
        let (owner, name, descriptor) = &key;
        let mut found: BTreeSet<MethodId> = if let Some(class) = graph.class(owner) {
            let classes = graph.with_subtypes(class).into_iter();
            classes
                .filter_map(|c| graph.resolve(c, name, descriptor))
                .collect()
        } else {
            let same = self.overridable.get(&(name.clone(), descriptor.clone()));
            same.into_iter().flatten().copied().collect()
        };
        found.extend(self.lambdas.get(name).into_iter().flatten());
        let found: Rc<[MethodId]> = found.into_iter().collect();
        self.known.insert(key, Rc::clone(&found));
        found
    }
}

/// Whether a method may override one from outside of the program.
fn may_override(graph: &Graph<'_>, method: &Method) -> bool {
    if OF_OBJECTS.contains(&method.name.as_str()) {
        return true;
    }
    let (mut seen, mut open) = (BTreeSet::new(), vec![method.class]);
    // An interface's or superclass's method may be overridden by way of a subtype that is something from outside, too.
    open.extend(graph.with_subtypes(method.class));
    while let Some(class) = open.pop() {
        if !seen.insert(class) {
            continue;
        }
        for above in graph.above(class) {
            if let Some(above) = graph.class(&above) {
                open.push(above);
                continue;
            }
            let known = OUTSIDE.iter().find(|(name, _)| *name == above);
            if known.is_none_or(|(_, names)| names.contains(&method.name.as_str())) {
                return true;
            }
        }
    }
    false
}

/// What the bootstrap methods of a class's dynamic calls are given: the name of the method to implement, and what implements it.
fn lambdas(file: &ClassFile<'_>) -> Vec<(String, MemberRef)> {
    let pool = file.constants();
    let Some(attribute) = file.attributes().find(pool, "BootstrapMethods") else {
        return Vec::new();
    };
    let mut words = attribute
        .bytes
        .chunks_exact(2)
        .map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    let mut arguments: Vec<Vec<u16>> = Vec::new();
    for _ in 0..words.next().unwrap_or(0) {
        let (Some(_), Some(count)) = (words.next(), words.next()) else {
            break;
        };
        arguments.push(words.by_ref().take(usize::from(count)).collect());
    }
    let dynamic = pool.tags().filter(|(_, kind)| *kind == tag::INVOKE_DYNAMIC);
    let mut found = Vec::new();
    for (index, _) in dynamic {
        let Ok(call) = pool.invoke_dynamic(index) else {
            continue;
        };
        let given = arguments.get(usize::from(call.bootstrap));
        for argument in given.into_iter().flatten() {
            if let Ok((_, member)) = pool.method_handle(*argument) {
                found.push((call.name.clone(), member));
            }
        }
    }
    found
}
