//! Hidden classes, which the JVM does not send through the class-file hook.
//!
//! `Lookup.defineHiddenClass` ends in the native `ClassLoader.defineClass0` (JDK 15 and later). When the JVM binds that native, the
//! agent puts a function of its own in its place, which instruments the bytes and passes them on. Hidden classes are counted
//! together with ordinary classes of the same bytes. The JDK's own, made for lambdas and the like, hold no code of the
//! subject and stay as they are.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jclass, jint, jmethodID, jobject};

use crate::hook::{self, Incoming};
use crate::jvm::Jni;
use crate::session::Session;

const NAME: &str = "defineClass0";
const DESCRIPTOR: &str = "(Ljava/lang/ClassLoader;Ljava/lang/Class;Ljava/lang/String;[BIILjava/security/ProtectionDomain;\
                          ZILjava/lang/Object;)Ljava/lang/Class;";

/// What the JVM would have called.
static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(null_mut());

type DefineClass0 = unsafe extern "system" fn(
    *mut JNIEnv,
    jclass,
    jobject,
    jclass,
    jobject,
    jobject,
    jint,
    jint,
    jobject,
    jboolean,
    jint,
    jobject,
) -> jclass;

/// A native method is being bound: the function to bind instead, if it is the one.
pub fn bind(session: &Session, method: jmethodID, address: *mut c_void) -> Option<*mut c_void> {
    let (name, descriptor) = session.jvmti.method_name(method)?;
    if name != NAME || descriptor != DESCRIPTOR {
        return None;
    }
    let class = session.jvmti.declaring_class(method)?;
    if session.jvmti.class_name(class)?.plain != "java/lang/ClassLoader" {
        return None;
    }
    ORIGINAL.store(address, Ordering::Release);
    Some(define_class as *mut c_void)
}

/// Whether hidden classes are seen.
pub fn intercepted() -> bool {
    !ORIGINAL.load(Ordering::Acquire).is_null()
}

#[allow(clippy::too_many_arguments, reason = "the native's own signature")]
unsafe extern "system" fn define_class(
    env: *mut JNIEnv,
    holder: jclass,
    loader: jobject,
    lookup: jclass,
    name: jobject,
    bytes: jobject,
    offset: jint,
    length: jint,
    domain: jobject,
    initialize: jboolean,
    flags: jint,
    data: jobject,
) -> jclass {
    let changed = catch_unwind(AssertUnwindSafe(|| {
        replacement(env, loader, bytes, offset, length)
    }))
    .ok()
    .flatten();
    let (bytes, offset, length) = changed.unwrap_or((bytes, offset, length));
    // SAFETY: `bind` stored the function that the JVM found for this native before it put this one in its place.
    let original: DefineClass0 = unsafe { std::mem::transmute(ORIGINAL.load(Ordering::Acquire)) };
    // SAFETY: the arguments are the caller's own, but for an equally valid array with its range.
    unsafe {
        original(
            env, holder, loader, lookup, name, bytes, offset, length, domain, initialize, flags,
            data,
        )
    }
}

/// The instrumented class file as a new array with its range.
fn replacement(
    env: *mut JNIEnv,
    loader: jobject,
    bytes: jobject,
    offset: jint,
    length: jint,
) -> Option<(jobject, jint, jint)> {
    let (session, jni) = (Session::get()?, Jni::new(env)?);
    if bytes.is_null() || loader.is_null() {
        return None;
    }
    let original = jni.read_bytes(bytes, offset, length)?;
    let class = Incoming {
        jni: Some(jni),
        redefined: false,
        loader,
        name: None,
        bytes: &original,
    };
    let new = hook::class_file(session, &class)?;
    let array = jni.new_byte_array(&new)?;
    Some((array, 0, jint::try_from(new.len()).ok()?))
}
