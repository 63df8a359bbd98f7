//! Notes each call that enters a component and each that leaves it, with parameters and results.
//!
//! Source: Krogmann, Kuperberg & Reussner (TSE 2010), section 3.2. Deviation: nothing has to be said about interfaces; which calls cross is found out
//! while the program runs, by where each thread is and by the class that a call reaches.
//!
//! | question | module |
//! |---|---|
//! | what is changed in a class | [`rewrite`] |
//! | the code of one wrapper | `wrapper` |
//! | how a JVM gets its classes changed | `server` |
//! | the Java code that notes calls | `runtime` |
//! | a run, and what it noted | [`record()`] |
//! | what each call executed | [`counts`] |
//!
//! Limits. A reference to a method of another component (`Store::put`) is no call in the component's code, and is not seen; lambdas are. A constructor is
//! no service: what it calls in its class while it is called from outside counts as called from outside. Calls of constructors outside are not noted. A method
//! called from native code or by reflection is noted like any other. Classes whose loader does not find `pricetag.border.Border` are left alone.

pub mod counts;
mod error;
pub mod pattern;
pub mod record;
pub mod rewrite;
mod runtime;
mod server;
mod wrapper;

pub use error::BorderError;
pub use record::{Options, record};
pub use runtime::{RUNTIME_CLASSES, RUNTIME_SOURCES};
