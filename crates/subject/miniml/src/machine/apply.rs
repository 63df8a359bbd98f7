//! Calls: known ones go straight to the code; others look at the closure, and make or take apart partial applications.

use super::heap::{self, int, word};
use super::{At, Frame, Interrupt, Machine};

/// Calls in calls that are many.
const DEEP: usize = 1 << 14;
/// How often such calls are added up in an item: a program may go up and down there.
const SUMS: u32 = 20_000;
/// Bytes of a call that is none of a function of the program.
const FRAME: u64 = 32;

impl Machine<'_> {
    #[inline]
    pub(super) fn enter(&mut self, at: At) -> Result<(), Interrupt> {
        let region = self.region;
        self.push_frame(Frame {
            pc: at.pc as u32,
            base: at.base,
            more: 0,
            region,
            old: false,
        })
    }

    /// A call begins, which returns to what the frame says.
    #[inline]
    fn push_frame(&mut self, frame: Frame) -> Result<(), Interrupt> {
        if self.bounds.native {
            self.predictor.enter();
        }
        self.frames.push(frame);
        if self.frames.len().is_multiple_of(DEEP) {
            self.deepen()?;
        }
        Ok(())
    }

    /// There are many calls, so there may be many more: room is asked for at once, since growing step by step copies, and touches all that it copies to.
    /// Only what is used becomes memory.
    #[cold]
    fn deepen(&mut self) -> Result<(), Interrupt> {
        // Without it they grow as far as they can.
        let _ = self.frames.try_reserve(64 * DEEP);
        let _ = self.stack.try_reserve(256 * DEEP);
        if self.bounds.native && self.summed < SUMS {
            self.summed += 1;
            let below = self.frames.len() / DEEP - 1;
            self.depths.truncate(below);
            let last = self.frames[below * DEEP..].iter();
            let bytes: u64 = last
                .map(|frame| {
                    let own = self.frame_bytes.get(frame.pc as usize);
                    own.filter(|_| frame.more == 0)
                        .map_or(FRAME, |b| u64::from(*b))
                })
                .sum();
            let all = self.depths.last().copied().unwrap_or(0) + bytes;
            self.depths.push(all);
            self.deepest = self.deepest.max(all);
        }
        self.check_memory()
    }

    /// The `n` words on top take the place of the frame.
    #[inline]
    pub(super) fn replace(&mut self, n: usize, base: usize) {
        let from = self.stack.len() - n;
        self.stack.copy_within(from.., base);
        self.stack.truncate(base + n);
    }

    /// Goes to the code of `acc`, which takes the `n` words on top.
    #[inline]
    pub(super) fn jump(&mut self, n: usize) -> At {
        let id = word(self.heap.field(self.acc, 0)) as usize;
        let base = self.stack.len() - n;
        self.stack.push(self.acc);
        let function = self.code.functions[id];
        if function.region != 0 {
            let entries = &mut self.entries[function.region as usize];
            if self.region == function.region {
                entries.again += 1;
            } else {
                if entries.first == 0 {
                    self.begun.push(function.region);
                }
                entries.first += 1;
                self.region = function.region;
            }
        }
        At {
            pc: function.entry as usize,
            base,
        }
    }

    /// `acc` becomes a function that holds the `n` words on top.
    pub(super) fn partial(&mut self, tag: u8, n: usize) -> Result<(), Interrupt> {
        self.room(n + 2)?;
        let from = self.stack.len() - n;
        self.acc = self.heap.block_forward(tag, self.acc, &self.stack[from..]);
        self.stack.truncate(from);
        Ok(())
    }

    /// Counts a call of `acc` by the code before `pc` if both are of one `fun`: what is called was found in what is running.
    #[inline]
    pub(super) fn follow(&mut self, pc: usize) {
        if self.bounds.native && self.heap.has_tag(self.acc, heap::CLOSURE) {
            let id = word(self.heap.field(self.acc, 0)) as usize;
            let function = self.code.functions[id];
            let call = pc as u32 - 1;
            if function.region == 0 && (function.entry..function.end).contains(&call) {
                self.missed[self.region as usize].closures += 1;
            }
        }
    }

    /// Applies `acc` to the `n` words on top; the frame on top says what comes after.
    pub(super) fn apply(&mut self, mut n: usize, base: usize) -> Result<At, Interrupt> {
        let mut held = 0;
        loop {
            while self.heap.has_tag(self.acc, heap::PARTIAL)
                || self.heap.has_tag(self.acc, heap::KNOWN_PARTIAL)
            {
                held = self.heap.size(self.acc) - 1;
                for i in 1..=held {
                    let w = self.heap.field(self.acc, i);
                    self.stack.push(w);
                }
                n += held;
                self.acc = self.heap.field(self.acc, 0);
            }
            let function = self.code.functions[word(self.heap.field(self.acc, 0)) as usize];
            let arity = function.arity as usize;
            if n < arity {
                self.partial(heap::PARTIAL, n)?;
                if self.bounds.native {
                    let words = heap::curry_words(arity, held, n);
                    self.allocate(8 * words, base)?;
                }
                return self.leave(base);
            }
            if n > arity {
                // `caml_applyN` calls the function and jumps to what comes back only with the last argument.
                self.push_frame(Frame {
                    more: (n - arity) as u32,
                    region: self.region,
                    ..Frame::default()
                })?;
                n = arity;
                continue;
            }
            return Ok(self.jump(n));
        }
    }

    /// Goes on where the frame on top says.
    #[inline]
    pub(super) fn leave(&mut self, base: usize) -> Result<At, Interrupt> {
        let frame = self.frames.pop().unwrap_or_default();
        self.region = frame.region;
        if self.bounds.native && self.predictor.misses_return(frame.pc as usize) {
            self.missed[self.region as usize].returns += 1;
        }
        if frame.more > 0 {
            return self.apply(frame.more as usize, base);
        }
        Ok(At {
            pc: frame.pc as usize,
            base: frame.base,
        })
    }

    pub(super) fn match_failure(&mut self, site: u32, name: &str) -> Interrupt {
        let id = self.exceptions.iter().position(|e| e == name).unwrap_or(0);
        let span = self.code.sites[site as usize];
        let (line, column) = self.lines.of(span.start);
        if self.bounds.native {
            self.allocation.young += 8 * 3;
        }
        let file = self.heap.string(self.lines.file.as_bytes());
        let detail =
            self.heap
                .block_forward(0, file, &[int(i64::from(line)), int(i64::from(column))]);
        Interrupt::Raise(self.heap.block_forward(0, int(id as i64), &[detail]))
    }
}
