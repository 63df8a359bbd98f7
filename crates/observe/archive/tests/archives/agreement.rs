//! Archives of every form count what the agent counts: plain and signed ones, several releases in one, modules, executable ones with
//! libraries inside, wars.
//!
//! The program is that of `tests/subjects`. Everything runs on the JDK on the path, and on all pinned runtimes that can run it if everything is
//! wanted; a jar of several releases always on all of them.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::OnceLock;

use pricetag_archive::{Options, instrument};
use pricetag_testkit::suite::in_full;
use pricetag_testkit::{Machine, Testbed, jdk};
use pricetag_trace::Pattern;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::support::{
    Agreement, Entry, Line, agrees_with_agent, archive, changed, compile, entries, entry, file,
    tool,
};

const MAIN: (&str, &str) = ("a/Main.java", include_str!("../subjects/a/Main.java"));
const PART: (&str, &str) = ("b/Part.java", include_str!("../subjects/b/Part.java"));
const REFUSED: (&str, &str) = ("b/Refused.java", include_str!("../subjects/b/Refused.java"));
/// The library's class for newer releases.
const NEWER: &str = include_str!("../subjects/newer/Part.java");

/// Classes of the program, in which code runs.
const CLASSES: [&str; 5] = [
    "a/Main",
    "a/Main$Worker",
    "b/Part",
    "b/Part$Scale",
    "b/Refused",
];
/// The version of the library's class by itself.
const BASE: &str = "base: ";

/// Classes of the program and of its library.
struct Compiled {
    main: Vec<Entry>,
    library: Vec<Entry>,
}

/// The program, compiled for Java 8 once.
fn compiled() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let scratch = tempfile::tempdir().unwrap();
        let options = ["--release", "8", "-Xlint:-options"];
        compile(&[MAIN, PART, REFUSED], &options, scratch.path());
        let all = entries(scratch.path(), "");
        let (main, library) = all
            .into_iter()
            .partition(|(name, _)| name.starts_with("a/"));
        Compiled { main, library }
    })
}

/// Entries below a folder.
fn below(folder: &str, entries: &[Entry]) -> Vec<Entry> {
    let moved = |(name, bytes): &Entry| (format!("{folder}{name}"), bytes.clone());
    entries.iter().map(moved).collect()
}

fn manifest(lines: &str) -> Entry {
    let text = format!("Manifest-Version: 1.0\r\n{lines}\r\n");
    file("META-INF/MANIFEST.MF", &text)
}

/// Runtimes of at least a release: the one on the path, or all pinned ones.
fn machines(least: u16) -> Vec<Machine> {
    let mut machines = vec![Machine::system().expect("there is a JDK")];
    if in_full() {
        machines.extend(Testbed::locate().runtimes().expect("the pinned runtimes"));
    }
    machines.retain(|machine| machine.feature >= least);
    machines
}

/// The first release that runs an archive, and beginnings of the names of classes that read it.
type Limits<'a> = (u16, &'a [&'a str]);

/// Runs an archive on all machines that can.
fn agreements(
    archive: &[u8],
    options: &Options,
    arguments: &[&str],
    (least, readers): Limits<'_>,
) -> Vec<Agreement> {
    let machines = machines(least);
    let agrees = |machine: &Machine| {
        let line = Line {
            machine,
            arguments,
            readers,
        };
        agrees_with_agent(archive, options, &line)
    };
    assert!(!machines.is_empty());
    machines.iter().map(agrees).collect()
}

/// Runs an archive of the whole program, and all of it is counted.
fn whole_program(
    archive: &[u8],
    options: &Options,
    arguments: &[&str],
    limits: Limits<'_>,
) -> Vec<Agreement> {
    let agreements = agreements(archive, options, arguments, limits);
    for agreement in &agreements {
        assert_eq!(agreement.classes(), CLASSES);
        assert!(agreement.output.starts_with(BASE), "{}", agreement.output);
        let counts = agreement
            .executed
            .values()
            .flat_map(|counts| counts.values());
        assert!(counts.sum::<u64>() > 20_000);
    }
    agreements
}

fn strip() -> Options {
    Options {
        strip_signatures: true,
        ..Options::default()
    }
}

#[test]
fn a_plain_jar_agrees() {
    let Compiled { main, library } = compiled();
    let jar = archive(&[&main[..], library].concat());
    let line = ["-cp", "{jar}", "a.Main"];
    for agreement in whole_program(&jar, &Options::default(), &line, (8, &[])) {
        assert_eq!(agreement.outcome.classes, CLASSES.len());
        assert!(agreement.outcome.left.is_empty() && agreement.outcome.notes.is_empty());
    }
    let options = Options {
        include: vec![Pattern::new("b.**").unwrap()],
        exclude: vec![Pattern::new("b.Refused").unwrap()],
        ..Options::default()
    };
    for agreement in agreements(&jar, &options, &line, (8, &[])) {
        assert_eq!(agreement.classes(), ["b/Part", "b/Part$Scale"]);
    }
}

/// The library's class as it is for a release: more passes, the newer it is.
fn newer(release: u16) -> Vec<Entry> {
    let scratch = tempfile::tempdir().unwrap();
    let text = NEWER.replace("RELEASE = 0", &format!("RELEASE = {release}"));
    let sources = [("b/Part.java", text.as_str()), REFUSED];
    compile(&sources, &["--release", "9"], scratch.path());
    let mut all = entries(scratch.path(), &format!("META-INF/versions/{release}/"));
    all.retain(|(name, _)| !name.ends_with("Refused.class"));
    all
}

#[test]
fn of_several_releases_the_one_that_runs_agrees() {
    let releases = [9, 17, 21];
    let Compiled { main, library } = compiled();
    let mut all = vec![manifest("Main-Class: a.Main\r\nMulti-Release: true\r\n")];
    all.extend([&main[..], library].concat());
    for release in releases {
        all.extend(newer(release));
    }
    let jar = archive(&all);
    let (options, as_it_is) = (Options::default(), ["-jar", "{jar}"]);
    let mut selected = Vec::new();
    for machine in Testbed::locate().runtimes().expect("the pinned runtimes") {
        let mut line = Line {
            machine: &machine,
            arguments: &as_it_is,
            readers: &[],
        };
        let agreement = agrees_with_agent(&jar, &options, &line);
        let fits = releases.iter().rfind(|r| **r <= machine.feature).unwrap();
        let said = &agreement.output;
        assert!(said.starts_with(&format!("release {fits}: ")), "{said}");
        let classes = [
            "a/Main",
            "a/Main$Worker",
            "b/Part",
            "b/Part$Table",
            "b/Refused",
        ];
        assert_eq!(agreement.classes(), classes);
        // One of the nested classes has the same bytes for all releases.
        let counted = CLASSES.len() + releases.len() + 1;
        assert_eq!(agreement.outcome.classes, counted);
        selected.push(*fits);
        line.arguments = &["-Djdk.util.jar.enableMultiRelease=false", "-jar", "{jar}"];
        let agreement = agrees_with_agent(&jar, &options, &line);
        assert_eq!(agreement.classes(), CLASSES);
        assert!(agreement.output.starts_with(BASE));
    }
    let all_run = releases.iter().all(|release| selected.contains(release));
    assert!(all_run || selected.len() == 1, "{selected:?}");
}

/// A jar of classes with what the JDK's tool adds, such as the list of packages in a module's description.
fn made_by_tool(jar: &Path, folders: &[&str]) -> Vec<u8> {
    let mut arguments = vec!["--create", "--main-class", "a.Main", "--file"];
    arguments.push(jar.to_str().unwrap());
    arguments.extend(folders);
    tool("jar", &arguments);
    fs::read(jar).unwrap()
}

#[test]
fn a_module_agrees() {
    let scratch = tempfile::tempdir().unwrap();
    let (classes, older) = (scratch.path().join("classes"), scratch.path().join("older"));
    let module = ("module-info.java", "module m { exports a; }");
    let sources = [module, MAIN, PART, REFUSED];
    compile(&sources, &["--release", "11"], &classes);
    let folder = classes.to_str().unwrap();
    let plain = made_by_tool(&scratch.path().join("m.jar"), &["-C", folder, "."]);
    // Its description alone is for a newer release: elsewhere it is no module.
    let Compiled { main, library } = compiled();
    for (name, bytes) in main.iter().chain(library) {
        let path = older.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let folders = ["-C", older.to_str().unwrap(), ".", "--release", "9"];
    let folders = [&folders[..], &["-C", folder, "module-info.class"]].concat();
    let versioned = made_by_tool(&scratch.path().join("v.jar"), &folders);
    let described = "META-INF/versions/9/module-info.class";
    for (jar, description) in [(plain, "module-info.class"), (versioned, described)] {
        for line in [
            &["-p", "{jar}", "-m", "m"][..],
            &["-p", "{jar}", "-m", "m/a.Main"],
            &["-p", "{jar}", "--add-modules", "m", "-m", "m/a.Main"],
            &["-cp", "{jar}", "a.Main"],
        ] {
            for agreement in whole_program(&jar, &Options::default(), line, (11, &[])) {
                let bytes = &agreement.outcome.bytes;
                let changed = entry(bytes, description).0 != entry(&jar, description).0;
                assert!(changed, "{description} has one more package");
            }
        }
    }
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
fn nested_libraries_agree() {
    let scratch = tempfile::tempdir().unwrap();
    let launcher = ("Launcher.java", LAUNCHER);
    compile(&[launcher], &["--release", "11"], scratch.path());
    let Compiled { main, library } = compiled();
    let library = archive(library);
    let mut all = vec![manifest("Main-Class: Launcher\r\n")];
    all.extend(entries(scratch.path(), ""));
    all.extend(below("BOOT-INF/classes/", main));
    all.push(("=BOOT-INF/lib/part.jar".to_owned(), library.clone()));
    all.push(("elsewhere/part.jar".to_owned(), library.clone()));
    let line = ["-jar", "{jar}"];
    let limits = (11, &["Launcher"][..]);
    for agreement in whole_program(&archive(&all), &Options::default(), &line, limits) {
        let bytes = &agreement.outcome.bytes;
        assert_eq!(entry(bytes, "elsewhere/part.jar").0, library);
        let (rewritten, method) = entry(bytes, "BOOT-INF/lib/part.jar");
        assert_ne!(rewritten, library);
        assert_eq!(method, CompressionMethod::Stored);
        let notes = agreement.outcome.notes.join("; ");
        assert!(notes.contains("elsewhere/part.jar is no library's place"));
    }
}

/// An archive that Spring Boot's own launchers start: classes and the library below a folder.
fn launched(launcher: &str, folder: &str, library: &[u8]) -> Vec<u8> {
    static LAUNCHERS: OnceLock<Vec<Entry>> = OnceLock::new();
    let launchers = LAUNCHERS.get_or_init(|| {
        let scratch = tempfile::tempdir().unwrap();
        let jar = Testbed::locate().file("spring-boot-loader-3.3.5.jar");
        let jar = fs::read(jar.expect("it has been fetched")).unwrap();
        let mut reader = ZipArchive::new(Cursor::new(&jar)).unwrap();
        reader.extract(scratch.path()).unwrap();
        entries(&scratch.path().join("org"), "org/")
    });
    let mut all = vec![manifest(&format!(
        "Main-Class: org.springframework.boot.loader.launch.{launcher}\r\nStart-Class: a.Main\r\n\
         Spring-Boot-Classes: {folder}/classes/\r\nSpring-Boot-Lib: {folder}/lib/\r\n"
    ))];
    all.extend(launchers.iter().cloned());
    // The launchers look these folders up.
    all.push(file(&format!("{folder}/classes/"), ""));
    all.extend(below(&format!("{folder}/classes/"), &compiled().main));
    all.push(file(&format!("{folder}/lib/"), ""));
    all.push((format!("={folder}/lib/part.jar"), library.to_vec()));
    archive(&all)
}

/// The first release that runs Spring Boot 3, and its launchers, which read the archive.
const SPRING: Limits<'static> = (17, &["org/springframework/boot/loader/"]);

#[test]
fn what_spring_boot_launches_agrees() {
    let library = archive(&compiled().library);
    let line = ["-jar", "{jar}"];
    for (launcher, folder) in [("JarLauncher", "BOOT-INF"), ("WarLauncher", "WEB-INF")] {
        let jar = launched(launcher, folder, &library);
        for agreement in whole_program(&jar, &Options::default(), &line, SPRING) {
            // Of a war only what lies below WEB-INF sees the counters.
            let counted = agreement.outcome.classes > CLASSES.len();
            assert_eq!(counted, launcher == "JarLauncher");
        }
    }
}

/// Starts the archive behind it.
const SCRIPT: &[u8] = b"#!/bin/sh\nexec java -jar \"$0\" \"$@\"\n";

/// An archive behind the script with offsets that count the script in, as newer releases of Spring Boot make it.
fn counted_in(jar: &[u8]) -> Vec<u8> {
    let mut cursor = Cursor::new(SCRIPT.to_vec());
    cursor.set_position(SCRIPT.len() as u64);
    let mut writer = ZipWriter::new(cursor);
    let mut reader = ZipArchive::new(Cursor::new(jar)).unwrap();
    for index in 0..reader.len() {
        writer
            .raw_copy_file(reader.by_index_raw(index).unwrap())
            .unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn an_executable_jar_keeps_its_script_and_agrees() {
    let jar = launched("JarLauncher", "BOOT-INF", &archive(&compiled().library));
    let names = |bytes: &[u8]| {
        let reader = ZipArchive::new(Cursor::new(bytes)).unwrap();
        let names = reader.file_names_raw().map(<[u8]>::to_vec);
        names.collect::<Vec<_>>()
    };
    let line = ["-jar", "{jar}"];
    for executable in [[SCRIPT, &jar].concat(), counted_in(&jar)] {
        for agreement in whole_program(&executable, &Options::default(), &line, SPRING) {
            let bytes = &agreement.outcome.bytes;
            assert!(bytes.starts_with(&[SCRIPT, b"PK\x03\x04"].concat()));
            assert!(names(bytes).starts_with(&names(&jar)));
        }
    }
}

#[test]
fn a_war_that_a_container_lays_out_agrees() {
    let Compiled { main, library } = compiled();
    let mut all = vec![file("WEB-INF/web.xml", "<web-app/>")];
    all.extend(below("WEB-INF/classes/", main));
    all.push(("WEB-INF/lib/part.jar".to_owned(), archive(library)));
    all.extend(library.iter().cloned());
    // Classes and libraries are in one loader.
    let path = "{root}/WEB-INF/classes:{root}/WEB-INF/lib/part.jar";
    let line = ["-cp", path, "a.Main"];
    for agreement in whole_program(&archive(&all), &Options::default(), &line, (8, &[])) {
        let left = &agreement.outcome.left;
        assert_eq!(left.len(), library.len(), "{left:?}");
        assert!(left.iter().all(|left| left.reason.contains("WEB-INF")));
    }
}

/// An archive with a true signature.
fn signed(archive: &[u8]) -> Vec<u8> {
    let scratch = tempfile::tempdir().unwrap();
    let jar = scratch.path().join("signed.jar");
    fs::write(&jar, archive).unwrap();
    jdk::sign(&jar);
    fs::read(&jar).unwrap()
}

#[test]
fn a_signed_jar_agrees_once_its_signature_is_dropped() {
    let Compiled { main, library } = compiled();
    let all = [&[manifest("Main-Class: a.Main\r\n")][..], main, library].concat();
    let jar = signed(&archive(&all));
    let refused = instrument(&jar, &Options::default()).expect_err("it is signed");
    assert_eq!(
        refused.to_string(),
        "the archive is signed (META-INF/SIGNER.SF); changed classes would be refused"
    );
    let line = ["-jar", "{jar}"];
    let agreement = whole_program(&jar, &strip(), &line, (8, &[])).remove(0);
    let dropped = "META-INF/SIGNER.SF: signature dropped; META-INF/SIGNER.RSA: signature dropped";
    assert_eq!(agreement.outcome.notes.join("; "), dropped);

    // What would have become of it: the classes of the one with the signature of the other.
    let scratch = tempfile::tempdir().unwrap();
    let mut reader = ZipArchive::new(Cursor::new(&agreement.outcome.bytes)).unwrap();
    reader.extract(scratch.path()).unwrap();
    let mut forged = entries(scratch.path(), "");
    for name in ["META-INF/SIGNER.SF", "META-INF/SIGNER.RSA"] {
        assert!(forged.iter().all(|(kept, _)| kept != name), "{name}");
        forged.push((name.to_owned(), entry(&jar, name).0));
    }
    let machine = Machine::system().expect("there is a JDK");
    let line = Line {
        machine: &machine,
        arguments: &line,
        readers: &[],
    };
    let ran = line.run(&archive(&forged), "-Dpricetag.counts=/dev/null/none");
    let said = ran.error;
    assert!(
        ran.status == Some(1) && said.contains("SecurityException"),
        "{said}"
    );
}

#[test]
fn a_signed_library_stays_as_it_is_or_agrees_without_its_signature() {
    let library = signed(&archive(&compiled().library));
    let jar = launched("JarLauncher", "BOOT-INF", &library);
    let line = ["-jar", "{jar}"];
    let outcome = changed(&jar);
    assert_eq!(entry(&outcome.bytes, "BOOT-INF/lib/part.jar").0, library);
    let left: Vec<_> = outcome
        .left
        .iter()
        .map(|left| left.reason.as_str())
        .collect();
    assert_eq!(left, ["it is signed (META-INF/SIGNER.SF)"]);
    let (least, launchers) = SPRING;
    let readers = [launchers, &["b/"]].concat();
    for agreement in agreements(&jar, &Options::default(), &line, (least, &readers)) {
        assert_eq!(agreement.classes(), ["a/Main", "a/Main$Worker"]);
        assert!(agreement.output.starts_with(BASE));
    }
    for agreement in whole_program(&jar, &strip(), &line, SPRING) {
        let notes = agreement.outcome.notes.join("; ");
        assert!(
            notes.contains("part.jar!META-INF/SIGNER.SF: signature dropped"),
            "{notes}"
        );
        assert!(agreement.outcome.left.is_empty());
    }
}
