//! The class hierarchy: inclusion in two comparisons, interfaces included, and look-up distance.
//!
//! Relative numbering (Hwang & Huang, "Class Hierarchy Encoding", after Vitek, Horspool & Krall 1997): a depth-first walk numbers classes from 0; a class's left value is
//! its number, its right value the largest number below it. A class is below another if its left value lies between the other's values. An interface is implemented by
//! whole subtrees, so it is a sorted list of such ranges, and a test is a search among few of them. Interfaces that name no superclass hang below `java/lang/Object`, if there is one.

use pricetag_events::{Class, ClassId};

/// Why a hierarchy is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HierarchyError {
    /// A class is its own ancestor.
    #[error("class {class} is its own ancestor: {}; correct what it extends", path.join(" extends "))]
    Cycle {
        /// Its name.
        class: String,
        /// From the class back to itself.
        path: Vec<String>,
    },
    /// A class names one that is not there.
    #[error(
        "class {class} extends or implements class number {missing}, and only {known} are declared; the file is incomplete"
    )]
    Missing {
        /// Its name.
        class: String,
        /// What it names.
        missing: u32,
        /// How many classes there are.
        known: usize,
    },
}

/// The encoded hierarchy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hierarchy {
    left: Vec<u32>,
    right: Vec<u32>,
    depth: Vec<u32>,
    /// Of each interface, ranges of left values; empty for classes.
    implementors: Vec<Vec<(u32, u32)>>,
}

impl Hierarchy {
    /// Encodes a hierarchy, of any depth.
    ///
    /// # Errors
    /// If it has a cycle, or names classes that are not there.
    pub fn new(classes: &[Class]) -> Result<Self, HierarchyError> {
        let parents = parents(classes)?;
        let mut hierarchy = Self {
            left: vec![0; classes.len()],
            right: vec![0; classes.len()],
            depth: vec![0; classes.len()],
            implementors: vec![Vec::new(); classes.len()],
        };
        let numbered = hierarchy.number(&parents);
        if numbered < classes.len() {
            return Err(cycle(classes, &parents));
        }
        hierarchy.interfaces(classes)?;
        Ok(hierarchy)
    }

    /// Walks from every root; says how many classes it met: those of a cycle are below no root.
    fn number(&mut self, parents: &[Option<u32>]) -> usize {
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); parents.len()];
        let mut pending = Vec::new();
        for (class, parent) in (0_u32..).zip(parents) {
            match parent {
                Some(parent) => children[*parent as usize].push(class),
                None => pending.push(Visit::Enter(class, 0)),
            }
        }
        pending.reverse();
        let mut next = 0_u32;
        while let Some(visit) = pending.pop() {
            match visit {
                Visit::Enter(class, depth) => {
                    self.left[class as usize] = next;
                    self.depth[class as usize] = depth;
                    next += 1;
                    pending.push(Visit::Leave(class));
                    let below = children[class as usize].iter().rev();
                    pending.extend(below.map(|&child| Visit::Enter(child, depth + 1)));
                }
                Visit::Leave(class) => self.right[class as usize] = next - 1,
            }
        }
        next as usize
    }

    fn interfaces(&mut self, classes: &[Class]) -> Result<(), HierarchyError> {
        let all = superinterfaces(classes)?;
        for (class, interfaces) in all.iter().enumerate() {
            let range = (self.left[class], self.right[class]);
            for &interface in interfaces {
                self.implementors[interface as usize].push(range);
            }
        }
        for (id, class) in classes.iter().enumerate() {
            let ranges = &mut self.implementors[id];
            if class.interface {
                ranges.push((self.left[id], self.right[id]));
            }
            ranges.sort_unstable();
            let mut merged: Vec<(u32, u32)> = Vec::new();
            for &(from, to) in ranges.iter() {
                match merged.last_mut() {
                    Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
                    _ => merged.push((from, to)),
                }
            }
            *ranges = merged;
        }
        Ok(())
    }

    /// Left and right value of a class.
    pub fn values(&self, class: ClassId) -> Option<(u32, u32)> {
        Some((
            *self.left.get(class.index())?,
            *self.right.get(class.index())?,
        ))
    }

    /// Whether `class` is `ancestor` or extends it, by two comparisons.
    pub fn is_subclass(&self, class: ClassId, ancestor: ClassId) -> bool {
        let (Some((left, _)), Some((from, to))) = (self.values(class), self.values(ancestor))
        else {
            return false;
        };
        from <= left && left <= to
    }

    /// Whether `class` is, extends or implements `ancestor`.
    pub fn is_subtype(&self, class: ClassId, ancestor: ClassId) -> bool {
        let ranges = self.implementors.get(ancestor.index());
        let ranges = ranges.map_or(&[][..], Vec::as_slice);
        if ranges.is_empty() {
            return self.is_subclass(class, ancestor);
        }
        let Some((left, _)) = self.values(class) else {
            return false;
        };
        let after = ranges.partition_point(|range| range.0 <= left);
        let range = after.checked_sub(1).and_then(|at| ranges.get(at));
        range.is_some_and(|range| left <= range.1)
    }

    /// Whether one of two classes is, extends or implements the other: they are in one hierarchy.
    pub fn related(&self, a: ClassId, b: ClassId) -> bool {
        self.is_subtype(a, b) || self.is_subtype(b, a)
    }

    /// Steps from the receiver's class up to the class that declares the method; none if it is not in the line of superclasses.
    pub fn distance(&self, receiver: ClassId, declares: ClassId) -> Option<u32> {
        let steps = || {
            let (deep, high) = (
                self.depth.get(receiver.index())?,
                self.depth.get(declares.index())?,
            );
            deep.checked_sub(*high)
        };
        self.is_subclass(receiver, declares).then(steps).flatten()
    }
}

#[derive(Clone, Copy)]
enum Visit {
    Enter(u32, u32),
    Leave(u32),
}

fn missing(class: &Class, missing: ClassId, known: usize) -> HierarchyError {
    HierarchyError::Missing {
        class: class.name.clone(),
        missing: missing.0,
        known,
    }
}

fn parents(classes: &[Class]) -> Result<Vec<Option<u32>>, HierarchyError> {
    let object = classes
        .iter()
        .position(|class| class.name == "java/lang/Object" && class.superclass.is_none());
    let parent = |class: &Class| match class.superclass {
        Some(superclass) if superclass.index() >= classes.len() => {
            Err(missing(class, superclass, classes.len()))
        }
        Some(superclass) => Ok(Some(superclass.0)),
        None if class.interface => Ok(object.map(|id| id as u32)),
        None => Ok(None),
    };
    classes.iter().map(parent).collect()
}

/// The error of a class that is below no root.
fn cycle(classes: &[Class], parents: &[Option<u32>]) -> HierarchyError {
    // From any class, as many steps as there are classes lead into the cycle if there is one before.
    let name = |class: usize| classes[class].name.clone();
    for start in 0..classes.len() {
        let mut at = start;
        let mut steps = 0;
        while let Some(parent) = parents[at]
            && steps <= classes.len()
        {
            at = parent as usize;
            steps += 1;
        }
        if steps <= classes.len() {
            continue;
        }
        let mut path = vec![name(at)];
        let mut next = at;
        while let Some(parent) = parents[next] {
            next = parent as usize;
            path.push(name(next));
            if next == at || path.len() > 12 {
                break;
            }
        }
        return HierarchyError::Cycle {
            class: name(at),
            path,
        };
    }
    HierarchyError::Cycle {
        class: String::new(),
        path: Vec::new(),
    }
}

/// All interfaces that a class names, and those that these extend; not those of its superclass.
fn superinterfaces(classes: &[Class]) -> Result<Vec<Vec<u32>>, HierarchyError> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; classes.len()];
    let mut all: Vec<Vec<u32>> = vec![Vec::new(); classes.len()];
    for root in 0..classes.len() {
        let mut pending = vec![root];
        while let Some(&at) = pending.last() {
            match state[at] {
                State::Done => {
                    pending.pop();
                }
                State::New => {
                    state[at] = State::Open;
                    for &interface in &classes[at].interfaces {
                        match state.get(interface.index()) {
                            None => return Err(missing(&classes[at], interface, classes.len())),
                            Some(State::Open) => {
                                let name = |id: usize| classes[id].name.clone();
                                return Err(HierarchyError::Cycle {
                                    class: name(at),
                                    path: vec![name(at), name(interface.index())],
                                });
                            }
                            Some(State::New) => pending.push(interface.index()),
                            Some(State::Done) => {}
                        }
                    }
                }
                State::Open => {
                    pending.pop();
                    state[at] = State::Done;
                    let mut found = Vec::new();
                    for interface in &classes[at].interfaces {
                        found.push(interface.0);
                        found.extend_from_slice(&all[interface.index()]);
                    }
                    found.sort_unstable();
                    found.dedup();
                    all[at] = found;
                }
            }
        }
    }
    Ok(all)
}
