//! Control flow, loops and opcode categories of JVM methods.
//!
//! | question | module |
//! |---|---|
//! | which blocks and edges has a method, exceptional ones included | [`mod@cfg`] |
//! | where do the subroutines of old class files return to | `subroutines` |
//! | how are its loops nested | [`loops`] |
//! | where is `this` on the stack, and when is it initialised | [`receiver`] |
//! | which divisions and array accesses surely succeed | [`operands`] |
//! | which numbers does it compare with | [`comparisons`] |
//! | which checks have succeeded before on every way | [`repeats`] |
//! | can any have | [`profit`] |
//! | what kind of work does an opcode do | [`category`] |
//! | how large is a method | [`size`] |
//! | what does an instruction take off the stack and put on it | [`stack`] |

pub mod category;
pub mod cfg;
pub mod comparisons;
mod error;
pub mod loops;
pub mod operands;
pub mod profit;
pub mod receiver;
pub mod repeats;
pub mod size;
pub mod stack;
mod subroutines;

pub use category::{Categories, CategoryError};
pub use cfg::{Block, Cfg, Edge, Handler};
pub use comparisons::compared_literals;
pub use error::FlowError;
pub use loops::MethodLoop;
pub use operands::sure_successes;
pub use profit::may_repeat;
pub use receiver::Receivers;
pub use repeats::sure_repeats;
pub use size::MethodSize;
pub use stack::Effects;
