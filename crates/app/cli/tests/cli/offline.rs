//! Instrumented jars at the command line. Signed ones are refused with the remedy, and without their signature counted as under the agent; outputs
//! are whole and run as the inputs do; files of counts are taken once, and those that were cut off fail by themselves.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::Command;

use crate::support::{Desk, classes, ran};
use pricetag_dataset::{FeatureId, FeatureKind, Status, open};
use pricetag_testkit::jdk;

const INSTRUMENT: &str = "instrument app.jar -o counted.jar";

/// With the subject in a jar.
fn plain() -> Desk {
    let desk = Desk::new(&[("f1", "5 4")]);
    let mut jar = Command::new("jar");
    jar.args(["--create", "--main-class", "Sums", "--file"]);
    jar.arg(desk.path("app.jar"));
    jar.arg("-C").arg(classes()).arg("Sums.class");
    assert_eq!(ran(jar).code, 0);
    desk
}

/// With the subject in a signed jar.
fn desk() -> Desk {
    let desk = plain();
    jdk::sign(&desk.path("app.jar"));
    desk
}

/// With the subject in a jar that counts, and a run's `one.counts`.
fn counted() -> Desk {
    let desk = plain();
    assert_eq!(desk.run(INSTRUMENT).code, 0);
    java(&desk, "one.counts", &["-jar", "counted.jar", "in/f1"]);
    desk
}

/// Runs something that counts.
fn java(desk: &Desk, counts: &str, line: &[&str]) {
    let mut java = Command::new("java");
    java.current_dir(desk.path("."));
    java.arg(format!("-Dpricetag.counts={counts}")).args(line);
    let ran = ran(java);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn a_signed_jar_is_refused_with_the_remedy() {
    let desk = desk();
    let refused = desk.run(INSTRUMENT);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    let why = "the archive is signed (META-INF/SIGNER.SF); changed classes would be refused";
    let remedy = "use --strip-signatures to drop the signature, if what loads the archive does not ask for one";
    let text = format!("error: instrumenting app.jar: {why}\n  try: {remedy}");
    assert_eq!(refused.stderr.trim_end(), text);
    let refused = desk.run(&format!("{INSTRUMENT} --json"));
    assert_eq!(refused.code, 1);
    let error = &refused.json()["error"];
    assert_eq!(error["doing"], "instrumenting app.jar");
    assert_eq!(
        (&error["why"], &error["advice"]),
        (&why.into(), &remedy.into())
    );
    assert!(!desk.path("counted.jar").exists());
}

/// The cells of all counts of a dataset, by kind and name.
fn counts(desk: &Desk, dataset: &str) -> BTreeMap<(FeatureKind, String), Vec<Option<f64>>> {
    let counted = [
        FeatureKind::Block,
        FeatureKind::Branch,
        FeatureKind::Call,
        FeatureKind::Exception,
        FeatureKind::Loop,
        FeatureKind::Method,
        FeatureKind::Opcode,
    ];
    let dataset = open(&desk.path(dataset)).unwrap();
    let ids = (0..dataset.features.len() as u32).map(FeatureId);
    let cells = ids.map(|id| {
        let feature = dataset.feature(id);
        ((feature.kind, feature.name.clone()), dataset.cells(id))
    });
    cells
        .filter(|((kind, _), _)| counted.contains(kind))
        .collect()
}

#[test]
fn without_its_signature_a_jar_counts_as_the_signed_one_under_the_agent() {
    let desk = desk();
    let made = desk.run(&format!("{INSTRUMENT} --strip-signatures"));
    assert_eq!(made.code, 0, "{}", made.stderr);
    for name in ["SIGNER.SF", "SIGNER.RSA"] {
        let note = format!("note: META-INF/{name}: signature dropped");
        assert!(made.stderr.contains(&note), "{note}: {}", made.stderr);
    }
    let mut java = Command::new("java");
    let file = desk.path("one.counts");
    java.arg(format!("-Dpricetag.counts={}", file.display()));
    java.arg("-cp").arg(desk.path("counted.jar"));
    java.arg("Sums").arg(desk.path("in/f1"));
    assert_eq!(ran(java).code, 0);
    let imported = desk.run("import one.counts --jar counted.jar -o offline");
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    let recorded = desk.run(
        "record -o agents --repeat 1 --check-determinism none --inputs in/* -- java -cp app.jar Sums {}",
    );
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let (offline, agents) = (counts(&desk, "offline"), counts(&desk, "agents"));
    let kinds = agents
        .keys()
        .filter(|(kind, _)| *kind == FeatureKind::Block);
    assert!(kinds.count() > 10);
    assert_eq!(offline, agents);
}

#[test]
fn what_cannot_be_written_is_said_before_the_work() {
    let desk = plain();
    fs::write(desk.path("none.jar"), "no jar, which is found later").unwrap();
    fs::create_dir(desk.path("folder")).unwrap();
    fs::hard_link(desk.path("none.jar"), desk.path("other.jar")).unwrap();
    for (output, why) in [
        ("folder", "cannot write folder: it is a directory"),
        ("folder/", "it names a directory"),
        ("missing/", "it names a directory"),
        (
            "missing/out.jar",
            "cannot write missing/out.jar: No such file",
        ),
        ("other.jar --force", "other.jar is the input, too"),
        ("none.jar --force", "none.jar is the input, too"),
        ("app.jar", "app.jar exists"),
    ] {
        let refused = desk.run(&format!("instrument none.jar -o {output}"));
        assert_ne!(refused.code, 0, "{output}");
        assert!(refused.stderr.contains(why), "{output}: {}", refused.stderr);
        assert!(refused.stderr.contains("try: "), "{}", refused.stderr);
    }
}

#[test]
fn a_jar_that_is_replaced_stays_what_it_is_for_who_reads_it() {
    let desk = plain();
    fs::write(desk.path("counted.jar"), "old").unwrap();
    fs::hard_link(desk.path("counted.jar"), desk.path("old")).unwrap();
    let made = desk.run(&format!("{INSTRUMENT} --force"));
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(fs::read(desk.path("old")).unwrap(), b"old");
    let mode = fs::metadata(desk.path("counted.jar")).unwrap().mode();
    assert_eq!(mode & 0o111, 0, "the input cannot be run either");
    assert!(!desk.path(".counted.jar.part").exists());
}

#[test]
fn an_executable_jar_runs_by_itself() {
    let desk = plain();
    let (app, counted) = (desk.path("app.jar"), desk.path("counted.jar"));
    let script = "#!/bin/sh\nexec java -Dpricetag.counts=one.counts -jar \"$0\" \"$@\"\n";
    let jar = [script.as_bytes(), &fs::read(&app).unwrap()].concat();
    fs::write(&app, jar).unwrap();
    fs::set_permissions(&app, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(desk.run(INSTRUMENT).code, 0);
    let mut by_itself = Command::new(counted);
    by_itself.arg("in/f1").current_dir(desk.path("."));
    let by_itself = ran(by_itself);
    assert_eq!(by_itself.code, 0, "{}", by_itself.stderr);
    java(&desk, "two.counts", &["-jar", "counted.jar", "in/f1"]);
    for run in ["one", "two"] {
        let imported = desk.run(&format!("import {run}.counts --jar counted.jar -o {run}"));
        assert_eq!(imported.code, 0, "{}", imported.stderr);
    }
    assert_eq!(counts(&desk, "one"), counts(&desk, "two"));
}

/// Loads the subject twice, with counters for each.
const TWICE: &str = "import java.net.*; public class Twice { public static void main(String[] s) throws Exception {
    URL[] jar = { new java.io.File(s[0]).toURI().toURL() };
    for (int i = 0; i < 2; i++)
        new URLClassLoader(jar, null).loadClass(\"Sums\").getMethod(\"main\", String[].class).invoke(null, (Object) new String[] { s[1] });
} }";

#[test]
fn files_of_one_process_are_added_up_and_copies_are_not() {
    let desk = counted();
    fs::write(desk.path("Twice.java"), TWICE).unwrap();
    java(&desk, "both", &["Twice.java", "counted.jar", "in/f1"]);
    fs::copy(desk.path("both"), desk.path("copy")).unwrap();
    fs::hard_link(desk.path("both"), desk.path("link")).unwrap();
    let import = |files: &str, dataset: &str| {
        let imported = desk.run(&format!("import {files} --jar counted.jar -o {dataset}"));
        assert_eq!(imported.code, 0, "{files}: {}", imported.stderr);
        let rows = open(&desk.path(dataset)).unwrap().observations.len();
        assert_eq!(rows, 1, "{files}");
        imported.stderr
    };
    import("one.counts", "one");
    let mut doubled = counts(&desk, "one");
    for cell in doubled.values_mut().flatten().flatten() {
        *cell *= 2.0;
    }
    let said = import("both both.1 both ./both", "two");
    assert!(!said.contains("copy"), "{said}");
    assert_eq!(counts(&desk, "two"), doubled);
    let said = import("both both.1 copy link", "three");
    for name in ["copy", "link"] {
        let note = format!("note: {name} is a copy of another file given: counted once");
        assert!(said.contains(&note), "{said}");
    }
    assert_eq!(counts(&desk, "three"), doubled);

    let whole = fs::read(desk.path("both")).unwrap();
    fs::write(desk.path("earlier"), &whole[..whole.len() - 5]).unwrap();
    let refused = desk.run("import both earlier --jar counted.jar -o four");
    assert_eq!(refused.code, 1);
    let why = "reading earlier: it is a copy of another file given";
    assert!(refused.stderr.contains(why), "{}", refused.stderr);
}

#[test]
fn files_that_are_cut_off_fail_by_themselves() {
    let desk = counted();
    let whole = fs::read(desk.path("one.counts")).unwrap();
    for (name, length) in [("empty", 0), ("magic", 5), ("head", 30)] {
        fs::write(desk.path(name), &whole[..length]).unwrap();
    }
    let imported = desk.run("import empty one.counts magic head --jar counted.jar -o data");
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    let rows = open(&desk.path("data")).unwrap().observations;
    let rows = rows.iter().map(|row| (row.label.as_str(), row.status));
    let (failed, ok) = (Status::Failed, Status::Ok);
    let expected = [
        ("empty", failed),
        ("one.counts", ok),
        ("magic", failed),
        ("head", failed),
    ];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    fs::write(desk.path("other"), "a,b\n1,2\n").unwrap();
    let refused = desk.run("import one.counts other --jar counted.jar -o more");
    assert_eq!(refused.code, 1);
    let why = "reading other: not a file of counts: it does not begin like one";
    assert!(refused.stderr.contains(why), "{}", refused.stderr);
}

/// Counts of a rewritten jar and times of the original one make a model, which predicts a run that was only counted.
#[test]
fn counts_and_times_from_elsewhere_make_predictions() {
    let desk = plain();
    assert_eq!(desk.run(INSTRUMENT).code, 0);
    // A program whose cost is known: 3 µs for each of its `product`s, 1 ms for the run.
    let mut table = String::from("counts,input.size,wall_ms\n");
    let mut files = Vec::new();
    for n in 1..=20 {
        let (input, file) = (format!("in/n{n}"), format!("n{n}.counts"));
        fs::write(desk.path(&input), format!("{} {}", 5, 10 * n)).unwrap();
        java(&desk, &file, &["-jar", "counted.jar", &input]);
        let cost = 1.0 + 0.003 * f64::from(10 * n);
        for repeat in [0.99, 1.0, 1.01] {
            writeln!(table, "{file},{},{}", 10 * n, repeat * cost).unwrap();
        }
        files.push(file);
    }
    fs::write(desk.path("times.csv"), table).unwrap();
    let (learnt, new) = files.split_at(19);
    let import = format!("import {} --jar counted.jar", learnt.join(" "));
    let all = desk.run(&format!("{import} --times times.csv -o data"));
    assert_eq!(all.code, 1);
    let why = "times.csv, line 59, column `counts`: no file of counts is called `n20.counts`";
    assert!(all.stderr.contains(why), "{}", all.stderr);
    let text = fs::read_to_string(desk.path("times.csv")).unwrap();
    let rows: Vec<&str> = text.lines().filter(|l| !l.starts_with("n20.")).collect();
    fs::write(desk.path("times.csv"), rows.join("\n")).unwrap();
    let done = desk.run(&format!("{import} --times times.csv -o data"));
    assert_eq!(done.code, 0, "{}", done.stderr);
    let model = desk.json("fit data --method nnls --json");
    assert_eq!(model["target"], "wall");
    assert_eq!(model["unit"], "ns");
    let new = desk.run(&format!("import {} --jar counted.jar -o new", new[0]));
    assert_eq!(new.code, 0, "{}", new.stderr);
    let predicted = desk.json("predict data/model.json --dataset new --json");
    let cost = predicted["rows"][0]["value"].as_f64().unwrap();
    assert!((cost / 1.6e6 - 1.0).abs() < 0.05, "{predicted}");
    let explained = desk.run("explain data/model.json");
    assert_eq!(explained.code, 0, "{}", explained.stderr);
    let said = explained.stdout;
    assert!(said.contains("no stacks were sampled"), "{said}");
}
