//! Which class is the main class, before it is loaded.
//!
//! `sun.java.command` begins with what the launcher was given: a class, `module/class`, or the path of a jar. For a jar it is
//! the first class of the subject with a `main` method. When the class named has no `main` of its own, it inherits one: then
//! its superclass, which the JVM loads right after reading it, is the one to observe.

use std::sync::Mutex;

use pricetag_classfile::ClassFile;

use crate::session::lock;

/// Descriptors of `main` methods, the one that wins first; the second is for JDK 25 and later.
const DESCRIPTORS: [&str; 2] = ["([Ljava/lang/String;)V", "()V"];

/// Looks out for the main class.
#[derive(Debug, Default)]
pub struct MainClass {
    wanted: Mutex<Wanted>,
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
enum Wanted {
    /// The VM is not initialised.
    #[default]
    Unknown,
    /// The class of this internal name.
    Named(String),
    /// The first with a `main` method.
    First,
    /// It has been seen.
    Found,
}

impl MainClass {
    /// Sets what the launcher was given.
    pub fn command(&self, command: Option<&str>) {
        let first = command.unwrap_or("").split(' ').next().unwrap_or("");
        let wanted = if first.is_empty()
            || first.to_ascii_lowercase().ends_with(".jar")
            || command.is_some_and(is_jar)
        {
            Wanted::First
        } else {
            let class = first.rsplit_once('/').map_or(first, |(_, class)| class);
            Wanted::Named(class.replace('.', "/"))
        };
        *lock(&self.wanted) = wanted;
    }

    /// Whether a class of this name could be it.
    pub fn may_be(&self, name: &str) -> bool {
        match &*lock(&self.wanted) {
            Wanted::Named(wanted) => wanted == name,
            Wanted::First => true,
            Wanted::Unknown | Wanted::Found => false,
        }
    }

    /// Whether it has been seen.
    pub fn found(&self) -> bool {
        *lock(&self.wanted) == Wanted::Found
    }

    /// Looks at a class that [may be](Self::may_be) it: the descriptor of its `main` method if it is.
    pub fn inspect(&self, class: &ClassFile<'_>) -> Option<&'static str> {
        let descriptor = main_descriptor(class);
        let mut wanted = lock(&self.wanted);
        match (descriptor, &*wanted) {
            (Some(_), Wanted::Named(_) | Wanted::First) => *wanted = Wanted::Found,
            (None, Wanted::Named(_)) => {
                if let Some(parent) = class.super_name() {
                    *wanted = Wanted::Named(parent);
                }
                return None;
            }
            _ => return None,
        }
        descriptor
    }
}

/// A jar whose path has blanks: `sun.java.command` does not quote.
fn is_jar(command: &str) -> bool {
    let lower = command.to_ascii_lowercase();
    format!("{lower} ").contains(".jar ")
}

fn main_descriptor(class: &ClassFile<'_>) -> Option<&'static str> {
    let constants = class.constants();
    let is_main = |descriptor: &str| {
        let mut methods = class.methods().iter();
        methods.any(|method| {
            method.name(constants) == "main" && method.descriptor(constants) == descriptor
        })
    };
    DESCRIPTORS
        .into_iter()
        .find(|descriptor| is_main(descriptor))
}
