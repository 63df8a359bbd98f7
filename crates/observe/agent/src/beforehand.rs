//! Classes are rewritten beforehand: when a run that was timed is over, for counting runs that follow.
//!
//! While a class is loaded its thread waits for it to be planned and rewritten, which is most of what the first counting run of a program costs. Here nobody waits: the clock has stopped
//! and the trace is complete. The classes are those that the run has loaded; their files are read as the program could, and what comes of them is kept where counting runs look for it ([`crate::reuse`]).
//! Nothing depends on it: what is missing, or was another class after all, is rewritten when it is loaded.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jvmti_bindings::sys::jni::jvalue;
use pricetag_classfile::ClassFile;
use pricetag_instrument::{Wiring, rewrite};
use pricetag_probe_plan::ClassHash;
use pricetag_trace::{AgentOptions, Mode};

use crate::classes::ClassIndex;
use crate::jvm::{ClassName, Id, Jni, jmethodID, jobject};
use crate::reuse::Reuse;
use crate::rewritten::Rewritten;
use crate::runtime::{Heap, Runtime};
use crate::session::Session;
use crate::skipped::Skipped;
use crate::subject;

/// Beside a longer run it matters little what the first counting run takes to start.
const SHORT: Duration = Duration::from_secs(10);
/// No class is begun later than that.
const PATIENCE: Duration = Duration::from_secs(2);
/// What part of the room in the heap reading may take: the run is not to fail for it.
const PART_OF_ROOM: u64 = 4;
/// Collectors that are stopped before agents hear that the JVM ends. Any thread of the program that finds the heap full meanwhile, as long as that is, waits for them for ever, and the JVM for it.
const STOPPED: [&CStr; 2] = [c"UseZGC", c"UseShenandoahGC"];
/// Any number will do.
const INDEX: ClassIndex = ClassIndex(0);

/// Whether classes may be rewritten when this run is over. Asked when the VM is initialised, since nothing should be allocated any more once a collector is stopped.
pub fn reader(session: &Session, jni: Jni) -> Option<Reader> {
    let wanted = session.options.mode == Mode::Time && session.options.rewritten.is_some();
    let runtime = session.runtime.get().filter(|_| wanted)?;
    may_linger(runtime, jni).then(|| Reader::find(jni, runtime))?
}

/// Rewrites the classes that the program has loaded, if that was asked for and may be.
pub fn rewrite_loaded(session: &'static Session, jni: Jni) {
    let reader = session.reader.get().copied().flatten();
    let Some(reader) = reader.filter(|_| session.started.elapsed() <= SHORT) else {
        return;
    };
    let counting = AgentOptions {
        mode: Mode::Count,
        ..session.options.clone()
    };
    let (Some(reuse), Some(room)) = (Reuse::of(&counting), reader.heap.room(jni)) else {
        return;
    };
    let least = room - room / PART_OF_ROOM;
    let (reuse, counting) = (Arc::new(reuse), Arc::new(counting));
    let until = Instant::now() + PATIENCE;
    let mut seen = BTreeSet::new();
    for class in session.jvmti.loaded_classes() {
        if let Some(name) = session.jvmti.class_name(class)
            && Instant::now() < until
            && is_counted(session, jni, class, &name)
            && reader.heap.room(jni) >= Some(least)
            && let Some(bytes) = reader.class_file(jni, class, &name.plain)
            && let hash = ClassHash::of(&bytes)
            && seen.insert(hash)
            && reuse.lacks(hash)
        {
            let (reuse, counting) = (Arc::clone(&reuse), Arc::clone(&counting));
            session.worker.post(move || {
                if Instant::now() < until
                    && let Some(rewritten) = rewritten(&counting, &bytes, hash)
                {
                    reuse.keep(INDEX, &rewritten);
                }
            });
        }
        jni.delete_local(class);
    }
    // All of it is done by then.
    let _ = session.worker.run(|| ());
}

/// Whether nothing goes wrong when the end of the JVM takes longer: its collector is known, and still at work.
fn may_linger(runtime: &Runtime, jni: Jni) -> bool {
    let is_on = |option| runtime.management.and_then(|m| m.is_on(jni, option));
    // What every JVM with the table knows shows that it answers.
    is_on(c"UseSerialGC").is_some() && STOPPED.iter().all(|option| is_on(option) != Some(true))
}

/// Whether a counting run takes such a class from what is kept, and no code of the program's is asked for its file. The boot loader's are left out: most are there before the
/// agent can offer any, and the JVM gives them out otherwise than they are in the file.
fn is_counted(session: &Session, jni: Jni, class: jobject, name: &ClassName) -> bool {
    let Some(loader) = session.jvmti.class_loader(class).filter(|l| !l.is_null()) else {
        return false;
    };
    let counted = !name.hidden
        && subject::selected(session, jni, loader, &name.plain)
        && !session.scopes.concerns(&name.plain)
        && is_built_in(session, jni, loader);
    jni.delete_local(loader);
    counted
}

/// Whether a loader is one of the JDK's.
fn is_built_in(session: &Session, jni: Jni, loader: jobject) -> bool {
    let class = jni.class_of(loader);
    let name = session.jvmti.class_name(class);
    jni.delete_local(class);
    name.is_some_and(|name| {
        let plain = name.plain;
        plain.starts_with("jdk/internal/loader/ClassLoaders$")
    })
}

/// A class as a counting run with these options will want it.
fn rewritten(options: &AgentOptions, bytes: &[u8], hash: ClassHash) -> Option<Rewritten> {
    let class = ClassFile::parse(bytes).ok()?;
    let name = class.name();
    let plan = Skipped::of(options, &name, hash).plan(&class, bytes);
    let wiring = Wiring {
        class_index: INDEX.0,
        scopes: &[],
        caught: options.caught,
        ..Wiring::default()
    };
    let rewritten = rewrite(bytes, Some(&plan), &wiring).ok()?;
    Some(Rewritten::of(name, &plan, rewritten, plan.to_bytes().ok()?))
}

/// Reads class files.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    heap: Heap,
    /// `Class.getResourceAsStream(String)`.
    open: Id<jmethodID>,
    /// `InputStream.readAllBytes()`.
    read: Id<jmethodID>,
    /// `InputStream.close()`.
    close: Id<jmethodID>,
}

impl Reader {
    fn find(jni: Jni, runtime: &Runtime) -> Option<Self> {
        let (class, _) = runtime.class_for_name?;
        let stream = jni.find_class(c"java/io/InputStream")?;
        let descriptor = c"(Ljava/lang/String;)Ljava/io/InputStream;";
        Some(Self {
            heap: runtime.heap?,
            open: jni.method(class.0, c"getResourceAsStream", descriptor)?,
            read: jni.method(stream, c"readAllBytes", c"()[B")?,
            close: jni.method(stream, c"close", c"()V")?,
        })
    }

    /// The file of a class where its loader finds it; none if the class was made otherwise.
    fn class_file(self, jni: Jni, class: jobject, name: &str) -> Option<Vec<u8>> {
        let path = CString::new(format!("/{name}.class")).ok()?;
        let path = jni.new_string(&path)?;
        let stream = jni.call_object(class, self.open, &[jvalue { l: path }]);
        jni.delete_local(path);
        let stream = stream?;
        let array = jni.call_object(stream, self.read, &[]);
        jni.call_void(stream, self.close);
        jni.delete_local(stream);
        let array = array?;
        let length = i32::try_from(jni.array_length(array)).ok();
        let bytes = length.and_then(|length| jni.read_bytes(array, 0, length));
        jni.delete_local(array);
        bytes
    }
}
