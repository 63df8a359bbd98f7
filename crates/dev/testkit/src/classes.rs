//! What the compiler made: methods, opcodes and line tables, read with the `cafebabe` crate.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cafebabe::attributes::AttributeData;

use crate::{TestkitError, content, io};

/// A method of a class, all names internal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MethodKey {
    /// `java/util/List`.
    pub class: String,
    /// Method name.
    pub name: String,
    /// Method descriptor.
    pub descriptor: String,
}

impl std::fmt::Display for MethodKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}{}", self.class, self.name, self.descriptor)
    }
}

/// What is known of one method with code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MethodCode {
    /// The bytecode.
    pub code: Vec<u8>,
    /// Line table: first address and line, in the order of addresses.
    pub lines: Vec<(u16, u16)>,
}

impl MethodCode {
    /// Source line of the instruction at `pc`.
    pub fn line(&self, pc: u16) -> Option<u16> {
        let after = self.lines.partition_point(|&(start, _)| start <= pc);
        after.checked_sub(1).map(|i| self.lines[i].1)
    }

    /// Mnemonic of the instruction at `pc`.
    pub fn mnemonic(&self, pc: u16) -> &'static str {
        self.code
            .get(usize::from(pc))
            .map_or("?", |&opcode| pricetag_classfile::opcode::mnemonic(opcode))
    }

    /// Addresses at which the line table enters `line`.
    pub fn entries(&self, line: u16) -> impl Iterator<Item = u16> {
        self.lines
            .iter()
            .filter(move |&&(_, l)| l == line)
            .map(|&(pc, _)| pc)
    }
}

/// Every method of a directory of class files.
#[derive(Clone, Debug, Default)]
pub struct ClassIndex {
    /// The methods, with the class files of a top-level class side by side.
    pub methods: BTreeMap<MethodKey, MethodCode>,
}

impl ClassIndex {
    /// Reads all class files of a directory.
    ///
    /// # Errors
    /// If one cannot be read or parsed.
    pub fn read(directory: &Path) -> Result<Self, TestkitError> {
        let mut index = Self::default();
        let entries = std::fs::read_dir(directory).map_err(io("list", directory))?;
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| entry.ok().map(|e| e.path()))
            .filter(|path| path.extension().is_some_and(|e| e == "class"))
            .collect();
        paths.sort();
        for path in paths {
            let bytes = std::fs::read(&path).map_err(io("read", &path))?;
            index.add(&bytes).map_err(|reason| content(&path, reason))?;
        }
        Ok(index)
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), cafebabe::ParseError> {
        let mut options = cafebabe::ParseOptions::default();
        options.parse_bytecode(false);
        let class = cafebabe::parse_class_with_options(bytes, &options)?;
        for method in &class.methods {
            let key = MethodKey {
                class: class.this_class.to_string(),
                name: method.name.to_string(),
                descriptor: method.descriptor.to_string(),
            };
            for attribute in &method.attributes {
                if let AttributeData::Code(code) = &attribute.data {
                    let lines = code.attributes.iter().filter_map(|a| match &a.data {
                        AttributeData::LineNumberTable(entries) => Some(entries),
                        _ => None,
                    });
                    let mut lines: Vec<_> = lines
                        .flatten()
                        .map(|e| (e.start_pc, e.line_number))
                        .collect();
                    lines.sort_unstable();
                    self.methods.insert(
                        key.clone(),
                        MethodCode {
                            code: code.code.to_vec(),
                            lines,
                        },
                    );
                }
            }
        }
        Ok(())
    }

    /// The methods of a top-level class and the classes nested in it.
    pub fn of_program<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = (&'a MethodKey, &'a MethodCode)> {
        self.methods
            .iter()
            .filter(move |(key, _)| belongs(&key.class, name))
    }
}

/// Whether a class is the top-level class `name`, nested in it, or a hidden class made from one of these.
pub fn belongs(class: &str, name: &str) -> bool {
    class
        .strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['$', '/', '+', '.']))
}
