//! The classes of a program: names, members, who extends whom.
//!
//! Classes that are not on the class path are *outside*. A class may be a subtype of any outside class as soon as one of its own supertypes
//! other than `Object` is outside: the JDK's hierarchy is not read.

use std::collections::{BTreeMap, HashMap};

use pricetag_classfile::class::{ACC_ABSTRACT, ACC_PRIVATE, ACC_STATIC};
use pricetag_classfile::{ClassFile, Member, naming};

use pricetag_classpath::ClassPath;

/// A class of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// A method of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodId(pub u32);

/// A method's name and descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Selector(pub u32);

const OBJECT: &str = "java/lang/Object";

/// A class and what it is among others.
#[derive(Debug)]
pub struct Class<'a> {
    /// The class file.
    pub file: ClassFile<'a>,
    /// Internal name.
    pub name: String,
    /// Its superclass and superinterfaces that are in the program.
    pub supers: Vec<ClassId>,
    /// Its superclass, if that is in the program.
    pub superclass: Option<ClassId>,
    /// Whether one of its supertypes, however far, is outside and not `Object`.
    pub outside: bool,
    own: HashMap<Selector, MethodId>,
}

/// A method and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Its class.
    pub class: ClassId,
    /// Its index there.
    pub index: usize,
    /// Its name and descriptor.
    pub selector: Selector,
    /// Its access flags.
    pub access: u16,
}

impl Method {
    /// Whether it is invoked without a receiver.
    pub fn is_static(&self) -> bool {
        self.access & ACC_STATIC != 0
    }
}

/// All classes on a class path that can be read.
#[derive(Debug)]
pub struct Program<'a> {
    classes: Vec<Class<'a>>,
    by_name: HashMap<String, ClassId>,
    methods: Vec<Method>,
    selectors: Vec<(String, String)>,
    selector_ids: HashMap<(String, String), Selector>,
    /// Class files that cannot be read, and why.
    broken: Vec<String>,
}

impl<'a> Program<'a> {
    /// Reads the outlines of all classes.
    pub fn of(path: &'a ClassPath) -> Self {
        let mut program = Self {
            classes: Vec::new(),
            by_name: HashMap::new(),
            methods: Vec::new(),
            selectors: Vec::new(),
            selector_ids: HashMap::new(),
            broken: Vec::new(),
        };
        for (name, bytes) in path.classes() {
            match ClassFile::parse(bytes) {
                Ok(file) => program.add(file),
                Err(e) => program.broken.push(format!("{}: {e}", naming::class(name))),
            }
        }
        program.link();
        program
    }

    fn add(&mut self, file: ClassFile<'a>) {
        let id = ClassId(self.classes.len() as u32);
        let mut own = HashMap::new();
        for (index, member) in file.methods().iter().enumerate() {
            let constants = file.constants();
            let selector = self.selector(member.name(constants), member.descriptor(constants));
            own.insert(selector, MethodId(self.methods.len() as u32));
            self.methods.push(Method {
                class: id,
                index,
                selector,
                access: member.access,
            });
        }
        let name = file.name();
        self.by_name.insert(name.clone(), id);
        self.classes.push(Class {
            file,
            name,
            supers: Vec::new(),
            superclass: None,
            outside: false,
            own,
        });
    }

    fn link(&mut self) {
        for id in 0..self.classes.len() {
            let file = &self.classes[id].file;
            let parent = file.super_name();
            let superclass = parent
                .as_ref()
                .and_then(|name| self.by_name.get(name).copied());
            let names: Vec<String> = parent.into_iter().chain(file.interfaces()).collect();
            let found = names.iter().map(|name| self.by_name.get(name).copied());
            let found: Vec<Option<ClassId>> = found.collect();
            let outside = names
                .iter()
                .zip(&found)
                .any(|(n, c)| c.is_none() && n != OBJECT);
            let class = &mut self.classes[id];
            class.supers = found.into_iter().flatten().collect();
            class.superclass = superclass;
            class.outside = outside;
        }
        self.open_circles();
        for id in 0..self.classes.len() as u32 {
            let outside = self
                .supertypes(ClassId(id))
                .iter()
                .any(|c| self.class(*c).outside);
            self.classes[id as usize].outside = outside;
        }
    }

    /// Classes of different builds may extend each other in a circle, which no JVM loads: one of them loses its superclass.
    fn open_circles(&mut self) {
        for id in 0..self.classes.len() {
            let start = ClassId(id as u32);
            let mut at = self.classes[id].superclass;
            for _ in 0..self.classes.len() {
                let Some(here) = at else { break };
                if here == start {
                    let class = &mut self.classes[id];
                    class.supers.retain(|c| Some(*c) != class.superclass);
                    class.superclass = None;
                    class.outside = true;
                    let name = naming::class(&class.name);
                    self.broken
                        .push(format!("{name}: its superclasses form a circle"));
                    break;
                }
                at = self.class(here).superclass;
            }
        }
    }

    /// The number of a name and descriptor.
    pub fn selector(&mut self, name: String, descriptor: String) -> Selector {
        let next = Selector(self.selectors.len() as u32);
        let key = (name, descriptor);
        if let Some(known) = self.selector_ids.get(&key) {
            return *known;
        }
        self.selectors.push(key.clone());
        self.selector_ids.insert(key, next);
        next
    }

    /// The number of a name and descriptor that some method of the program has.
    pub fn known_selector(&self, name: &str, descriptor: &str) -> Option<Selector> {
        let key = (name.to_owned(), descriptor.to_owned());
        self.selector_ids.get(&key).copied()
    }

    /// Name and descriptor.
    pub fn text(&self, selector: Selector) -> (&str, &str) {
        let (name, descriptor) = &self.selectors[selector.0 as usize];
        (name, descriptor)
    }

    /// Number of classes.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// All methods.
    pub fn methods(&self) -> impl Iterator<Item = (MethodId, &Method)> {
        self.methods
            .iter()
            .enumerate()
            .map(|(i, m)| (MethodId(i as u32), m))
    }

    /// A class.
    pub fn class(&self, id: ClassId) -> &Class<'a> {
        &self.classes[id.0 as usize]
    }

    /// The class of an internal name.
    pub fn named(&self, name: &str) -> Option<ClassId> {
        self.by_name.get(name).copied()
    }

    /// A method.
    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.0 as usize]
    }

    /// A method's class file, and its entry there.
    pub fn member(&self, id: MethodId) -> (&ClassFile<'a>, &Member<'a>) {
        let method = self.method(id);
        let file = &self.class(method.class).file;
        (file, &file.methods()[method.index])
    }

    /// A method's name for people: `org.example.Search.run(int)`.
    pub fn shown(&self, id: MethodId) -> String {
        let method = self.method(id);
        let (name, descriptor) = self.text(method.selector);
        naming::method(&self.class(method.class).name, name, descriptor)
    }

    /// What could not be read.
    pub fn broken(&self) -> &[String] {
        &self.broken
    }

    /// A class and all its supertypes in the program.
    pub fn supertypes(&self, class: ClassId) -> Vec<ClassId> {
        let mut found = vec![class];
        let mut at = 0;
        while let Some(&next) = found.get(at) {
            at += 1;
            for &parent in &self.class(next).supers {
                if !found.contains(&parent) {
                    found.push(parent);
                }
            }
        }
        found
    }

    /// The method that a class has under a selector: its own, its superclasses', then its interfaces' defaults (JVMS §5.4.3.3).
    pub fn resolve(&self, class: ClassId, selector: Selector) -> Option<MethodId> {
        self.first(class, selector, |_| true)
    }

    /// The method that runs when an object of a class is sent a selector: private and static methods override nothing (JVMS §5.4.6).
    pub fn select(&self, class: ClassId, selector: Selector) -> Option<MethodId> {
        self.first(class, selector, |m| {
            m.access & (ACC_PRIVATE | ACC_STATIC) == 0
        })
    }

    fn first(
        &self,
        class: ClassId,
        selector: Selector,
        fits: impl Fn(&Method) -> bool,
    ) -> Option<MethodId> {
        let own = |c: ClassId| {
            let found = self.class(c).own.get(&selector).copied();
            found.filter(|id| fits(self.method(*id)))
        };
        let mut at = Some(class);
        while let Some(here) = at {
            if let Some(method) = own(here) {
                return Some(method);
            }
            at = self.class(here).superclass;
        }
        let mut found = self.supertypes(class).into_iter().filter_map(own);
        let concrete = |m: &MethodId| self.method(*m).access & ACC_ABSTRACT == 0;
        let first = found.next()?;
        if concrete(&first) {
            return Some(first);
        }
        Some(found.find(concrete).unwrap_or(first))
    }

    /// The class of the program that declares a field which is looked up in `owner`; none if that is outside.
    pub fn declares(&self, owner: ClassId, name: &str, descriptor: &str) -> Option<ClassId> {
        self.supertypes(owner).into_iter().find(|&class| {
            let file = &self.class(class).file;
            let constants = file.constants();
            file.fields().iter().any(|f| {
                let is = |index, text: &str| {
                    constants
                        .utf8_bytes(index)
                        .is_ok_and(|b| b == text.as_bytes())
                };
                is(f.name_index, name) && is(f.descriptor_index, descriptor)
            })
        })
    }

    /// Classes by name, for what is printed.
    pub fn by_name(&self) -> BTreeMap<&str, ClassId> {
        self.by_name
            .iter()
            .map(|(name, id)| (name.as_str(), *id))
            .collect()
    }
}
