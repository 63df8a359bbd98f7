//! The class hierarchy: names, supers, and subtype tests in constant or logarithmic time.
//!
//! Superclasses form a forest, so "is a subclass of" is interval containment in a depth-first numbering (Schubert,
//! Papalaskaris & Taugher 1983, "Determining type, part, color, and time relationships"). Interfaces form no tree; every
//! class lists all it implements. An interface has no superclass but `java/lang/Object` (JVMS §4.1), so its own chain adds
//! nothing. Classes that are named as a super but not given are in the hierarchy without supers of
//! their own; [`Hierarchy::is_complete`] tells.

use std::collections::BTreeMap;

/// A class or interface of a [`Hierarchy`], numbered by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// A class as its class file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassEntry {
    /// Internal name.
    pub name: String,
    /// Internal name of the superclass.
    pub super_name: Option<String>,
    /// Internal names of the direct superinterfaces.
    pub interfaces: Vec<String>,
}

/// What is wrong with a set of classes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HierarchyError {
    /// Two classes of one name with different supers.
    #[error("class {name} is given twice, with different supertypes")]
    Twice {
        /// Its name.
        name: String,
    },
    /// A class is its own supertype.
    #[error("class {name} is its own supertype")]
    Cycle {
        /// Its name.
        name: String,
    },
}

#[derive(Clone, Debug, Default)]
struct Class {
    name: String,
    given: bool,
    parent: Option<ClassId>,
    /// All interfaces implemented or extended, transitively, ascending.
    interfaces: Vec<ClassId>,
    /// Depth-first interval in the forest of superclasses.
    enter: u32,
    leave: u32,
    complete: bool,
}

/// A set of classes with their supertypes.
#[derive(Clone, Debug, Default)]
pub struct Hierarchy {
    classes: Vec<Class>,
    ids: BTreeMap<String, ClassId>,
    children: Vec<Vec<ClassId>>,
}

impl Hierarchy {
    /// Builds the hierarchy of the given classes and all they name as supers.
    ///
    /// # Errors
    /// If two entries of one name differ, or a class is its own supertype.
    pub fn of(entries: impl IntoIterator<Item = ClassEntry>) -> Result<Self, HierarchyError> {
        let mut given: BTreeMap<String, ClassEntry> = BTreeMap::new();
        let mut named: BTreeMap<String, ClassId> = BTreeMap::new();
        for entry in entries {
            let supers = entry.super_name.iter().chain(&entry.interfaces);
            for name in supers.chain([&entry.name]) {
                named.entry(name.clone()).or_insert(ClassId(0));
            }
            match given.get(&entry.name) {
                Some(known) if *known != entry => {
                    return Err(HierarchyError::Twice { name: entry.name });
                }
                _ => drop(given.insert(entry.name.clone(), entry)),
            }
        }
        for (i, id) in named.values_mut().enumerate() {
            *id = ClassId(i as u32);
        }
        let mut result = Self {
            children: vec![Vec::new(); named.len()],
            ..Self::default()
        };
        let mut direct = Vec::with_capacity(named.len());
        for (name, &id) in &named {
            let entry = given.get(name);
            let parent = entry.and_then(|e| e.super_name.as_ref()).map(|n| named[n]);
            if let Some(parent) = parent {
                result.children[parent.0 as usize].push(id);
            }
            direct.push(
                entry
                    .map(|e| e.interfaces.iter().map(|n| named[n]).collect())
                    .unwrap_or_default(),
            );
            result.classes.push(Class {
                name: name.clone(),
                given: entry.is_some(),
                parent,
                ..Class::default()
            });
        }
        result.ids = named;
        result.close(&direct)?;
        result.number();
        Ok(result)
    }

    /// Collects all interfaces of every class, supers first (Kahn's topological order).
    fn close(&mut self, direct: &[Vec<ClassId>]) -> Result<(), HierarchyError> {
        let supers = |c: usize, classes: &[Class]| -> Vec<ClassId> {
            direct[c].iter().copied().chain(classes[c].parent).collect()
        };
        let mut subtypes: Vec<Vec<usize>> = vec![Vec::new(); self.classes.len()];
        let mut waiting: Vec<usize> = vec![0; self.classes.len()];
        for (c, waiting) in waiting.iter_mut().enumerate() {
            for s in supers(c, &self.classes) {
                subtypes[s.0 as usize].push(c);
                *waiting += 1;
            }
        }
        let mut ready: Vec<usize> = (0..self.classes.len())
            .filter(|&c| waiting[c] == 0)
            .collect();
        let mut done = 0;
        while let Some(c) = ready.pop() {
            done += 1;
            let mut interfaces = direct[c].clone();
            let mut complete = self.classes[c].given;
            for s in supers(c, &self.classes) {
                let above = &self.classes[s.0 as usize];
                interfaces.extend(&above.interfaces);
                complete &= above.complete;
            }
            interfaces.sort_unstable();
            interfaces.dedup();
            self.classes[c].interfaces = interfaces;
            self.classes[c].complete = complete;
            for &sub in &subtypes[c] {
                waiting[sub] -= 1;
                if waiting[sub] == 0 {
                    ready.push(sub);
                }
            }
        }
        match waiting.iter().position(|&w| w > 0) {
            Some(c) if done < self.classes.len() => Err(HierarchyError::Cycle {
                name: self.cycle_member(c, &waiting, &supers),
            }),
            _ => Ok(()),
        }
    }

    /// Walks up from a class that waits for a cycle until a class comes again.
    fn cycle_member(
        &self,
        mut c: usize,
        waiting: &[usize],
        supers: &impl Fn(usize, &[Class]) -> Vec<ClassId>,
    ) -> String {
        let mut seen = vec![false; self.classes.len()];
        while !std::mem::replace(&mut seen[c], true) {
            let above = supers(c, &self.classes).into_iter().map(|s| s.0 as usize);
            c = above.filter(|&s| waiting[s] > 0).min().unwrap_or(c);
        }
        self.classes[c].name.clone()
    }

    fn number(&mut self) {
        let mut clock = 0;
        let roots: Vec<usize> = (0..self.classes.len())
            .filter(|&c| self.classes[c].parent.is_none())
            .collect();
        for root in roots {
            let mut stack = vec![(root, false)];
            while let Some((c, left)) = stack.pop() {
                if left {
                    self.classes[c].leave = clock;
                    continue;
                }
                self.classes[c].enter = clock;
                clock += 1;
                stack.push((c, true));
                stack.extend(
                    self.children[c]
                        .iter()
                        .rev()
                        .map(|child| (child.0 as usize, false)),
                );
            }
        }
    }

    /// The class of an internal name.
    pub fn id(&self, name: &str) -> Option<ClassId> {
        self.ids.get(name).copied()
    }

    /// The internal name of a class.
    pub fn name(&self, class: ClassId) -> &str {
        &self.classes[class.0 as usize].name
    }

    /// All classes, by name.
    pub fn classes(&self) -> impl Iterator<Item = ClassId> + use<> {
        (0..self.classes.len() as u32).map(ClassId)
    }

    /// The superclass; none for `java/lang/Object` and for classes that were only named.
    pub fn superclass(&self, class: ClassId) -> Option<ClassId> {
        self.classes[class.0 as usize].parent
    }

    /// Direct subclasses, by name.
    pub fn subclasses(&self, class: ClassId) -> &[ClassId] {
        &self.children[class.0 as usize]
    }

    /// All interfaces a class implements or an interface extends, by name.
    pub fn interfaces(&self, class: ClassId) -> &[ClassId] {
        &self.classes[class.0 as usize].interfaces
    }

    /// Whether `a` is `b` or one of its subtypes, as far as the given classes tell: true is always right, false only if
    /// `a` is complete.
    pub fn is_subtype(&self, a: ClassId, b: ClassId) -> bool {
        let (sub, sup) = (&self.classes[a.0 as usize], &self.classes[b.0 as usize]);
        (sup.enter <= sub.enter && sub.enter < sup.leave)
            || sub.interfaces.binary_search(&b).is_ok()
    }

    /// Whether a class and all its supertypes were given.
    pub fn is_complete(&self, class: ClassId) -> bool {
        self.classes[class.0 as usize].complete
    }
}
