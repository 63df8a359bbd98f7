//! Plans in a directory, many to a file: `plans/*.plans`. Earlier versions had a file per class, `plans/HASH.plan`, which reads the same.

use std::path::{Path, PathBuf};

use crate::codec::PLANS;
use crate::pack::{Pack, StoreError};
use crate::plan::{ClassHash, ClassPlan};

/// A directory of plans.
#[derive(Debug)]
pub struct PlanStore {
    pack: Pack,
}

impl PlanStore {
    /// Opens the directory, creating it if need be.
    ///
    /// # Errors
    /// If it cannot be created or listed, or a file in it cannot be read.
    pub fn open(directory: impl Into<PathBuf>) -> Result<Self, StoreError> {
        let pack = Pack::open(directory, PLANS, &["plans", "plan"])?;
        Ok(Self { pack })
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        self.pack.directory()
    }

    /// Stores a plan under its class hash; from now on it is the one that is found here, and by others unless one that began to store later stores another.
    ///
    /// # Errors
    /// If it cannot be written whole.
    pub fn store(&self, plan: &ClassPlan) -> Result<(), StoreError> {
        let bytes = plan.to_bytes().map_err(|source| StoreError::Codec {
            path: self.directory().to_owned(),
            at: 0,
            source,
        })?;
        self.store_bytes(plan.hash, &bytes)
    }

    /// Stores a plan as another store holds it: [`ClassPlan::to_bytes`].
    ///
    /// # Errors
    /// If it cannot be written whole.
    pub fn store_bytes(&self, hash: ClassHash, plan: &[u8]) -> Result<(), StoreError> {
        self.pack.add(hash.0, plan)
    }

    /// Loads the plan of a class; none if there is none of this version.
    ///
    /// # Errors
    /// If a plan is there but cannot be read or is damaged; if there is none, but a file is damaged that may have held it.
    pub fn load(&self, hash: ClassHash) -> Result<Option<ClassPlan>, StoreError> {
        match self.pack.read(hash.0, ClassPlan::from_bytes) {
            Err(StoreError::Codec { source, .. }) if source.is_version() => Ok(None),
            found => found,
        }
    }

    /// Loads the plan that an agent has counted a class by, if only just; none if there is none. Plans that are known already are taken not to have changed.
    ///
    /// # Errors
    /// As [`PlanStore::load`], and if the plan is of another version: then the agent is, too.
    pub fn written(&self, hash: ClassHash) -> Result<Option<ClassPlan>, StoreError> {
        if let Ok(Some(plan)) = self.pack.read(hash.0, ClassPlan::from_bytes) {
            return Ok(Some(plan));
        }
        self.pack.refresh()?;
        self.pack.read(hash.0, ClassPlan::from_bytes)
    }

    /// The plan of a class as it is stored, if there is one that is whole.
    pub fn bytes(&self, hash: ClassHash) -> Option<Vec<u8>> {
        let whole = |bytes: &[u8]| PLANS.open(bytes).map(|_| bytes.to_vec());
        self.pack.read(hash.0, whole).ok().flatten()
    }

    /// That all plans are as they were written: a lost one would otherwise be a class that was never counted.
    ///
    /// # Errors
    /// If one is not.
    pub fn check(&self) -> Result<(), StoreError> {
        self.pack.check()
    }

    /// Hashes of all stored plans, ascending.
    pub fn hashes(&self) -> Vec<ClassHash> {
        self.pack.keys().into_iter().map(ClassHash).collect()
    }
}
