//! Whole modules of the JDK, instrumented: other readers accept them, the verifier does, and they still work.

use crate::workshop::{Workshop, instrument_all, plan, run};
use pricetag_classfile::ClassFile;
use pricetag_instrument::{
    CallerProbes, SHARED_CLASSES, Wiring, add_thread_fields, helper_class, rewrite,
};
use std::fs;
use std::process::Command;

#[test]
fn other_readers_accept_instrumented_classes() {
    let mut classes = pricetag_testkit::jdk::classes("/java.base/java/(util|io)/[A-K].*");
    classes.push(("helper".into(), helper_class()));
    for (path, bytes) in classes {
        let rewritten = rewrite(
            &bytes,
            Some(&plan(&bytes)),
            &Wiring {
                class_index: 40_000,
                scopes: &[],
                caught: false,
                callers: Some(CallerProbes {
                    first: 1,
                    loops: true,
                    invocations: true,
                }),
                calls: true,
                ..Wiring::default()
            },
        )
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(rewritten.left, [], "{}", path.display());
        assert_eq!(rewritten.without_callers, [], "{}", path.display());
        let parsed = cafebabe::parse_class(&rewritten.bytes);
        assert!(parsed.is_ok(), "{}: {:?}", path.display(), parsed.err());
        let parsed = ristretto_classfile::ClassFile::from_bytes(&rewritten.bytes);
        assert!(parsed.is_ok(), "{}: {:?}", path.display(), parsed.err());
        let before = ClassFile::parse(&bytes).expect("a class");
        let after = ClassFile::parse(&rewritten.bytes).expect("a class");
        assert_eq!(before.major(), after.major());
        for method in &rewritten.methods {
            check_positions(&before, &after, usize::from(method.index), &method.pcs);
        }
    }
}

/// Every original instruction stands where the map says, with its opcode (a `goto_w` may have become short).
fn check_positions(
    before: &ClassFile<'_>,
    after: &ClassFile<'_>,
    method: usize,
    pcs: &[(u32, u16)],
) {
    let code = |class: &ClassFile<'_>| {
        let code = class.methods()[method]
            .code(class.constants())
            .expect("code")
            .expect("code");
        code.instructions().expect("instructions")
    };
    let (old, new) = (code(before), code(after));
    assert_eq!(old.len(), pcs.len());
    for (instruction, (to, from)) in old.iter().zip(pcs) {
        assert_eq!(instruction.pc, *from);
        let moved = new
            .binary_search_by_key(to, |i| u32::from(i.pc))
            .map(|index| &new[index])
            .expect("an instruction");
        assert_eq!(moved.opcode, instruction.opcode);
    }
}

const LINK_ALL: &str = r#"
import java.net.URI;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;

/** Loads and links every class of the named modules. */
public class LinkAll {
    public static void main(String[] modules) throws Exception {
        int linked = 0;
        for (String module : modules) {
            Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/" + module);
            List<Path> files;
            try (Stream<Path> walk = Files.walk(root)) {
                files = walk.filter(p -> p.toString().endsWith(".class")).collect(Collectors.toList());
            }
            for (Path path : files) {
                String name = root.relativize(path).toString().replace('/', '.').replaceAll("\\.class$", "");
                if (name.equals("module-info")) continue;
                Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredMethods();
                linked++;
            }
        }
        System.out.println(linked);
    }
}
"#;

#[test]
fn the_verifier_accepts_the_compiler_and_it_compiles_the_same() {
    let workshop = Workshop::new(&[("LinkAll", LINK_ALL)], &[]);
    let mut classes = pricetag_testkit::jdk::classes("/jdk.compiler/.*");
    classes.retain(|(path, _)| !path.ends_with("module-info.class"));
    assert_eq!(instrument_all(&classes, &workshop.path("compiler")), 0);
    let java = |class_path: &str| {
        let mut java = Command::new("java");
        java.arg("-Xverify:all");
        java.arg(format!(
            "--patch-module=java.base={}",
            workshop.path("base").display()
        ));
        java.arg(format!(
            "--patch-module=jdk.compiler={}",
            workshop.path("compiler").display()
        ));
        java.arg("-cp").arg(workshop.path(class_path));
        java
    };
    let linked = run(java("plain").args(["LinkAll", "jdk.compiler"]));
    assert_eq!(linked.trim(), classes.len().to_string());
    run(java("plain")
        .args(["-m", "jdk.compiler/com.sun.tools.javac.Main", "-d"])
        .arg(workshop.path("again"))
        .arg(workshop.path("LinkAll.java")));
    let compiled = |directory: &str| {
        fs::read(workshop.path(directory).join("LinkAll.class")).expect("compiled")
    };
    assert_eq!(compiled("again"), compiled("plain"));
}

#[test]
fn nothing_but_the_number_of_the_class_depends_on_it() {
    let (mut numbered, mut plain) = (0, 0);
    for (path, bytes) in pricetag_testkit::jdk::classes("/jdk.compiler/com/sun/tools/javac/.*") {
        let with = |class_index: u32| {
            let wiring = Wiring {
                class_index,
                scopes: &[],
                caught: true,
                ..Wiring::default()
            };
            rewrite(&bytes, Some(&plan(&bytes)), &wiring).expect("rewritten")
        };
        let (mut one, other) = (with(3), with(SHARED_CLASSES - 1));
        assert_eq!(one.class_index_at, other.class_index_at, "{path:?}");
        for &at in &one.class_index_at {
            let number = &mut one.bytes[at..at + 2];
            assert_eq!(number, 3_u16.to_be_bytes(), "{path:?}");
            number.copy_from_slice(&(SHARED_CLASSES as u16 - 1).to_be_bytes());
        }
        if one.class_index_at.is_empty() {
            plain += 1;
        } else {
            numbered += 1;
        }
        assert_eq!(one, other, "{path:?}");
    }
    assert!(numbered > 1000 && plain > 0, "{numbered} {plain}");
}

const PROBE: &str = r"
package java.lang;

public class Probe {
    public static void main() {
        long[] chunk = {7};
        Thread.currentThread().$pricetag = new long[][] {null, chunk};
        Thread.currentThread().$pricetagThread = 3;
        boolean found = Pricetag.chunk(1) == chunk;
        long[] ours = {8};
        long[][] row = new long[64][];
        row[5] = ours;
        Pricetag.rows = new Object[] {null, null, null, row};
        Thread.currentThread().$pricetagSlot = 5;
        found &= Pricetag.chunk(1) == chunk && Pricetag.chunk(3) == ours;
        Pricetag.owner = Thread.currentThread();
        Pricetag.shared = new Object[] {null, null, null, chunk};
        found &= Pricetag.chunk(1) == chunk && Pricetag.chunk(3) == chunk;
        System.out.println(found);
        for (int index : new int[] {0, 2}) {
            try {
                Pricetag.chunk(index);
            } catch (UnsatisfiedLinkError e) {
                System.out.println(index + e.getMessage());
            }
        }
    }
}
";

#[test]
fn the_helper_reads_the_field_of_the_thread() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let base = directory.path().join("java/lang");
    fs::create_dir_all(&base).expect("writable");
    let (_, thread) = pricetag_testkit::jdk::classes("/java.base/java/lang/Thread.class").remove(0);
    fs::write(
        base.join("Thread.class"),
        add_thread_fields(&thread).expect("a class"),
    )
    .expect("writable");
    assert!(add_thread_fields(&add_thread_fields(&thread).expect("a class")).is_err());
    fs::write(base.join("Pricetag.class"), helper_class()).expect("writable");
    fs::write(base.join("Probe.java"), PROBE).expect("writable");
    let main = directory.path().join("Main.java");
    fs::write(
        &main,
        "public class Main { public static void main(String[] a) { Probe.main(); } }",
    )
    .expect("writable");
    let patch = format!("--patch-module=java.base={}", directory.path().display());
    run(Command::new("javac")
        .arg(&patch)
        .arg("-d")
        .arg(directory.path())
        .arg(base.join("Probe.java")));
    run(Command::new("javac")
        .arg(&patch)
        .arg("-d")
        .arg(directory.path().join("main"))
        .arg(&main));
    let mut java = Command::new("java");
    java.args(["-Xverify:all", &patch, "-cp"])
        .arg(directory.path().join("main"))
        .arg("Main");
    let shown = run(&mut java);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "true");
    assert!(
        lines[1].starts_with('0') && lines[1].contains("slow"),
        "{shown}"
    );
    assert!(
        lines[2].starts_with('2') && lines[2].contains("slow"),
        "{shown}"
    );
}
