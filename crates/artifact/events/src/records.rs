//! Records of the dictionary as bytes.

use crate::coding::{number, take_number};
use crate::facts::{Class, ClassId, Dictionary, Flags, Kind, Method, MethodId, ThreadId};

const CLASS: u8 = 1;
const METHOD: u8 = 2;
const KIND: u8 = 3;
const THREAD: u8 = 4;

fn text(out: &mut Vec<u8>, text: &str) {
    number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

fn option(out: &mut Vec<u8>, value: Option<u32>) {
    number(out, value.map_or(0, |v| u64::from(v) + 1));
}

pub(crate) fn class(out: &mut Vec<u8>, class: &Class) {
    out.push(CLASS);
    text(out, &class.name);
    out.push(u8::from(class.interface));
    option(out, class.superclass.map(|c| c.0));
    number(out, class.interfaces.len() as u64);
    for interface in &class.interfaces {
        number(out, u64::from(interface.0));
    }
    option(out, class.bytes);
}

pub(crate) fn method(out: &mut Vec<u8>, method: &Method) {
    out.push(METHOD);
    number(out, u64::from(method.class.0));
    text(out, &method.name);
    text(out, &method.descriptor);
    number(out, u64::from(method.flags.bits()));
    option(out, method.bytes);
    option(out, method.instructions);
}

pub(crate) fn kind(out: &mut Vec<u8>, kind: Kind) {
    out.push(KIND);
    number(out, u64::from(kind.receiver.0));
    number(out, u64::from(kind.method.0));
}

pub(crate) fn thread(out: &mut Vec<u8>, thread: ThreadId, name: &str) {
    out.push(THREAD);
    number(out, thread.0);
    text(out, name);
}

/// Adds records to a dictionary; `room` is how many more bytes of memory they may take.
///
/// # Errors
/// In words, if the bytes are no records, refer to what is not there, or take too much.
pub(crate) fn read(
    bytes: &mut &[u8],
    dictionary: &mut Dictionary,
    room: &mut u64,
) -> Result<(), &'static str> {
    while !bytes.is_empty() {
        let before = bytes.len();
        one(bytes, dictionary).ok_or("a record of the dictionary is damaged")?;
        // An empty record takes memory, too.
        let taken = (before - bytes.len()) as u64 + 96;
        *room = room
            .checked_sub(taken)
            .ok_or("the dictionary takes more memory than is allowed")?;
    }
    Ok(())
}

fn one(bytes: &mut &[u8], dictionary: &mut Dictionary) -> Option<()> {
    match take_byte(bytes)? {
        CLASS => {
            let name = take_text(bytes)?;
            let interface = take_byte(bytes)? & 1 != 0;
            let superclass = take_option(bytes)?.map(ClassId);
            let count = take_number(bytes)?;
            // Each takes a byte at least.
            if count > bytes.len() as u64 {
                return None;
            }
            let interfaces = (0..count).map(|_| take_u32(bytes).map(ClassId));
            let class = Class {
                name,
                interface,
                superclass,
                interfaces: interfaces.collect::<Option<_>>()?,
                bytes: take_option(bytes)?,
            };
            dictionary.classes.push(class);
        }
        METHOD => {
            let class = ClassId(take_u32(bytes)?);
            dictionary.classes.get(class.index())?;
            let method = Method {
                class,
                name: take_text(bytes)?,
                descriptor: take_text(bytes)?,
                flags: Flags::from_bits(take_number(bytes)? as u8),
                bytes: take_option(bytes)?,
                instructions: take_option(bytes)?,
            };
            dictionary.methods.push(method);
        }
        KIND => {
            let kind = Kind {
                receiver: ClassId(take_u32(bytes)?),
                method: MethodId(take_u32(bytes)?),
            };
            dictionary.classes.get(kind.receiver.index())?;
            dictionary.methods.get(kind.method.index())?;
            dictionary.kinds.push(kind);
        }
        THREAD => {
            let thread = ThreadId(take_number(bytes)?);
            dictionary.threads.insert(thread, take_text(bytes)?);
        }
        _ => return None,
    }
    Some(())
}

fn take_byte(bytes: &mut &[u8]) -> Option<u8> {
    let (&byte, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(byte)
}

fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    u32::try_from(take_number(bytes)?).ok()
}

/// A number plus one; the outer option is whether there is one.
#[expect(
    clippy::option_option,
    reason = "damaged and unknown are different things"
)]
fn take_option(bytes: &mut &[u8]) -> Option<Option<u32>> {
    match take_number(bytes)?.checked_sub(1) {
        None => Some(None),
        Some(value) => u32::try_from(value).ok().map(Some),
    }
}

fn take_text(bytes: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(take_number(bytes)?).ok()?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    String::from_utf8(text.to_vec()).ok()
}
