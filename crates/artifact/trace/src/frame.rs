//! The frame around every record of a trace.
//!
//! File: [`MAGIC`], version (`u32`, little endian), then frames. Frame: kind (`u8`), payload length (`u32`, little
//! endian), CRC-32 (IEEE, `u32`, little endian) of kind, length and payload, then the payload: the record in postcard
//! encoding. The kind repeats which record it is, so that a reader can skip kinds it does not know.

use std::path::PathBuf;

use crate::record::Record;

/// First bytes of every trace.
pub const MAGIC: [u8; 8] = *b"PTRACE\r\n";

/// Bytes of the file's header.
pub const HEADER_BYTES: usize = 12;

/// Bytes of a frame before its payload.
pub const FRAME_BYTES: usize = 9;

/// Largest payload a writer makes and a reader accepts, in bytes.
pub const MAX_PAYLOAD: u32 = 1 << 30;

/// Why a trace cannot be read or written at all.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The operating system said no.
    #[error("cannot {action} trace {path}: {source}")]
    Io {
        /// `open`, `read`, `create`, `write`.
        action: &'static str,
        /// The trace.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// The file does not begin like a trace.
    #[error("{path} is not a Pricetag trace")]
    NotATrace {
        /// The file.
        path: PathBuf,
    },
    /// A trace of another version of Pricetag.
    #[error("trace {path} has version {found}; this Pricetag reads version {expected}")]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        expected: u32,
    },
    /// A record that does not fit into a frame.
    #[error("a record of {bytes} bytes is larger than a frame of trace {path} may be")]
    TooLarge {
        /// The trace.
        path: PathBuf,
        /// Size of the encoded record.
        bytes: usize,
    },
    /// A record that cannot be encoded.
    #[error("cannot encode a record for trace {path}: {message}")]
    Encode {
        /// The trace.
        path: PathBuf,
        /// What the encoder said.
        message: String,
    },
}

/// Checksum of a frame.
pub(crate) fn checksum(kind: u8, payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&[kind]);
    hasher.update(&(payload.len() as u32).to_le_bytes());
    hasher.update(payload);
    hasher.finalize()
}

/// The kind byte of a record. Numbers are never reused.
pub(crate) fn kind(record: &Record) -> u8 {
    match record {
        Record::Start(_) => 1,
        Record::Class(_) => 2,
        Record::Left(_) => 3,
        Record::Counters(_) => 4,
        Record::OpenFrame(_) => 5,
        Record::Inexact(_) => 6,
        Record::Invocation(_) => 7,
        Record::Process(_) => 8,
        Record::End => 9,
        Record::BlockTime(_) => 10,
        Record::Values(_) => 11,
        Record::Parameters(_) => 12,
        Record::Caught(_) => 13,
        Record::Look(_) => 14,
        Record::ByCaller(_) => 15,
        Record::Variable(_) => 16,
        Record::Given(_) => 17,
        Record::Standing(_) => 18,
        Record::Sampled(_) => 20,
        Record::Queued(_) => 21,
    }
}

/// Largest kind this version knows; frames of larger kinds are skipped.
pub(crate) const LAST_KIND: u8 = 21;
/// A kind that earlier builds wrote, the CPU time of a whole process: skipped, and not to be given away again.
pub(crate) const RETIRED: u8 = 19;
