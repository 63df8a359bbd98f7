//! What is known of types that are not counted: their names and what they extend.

use std::collections::{HashMap, HashSet};

use crate::jvm::{Global, Jni, jclass};
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

    /// Whether one is above another, of types that were described together.
    pub fn is_above(types: &[Self], above: &str, below: &str) -> bool {
        let mut open = vec![below];
        let mut seen = HashSet::new();
        while let Some(name) = open.pop() {
            if name == above {
                return true;
            }
            if !seen.insert(name) {
                continue;
            }
            let Some(one) = types.iter().find(|one| one.name == name) else {
                continue;
            };
            open.extend(one.superclass.as_deref());
            open.extend(one.interfaces.iter().map(String::as_str));
        }
        false
    }
}

/// The name of a class as it stands in the file: `a/b/C`; of an array `int[]`; of one that the JDK spun for a lambda `a/b/C$$Lambda$Runnable`, after what it implements,
/// since the JDK's own number differs from run to run.
pub fn name_of(session: &Session, jni: Jni, class: jclass) -> Option<String> {
    let Some(name) = session.jvmti.class_name(class) else {
        return array_name(&session.jvmti.signature(class)?);
    };
    let Some((maker, _)) = name.plain.split_once(LAMBDA) else {
        return Some(name.plain);
    };
    let mut interface = String::new();
    for one in session.jvmti.interfaces(class) {
        if interface.is_empty() {
            let named = session.jvmti.class_name(one);
            interface = named.map_or_else(String::new, |named| named.plain);
        }
        jni.delete_local(one);
    }
    let simple = interface.rsplit('/').next().unwrap_or_default();
    Some(format!("{maker}{LAMBDA}${simple}"))
}

/// What the JDK has in the names of classes that it makes for lambdas.
const LAMBDA: &str = "$$Lambda";

/// An array's name from its signature, `[[I`.
fn array_name(signature: &str) -> Option<String> {
    let element = signature.trim_start_matches('[');
    let plain = match element {
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "J" => "long",
        "F" => "float",
        "D" => "double",
        _ => element.strip_prefix('L')?.strip_suffix(';')?,
    };
    let dimensions = signature.len() - element.len();
    Some(plain.to_owned() + &"[]".repeat(dimensions))
}

/// Adds a type and those above it; its name.
fn describe(session: &Session, jni: Jni, class: jclass, to: &mut Vec<Type>) -> Option<String> {
    let name = name_of(session, jni, class)?;
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
    receivers: Vec<(String, Global)>,
}

impl Facts {
    /// How many receivers have a number.
    pub fn receivers(&self) -> usize {
        self.receivers.len()
    }

    /// Gives the first of the types, which is that of `class`, the next number, from 1 on.
    pub fn receiver(&mut self, described: Vec<Type>, class: Global) -> i32 {
        let name = described.first().map(|first| first.name.clone());
        self.receivers.push((name.unwrap_or_default(), class));
        self.describe(described);
        self.receivers.len() as i32
    }

    /// Adds types.
    pub fn describe(&mut self, described: Vec<Type>) {
        for one in described {
            self.types.entry(one.name.clone()).or_insert(one);
        }
    }

    /// Whether a type was described.
    pub fn knows(&self, name: &str) -> bool {
        self.types.contains_key(name)
    }

    /// The name of the receiver with a number.
    pub fn name(&self, number: i32) -> Option<String> {
        self.numbered(number).map(|(name, _)| name.clone())
    }

    /// The class with a number.
    pub fn class(&self, number: i32) -> Option<Global> {
        self.numbered(number).map(|(_, class)| *class)
    }

    fn numbered(&self, number: i32) -> Option<&(String, Global)> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        self.receivers.get(at)
    }

    /// A type by name.
    pub fn named(&self, name: &str) -> Option<Type> {
        self.types.get(name).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_named_as_in_the_source() {
        let name = |signature| array_name(signature);
        assert_eq!(name("[I").as_deref(), Some("int[]"));
        assert_eq!(name("[[La/B;").as_deref(), Some("a/B[][]"));
        assert_eq!(name("[?"), None);
    }

    #[test]
    fn what_is_above_what() {
        let one = |name: &str, superclass: Option<&str>, interfaces: &[&str]| Type {
            name: name.to_owned(),
            interface: false,
            superclass: superclass.map(str::to_owned),
            interfaces: interfaces.iter().map(|&name| name.to_owned()).collect(),
        };
        let types = [
            one("C", Some("B"), &["J"]),
            one("B", Some("A"), &[]),
            one("A", None, &[]),
            one("J", None, &["I"]),
            one("I", None, &["J"]), // which no JVM has
        ];
        for (above, below, is) in [
            ("A", "C", true),
            ("I", "C", true),
            ("C", "A", false),
            ("A", "J", false),
        ] {
            assert_eq!(Type::is_above(&types, above, below), is, "{above} {below}");
        }
    }
}
