//! What an instruction's outcome depends on, in its method and in the whole program.
//!
//! | question | module |
//! |---|---|
//! | where does each operand come from | [`values`] |
//! | what decides whether an instruction runs | [`control`] |
//! | what belongs together in one method | [`method`] |
//! | which instructions may throw, and where that leads | [`throwing`] |
//! | which classes has a program | [`program`] |
//! | who calls whom | [`calls`] |
//! | what does code do that is not there | [`models`] |
//! | what depends on what in the whole program | [`system`], built by `build` |
//! | what is a slice | [`mod@slice`] |
//! | how is it asked for, and answered | [`criterion`], [`analysis`] |

pub mod analysis;
mod build;
pub mod calls;
pub mod control;
pub mod criterion;
pub mod method;
pub mod models;
pub mod program;
mod reach;
pub mod slice;
pub mod system;
pub mod throwing;
pub mod values;

pub use analysis::{Analysis, AnalysisError, Slice, SlicedMethod};
pub use criterion::{Criterion, CriterionError};
pub use method::{Closure, MethodDependence};
pub use slice::Contexts;
pub use throwing::Exceptions;
pub use values::{Value, ValueId};
