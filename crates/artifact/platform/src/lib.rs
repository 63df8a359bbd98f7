//! Price lists of platforms: what a machine, a JVM and its flags charge for small programs, as plain data.
//!
//! After Krogmann, Kuperberg and Reussner (2010), section 3.5: a platform is known by the durations of benchmark programs. Deviations:
//! the durations stay beside the prices that were learnt from them, since most predictions need the former alone; each has its
//! spread, and what could not be measured says why. Limits: one thread, one machine at a time.

mod json;
mod list;
mod traits;

pub use json::ListError;
pub use list::{
    Benchmark, Fit, ListedPrice, Measuring, PLATFORM_KIND, PLATFORM_SCHEMA, PlatformList,
};
pub use traits::{Collector, Facts, Mode, collector, java_release, mode, same_platform};
