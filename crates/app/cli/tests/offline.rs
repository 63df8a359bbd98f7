//! Signed jars at the command line: refused with the remedy, and without their signature counted as under the agent.

#[expect(dead_code, reason = "a subject in a jar")]
mod support;

use std::collections::BTreeMap;
use std::process::Command;

use pricetag_dataset::{FeatureId, FeatureKind, open};
use pricetag_testkit::jdk;
use support::{Desk, classes, ran};

const INSTRUMENT: &str = "instrument app.jar -o counted.jar";

/// With the subject in a signed jar.
fn desk() -> Desk {
    let desk = Desk::new(&[("f1", "5 4")]);
    let mut jar = Command::new("jar");
    jar.args(["--create", "--file"]).arg(desk.path("app.jar"));
    jar.arg("-C").arg(classes()).arg("Sums.class");
    assert_eq!(ran(jar).code, 0);
    jdk::sign(&desk.path("app.jar"));
    desk
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
