//! Class files with one method, written byte by byte, for flow that no compiler makes.
#![allow(dead_code, reason = "each test file uses its part")]

use pricetag_classfile::opcode as op;

/// `java/lang/Object.<init>()V`.
pub const OBJECT_INIT: u8 = 8;
/// `T.<init>()V`.
pub const OWN_INIT: u8 = 9;
/// The instance field `T.f`.
pub const FIELD: u8 = 14;
/// The static method `T.m()V`.
pub const METHOD: u8 = 17;
/// The static field `T.s`.
pub const STATIC: u8 = 20;
/// The final instance field `T.g`.
pub const FINAL: u8 = 23;

/// A class `T` with fields `f`, `s` (static) and `g` (final), and one method.
pub struct Method<'a> {
    /// `<init>` rather than `m`.
    pub constructor: bool,
    /// Access flags.
    pub access: u16,
    /// The instructions.
    pub code: &'a [u8],
    /// Start, end, handler; all catch any exception.
    pub handlers: &'a [[u16; 3]],
}

/// An instance method `m` without handlers.
pub fn method(code: &[u8]) -> Method<'_> {
    Method {
        constructor: false,
        access: 0,
        code,
        handlers: &[],
    }
}

/// A static method `m` without handlers.
pub fn static_method(code: &[u8]) -> Method<'_> {
    Method {
        access: 8,
        ..method(code)
    }
}

/// A constructor without handlers.
pub fn constructor(code: &[u8]) -> Method<'_> {
    Method {
        constructor: true,
        ..method(code)
    }
}

impl Method<'_> {
    /// The class file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 49, 0, 24];
        let utf8 = |out: &mut Vec<u8>, text: &str| {
            out.extend([1, 0, text.len() as u8]);
            out.extend(text.bytes());
        };
        utf8(&mut out, "T");
        out.extend([7, 0, 1]);
        utf8(&mut out, "java/lang/Object");
        out.extend([7, 0, 3]);
        utf8(&mut out, "<init>");
        utf8(&mut out, "()V");
        out.extend([12, 0, 5, 0, 6]);
        out.extend([10, 0, 4, 0, 7]);
        out.extend([10, 0, 2, 0, 7]);
        utf8(&mut out, "Code");
        utf8(&mut out, "f");
        utf8(&mut out, "I");
        out.extend([12, 0, 11, 0, 12]);
        out.extend([9, 0, 2, 0, 13]);
        utf8(&mut out, "m");
        out.extend([12, 0, 15, 0, 6]);
        out.extend([10, 0, 2, 0, 16]);
        utf8(&mut out, "s");
        out.extend([12, 0, 18, 0, 12]);
        out.extend([9, 0, 2, 0, 19]);
        utf8(&mut out, "g");
        out.extend([12, 0, 21, 0, 12]);
        out.extend([9, 0, 2, 0, 22]);
        // Access, this, super, interfaces; three fields.
        out.extend([0, 0x20, 0, 2, 0, 4, 0, 0, 0, 3]);
        out.extend([0, 0, 0, 11, 0, 12, 0, 0]);
        out.extend([0, 8, 0, 18, 0, 12, 0, 0]);
        out.extend([0, 0x10, 0, 21, 0, 12, 0, 0]);
        out.extend([0, 1]);
        out.extend(self.access.to_be_bytes());
        out.extend([0, if self.constructor { 5 } else { 15 }, 0, 6, 0, 1, 0, 10]);
        out.extend((12 + self.code.len() as u32 + 8 * self.handlers.len() as u32).to_be_bytes());
        out.extend([0, 8, 0, 8]);
        out.extend((self.code.len() as u32).to_be_bytes());
        out.extend(self.code);
        out.extend((self.handlers.len() as u16).to_be_bytes());
        for pc in self.handlers.iter().flat_map(|h| h.iter().chain(&[0])) {
            out.extend(pc.to_be_bytes());
        }
        out.extend([0, 0, 0, 0]);
        out
    }
}

/// A jump of `distance` bytes from its own start.
pub fn jump(opcode: u8, distance: i16) -> [u8; 3] {
    let [high, low] = distance.to_be_bytes();
    [opcode, high, low]
}

/// An instruction with a constant.
pub fn with(opcode: u8, constant: u8) -> [u8; 3] {
    [opcode, 0, constant]
}

/// Puts pieces of code together.
pub fn code(pieces: &[&[u8]]) -> Vec<u8> {
    pieces.concat()
}

/// `aload_0; invokespecial java/lang/Object.<init>`.
pub fn super_call() -> [u8; 4] {
    [op::ALOAD_0, op::INVOKESPECIAL, 0, OBJECT_INIT]
}
