//! What an instruction's outcome depends on.
//!
//! | question | module |
//! |---|---|
//! | where does each operand come from | [`values`] |
//! | what decides whether an instruction runs | [`control`] |
//! | what belongs together in one method | [`method`] |
//! | which instructions may throw, and where that leads | [`throwing`] |

pub mod control;
pub mod method;
pub mod throwing;
pub mod values;

pub use method::{Closure, MethodDependence};
pub use throwing::Exceptions;
pub use values::{Value, ValueId};
