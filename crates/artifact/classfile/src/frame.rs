//! Stack map frames: decoded to full form, written compressed (JVMS §4.7.4).

use crate::ClassFileError;
use crate::class::{ACC_STATIC, Attribute};
use crate::cursor::Cursor;
use crate::descriptor;
use std::ops::Range;

/// What the verifier knows of a local variable or stack entry. `long` and `double` take one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerificationType {
    /// Unusable.
    Top,
    /// `int` and its like.
    Integer,
    /// `float`.
    Float,
    /// `double`, two slots.
    Double,
    /// `long`, two slots.
    Long,
    /// The type of `null`.
    Null,
    /// `this` of a constructor that has not called another yet.
    UninitializedThis,
    /// A class or array type, by index into the constant pool.
    Object(u16),
    /// What the `new` at this offset made, not yet initialised.
    Uninitialized(u16),
}

impl VerificationType {
    /// Slots it takes.
    pub fn slots(self) -> u16 {
        if matches!(self, Self::Long | Self::Double) {
            2
        } else {
            1
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Top => out.push(0),
            Self::Integer => out.push(1),
            Self::Float => out.push(2),
            Self::Double => out.push(3),
            Self::Long => out.push(4),
            Self::Null => out.push(5),
            Self::UninitializedThis => out.push(6),
            Self::Object(index) => {
                out.push(7);
                out.extend(index.to_be_bytes());
            }
            Self::Uninitialized(pc) => {
                out.push(8);
                out.extend(pc.to_be_bytes());
            }
        }
    }
}

/// A frame in full form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The instruction it holds at.
    pub pc: u16,
    /// Local variables from slot 0; what is missing at the end is unusable.
    pub locals: &'a [VerificationType],
    /// Operand stack, bottom first.
    pub stack: &'a [VerificationType],
}

/// All frames of a method, ascending by offset. Frames with equal locals share them.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    types: Vec<VerificationType>,
    frames: Vec<(u16, Range<u32>, Range<u32>)>,
}

impl Frames {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// The frame at `index`, counted from 0.
    pub fn get(&self, index: usize) -> Option<Frame<'_>> {
        let (pc, locals, stack) = self.frames.get(index)?;
        let types = |range: &Range<u32>| &self.types[range.start as usize..range.end as usize];
        Some(Frame {
            pc: *pc,
            locals: types(locals),
            stack: types(stack),
        })
    }

    /// The index of the frame at an instruction.
    pub fn find(&self, pc: u16) -> Option<usize> {
        self.frames.binary_search_by_key(&pc, |frame| frame.0).ok()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = Frame<'_>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }
}

/// The locals at a method's entry. `class_index` gives the constant of an object type, by internal name.
///
/// None if `descriptor` is no method descriptor.
pub fn initial_locals<E>(
    access: u16,
    method: &str,
    descriptor: &str,
    class: &str,
    mut class_index: impl FnMut(&str) -> Result<u16, E>,
) -> Result<Option<Vec<VerificationType>>, E> {
    let Some((parameters, _)) = descriptor::split(descriptor) else {
        return Ok(None);
    };
    let mut locals = Vec::with_capacity(parameters.len() + 1);
    if access & ACC_STATIC == 0 {
        let is_constructor = method == "<init>" && class != "java/lang/Object";
        locals.push(if is_constructor {
            VerificationType::UninitializedThis
        } else {
            VerificationType::Object(class_index(class)?)
        });
    }
    for parameter in parameters {
        locals.push(match parameter.as_bytes()[0] {
            b'J' => VerificationType::Long,
            b'D' => VerificationType::Double,
            b'F' => VerificationType::Float,
            b'L' => VerificationType::Object(class_index(&parameter[1..parameter.len() - 1])?),
            b'[' => VerificationType::Object(class_index(parameter)?),
            _ => VerificationType::Integer,
        });
    }
    Ok(Some(locals))
}

/// Reads a `StackMapTable`.
pub(crate) fn decode(
    attribute: &Attribute<'_>,
    initial: &[VerificationType],
    code_length: usize,
) -> Result<Frames, ClassFileError> {
    let what = "a stack map frame";
    let mut cursor = Cursor::new(attribute.bytes, attribute.offset);
    let count = cursor.u16(what)?;
    let mut frames = Frames {
        types: Vec::with_capacity(initial.len() + attribute.bytes.len()),
        frames: Vec::with_capacity(usize::from(count).min(attribute.bytes.len())),
    };
    frames.types.extend_from_slice(initial);
    let mut locals = 0..initial.len() as u32;
    let mut next_pc = 0_u32;
    for _ in 0..count {
        let kind = cursor.u8(what)?;
        let delta = match kind {
            0..=63 => u16::from(kind),
            64..=127 => u16::from(kind - 64),
            128..=246 => return Err(cursor.malformed("unknown kind of stack map frame")),
            247..=255 => cursor.u16(what)?,
        };
        let pc = next_pc + u32::from(delta);
        if pc as usize >= code_length {
            return Err(cursor.malformed("stack map frame behind the code"));
        }
        next_pc = pc + 1;
        let stack = frames.read_frame(kind, &mut locals, &mut cursor)?;
        frames.frames.push((pc as u16, locals.clone(), stack));
    }
    if !cursor.is_at_end() {
        return Err(cursor.malformed("bytes behind the stack map frames"));
    }
    Ok(frames)
}

impl Frames {
    /// Reads what follows the offset of a frame: updates `locals`, returns the stack.
    fn read_frame(
        &mut self,
        kind: u8,
        locals: &mut Range<u32>,
        cursor: &mut Cursor<'_>,
    ) -> Result<Range<u32>, ClassFileError> {
        let what = "a stack map frame";
        match kind {
            64..=127 | 247 => return self.read_types(1, cursor),
            248..=250 => {
                let chopped = 251 - u32::from(kind);
                if chopped > locals.len() as u32 {
                    return Err(
                        cursor.malformed("stack map frame chops more locals than there are")
                    );
                }
                *locals = locals.start..locals.end - chopped;
            }
            252..=254 => {
                let start = self.types.len() as u32;
                self.types
                    .extend_from_within(locals.start as usize..locals.end as usize);
                *locals = start..self.read_types(u16::from(kind - 251), cursor)?.end;
            }
            255 => {
                let count = cursor.u16(what)?;
                *locals = self.read_types(count, cursor)?;
                let count = cursor.u16(what)?;
                return self.read_types(count, cursor);
            }
            _ => {}
        }
        Ok(0..0)
    }

    fn read_types(
        &mut self,
        count: u16,
        cursor: &mut Cursor<'_>,
    ) -> Result<Range<u32>, ClassFileError> {
        let what = "a verification type";
        let start = self.types.len() as u32;
        for _ in 0..count {
            self.types.push(match cursor.u8(what)? {
                0 => VerificationType::Top,
                1 => VerificationType::Integer,
                2 => VerificationType::Float,
                3 => VerificationType::Double,
                4 => VerificationType::Long,
                5 => VerificationType::Null,
                6 => VerificationType::UninitializedThis,
                7 => VerificationType::Object(cursor.u16(what)?),
                8 => VerificationType::Uninitialized(cursor.u16(what)?),
                _ => return Err(cursor.malformed("unknown verification type")),
            });
        }
        Ok(start..self.types.len() as u32)
    }
}

/// Writes the contents of a `StackMapTable`, each frame in its shortest form.
#[derive(Clone, Debug)]
pub struct FrameWriter {
    out: Vec<u8>,
    count: u16,
    previous_pc: Option<u16>,
    /// None before the first frame if the locals at entry are not known.
    previous_locals: Option<Vec<VerificationType>>,
}

impl FrameWriter {
    /// Starts a table of about so many frames for a method whose locals at entry are `initial`. If they are not known, the first frame
    /// is written in full.
    pub fn new(initial: Option<Vec<VerificationType>>, frames: usize) -> Self {
        let mut out = Vec::with_capacity(16 * frames + 2);
        out.extend([0, 0]);
        Self {
            out,
            count: 0,
            previous_pc: None,
            previous_locals: initial,
        }
    }

    /// Adds a frame. Frames come in ascending order of offset, at most one per offset.
    pub fn push(&mut self, pc: u16, locals: &[VerificationType], stack: &[VerificationType]) {
        let delta = match self.previous_pc {
            None => pc,
            Some(previous) => pc.saturating_sub(previous).saturating_sub(1),
        };
        self.count += 1;
        self.previous_pc = Some(pc);
        let known = self.previous_locals.as_deref();
        let common = known.map_or(0, |known| {
            known.iter().zip(locals).take_while(|(a, b)| a == b).count()
        });
        // More than three of either can only be written in full.
        let (added, removed) = known.map_or((4, 4), |known| {
            (locals.len() - common, known.len() - common)
        });
        match (stack, added, removed) {
            ([], 0, 0) if delta < 64 => self.out.push(delta as u8),
            ([], 0, 0..=3) => self.out.push(251 - removed as u8),
            ([], 1..=3, 0) => self.out.push(251 + added as u8),
            ([_], 0, 0) if delta < 64 => self.out.push(64 + delta as u8),
            ([_], 0, 0) => self.out.push(247),
            _ => self.out.push(255),
        }
        if self.out.last().is_some_and(|kind| *kind >= 247) {
            self.out.extend(delta.to_be_bytes());
        }
        match (stack, added, removed) {
            ([], 0, 0..=3) => {}
            ([], 1..=3, 0) => write_types(&locals[common..], &mut self.out),
            ([one], 0, 0) => one.write(&mut self.out),
            _ => {
                self.out.extend((locals.len() as u16).to_be_bytes());
                write_types(locals, &mut self.out);
                self.out.extend((stack.len() as u16).to_be_bytes());
                write_types(stack, &mut self.out);
            }
        }
        if added + removed > 0 {
            let previous = self.previous_locals.get_or_insert_default();
            previous.clear();
            previous.extend_from_slice(locals);
        }
    }

    /// The attribute's contents; none without a frame.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        self.out[..2].copy_from_slice(&self.count.to_be_bytes());
        (self.count > 0).then_some(self.out)
    }
}

fn write_types(types: &[VerificationType], out: &mut Vec<u8>) {
    for kind in types {
        kind.write(out);
    }
}
