//! Walking the stack of an interrupted thread, by HotSpot's `AsyncGetCallTrace`.
//!
//! Runs in the handler of a signal ([`super::watch`]): it allocates nothing, takes no lock and cannot panic.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use jvmti_bindings::sys::jni::{JNI_OK, JNI_VERSION_1_6, JNIEnv, JavaVM};

use super::{anchor, code, watch};
use crate::jvm::{Jni, Jvmti};
use crate::snapshot;

/// Innermost frames that are told of a stack.
pub const DEPTH: usize = 1024;
/// A frame as HotSpot writes it (`forte.cpp`).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CallFrame {
    /// Offset in the bytecode; negative for native methods.
    pub at: i32,
    /// The JVM's id of the method.
    pub method: *mut c_void,
}

#[repr(C)]
struct CallTrace {
    env: *mut JNIEnv,
    /// Frames, or why there are none.
    frames: i32,
    list: *mut CallFrame,
}

type Walk = unsafe extern "C" fn(*mut CallTrace, i32, *mut c_void);

/// From where a thread called the JVM, if that is where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// The interpreter.
    Interpreter,
    /// Compiled code, or it is not known.
    Compiled,
    /// Compiled code that did not leave Java for it: nothing is linked so.
    Within,
}

/// No thread of Java.
pub const NO_JAVA: i32 = -99;
/// Why nothing is sampled in another vendor's JVM.
const NONE: &str = "this JVM has no AsyncGetCallTrace: stacks are not sampled";
/// HotSpot finds no frame of Java where a thread runs Java (`ticks_unknown_Java`).
const UNKNOWN_JAVA: i32 = -5;
/// It finds one, but not the way on (`ticks_not_walkable_Java`).
const NOT_WALKABLE_JAVA: i32 = -6;
/// Bytes of a stub's own frame at most: tables of ciphers and digests lie there.
const LARGEST_STUB_FRAME: i64 = 8192;
/// It finds none, or not the way on, where a thread runs code of the JVM (`ticks_unknown_not_Java`, `ticks_not_walkable_not_Java`).
const UNKNOWN_NOT_JAVA: i32 = -3;
const NOT_WALKABLE: i32 = -4;

static WALK: AtomicUsize = AtomicUsize::new(0);
static VM: AtomicPtr<JavaVM> = AtomicPtr::new(null_mut());

/// Finds HotSpot's function and installs the handler.
///
/// # Errors
/// Why stacks cannot be walked in this JVM.
pub fn prepare(jvmti: Jvmti, jni: Jni) -> Result<(), &'static str> {
    let vm = snapshot::vm().ok_or("the JVM is not known")?;
    VM.store(vm, Ordering::Release);
    // SAFETY: `vm` is the JVM's, whose table lives as long as it.
    let inside = unsafe { (**vm).GetEnv as *const c_void };
    let library = Library::around(inside).ok_or(NONE)?;
    let walk = library.symbol(c"AsyncGetCallTrace").ok_or(NONE)?;
    anchor::prepare(jvmti, jni, &|name| library.symbol(name));
    WALK.store(walk as usize, Ordering::Release);
    watch::install()
        .then_some(())
        .ok_or("the system takes no handler of SIGPROF: stacks are not sampled")
}

/// The JVM's library, as the loader has it.
struct Library(*mut c_void);

impl Library {
    /// The one that holds this address; where it lies is noted.
    fn around(inside: *const c_void) -> Option<Self> {
        let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: the out-pointer is a live local; the fields are read only if it was filled.
        let info = unsafe {
            if libc::dladdr(inside, info.as_mut_ptr()) == 0 {
                return None;
            }
            info.assume_init()
        };
        map_library(info.dli_fbase as usize);
        // SAFETY: the loader's name of a loaded library; it is not loaded again.
        let library = unsafe { libc::dlopen(info.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!library.is_null()).then_some(Self(library))
    }

    fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the library is open.
        let found = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!found.is_null()).then_some(found)
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: opened by us; the JVM keeps it loaded.
        unsafe { libc::dlclose(self.0) };
    }
}

/// Notes the segments of the library that is loaded here.
fn map_library(base: usize) {
    unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _: usize, base: *mut c_void) -> i32 {
        // SAFETY: the system passes a live description, with as many headers as it says.
        unsafe {
            if (*info).dlpi_addr as usize != base as usize {
                return 0;
            }
            let headers =
                std::slice::from_raw_parts((*info).dlpi_phdr, usize::from((*info).dlpi_phnum));
            for header in headers
                .iter()
                .filter(|header| header.p_type == libc::PT_LOAD)
            {
                code::library(
                    base as usize + header.p_vaddr as usize,
                    header.p_memsz as usize,
                );
            }
        }
        1
    }
    // SAFETY: the callback reads what it is given.
    unsafe { libc::dl_iterate_phdr(Some(each), base as *mut c_void) };
}

/// No more stacks are wanted.
pub fn finish() {
    WALK.store(0, Ordering::Release);
}

/// Where the thread was interrupted.
pub fn program_counter(context: *mut c_void) -> usize {
    // SAFETY: with SA_SIGINFO the system passes the interrupted context.
    unsafe {
        let context = &*context.cast::<libc::ucontext_t>();
        context.uc_mcontext.gregs[libc::REG_RIP as usize] as usize
    }
}

/// How many frames there are, or why there are none; and from where the thread had called the JVM, if it had.
pub fn walk(frames: &mut [CallFrame; DEPTH], context: *mut c_void) -> (i32, From) {
    let (walk, vm) = (WALK.load(Ordering::Acquire), VM.load(Ordering::Acquire));
    if walk == 0 || vm.is_null() {
        return (NO_JAVA, From::Compiled);
    }
    let mut env: *mut c_void = null_mut();
    // SAFETY: `vm` is the JVM's; HotSpot's function reads the current thread and no more.
    if unsafe { ((**vm).GetEnv)(vm, &raw mut env, JNI_VERSION_1_6) } != JNI_OK {
        return (NO_JAVA, From::Compiled);
    }
    let mut trace = CallTrace {
        env: env.cast(),
        frames: 0,
        list: frames.as_mut_ptr(),
    };
    // SAFETY: HotSpot's function of this signature, made for handlers of signals; the list has DEPTH frames.
    let mut ask = || unsafe {
        let walk: Walk = std::mem::transmute::<usize, Walk>(walk);
        walk(&raw mut trace, DEPTH as i32, context);
        trace.frames
    };
    // SAFETY: the environment is the current thread's, and this is a handler.
    let from = if unsafe { anchor::is_noted(env) } {
        From::Compiled
    } else {
        From::Within
    };
    match ask() {
        code @ (UNKNOWN_JAVA | NOT_WALKABLE_JAVA) => (from_callers(context, code, ask), from),
        code @ (UNKNOWN_NOT_JAVA | NOT_WALKABLE) => {
            // SAFETY: as above.
            match unsafe { anchor::completed(env, ask) } {
                Some((frames, true)) => (frames, From::Interpreter),
                Some((frames, false)) => (frames, from),
                None => (code, from),
            }
        }
        frames => (frames, from),
    }
}

/// Asks once more as if the thread had returned already, where HotSpot cannot tell where it stands:
/// - at the entry of compiled code and in stubs between two methods the frame is not built yet, or no more, and the caller's
///   address lies on top of the stack;
/// - stubs that take the place of a method, for ciphers, checksums and comparisons of arrays, keep their caller's frame pointer
///   below that address, and their own points to it.
fn from_callers(context: *mut c_void, code: i32, mut ask: impl FnMut() -> i32) -> i32 {
    const FRAME: usize = libc::REG_RBP as usize;
    // SAFETY: with SA_SIGINFO the system passes the interrupted context.
    let registers = || unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let kept = *registers();
    let (top, frame) = (kept[libc::REG_RSP as usize], kept[FRAME]);
    // Elsewhere the register may hold anything.
    let is_near = code::is_stub(kept[libc::REG_RIP as usize] as usize)
        && top <= frame
        && frame - top < LARGEST_STUB_FRAME;
    let returned = [
        (top % 8 == 0).then_some((top, kept[FRAME])),
        // SAFETY: the frame of a function that runs is memory of the thread's stack.
        (frame % 8 == 0 && is_near).then(|| (frame + 8, unsafe { *(frame as *const i64) })),
    ];
    for (at, frame) in returned.into_iter().flatten() {
        // SAFETY: as above.
        registers()[libc::REG_RIP as usize] = unsafe { *(at as *const i64) };
        registers()[libc::REG_RSP as usize] = at + 8;
        registers()[FRAME] = frame;
        let frames = ask();
        *registers() = kept;
        if frames > 0 {
            return frames;
        }
    }
    code
}
