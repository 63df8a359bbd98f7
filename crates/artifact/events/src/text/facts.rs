//! Static information in and out.

use std::collections::HashMap;
use std::io::{self, Write};

use super::words::{escape, unescape, words};
use super::{TextError, Which};
use crate::facts::{Class, ClassId, Dictionary, Flag, Kind, Method, MethodId, Symbol};

/// Static information as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Static {
    /// Classes, methods and events, in the order of their lines; two events of one receiver and method are one kind.
    pub dictionary: Dictionary,
    /// The symbol of each event by the number that the file gives it.
    pub events: HashMap<u64, Symbol>,
}

/// Reads static information.
///
/// # Errors
/// If a line is not understood, something is declared twice, or what a line names is not declared. Cycles of superclasses are found by who needs the hierarchy.
pub fn read_static(text: &str) -> Result<Static, TextError> {
    let mut names = Names::default();
    let mut found = Static::default();
    let mut symbols: HashMap<Kind, Symbol> = HashMap::new();
    let lines = || {
        text.lines()
            .zip(1..)
            .map(|(line, number)| Line::new(line, number))
    };
    // Classes, then what names them: lines may come in any order.
    for mut line in lines() {
        match line.word() {
            Some("class") => names.declare(&mut line, false, &mut found.dictionary)?,
            Some("interface") => names.declare(&mut line, true, &mut found.dictionary)?,
            Some("method" | "event") | None => {}
            Some(other) => {
                return Err(line.wrong(
                    format!("{other:?} begins no line of this file"),
                    "begin with class, interface, method or event",
                ));
            }
        }
    }
    for mut line in lines() {
        match line.word() {
            Some("class" | "interface") => names.supertypes(&mut line, &mut found.dictionary)?,
            Some("method") => names.method(&mut line, &mut found.dictionary)?,
            _ => {}
        }
    }
    for mut line in lines() {
        if line.word() == Some("event") {
            let (number, kind) = names.event(&mut line)?;
            let fresh = Symbol(found.dictionary.kinds.len() as u32);
            let symbol = *symbols.entry(kind).or_insert(fresh);
            if found.events.insert(number, symbol).is_some() {
                let twice = format!("event {number} is declared twice");
                return Err(line.wrong(twice, "give each event a number of its own"));
            }
            if symbol == fresh {
                found.dictionary.kinds.push(kind);
            }
        }
    }
    Ok(found)
}

struct Line<'t> {
    number: usize,
    words: Vec<&'t str>,
    at: usize,
}

impl<'t> Line<'t> {
    fn new(line: &'t str, number: usize) -> Self {
        Self {
            number,
            words: words(line).collect(),
            at: 0,
        }
    }

    fn word(&mut self) -> Option<&'t str> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word
    }

    fn wrong(&self, cause: impl Into<String>, remedy: impl Into<String>) -> TextError {
        TextError::new(Which::Static, self.number, cause, remedy)
    }

    fn needed(&mut self, what: &str) -> Result<&'t str, TextError> {
        self.word()
            .ok_or_else(|| self.wrong(format!("{what} is missing"), format!("write {what} here")))
    }

    fn name(&mut self, what: &str) -> Result<String, TextError> {
        let word = self.needed(what)?;
        self.unescape(word)
    }

    fn unescape(&self, word: &str) -> Result<String, TextError> {
        unescape(word).ok_or_else(|| {
            let cause = format!("{word:?} has a % that no code follows");
            self.wrong(cause, "write %25 for a percent sign")
        })
    }

    fn number<N: std::str::FromStr>(&mut self, what: &str) -> Result<N, TextError> {
        let word = self.needed(what)?;
        word.parse().map_err(|_| {
            let cause = format!("{word:?} is not {what}");
            self.wrong(
                cause,
                "write a whole number, 0 or more, that is not too large",
            )
        })
    }
}

/// What has been declared.
#[derive(Default)]
struct Names {
    classes: HashMap<String, ClassId>,
    methods: HashMap<(ClassId, String), Vec<(String, MethodId)>>,
}

impl Names {
    fn declare(
        &mut self,
        line: &mut Line<'_>,
        interface: bool,
        dictionary: &mut Dictionary,
    ) -> Result<(), TextError> {
        let name = line.name("the name of a class")?;
        let id = ClassId(dictionary.classes.len() as u32);
        if self.classes.insert(name.clone(), id).is_some() {
            return Err(line.wrong(
                format!("class {name} is declared twice"),
                "remove one of the lines, or tell them apart as NAME%231 and NAME%232",
            ));
        }
        dictionary.classes.push(Class {
            name,
            interface,
            ..Class::default()
        });
        Ok(())
    }

    fn supertypes(
        &self,
        line: &mut Line<'_>,
        dictionary: &mut Dictionary,
    ) -> Result<(), TextError> {
        let name = line.name("the name of a class")?;
        let id = self.class(line, &name)?;
        let Some(class) = dictionary.classes.get_mut(id.index()) else {
            return Ok(());
        };
        while let Some(word) = line.word() {
            match word {
                "extends" if !class.interface => {
                    let word = line.name("a superclass")?;
                    class.superclass = Some(self.class(line, &word)?);
                }
                "extends" | "implements" => {
                    for word in line.needed("a list of interfaces")?.split(',') {
                        let word = line.unescape(word)?;
                        class.interfaces.push(self.class(line, &word)?);
                    }
                }
                "bytes" => class.bytes = Some(line.number("a size in bytes")?),
                other => {
                    return Err(line.wrong(
                        format!("{other:?} says nothing of a class"),
                        "write extends, implements or bytes",
                    ));
                }
            }
        }
        Ok(())
    }

    fn class(&self, line: &Line<'_>, name: &str) -> Result<ClassId, TextError> {
        self.classes.get(name).copied().ok_or_else(|| {
            let cause = format!("class {name} is not declared");
            line.wrong(cause, format!("add a line `class {}`", escape(name)))
        })
    }

    fn method(
        &mut self,
        line: &mut Line<'_>,
        dictionary: &mut Dictionary,
    ) -> Result<(), TextError> {
        let class = line.name("the class of a method")?;
        let class = self.class(line, &class)?;
        let (name, descriptor) = signature(line)?;
        let mut method = Method {
            class,
            name: name.clone(),
            descriptor: descriptor.clone(),
            ..Method::default()
        };
        while let Some(word) = line.word() {
            match word {
                "bytes" => method.bytes = Some(line.number("a size in bytes")?),
                "instructions" => {
                    method.instructions = Some(line.number("a number of instructions")?);
                }
                other => {
                    let flag = Flag::NAMES.iter().find(|(name, _)| *name == other);
                    let Some((_, flag)) = flag else {
                        return Err(line.wrong(
                            format!("{other:?} says nothing of a method"),
                            "write bytes, instructions, static, native, constructor, bridge, synthetic or abstract",
                        ));
                    };
                    method.flags = method.flags.with(*flag);
                }
            }
        }
        let id = MethodId(dictionary.methods.len() as u32);
        let overloads = self.methods.entry((class, name.clone())).or_default();
        if overloads.iter().any(|(other, _)| *other == descriptor) {
            return Err(line.wrong(
                format!("method {name}{descriptor} is declared twice in its class"),
                "remove one of the lines, or write their descriptors",
            ));
        }
        overloads.push((descriptor, id));
        dictionary.methods.push(method);
        Ok(())
    }

    fn event(&self, line: &mut Line<'_>) -> Result<(u64, Kind), TextError> {
        let number = line.number("the number of an event")?;
        let receiver = line.name("the class of the receiver")?;
        let receiver = self.class(line, &receiver)?;
        let class_name = line.name("the class of the method")?;
        let class = self.class(line, &class_name)?;
        let (name, descriptor) = signature(line)?;
        let overloads = self
            .methods
            .get(&(class, name.clone()))
            .map_or(&[][..], Vec::as_slice);
        let found = match overloads {
            [(_, only)] if descriptor.is_empty() => Some(*only),
            _ => overloads
                .iter()
                .find(|(other, _)| *other == descriptor)
                .map(|(_, id)| *id),
        };
        if let Some(word) = line.word() {
            let cause = format!("{word:?} follows an event");
            return Err(line.wrong(cause, "write one event a line"));
        }
        let Some(method) = found else {
            let (cause, remedy) = if overloads.is_empty() {
                (
                    format!("class {class_name} declares no method {name}{descriptor}"),
                    format!(
                        "add a line `method {} {}{}`",
                        escape(&class_name),
                        escape(&name),
                        escape(&descriptor)
                    ),
                )
            } else {
                (
                    format!(
                        "class {class_name} declares {} methods {name}, none of them {name}{descriptor}",
                        overloads.len()
                    ),
                    "write the descriptor of the one meant".to_owned(),
                )
            };
            return Err(line.wrong(cause, remedy));
        };
        Ok((number, Kind { receiver, method }))
    }
}

/// A name and a descriptor, which begins with its parenthesis.
fn signature(line: &mut Line<'_>) -> Result<(String, String), TextError> {
    let word = line.name("the name of a method")?;
    let at = word.find('(').unwrap_or(word.len());
    let (name, descriptor) = word.split_at(at);
    Ok((name.to_owned(), descriptor.to_owned()))
}

/// Writes static information; events get the numbers of their symbols.
///
/// # Errors
/// If `out` cannot be written to.
pub fn write_static(dictionary: &Dictionary, out: &mut impl Write) -> io::Result<()> {
    let names = unique(dictionary);
    let name = |id: ClassId| {
        let known = names.get(id.index()).cloned();
        known.unwrap_or_else(|| format!("unknown%23{}", id.0))
    };
    for (id, class) in (0..).zip(&dictionary.classes) {
        let word = if class.interface {
            "interface"
        } else {
            "class"
        };
        write!(out, "{word} {}", name(ClassId(id)))?;
        if let Some(superclass) = class.superclass {
            write!(out, " extends {}", name(superclass))?;
        }
        if !class.interfaces.is_empty() {
            let list: Vec<String> = class.interfaces.iter().map(|&i| name(i)).collect();
            write!(out, " implements {}", list.join(","))?;
        }
        sizes(out, &[("bytes", class.bytes)])?;
        writeln!(out)?;
    }
    for method in &dictionary.methods {
        let signature = escape(&format!("{}{}", method.name, method.descriptor));
        write!(out, "method {} {signature}", name(method.class))?;
        sizes(
            out,
            &[
                ("bytes", method.bytes),
                ("instructions", method.instructions),
            ],
        )?;
        for (word, flag) in Flag::NAMES {
            if method.flags.has(flag) {
                write!(out, " {word}")?;
            }
        }
        writeln!(out)?;
    }
    for (number, kind) in dictionary.kinds.iter().enumerate() {
        let Some(method) = dictionary.methods.get(kind.method.index()) else {
            continue;
        };
        let signature = escape(&format!("{}{}", method.name, method.descriptor));
        let (receiver, class) = (name(kind.receiver), name(method.class));
        writeln!(out, "event {number} {receiver} {class} {signature}")?;
    }
    Ok(())
}

fn sizes(out: &mut impl Write, sizes: &[(&str, Option<u32>)]) -> io::Result<()> {
    for (word, size) in sizes {
        if let Some(size) = size {
            write!(out, " {word} {size}")?;
        }
    }
    Ok(())
}

/// Names of classes as words, no two the same.
fn unique(dictionary: &Dictionary) -> Vec<String> {
    let mut times: HashMap<&str, u32> = HashMap::new();
    for class in &dictionary.classes {
        *times.entry(class.name.as_str()).or_default() += 1;
    }
    let mut names = Vec::with_capacity(dictionary.classes.len());
    for (id, class) in dictionary.classes.iter().enumerate() {
        let shared = times.get(class.name.as_str()).is_some_and(|&n| n > 1);
        names.push(if shared {
            escape(&format!("{}#{id}", class.name))
        } else {
            escape(&class.name)
        });
    }
    names
}
