//! Where a thread keeps its chunks and the agent's number of it.
//!
//! In fields that were added to `java.lang.Thread` while it was loaded; in a JVM that was running by then, in a `ThreadLocal` of the helper
//! and the storage that JVMTI has for each thread. What a program takes out of its thread locals behind our back is put there
//! again when it is missed, since the agent keeps an array of its own accord, by the thread's number.

use jvmti_bindings::sys::jni::jvalue;

use crate::jvm::{Global, Id, Jni, Jvmti, jfieldID, jmethodID, jobject};
use pricetag_instrument::Keeping;

/// Handles to where that is.
#[derive(Clone, Copy, Debug)]
pub enum Keeper {
    /// In fields of `java.lang.Thread`.
    Fields {
        /// `$pricetag`, the thread's chunks by class.
        chunks: Id<jfieldID>,
        /// `$pricetagThread`, the thread's number, 0 until it has one.
        serial: Id<jfieldID>,
    },
    /// In the helper's `ThreadLocal` and JVMTI's storage.
    ThreadLocal {
        /// The helper.
        helper: Global,
        /// Its `keep(long[][])`.
        keep: Id<jmethodID>,
    },
}

impl Keeper {
    /// Finds the fields, or the helper's method.
    pub fn find(jni: Jni, keeping: Keeping, helper: Option<Global>) -> Option<Self> {
        Some(match keeping {
            Keeping::Fields => {
                let thread = jni.find_class(c"java/lang/Thread")?;
                Self::Fields {
                    chunks: jni.field(thread, c"$pricetag", c"[[J")?,
                    serial: jni.field(thread, c"$pricetagThread", c"I")?,
                }
            }
            Keeping::ThreadLocal => {
                let helper = helper?;
                Self::ThreadLocal {
                    helper,
                    keep: jni.static_method(helper.0, c"keep", c"([[J)V")?,
                }
            }
        })
    }

    /// The number of a thread, 0 if it has none.
    pub fn serial(self, jvmti: Jvmti, jni: Jni, thread: jobject) -> i32 {
        match self {
            Self::Fields { serial, .. } => jni.int_field(thread, serial),
            Self::ThreadLocal { .. } => jvmti.storage(thread) as i32,
        }
    }

    /// Gives a thread a number.
    pub fn set_serial(self, jvmti: Jvmti, jni: Jni, thread: jobject, number: i32) {
        match self {
            Self::Fields { serial, .. } => jni.set_int_field(thread, serial, number),
            Self::ThreadLocal { .. } => jvmti.set_storage(thread, number as usize),
        }
    }

    /// Has the current thread find its chunks in this `long[][]`; false if there is no memory for it.
    pub fn keep(self, jni: Jni, thread: jobject, outer: jobject) -> bool {
        match self {
            Self::Fields { chunks, .. } => {
                jni.set_object_field(thread, chunks, outer);
                true
            }
            Self::ThreadLocal { helper, keep } => {
                let outer = [jvalue { l: outer }];
                jni.call_static_void(helper.0, keep, &outer)
            }
        }
    }
}
