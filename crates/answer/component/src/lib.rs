//! A component's behaviour to read, to draw, and to give away as a Palladio model.
//!
//! | form | module |
//! |---|---|
//! | text | `text` |
//! | picture | `picture` |
//! | Palladio | `palladio`, its formulas by `expression` |

mod expression;
mod palladio;
mod picture;
mod text;
mod xml;

pub use palladio::palladio;
pub use picture::picture;
pub use text::{Told, ToldLaw, named, text, told};
