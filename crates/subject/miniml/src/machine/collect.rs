//! Room on the heap, and simulated minor collections.

use super::heap::{Word, int};
use super::{Frame, Handler, Interrupt, Machine, Stop};

impl Machine<'_> {
    /// Makes room; blocks move, so words held elsewhere than in roots are stale afterwards.
    #[inline]
    pub(super) fn room(&mut self, words: usize) -> Result<(), Interrupt> {
        if self.heap.is_full(words) {
            self.make_room(words)?;
        }
        Ok(())
    }

    #[cold]
    fn make_room(&mut self, words: usize) -> Result<(), Interrupt> {
        let roots = [
            &mut self.stack[..],
            &mut self.globals,
            &mut self.constants,
            std::slice::from_mut(&mut self.acc),
        ];
        self.heap.compact(roots, words);
        self.check_memory()
    }

    pub(super) fn check_memory(&self) -> Result<(), Interrupt> {
        let calls = self.frames.len() * size_of::<Frame>() / 8;
        let handlers = self.handlers.len() * size_of::<Handler>() / 8;
        let words = self.heap.words() + self.stack.len() + calls + handlers + self.counts.words();
        if words as u64 * 8 > self.bounds.memory {
            return Err(Interrupt::Stop(Stop::Memory(self.bounds.memory)));
        }
        Ok(())
    }

    /// Accounts for bytes whose number depends on values; everything in the frame counts as live.
    pub(super) fn allocate(&mut self, bytes: u64, base: usize) -> Result<(), Interrupt> {
        self.grant(bytes);
        if self.allocation.young > self.bounds.minor_heap {
            self.minor_collection(bytes, None, base)?;
        }
        Ok(())
    }

    /// The same where nothing is collected.
    pub(super) fn grant(&mut self, bytes: u64) {
        self.allocation.young += bytes;
        self.missed[self.region as usize].allocated += bytes / 8;
    }

    /// Promotes what is reachable; `bytes` are allocated right after it. `pc` is the instruction whose live slots are known.
    #[cold]
    pub(super) fn minor_collection(
        &mut self,
        bytes: u64,
        pc: Option<usize>,
        base: usize,
    ) -> Result<(), Interrupt> {
        let old = self.forget_dead(pc, base);
        let mut roots = [
            &mut self.stack[..],
            &mut self.globals,
            &mut self.constants,
            std::slice::from_mut(&mut self.acc),
        ];
        let functions = &self.code.functions;
        let closure = |id: usize| u64::from(functions[id].words);
        let promoted = self
            .heap
            .promote(roots.each_mut().map(|r| &mut **r), old, closure);
        self.allocation.promoted += promoted.words;
        self.allocation.promoted_blocks += promoted.blocks;
        if self.allocation.collections == 0 {
            let all = self.heap.reachable(roots, closure);
            self.allocation.live = all.saturating_sub(promoted.words);
        }
        self.allocation.collections += 1;
        self.allocation.frames += self.frames.len() as u64;
        self.allocation.before += self.allocation.young - bytes;
        self.allocation.young = bytes;
        self.check_memory()
    }

    /// Overwrites what no instruction will read, so that it keeps nothing alive. Returns how many words at the bottom of the stack belong to calls that a
    /// collection before has seen: a deep stack is looked through once.
    fn forget_dead(&mut self, pc: Option<usize>, base: usize) -> usize {
        let live = |pc: usize| self.code.live.get(&(pc as u32));
        if let Some(live) = pc.and_then(live) {
            forget(&mut self.stack[base..], live);
            if live.last() == Some(&0) {
                self.acc = int(0);
            }
        }
        let mut top = base;
        for frame in self.frames.iter_mut().rev() {
            if std::mem::replace(&mut frame.old, true) {
                break;
            }
            if frame.more > 0 {
                top -= frame.more as usize;
                continue;
            }
            let live = self.code.live.get(&frame.pc.wrapping_sub(1));
            if let (Some(live), true) = (live, frame.base <= top) {
                forget(&mut self.stack[frame.base..top], live);
            }
            top = frame.base;
        }
        top
    }
}

/// Slots of a frame that are not live become an integer.
fn forget(frame: &mut [Word], live: &[u64]) {
    let words = &live[..live.len() - 1];
    for (slot, w) in frame.iter_mut().enumerate() {
        if words
            .get(slot / 64)
            .is_none_or(|bits| bits >> (slot % 64) & 1 == 0)
        {
            *w = int(0);
        }
    }
}
