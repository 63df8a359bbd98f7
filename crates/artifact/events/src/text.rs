//! The paper's two text files: static information and dynamic information (Hwang & Huang, "Analyzer Architecture").
//!
//! The paper says what the files hold, not how they are written; this is our form. Lines of words with blanks between; `#` begins a comment.
//! Static information declares classes, methods and numbered events; the order of its lines does not matter:
//! ```text
//! class NAME [extends CLASS] [implements CLASS,CLASS…] [bytes N]
//! interface NAME [extends CLASS,CLASS…] [bytes N]
//! method CLASS NAME(DESCRIPTOR) [bytes N] [instructions N] [static] [native] [constructor] [bridge] [synthetic] [abstract]
//! event NUMBER RECEIVER CLASS NAME(DESCRIPTOR)
//! ```
//! A descriptor may be left out where a class has one method of that name. Dynamic information is numbers of events, in order:
//! ```text
//! thread NUMBER [NAME]     what follows is this thread's; thread 0 before any such line
//! at NS                    when the next event began
//! left-out N               so many events of this thread are missing here
//! end NS                   when the run ended
//! 0 1 2*30 …               events; 2*30 is event 2, thirty times
//! ```
//! In names, `%20` stands for a blank; so do other codes for comma, `#`, `%`, `*` and control characters. A second class of the same name is written `NAME%2312`, its number
//! in the dictionary behind a `#`.

mod convert;
mod dynamic;
mod facts;
mod words;

pub use convert::{export, import};
pub use dynamic::{Step, read_dynamic, write_dynamic, write_step};
pub use facts::{Static, read_static, write_static};

/// Which of the two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Static information.
    Static,
    /// Dynamic information.
    Dynamic,
}

/// Why text was not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} information, line {line}: {cause}; {remedy}", match .which { Which::Static => "static", Which::Dynamic => "dynamic" })]
pub struct TextError {
    /// In which file.
    pub which: Which,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub cause: String,
    /// What would make it right.
    pub remedy: String,
}

impl TextError {
    fn new(which: Which, line: usize, cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            which,
            line,
            cause: cause.into(),
            remedy: remedy.into(),
        }
    }
}
