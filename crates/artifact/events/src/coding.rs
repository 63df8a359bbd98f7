//! Events as bytes that compress well: what was predicted, and what was not.
//!
//! Two tables say what followed last time, one after the last three events and one after the last event. A byte per event says which of them is right;
//! events that neither foresaw follow as numbers. After Burtscher et al. 2005 ("The VPC Trace-Compression Algorithms", finite-context predictors before
//! a general compressor), with two predictors and a single stream. Tables begin empty in each block, so that blocks stand by themselves.

use crate::facts::Symbol;

/// The event is what followed the last three events.
const BY_THREE: u8 = 0;
/// The event is what followed the last event.
const BY_ONE: u8 = 1;
/// The event is written down.
const MISSED: u8 = 2;

/// Largest number of bytes an event takes before compression.
pub(crate) const LONGEST: usize = 6;

struct Predictor {
    by_three: Vec<u32>,
    by_one: Vec<u32>,
    shift: u32,
    last: [u32; 3],
}

/// Where the two predictions stand.
struct Slots {
    three: usize,
    one: usize,
}

impl Predictor {
    /// Tables that suit a block of `count` events.
    fn new(count: usize) -> Self {
        let size = count.next_power_of_two().clamp(1 << 6, 1 << 14);
        Self {
            by_three: vec![0; size],
            by_one: vec![0; size],
            shift: 64 - size.trailing_zeros(),
            last: [0; 3],
        }
    }

    fn slots(&self) -> Slots {
        let [a, b, c] = self.last.map(u64::from);
        let mixed = (a ^ b << 21 ^ c << 42).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let alone = a.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Slots {
            three: (mixed >> self.shift) as usize & (self.by_three.len() - 1),
            one: (alone >> self.shift) as usize & (self.by_one.len() - 1),
        }
    }

    fn learn(&mut self, slots: &Slots, symbol: u32) {
        self.by_three[slots.three] = symbol;
        self.by_one[slots.one] = symbol;
        self.last = [symbol, self.last[0], self.last[1]];
    }
}

/// Appends the coded events to `out`: a byte for each, then those that were not foreseen.
pub(crate) fn encode(events: &[Symbol], out: &mut Vec<u8>, missed: &mut Vec<u8>) {
    missed.clear();
    out.reserve(events.len());
    let mut predictor = Predictor::new(events.len());
    for &Symbol(symbol) in events {
        let slots = predictor.slots();
        let code = if predictor.by_three[slots.three] == symbol {
            BY_THREE
        } else if predictor.by_one[slots.one] == symbol {
            BY_ONE
        } else {
            number(missed, u64::from(symbol));
            MISSED
        };
        out.push(code);
        predictor.learn(&slots, symbol);
    }
    out.extend_from_slice(missed);
}

/// Appends `count` events to `events`.
///
/// # Errors
/// In words, if the bytes are not those of so many events.
pub(crate) fn decode(
    bytes: &[u8],
    count: usize,
    events: &mut Vec<Symbol>,
) -> Result<(), &'static str> {
    let Some((codes, mut missed)) = bytes.split_at_checked(count) else {
        return Err("it ends early");
    };
    events.reserve(count);
    let mut predictor = Predictor::new(count);
    for &code in codes {
        let slots = predictor.slots();
        let symbol = match code {
            BY_THREE => predictor.by_three[slots.three],
            BY_ONE => predictor.by_one[slots.one],
            MISSED => take_number(&mut missed)
                .and_then(|n| u32::try_from(n).ok())
                .ok_or("an event is no number")?,
            _ => return Err("a code that does not exist"),
        };
        events.push(Symbol(symbol));
        predictor.learn(&slots, symbol);
    }
    if missed.is_empty() {
        Ok(())
    } else {
        Err("bytes are left over")
    }
}

/// Appends a LEB128 number.
pub(crate) fn number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a LEB128 number off the front, or none if there is none.
pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let part = u64::from(byte & 0x7f);
        if shift == 63 && part > 1 {
            return None;
        }
        value |= part << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        for value in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut bytes = Vec::new();
            number(&mut bytes, value);
            assert_eq!(take_number(&mut bytes.as_slice()), Some(value));
        }
        assert_eq!(take_number(&mut [0x80_u8].as_slice()), None);
        assert_eq!(take_number(&mut [0xff_u8; 11].as_slice()), None);
    }

    #[test]
    fn a_loop_is_foreseen() {
        let events: Vec<Symbol> = (0..600).map(|i| Symbol(i % 3 + 7)).collect();
        let (mut out, mut missed) = (Vec::new(), Vec::new());
        encode(&events, &mut out, &mut missed);
        assert!(out[10..600].iter().all(|&code| code == BY_THREE));
        assert!(missed.len() <= 4);
        let mut again = Vec::new();
        decode(&out, 600, &mut again).unwrap();
        assert_eq!(again, events);
        assert!(decode(&out[..599], 600, &mut again).is_err());
    }
}
