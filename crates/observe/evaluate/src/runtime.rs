//! The Java code in a predictor: our compiled sources, the committed output of `javac --release 8` (a test compiles them again and compares).

/// Internal name of the class that rewritten classes call.
pub(crate) const HOOKS: &str = "pricetag/predictor/Hooks";
/// The main class, dotted.
pub(crate) const MAIN: &str = "pricetag.predictor.Main";

/// Class files by internal name.
pub const RUNTIME_CLASSES: [(&str, &[u8]); 6] = [
    (
        "pricetag/predictor/Formula",
        include_bytes!("../runtime/pricetag/predictor/Formula.class"),
    ),
    (
        "pricetag/predictor/Guard",
        include_bytes!("../runtime/pricetag/predictor/Guard.class"),
    ),
    (
        "pricetag/predictor/Hooks",
        include_bytes!("../runtime/pricetag/predictor/Hooks.class"),
    ),
    (
        "pricetag/predictor/Main",
        include_bytes!("../runtime/pricetag/predictor/Main.class"),
    ),
    (
        "pricetag/predictor/Main$1",
        include_bytes!("../runtime/pricetag/predictor/Main$1.class"),
    ),
    (
        "pricetag/predictor/Sampler",
        include_bytes!("../runtime/pricetag/predictor/Sampler.class"),
    ),
];

/// Sources by name of the file.
pub const RUNTIME_SOURCES: [(&str, &str); 5] = [
    (
        "Formula.java",
        include_str!("../runtime/pricetag/predictor/Formula.java"),
    ),
    (
        "Guard.java",
        include_str!("../runtime/pricetag/predictor/Guard.java"),
    ),
    (
        "Hooks.java",
        include_str!("../runtime/pricetag/predictor/Hooks.java"),
    ),
    (
        "Main.java",
        include_str!("../runtime/pricetag/predictor/Main.java"),
    ),
    (
        "Sampler.java",
        include_str!("../runtime/pricetag/predictor/Sampler.java"),
    ),
];
