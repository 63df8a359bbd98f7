//! Where a thread left Java for the JVM.
//!
//! Code that calls the JVM notes the top of its stack in an anchor of its thread. The interpreter notes no more than that; HotSpot completes
//! the anchor when somebody walks the stack in the ordinary way, and `AsyncGetCallTrace`, which is not ordinary, gives up: linking,
//! loading and slow paths of interpreted code would have no stack. The address that is missing lies on the stack, below the noted top.
//!
//! Where an anchor lies in a thread is told by the table that HotSpot has for debuggers (`vmStructs.hpp`), which every release exports.

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

use pricetag_profile::State;

use super::code;
use crate::jvm::{Jni, Jvmti};

/// Offsets, in bytes.
#[derive(Clone, Copy)]
struct Layout {
    /// From a thread of HotSpot's to the JNI environment in it.
    environment: usize,
    /// From there to the anchor's top of the stack, and to its address in the code.
    top: usize,
    pc: usize,
}

static LAYOUT: OnceLock<Layout> = OnceLock::new();

/// Finds out where anchors lie; where that is not told, stacks are walked without them. `symbol` finds a symbol of the JVM's library.
pub fn prepare(jvmti: Jvmti, jni: Jni, symbol: &dyn Fn(&CStr) -> Option<*mut c_void>) {
    let layout = || {
        let structs = Structs::of(symbol)?;
        let anchor = structs.offset(c"JavaThread", c"_anchor")?;
        let thread = jvmti.current_thread()?;
        let class = jni.class_of(thread);
        let field = jni.field(class, c"eetop", c"J");
        jni.clear_exception();
        let address = field.map(|field| jni.long_field(thread, field) as usize);
        jni.delete_local(class);
        jni.delete_local(thread);
        Some(Layout {
            environment: (jni.raw() as usize).checked_sub(address?)?,
            top: anchor + structs.offset(c"JavaFrameAnchor", c"_last_Java_sp")?,
            pc: anchor + structs.offset(c"JavaFrameAnchor", c"_last_Java_pc")?,
        })
    };
    if let Some(layout) = layout() {
        let _ = LAYOUT.set(layout);
    }
}

/// Asks with the anchor of the current thread completed, which is put back as it was, and says whether the interpreter left it so; none if it is
/// complete, or nothing completes it.
///
/// # Safety
/// `environment` is that of the current thread, which is interrupted by our signal.
pub unsafe fn completed<T>(environment: *mut c_void, ask: impl FnOnce() -> T) -> Option<(T, bool)> {
    let layout = LAYOUT.get()?;
    let thread = (environment as usize).checked_sub(layout.environment)?;
    // SAFETY: the fields of the current thread, which does not run; below a top that is noted lies the stack of the JVM's code.
    unsafe {
        let top = *((thread + layout.top) as *const usize);
        let pc = (thread + layout.pc) as *mut usize;
        if top == 0 || !top.is_multiple_of(8) || *pc != 0 {
            return None;
        }
        let address = *((top - 8) as *const usize);
        if !code::is_generated(address) {
            return None;
        }
        *pc = address;
        let answer = ask();
        *pc = 0;
        Some((answer, code::state(address) == State::Interpreted))
    }
}

/// Whether the current thread has left Java for the JVM in the ordinary way, as it does to link something. Code that compiled methods call without
/// leaving, such as what a collector wants done at assignments, notes nothing. Taken for true where anchors are not found.
///
/// # Safety
/// `environment` is that of the current thread.
pub unsafe fn is_noted(environment: *mut c_void) -> bool {
    let thread = |layout: &Layout| (environment as usize).checked_sub(layout.environment);
    LAYOUT.get().is_none_or(|layout| {
        // SAFETY: a field of the current thread.
        thread(layout).is_none_or(|thread| unsafe { *((thread + layout.top) as *const usize) != 0 })
    })
}

/// The table for debuggers.
struct Structs {
    first: usize,
    stride: usize,
    class: usize,
    field: usize,
    offset: usize,
}

impl Structs {
    fn of(symbol: &dyn Fn(&CStr) -> Option<*mut c_void>) -> Option<Self> {
        // SAFETY: each symbol is a variable of HotSpot's of eight bytes.
        let number = |name: &CStr| symbol(name).map(|at| unsafe { *at.cast::<u64>() } as usize);
        Some(Self {
            first: number(c"gHotSpotVMStructs").filter(|first| *first != 0)?,
            stride: number(c"gHotSpotVMStructEntryArrayStride").filter(|stride| *stride >= 8)?,
            class: number(c"gHotSpotVMStructEntryTypeNameOffset")?,
            field: number(c"gHotSpotVMStructEntryFieldNameOffset")?,
            offset: number(c"gHotSpotVMStructEntryOffsetOffset")?,
        })
    }

    /// Where a field lies in its class.
    fn offset(&self, class: &CStr, field: &CStr) -> Option<usize> {
        (0..)
            .map(|n| self.first + n * self.stride)
            .find_map(|entry| {
                // SAFETY: the table ends with an entry without names; the names are constants of HotSpot's.
                unsafe {
                    let name = |at: usize| *((entry + at) as *const *const c_char);
                    let (owner, own) = (name(self.class), name(self.field));
                    if owner.is_null() || own.is_null() {
                        return Some(None);
                    }
                    let same = CStr::from_ptr(owner) == class && CStr::from_ptr(own) == field;
                    same.then(|| Some(*((entry + self.offset) as *const u64) as usize))
                }
            })?
    }
}
