//! While one thread alone counts the helper asks no thread who it is; whatever runs counted code beside it, not a count is lost.

mod support;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use pricetag_testkit::jvm::java_tool;
use pricetag_testkit::{Counts, Machine, MethodKey, Testbed};
use pricetag_trace::{AgentOptions, Mode, Pattern};
use support::{agent, execute};

/// How often each of the two threads calls the method.
const CALLS: u64 = 300_000;
/// How often the main thread calls it, besides, by a stub for native code.
const WARM: u64 = 60_000;
/// First release that shows agents every thread which may run a program's code.
const ALL_SHOWN: u16 = 17;

const SECOND: &str = r#"
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.stream.*;

public class Second {
    static final int CALLS = 300_000, WARM = 60_000;
    static final CountDownLatch BEGUN = new CountDownLatch(1), DONE = new CountDownLatch(1);
    static final AtomicBoolean ONCE = new AtomicBoolean();

    static int step(int n) { return n + 1; }

    static void many() { for (int n = 0; n < CALLS; ) n = step(n); }

    /** What a second thread runs, the first time. */
    static void beside() {
        if (!ONCE.compareAndSet(false, true)) return;
        BEGUN.countDown();
        many();
        DONE.countDown();
    }

    /** Asked, until JDK 18, whether a thread may be attached, by that thread. */
    static class Manager extends SecurityManager {
        @Override public void checkPermission(java.security.Permission permission) {}

        @Override public void checkAccess(ThreadGroup group) {
            if (Thread.currentThread().getName().equals("DestroyJavaVM")) beside();
        }
    }

    static native void attach();

    /** What native code calls. */
    static void called(long calls) { while (calls-- > 0) step(0); }

    /** A thread that C makes calls `called` by a stub; the main thread did before, until all of that was compiled. */
    static void upcall() throws Throwable {
        Class<?> linkers = Class.forName("java.lang.foreign.Linker"), functions = Class.forName("java.lang.foreign.FunctionDescriptor"),
            layouts = Class.forName("java.lang.foreign.MemoryLayout"), values = Class.forName("java.lang.foreign.ValueLayout"), arenas = Class.forName("java.lang.foreign.Arena"),
            segments = Class.forName("java.lang.foreign.MemorySegment");
        Object options = Array.newInstance(Class.forName("java.lang.foreign.Linker$Option"), 0);
        Object linker = linkers.getMethod("nativeLinker").invoke(null), lookup = linkers.getMethod("defaultLookup").invoke(linker), arena = arenas.getMethod("global").invoke(null);
        Object number = values.getField("JAVA_LONG").get(null), pointer = values.getField("ADDRESS").get(null);
        Object start = functions.getMethod("ofVoid", all(layouts)).invoke(null, array(layouts, number));
        Object create = functions.getMethod("of", layouts, all(layouts)).invoke(null, number, array(layouts, pointer, pointer, pointer, number));
        Object join = functions.getMethod("of", layouts, all(layouts)).invoke(null, number, array(layouts, number, pointer));
        Method downcall = linkers.getMethod("downcallHandle", segments, functions, options.getClass());
        Method find = Class.forName("java.lang.foreign.SymbolLookup").getMethod("find", String.class);
        MethodHandle target = MethodHandles.lookup().findStatic(Second.class, "called", MethodType.methodType(void.class, long.class));
        Object stub = linkers.getMethod("upcallStub", MethodHandle.class, functions, arenas, options.getClass()).invoke(linker, target, start, arena, options);
        MethodHandle call = (MethodHandle) downcall.invoke(linker, stub, start, options);
        for (int n = 0; n < WARM; n++) call.invoke(1L);
        Object none = segments.getField("NULL").get(null), id = Class.forName("java.lang.foreign.SegmentAllocator").getMethod("allocate", long.class).invoke(arena, 8L);
        Object symbol = ((Optional<?>) find.invoke(lookup, "pthread_create")).get();
        ((MethodHandle) downcall.invoke(linker, symbol, create, options)).invokeWithArguments(id, none, stub, (long) CALLS);
        many();
        long thread = (Long) segments.getMethod("get", Class.forName("java.lang.foreign.ValueLayout$OfLong"), long.class).invoke(id, number, 0L);
        symbol = ((Optional<?>) find.invoke(lookup, "pthread_join")).get();
        ((MethodHandle) downcall.invoke(linker, symbol, join, options)).invokeWithArguments(thread, none);
    }

    static Class<?> all(Class<?> of) { return Array.newInstance(of, 0).getClass(); }

    static Object array(Class<?> of, Object... elements) {
        Object array = Array.newInstance(of, elements.length);
        for (int i = 0; i < elements.length; i++) Array.set(array, i, elements[i]);
        return array;
    }

    static class Finalised {
        @Override protected void finalize() { beside(); }
    }

    public static void main(String[] args) throws Throwable {
        many();
        Runnable beside = Second::beside;
        switch (args[0]) {
            case "nobody": return;
            case "thread": new Thread(beside).start(); break;
            case "pool": Executors.newSingleThreadExecutor(r -> { Thread t = new Thread(r); t.setDaemon(true); return t; }).submit(beside); break;
            case "timer": new Timer(true).schedule(new TimerTask() { @Override public void run() { beside(); } }, 1); break;
            case "finalizer": for (int i = 0; i < 10; i++) new Finalised(); break;
            case "cleaner": java.lang.ref.Cleaner.create().register(new Object(), beside); break;
            case "signal":
                sun.misc.Signal.handle(new sun.misc.Signal("WINCH"), signal -> beside());
                sun.misc.Signal.raise(new sun.misc.Signal("WINCH"));
                break;
            case "notification":
                for (Object bean : java.lang.management.ManagementFactory.getGarbageCollectorMXBeans())
                    ((javax.management.NotificationEmitter) bean).addNotificationListener((n, back) -> beside(), null, null);
                break;
            case "parallel":
                Thread main = Thread.currentThread();
                new Thread(() -> IntStream.range(0, 1000).parallel().forEach(i -> { if (Thread.currentThread() != main) beside(); })).start();
                break;
            case "virtual": Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, beside); break;
            case "hook": Runtime.getRuntime().addShutdownHook(new Thread(beside)); many(); return;
            case "budget": // much code of the JDK's alone, on other threads
                LongStream.range(0, 300_000).parallel().boxed().sorted(Comparator.reverseOrder()).count();
                new Thread(beside).start();
                break;
            case "attached":
                System.load(System.getProperty("java.class.path") + "/libasked.so");
                attach();
                break;
            case "upcall": upcall(); return;
            case "manager":
                System.setSecurityManager(new Manager());
                many();
                return;
            case "end": // by the thread that ends the JVM, when the main thread is gone
                Runtime.getRuntime().addShutdownHook(new Thread() { @Override public void start() { beside(); super.start(); } });
                many();
                return;
            default: throw new IllegalArgumentException(args[0]);
        }
        while (!BEGUN.await(1, TimeUnit.MILLISECONDS)) System.gc();
        many();
        DONE.await();
    }
}
"#;

/// An agent that has Java code run on whichever thread changes a class; and a thread of C's that calls Java.
const ASKED: &str = r#"
#include <jvmti.h>
#include <pthread.h>

static JavaVM *machine;
static jclass second;

static void *attached(void *nothing) {
    JNIEnv *jni;
    if ((*machine)->AttachCurrentThread(machine, (void **) &jni, NULL) == JNI_OK) {
        (*jni)->CallStaticVoidMethod(jni, second, (*jni)->GetStaticMethodID(jni, second, "beside", "()V"));
        (*machine)->DetachCurrentThread(machine);
    }
    return nothing;
}

JNIEXPORT void JNICALL Java_Second_attach(JNIEnv *jni, jclass class) {
    pthread_t thread;
    (*jni)->GetJavaVM(jni, &machine);
    second = (*jni)->NewGlobalRef(jni, class);
    if (pthread_create(&thread, NULL, attached, NULL) == 0) pthread_detach(thread);
}

static void JNICALL class_file(jvmtiEnv *jvmti, JNIEnv *jni, jclass changed, jobject loader, const char *name, jobject domain, jint length,
        const unsigned char *bytes, jint *new_length, unsigned char **new_bytes) {
    if (changed == NULL) return;
    jclass integer = (*jni)->FindClass(jni, "java/lang/Integer");
    jmethodID text = (*jni)->GetStaticMethodID(jni, integer, "toString", "(I)Ljava/lang/String;");
    (*jni)->CallStaticObjectMethod(jni, integer, text, 5);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    jvmtiEnv *jvmti;
    jvmtiEventCallbacks callbacks = { .ClassFileLoadHook = class_file };
    return (*vm)->GetEnv(vm, (void **) &jvmti, JVMTI_VERSION_11) != JNI_OK
        || (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks)
        || (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}
"#;

/// What may count beside the main thread.
struct Kind {
    /// The program's argument.
    name: &'static str,
    /// Options of the JVM.
    options: &'static [&'static str],
    /// Releases that have it.
    on: RangeInclusive<u16>,
    /// Threads that are not shown to agents until this release.
    hidden_until: u16,
}

/// Every way by which a thread comes to counted code.
fn kinds() -> Vec<Kind> {
    let kind = |name| Kind {
        name,
        options: &[],
        on: 0..=u16::MAX,
        hidden_until: 0,
    };
    let names =
        "nobody thread pool timer finalizer cleaner signal parallel hook end budget attached";
    let mut kinds: Vec<Kind> = names.split(' ').map(kind).collect();
    kinds.extend([
        Kind {
            hidden_until: ALL_SHOWN - 1,
            ..kind("notification")
        },
        Kind {
            options: &["-XX:-UseNotificationThread"],
            on: ALL_SHOWN..=24,
            hidden_until: u16::MAX,
            ..kind("notification")
        },
        Kind {
            on: 21..=u16::MAX,
            ..kind("virtual")
        },
        Kind {
            options: &["-Xbatch", "--enable-native-access=ALL-UNNAMED"],
            on: 21..=u16::MAX,
            ..kind("upcall")
        },
        Kind {
            on: 0..=18,
            ..kind("manager")
        },
    ]);
    kinds
}

/// How often `step` was called in a run, and how often the helper was changed.
fn second(machine: &Machine, classes: &Path, kind: &Kind) -> (u64, usize) {
    let name = format!("{} {:?} on {}", kind.name, kind.options, machine.name);
    let scratch = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| scratch.path().join(name);
    let options = AgentOptions {
        plans: Some(at("plans")),
        include: vec!["Second*".parse::<Pattern>().expect("a pattern")],
        ..AgentOptions::new(Mode::Count, at("trace"))
    };
    options.write(&at("options")).expect("options");
    let mut java = Command::new(&machine.java);
    java.arg(format!(
        "-agentpath:{}={}",
        agent().display(),
        at("options").display()
    ));
    java.arg(format!("-agentpath:{}", asked(classes).display()));
    java.arg(format!(
        "-Xlog:redefine+class+load=info:file={}",
        at("log").display()
    ));
    java.args(kind.options).arg("-cp").arg(classes);
    java.args(["Second", kind.name]);
    let outcome = execute(java);
    // Of security managers, JDK 17, and of native code, JDK 25.
    let errors: Vec<&str> = outcome.error.lines().collect();
    let silent = errors
        .iter()
        .all(|line| line.is_empty() || line.starts_with("WARNING: "));
    assert!(
        outcome.status == Some(0) && silent,
        "{name}: {:?}, {errors:?}",
        outcome.status
    );
    let counts = Counts::from_trace(&at("trace"), &at("plans")).expect("counts");
    let hidden = usize::from(machine.feature <= kind.hidden_until);
    let caveats = &counts.inexact;
    assert_eq!(caveats.len(), hidden, "{name}: {caveats:?}");
    let step = counts.methods.get(&MethodKey {
        class: "Second".into(),
        name: "step".into(),
        descriptor: "(I)I".into(),
    });
    let log = std::fs::read_to_string(at("log")).expect("the JVM's log");
    let changes = log.matches("redefined name=java.lang.Pricetag").count();
    (step.expect("counted")[&0], changes)
}

/// The library of [`ASKED`].
fn asked(directory: &Path) -> PathBuf {
    directory.join("libasked.so")
}

/// Builds it there.
fn build_asked(directory: &Path) {
    let source = directory.join("asked.c");
    std::fs::write(&source, ASKED).expect("the source is written");
    let settings = Command::new(java_tool("java"))
        .args(["-XshowSettings:properties", "-version"])
        .output()
        .expect("a JDK");
    let settings = String::from_utf8_lossy(&settings.stderr).into_owned();
    let home = settings
        .lines()
        .find_map(|line| line.trim().strip_prefix("java.home = "))
        .expect("the JDK's home");
    let include = Path::new(home).join("include");
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-pthread", "-o"])
        .arg(asked(directory));
    cc.arg(format!("-I{}", include.display()));
    cc.arg(format!("-I{}", include.join("linux").display()));
    let built = cc.arg(source).output().expect("a C compiler");
    assert!(built.status.success(), "{built:?}");
}

#[test]
fn whatever_counts_beside_the_main_thread_loses_nothing() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let source = directory.path().join("Second.java");
    std::fs::write(&source, SECOND).expect("the source is written");
    let compiled = Command::new(java_tool("javac"))
        .args(["--release", "11", "-nowarn", "-d"])
        .args([directory.path(), &source])
        .output()
        .expect("a JDK");
    assert!(compiled.status.success(), "{compiled:?}");
    build_asked(directory.path());
    let machines = Testbed::locate().runtimes();
    let machines = machines.expect("the JDKs of the conformance suite");
    let kinds = kinds();
    let runs = machines.iter().flat_map(|machine| {
        let offered = move |kind: &&Kind| kind.on.contains(&machine.feature);
        kinds
            .iter()
            .filter(offered)
            .map(move |kind| (machine, kind))
    });
    let runs = Mutex::new(runs);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some((machine, kind)) = runs.lock().expect("no panic").next() else {
                        break;
                    };
                    let name = format!("{} {:?} on {}", kind.name, kind.options, machine.name);
                    let (calls, changes) = second(machine, directory.path(), kind);
                    let (expected, changed) = match kind.name {
                        "nobody" => (CALLS, 1),
                        "upcall" => (3 * CALLS + WARM, 2),
                        _ => (3 * CALLS, 2),
                    };
                    assert_eq!(calls, expected, "{name}");
                    let changed = if machine.feature >= ALL_SHOWN {
                        changed
                    } else {
                        0
                    };
                    assert_eq!(changes, changed, "{name}");
                }
            });
        }
    });
}
