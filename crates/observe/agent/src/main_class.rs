//! Which class is the main class, before it is loaded.
//!
//! `sun.java.command` begins with what the launcher was given: a class, `module/class`, or the path of a jar. For a jar it is
//! the first class of the subject with a `main` method. When the class named has no `main` of its own, it inherits one: then
//! its superclass, which the JVM loads right after reading it, is the one to observe.
//!
//! The property does not quote, and names of classes may have blanks: each beginning of it up to a blank may be the name, and the first class of such a name that has a `main` is it.

use std::sync::Mutex;

use pricetag_classfile::ClassFile;

use crate::session::lock;

/// Descriptors of `main` methods, the one that wins first; the second is for JDK 25 and later.
const DESCRIPTORS: [&str; 2] = ["([Ljava/lang/String;)V", "()V"];

/// Blanks in a command that may be part of a class's name.
const MOST_BLANKS: usize = 16;

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
    /// The class of one of these internal names.
    Named(Vec<String>),
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
            let command = command.unwrap_or_default();
            // No module has a blank in its name.
            let class = match command.split_once('/') {
                Some((module, class)) if !module.contains(' ') => class,
                _ => command,
            };
            let blanks = class.match_indices(' ').map(|(at, _)| at);
            let ends = blanks.chain([class.len()]).take(MOST_BLANKS);
            Wanted::Named(ends.map(|end| class[..end].replace('.', "/")).collect())
        };
        *lock(&self.wanted) = wanted;
    }

    /// Whether a class of this name could be it.
    pub fn may_be(&self, name: &str) -> bool {
        match &*lock(&self.wanted) {
            Wanted::Named(wanted) => wanted.iter().any(|wanted| wanted == name),
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
                    *wanted = Wanted::Named(vec![parent]);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_blanks_are_found_among_arguments() {
        for (command, names, others) in [
            (
                "org.x.Main in/a 7",
                &["org/x/Main"][..],
                &["a", "Main", "in/a"][..],
            ),
            ("Sp ace in.txt", &["Sp ace"], &["ace"]),
            ("pk g.Cls", &["pk g/Cls"], &["Cls"]),
            ("app/org.x.Main -v", &["org/x/Main"], &["app/org/x/Main"]),
            ("Emo\u{1f600}", &["Emo\u{1f600}"], &["Emo"]),
        ] {
            let main = MainClass::default();
            main.command(Some(command));
            assert!(names.iter().all(|name| main.may_be(name)), "{command}");
            assert!(!others.iter().any(|name| main.may_be(name)), "{command}");
        }
    }
}
