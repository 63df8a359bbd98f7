//! Plans of a few small classes as text. `tests/subjects/*.class` were compiled from the sources beside them with
//! `javac -g` of JDK 17 and are committed, so that another compiler changes nothing.

use pricetag_classfile::ClassFile;

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
snapshot!(promoted, "Promoted");
