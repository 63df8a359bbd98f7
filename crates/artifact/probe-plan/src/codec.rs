//! Plans as bytes: magic, format version, body, checksum.
//!
//! ```text
//! "PTPLAN\0\x01"   8 bytes
//! PLAN_VERSION     u32, little endian
//! body length      u32, little endian
//! body             postcard
//! XXH3-128         of all bytes before, 16 bytes, little endian
//! ```
//! The checksum is verified before the body is decoded, so a torn or altered file is never half-read.

use twox_hash::XxHash3_128;

use crate::plan::{ClassHash, ClassPlan, PLAN_VERSION};

/// The first bytes of a stored plan.
pub const MAGIC: [u8; 8] = *b"PTPLAN\0\x01";

const HEADER: usize = 16;
const CHECKSUM: usize = 16;

/// Why bytes are not a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// Not ours, or torn off within the first bytes.
    #[error("not a probe plan: {length} bytes that do not start with the plan magic")]
    NotAPlan {
        /// Length of the input.
        length: usize,
    },
    /// Made by another version of Pricetag.
    #[error(
        "probe plan of version {found}, this is version {expected}: it must be computed again, by an agent built with this program"
    )]
    Version {
        /// Version in the file.
        found: u32,
        /// Our [`PLAN_VERSION`].
        expected: u32,
    },
    /// Torn or too long.
    #[error("probe plan of {found} bytes, its header announces {expected}: the file is torn")]
    Length {
        /// Length of the input.
        found: usize,
        /// Length the header announces.
        expected: u64,
    },
    /// Altered.
    #[error(
        "probe plan with checksum {found:032x} instead of {expected:032x}: the file is damaged"
    )]
    Checksum {
        /// Checksum of the bytes read.
        found: u128,
        /// Checksum in the file.
        expected: u128,
    },
    /// The body does not decode, or does not encode.
    #[error("probe plan does not decode: {0}")]
    Body(#[from] postcard::Error),
    /// The body decodes to a plan that no class has.
    #[error("probe plan refers to something that is not there: {0}")]
    Dangling(&'static str),
}

impl ClassHash {
    /// The hash of a class file.
    pub fn of(class_bytes: &[u8]) -> Self {
        Self(XxHash3_128::oneshot(class_bytes))
    }
}

impl ClassPlan {
    /// Encodes the plan.
    ///
    /// # Errors
    /// If the encoder refuses, which no plan built from a class file makes it do.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CodecError> {
        let body = postcard::to_stdvec(self)?;
        let mut bytes = Vec::with_capacity(HEADER + body.len() + CHECKSUM);
        bytes.extend(MAGIC);
        bytes.extend(PLAN_VERSION.to_le_bytes());
        bytes.extend((body.len() as u32).to_le_bytes());
        bytes.extend(body);
        let checksum = XxHash3_128::oneshot(&bytes);
        bytes.extend(checksum.to_le_bytes());
        Ok(bytes)
    }

    /// Decodes a plan.
    ///
    /// # Errors
    /// If the bytes are not a plan of this version, torn or altered, or numbers in it refer to nothing.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CodecError> {
        let not_a_plan = || CodecError::NotAPlan {
            length: bytes.len(),
        };
        let (magic, rest) = bytes.split_first_chunk::<8>().ok_or_else(not_a_plan)?;
        let (version, rest) = rest.split_first_chunk::<4>().ok_or_else(not_a_plan)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or_else(not_a_plan)?;
        if *magic != MAGIC {
            return Err(not_a_plan());
        }
        let found = u32::from_le_bytes(*version);
        if found != PLAN_VERSION {
            return Err(CodecError::Version {
                found,
                expected: PLAN_VERSION,
            });
        }
        let length = u32::from_le_bytes(*length);
        let torn = || CodecError::Length {
            found: bytes.len(),
            expected: u64::from(length) + (HEADER + CHECKSUM) as u64,
        };
        let (body, checksum) = rest.split_at_checked(length as usize).ok_or_else(torn)?;
        let expected = u128::from_le_bytes(checksum.try_into().map_err(|_| torn())?);
        let found = XxHash3_128::oneshot(&bytes[..bytes.len() - CHECKSUM]);
        if found != expected {
            return Err(CodecError::Checksum { found, expected });
        }
        let plan: Self = postcard::from_bytes(body)?;
        plan.dangling()
            .map_or(Ok(plan), |what| Err(CodecError::Dangling(what)))
    }
}
