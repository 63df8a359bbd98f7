//! Where generated code lies, so that the place at which a thread was interrupted tells what it was executing.

use std::ffi::CStr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pricetag_profile::State;

use crate::session::lock;

/// A range of addresses that grows.
struct Range {
    from: AtomicUsize,
    to: AtomicUsize,
}

impl Range {
    const fn empty() -> Self {
        Self {
            from: AtomicUsize::new(usize::MAX),
            to: AtomicUsize::new(0),
        }
    }

    fn include(&self, from: usize, length: usize) {
        self.from.fetch_min(from, Ordering::Relaxed);
        self.to.fetch_max(from + length, Ordering::Relaxed);
    }

    fn is_empty(&self) -> bool {
        self.to.load(Ordering::Relaxed) == 0
    }

    fn is_near(&self, from: usize, to: usize) -> bool {
        from <= self.to.load(Ordering::Relaxed) + APART
            && self.from.load(Ordering::Relaxed) <= to + APART
    }

    fn holds(&self, pc: usize) -> bool {
        self.from.load(Ordering::Relaxed) <= pc && pc < self.to.load(Ordering::Relaxed)
    }
}

/// The interpreter's code.
static INTERPRETER: Range = Range::empty();
/// All generated code: one region of memory, whatever is in between.
static GENERATED: Range = Range::empty();
/// The JVM's own library.
static JVM: Range = Range::empty();
/// Code that HotSpot generates for itself: what it has generated in a row is one range.
static STUBS: [Range; 256] = [const { Range::empty() }; 256];
/// Who adds to [`STUBS`]; handlers of signals read them without it.
static ADDS: Mutex<()> = Mutex::new(());
/// Bytes between two stubs that were generated in a row: no compiled method fits in between.
const APART: usize = 64;

/// The JVM tells of a compiled method.
pub fn compiled(address: usize, length: usize) {
    GENERATED.include(address, length);
}

/// The JVM tells of other generated code.
pub fn generated(name: &CStr, address: usize, length: usize) {
    GENERATED.include(address, length);
    if name.to_bytes() == b"Interpreter" {
        INTERPRETER.include(address, length);
        return;
    }
    let _adds = lock(&ADDS);
    let near = STUBS
        .iter()
        .find(|stubs| stubs.is_empty() || stubs.is_near(address, address + length));
    if let Some(stubs) = near {
        stubs.include(address, length);
    }
}

/// Whether HotSpot generated the code at this address for itself. Handlers of signals may ask.
pub fn is_stub(pc: usize) -> bool {
    let known = STUBS.iter().take_while(|stubs| !stubs.is_empty());
    known.into_iter().any(|stubs| stubs.holds(pc))
}

/// Whether generated code lies at this address.
pub fn is_generated(pc: usize) -> bool {
    GENERATED.holds(pc)
}

/// The JVM's library is here.
pub fn library(from: usize, length: usize) {
    JVM.include(from, length);
}

/// What a thread executes at this address.
pub fn state(pc: usize) -> State {
    if INTERPRETER.holds(pc) {
        State::Interpreted
    } else if GENERATED.holds(pc) {
        State::Compiled
    } else if JVM.holds(pc) {
        State::Runtime
    } else {
        State::Native
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_between_stubs_is_none() {
        // As HotSpot tells them: the newest first, and others later.
        for (address, length) in [
            (0x1200, 0x40),
            (0x1100, 0xe0),
            (0x9000, 0x20),
            (0x9030, 0x10),
        ] {
            generated(c"stub", address, length);
        }
        generated(c"Interpreter", 0x4000, 0x1000);
        let is = [0x1100, 0x11f0, 0x123f, 0x9000, 0x903f].map(is_stub);
        assert_eq!(is, [true; 5]);
        let is = [0x10ff, 0x1240, 0x2000, 0x4100, 0x8fff, 0x9040].map(is_stub);
        assert_eq!(is, [false; 6]);
    }
}
