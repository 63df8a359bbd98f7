//! A gate on counts: what a suite of benchmarks executes is kept in a file, and a build that executes more fails.
//!
//! [`Counted`] is what recordings of the suite say, [`Baseline`] the file, [`check()`] holds one against the other, and its [`Verdict`] says what
//! costs more, with the methods and blocks to blame. [`output`] has the forms that services of continuous integration read. Nothing is run here.
//!
//! A count that was the same in all runs of the recording is compared exactly. One that was not has an interval, and a check fails only if all of
//! its runs are beyond it. What cannot be judged fails: a gate that counted nothing is not green.

pub mod agents;
mod annotated;
mod baseline;
mod circumstances;
mod counted;
mod explain;
mod figure;
mod layout;
mod limits;
mod notes;
pub mod output;
mod read;
mod suite;
mod trouble;
mod verdict;

pub use annotated::{TestsError, test_methods};
pub use baseline::{
    Baseline, Benchmark, Block, Code, Entry, History, Java, Price, Priced, SCHEMA, Setup, Tail,
};
pub use circumstances::Circumstances;
pub use counted::{Counted, Counts, Identity};
pub use explain::prices;
pub use figure::{Figure, Metric};
pub use limits::{Amount, Limit, LimitError, Limits};
pub use read::{BaselineError, load};
pub use suite::{RecordError, Suite};
pub use verdict::{Judged, Level, Row, Verdict, check};
