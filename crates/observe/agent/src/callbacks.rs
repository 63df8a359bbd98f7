//! The JVMTI events, each guarded against panics.

use std::ffi::{CStr, c_char, c_uchar, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use jvmti_bindings::sys::jni::{JNIEnv, jclass, jint, jlong, jmethodID, jobject};
use jvmti_bindings::sys::jvmti::{
    JVMTI_EVENT_BREAKPOINT, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_PREPARE,
    JVMTI_EVENT_DATA_DUMP_REQUEST, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
    JVMTI_EVENT_GARBAGE_COLLECTION_START, JVMTI_EVENT_NATIVE_METHOD_BIND, JVMTI_EVENT_THREAD_END,
    JVMTI_EVENT_THREAD_START, JVMTI_EVENT_VIRTUAL_THREAD_END, JVMTI_EVENT_VM_DEATH,
    JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_START, jvmtiAddrLocationMap, jvmtiEnv, jvmtiEvent,
    jvmtiEventCallbacks,
};
use pricetag_instrument::{HelperOptions, Keeping, Ticks};
use pricetag_trace::Mode;

use crate::beforehand;
use crate::calls;
use crate::dump;
use crate::hidden;
use crate::hook::{self, Incoming};
use crate::jvm::Jni;
use crate::keeping::Keeper;
use crate::natives;
use crate::processes;
use crate::runtime::Runtime;
use crate::sampling;
use crate::scope;
use crate::session::Session;
use crate::snapshot;
use crate::subject::HELPER;

/// The table of callbacks.
pub fn table() -> jvmtiEventCallbacks {
    let mut table = jvmtiEventCallbacks::default();
    table.VMStart = Some(vm_start);
    table.VMInit = Some(vm_init);
    table.VMDeath = Some(vm_death);
    table.ThreadStart = Some(thread_start);
    table.ThreadEnd = Some(thread_end);
    table.VirtualThreadEnd = Some(virtual_thread_end);
    table.ClassFileLoadHook = Some(class_file_load_hook);
    table.GarbageCollectionStart = Some(collection_start);
    table.GarbageCollectionFinish = Some(collection_finish);
    table.NativeMethodBind = Some(native_method_bind);
    table.ClassPrepare = Some(class_prepare);
    table.Breakpoint = Some(breakpoint);
    table.DataDumpRequest = Some(data_dump_request);
    table.ClassLoad = Some(class_load);
    table.CompiledMethodLoad = Some(compiled_method_load);
    table.DynamicCodeGenerated = Some(dynamic_code_generated);
    table.SampledObjectAlloc = Some(sampled_object_alloc);
    table
}

/// Events that are switched on when the agent is loaded.
pub fn first_events(mode: Mode) -> Vec<jvmtiEvent> {
    let mut events = vec![JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH];
    if mode == Mode::Count {
        events.extend([
            JVMTI_EVENT_VM_START,
            JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
            JVMTI_EVENT_NATIVE_METHOD_BIND,
        ]);
    }
    events
}

/// Events that are switched on when the VM is initialised.
pub fn later_events(session: &Session) -> Vec<jvmtiEvent> {
    let mut events = vec![
        JVMTI_EVENT_THREAD_START,
        JVMTI_EVENT_THREAD_END,
        JVMTI_EVENT_GARBAGE_COLLECTION_START,
        JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
    ];
    match session.options.mode {
        Mode::Count => {
            events.extend([JVMTI_EVENT_CLASS_PREPARE, JVMTI_EVENT_DATA_DUMP_REQUEST]);
            if session.feature >= 21 {
                events.push(JVMTI_EVENT_VIRTUAL_THREAD_END);
            }
        }
        Mode::Time | Mode::Blocks => events.push(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK),
        Mode::Step => {
            events = vec![JVMTI_EVENT_BREAKPOINT, JVMTI_EVENT_CLASS_PREPARE];
        }
        // It switches its own on.
        Mode::Sample => events = Vec::new(),
    }
    events
}

/// Steps of which each is wanted even if another one fails are guarded one by one.
fn guarded(env: *mut JNIEnv, action: impl FnOnce(&'static Session, Jni)) {
    if let (Some(session), Some(jni)) = (Session::get(), Jni::new(env)) {
        let _ = catch_unwind(AssertUnwindSafe(|| action(session, jni)));
    }
}

/// Looks the Java runtime up and defines the helper; in counting runs at `VMStart`, else at `VMInit`, or when the agent comes late.
///
/// # Errors
/// If this JVM cannot be observed: which class is to blame, and why.
pub fn prepare(session: &'static Session, jni: Jni) -> Result<(), (&'static str, &'static str)> {
    if session.runtime.get().is_some() {
        return Ok(());
    }
    let mut runtime = Runtime::find(jni).ok_or(("?", "this JVM lacks classes the agent needs"))?;
    if !matches!(session.options.mode, Mode::Step | Mode::Sample) {
        runtime.helper = natives::link(jni, helper_options(session));
        if runtime.helper.is_none() {
            return Err((HELPER, "this JVM does not take the helper class"));
        }
    }
    if session.counting() {
        let helper = runtime.helper.map(|helper| helper.class);
        runtime.keeper = Keeper::find(jni, keeping(session), helper);
        if runtime.keeper.is_none() {
            return Err((
                "java/lang/Thread",
                "the counters' fields could not be added",
            ));
        }
    }
    if runtime.management.is_none() {
        session.inexact("this JVM does not tell how much a thread allocates");
    }
    let _ = session.runtime.set(runtime);
    calls::begin(session, jni);
    Ok(())
}

/// What the helper does while several threads may count.
pub fn helper_options(session: &Session) -> HelperOptions {
    HelperOptions {
        keeping: keeping(session),
        values: session.options.values,
        ticks: match (session.progress_wanted(), session.looks_wanted()) {
            (true, _) => Some(Ticks::All),
            (_, true) => Some(Ticks::Watched),
            _ => None,
        },
    }
}

/// Where threads keep their chunks.
pub fn keeping(session: &Session) -> Keeping {
    if session.late {
        Keeping::ThreadLocal
    } else {
        Keeping::Fields
    }
}

/// The same at the start of the VM, which goes on unobserved where that fails.
fn prepare_or_leave(session: &'static Session, jni: Jni) {
    if let Err((class, why)) = prepare(session, jni) {
        session.left(class, None, why);
    }
}

unsafe extern "system" fn vm_start(_: *mut jvmtiEnv, env: *mut JNIEnv) {
    guarded(env, prepare_or_leave);
}

unsafe extern "system" fn vm_init(_: *mut jvmtiEnv, env: *mut JNIEnv, _: jobject) {
    guarded(env, |session, jni| {
        prepare_or_leave(session, jni);
        if session.options.mode == Mode::Sample {
            return sampling::begin(session, jni);
        }
        if session.options.mode == Mode::Step {
            session.steps.prepare_loaded(session, jni);
        }
        let _ = session.reader.set(beforehand::reader(session, jni));
        session
            .main_class
            .command(session.jvmti.property("sun.java.command").as_deref());
        for event in later_events(session) {
            let _ = session.jvmti.notify(event, true);
        }
        if session.options.mode != Mode::Step && hook::may_be_late(&session.options) {
            hook::retransform_loaded(session, jni);
        }
        session.flush();
    });
}

unsafe extern "system" fn vm_death(_: *mut jvmtiEnv, env: *mut JNIEnv) {
    guarded(env, dump::vm_death);
}

unsafe extern "system" fn data_dump_request(_: *mut jvmtiEnv) {
    let _ = catch_unwind(|| {
        if let (Some(session), Some(jni)) = (Session::get(), snapshot::current()) {
            snapshot::take(session, jni);
        }
    });
}

unsafe extern "system" fn thread_start(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    guarded(env, |_, _| sampling::thread_started());
    guarded(env, |session, jni| {
        session.costs.thread_start(session, jni, thread);
    });
}

unsafe extern "system" fn thread_end(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    // Clocks first, as anywhere.
    guarded(env, |session, jni| {
        session.costs.thread_end(session, jni, thread);
    });
    guarded(env, |session, jni| {
        if session.counting() {
            session.chunks.thread_end(session, jni, thread);
        }
    });
    guarded(env, |session, _| session.block_times.thread_end());
    guarded(env, scope::thread_end);
}

unsafe extern "system" fn virtual_thread_end(_: *mut jvmtiEnv, env: *mut JNIEnv, thread: jobject) {
    guarded(env, |session, jni| {
        session.chunks.thread_end(session, jni, thread);
    });
    guarded(env, scope::thread_end);
}

unsafe extern "system" fn collection_start(_: *mut jvmtiEnv) {
    if let Some(session) = Session::get() {
        session.costs.collection_started(session);
    }
}

unsafe extern "system" fn collection_finish(_: *mut jvmtiEnv) {
    if let Some(session) = Session::get() {
        session.costs.collection_finished(session);
    }
}

unsafe extern "system" fn class_prepare(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jobject,
    class: jclass,
) {
    guarded(env, |session, jni| {
        if session.options.mode == Mode::Sample {
            sampling::class_prepared(session, class);
        } else if session.options.mode == Mode::Step {
            session.steps.prepare(session, jni, class);
        } else {
            hook::hidden_class(session, jni, class);
        }
    });
}

/// HotSpot walks stacks in handlers of signals only while somebody is told of classes.
unsafe extern "system" fn class_load(_: *mut jvmtiEnv, _: *mut JNIEnv, _: jobject, _: jclass) {}

unsafe extern "system" fn compiled_method_load(
    _: *mut jvmtiEnv,
    _: jmethodID,
    length: jint,
    address: *const c_void,
    _: jint,
    _: *const jvmtiAddrLocationMap,
    _: *const c_void,
) {
    let _ = catch_unwind(|| {
        sampling::compiled(address as usize, usize::try_from(length).unwrap_or(0));
    });
}

unsafe extern "system" fn dynamic_code_generated(
    _: *mut jvmtiEnv,
    name: *const c_char,
    address: *const c_void,
    length: jint,
) {
    if !name.is_null() {
        // SAFETY: the JVM passes a NUL-terminated name.
        let name = unsafe { CStr::from_ptr(name) };
        let _ = catch_unwind(|| {
            sampling::generated(name, address as usize, usize::try_from(length).unwrap_or(0));
        });
    }
}

unsafe extern "system" fn sampled_object_alloc(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    thread: jobject,
    _: jobject,
    _: jclass,
    bytes: jlong,
) {
    guarded(env, |session, _| {
        sampling::allocated(session, thread, bytes);
    });
}

unsafe extern "system" fn native_method_bind(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jobject,
    method: jmethodID,
    address: *mut c_void,
    new_address: *mut *mut c_void,
) {
    let Some(session) = Session::get() else {
        return;
    };
    if let Ok(Some(replacement)) = catch_unwind(AssertUnwindSafe(|| {
        let own = hidden::bind(session, method, address)
            .or_else(|| processes::bind(session, method, address));
        own.or_else(|| calls::natives::bind(session, Jni::new(env)?, method, address))
    })) {
        // SAFETY: the JVM passes a valid out-pointer.
        unsafe { *new_address = replacement };
    }
}

unsafe extern "system" fn breakpoint(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    _: jobject,
    method: jmethodID,
    location: jlong,
) {
    guarded(env, |session, _| session.steps.step(method, location));
}

unsafe extern "system" fn class_file_load_hook(
    _: *mut jvmtiEnv,
    env: *mut JNIEnv,
    redefined: jclass,
    loader: jobject,
    name: *const c_char,
    _: jobject,
    length: jint,
    data: *const c_uchar,
    new_length: *mut jint,
    new_data: *mut *mut c_uchar,
) {
    let Some(session) = Session::get() else {
        return;
    };
    let result = catch_unwind(AssertUnwindSafe(|| {
        if data.is_null() {
            return None;
        }
        // SAFETY: the JVM passes `length` bytes at `data`, and a NUL-terminated name or null.
        let (bytes, name) = unsafe {
            let bytes = std::slice::from_raw_parts(data, usize::try_from(length).unwrap_or(0));
            (bytes, (!name.is_null()).then(|| CStr::from_ptr(name)))
        };
        let class = Incoming {
            jni: Jni::new(env),
            redefined: !redefined.is_null(),
            loader,
            name,
            bytes,
        };
        let replacement = hook::class_file(session, &class);
        if session.options.mode == Mode::Time
            && session.main_class.found()
            && session.scopes.all_seen()
        {
            let _ = session
                .jvmti
                .notify(JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, false);
        }
        let replacement = replacement?;
        Some((
            session.jvmti.allocate(&replacement)?,
            jint::try_from(replacement.len()).ok()?,
        ))
    }));
    if let Ok(Some((memory, length))) = result {
        // SAFETY: the JVM passes valid out-pointers and takes over the memory, which is its own.
        unsafe {
            *new_data = memory;
            *new_length = length;
        }
    }
}
