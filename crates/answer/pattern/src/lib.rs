//! Patterns in a sequence of method invocations.
//!
//! The measures are those of Hwang & Huang ("Dynamic Java Program Corpus Analysis, Part 1: The Analyzer"), taken in one pass for all of them. Beyond the paper are
//! neighbours by entropy (`ranking`) and recurrent sequences of any length (`recurrent`).
//!
//! | question | module | source |
//! |---|---|---|
//! | how few classes and methods a window has | [`locality`] | "Method Invocation Localities" |
//! | consecutive, loop-N | [`loops`] | "Control Patterns", "Control Pattern Evaluation" |
//! | hierarchy-consecutive, what stands beside what | `neighbours`, `ranking` | "Control Patterns", "In-Depth" |
//! | who extends whom | [`hierarchy`] | "Class Hierarchy Encoding" |
//! | distance, sizes, native methods | `census` | "Other Behaviors" |
//! | what recurs, at any length | `recurrent` | – |
//!
//! [`analyse`] reads a file of events; [`Analysis`] takes events block by block; both answer with [`Patterns`].

mod analysis;
mod census;
mod dimension;
pub mod hierarchy;
pub mod locality;
pub mod loops;
mod matches;
mod measures;
mod neighbours;
mod pairs;
mod patterns;
mod ranking;
mod recurrent;
mod sequence;
mod settings;
mod text;
mod timeline;

pub use analysis::{Analysis, PatternError, analyse};
pub use census::{Distances, NativeMethod, Natives, SizeClass, Sizes};
pub use dimension::Dimension;
pub use hierarchy::{Hierarchy, HierarchyError};
pub use measures::{DimensionMeasures, Loop, Measures, Pattern, Share};
pub use patterns::{Neighbours, Patterns, Recorded, SliceMeasures, SliceUnit, ThreadMeasures};
pub use ranking::{Neighbour, Neighbourhood, Side};
pub use recurrent::{Example, Finder, Occurrence, Recurrent, Shape, Step};
pub use settings::{Parts, Settings};
