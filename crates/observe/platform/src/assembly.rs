//! A small assembly language for benchmark programs, and the class files made of it.
//!
//! One instruction per line, or several between ` ; `: the mnemonic of the JVM specification, then its operand. `label:` binds a label; `int 300` and
//! `string text` load constants, `string` alone a blank; members are `Owner.name:descriptor` or `Owner.name(descriptor)result`, `$` being the class itself;
//! `catch Type FROM TO HANDLER` covers the code between two labels. Classes are of version 49: the JVM infers the types of such old
//! classes itself, so no stack maps are needed (JVM specification 4.10.2). Limits: stack and locals are as large as the caller says, and what is wrong is found
//! by the JVM's verifier, which a test runs over the whole suite.

use std::collections::BTreeMap;

use pricetag_classfile::append::PoolAppender;
use pricetag_classfile::assemble::{Assembler, Label};
use pricetag_classfile::descriptor::slots_of_call;
use pricetag_classfile::{ClassFileError, opcode};

use crate::MeasureError;

/// Major version of the classes.
const VERSION: u16 = 49;
const MAGIC: u32 = 0xCAFE_BABE;
/// `public`, with the `super` flag that every class has.
const CLASS_ACCESS: u16 = 0x21;
const INTERFACE_ACCESS: u16 = 0x0601;
const PUBLIC: u16 = 0x1;
const STATIC: u16 = 0x8;
const ABSTRACT: u16 = 0x400;
/// Depth of the operand stack and number of locals of every method.
const STACK: u16 = 16;
const LOCALS: u16 = 24;

/// A class under construction.
pub struct ClassWriter {
    name: String,
    parent: String,
    interfaces: Vec<String>,
    is_interface: bool,
    extra: u16,
    pool: PoolAppender<'static, 'static>,
    fields: BTreeMap<String, (String, u16)>,
    methods: Vec<Vec<u8>>,
}

struct Covered {
    class: String,
    labels: [Label; 3],
}

impl ClassWriter {
    /// An empty class.
    pub fn new(name: &str, parent: &str, interfaces: &[&str]) -> Self {
        Self {
            name: name.to_owned(),
            parent: parent.to_owned(),
            interfaces: interfaces.iter().map(|&i| i.to_owned()).collect(),
            is_interface: false,
            extra: 0,
            pool: PoolAppender::empty(),
            fields: BTreeMap::new(),
            methods: Vec::new(),
        }
    }

    /// An empty interface.
    pub fn interface(name: &str) -> Self {
        Self {
            is_interface: true,
            ..Self::new(name, "java/lang/Object", &[])
        }
    }

    /// A field that no code of the class itself names, or that is not static.
    pub fn field(&mut self, name: &str, descriptor: &str, access: u16) {
        let field = (descriptor.to_owned(), access);
        self.fields.insert(name.to_owned(), field);
    }

    /// Makes a class abstract.
    pub fn make_abstract(&mut self) {
        self.extra |= ABSTRACT;
    }

    /// A method without code.
    pub fn declaration(&mut self, name: &str, descriptor: &str) -> Result<(), MeasureError> {
        let mut bytes = Vec::new();
        put(&mut bytes, PUBLIC | ABSTRACT);
        put(&mut bytes, self.pool.utf8(name)?);
        put(&mut bytes, self.pool.utf8(descriptor)?);
        put(&mut bytes, 0);
        self.methods.push(bytes);
        Ok(())
    }

    /// An instance method.
    pub fn method(&mut self, name: &str, desc: &str, text: &str) -> Result<(), MeasureError> {
        self.code(name, desc, PUBLIC, text)
    }

    /// A static method.
    pub fn function(&mut self, name: &str, desc: &str, text: &str) -> Result<(), MeasureError> {
        self.code(name, desc, PUBLIC | STATIC, text)
    }

    fn code(
        &mut self,
        name: &str,
        descriptor: &str,
        access: u16,
        text: &str,
    ) -> Result<(), MeasureError> {
        let mut code = Assembler::default();
        let mut labels: BTreeMap<String, Label> = BTreeMap::new();
        let mut covered: Vec<Covered> = Vec::new();
        let instructions = text
            .lines()
            .flat_map(|line| line.split(" ; "))
            .map(str::trim)
            .filter(|i| !i.is_empty() && !i.starts_with('#'));
        for instruction in instructions {
            self.instruction(instruction, &mut code, &mut labels, &mut covered)
                .map_err(|why| MeasureError::Assembly {
                    method: name.to_owned(),
                    instruction: instruction.to_owned(),
                    why,
                })?;
        }
        let laid = code.finish()?;
        let mut table = Vec::new();
        put(&mut table, covered.len() as u16);
        for entry in &covered {
            for label in entry.labels {
                put(&mut table, laid.offset(label) as u16);
            }
            let class = match entry.class.as_str() {
                "any" => 0,
                class => self.pool.class(class)?,
            };
            put(&mut table, class);
        }
        let mut bytes = Vec::new();
        put(&mut bytes, access);
        put(&mut bytes, self.pool.utf8(name)?);
        put(&mut bytes, self.pool.utf8(descriptor)?);
        put(&mut bytes, 1);
        put(&mut bytes, self.pool.utf8("Code")?);
        let length = 2 + 2 + 4 + laid.code.len() + table.len() + 2;
        bytes.extend((length as u32).to_be_bytes());
        put(&mut bytes, STACK);
        put(&mut bytes, LOCALS);
        bytes.extend((laid.code.len() as u32).to_be_bytes());
        bytes.extend(&laid.code);
        bytes.extend(&table);
        put(&mut bytes, 0);
        self.methods.push(bytes);
        Ok(())
    }

    fn instruction(
        &mut self,
        text: &str,
        code: &mut Assembler,
        labels: &mut BTreeMap<String, Label>,
        covered: &mut Vec<Covered>,
    ) -> Result<(), String> {
        let mut named = |code: &mut Assembler, name: &str| {
            *labels
                .entry(name.to_owned())
                .or_insert_with(|| code.label())
        };
        if let Some(label) = text.strip_suffix(':') {
            let label = named(code, label);
            code.bind(label);
            return Ok(());
        }
        let (word, operand) = text.split_once(' ').unwrap_or((text, ""));
        let number = |text: &str| text.parse::<i32>().map_err(|e| format!("{text}: {e}"));
        let failed = |e: ClassFileError| e.to_string();
        match word {
            "int" => return code.int(number(operand)?, &mut self.pool).map_err(failed),
            "string" => {
                let text = if operand.is_empty() { " " } else { operand };
                let index = self.pool.string(text).map_err(failed)?;
                code.constant(opcode::LDC_W, index);
                return Ok(());
            }
            "catch" => {
                let words: Vec<&str> = operand.split(' ').collect();
                let [class, from, to, handler] = words[..] else {
                    return Err("catch has four operands".into());
                };
                let labels = [from, to, handler].map(|name| named(code, name));
                covered.push(Covered {
                    class: class.to_owned(),
                    labels,
                });
                return Ok(());
            }
            _ => {}
        }
        let op = (0..=opcode::JSR_W)
            .find(|&o| opcode::mnemonic(o) == word)
            .ok_or("no such instruction")?;
        match word {
            "iload" | "lload" | "fload" | "dload" | "aload" | "istore" | "lstore" | "fstore"
            | "dstore" | "astore" => code.local(op, number(operand)? as u16),
            "iinc" => {
                let (local, by) = operand.split_once(' ').ok_or("iinc has two operands")?;
                code.raw(&[op, number(local)? as u8, number(by)? as u8]);
            }
            "newarray" => {
                let types = ["boolean", "char", "float", "double", "byte", "short", "int"];
                let mut types = types.iter().chain(&["long"]);
                let index = types.position(|t| *t == operand).ok_or("no such type")?;
                code.raw(&[op, index as u8 + 4]);
            }
            "new" | "anewarray" | "checkcast" | "instanceof" => {
                let class = self.own(operand);
                code.constant(op, self.pool.class(&class).map_err(failed)?);
            }
            "multianewarray" => {
                let (class, dimensions) = operand.split_once(' ').ok_or("two operands")?;
                code.constant(op, self.pool.class(class).map_err(failed)?);
                code.op(number(dimensions)? as u8);
            }
            "getstatic" | "putstatic" | "getfield" | "putfield" => {
                let (owner, name, descriptor) = member(operand, ':')?;
                if owner == "$" && word.ends_with("static") && !self.fields.contains_key(name) {
                    self.field(name, descriptor, PUBLIC | STATIC);
                }
                let owner = self.own(owner);
                let index = self.pool.field(&owner, name, descriptor).map_err(failed)?;
                code.constant(op, index);
            }
            "invokevirtual" | "invokestatic" | "invokespecial" | "invokeinterface" => {
                let at = operand.find('(').ok_or("a method has a descriptor")?;
                let (path, descriptor) = operand.split_at(at);
                let (owner, name) = path.rsplit_once('.').ok_or("a method has an owner")?;
                let owner = self.own(owner);
                if word == "invokeinterface" {
                    let index = self.pool.interface_method(&owner, name, descriptor);
                    code.constant(op, index.map_err(failed)?);
                    let slots = slots_of_call(descriptor.as_bytes()).ok_or("bad descriptor")?;
                    code.raw(&[slots.0 as u8 + 1, 0]);
                } else {
                    let index = self.pool.method(&owner, name, descriptor);
                    code.constant(op, index.map_err(failed)?);
                }
            }
            _ if operand.is_empty() => code.op(op),
            _ if opcode::mnemonic(op).starts_with("if") || word == "goto" => {
                let label = named(code, operand);
                code.jump(op, label);
            }
            _ => return Err("an operand that it cannot have".into()),
        }
        Ok(())
    }

    fn own(&self, owner: &str) -> String {
        if owner == "$" { &self.name } else { owner }.to_owned()
    }

    /// The bytes of the class file.
    pub fn finish(mut self) -> Result<Vec<u8>, MeasureError> {
        let this = self.pool.class(&self.name)?;
        let parent = self.pool.class(&self.parent)?;
        let mut tail = Vec::new();
        put(
            &mut tail,
            if self.is_interface {
                INTERFACE_ACCESS
            } else {
                CLASS_ACCESS | self.extra
            },
        );
        put(&mut tail, this);
        put(&mut tail, parent);
        put(&mut tail, self.interfaces.len() as u16);
        for interface in &self.interfaces {
            put(&mut tail, self.pool.class(interface)?);
        }
        put(&mut tail, self.fields.len() as u16);
        for (name, (descriptor, access)) in &self.fields {
            put(&mut tail, *access);
            put(&mut tail, self.pool.utf8(name)?);
            put(&mut tail, self.pool.utf8(descriptor)?);
            put(&mut tail, 0);
        }
        put(&mut tail, self.methods.len() as u16);
        for method in &self.methods {
            tail.extend(method);
        }
        put(&mut tail, 0);
        let mut bytes = MAGIC.to_be_bytes().to_vec();
        put(&mut bytes, 0);
        put(&mut bytes, VERSION);
        put(&mut bytes, self.pool.count());
        bytes.extend(self.pool.added());
        bytes.extend(tail);
        Ok(bytes)
    }
}

fn put(bytes: &mut Vec<u8>, number: u16) {
    bytes.extend(number.to_be_bytes());
}

/// Owner, name and descriptor.
fn member(text: &str, before: char) -> Result<(&str, &str, &str), String> {
    let (path, descriptor) = text.split_once(before).ok_or("a field has a type")?;
    let (owner, name) = path.rsplit_once('.').ok_or("a field has an owner")?;
    Ok((owner, name, descriptor))
}
