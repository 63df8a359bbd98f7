//! The world around a fit: a clock, the user's patience, and a place for what a long search has reached.
//!
//! Only genetic programming takes long enough to need it. Nothing of it changes a result but the time limit and the
//! interruption, which the model then notes.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use pricetag_estimator::{Checked, Design, EstimatorError, Fitted};
use pricetag_evolve::{Checkpoint, Control, EvolveError, GeneticProgramming, Progress};

/// Told how often was searched before (the first search is for the model, the others are for its cross-validation),
/// generations done, generations at most, relative error and formula.
pub type Tell<'a> = dyn Fn(u32, u32, u32, f64, &str) + 'a;

/// What a fit may know about the world; nothing by default.
#[derive(Default)]
pub struct World<'a> {
    /// Set from another thread: a search ends with the last complete generation.
    pub interrupt: Option<&'a AtomicBool>,
    /// A span of time for one search, and the clock it is measured by.
    pub time: Option<(Duration, &'a (dyn Fn() -> Duration + Sync))>,
    /// Told at each generation of every search.
    pub progress: Option<&'a Tell<'a>>,
    /// Searches begun.
    pub searches: Cell<u32>,
    /// Where the main search is stored, and continued from.
    pub checkpoint: Option<PathBuf>,
}

impl World<'_> {
    /// Searches; `main` is the search whose formula is delivered, not one of a cross-validation.
    pub(crate) fn evolve(
        &self,
        method: &GeneticProgramming,
        design: &Checked<Design>,
        main: bool,
    ) -> Result<Fitted, EstimatorError> {
        let checkpoint = self.checkpoint.as_deref().filter(|_| main);
        let from = match checkpoint {
            Some(path) if path.exists() => Some(load(path)?),
            _ => None,
        };
        let before = self.searches.get();
        self.searches.set(before + 1);
        let mut told = |progress: &Progress| {
            if let Some(tell) = self.progress {
                tell(
                    before,
                    progress.generation,
                    progress.generations,
                    progress.error(),
                    &progress.formula(),
                );
            }
        };
        let control = Control {
            interrupt: self.interrupt,
            time: self.time,
            progress: Some(&mut told),
        };
        let evolution = method
            .evolve(design, control, from.as_ref())
            .map_err(|e| match e {
                EvolveError::Estimator(e) => e,
                EvolveError::Checkpoint(e) => refused(checkpoint, &e.to_string()),
            })?;
        if let Some(path) = checkpoint {
            store(path, &evolution.checkpoint)?;
        }
        Ok(evolution.fitted)
    }
}

fn refused(path: Option<&Path>, why: &str) -> EstimatorError {
    let place = path.map_or_else(String::new, |p| format!("{}: ", p.display()));
    EstimatorError::Request {
        method: "gp",
        reason: format!("{place}{why}"),
    }
}

fn load(path: &Path) -> Result<Checkpoint, EstimatorError> {
    let bytes = std::fs::read(path).map_err(|e| refused(Some(path), &e.to_string()))?;
    Checkpoint::from_bytes(&bytes).map_err(|e| refused(Some(path), &e.to_string()))
}

/// Whole or not at all.
fn store(path: &Path, checkpoint: &Checkpoint) -> Result<(), EstimatorError> {
    pricetag_file::write(path, &checkpoint.to_bytes())
        .map_err(|e| refused(Some(path), &e.to_string()))
}
