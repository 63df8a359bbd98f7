//! Layout of assembled code: how far each jump reaches, and the bytes.
//!
//! Jumps start short. A `goto` or `jsr` that cannot reach becomes `goto_w` or `jsr_w`. A conditional branch that cannot reach goes to an
//! *island*, a `goto_w` at a place within reach that nothing falls into ([`Assembler::gap`]): inverting the branch instead, as
//! compilers do, would need a stack map frame behind it that only type inference could make, whereas an island's frame is
//! that of its target. Widening is repeated until nothing changes; sizes only grow, so it ends (Szymanski 1978,
//! "Assembling code for machines with span-dependent instructions", in its simple non-optimal form).

use std::iter;

use crate::ClassFileError;
use crate::assemble::{Assembler, ISLAND, Keys, Kind, Label, Reach};
use crate::opcode;

/// Islands are chosen this near, so that later growth seldom puts them out of reach.
const ISLAND_REACH: u32 = 30_000;

impl Assembler {
    /// Lays the code out.
    pub fn finish(mut self) -> Result<Assembled, ClassFileError> {
        let mut layout = self.lay_out();
        // Shorter code has no distance that could be too far; longer code cannot become short enough again.
        while (0x8000..=0xFFFF).contains(&layout.length) && self.widen(&layout)? {
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
                opcode::GOTO | opcode::JSR => Reach::Far,
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
                    opcode,
                    target,
                    reach: Reach::Far,
                } => {
                    let calls = *opcode == opcode::JSR;
                    code.push(if calls { opcode::JSR_W } else { opcode::GOTO_W });
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
    pub fn without_islands(&self, start: Label, end: Label) -> impl Iterator<Item = (u16, u16)> {
        let (start, end) = (self.offset(start), self.offset(end));
        let islands = self.islands.iter().map(|(at, _)| *at);
        let inside = islands.filter(move |at| (start..end).contains(at));
        let ends = inside.clone().chain([end]);
        let starts = iter::once(start).chain(inside.map(|at| at + ISLAND));
        let pieces = starts.zip(ends).filter(|(from, to)| from < to);
        pieces.map(|(from, to)| (from as u16, to as u16))
    }
}
