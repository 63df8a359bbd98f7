//! The constant pool, read in place (JVMS §4.4).

use std::borrow::Cow;

use crate::ClassFileError;
use crate::cursor::Cursor;

/// Tags of constant-pool entries (JVMS table 4.4-A).
pub mod tag {
    /// Modified UTF-8 text.
    pub const UTF8: u8 = 1;
    /// `int`.
    pub const INTEGER: u8 = 3;
    /// `float`.
    pub const FLOAT: u8 = 4;
    /// `long`; takes two indexes.
    pub const LONG: u8 = 5;
    /// `double`; takes two indexes.
    pub const DOUBLE: u8 = 6;
    /// A class or array type.
    pub const CLASS: u8 = 7;
    /// A string literal.
    pub const STRING: u8 = 8;
    /// A field.
    pub const FIELD_REF: u8 = 9;
    /// A method of a class.
    pub const METHOD_REF: u8 = 10;
    /// A method of an interface.
    pub const INTERFACE_METHOD_REF: u8 = 11;
    /// A member's name and descriptor.
    pub const NAME_AND_TYPE: u8 = 12;
    /// A method handle.
    pub const METHOD_HANDLE: u8 = 15;
    /// A method type.
    pub const METHOD_TYPE: u8 = 16;
    /// A dynamically computed constant.
    pub const DYNAMIC: u8 = 17;
    /// A dynamically computed call site.
    pub const INVOKE_DYNAMIC: u8 = 18;
    /// A module.
    pub const MODULE: u8 = 19;
    /// A package.
    pub const PACKAGE: u8 = 20;
}

/// A field or method named by an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberRef {
    /// Internal name of the class it is looked up in, `java/lang/String`.
    pub owner: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// A dynamically computed call site or constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvokeDynamic {
    /// The name given to the bootstrap method.
    pub name: String,
    /// The descriptor given to the bootstrap method.
    pub descriptor: String,
    /// Index into the `BootstrapMethods` attribute.
    pub bootstrap: u16,
}

/// What an `ldc` instruction can load.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// An `int`.
    Integer(i32),
    /// A `float`.
    Float(f32),
    /// A `long`.
    Long(i64),
    /// A `double`.
    Double(f64),
    /// A string literal.
    String(String),
    /// A class literal, by internal name.
    Class(String),
    /// A method type, by descriptor.
    MethodType(String),
    /// A method handle: its kind and the member.
    MethodHandle(u8, MemberRef),
    /// A dynamically computed constant.
    Dynamic(InvokeDynamic),
}

/// The constant pool of a class file.
#[derive(Clone, Debug)]
pub struct ConstantPool<'a> {
    /// The whole class file.
    bytes: &'a [u8],
    /// Offset of each entry's tag; 0 where there is none.
    entries: Vec<u32>,
    end: usize,
}

impl<'a> ConstantPool<'a> {
    /// Offset of the constant count in every class file.
    pub(crate) const START: usize = 8;

    /// Reads the entries' places. `cursor` stands at the constant count of the class file `bytes`.
    pub(crate) fn parse(bytes: &'a [u8], cursor: &mut Cursor<'a>) -> Result<Self, ClassFileError> {
        let count = cursor.u16("the constant pool's length")?;
        let mut entries = Vec::with_capacity(usize::from(count) + 1);
        entries.push(0);
        while entries.len() < usize::from(count) {
            entries.push(cursor.offset() as u32);
            let what = "a constant";
            let length = match cursor.u8(what)? {
                tag::UTF8 => usize::from(cursor.u16(what)?),
                tag::CLASS | tag::STRING | tag::METHOD_TYPE | tag::MODULE | tag::PACKAGE => 2,
                tag::METHOD_HANDLE => 3,
                tag::LONG | tag::DOUBLE => {
                    entries.push(0);
                    // HotSpot refuses it, too; what is appended to the pool would be taken for one index less.
                    if entries.len() > usize::from(count) {
                        return Err(ClassFileError::Malformed {
                            offset: cursor.offset() - 1,
                            what: "no index is left for the second half of a long or double",
                        });
                    }
                    8
                }
                tag::INTEGER
                | tag::FLOAT
                | tag::FIELD_REF..=tag::NAME_AND_TYPE
                | tag::DYNAMIC
                | tag::INVOKE_DYNAMIC => 4,
                _ => {
                    return Err(ClassFileError::Malformed {
                        offset: cursor.offset() - 1,
                        what: "unknown constant tag",
                    });
                }
            };
            cursor.take(length, what)?;
        }
        Ok(Self {
            bytes,
            entries,
            end: cursor.offset(),
        })
    }

    /// The constant count of the class file: one more than the largest index.
    pub fn count(&self) -> u16 {
        u16::from_be_bytes([self.bytes[Self::START], self.bytes[Self::START + 1]])
    }

    /// The entries as they stand in the class file, without the count.
    pub fn raw(&self) -> &'a [u8] {
        &self.bytes[Self::START + 2..self.end]
    }

    /// Offset of the first byte behind the pool.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Every index that has an entry, with its tag, ascending.
    pub fn tags(&self) -> impl Iterator<Item = (u16, u8)> + '_ {
        self.entries
            .iter()
            .enumerate()
            .filter(|(_, at)| **at != 0)
            .map(|(i, at)| (i as u16, self.bytes[*at as usize]))
    }

    /// The tag of an entry; none where there is no entry.
    pub fn tag(&self, index: u16) -> Option<u8> {
        let at = *self.entries.get(usize::from(index))?;
        (at != 0).then(|| self.bytes[at as usize])
    }

    /// The bytes behind the tag of the entry at `index`, if its tag is one of `tags`.
    fn body(
        &self,
        index: u16,
        tags: &[u8],
        expected: &'static str,
    ) -> Result<&'a [u8], ClassFileError> {
        match self.tag(index) {
            Some(tag) if tags.contains(&tag) => {
                Ok(&self.bytes[self.entries[usize::from(index)] as usize + 1..self.end])
            }
            _ => Err(ClassFileError::Constant { index, expected }),
        }
    }

    /// The modified UTF-8 bytes of a text.
    pub fn utf8_bytes(&self, index: u16) -> Result<&'a [u8], ClassFileError> {
        let body = self.body(index, &[tag::UTF8], "a text")?;
        Ok(&body[2..2 + usize::from(u16_at(body, 0))])
    }

    /// A text; what is not valid modified UTF-8, or an unpaired surrogate, becomes U+FFFD.
    pub fn utf8(&self, index: u16) -> Result<String, ClassFileError> {
        self.text(index).map(Cow::into_owned)
    }

    /// The same, borrowed where it is plain.
    pub fn text(&self, index: u16) -> Result<Cow<'a, str>, ClassFileError> {
        self.utf8_bytes(index).map(decode_modified_utf8)
    }

    /// The modified UTF-8 bytes of a class's internal name.
    pub fn class_name_bytes(&self, index: u16) -> Result<&'a [u8], ClassFileError> {
        self.utf8_bytes(u16_at(self.body(index, &[tag::CLASS], "a class")?, 0))
    }

    /// Internal name of a class, `java/util/List` or `[I`.
    pub fn class_name(&self, index: u16) -> Result<String, ClassFileError> {
        let bytes = self.class_name_bytes(index)?;
        Ok(decode_modified_utf8(bytes).into_owned())
    }

    /// Index of the name and index of the descriptor of a name-and-type.
    fn name_and_type(&self, index: u16) -> Result<(u16, u16), ClassFileError> {
        let body = self.body(index, &[tag::NAME_AND_TYPE], "a name and type")?;
        Ok((u16_at(body, 0), u16_at(body, 2)))
    }

    /// The texts of a field, method or interface method: indices of its owner's internal name, its name and its descriptor.
    pub fn member_texts(&self, index: u16) -> Result<[u16; 3], ClassFileError> {
        let tags = [tag::FIELD_REF, tag::METHOD_REF, tag::INTERFACE_METHOD_REF];
        let body = self.body(index, &tags, "a field or method")?;
        let owner = self.body(u16_at(body, 0), &[tag::CLASS], "a class")?;
        let (name, descriptor) = self.name_and_type(u16_at(body, 2))?;
        Ok([u16_at(owner, 0), name, descriptor])
    }

    /// A field, method or interface method.
    pub fn member_ref(&self, index: u16) -> Result<MemberRef, ClassFileError> {
        let [owner, name, descriptor] = self.member_texts(index)?;
        Ok(MemberRef {
            owner: self.utf8(owner)?,
            name: self.utf8(name)?,
            descriptor: self.utf8(descriptor)?,
        })
    }

    /// The modified UTF-8 bytes of a member's name and descriptor, without copying.
    pub fn member_name_and_descriptor(
        &self,
        index: u16,
    ) -> Result<(&'a [u8], &'a [u8]), ClassFileError> {
        let tags = [tag::FIELD_REF, tag::METHOD_REF, tag::INTERFACE_METHOD_REF];
        let body = self.body(index, &tags, "a field or method")?;
        let (name, descriptor) = self.name_and_type(u16_at(body, 2))?;
        Ok((self.utf8_bytes(name)?, self.utf8_bytes(descriptor)?))
    }

    /// A dynamically computed call site or constant.
    pub fn invoke_dynamic(&self, index: u16) -> Result<InvokeDynamic, ClassFileError> {
        let body = self.body(
            index,
            &[tag::INVOKE_DYNAMIC, tag::DYNAMIC],
            "dynamically computed",
        )?;
        let (name, descriptor) = self.name_and_type(u16_at(body, 2))?;
        Ok(InvokeDynamic {
            name: self.utf8(name)?,
            descriptor: self.utf8(descriptor)?,
            bootstrap: u16_at(body, 0),
        })
    }

    /// The modified UTF-8 bytes of the descriptor of a dynamically computed call site or constant, without copying.
    pub fn dynamic_descriptor_bytes(&self, index: u16) -> Result<&'a [u8], ClassFileError> {
        let tags = [tag::INVOKE_DYNAMIC, tag::DYNAMIC];
        let body = self.body(index, &tags, "dynamically computed")?;
        let (_, descriptor) = self.name_and_type(u16_at(body, 2))?;
        self.utf8_bytes(descriptor)
    }

    /// The modified UTF-8 bytes of the internal name of a member's owner, without copying.
    pub fn member_owner_bytes(&self, index: u16) -> Result<&'a [u8], ClassFileError> {
        let tags = [tag::FIELD_REF, tag::METHOD_REF, tag::INTERFACE_METHOD_REF];
        let body = self.body(index, &tags, "a field or method")?;
        self.class_name_bytes(u16_at(body, 0))
    }

    /// A method handle: its kind (JVMS table 5.4.3.5-A) and the field or method.
    pub fn method_handle(&self, index: u16) -> Result<(u8, MemberRef), ClassFileError> {
        let body = self.body(index, &[tag::METHOD_HANDLE], "a method handle")?;
        Ok((body[0], self.member_ref(u16_at(body, 1))?))
    }

    /// A constant that `ldc`, `ldc_w` or `ldc2_w` can load.
    pub fn loadable(&self, index: u16) -> Result<Constant, ClassFileError> {
        let expected = "loadable";
        let four = |tag| -> Result<[u8; 4], ClassFileError> {
            let body = self.body(index, &[tag], expected)?;
            Ok([body[0], body[1], body[2], body[3]])
        };
        let eight = |tag| -> Result<[u8; 8], ClassFileError> {
            let body = self.body(index, &[tag], expected)?;
            Ok([
                body[0], body[1], body[2], body[3], body[4], body[5], body[6], body[7],
            ])
        };
        Ok(match self.tag(index) {
            Some(tag::INTEGER) => Constant::Integer(i32::from_be_bytes(four(tag::INTEGER)?)),
            Some(tag::FLOAT) => Constant::Float(f32::from_be_bytes(four(tag::FLOAT)?)),
            Some(tag::LONG) => Constant::Long(i64::from_be_bytes(eight(tag::LONG)?)),
            Some(tag::DOUBLE) => Constant::Double(f64::from_be_bytes(eight(tag::DOUBLE)?)),
            Some(tag::STRING) => {
                Constant::String(self.utf8(u16_at(self.body(index, &[tag::STRING], expected)?, 0))?)
            }
            Some(tag::CLASS) => Constant::Class(self.class_name(index)?),
            Some(tag::METHOD_TYPE) => Constant::MethodType(
                self.utf8(u16_at(self.body(index, &[tag::METHOD_TYPE], expected)?, 0))?,
            ),
            Some(tag::METHOD_HANDLE) => {
                let (kind, member) = self.method_handle(index)?;
                Constant::MethodHandle(kind, member)
            }
            Some(tag::DYNAMIC) => Constant::Dynamic(self.invoke_dynamic(index)?),
            _ => return Err(ClassFileError::Constant { index, expected }),
        })
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// Decodes modified UTF-8 (JVMS §4.4.7): surrogate pairs as two three-byte sequences, NUL as `C0 80`.
pub fn decode_modified_utf8(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let continuation = |k: usize| {
            bytes
                .get(at + k)
                .filter(|b| **b & 0xC0 == 0x80)
                .map(|b| u16::from(*b & 0x3F))
        };
        let first = u16::from(bytes[at]);
        let (unit, length) = match (first, continuation(1), continuation(2)) {
            (0..0x80, ..) => (first, 1),
            (0xC0..0xE0, Some(second), _) => ((first & 0x1F) << 6 | second, 2),
            (0xE0..0xF0, Some(second), Some(third)) => {
                ((first & 0x0F) << 12 | second << 6 | third, 3)
            }
            _ => (0xFFFD, 1),
        };
        units.push(unit);
        at += length;
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}

/// Encodes text as modified UTF-8.
pub fn encode_modified_utf8(text: &str) -> Cow<'_, [u8]> {
    if text.bytes().all(|byte| matches!(byte, 1..0x80)) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for unit in text.encode_utf16() {
        let continuation = |shift: u16| 0x80 | (unit >> shift & 0x3F) as u8;
        match unit {
            1..0x80 => bytes.push(unit as u8),
            0 | 0x80..0x800 => bytes.extend([0xC0 | (unit >> 6) as u8, continuation(0)]),
            _ => bytes.extend([0xE0 | (unit >> 12) as u8, continuation(6), continuation(0)]),
        }
    }
    Cow::Owned(bytes)
}
