//! Slices of small Java programs, with the answer in their comments: `subjects/slices`.
//!
//! `// slice: CRITERION` says what is asked; `// in` and `// out` behind a line, whether some instruction of the line is in the slice, for every
//! criterion of the file. `// out, but without contexts in` is in the slice that follows every return to every caller.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use pricetag_classpath::{ClassPath, Files};
use pricetag_dependence::{Analysis, Contexts, Exceptions};

fn subjects() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../subjects/slices")
}

/// The classes of a source file.
fn compiled(source: &Path) -> ClassPath {
    let folder = std::env::temp_dir().join(format!(
        "pricetag-slices-{}-{}",
        std::process::id(),
        source.file_stem().unwrap().to_string_lossy()
    ));
    std::fs::create_dir_all(&folder).unwrap();
    let home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/javac"));
    let status = Command::new(home.unwrap_or_else(|| "javac".into()))
        .args(["-g", "-nowarn", "--release", "17", "-d"])
        .arg(&folder)
        .arg(source)
        .status()
        .expect("javac runs");
    assert!(status.success());
    let path = ClassPath::read(std::slice::from_ref(&folder), Files::Code).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    path
}

/// Lines of the program's only source file that are in a slice.
fn lines(analysis: &Analysis<'_>, criterion: &str, contexts: Contexts) -> BTreeSet<usize> {
    let criterion = analysis.criterion(criterion).unwrap();
    let slice = analysis.slice(&criterion, contexts);
    assert_eq!(slice.unknown.len(), 0, "{:?}", slice.unknown);
    slice
        .methods
        .iter()
        .flat_map(|m| m.lines.iter().map(|&l| usize::from(l)))
        .collect()
}

fn check(name: &str) {
    let source = subjects().join(format!("{name}.java"));
    let text = std::fs::read_to_string(&source).unwrap();
    let path = compiled(&source);
    let mut asked = 0;
    for criterion in text.lines().filter_map(|l| l.strip_prefix("// slice: ")) {
        asked += 1;
        for exceptions in [Exceptions::Caught, Exceptions::All] {
            let analysis = Analysis::of(&path, name, exceptions).unwrap();
            let kept = lines(&analysis, criterion, Contexts::Matched);
            let wide = lines(&analysis, criterion, Contexts::Ignored);
            assert!(kept.is_subset(&wide), "{name}: {criterion}");
            let mut wrong = Vec::new();
            for (at, line) in text.lines().enumerate() {
                let Some((_, said)) = line.rsplit_once("// ") else {
                    continue;
                };
                let within = kept.contains(&(at + 1));
                // What stands behind any instruction that may throw is larger.
                let exact = exceptions == Exceptions::Caught;
                let fits = match said {
                    "in" => within,
                    "out" => !exact || !within,
                    "out, but without contexts in" => {
                        !exact || (!within && wide.contains(&(at + 1)))
                    }
                    _ => true,
                };
                if !fits {
                    wrong.push(format!("{}: {}", at + 1, line.trim()));
                }
            }
            assert!(
                wrong.is_empty(),
                "{name}: {criterion}, {exceptions:?}:\n{}",
                wrong.join("\n")
            );
        }
    }
    assert!(asked > 0, "{name} asks nothing");
}

macro_rules! examples {
    ($($test:ident $name:literal)*) => {
        $(#[test]
        fn $test() {
            check($name);
        })*
    };
}

examples! {
    a_call_is_followed_to_its_own_caller "Contexts"
    how_often_does_not_need_what_is_done "Lines"
    fields_elements_and_initialisers_are_told_apart "Heap"
    the_receiver_decides_what_runs "Dispatch"
    an_exception_decides_what_runs_behind_a_call "Throws"
    the_jdk_calls_back "Callbacks"
    default_methods_are_called_on_lambdas "Defaults"
    private_methods_are_overridden_by_nothing "Privates"
    a_task_is_computed_by_the_jdk "Forks"
}

/// Two builds in one class path: X extends Y in one, Y extends X in the other.
#[test]
fn classes_that_extend_each_other_end_the_look_up() {
    let folder = tempfile::tempdir().unwrap();
    let build = |name: &str, files: &[(&str, &str)]| {
        let to = folder.path().join(name);
        std::fs::create_dir_all(&to).unwrap();
        let mut javac = Command::new("javac");
        javac.arg("-d").arg(&to).arg("-cp").arg(&to);
        for (file, text) in files {
            std::fs::write(to.join(file), text).unwrap();
            javac.arg(to.join(file));
        }
        assert!(javac.status().expect("javac runs").success());
        to
    };
    let main = "public class Main { static int r; public static void main(String[] a) { r = new Y().foo(); } }";
    let one = build(
        "one",
        &[
            ("Y.java", "class Y { int foo() { return 1; } }"),
            ("X.java", "class X extends Y { }"),
            ("Main.java", main),
            (
                "Z.java",
                "class Z { int foo() { return 2; } int bar() { return 3; } }",
            ),
        ],
    );
    let other = build(
        "other",
        &[
            ("X.java", "class X { }"),
            ("Y.java", "class Y extends X { }"),
        ],
    );
    std::fs::copy(other.join("Y.class"), one.join("Y.class")).unwrap();
    let path = ClassPath::read(std::slice::from_ref(&one), Files::Code).unwrap();
    let analysis = Analysis::of(&path, "Main", Exceptions::Caught).unwrap();
    let criterion = analysis.criterion("Main.r at exit").unwrap();
    let slice = analysis.slice(&criterion, Contexts::Matched);
    assert!(!slice.methods.is_empty());
}
