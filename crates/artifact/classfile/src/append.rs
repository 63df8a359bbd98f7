//! Appends constants to a constant pool whose existing entries stay as they are.

use crate::ClassFileError;
use crate::pool::{ConstantPool, encode_modified_utf8, tag};
use crate::splice::Edit;
use ahash::AHasher;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

type Indexes<T> = HashMap<T, u16, BuildHasherDefault<AHasher>>;

/// New constants for a class file. Each method returns the index of an equal constant if it was appended before.
#[derive(Debug)]
pub struct PoolAppender<'p, 'a> {
    existing: Option<&'p ConstantPool<'a>>,
    /// Class names of the existing pool; made when first needed.
    classes: Option<Indexes<&'a [u8]>>,
    count: u16,
    added: Vec<u8>,
    known: Indexes<Vec<u8>>,
    /// The constant that is asked for.
    wanted: Vec<u8>,
}

impl<'p, 'a> PoolAppender<'p, 'a> {
    /// Appends to `existing`.
    pub fn new(existing: &'p ConstantPool<'a>) -> Self {
        let count = existing.count().max(1);
        Self {
            existing: Some(existing),
            classes: None,
            count,
            added: Vec::new(),
            known: Indexes::default(),
            wanted: Vec::new(),
        }
    }

    /// Starts an empty pool.
    pub fn empty() -> Self {
        Self {
            existing: None,
            classes: None,
            count: 1,
            added: Vec::new(),
            known: Indexes::default(),
            wanted: Vec::new(),
        }
    }

    fn entry(&mut self, tag: u8, body: &[&[u8]]) -> Result<u16, ClassFileError> {
        self.wanted.clear();
        self.wanted.push(tag);
        for part in body {
            self.wanted.extend_from_slice(part);
        }
        if let Some(index) = self.known.get(&self.wanted) {
            return Ok(*index);
        }
        let index = self.count;
        let limit = usize::from(u16::MAX);
        let full = ClassFileError::Limit {
            what: "the constant pool's length",
            value: limit + 1,
            limit,
        };
        self.count = index.checked_add(1).ok_or(full)?;
        self.added.extend_from_slice(&self.wanted);
        self.known.insert(self.wanted.clone(), index);
        Ok(index)
    }

    fn pair(&mut self, tag: u8, first: u16, second: u16) -> Result<u16, ClassFileError> {
        self.entry(tag, &[&first.to_be_bytes(), &second.to_be_bytes()])
    }

    /// A text.
    pub fn utf8(&mut self, text: &str) -> Result<u16, ClassFileError> {
        let bytes = encode_modified_utf8(text);
        let limit = usize::from(u16::MAX);
        let what = "the length of a constant";
        let length = u16::try_from(bytes.len()).map_err(|_| ClassFileError::Limit {
            what,
            value: bytes.len(),
            limit,
        })?;
        self.entry(tag::UTF8, &[&length.to_be_bytes(), &bytes])
    }

    /// A class by internal name, or an array type by descriptor; the existing constant if there is one.
    pub fn class(&mut self, name: &str) -> Result<u16, ClassFileError> {
        if let Some(pool) = self.existing {
            let classes = self.classes.get_or_insert_with(|| {
                let named = |(index, _)| Some((pool.class_name_bytes(index).ok()?, index));
                pool.tags()
                    .filter(|(_, kind)| *kind == tag::CLASS)
                    .filter_map(named)
                    .collect()
            });
            if let Some(index) = classes.get(&*encode_modified_utf8(name)) {
                return Ok(*index);
            }
        }
        let name = self.utf8(name)?;
        self.entry(tag::CLASS, &[&name.to_be_bytes()])
    }

    fn member(
        &mut self,
        tag: u8,
        owner: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<u16, ClassFileError> {
        let (name, descriptor) = (self.utf8(name)?, self.utf8(descriptor)?);
        let name_and_type = self.pair(tag::NAME_AND_TYPE, name, descriptor)?;
        let owner = self.class(owner)?;
        self.pair(tag, owner, name_and_type)
    }

    /// A field.
    pub fn field(
        &mut self,
        owner: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<u16, ClassFileError> {
        self.member(tag::FIELD_REF, owner, name, descriptor)
    }

    /// A method of a class.
    pub fn method(
        &mut self,
        owner: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<u16, ClassFileError> {
        self.member(tag::METHOD_REF, owner, name, descriptor)
    }

    /// A method of an interface.
    pub fn interface_method(
        &mut self,
        owner: &str,
        name: &str,
        descriptor: &str,
    ) -> Result<u16, ClassFileError> {
        self.member(tag::INTERFACE_METHOD_REF, owner, name, descriptor)
    }

    /// A string literal.
    pub fn string(&mut self, text: &str) -> Result<u16, ClassFileError> {
        let text = self.utf8(text)?;
        self.entry(tag::STRING, &[&text.to_be_bytes()])
    }

    /// A package by internal name.
    pub fn package(&mut self, name: &str) -> Result<u16, ClassFileError> {
        let name = self.utf8(name)?;
        self.entry(tag::PACKAGE, &[&name.to_be_bytes()])
    }

    /// An `int`.
    pub fn integer(&mut self, number: i32) -> Result<u16, ClassFileError> {
        self.entry(tag::INTEGER, &[&number.to_be_bytes()])
    }

    /// The constant count after appending.
    pub fn count(&self) -> u16 {
        self.count
    }

    /// The appended entries.
    pub fn added(&self) -> &[u8] {
        &self.added
    }

    /// What has to change in the class file of the existing pool; nothing if nothing was appended.
    pub fn edits(&self) -> Vec<Edit> {
        match self.existing {
            Some(pool) if !self.added.is_empty() => vec![
                Edit {
                    range: ConstantPool::START..ConstantPool::START + 2,
                    bytes: self.count.to_be_bytes().to_vec(),
                },
                Edit {
                    range: pool.end()..pool.end(),
                    bytes: self.added.clone(),
                },
            ],
            _ => Vec::new(),
        }
    }
}
