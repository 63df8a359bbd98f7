//! An assembler with labels: straight code is copied, jumps and switches are laid out last.
//!
//! Layout is in [`crate::layout`].

use crate::ClassFileError;
use crate::append::PoolAppender;
use crate::opcode;

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(pub(crate) u32);

impl Label {
    /// Number of the label, in order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a label is bound: behind so many bytes of straight code and so many specials.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub at: u32,
    pub specials: u32,
}

const UNBOUND: Place = Place {
    at: u32::MAX,
    specials: 0,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    Near,
    Far,
    /// Through island number `.1` of the gap that is special number `.0`.
    Island(u32, u32),
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Jump {
        opcode: u8,
        target: Label,
        reach: Reach,
    },
    Switch {
        keys: Keys,
        default: Label,
        targets: Vec<Label>,
    },
    Gap {
        islands: Vec<Label>,
    },
}

/// The values a switch tells apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// `tableswitch`: consecutive values from this one.
    From(i32),
    /// `lookupswitch`: these values, ascending.
    Each(Vec<i32>),
}

/// What has no fixed size or bytes before layout.
#[derive(Clone, Debug)]
pub(crate) struct Special {
    pub at: u32,
    pub kind: Kind,
}

/// Length of an island.
pub(crate) const ISLAND: u32 = 5;
impl Special {
    pub(crate) fn size(&self, start: u32) -> u32 {
        match &self.kind {
            Kind::Jump {
                reach: Reach::Far, ..
            } => 5,
            Kind::Jump { .. } => 3,
            Kind::Gap { islands } => ISLAND * islands.len() as u32,
            Kind::Switch { keys, targets, .. } => {
                let head = (start + 1).next_multiple_of(4) - start;
                match keys {
                    Keys::From(_) => head + 12 + 4 * targets.len() as u32,
                    Keys::Each(_) => head + 8 + 8 * targets.len() as u32,
                }
            }
        }
    }
}

/// Code under construction.
#[derive(Clone, Debug, Default)]
pub struct Assembler {
    pub(crate) bytes: Vec<u8>,
    pub(crate) specials: Vec<Special>,
    pub(crate) labels: Vec<Place>,
}

impl Assembler {
    /// Starts empty code with `labels` labels that are not bound yet, numbered from 0, and room for `bytes` bytes and so many `jumps`, switches
    /// and gaps.
    pub fn new(labels: usize, bytes: usize, jumps: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            specials: Vec::with_capacity(jumps),
            labels: vec![UNBOUND; labels],
        }
    }

    /// The label of that number, if there is one.
    pub fn numbered(&self, index: usize) -> Option<Label> {
        (index < self.labels.len()).then_some(Label(index as u32))
    }

    /// Makes a label that is not bound yet.
    pub fn label(&mut self) -> Label {
        self.labels.push(UNBOUND);
        Label(self.labels.len() as u32 - 1)
    }

    /// Binds a label to the next instruction.
    pub fn bind(&mut self, label: Label) {
        self.labels[label.index()] = Place {
            at: self.bytes.len() as u32,
            specials: self.specials.len() as u32,
        };
    }

    /// Makes a label for the next instruction.
    pub fn here(&mut self) -> Label {
        let label = self.label();
        self.bind(label);
        label
    }

    /// Appends code that holds no jumps and no switches.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends an opcode that stands alone.
    pub fn op(&mut self, opcode: u8) {
        self.bytes.push(opcode);
    }

    /// With a `long[]` and an index on the stack, adds one to the element. Needs four words more on the way.
    pub fn increment_long(&mut self) {
        self.raw(&[
            opcode::DUP2,
            opcode::LALOAD,
            opcode::LCONST_1,
            opcode::LADD,
            opcode::LASTORE,
        ]);
    }

    /// Appends an opcode and the index of a constant.
    pub fn constant(&mut self, opcode: u8, index: u16) {
        let [high, low] = index.to_be_bytes();
        self.bytes.extend([opcode, high, low]);
    }

    /// Appends a load or store (`iload` … `aload`, `istore` … `astore`) in its shortest form.
    pub fn local(&mut self, opcode: u8, local: u16) {
        let [high, low] = local.to_be_bytes();
        let short = match opcode {
            opcode::ILOAD..=opcode::ALOAD => opcode::ILOAD_0 + 4 * (opcode - opcode::ILOAD),
            _ => opcode::ISTORE_0 + 4 * (opcode.saturating_sub(opcode::ISTORE)),
        };
        match local {
            0..4 => self.op(short + low),
            4..256 => self.bytes.extend([opcode, low]),
            _ => self.bytes.extend([opcode::WIDE, opcode, high, low]),
        }
    }

    /// Appends the load of an `int` constant in its shortest form.
    pub fn int(
        &mut self,
        number: i32,
        constants: &mut PoolAppender<'_, '_>,
    ) -> Result<(), ClassFileError> {
        let [high, low] = (number as i16).to_be_bytes();
        match number {
            -1..=5 => self.op((i32::from(opcode::ICONST_0) + number) as u8),
            -128..=127 => self.bytes.extend([opcode::BIPUSH, low]),
            -32768..=32767 => self.bytes.extend([opcode::SIPUSH, high, low]),
            _ => {
                let index = constants.integer(number)?;
                self.constant(opcode::LDC_W, index);
            }
        }
        Ok(())
    }

    fn special(&mut self, kind: Kind) {
        self.specials.push(Special {
            at: self.bytes.len() as u32,
            kind,
        });
    }

    /// Appends a branch; `goto_w` and `jsr_w` are written as `goto` and `jsr` where those suffice.
    pub fn jump(&mut self, opcode: u8, target: Label) {
        let opcode = match opcode {
            opcode::GOTO_W => opcode::GOTO,
            opcode::JSR_W => opcode::JSR,
            near => near,
        };
        self.special(Kind::Jump {
            opcode,
            target,
            reach: Reach::Near,
        });
    }

    /// Appends a switch; `targets` are parallel to the keys.
    pub fn switch(&mut self, keys: Keys, default: Label, targets: Vec<Label>) {
        self.special(Kind::Switch {
            keys,
            default,
            targets,
        });
    }

    /// Says that nothing falls through here, so islands may stand here.
    pub fn gap(&mut self) {
        self.special(Kind::Gap {
            islands: Vec::new(),
        });
    }
}
