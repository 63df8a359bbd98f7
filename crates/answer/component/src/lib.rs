//! A component's behaviour to read, to draw, and to give away as a Palladio model.
//!
//! | form | module |
//! |---|---|
//! | text | `text` |
//! | Palladio | `palladio`, its formulas by `expression` |

mod expression;
mod palladio;
mod text;

pub use palladio::palladio;
pub use text::{named, text};
