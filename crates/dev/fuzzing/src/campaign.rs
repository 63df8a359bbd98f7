//! A fixed number of executions of one target under the seeded mutator.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::Target;
use crate::mutation::Mutator;

/// Most bytes tried.
pub const LIMIT: usize = 1 << 14;

/// Bytes on which a target's property does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The target.
    pub target: &'static str,
    /// The execution, from 0; seeds come first.
    pub execution: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What the target said.
    pub message: String,
}

/// Runs `target` on every seed and then on mutations, `executions` in all. Ends at the first failure.
///
/// # Errors
/// The failure, with its bytes.
pub fn run(
    target: Target,
    seeds: &[Vec<u8>],
    seed: u64,
    executions: u64,
) -> Result<(), Box<Failure>> {
    let mut mutator = Mutator::new(seed);
    for execution in 0..executions {
        let bytes = match seeds.get(execution as usize) {
            Some(bytes) => bytes.clone(),
            None => mutator.mutate(seeds, LIMIT),
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.check)(&bytes))) {
            let message = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
                .unwrap_or_default();
            return Err(Box::new(Failure {
                target: target.name,
                execution,
                bytes,
                message,
            }));
        }
    }
    Ok(())
}
