//! How records are wrapped that lie in files one after another: what they are, of which version, how long, and unharmed.
//!
//! ```text
//! magic            8 bytes
//! version          u32, little endian
//! body length      u32, little endian
//! body             postcard; begins with a u32 and the key by which the record is looked for, a u128
//! XXH3-128         of all bytes before, 16 bytes, little endian
//! ```
//! The checksum is verified before the body is decoded, so a torn or altered record is never half-read.

use serde::Serialize;
use twox_hash::XxHash3_128;

use crate::error::CodecError;

const HEADER: usize = 16;
const CHECKSUM: usize = 16;
/// Room for most records.
const USUAL: usize = 8 << 10;

/// A kind of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Its first bytes.
    pub magic: [u8; 8],
    /// Version of what is in it.
    pub version: u32,
}

/// What the first bytes of a record say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Length of the whole record.
    pub length: u64,
    /// What it is looked for by, or why that cannot be read.
    pub key: Result<u128, CodecError>,
}

impl Envelope {
    /// As many bytes as [`head`](Self::head) asks for: header, and the first two numbers of the body at their longest.
    pub(crate) const HEAD: usize = HEADER + 5 + 19;

    /// Wraps a body.
    ///
    /// # Errors
    /// If it cannot be encoded, or is too long.
    pub fn seal(self, body: &impl Serialize) -> Result<Vec<u8>, CodecError> {
        let mut bytes = Vec::with_capacity(USUAL);
        bytes.extend(self.magic);
        bytes.extend(self.version.to_le_bytes());
        bytes.extend([0; 4]);
        let mut bytes = postcard::to_extend(body, bytes)?;
        let length = u32::try_from(bytes.len() - HEADER);
        let length = length.map_err(|_| postcard::Error::SerializeBufferFull)?;
        bytes[HEADER - 4..HEADER].copy_from_slice(&length.to_le_bytes());
        let checksum = XxHash3_128::oneshot(&bytes);
        bytes.extend(checksum.to_le_bytes());
        Ok(bytes)
    }

    /// The body of a record that is whole.
    ///
    /// # Errors
    /// If the bytes are of another kind or version, torn or altered.
    pub fn open(self, bytes: &[u8]) -> Result<&[u8], CodecError> {
        let (version, length) = self.header(bytes)?;
        self.current(version)?;
        let torn = || CodecError::Length {
            found: bytes.len(),
            expected: whole(length),
        };
        let rest = &bytes[HEADER..];
        let (body, checksum) = rest.split_at_checked(length as usize).ok_or_else(torn)?;
        let expected = u128::from_le_bytes(checksum.try_into().map_err(|_| torn())?);
        let found = XxHash3_128::oneshot(&bytes[..bytes.len() - CHECKSUM]);
        if found != expected {
            return Err(CodecError::Checksum { found, expected });
        }
        Ok(body)
    }

    /// That bytes are a record that is whole, of whatever version.
    pub(crate) fn check(self, bytes: &[u8]) -> Result<(), CodecError> {
        let (version, _) = self.header(bytes)?;
        Self { version, ..self }.open(bytes).map(drop)
    }

    /// What a record is looked for by.
    pub(crate) fn key(self, bytes: &[u8]) -> Result<u128, CodecError> {
        self.head(bytes, bytes.len() as u64)?.key
    }

    /// What the first [`HEAD`](Self::HEAD) bytes say, or as many as there are, of `left` that may belong to a record; nothing is verified.
    pub(crate) fn head(self, bytes: &[u8], left: u64) -> Result<Head, CodecError> {
        let found = usize::try_from(left).unwrap_or(usize::MAX);
        let stranger = |_| CodecError::NotAPlan { length: found };
        let (version, body) = self.header(bytes).map_err(stranger)?;
        let expected = whole(body);
        if expected > left {
            return Err(CodecError::Length { found, expected });
        }
        let first = || postcard::take_from_bytes::<(u32, u128)>(&bytes[HEADER..]);
        let key = self.current(version).and_then(|()| Ok(first()?.0.1));
        let length = expected;
        Ok(Head { length, key })
    }

    /// That records are of this version.
    fn current(self, version: u32) -> Result<(), CodecError> {
        if version == self.version {
            return Ok(());
        }
        Err(CodecError::Version {
            found: version,
            expected: self.version,
        })
    }

    /// Version and length of the body.
    fn header(self, bytes: &[u8]) -> Result<(u32, u32), CodecError> {
        let stranger = || CodecError::NotAPlan {
            length: bytes.len(),
        };
        let (magic, rest) = bytes.split_first_chunk::<8>().ok_or_else(stranger)?;
        let (version, rest) = rest.split_first_chunk::<4>().ok_or_else(stranger)?;
        let (length, _) = rest.split_first_chunk::<4>().ok_or_else(stranger)?;
        if *magic != self.magic {
            return Err(stranger());
        }
        Ok((u32::from_le_bytes(*version), u32::from_le_bytes(*length)))
    }
}

/// Length of a record with a body of this length.
fn whole(body: u32) -> u64 {
    u64::from(body) + (HEADER + CHECKSUM) as u64
}
