//! Principal types are those that `ocamlc -i` prints (frozen by `corpus/make.sh`).

use pricetag_miniml::signature;

#[test]
fn types_are_those_of_ocaml() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut programs = 0;
    for entry in std::fs::read_dir(&corpus).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "ml") {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        let expected = std::fs::read_to_string(path.with_extension("types")).unwrap();
        let found = signature(&source).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&found), words(&expected), "{}", path.display());
        programs += 1;
    }
    assert!(programs >= 3);
}
