//! Words of a log that are no invocation: a call of a scope begins or ends here.
//!
//! They look like native methods of a number that none has.

use pricetag_events::Edge;
use pricetag_instrument::NATIVE_BIT;

/// Set in the number of a mark; those of native methods are far below.
const MARK: u32 = 1 << 31;
/// Where the edge stands in the number.
const EDGE: u32 = 29;

/// The word of a mark. Of calls beyond 2²⁹ the lower bits are kept.
pub fn word(call: u64, edge: Edge) -> i64 {
    let number = MARK | u32::from(edge.number()) << EDGE | call as u32 & ((1 << EDGE) - 1);
    1 << NATIVE_BIT | i64::from(number)
}

/// Whether a word is a mark.
pub fn is_mark(word: i64) -> bool {
    word >> NATIVE_BIT == 1 && word as u32 & MARK != 0
}

/// What a mark says.
pub fn read(word: i64) -> Option<(u64, Edge)> {
    let edge = Edge::of(u64::from(word as u32 >> EDGE & 3))?;
    is_mark(word).then_some((u64::from(word as u32 & ((1 << EDGE) - 1)), edge))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_as_it_was_written_and_no_method_is_one() {
        for call in [0, 1, 77, (1 << EDGE) - 1] {
            for edge in [Edge::Begins, Edge::Ends, Edge::GivenUp] {
                assert_eq!(read(word(call, edge)), Some((call, edge)));
            }
        }
        for other in [0, 1 << NATIVE_BIT | 4095, 1 << 62 | 1 << 31, 7 << 40 | 3] {
            assert_eq!(read(other), None, "{other:x}");
        }
    }
}
