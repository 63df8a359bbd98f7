//! Units, intervals and robust statistics of repeated measurements.
//!
//! Everything is a pure function of its arguments. Values are kept in base units (ns, byte, 1); scaling happens only
//! where a person reads them ([`human`]).

pub mod interval;
pub mod statistics;
pub mod unfinite;
pub mod unit;

pub use interval::Interval;
pub use statistics::{
    MedianInterval, low_quantile, mad, mean_interval, median, median_interval, minimum, quantile,
    relative_spread,
};
pub use unfinite::Unfinite;
pub use unit::{counted, human, human_interval, significant};
