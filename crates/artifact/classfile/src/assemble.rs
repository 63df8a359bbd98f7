//! An assembler with labels: straight code is copied, jumps and switches are laid out last.
//!
//! Jumps start short. A `goto` that cannot reach becomes `goto_w`. A conditional branch that cannot reach goes to an
//! *island*, a `goto_w` at a place within reach that nothing falls into ([`Assembler::gap`]): inverting the branch instead, as
//! compilers do, would need a stack map frame behind it that only type inference could make, whereas an island's frame is
//! that of its target. Widening is repeated until nothing changes; sizes only grow, so it ends (Szymanski 1978,
//! "Assembling code for machines with span-dependent instructions", in its simple non-optimal form).

use crate::ClassFileError;
use crate::append::PoolAppender;
use crate::opcode;

/// A place in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u32);

impl Label {
    /// Number of the label, in order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a label is bound: behind so many bytes of straight code and so many specials.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: u32,
    specials: u32,
}

const UNBOUND: Place = Place {
    at: u32::MAX,
    specials: 0,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Near,
    Far,
    /// Through island number `.1` of the gap that is special number `.0`.
    Island(u32, u32),
}

#[derive(Clone, Debug)]
enum Kind {
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
struct Special {
    at: u32,
    kind: Kind,
}

const ISLAND: u32 = 5;
/// Islands are chosen this near, so that later growth seldom puts them out of reach.
const ISLAND_REACH: u32 = 30_000;

impl Special {
    fn size(&self, start: u32) -> u32 {
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
    bytes: Vec<u8>,
    specials: Vec<Special>,
    labels: Vec<Place>,
}

impl Assembler {
    /// Starts empty code with `labels` labels that are not bound yet, numbered from 0, and room for `bytes` bytes.
    pub fn new(labels: usize, bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            specials: Vec::new(),
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

    /// Appends a branch; `goto_w` is written as `goto` where that suffices. Subroutine jumps are not supported.
    pub fn jump(&mut self, opcode: u8, target: Label) {
        let opcode = if opcode == opcode::GOTO_W {
            opcode::GOTO
        } else {
            opcode
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

    /// Lays the code out.
    pub fn finish(mut self) -> Result<Assembled, ClassFileError> {
        let mut layout = self.lay_out();
        // Shorter code has no distance that could be too far.
        while layout.length > 0x7FFF && self.widen(&layout)? {
            layout = self.lay_out();
        }
        let limit = usize::from(u16::MAX);
        if layout.length as usize > limit {
            return Err(ClassFileError::Limit {
                what: "the length of a method's code",
                value: layout.length as usize,
                limit,
            });
        }
        Ok(self.emit(&layout))
    }

    fn lay_out(&self) -> Layout {
        let mut shifts = Vec::with_capacity(self.specials.len() + 1);
        let mut shift = 0;
        for special in &self.specials {
            shifts.push(shift);
            shift += special.size(special.at + shift);
        }
        shifts.push(shift);
        Layout {
            shifts,
            length: self.bytes.len() as u32 + shift,
        }
    }

    fn start(&self, special: usize, layout: &Layout) -> u32 {
        self.specials[special].at + layout.shifts[special]
    }

    fn offset(&self, label: Label, layout: &Layout) -> u32 {
        let place = self.labels[label.index()];
        if place.at == u32::MAX {
            0
        } else {
            place.at + layout.shifts[place.specials as usize]
        }
    }

    /// Where a jump goes directly: its target or its island.
    fn destination(&self, target: Label, reach: Reach, layout: &Layout) -> u32 {
        match reach {
            Reach::Island(gap, slot) => self.start(gap as usize, layout) + ISLAND * slot,
            _ => self.offset(target, layout),
        }
    }

    /// Widens every jump that cannot reach; tells whether there was one.
    fn widen(&mut self, layout: &Layout) -> Result<bool, ClassFileError> {
        let mut changed = false;
        for index in 0..self.specials.len() {
            let Kind::Jump {
                opcode,
                target,
                reach,
            } = self.specials[index].kind
            else {
                continue;
            };
            let start = self.start(index, layout);
            let distance = i64::from(self.destination(target, reach, layout)) - i64::from(start);
            if reach == Reach::Far || i16::try_from(distance).is_ok() {
                continue;
            }
            changed = true;
            let reach = match opcode {
                opcode::GOTO => Reach::Far,
                _ => self.island(start, target, layout)?,
            };
            self.specials[index].kind = Kind::Jump {
                opcode,
                target,
                reach,
            };
        }
        Ok(changed)
    }

    /// Finds or makes an island for `target` near the branch at `start`.
    fn island(
        &mut self,
        start: u32,
        target: Label,
        layout: &Layout,
    ) -> Result<Reach, ClassFileError> {
        let mut nearest: Option<(u32, usize)> = None;
        for index in 0..self.specials.len() {
            let Kind::Gap { islands } = &self.specials[index].kind else {
                continue;
            };
            let distance = self.start(index, layout).abs_diff(start);
            if distance > ISLAND_REACH {
                continue;
            }
            if let Some(slot) = islands.iter().position(|island| *island == target) {
                return Ok(Reach::Island(index as u32, slot as u32));
            }
            if nearest.is_none_or(|(best, _)| distance < best) {
                nearest = Some((distance, index));
            }
        }
        let (_, gap) = nearest.ok_or(ClassFileError::NoIsland { pc: start })?;
        let Kind::Gap { islands } = &mut self.specials[gap].kind else {
            unreachable!("only gaps are candidates")
        };
        islands.push(target);
        Ok(Reach::Island(gap as u32, islands.len() as u32 - 1))
    }

    fn emit(&self, layout: &Layout) -> Assembled {
        let mut code = Vec::with_capacity(layout.length as usize);
        let mut islands = Vec::new();
        let mut done = 0;
        for (index, special) in self.specials.iter().enumerate() {
            code.extend_from_slice(&self.bytes[done..special.at as usize]);
            done = special.at as usize;
            let start = self.start(index, layout);
            let distance =
                |label: Label| self.offset(label, layout).wrapping_sub(start).to_be_bytes();
            match &special.kind {
                Kind::Jump {
                    target,
                    reach: Reach::Far,
                    ..
                } => {
                    code.push(opcode::GOTO_W);
                    code.extend(distance(*target));
                }
                Kind::Jump {
                    opcode,
                    target,
                    reach,
                } => {
                    let [.., high, low] = self
                        .destination(*target, *reach, layout)
                        .wrapping_sub(start)
                        .to_be_bytes();
                    code.extend([*opcode, high, low]);
                }
                Kind::Gap { islands: here } => {
                    for target in here {
                        let at = code.len() as u32;
                        islands.push((at, *target));
                        code.push(opcode::GOTO_W);
                        code.extend(self.offset(*target, layout).wrapping_sub(at).to_be_bytes());
                    }
                }
                Kind::Switch {
                    keys,
                    default,
                    targets,
                } => {
                    emit_switch(
                        &mut code,
                        keys,
                        distance(*default),
                        targets.iter().map(|target| distance(*target)),
                    );
                }
            }
        }
        code.extend_from_slice(&self.bytes[done..]);
        let labels = (0..self.labels.len())
            .map(|index| self.offset(Label(index as u32), layout))
            .collect();
        Assembled {
            code,
            labels,
            islands,
        }
    }
}

fn emit_switch(
    code: &mut Vec<u8>,
    keys: &Keys,
    default: [u8; 4],
    targets: impl ExactSizeIterator<Item = [u8; 4]>,
) {
    code.push(if matches!(keys, Keys::From(_)) {
        opcode::TABLESWITCH
    } else {
        opcode::LOOKUPSWITCH
    });
    code.resize(code.len().next_multiple_of(4), 0);
    code.extend(default);
    match keys {
        Keys::From(low) => {
            code.extend(low.to_be_bytes());
            code.extend(low.wrapping_add(targets.len() as i32 - 1).to_be_bytes());
            code.extend(targets.flatten());
        }
        Keys::Each(keys) => {
            code.extend((targets.len() as u32).to_be_bytes());
            for (key, target) in keys.iter().zip(targets) {
                code.extend(key.to_be_bytes());
                code.extend(target);
            }
        }
    }
}

struct Layout {
    /// Bytes that specials before special number `i` take; one more entry for the end.
    shifts: Vec<u32>,
    length: u32,
}

/// Finished code.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// The bytes.
    pub code: Vec<u8>,
    labels: Vec<u32>,
    islands: Vec<(u32, Label)>,
}

impl Assembled {
    /// Where a label ended up; 0 if it was never bound.
    pub fn offset(&self, label: Label) -> u32 {
        self.labels[label.index()]
    }

    /// Where the label of that number ended up; 0 if there is none.
    pub fn numbered(&self, index: usize) -> u32 {
        self.labels.get(index).copied().unwrap_or_default()
    }

    /// Intermediate jumps, ascending: where each stands and where it goes. Each needs a frame equal to its target's.
    pub fn islands(&self) -> &[(u32, Label)] {
        &self.islands
    }

    /// The pieces of the code from `start` to `end` without the islands in between. Exception ranges must not cover
    /// islands: the frame there is the target's and need not suit the handler.
    pub fn without_islands(&self, start: Label, end: Label) -> Vec<(u16, u16)> {
        let (first, end) = (self.offset(start), self.offset(end));
        let mut from = first;
        let mut pieces = Vec::new();
        let mut add = |from: u32, to: u32| {
            if from < to {
                pieces.push((from as u16, to as u16));
            }
        };
        for (at, _) in self
            .islands
            .iter()
            .filter(|(at, _)| (first..end).contains(at))
        {
            add(from, *at);
            from = at + ISLAND;
        }
        add(from, end);
        pieces
    }
}
