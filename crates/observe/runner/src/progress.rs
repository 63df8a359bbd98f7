//! How a recording tells the outside how far it is.

/// Listens to a recording; called from several threads.
pub trait Progress: Sync {
    /// `runs` runs of the subject will follow.
    fn begin(&self, runs: u64, what: &str);
    /// A run begins.
    fn started(&self, label: &str);
    /// A run ended; `failure` says why it failed.
    fn step(&self, label: &str, failure: Option<&str>);
    /// Something was found that explains what follows.
    fn found(&self, what: &str);
    /// Nothing more follows.
    fn end(&self);
}

/// Tells nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _runs: u64, _what: &str) {}
    fn started(&self, _label: &str) {}
    fn step(&self, _label: &str, _failure: Option<&str>) {}
    fn found(&self, _what: &str) {}
    fn end(&self) {}
}
