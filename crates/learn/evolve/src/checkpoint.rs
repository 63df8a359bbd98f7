//! A search on disk: where it stands, and what it belongs to.
//!
//! Magic, version, a 128-bit checksum, then the state (postcard; floats keep every bit). A checkpoint fits only the same
//! data, constants, seed and settings, by fingerprint; the number of generations and the stagnation limit may change, so
//! that a search can be extended. Bytes from elsewhere are refused, never trusted: lengths, types and indices are checked.

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use crate::problem::Problem;
use crate::search::{Settings, State};

const MAGIC: &[u8; 8] = b"PTEVOLV1";

/// A search that can be continued.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    fingerprint: u128,
    pub(crate) state: State,
}

/// Why a checkpoint cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// Not a checkpoint of this version.
    #[error("this is no checkpoint of a search, or one of another version")]
    Format,
    /// Bytes have changed.
    #[error("the checkpoint is damaged: its checksum does not fit")]
    Damaged,
    /// Of another search.
    #[error("the checkpoint belongs to other data, constants, seed or settings")]
    Other,
}

impl Checkpoint {
    pub(crate) fn new(problem: &Problem, settings: &Settings, state: State) -> Self {
        Self {
            fingerprint: fingerprint(problem, settings),
            state,
        }
    }

    /// Complete generations.
    pub fn generation(&self) -> u32 {
        self.state.generation.unwrap_or(0)
    }

    /// The bytes to store.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Writing plain data to memory cannot fail; were it to, the empty payload would be refused when read.
        let payload = postcard::to_stdvec(self).unwrap_or_default();
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&XxHash3_128::oneshot(&payload).to_le_bytes());
        out.extend_from_slice(&payload);
        out
    }

    /// Reads stored bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(CheckpointError::Format)?;
        let (sum, payload) = rest
            .split_first_chunk::<16>()
            .ok_or(CheckpointError::Format)?;
        if XxHash3_128::oneshot(payload).to_le_bytes() != *sum {
            return Err(CheckpointError::Damaged);
        }
        postcard::from_bytes(payload).map_err(|_| CheckpointError::Format)
    }

    /// The state, if it is one of this search.
    pub(crate) fn state_for(
        &self,
        problem: &Problem,
        settings: &Settings,
    ) -> Result<State, CheckpointError> {
        if self.fingerprint != fingerprint(problem, settings) {
            return Err(CheckpointError::Other);
        }
        let state = &self.state;
        let counted = state.improved <= state.generation.unwrap_or(0)
            && state.evaluations < u64::MAX / 2
            && (state.generation.is_none() || !state.population.is_empty());
        let sound = counted
            && state.population.iter().all(|one| {
                one.coefficients.len() == one.terms.len()
                    && one
                        .terms
                        .iter()
                        .all(|t| t.is_valid(problem.columns.len(), problem.given.len()))
            });
        if sound {
            Ok(self.state.clone())
        } else {
            Err(CheckpointError::Format)
        }
    }
}

/// Hash of everything the course of a search depends on.
fn fingerprint(problem: &Problem, settings: &Settings) -> u128 {
    let mut bytes: Vec<u8> = Vec::new();
    for name in &problem.names {
        bytes.extend_from_slice(&(name.len() as u64).to_le_bytes());
        bytes.extend_from_slice(name.as_bytes());
    }
    let numbers = [&problem.target, &problem.roots, &problem.given];
    for column in problem.columns.iter().chain(numbers) {
        bytes.extend_from_slice(&(column.len() as u64).to_le_bytes());
        for value in column {
            bytes.extend_from_slice(&value.to_bits().to_le_bytes());
        }
    }
    let mut fixed = settings.clone();
    fixed.limits.generations = 0;
    fixed.limits.stagnation = None;
    bytes.extend_from_slice(format!("{fixed:?}").as_bytes());
    XxHash3_128::oneshot(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Control, EvolveError, GeneticProgramming, Limits};
    use pricetag_estimator::{Column, Design, Values};

    /// Found by fuzzing with the checksum put right: the search counted generations since an improvement to come.
    #[test]
    fn states_that_no_search_reaches_are_refused() {
        let column = Column {
            name: "n".to_owned(),
            values: Values::Dense((1..=12).map(f64::from).collect()),
        };
        let target = (1..=12).map(|n| f64::from(n * n % 7)).collect();
        let design = Design::new(vec![column], target).check().expect("sound");
        let search = GeneticProgramming {
            limits: Limits {
                generations: 1,
                population: 6,
                ..Limits::default()
            },
            ..GeneticProgramming::default()
        };
        let resumed = |spoil: &dyn Fn(&mut State)| {
            let mut checkpoint = search
                .evolve(&design, Control::default(), None)
                .expect("a search")
                .checkpoint;
            spoil(&mut checkpoint.state);
            search
                .evolve(&design, Control::default(), Some(&checkpoint))
                .map(|_| ())
        };
        let refused = Err(EvolveError::Checkpoint(CheckpointError::Format));
        assert_eq!(resumed(&|_| ()), Ok(()));
        assert_eq!(resumed(&|state| state.improved = 9), refused);
        assert_eq!(resumed(&|state| state.evaluations = u64::MAX), refused);
        assert_eq!(resumed(&|state| state.population.clear()), refused);
    }
}
