//! Archives of every shape: what is rewritten, what is kept, what is refused, and that the result runs.

mod support;

use std::fs;
use std::io::{Cursor, Read as _};
use std::path::Path;
use std::process::Command;

use pricetag_archive::{ArchiveError, Options, Outcome, Program, RUNTIME_CLASS, instrument};
use pricetag_testkit::Testbed;
use pricetag_testkit::jvm::java_tool;
use pricetag_trace::Listed;
use proptest::prelude::*;
use support::{archive, counts_at, derived, entries};
use zip::{CompressionMethod, ZipArchive};

/// Runs a tool of the JDK and wants it to succeed.
fn tool(name: &str, arguments: &[&str]) -> String {
    let output = Command::new(java_tool(name))
        .args(arguments)
        .output()
        .expect("there is a JDK");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{name} {arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Compiles sources, given by file name, into `into`.
fn compile(sources: &[(&str, &str)], options: &[&str], into: &Path) {
    let scratch = tempfile::tempdir().unwrap();
    let mut arguments = options.to_vec();
    let paths: Vec<String> = sources
        .iter()
        .map(|(name, text)| {
            let path = scratch.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect();
    arguments.extend(["-g", "-proc:none", "-d", into.to_str().unwrap()]);
    arguments.extend(paths.iter().map(String::as_str));
    tool("javac", &arguments);
}

fn file(name: &str, text: &str) -> (String, Vec<u8>) {
    (name.to_owned(), text.as_bytes().to_vec())
}

fn changed(archive: &[u8]) -> Outcome {
    instrument(archive, &Options::default()).expect("it can be instrumented")
}

/// The contents and compression of an entry.
fn entry(archive: &[u8], name: &str) -> (Vec<u8>, CompressionMethod) {
    let mut reader = ZipArchive::new(Cursor::new(archive)).unwrap();
    let mut entry = reader.by_name(name).unwrap_or_else(|_| panic!("{name}"));
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes).unwrap();
    (bytes, entry.compression())
}

/// How often a method was entered.
fn entries_of(counts: &pricetag_testkit::Counts, class: &str, method: &str) -> u64 {
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

/// Compiles [`MAIN`] and its library [`PART`] into folders of their own.
fn compile_apart(main: &Path, part: &Path) {
    compile(&[("b/Part.java", PART)], &[], part);
    let library = part.to_str().unwrap();
    compile(&[("a/Main.java", MAIN)], &["-cp", library], main);
}

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

/// Runs a jar with options and reads its counts.
fn run(
    outcome: &Outcome,
    scratch: &Path,
    options: &[&str],
    last: &[&str],
) -> (String, pricetag_testkit::Counts) {
    let (jar, counts) = (scratch.join("out.jar"), scratch.join("run.counts"));
    fs::write(&jar, &outcome.bytes).unwrap();
    let property = format!("-Dpricetag.counts={}", counts.display());
    let jar = jar.to_str().unwrap().to_owned();
    let mut arguments = vec![property.as_str()];
    arguments.extend(
        options
            .iter()
            .map(|o| if *o == "JAR" { jar.as_str() } else { o }),
    );
    arguments.extend(last);
    let output = tool("java", &arguments);
    (
        output,
        derived(&outcome.bytes, &counts_at(&counts), scratch),
    )
}

#[test]
fn a_multi_release_jar_counts_the_version_that_runs() {
    let scratch = tempfile::tempdir().unwrap();
    let (base, newer) = (scratch.path().join("base"), scratch.path().join("newer"));
    compile(
        &[("a/Main.java", MAIN), ("b/Part.java", PART)],
        &["--release", "8", "-Xlint:-options"],
        &base,
    );
    compile(&[("b/Part.java", NEWER)], &["--release", "11"], &newer);
    let manifest = "Manifest-Version: 1.0\r\nMain-Class: a.Main\r\nMulti-Release: true\r\n\r\n";
    let mut all = vec![file("META-INF/MANIFEST.MF", manifest)];
    all.extend(entries(&base, ""));
    all.extend(entries(&newer, "META-INF/versions/11/"));
    let outcome = changed(&archive(&all));
    assert_eq!(outcome.classes, 3);
    let (output, counts) = run(&outcome, scratch.path(), &["-jar", "JAR"], &[]);
    assert_eq!(output, "new new new ");
    assert_eq!(entries_of(&counts, "b/Part", "run2"), 3);
    assert_eq!(entries_of(&counts, "a/Main", "main"), 1);
}

#[test]
fn a_module_finds_the_counters_in_itself() {
    let scratch = tempfile::tempdir().unwrap();
    let classes = scratch.path().join("classes");
    let module = "module m { exports a; }";
    compile(
        &[
            ("module-info.java", module),
            ("a/Main.java", MAIN),
            ("b/Part.java", PART),
        ],
        &["--release", "11"],
        &classes,
    );
    let plain = scratch.path().join("m.jar");
    // The tool writes the list of packages into the module's description.
    tool(
        "jar",
        &[
            "--create",
            "--file",
            plain.to_str().unwrap(),
            "--main-class",
            "a.Main",
            "-C",
            classes.to_str().unwrap(),
            ".",
        ],
    );
    let jar = fs::read(&plain).unwrap();
    let outcome = changed(&jar);
    assert_ne!(
        entry(&jar, "module-info.class").0,
        entry(&outcome.bytes, "module-info.class").0
    );
    let (output, counts) = run(&outcome, scratch.path(), &["-p", "JAR", "-m", "m"], &[]);
    assert_eq!(output, "old old old ");
    assert_eq!(entries_of(&counts, "b/Part", "run"), 3);
}

/// A launcher in the manner of Spring Boot: classes and libraries below a folder, loaded by a loader of its own.
const LAUNCHER: &str = r#"
import java.io.*; import java.net.*; import java.nio.file.*; import java.util.*; import java.util.jar.*;
public class Launcher {
    public static void main(String[] args) throws Exception {
        String self = Launcher.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        final Map<String, byte[]> classes = new HashMap<>();
        try (JarFile jar = new JarFile(self)) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                if (entry.getName().startsWith("BOOT-INF/classes/") && !entry.isDirectory())
                    classes.put(entry.getName().substring(17), jar.getInputStream(entry).readAllBytes());
                if (entry.getName().startsWith("BOOT-INF/lib/") && entry.getName().endsWith(".jar")) {
                    if (entry.getMethod() != 0) throw new IOException("compressed library");
                    JarInputStream in = new JarInputStream(jar.getInputStream(entry));
                    for (JarEntry e; (e = in.getNextJarEntry()) != null; ) classes.put(e.getName(), in.readAllBytes());
                }
            }
        }
        ClassLoader loader = new ClassLoader(Launcher.class.getClassLoader()) {
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                byte[] b = classes.get(name.replace('.', '/') + ".class");
                if (b == null) throw new ClassNotFoundException(name);
                return defineClass(name, b, 0, b.length);
            }
        };
        loader.loadClass("a.Main").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    }
}
"#;

#[test]
fn classes_of_nested_libraries_count() {
    let scratch = tempfile::tempdir().unwrap();
    let [launcher, main, part] = ["l", "m", "p"].map(|name| scratch.path().join(name));
    compile_apart(&main, &part);
    compile(&[("Launcher.java", LAUNCHER)], &[], &launcher);
    let library = archive(&entries(&part, ""));
    let mut all = vec![file(
        "META-INF/MANIFEST.MF",
        "Manifest-Version: 1.0\r\nMain-Class: Launcher\r\n\r\n",
    )];
    all.extend(entries(&launcher, ""));
    all.extend(entries(&main, "BOOT-INF/classes/"));
    all.push(("=BOOT-INF/lib/part.jar".to_owned(), library.clone()));
    all.push(("elsewhere/part.jar".to_owned(), library.clone()));
    let signed = archive(&[
        file("META-INF/X.SF", "Signature-Version: 1.0"),
        entries(&part, "").remove(0),
    ]);
    all.push(("=BOOT-INF/lib/signed.jar".to_owned(), signed.clone()));
    let outcome = changed(&archive(&all));
    assert_eq!(entry(&outcome.bytes, "elsewhere/part.jar").0, library);
    assert_eq!(entry(&outcome.bytes, "BOOT-INF/lib/signed.jar").0, signed);
    assert!(
        outcome.left.iter().any(|l| l.reason.contains("signed")),
        "{:?}",
        outcome.left
    );
    assert_eq!(
        entry(&outcome.bytes, "BOOT-INF/lib/part.jar").1,
        CompressionMethod::Stored
    );
    // Of two copies of a class the first library's is loaded by this launcher's map last: leave the signed one out.
    let without: Vec<_> = all
        .iter()
        .filter(|(name, _)| !name.contains("signed"))
        .cloned()
        .collect();
    let outcome = changed(&archive(&without));
    let (output, counts) = run(&outcome, scratch.path(), &["-jar", "JAR"], &[]);
    assert_eq!(output, "old old old ");
    assert_eq!(entries_of(&counts, "b/Part", "run"), 3);
    assert_eq!(entries_of(&counts, "Launcher", "main"), 1);
}

/// Spring Boot's own launchers, of executable jars and wars, with a library in the archive.
#[test]
fn spring_boot_launches_what_was_rewritten() {
    let scratch = tempfile::tempdir().unwrap();
    let [main, part, loader] = ["m", "p", "l"].map(|name| scratch.path().join(name));
    compile_apart(&main, &part);
    let testbed = Testbed::locate();
    let jar = fs::read(testbed.file("spring-boot-loader-3.3.5.jar").unwrap()).unwrap();
    let mut reader = ZipArchive::new(Cursor::new(&jar)).unwrap();
    reader.extract(&loader).unwrap();
    let launchers = loader.join("org");
    for (launcher, below) in [("JarLauncher", "BOOT-INF"), ("WarLauncher", "WEB-INF")] {
        let manifest = format!(
            "Manifest-Version: 1.0\r\nMain-Class: org.springframework.boot.loader.launch.{launcher}\r\nStart-Class: a.Main\r\n\
             Spring-Boot-Classes: {below}/classes/\r\nSpring-Boot-Lib: {below}/lib/\r\n\r\n"
        );
        let mut all = vec![file("META-INF/MANIFEST.MF", &manifest)];
        all.extend(entries(&launchers, "org/"));
        // The launchers look these folders up.
        all.push(file(&format!("{below}/classes/"), ""));
        all.extend(entries(&main, &format!("{below}/classes/")));
        all.push(file(&format!("{below}/lib/"), ""));
        let library = archive(&entries(&part, ""));
        all.push((format!("={below}/lib/part.jar"), library));
        let outcome = changed(&archive(&all));
        let scratch = tempfile::tempdir().unwrap();
        let (output, counts) = run(&outcome, scratch.path(), &["-jar", "JAR"], &[]);
        assert_eq!(output, "old old old ", "{launcher}");
        assert_eq!(entries_of(&counts, "b/Part", "run"), 3, "{launcher}");
        assert_eq!(entries_of(&counts, "a/Main", "main"), 1, "{launcher}");
        // Of a war only what lies below WEB-INF sees the counters.
        let package = "org/springframework/boot/loader/launch";
        let started = entries_of(&counts, &format!("{package}/{launcher}"), "main");
        assert_eq!(started, u64::from(launcher == "JarLauncher"), "{launcher}");
    }
}

#[test]
fn a_war_keeps_the_counters_where_its_classes_are() {
    let scratch = tempfile::tempdir().unwrap();
    let [main, part] = ["m", "p"].map(|name| scratch.path().join(name));
    compile_apart(&main, &part);
    let mut all = vec![file("WEB-INF/web.xml", "<web-app/>")];
    all.extend(entries(&main, "WEB-INF/classes/"));
    all.push((
        "WEB-INF/lib/part.jar".to_owned(),
        archive(&entries(&part, "")),
    ));
    all.extend(entries(&part, ""));
    let outcome = changed(&archive(&all));
    assert_eq!(
        (outcome.classes, outcome.left.len()),
        (2, 1),
        "{:?}",
        outcome.left
    );
    assert!(outcome.left[0].reason.contains("WEB-INF"));
    // Laid out as a container does: classes and libraries in one loader.
    let root = scratch.path().join("root");
    let mut reader = ZipArchive::new(Cursor::new(&outcome.bytes)).unwrap();
    reader.extract(&root).unwrap();
    let path = format!(
        "{0}/WEB-INF/classes:{0}/WEB-INF/lib/part.jar",
        root.display()
    );
    let (output, counts) = run(&outcome, scratch.path(), &["-cp", &path], &["a.Main"]);
    assert_eq!(output, "old old old ");
    assert_eq!(entries_of(&counts, "b/Part", "run"), 3);
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
    let (_, counts) = run(&outcome, scratch.path(), &["-cp", "JAR"], &["a.Main"]);
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
    let (_, counts) = run(&outcome, scratch.path(), &["-cp", "JAR"], &["a.Main"]);
    assert_eq!(entries_of(&counts, "b/Part", "run"), 3);
    let main = counts.methods.iter().find(|(m, _)| m.name == "main");
    let (_, main) = main.expect("main is counted");
    // The body of the loop, and nothing that its counter does not tell.
    assert!(main.values().all(|count| *count == 3), "{main:?}");
    assert!(!main.is_empty());
}

#[test]
fn signed_archives_are_refused_or_stripped() {
    let scratch = tempfile::tempdir().unwrap();
    compile(&[("b/Part.java", PART)], &[], scratch.path());
    let mut all = vec![
        file("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\n\r\n"),
        file("META-INF/KEY.SF", "x"),
        file("META-INF/KEY.RSA", "x"),
    ];
    all.extend(entries(scratch.path(), ""));
    let jar = archive(&all);
    let refused = instrument(&jar, &Options::default());
    assert!(
        matches!(&refused, Err(ArchiveError::Signed { signature }) if signature == "META-INF/KEY.SF")
    );
    let strip = Options {
        strip_signatures: true,
        ..Options::default()
    };
    let outcome = instrument(&jar, &strip).unwrap();
    let reader = ZipArchive::new(Cursor::new(&outcome.bytes)).unwrap();
    assert!(reader.index_for_name("META-INF/KEY.SF").is_none());
    assert!(reader.index_for_name("META-INF/MANIFEST.MF").is_some());
    assert_eq!(outcome.notes.len(), 2, "{:?}", outcome.notes);
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
