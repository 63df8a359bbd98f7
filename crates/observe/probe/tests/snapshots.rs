//! Plans of a few small classes as text. `tests/subjects/*.class` were compiled from the sources beside them with
//! `javac -g` of JDK 17 and are committed, so that another compiler changes nothing.

use pricetag_classfile::ClassFile;
use pricetag_probe_plan::PLAN_VERSION;

macro_rules! snapshot {
    ($name:ident, $class:literal) => {
        #[test]
        fn $name() {
            let bytes = include_bytes!(concat!("subjects/", $class, ".class"));
            let class = ClassFile::parse(bytes).unwrap();
            insta::assert_snapshot!(pricetag_probe::plan(&class, bytes));
        }
    };
}

snapshot!(loops, "Loops");
snapshot!(objects, "Objects");
snapshot!(inner_class, "Objects$Inner");

/// What is named by the version of plans: who changes where counters stand has to raise it, or stored plans of the same version would be taken for new ones.
#[test]
fn placement_changes_with_its_version() {
    let bytes = include_bytes!("subjects/Ways.class");
    let class = ClassFile::parse(bytes).unwrap();
    let name = format!("placement_of_version_{PLAN_VERSION}");
    insta::assert_snapshot!(name, pricetag_probe::plan(&class, bytes));
}
