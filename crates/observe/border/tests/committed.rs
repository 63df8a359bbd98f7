//! The committed class files, and rewritten classes before a JVM's verifier.

use std::path::Path;
use std::process::Command;

use pricetag_border::rewrite::Watch;
use pricetag_border::{RUNTIME_CLASSES, RUNTIME_SOURCES};
use pricetag_testkit::jvm::java_tool;
use pricetag_trace::Pattern;

fn compile(folder: &Path, options: &[&str], sources: &[std::path::PathBuf]) {
    let mut command = Command::new(java_tool("javac"));
    command.args(options).arg("-d").arg(folder).args(sources);
    let output = command.output().expect("javac runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn the_committed_classes_are_those_of_the_sources() {
    let folder = tempfile::tempdir().unwrap();
    let sources: Vec<_> = RUNTIME_SOURCES
        .iter()
        .map(|(name, text)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        })
        .collect();
    let options = ["--release", "8", "-g:source,lines", "-Xlint:-options"];
    compile(folder.path(), &options, &sources);
    for (name, bytes) in RUNTIME_CLASSES {
        let compiled = std::fs::read(folder.path().join(name)).unwrap();
        assert!(
            compiled == bytes,
            "{name}: compile it anew, see crates/observe/border/runtime/README.md"
        );
    }
}

/// Three programs as components: each class still verifies, and the one that prints prints the same without an agent, when no call is noted.
#[test]
fn programs_do_the_same_with_probes_at_the_border() {
    let repository = pricetag_testkit::repository();
    let folder = tempfile::tempdir().unwrap();
    let (plain, changed) = (folder.path().join("plain"), folder.path().join("changed"));
    for dir in [&plain, &changed] {
        std::fs::create_dir(dir).unwrap();
    }
    let sources = [
        "subjects/services/Orders.java",
        "subjects/features/Leaving.java",
        "subjects/slices/Lines.java",
    ];
    let sources: Vec<_> = sources.iter().map(|s| repository.join(s)).collect();
    compile(&plain, &["-g", "--release", "17"], &sources);
    let runtime: Vec<_> = RUNTIME_SOURCES
        .iter()
        .map(|(name, text)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        })
        .collect();
    compile(&changed, &["--release", "17"], &runtime);
    let mut count = 0;
    for entry in std::fs::read_dir(&plain).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_owned();
        let bytes = std::fs::read(&path).unwrap();
        let mut watch = Watch {
            component: vec![Pattern::new(path.file_stem().unwrap().to_str().unwrap()).unwrap()],
            resources: true,
            ..Watch::default()
        };
        let rewritten = watch.rewrite(&bytes).unwrap().bytes;
        count += usize::from(rewritten.is_some());
        std::fs::write(changed.join(name), rewritten.unwrap_or(bytes)).unwrap();
    }
    assert!(count > 5, "{count} classes were changed");
    let run = |dir: &Path| {
        let output = Command::new(java_tool("java"))
            .args(["-Xverify:all", "-cp"])
            .arg(dir)
            .arg("Main")
            .output()
            .expect("java runs");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(run(&plain), run(&changed));
}
