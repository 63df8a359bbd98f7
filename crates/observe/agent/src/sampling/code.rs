//! Where generated code lies, so that the place at which a thread was interrupted tells what it was executing.

use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};

use pricetag_profile::State;

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

/// The JVM tells of a compiled method.
pub fn compiled(address: usize, length: usize) {
    GENERATED.include(address, length);
}

/// The JVM tells of other generated code.
pub fn generated(name: &CStr, address: usize, length: usize) {
    GENERATED.include(address, length);
    if name.to_bytes() == b"Interpreter" {
        INTERPRETER.include(address, length);
    }
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
