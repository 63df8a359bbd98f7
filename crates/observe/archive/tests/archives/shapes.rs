//! Archives of every shape: what is rewritten, what is kept, what is refused.

use std::fs;
use std::io::{Cursor, Write as _};
use std::path::Path;

use pricetag_archive::{ArchiveError, Options, Outcome, Program, RUNTIME_CLASS, instrument};
use pricetag_testkit::Counts;
use pricetag_trace::Listed;
use proptest::prelude::*;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::support::{Counting, archive, changed, compile, counts_at, entries, entry, file, tool};

/// How often a method was entered.
fn entries_of(counts: &Counts, class: &str, method: &str) -> u64 {
    let found = counts
        .methods
        .iter()
        .find(|(key, _)| key.class == class && key.name == method);
    found.map_or(0, |(_, pcs)| pcs.get(&0).copied().unwrap_or(0))
}

const MAIN: &str = "package a; public class Main { public static void main(String[] s) { for (int i = 0; i < 3; i++) b.Part.run(); } }";
const PART: &str =
    "package b; public class Part { public static void run() { System.out.print(\"old \"); } }";
const NEWER: &str = "package b; public class Part { public static void run() { System.out.print(\"new \"); run2(); } static void run2() { } }";

#[test]
fn the_committed_class_is_what_its_source_compiles_to() {
    let scratch = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime");
    let source = root.join("pricetag/runtime/Counters.java");
    tool(
        "javac",
        &[
            "--release",
            "8",
            "-g:none",
            "-Xlint:-options",
            "-d",
            scratch.path().to_str().unwrap(),
            source.to_str().unwrap(),
        ],
    );
    let fresh = fs::read(scratch.path().join("pricetag/runtime/Counters.class")).unwrap();
    // Other compilers order the constants otherwise: then compare what the code does.
    if fresh != RUNTIME_CLASS {
        let disassembled = |path: &Path| {
            let text = tool("javap", &["-p", "-c", path.to_str().unwrap()]);
            let lines = text.lines().skip(1).map(|line| {
                let (code, comment) = line.split_once("//").unwrap_or((line, line));
                let operation = code.split('#').next().unwrap_or_default().trim_end();
                format!("{operation} {}", comment.trim())
            });
            lines.collect::<Vec<_>>()
        };
        assert_eq!(
            disassembled(&scratch.path().join("pricetag/runtime/Counters.class")),
            disassembled(&root.join("pricetag/runtime/Counters.class"))
        );
    }
}

#[test]
fn other_entries_stay_as_they_are_and_bytes_repeat() {
    let scratch = tempfile::tempdir().unwrap();
    compile(
        &[("a/Main.java", MAIN), ("b/Part.java", PART)],
        &[],
        scratch.path(),
    );
    let mut all = vec![
        file("META-INF/", ""),
        file(
            "META-INF/MANIFEST.MF",
            "Manifest-Version: 1.0\r\nMain-Class: a.Main\r\n\r\n",
        ),
        file("=data/stored.txt", "stored as it is"),
        file("data/deflated.txt", &"again ".repeat(100)),
        file("broken/Not.class", "no class at all"),
    ];
    all.extend(entries(scratch.path(), ""));
    let jar = archive(&all);
    let outcome = changed(&jar);
    assert_eq!(outcome.bytes, changed(&jar).bytes);
    assert_eq!(outcome.classes, 2);
    assert_eq!(outcome.left.len(), 1, "{:?}", outcome.left);
    assert_eq!(outcome.left[0].class, "broken/Not");
    let mut names: Vec<String> = Vec::new();
    let mut reader = ZipArchive::new(Cursor::new(&outcome.bytes)).unwrap();
    for index in 0..reader.len() {
        names.push(
            reader
                .by_index_raw(index)
                .unwrap()
                .name()
                .unwrap()
                .into_owned(),
        );
    }
    let original: Vec<&str> = all
        .iter()
        .map(|(name, _)| name.trim_start_matches('='))
        .collect();
    assert_eq!(names[..original.len()], original);
    for (name, bytes) in all.iter().filter(|(name, _)| !name.ends_with('/')) {
        let plain = name.trim_start_matches('=');
        let (found, method) = entry(&outcome.bytes, plain);
        let stored = name.starts_with('=');
        assert_eq!(method == CompressionMethod::Stored, stored, "{name}");
        let rewritten = plain == "a/Main.class" || plain == "b/Part.class";
        assert_eq!(&found != bytes, rewritten, "{name}");
    }
    let again = instrument(&outcome.bytes, &Options::default());
    assert!(matches!(again, Err(ArchiveError::Instrumented)));
}

/// Spring Boot unpacks the libraries that such a comment marks.
#[test]
fn a_library_that_is_rewritten_keeps_its_comment_and_mode() {
    let scratch = tempfile::tempdir().unwrap();
    compile(&[("b/Part.java", PART)], &[], scratch.path());
    let library = archive(&entries(scratch.path(), ""));
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .unix_permissions(0o750);
    let options = options.into_full_options().with_file_comment("UNPACK:0f1e");
    let name = "BOOT-INF/lib/part.jar";
    writer.start_file(name, options).unwrap();
    writer.write_all(&library).unwrap();
    let outcome = changed(&writer.finish().unwrap().into_inner());
    assert_ne!(entry(&outcome.bytes, name).0, library);
    let mut reader = ZipArchive::new(Cursor::new(&outcome.bytes)).unwrap();
    let found = reader.by_name(name).unwrap();
    assert_eq!(found.comment(), "UNPACK:0f1e");
    assert_eq!(found.unix_mode(), Some(0o100_750));
    assert_eq!(found.compression(), CompressionMethod::Stored);
}

#[test]
fn a_library_with_a_damaged_class_is_left() {
    let scratch = tempfile::tempdir().unwrap();
    let sources = [("a/Main.java", MAIN), ("b/Part.java", PART)];
    compile(&sources, &[], scratch.path());
    let stored: Vec<_> = entries(scratch.path(), "=");
    let mut library = archive(&stored);
    let (name, class) = &stored[1];
    assert_eq!(name, "=b/Part.class");
    let at = library.windows(class.len()).position(|part| part == class);
    library[at.unwrap() + class.len() / 2] ^= 1;
    let own = ("BOOT-INF/classes/b/Part.class".to_owned(), class.clone());
    let part = ("=BOOT-INF/lib/part.jar".to_owned(), library.clone());
    for jar in [[own.clone(), part.clone()], [part, own]] {
        let outcome = changed(&archive(&jar));
        assert_eq!((outcome.classes, outcome.methods), (1, 2));
        assert_eq!(entry(&outcome.bytes, "BOOT-INF/lib/part.jar").0, library);
        let [left] = &outcome.left[..] else {
            panic!("{:?}", outcome.left);
        };
        assert_eq!(left.class, "BOOT-INF/lib/part.jar");
        let why = "entry b/Part.class cannot be read";
        assert!(left.reason.starts_with(why), "{}", left.reason);
    }
}

/// Runs the class `a.Main` of an archive and reads its counts.
fn run(outcome: &Outcome) -> Counts {
    let counting = Counting::new(&outcome.bytes);
    let counts = counting.jar.with_file_name("run.counts");
    let property = format!("-Dpricetag.counts={}", counts.display());
    let jar = counting.jar.to_str().unwrap();
    tool("java", &[&property, "-cp", jar, "a.Main"]);
    counting.derive(&counts).expect("it ends by itself")
}

#[test]
fn a_list_of_methods_restricts_what_counts() {
    let scratch = tempfile::tempdir().unwrap();
    let classes = scratch.path().join("c");
    compile(
        &[("a/Main.java", MAIN), ("b/Part.java", NEWER)],
        &[],
        &classes,
    );
    let options = Options {
        listed: Listed::Methods(["b/Part.run()V".parse().unwrap()].into()),
        ..Options::default()
    };
    let outcome = instrument(&archive(&entries(&classes, "")), &options).unwrap();
    assert_eq!((outcome.classes, outcome.methods), (1, 1));
    assert!(outcome.left.is_empty(), "{:?}", outcome.left);
    let counts = run(&outcome);
    assert_eq!(entries_of(&counts, "b/Part", "run"), 3);
    assert!(counts.methods.keys().all(|method| method.name == "run"));
}

#[test]
fn a_list_of_blocks_restricts_what_counts() {
    let scratch = tempfile::tempdir().unwrap();
    let classes = scratch.path().join("c");
    let sources = [("a/Main.java", MAIN), ("b/Part.java", NEWER)];
    compile(&sources, &[], &classes);
    let listed = [
        "a.Main.main(String[]) block 2 (Main.java:1)",
        "a.Main.main(String[]) block 9",
        "b.Part.run() block 0 (Part.java:7)",
        "b.None.run() block 0",
    ];
    let listed = listed.map(|name| name.parse().unwrap());
    let options = Options {
        listed: Listed::Blocks(listed.into()),
        ..Options::default()
    };
    let outcome = instrument(&archive(&entries(&classes, "")), &options).unwrap();
    assert_eq!((outcome.classes, outcome.methods), (2, 2));
    let notes = outcome.notes.join("; ");
    assert_eq!(outcome.notes.len(), 3, "{notes}");
    assert!(notes.contains("names a.Main.main(String[]) block 9, which no class"));
    assert!(notes.contains("names b.None.run() block 0, which no class"));
    assert!(notes.contains("(Part.java:7), but that block is at Part.java:1"));
    let counts = run(&outcome);
    assert_eq!(entries_of(&counts, "b/Part", "run"), 3);
    let main = counts.methods.iter().find(|(m, _)| m.name == "main");
    let (_, main) = main.expect("main is counted");
    // The body of the loop, and nothing that its counter does not tell.
    assert!(main.values().all(|count| *count == 3), "{main:?}");
    assert!(!main.is_empty());
}

#[test]
fn a_jvm_that_halts_leaves_a_file_that_says_so() {
    let scratch = tempfile::tempdir().unwrap();
    let halt = "public class Halt { public static void main(String[] a) { Runtime.getRuntime().halt(0); } }";
    compile(&[("Halt.java", halt)], &[], &scratch.path().join("c"));
    let outcome = changed(&archive(&entries(&scratch.path().join("c"), "")));
    let (jar, counts) = (
        scratch.path().join("h.jar"),
        scratch.path().join("h.counts"),
    );
    fs::write(&jar, &outcome.bytes).unwrap();
    let property = format!("-Dpricetag.counts={}", counts.display());
    tool("java", &[&property, "-cp", jar.to_str().unwrap(), "Halt"]);
    tool("java", &[&property, "-cp", jar.to_str().unwrap(), "Halt"]);
    let files = counts_at(&counts);
    assert_eq!(files.len(), 2, "a second run writes a file of its own");
    let trace = Program::read(&outcome.bytes)
        .unwrap()
        .trace(&files)
        .unwrap();
    assert!(!trace.complete && trace.incomplete_reason().is_some());
}

/// Such a thread has no frames yet: counts were written while it began to run.
#[test]
fn hooks_that_were_just_started_are_waited_for() {
    let scratch = tempfile::tempdir().unwrap();
    let main = "package a; public class Main { static int n; static void hook() { for (int i = 0; i < 7; i++) n += i; } \
                public static void main(String[] s) { for (int i = 0; i < 200; i++) Runtime.getRuntime().addShutdownHook(new Thread(Main::hook)); } }";
    compile(&[("a/Main.java", main)], &[], scratch.path());
    let counts = run(&changed(&archive(&entries(scratch.path(), ""))));
    assert_eq!(entries_of(&counts, "a/Main", "hook"), 200);
    assert_eq!(counts.inexact, [""; 0]);
}

/// They say that they are equal, and each loses its thread locals once, and so is known twice.
#[test]
fn threads_are_told_apart_and_known_once() {
    let scratch = tempfile::tempdir().unwrap();
    let main = r#"package a;
        import java.util.concurrent.CountDownLatch;
        public class Main extends Thread {
            static final CountDownLatch UP = new CountDownLatch(3), NEVER = new CountDownLatch(1);
            static void step() { }
            public int hashCode() { return 1; }
            public boolean equals(Object other) { return true; }
            public void run() {
                try {
                    step();
                    java.lang.reflect.Field locals = Thread.class.getDeclaredField("threadLocals");
                    locals.setAccessible(true);
                    locals.set(this, null);
                    step();
                    UP.countDown();
                    NEVER.await();
                } catch (Exception e) { e.printStackTrace(); }
            }
            public static void main(String[] s) throws Exception {
                for (int i = 0; i < 3; i++) { Main m = new Main(); m.setDaemon(true); m.start(); }
                UP.await();
            }
        }"#;
    compile(&[("a/Main.java", main)], &[], &scratch.path().join("c"));
    let outcome = changed(&archive(&entries(&scratch.path().join("c"), "")));
    let counting = Counting::new(&outcome.bytes);
    let counts = counting.jar.with_file_name("run.counts");
    let property = format!("-Dpricetag.counts={}", counts.display());
    let opens = "--add-opens=java.base/java.lang=ALL-UNNAMED";
    let jar = counting.jar.to_str().unwrap();
    tool("java", &[&property, opens, "-cp", jar, "a.Main"]);
    let alive = counts_at(&counts).remove(0).threads;
    assert_eq!(alive.len(), 3, "{alive:?}");
    let counts = counting.derive(&counts).expect("it ends by itself");
    assert_eq!(entries_of(&counts, "a/Main", "step"), 6);
}

#[test]
fn hostile_archives_are_errors() {
    let error = |bytes: &[u8]| {
        instrument(bytes, &Options::default())
            .expect_err("refused")
            .to_string()
    };
    assert!(error(b"").contains("not a readable jar"));
    assert!(error(b"PK\x03\x04 and so on").contains("not a readable jar"));
    for name in ["../x.txt", "/etc/x", "a/../../x", "C:\\x"] {
        let slip = archive(&[file("a.txt", "a"), file(name, "b")]);
        assert!(
            error(&slip).contains("leads out"),
            "{name}: {}",
            error(&slip)
        );
    }
    let whole = archive(&[file("a/B.class", "no class"), file("c.txt", "text")]);
    for length in 0..whole.len() {
        let _ = instrument(&whole[..length], &Options::default());
    }
}

proptest! {
    #[test]
    fn damaged_archives_are_answered(at in any::<prop::sample::Index>(), bit in 0u8..8, other in any::<prop::sample::Index>()) {
        let mut bytes = archive(&[("a/B.class".to_owned(), RUNTIME_CLASS.to_vec()), file("WEB-INF/lib/x.jar", "PK"), file("=c.txt", "text")]);
        let (at, other) = (at.index(bytes.len()), other.index(bytes.len()));
        bytes[at] ^= 1 << bit;
        bytes[other] = 0xff;
        if let Ok(outcome) = instrument(&bytes, &Options::default()) {
            prop_assert!(Program::read(&outcome.bytes).is_ok());
        }
    }
}
