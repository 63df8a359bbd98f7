//! What speedscope's schema says of every kind of profile.

use serde_json::Value;

/// The units that it knows.
const UNITS: [&str; 6] = [
    "none",
    "nanoseconds",
    "microseconds",
    "milliseconds",
    "seconds",
    "bytes",
];

/// The file names its schema, and each profile has a known unit.
pub fn keeps_the_schema(file: &Value) {
    assert_eq!(
        file["$schema"],
        "https://www.speedscope.app/file-format-schema.json"
    );
    for profile in file["profiles"].as_array().unwrap() {
        assert!(profile["name"].is_string());
        assert!(UNITS.contains(&profile["unit"].as_str().unwrap()));
    }
}
