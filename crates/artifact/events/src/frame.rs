//! Frames: kind, length, checksum, payload.

use std::io::{self, Read};

use crate::stop::Stop;

/// The first bytes of a file.
pub const MAGIC: &[u8; 16] = b"pricetag-events\n";

/// Version of the format. Version 1 had a frame for each mark and each gap: it is read as well.
pub const VERSION: u32 = 2;

/// The oldest version that is read.
pub(crate) const OLDEST: u32 = 1;

pub(crate) const FACTS: u8 = 1;
pub(crate) const BLOCK: u8 = 2;
pub(crate) const END: u8 = 3;
pub(crate) const MARK: u8 = 4;
pub(crate) const MARKS: u8 = 5;
pub(crate) const PARTS: u8 = 6;

/// Bytes before a payload.
pub(crate) const HEAD: usize = 9;

/// Puts `payload`'s head in front of it: the first [`HEAD`] bytes of `frame` are kept free for it.
pub(crate) fn seal(kind: u8, frame: &mut [u8]) {
    let (head, payload) = frame.split_at_mut(HEAD);
    head[0] = kind;
    head[1..5].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    head[5..9].copy_from_slice(&checksum(kind, payload).to_le_bytes());
}

fn checksum(kind: u8, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[kind]);
    hasher.update(payload);
    hasher.finalize()
}

/// Reads the next frame into `payload`.
///
/// # Errors
/// If it is cut or damaged, or longer than `longest`. The bytes asked for at once are as many as there are, not as many as are claimed.
pub(crate) fn next(
    source: &mut impl Read,
    longest: u32,
    offset: u64,
    payload: &mut Vec<u8>,
) -> Result<Option<u8>, Stop> {
    let stop = |why: String| Stop { offset, why };
    let failed = |e: io::Error| Stop {
        offset,
        why: format!("it cannot be read: {e}"),
    };
    payload.clear();
    source
        .by_ref()
        .take(HEAD as u64)
        .read_to_end(payload)
        .map_err(failed)?;
    let Ok(head) = <[u8; HEAD]>::try_from(payload.as_slice()) else {
        let cut = "the file ends within the head of a frame";
        return if payload.is_empty() {
            Ok(None)
        } else {
            Err(stop(cut.to_owned()))
        };
    };
    let [kind, a, b, c, d, e, f, g, h] = head;
    let (length, claimed) = (
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
    );
    if length > longest {
        return Err(stop(format!(
            "a frame claims {length} bytes, and {longest} are allowed"
        )));
    }
    payload.clear();
    source
        .by_ref()
        .take(u64::from(length))
        .read_to_end(payload)
        .map_err(failed)?;
    if payload.len() < length as usize {
        let there = payload.len();
        return Err(stop(format!(
            "the file ends within a frame: {there} of {length} bytes"
        )));
    }
    if checksum(kind, payload) != claimed {
        return Err(stop("the checksum of a frame is wrong".to_owned()));
    }
    Ok(Some(kind))
}
