//! `events` of `pricetag_fuzzing::targets` under coverage.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pricetag_fuzzing::targets::events(bytes));
