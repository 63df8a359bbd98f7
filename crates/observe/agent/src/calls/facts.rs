//! What is known of types that are not counted: their names and what they extend.

use std::collections::HashMap;

use crate::jvm::{Jni, jclass};
use crate::session::Session;

/// A class or interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Type {
    /// Its name, as `a/b/C`.
    pub name: String,
    /// Whether it is an interface.
    pub interface: bool,
    /// What it extends.
    pub superclass: Option<String>,
    /// What it implements directly.
    pub interfaces: Vec<String>,
}

impl Type {
    /// A type and all that it is a subtype of, itself first; none if the JVM does not know its name.
    pub fn describe(session: &Session, jni: Jni, class: jclass) -> Option<Vec<Self>> {
        let mut found = Vec::new();
        describe(session, jni, class, &mut found)?;
        Some(found)
    }
}

/// Adds a type and those above it; its name.
fn describe(session: &Session, jni: Jni, class: jclass, to: &mut Vec<Type>) -> Option<String> {
    let name = session.jvmti.class_name(class)?.plain;
    if to.iter().any(|known| known.name == name) {
        return Some(name);
    }
    let at = to.len();
    to.push(Type {
        name: name.clone(),
        interface: session.jvmti.is_interface(class),
        ..Type::default()
    });
    if let Some(superclass) = jni.superclass(class) {
        let name = describe(session, jni, superclass, to);
        jni.delete_local(superclass);
        to[at].superclass = name;
    }
    for interface in session.jvmti.interfaces(class) {
        let name = describe(session, jni, interface, to);
        jni.delete_local(interface);
        to[at].interfaces.extend(name);
    }
    Some(name)
}

/// All that was described.
#[derive(Debug, Default)]
pub struct Facts {
    types: HashMap<String, Type>,
    receivers: Vec<String>,
}

impl Facts {
    /// How many receivers have a number.
    pub fn receivers(&self) -> usize {
        self.receivers.len()
    }

    /// Gives the first of the types the next number, from 1 on.
    pub fn receiver(&mut self, described: Vec<Type>) -> i32 {
        let name = described.first().map(|first| first.name.clone());
        self.receivers.push(name.unwrap_or_default());
        for one in described {
            self.types.entry(one.name.clone()).or_insert(one);
        }
        self.receivers.len() as i32
    }

    /// The name of the receiver with a number.
    pub fn name(&self, number: i32) -> Option<String> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        self.receivers.get(at).cloned()
    }

    /// A type by name.
    pub fn named(&self, name: &str) -> Option<Type> {
        self.types.get(name).cloned()
    }
}
