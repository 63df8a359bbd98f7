//! The agent's entry point.

use std::ffi::{CStr, c_char, c_void};
use std::panic::catch_unwind;
use std::path::Path;

use jvmti_bindings::sys::jni::{JNI_ERR, JNI_OK, JavaVM, jint};
use jvmti_bindings::sys::jvmti::jvmtiCapabilities;
use pricetag_trace::{
    AgentOptions, CAME_LATE, LEAVE, Mode, Record, Start, TRACE_VERSION, TraceReader, TraceWriter,
};

use crate::callbacks;
use crate::hook;
use crate::jvm::Jvmti;
use crate::late;
use crate::sampling;
use crate::session::Session;
use crate::snapshot;
use crate::worker::Worker;

/// Properties that describe the JVM, as far as it knows them this early.
const PROPERTIES: [&str; 6] = [
    "java.vm.name",
    "java.vm.vendor",
    "java.vm.version",
    "java.vm.info",
    "java.home",
    "sun.java.command",
];

/// Called by the JVM for `-agentpath:libpricetag_agent.so=FILE`.
///
/// Whatever goes wrong, the subject runs: one line on standard error says why nothing is recorded.
///
/// # Safety
///
/// `vm` and `options` are what a JVM passes.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnLoad(
    vm: *mut JavaVM,
    options: *const c_char,
    _: *mut c_void,
) -> jint {
    // SAFETY: the JVM passes a NUL-terminated text or null.
    let options = (!options.is_null()).then(|| unsafe { CStr::from_ptr(options) });
    match catch_unwind(|| load(vm, options, false)) {
        Ok(Ok(())) => {}
        Ok(Err(reason)) => eprintln!("pricetag: {reason}; the program runs unobserved"),
        Err(_) => eprintln!("pricetag: the agent failed to start; the program runs unobserved"),
    }
    JNI_OK
}

/// Called by the JVM when the agent is to be loaded while it runs, and whenever that is asked for again: with the file of options, which it needs twice to
/// begin, or with [`pricetag_trace::LEAVE`].
///
/// # Safety
///
/// `vm` and `options` are what a JVM passes.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Agent_OnAttach(
    vm: *mut JavaVM,
    options: *const c_char,
    _: *mut c_void,
) -> jint {
    // SAFETY: the JVM passes a NUL-terminated text or null.
    let options = (!options.is_null()).then(|| unsafe { CStr::from_ptr(options) });
    let reason = match catch_unwind(|| attach(vm, options)) {
        Ok(Ok(())) => return JNI_OK,
        Ok(Err(reason)) => reason,
        Err(_) => "the agent failed".to_owned(),
    };
    eprintln!("pricetag: {reason}; the program runs on unobserved");
    JNI_ERR
}

fn attach(vm: *mut JavaVM, options: Option<&CStr>) -> Result<(), String> {
    snapshot::remember(vm);
    let jni = snapshot::current().ok_or("this is no thread of the JVM")?;
    let options_text = text(options);
    match Session::get() {
        Some(session) => late::again(session, jni, &options_text),
        // It never began.
        None if options_text == LEAVE => Ok(()),
        // The JVM looks for native methods in this library once this call has returned: it begins with the next.
        None => load(vm, options, true),
    }
}

fn text(options: Option<&CStr>) -> String {
    options
        .map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn load(vm: *mut JavaVM, options: Option<&CStr>, late: bool) -> Result<(), String> {
    let file = text(options);
    if file.is_empty() {
        return Err("no options file was given (-agentpath:LIBRARY=FILE)".to_owned());
    }
    let mut options = AgentOptions::read(Path::new(&file)).map_err(|error| error.to_string())?;
    options.trace = options.trace_of(std::process::id());
    let mode = options.mode;
    snapshot::remember(vm);
    let jvmti = Jvmti::of(vm).ok_or("this JVM offers no JVMTI 1.2")?;
    if let (true, Some(why)) = (late, options.too_late_for()) {
        return Err(why.to_owned());
    }
    match recorded_by(&options) {
        // By an earlier process with the same id, such as the 1 of a server whose container starts anew.
        Some(pid) if pid == std::process::id() && Session::get().is_none() => {
            std::fs::remove_file(&options.trace)
                .map_err(|error| format!("cannot remove {}: {error}", options.trace.display()))?;
        }
        // This process was started by the one that is being recorded, with the same arguments: it is not to be observed, and must not complain either.
        Some(pid) if Path::new(&format!("/proc/{pid}")).exists() => return Ok(()),
        _ => {}
    }
    take_capabilities(jvmti, mode, late, late || hook::may_be_late(&options))?;
    let worker = Worker::start().map_err(|error| format!("cannot start a thread: {error}"))?;
    let writer = if mode == Mode::Step {
        None
    } else {
        let mut writer = TraceWriter::create(&options.trace).map_err(|error| error.to_string())?;
        writer
            .write(&Record::Start(start(jvmti, &options, late)))
            .and_then(|()| writer.flush())
            .map_err(|e| e.to_string())?;
        Some(writer)
    };
    if !Session::new(jvmti, options, writer, worker, late).install() {
        return Err("the agent was loaded twice".to_owned());
    }
    std::panic::set_hook(Box::new(|panic| {
        if let Some(session) = Session::get() {
            session.panicked(&panic.to_string());
        }
    }));
    jvmti
        .set_callbacks(&callbacks::table())
        .map_err(|error| format!("the JVM takes no callbacks ({error:?})"))?;
    if late {
        return Ok(());
    }
    for event in callbacks::first_events(mode) {
        jvmti
            .notify(event, true)
            .map_err(|error| format!("the JVM has no event {event} ({error:?})"))?;
    }
    Ok(())
}

/// The process whose trace is where this one's is to be.
fn recorded_by(options: &AgentOptions) -> Option<u32> {
    let mut reader = TraceReader::open(&options.trace).ok()?;
    match reader.next_record() {
        Ok(Some(Record::Start(start))) => Some(start.pid),
        _ => None,
    }
}

fn take_capabilities(
    jvmti: Jvmti,
    mode: Mode,
    late: bool,
    retransform: bool,
) -> Result<(), String> {
    let possible = jvmti.potential_capabilities();
    let mut wanted = jvmtiCapabilities::default();
    match mode {
        Mode::Step => {
            wanted.set_can_generate_breakpoint_events(true);
            wanted.set_can_get_bytecodes(true);
        }
        Mode::Sample => sampling::want(&mut wanted, &possible),
        Mode::Time | Mode::Count | Mode::Blocks => {
            wanted.set_can_generate_all_class_hook_events(true);
            wanted.set_can_tag_objects(true);
            wanted.set_can_retransform_classes(retransform);
            wanted.set_can_generate_garbage_collection_events(
                possible.can_generate_garbage_collection_events(),
            );
            wanted.set_can_get_thread_cpu_time(possible.can_get_thread_cpu_time());
        }
    }
    if mode == Mode::Count {
        wanted.set_can_generate_early_class_hook_events(!late);
        wanted.set_can_suspend(possible.can_suspend());
        wanted.set_can_generate_native_method_bind_events(
            !late && possible.can_generate_native_method_bind_events(),
        );
        wanted.set_can_get_bytecodes(possible.can_get_bytecodes());
        if jvmti.feature() >= 21 {
            wanted.set_can_support_virtual_threads(possible.can_support_virtual_threads());
        }
    }
    jvmti
        .add_capabilities(&wanted)
        .map_err(|error| format!("the JVM lacks a capability for mode {mode} ({error:?})"))
}

fn start(jvmti: Jvmti, options: &AgentOptions, late: bool) -> Start {
    let known = PROPERTIES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), jvmti.property(name)?)))
        .chain(late.then(|| (CAME_LATE.to_owned(), "true".to_owned())));
    Start {
        version: TRACE_VERSION,
        pid: std::process::id(),
        properties: known.collect(),
        options: options.to_text(),
    }
}
