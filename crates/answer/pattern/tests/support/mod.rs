//! Files of events made for tests.

#![allow(dead_code, reason = "each test uses some")]

use pricetag_events::text::import;
use pricetag_events::{Class, ClassId, Kind, Method, MethodId, Place, Symbol, ThreadId, Writer};
use pricetag_pattern::{Patterns, Settings, analyse};

/// A file of the paper's two texts.
pub fn file_of_text(facts: &str, dynamic: &str) -> Vec<u8> {
    import(facts, dynamic.as_bytes()).unwrap()
}

/// A made-up program: `kinds` kinds over a hierarchy in which class *i* extends class *(i−1)/2*, class 0 nothing.
pub struct Program {
    pub classes: u32,
    pub kinds: Vec<(u32, u32)>,
}

impl Program {
    /// Receiver and method of kind *k*; method *m* is declared in class *m mod classes*.
    pub fn new(classes: u32, kinds: u32) -> Self {
        let kinds = (0..kinds).map(|k| (k * 7 % classes, k * 5 % (2 * classes)));
        let mut distinct: Vec<(u32, u32)> = Vec::new();
        for kind in kinds {
            if !distinct.contains(&kind) {
                distinct.push(kind);
            }
        }
        Self {
            classes,
            kinds: distinct,
        }
    }

    pub fn parent(class: u32) -> Option<u32> {
        class.checked_sub(1).map(|c| c / 2)
    }

    pub fn method_class(&self, method: u32) -> u32 {
        method % self.classes
    }

    /// Receiver's class, method's class, method.
    pub fn ids(&self, kind: u32) -> [u32; 3] {
        let (receiver, method) = self.kinds[kind as usize];
        [receiver, self.method_class(method), method]
    }

    /// The file of some threads' blocks.
    pub fn file(&self, blocks: &[(u64, Vec<u32>)]) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new()).unwrap();
        for class in 0..self.classes {
            let class = Class {
                name: format!("C{class}"),
                superclass: Self::parent(class).map(ClassId),
                ..Class::default()
            };
            writer.class(&class).unwrap();
        }
        for method in 0..2 * self.classes {
            let method = Method {
                class: ClassId(self.method_class(method)),
                name: format!("m{method}"),
                bytes: Some(method),
                ..Method::default()
            };
            writer.method(&method).unwrap();
        }
        for &(receiver, method) in &self.kinds {
            let kind = Kind {
                receiver: ClassId(receiver),
                method: MethodId(method),
            };
            writer.kind(kind).unwrap();
        }
        for (thread, events) in blocks {
            let place = Place {
                thread: ThreadId(*thread),
                ..Place::default()
            };
            let events: Vec<Symbol> = events.iter().map(|&e| Symbol(e)).collect();
            writer.block(place, &events).unwrap();
        }
        writer.finish(None).unwrap()
    }
}

/// Analyses a file in memory.
pub fn patterns(file: &[u8], settings: Settings) -> Patterns {
    analyse(|| Ok(file), settings).unwrap()
}
