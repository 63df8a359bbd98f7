//! Plans as bytes: in an [`Envelope`], by the hash of their class.

use twox_hash::XxHash3_128;

use crate::calls::Calls;
use crate::envelope::Envelope;
use crate::error::CodecError;
use crate::plan::{ClassHash, ClassPlan, PLAN_VERSION};

/// The first bytes of a stored plan.
pub const MAGIC: [u8; 8] = *b"PTPLAN\0\x01";

/// What plans are stored in.
pub(crate) const PLANS: Envelope = Envelope {
    magic: MAGIC,
    version: PLAN_VERSION,
};

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
    /// If its calls are not those of its instructions, which is so in no plan built from a class file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, CodecError> {
        PLANS.seal(&(self, Calls::of(self)?))
    }

    /// Decodes a plan.
    ///
    /// # Errors
    /// If the bytes are not a plan of this version, torn or altered, or numbers in it refer to nothing.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CodecError> {
        let (mut plan, calls): (Self, Calls<'_>) = postcard::from_bytes(PLANS.open(bytes)?)?;
        calls.give_to(&mut plan)?;
        plan.dangling()
            .map_or(Ok(plan), |what| Err(CodecError::Dangling(what)))
    }
}
