//! Real class files and real signatures: the classes of the JDK that is on the path, and what its tools sign.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::jvm::java_tool;

/// The home of the JDK of `JAVA_HOME` or on the path.
///
/// # Panics
/// If there is none: a missing tool fails the test that needs it.
pub fn home() -> PathBuf {
    let shown = Command::new(java_tool("java"))
        .args(["-XshowSettings:properties", "-version"])
        .output()
        .expect("java runs");
    let settings = String::from_utf8_lossy(&shown.stderr).into_owned();
    let mut lines = settings.lines();
    let home = lines.find_map(|line| line.trim().strip_prefix("java.home = "));
    home.expect("java.home is shown").into()
}

/// The class files of the JDK whose path in the image matches `regex`, in order of their paths.
///
/// # Panics
/// If there is no JDK with `jimage`, or no class matches: a missing tool fails the test that needs it.
pub fn classes(regex: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let home = home();
    let image = home.join("lib/modules");
    let extracted = Command::new(home.join("bin/jimage"))
        .arg("extract")
        .arg("--dir")
        .arg(directory.path())
        .arg("--include")
        .arg(format!("regex:{regex}"))
        .arg(image)
        .status()
        .expect("jimage runs");
    assert!(extracted.success());
    let mut found = Vec::new();
    find(directory.path(), &mut found);
    assert!(!found.is_empty(), "no class matches {regex}");
    let root = directory.path();
    found
        .into_iter()
        .map(|path| {
            (
                path.strip_prefix(root).expect("below").to_owned(),
                fs::read(&path).expect("readable"),
            )
        })
        .collect()
}

/// Signs a jar with a key made for it alone: the signature is `META-INF/SIGNER.SF` and `META-INF/SIGNER.RSA`.
///
/// # Panics
/// If there is no JDK with `keytool` and `jarsigner`, or the jar cannot be signed.
pub fn sign(jar: &Path) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let store = directory.path().join("keys");
    let run = |tool: &str, arguments: &[&str]| {
        let mut command = Command::new(java_tool(tool));
        command.args(["-J-Duser.language=en", "-storepass", "no secret"]);
        command.arg("-keystore").arg(&store).args(arguments);
        let output = command.output().expect("the tool runs");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{tool}: {said}");
        said
    };
    let key = "-genkeypair -alias signer -keyalg RSA -keysize 2048 -validity 3650 -dname CN=Signer";
    run("keytool", &key.split(' ').collect::<Vec<_>>());
    let jar = jar.to_str().expect("a path of characters");
    run("jarsigner", &[jar, "signer"]);
    let verified = run("jarsigner", &["-verify", jar]);
    assert!(verified.contains("jar verified."), "{verified}");
}

fn find(directory: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory)
        .expect("readable")
        .map(|e| e.expect("readable").path())
        .collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            find(&entry, found);
        } else if entry
            .extension()
            .is_some_and(|extension| extension == "class")
        {
            found.push(entry);
        }
    }
}
