//! A class file, its members and attributes, read in place (JVMS §4.1, §4.5–4.7).

use crate::ClassFileError;
use crate::code::Code;
use crate::cursor::Cursor;
use crate::pool::{ConstantPool, MemberRef};

/// `ACC_PRIVATE` of fields and methods.
pub const ACC_PRIVATE: u16 = 0x0002;
/// `ACC_PUBLIC`: seen everywhere (JVMS table 4.6-A).
pub const ACC_PUBLIC: u16 = 0x0001;
/// `ACC_PROTECTED`: seen in its package and in subclasses.
pub const ACC_PROTECTED: u16 = 0x0004;
/// `ACC_STATIC` of fields and methods.
pub const ACC_STATIC: u16 = 0x0008;
/// `ACC_FINAL` of classes, fields and methods.
pub const ACC_FINAL: u16 = 0x0010;
/// `ACC_ABSTRACT` of classes and methods.
pub const ACC_ABSTRACT: u16 = 0x0400;
/// `ACC_NATIVE` of methods.
pub const ACC_NATIVE: u16 = 0x0100;
/// `ACC_INTERFACE` of classes.
pub const ACC_INTERFACE: u16 = 0x0200;
/// `ACC_SYNCHRONIZED` of methods.
pub const ACC_SYNCHRONIZED: u16 = 0x0020;

/// A class file whose outline was checked: every name it needs is there, every attribute ends where it says.
#[derive(Clone, Debug)]
pub struct ClassFile<'a> {
    bytes: &'a [u8],
    constants: ConstantPool<'a>,
    access: u16,
    name: String,
    super_name: Option<String>,
    interfaces: Vec<String>,
    fields: Vec<Member<'a>>,
    fields_at: usize,
    fields_end: usize,
    methods: Vec<Member<'a>>,
    attributes: Attributes<'a>,
}

impl<'a> ClassFile<'a> {
    /// Reads a class file.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ClassFileError> {
        let mut cursor = Cursor::new(bytes, 0);
        let magic = cursor.u32("the magic number")?;
        if magic != 0xCAFE_BABE {
            return Err(ClassFileError::Magic { found: magic });
        }
        cursor.take(4, "the version")?;
        let constants = ConstantPool::parse(bytes, &mut cursor)?;
        let access = cursor.u16("the access flags")?;
        let name = constants.class_name(cursor.u16("the class's name")?)?;
        let super_name = match cursor.u16("the superclass")? {
            0 => None,
            index => Some(constants.class_name(index)?),
        };
        let count = cursor.u16("the interfaces")?;
        let mut interfaces = Vec::new();
        for _ in 0..count {
            interfaces.push(constants.class_name(cursor.u16("the interfaces")?)?);
        }
        let fields_at = cursor.offset();
        let fields = members(&mut cursor, &constants)?;
        let fields_end = cursor.offset();
        let methods = members(&mut cursor, &constants)?;
        let attributes = Attributes::parse(&mut cursor, &constants)?;
        if !cursor.is_at_end() {
            return Err(cursor.malformed("bytes behind the class"));
        }
        Ok(Self {
            bytes,
            constants,
            access,
            name,
            super_name,
            interfaces,
            fields,
            fields_at,
            fields_end,
            methods,
            attributes,
        })
    }

    /// The class file itself.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Major version: 52 is Java 8, 61 Java 17.
    pub fn major(&self) -> u16 {
        u16::from_be_bytes([self.bytes[6], self.bytes[7]])
    }

    /// Access flags.
    pub fn access(&self) -> u16 {
        self.access
    }

    /// Internal name, `java/util/List`.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// Internal name of the superclass; none for `java/lang/Object` and modules.
    pub fn super_name(&self) -> Option<String> {
        self.super_name.clone()
    }

    /// Internal names of the direct superinterfaces.
    pub fn interfaces(&self) -> Vec<String> {
        self.interfaces.clone()
    }

    /// The constant pool.
    pub fn constants(&self) -> &ConstantPool<'a> {
        &self.constants
    }

    /// Fields in their order.
    pub fn fields(&self) -> &[Member<'a>] {
        &self.fields
    }

    /// Where the fields stand: offset of their count, offset behind the last.
    pub fn field_table(&self) -> std::ops::Range<usize> {
        self.fields_at..self.fields_end
    }

    /// Methods in their order.
    pub fn methods(&self) -> &[Member<'a>] {
        &self.methods
    }

    /// Attributes of the class.
    pub fn attributes(&self) -> Attributes<'a> {
        self.attributes
    }

    /// The `SourceFile` attribute, if there is a readable one.
    pub fn source_file(&self) -> Option<String> {
        let attribute = self.attributes.find(&self.constants, "SourceFile")?;
        let index = <[u8; 2]>::try_from(attribute.bytes).ok()?;
        self.constants.utf8(u16::from_be_bytes(index)).ok()
    }

    /// The bootstrap method at `index` of the `BootstrapMethods` attribute.
    pub fn bootstrap_method(&self, index: u16) -> Result<MemberRef, ClassFileError> {
        self.bootstrap(index).map(|(method, _)| method)
    }

    /// The bootstrap method at `index`, and the constants that it is handed.
    pub fn bootstrap(&self, index: u16) -> Result<(MemberRef, Vec<u16>), ClassFileError> {
        let attribute = self.attributes.find(&self.constants, "BootstrapMethods");
        let attribute = attribute.ok_or(ClassFileError::Malformed {
            offset: self.bytes.len(),
            what: "no BootstrapMethods",
        })?;
        let what = "BootstrapMethods";
        let mut cursor = Cursor::new(attribute.bytes, attribute.offset);
        let count = cursor.u16(what)?;
        if index >= count {
            return Err(cursor.malformed("too few bootstrap methods"));
        }
        for _ in 0..index {
            cursor.u16(what)?;
            let arguments = cursor.u16(what)?;
            cursor.take(usize::from(arguments) * 2, what)?;
        }
        let (_, method) = self.constants.method_handle(cursor.u16(what)?)?;
        let arguments = (0..cursor.u16(what)?).map(|_| cursor.u16(what));
        Ok((method, arguments.collect::<Result<_, _>>()?))
    }
}

fn members<'a>(
    cursor: &mut Cursor<'a>,
    constants: &ConstantPool<'a>,
) -> Result<Vec<Member<'a>>, ClassFileError> {
    let what = "a field or method";
    let count = cursor.u16(what)?;
    let mut members = Vec::with_capacity(usize::from(count));
    for _ in 0..count {
        let access = cursor.u16(what)?;
        let name_index = cursor.u16(what)?;
        let descriptor_index = cursor.u16(what)?;
        constants.utf8_bytes(name_index)?;
        constants.utf8_bytes(descriptor_index)?;
        let attributes = Attributes::parse(cursor, constants)?;
        members.push(Member {
            access,
            name_index,
            descriptor_index,
            attributes,
        });
    }
    Ok(members)
}

/// A field or method.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Access flags.
    pub access: u16,
    /// Index of the name.
    pub name_index: u16,
    /// Index of the descriptor.
    pub descriptor_index: u16,
    /// Attributes.
    pub attributes: Attributes<'a>,
}

impl<'a> Member<'a> {
    /// Its name; empty if `constants` is not its class's pool.
    pub fn name(&self, constants: &ConstantPool<'_>) -> String {
        constants.utf8(self.name_index).unwrap_or_default()
    }

    /// Its descriptor; empty if `constants` is not its class's pool.
    pub fn descriptor(&self, constants: &ConstantPool<'_>) -> String {
        constants.utf8(self.descriptor_index).unwrap_or_default()
    }

    /// Its code; none for abstract and native methods and fields.
    pub fn code(&self, constants: &ConstantPool<'a>) -> Result<Option<Code<'a>>, ClassFileError> {
        self.attributes
            .find(constants, "Code")
            .map(|attribute| Code::parse(&attribute, constants))
            .transpose()
    }
}

/// One attribute.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// Index of its name.
    pub name_index: u16,
    /// Its contents, without name and length.
    pub bytes: &'a [u8],
    /// Offset of the contents in the class file.
    pub offset: usize,
}

impl Attribute<'_> {
    /// Where it stands in the class file, with name and length.
    pub fn range(&self) -> std::ops::Range<usize> {
        self.offset - 6..self.offset + self.bytes.len()
    }
}

/// A table of attributes whose lengths were checked.
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a> {
    bytes: &'a [u8],
    offset: usize,
    count: u16,
}

impl<'a> Attributes<'a> {
    /// Reads the table at `cursor`: the count and that many attributes.
    pub(crate) fn parse(
        cursor: &mut Cursor<'a>,
        constants: &ConstantPool<'_>,
    ) -> Result<Self, ClassFileError> {
        let what = "an attribute";
        let count = cursor.u16(what)?;
        let offset = cursor.offset();
        let mut scan = *cursor;
        for _ in 0..count {
            constants.utf8_bytes(scan.u16(what)?)?;
            let length = scan.u32(what)?;
            scan.take(length as usize, what)?;
        }
        let bytes = cursor.take(scan.offset() - offset, what)?;
        Ok(Self {
            bytes,
            offset,
            count,
        })
    }

    /// How many there are.
    pub fn count(&self) -> u16 {
        self.count
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Attribute<'a>> + use<'a> {
        let mut cursor = Cursor::new(self.bytes, self.offset);
        let mut next = move || {
            let name_index = cursor.u16("")?;
            let length = cursor.u32("")?;
            let offset = cursor.offset();
            Ok::<_, ClassFileError>(Attribute {
                name_index,
                bytes: cursor.take(length as usize, "")?,
                offset,
            })
        };
        std::iter::from_fn(move || next().ok())
    }

    /// The first attribute of that name.
    pub fn find(&self, constants: &ConstantPool<'_>, name: &str) -> Option<Attribute<'a>> {
        self.iter().find(|a| {
            constants
                .utf8_bytes(a.name_index)
                .is_ok_and(|n| n == name.as_bytes())
        })
    }
}
