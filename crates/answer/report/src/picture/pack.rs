//! Numbers as bytes, and bytes that a page holds packed.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// A LEB128 number.
pub(crate) fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Bare deflate (RFC 1951), which browsers unpack by themselves. The same bytes for the same bytes.
pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing into memory does not fail.
    let _ = packed.write_all(bytes);
    packed.finish().unwrap_or_default()
}
