//! What one run of a subject recorded: versioned, checksummed, crash-safe.
//!
//! A trace is a file of framed records. Each frame carries its length and a CRC-32, so a reader uses everything up to
//! the first damaged frame and says that the rest is missing. The last record of a complete trace is [`Record::End`].
//!
//! The crate also holds [`AgentOptions`], the small text file by which a run is asked for: the runner writes it, the
//! agent inside the subject's JVM reads it, and neither knows the other.

pub mod called;
mod calls;
pub mod caught;
pub mod dump;
pub mod frame;
pub mod late;
mod listed;
pub mod look;
pub mod options;
pub mod pattern;
pub mod processes;
pub mod reader;
pub mod record;
pub mod scope;
pub mod skip;
pub mod standing;
mod unmatched;
pub mod values;
pub mod writer;

pub use called::{ByCaller, Called, Caller};
pub use calls::{CallChoice, Calls, Window};
pub use caught::{Arrivals, Caught};
pub use frame::TraceError;
pub use late::{CAME_LATE, LEAVE};
pub use listed::{BlockName, Listed, ListedInClass};
pub use look::Look;
pub use options::{AgentOptions, Mode, OptionsError};
pub use pattern::{Pattern, PatternError};
pub use reader::{Damage, Trace, TraceReader};
pub use record::*;
pub use scope::{MethodScope, Scope};
pub use skip::{MethodName, REMOVED, Region, UNLISTED};
pub use standing::Standing;
pub use values::{Given, Numbered, Unusable, ValuePlace, Values, VariableValues, VersionValue};
pub use writer::TraceWriter;
