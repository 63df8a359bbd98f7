//! Names of parameters, beside what `javac` was given.

use pricetag_classfile::ClassFile;
use std::fs;
use std::process::Command;

const SOURCE: &str = "class Named {
    static int statically(int count, long[] data, double x, String text) { int other = count; return other; }
    void method(long wide, Object one) { for (int i = 0; i < wide; i++) { String s = \"\" + one + i; } }
    native void outside(int hidden);
    static void none() { int local = 1; }
}";

/// Parameters of every method but the constructor, `?` without a name.
fn names(options: &[&str]) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("Named.java"), SOURCE).expect("written");
    let javac = Command::new("javac")
        .args(options)
        .arg("Named.java")
        .current_dir(dir.path())
        .status()
        .expect("these tests need a JDK: `javac` is not on PATH");
    assert!(javac.success());
    let bytes = fs::read(dir.path().join("Named.class")).expect("compiled");
    let class = ClassFile::parse(&bytes).expect("a class");
    let constants = class.constants();
    let methods = class.methods().iter().skip(1);
    methods
        .map(|method| {
            let names = method.parameter_names(constants);
            let shown = names
                .into_iter()
                .map(|n| n.unwrap_or_else(|| "?".to_owned()));
            shown.collect::<Vec<_>>().join(" ")
        })
        .collect()
}

#[test]
fn debug_tables_and_listed_names() {
    let all = ["count data x text", "wide one", "hidden", ""];
    assert_eq!(names(&["-g"]), [all[0], all[1], "?", ""]);
    assert_eq!(names(&["-g:none", "-parameters"]), all);
    assert_eq!(names(&["-g", "-parameters"]), all);
    assert_eq!(names(&["-g:none"]), ["? ? ? ?", "? ?", "?", ""]);
}
