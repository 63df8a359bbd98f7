//! The JVM's internal management table, for figures JVMTI does not have.
//!
//! `JVM_GetManagement` is what the `java.management` module itself calls (OpenJDK `src/hotspot/share/include/jmm.h`). A JVM
//! answers only to its own version of the table. `GetVersion` is in slot 2 of all
//! of them. Version 3 (JDK 14) has `GetOneThreadAllocatedMemory` in slot 9 and `GetLongAttribute` in slot 12; version 4 (seen in JDK 25)
//! has both one slot later, since `GetTotalThreadAllocatedMemory` moved before them; version 2 (JDK 10) lacks the first, and has the
//! second in slot 11. `GetVMGlobals` is seven slots behind `GetLongAttribute` in all of them. Any other JVM yields no table, and the figures are then reported as missing.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;

use jvmti_bindings::sys::jni::jvalue;

use crate::jvm::{Jni, jint, jlong, jobject};

const VERSION: usize = 2;

/// Where a version of the table keeps what is used here.
#[derive(Clone, Copy, Debug)]
struct Layout {
    version: jint,
    one_thread_allocated: Option<usize>,
    long_attribute: usize,
}

const LAYOUTS: [Layout; 3] = [
    Layout {
        version: 0x2004_0000,
        one_thread_allocated: Some(10),
        long_attribute: 13,
    },
    Layout {
        version: 0x2003_0000,
        one_thread_allocated: Some(9),
        long_attribute: 12,
    },
    Layout {
        version: 0x2002_0000,
        one_thread_allocated: None,
        long_attribute: 11,
    },
];

type GetManagement = unsafe extern "C" fn(jint) -> *const *const c_void;
type GetVersion = unsafe extern "system" fn(*mut c_void) -> jint;
type OneThreadAllocated = unsafe extern "system" fn(*mut c_void, jlong) -> jlong;
type LongAttribute = unsafe extern "system" fn(*mut c_void, jobject, jint) -> jlong;

type VmGlobals = unsafe extern "system" fn(*mut c_void, jobject, *mut Global, jint) -> jint;

/// `GetVMGlobals`, from `GetLongAttribute` on.
const VM_GLOBALS: usize = 7;

/// An option of the JVM (`jmmVMGlobal`).
#[repr(C)]
struct Global {
    name: jobject,
    value: jvalue,
    kind: jint,
    origin: jint,
    bits: u32,
    reserved: [*mut c_void; 2],
}

/// The kind of options that are on or off.
const SWITCH: jint = 1;

/// Attribute numbers of `GetLongAttribute`.
const CLASSES_LOADED: jint = 1;

/// The management table of this JVM.
#[derive(Clone, Copy, Debug)]
pub struct Management {
    table: *const *const c_void,
    layout: Layout,
}

// SAFETY: the table is constant and its functions may be called on any thread of the JVM.
unsafe impl Send for Management {}
// SAFETY: as above.
unsafe impl Sync for Management {}

impl Management {
    /// Finds the table.
    pub fn find(jni: Jni) -> Option<Self> {
        let get = symbol(jni, c"JVM_GetManagement".as_ptr())?;
        // SAFETY: the JVM's symbol of this name has this signature in every version that has it.
        let get: GetManagement = unsafe { std::mem::transmute(get) };
        for layout in LAYOUTS {
            // SAFETY: an unknown version yields null.
            let table = unsafe { get(layout.version) };
            if table.is_null() {
                continue;
            }
            let management = Self { table, layout };
            // SAFETY: slot 2 is `GetVersion` in all versions tried.
            let get_version: GetVersion = unsafe { std::mem::transmute(management.slot(VERSION)?) };
            // SAFETY: as above.
            if unsafe { get_version(jni.raw().cast()) } == layout.version {
                return Some(management);
            }
        }
        None
    }

    /// Bytes a thread has allocated so far; Java thread id 0 is the current thread.
    pub fn allocated(self, jni: Jni, thread: jlong) -> Option<u64> {
        let slot = self.layout.one_thread_allocated?;
        // SAFETY: the slot has this signature in this layout.
        let allocated: OneThreadAllocated = unsafe { std::mem::transmute(self.slot(slot)?) };
        // SAFETY: as above; an unknown thread id yields −1, a bad one an exception, which is cleared.
        let bytes = unsafe { allocated(jni.raw().cast(), thread) };
        if jni.clear_exception() {
            None
        } else {
            u64::try_from(bytes).ok()
        }
    }

    /// Classes loaded since the JVM started.
    pub fn classes_loaded(self, jni: Jni) -> Option<u64> {
        // SAFETY: the slot has this signature in this layout.
        let attribute: LongAttribute =
            unsafe { std::mem::transmute(self.slot(self.layout.long_attribute)?) };
        // SAFETY: no object belongs to this attribute.
        let count = unsafe { attribute(jni.raw().cast(), null_mut(), CLASSES_LOADED) };
        if jni.clear_exception() {
            None
        } else {
            u64::try_from(count).ok()
        }
    }

    /// Whether an option of the JVM is on; none if it has no such switch.
    pub fn is_on(self, jni: Jni, option: &CStr) -> Option<bool> {
        let strings = jni.find_class(c"java/lang/String")?;
        let names = jni.new_object_array(1, strings)?;
        jni.set_element(names, 0, jni.new_string(option)?);
        let mut found = Global {
            name: null_mut(),
            value: jvalue { j: 0 },
            kind: 0,
            origin: 0,
            bits: 0,
            reserved: [null_mut(); 2],
        };
        let slot = self.slot(self.layout.long_attribute + VM_GLOBALS)?;
        // SAFETY: the slot has this signature in all layouts.
        let globals: VmGlobals = unsafe { std::mem::transmute(slot) };
        // SAFETY: as above; there is one name, and room for one option.
        let known = unsafe { globals(jni.raw().cast(), names, &raw mut found, 1) };
        let switch = !jni.clear_exception() && known == 1 && found.kind == SWITCH;
        // SAFETY: an option of this kind has a `z`; what it was made with has one, too.
        let value = unsafe { found.value.z };
        switch.then_some(value != 0)
    }

    fn slot(self, index: usize) -> Option<*const c_void> {
        // SAFETY: the table has about forty slots in every version.
        let function = unsafe { *self.table.add(index) };
        (!function.is_null()).then_some(function)
    }
}

/// Looks a symbol up in the whole process, then in the library that holds the JNI functions.
fn symbol(jni: Jni, name: *const c_char) -> Option<*mut c_void> {
    // SAFETY: `name` is NUL-terminated; the library handle is closed once and stays loaded, since the JVM runs in it.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, name);
        if !found.is_null() {
            return Some(found);
        }
        let mut info = std::mem::zeroed::<libc::Dl_info>();
        let inside = (**jni.raw()).GetVersion as *const c_void;
        if libc::dladdr(inside, &raw mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        let library = libc::dlopen(info.dli_fname, libc::RTLD_NOW | libc::RTLD_NOLOAD);
        if library.is_null() {
            return None;
        }
        let found = libc::dlsym(library, name);
        libc::dlclose(library);
        (!found.is_null()).then_some(found)
    }
}
