//! The native methods of `java.lang.Pricetag`, found by name in this library.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jdouble, jfieldID, jint, jlong, jobject};
use pricetag_instrument::{HelperOptions, NOWHERE, SHARED_CLASSES, helper_class_with};
use pricetag_trace::Argument;

use crate::callers;
use crate::calls;
use crate::classes::ClassIndex;
use crate::jvm::{Global, Id, Jni};
use crate::looks;
use crate::progress;
use crate::scope;
use crate::session::Session;
use crate::sizes;
use crate::values::Value;

/// The class `java.lang.Pricetag` and its fields.
#[derive(Clone, Copy, Debug)]
pub struct Helper {
    /// The class.
    pub class: Global,
    /// The thread whose chunks are in `shared`.
    pub owner: Id<jfieldID>,
    /// The owner's chunks.
    pub shared: Id<jfieldID>,
    /// Calls of it until the next epoch.
    pub left: Id<jfieldID>,
    /// The thread whose calls are counted.
    pub watched: Id<jfieldID>,
    /// By class index a row, with the chunks of threads that have a slot.
    pub rows: Global,
    /// Under which class index the passes of a class for a caller are.
    pub pairs: Id<jfieldID>,
}

/// Defines the helper in the boot loader and calls each of its natives once. The JVM's search for a native allocates, and runs code of the
/// JDK that may be counted: that code would ask for its counters by the very native that is searched for. Now none is counted yet.
pub fn link(jni: Jni, options: HelperOptions) -> Option<Helper> {
    let class = jni.define_boot_class(c"java/lang/Pricetag", &helper_class_with(options))?;
    let link = jni.static_method(class, c"link", c"()V")?;
    if !jni.call_static_void(class, link, &[]) {
        return None;
    }
    // There before any code is compiled, so that the compilers know it.
    let rows = jni.new_object_array(
        SHARED_CLASSES as usize,
        jni.find_class(c"java/lang/Object")?,
    )?;
    let rows = jni.global(rows)?;
    let field = jni.static_field(class, c"rows", c"[Ljava/lang/Object;")?;
    jni.set_static_object_field(class, field, rows.0);
    Some(Helper {
        rows,
        pairs: jni.static_field(class, c"pairs", c"[J")?,
        class: jni.global(class)?,
        owner: jni.static_field(class, c"owner", c"Ljava/lang/Thread;")?,
        left: jni.static_field(class, c"left", c"I")?,
        watched: jni.static_field(class, c"watched", c"Ljava/lang/Thread;")?,
        shared: jni.static_field(class, c"shared", c"[Ljava/lang/Object;")?,
    })
}

fn guarded<T>(env: *mut JNIEnv, default: T, action: impl FnOnce(&'static Session, Jni) -> T) -> T {
    let (Some(session), Some(jni)) = (Session::get(), Jni::new(env)) else {
        return default;
    };
    catch_unwind(AssertUnwindSafe(|| action(session, jni))).unwrap_or(default)
}

/// The same for what returns a chunk: counted code cannot go on without one.
fn chunk_guarded(
    env: *mut JNIEnv,
    action: impl FnOnce(&'static Session, Jni) -> jobject,
) -> jobject {
    let chunk = guarded(env, None, |session, jni| {
        session.runtime.get()?; // else called to be linked
        Some(action(session, jni))
    });
    let spare = || Session::get().map_or(null_mut(), |session| session.chunks.spare());
    chunk.unwrap_or_else(spare)
}

/// `static native long[] slow(int class)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_slow(
    env: *mut JNIEnv,
    _: jclass,
    class: jint,
) -> jobject {
    chunk_guarded(env, |session, jni| {
        session.chunks.slow(session, jni, ClassIndex(class as u32))
    })
}

/// `static native void argLong(long value)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_argLong(env: *mut JNIEnv, _: jclass, value: jlong) {
    guarded(env, (), |session, jni| {
        scope::argument(session, jni, Argument::Integer(value));
    });
}

/// `static native void argDouble(double value)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_argDouble(
    env: *mut JNIEnv,
    _: jclass,
    value: jdouble,
) {
    guarded(env, (), |session, jni| {
        scope::argument(session, jni, Argument::Real(value));
    });
}

/// `static native void argObject(Object value)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_argObject(
    env: *mut JNIEnv,
    _: jclass,
    value: jobject,
) {
    guarded(env, (), |session, jni| {
        scope::argument(session, jni, sizes::argument(session, jni, value));
    });
}

/// `static native void enter(int scope)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_enter(env: *mut JNIEnv, _: jclass, scope: jint) {
    guarded(env, (), |session, jni| {
        if scope == NOWHERE {
            scope::forget_arguments(session, jni);
        } else {
            scope::enter(session, jni, scope);
        }
    });
}

/// `static native void exit(int scope, boolean threw)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_exit(
    env: *mut JNIEnv,
    _: jclass,
    scope: jint,
    threw: jboolean,
) {
    guarded(env, (), |session, jni| {
        scope::exit(session, jni, scope, threw != 0);
    });
}

/// `static native void mark(int class, int what)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_mark(
    env: *mut JNIEnv,
    _: jclass,
    class: jint,
    what: jint,
) {
    guarded(env, (), |session, jni| {
        session.block_times.mark(session, jni, class, what);
    });
}

/// `static native void taken(long bits, int class, int element, int nth)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_taken(
    env: *mut JNIEnv,
    _: jclass,
    bits: jlong,
    class: jint,
    element: jint,
    nth: jint,
) {
    guarded(env, (), |session, jni| {
        let place = (ClassIndex(class as u32), element as u32);
        session
            .values
            .take(session, jni, place, nth as u32, Value::Bits(bits));
    });
}

/// `static native void takenLength(Object value, int class, int element, int nth)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_takenLength(
    env: *mut JNIEnv,
    _: jclass,
    object: jobject,
    class: jint,
    element: jint,
    nth: jint,
) {
    guarded(env, (), |session, jni| {
        let place = (ClassIndex(class as u32), element as u32);
        let size = Value::Size(sizes::of(session, jni, object));
        session.values.take(session, jni, place, nth as u32, size);
    });
}

/// `static native void caught(Object exception, int class, int handler)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_caught(
    env: *mut JNIEnv,
    _: jclass,
    exception: jobject,
    class: jint,
    handler: jint,
) {
    guarded(env, (), |session, jni| {
        let place = (ClassIndex(class as u32), handler as u32);
        session.caught.arrive(session, jni, exception, place);
    });
}

/// `static native long[] slowPasses(int caller, int class)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_slowPasses(
    env: *mut JNIEnv,
    _: jclass,
    caller: jint,
    class: jint,
) -> jobject {
    chunk_guarded(env, |session, jni| {
        let class = ClassIndex(class as u32);
        callers::passes(session, jni, class, caller)
    })
}

/// `static native long[] slowCalls()`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_slowCalls(env: *mut JNIEnv, _: jclass) -> jobject {
    guarded(env, null_mut(), |session, jni| {
        let log = calls::next_log(session, jni);
        if log.is_none() && jni.exception_pending() {
            jni.clear_exception();
        }
        log.unwrap_or(null_mut())
    })
}

/// `static native int slowReceiver(Object class)`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_slowReceiver(
    env: *mut JNIEnv,
    _: jclass,
    class: jobject,
) -> jint {
    guarded(env, 0, |session, jni| {
        if class.is_null() {
            return 0; // called to be linked
        }
        let number = session.calls.receivers.number(session, jni, class);
        number.unwrap_or(0)
    })
}

/// `static native int epoch()`.
#[unsafe(no_mangle)]
pub extern "system" fn Java_java_lang_Pricetag_epoch(env: *mut JNIEnv, _: jclass) -> jint {
    guarded(env, jint::MAX, |session, jni| {
        if session.runtime.get().is_none() {
            return 0; // called to be linked
        }
        if session.progress_wanted() {
            progress::epoch(session, jni)
        } else if session.looks_wanted() {
            looks::epoch(session, jni)
        } else {
            jint::MAX
        }
    })
}
