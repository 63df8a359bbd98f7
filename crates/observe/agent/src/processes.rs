//! Processes that the program starts: they are counted, since what they execute is not.
//!
//! `ProcessBuilder.start` and `Runtime.exec` end in the native `ProcessImpl.forkAndExec`, whoever calls them. When the JVM binds that native, the agent puts a function
//! of its own in its place, which goes on to the JVM's and counts what succeeded.
//!
//! Limits: processes that native code starts by itself; none that was bound before a late agent came.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use jvmti_bindings::sys::jni::{JNIEnv, jboolean, jint, jmethodID, jobject};
use pricetag_trace::processes;

use crate::jvm::Jni;
use crate::session::Session;

const NAME: &str = "forkAndExec";
const DESCRIPTOR: &str = "(I[B[B[BI[BI[B[IZ)I";
const CLASS: &str = "java/lang/ProcessImpl";

/// What the JVM would have called.
static ORIGINAL: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
static STARTED: AtomicU64 = AtomicU64::new(0);

type ForkAndExec = unsafe extern "system" fn(
    *mut JNIEnv,
    jobject,
    jint,
    jobject,
    jobject,
    jobject,
    jint,
    jobject,
    jint,
    jobject,
    jobject,
    jboolean,
) -> jint;

/// A native method is being bound: the function to bind instead, if it is the one.
pub fn bind(session: &Session, method: jmethodID, address: *mut c_void) -> Option<*mut c_void> {
    let (name, descriptor) = session.jvmti.method_name(method)?;
    if name != NAME || descriptor != DESCRIPTOR {
        return None;
    }
    let class = session.jvmti.declaring_class(method)?;
    if session.jvmti.class_name(class)?.plain != CLASS {
        return None;
    }
    ORIGINAL.store(address, Ordering::Release);
    Some(fork_and_exec as *mut c_void)
}

/// What the reader must know.
pub fn caveat() -> Option<String> {
    match STARTED.load(Ordering::Relaxed) {
        0 => None,
        started => Some(processes::caveat(started)),
    }
}

#[allow(clippy::too_many_arguments, reason = "the native's own signature")]
unsafe extern "system" fn fork_and_exec(
    env: *mut JNIEnv,
    process: jobject,
    mode: jint,
    helper: jobject,
    program: jobject,
    arguments: jobject,
    argument_count: jint,
    environment: jobject,
    environment_count: jint,
    folder: jobject,
    streams: jobject,
    merge_errors: jboolean,
) -> jint {
    // SAFETY: `bind` stored the function that the JVM found for this native before it put this one in its place.
    let original: ForkAndExec = unsafe { std::mem::transmute(ORIGINAL.load(Ordering::Acquire)) };
    // SAFETY: the arguments are the caller's own.
    let pid = unsafe {
        original(
            env,
            process,
            mode,
            helper,
            program,
            arguments,
            argument_count,
            environment,
            environment_count,
            folder,
            streams,
            merge_errors,
        )
    };
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // A program that is not there gets a process, which fails, and an exception.
        let failed = Jni::new(env).is_none_or(Jni::exception_pending);
        if pid > 0 && !failed {
            STARTED.fetch_add(1, Ordering::Relaxed);
        }
    }));
    pid
}
