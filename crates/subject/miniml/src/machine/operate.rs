//! The built-in operations.

use std::cmp::Ordering;

use super::heap::{self, Word, int, string_words, word, young_string_words};
use super::{Interrupt, Machine};
use crate::code::Holds;
use crate::core::Operator;

/// Whether a comparison holds of two values in that order.
#[inline]
pub(super) fn holds(holds: Holds, order: Ordering) -> bool {
    holds >> (order as i8 + 1) & 1 == 1
}

/// Which orders make a comparison true.
pub(crate) fn orders(operator: Operator) -> Holds {
    match operator {
        Operator::Less => 0b001,
        Operator::LessEqual => 0b011,
        Operator::Equal | Operator::Same => 0b010,
        Operator::NotEqual | Operator::NotSame => 0b101,
        Operator::Greater => 0b100,
        _ => 0b110,
    }
}

impl Machine<'_> {
    pub(super) fn raise(&mut self, name: &str, text: Option<&str>) -> Interrupt {
        let id = int(self.exceptions.iter().position(|e| e == name).unwrap_or(0) as i64);
        let exception = if let Some(text) = text {
            let text = self.heap.string(text.as_bytes());
            self.heap.block_reversed(0, id, &[text])
        } else {
            self.heap.block_reversed(0, id, &[])
        };
        // What the runtime raises, it builds; what the library raises is static.
        if let (Some(text @ ("compare: functional value" | "int_of_string")), true) =
            (text, self.bounds.native)
        {
            self.grant(8 * (3 + string_words(text.len() as u64)));
        }
        Interrupt::Raise(exception)
    }

    pub(super) fn text(&self, w: Word) -> Vec<u8> {
        self.heap.bytes(w)
    }

    pub(super) fn set_string(&mut self, bytes: &[u8], base: usize) -> Result<(), Interrupt> {
        self.copied(string_words(bytes.len() as u64));
        self.new_string(bytes, base)
    }

    /// A string whose bytes nothing writes.
    pub(super) fn new_string(&mut self, bytes: &[u8], base: usize) -> Result<(), Interrupt> {
        self.room(bytes.len() / 8 + 4)?;
        self.acc = self.heap.string(bytes);
        if self.bounds.native {
            self.allocate(8 * young_string_words(bytes.len() as u64), base)?;
        }
        Ok(())
    }

    fn set_float(&mut self, x: f64) -> Result<(), Interrupt> {
        self.room(2)?;
        self.acc = self.heap.float(x);
        Ok(())
    }

    pub(super) fn operate(&mut self, operator: Operator, base: usize) -> Result<(), Interrupt> {
        use Operator as O;
        let a = self.acc;
        match operator {
            O::IntNegate => {
                self.acc = int(word(a).wrapping_neg());
                Ok(())
            }
            O::BoolNot => {
                self.acc = a ^ 2;
                Ok(())
            }
            O::IntDiv | O::IntMod => {
                let (x, y) = (word(a), word(self.pop()));
                if y == 0 {
                    return Err(self.raise("Division_by_zero", None));
                }
                self.acc = int(if operator == O::IntDiv {
                    x.wrapping_div(y)
                } else {
                    x.wrapping_rem(y)
                });
                Ok(())
            }
            O::FloatAdd | O::FloatSub | O::FloatMul | O::FloatDiv | O::FloatPower => {
                let b = self.pop();
                let (x, y) = (self.heap.as_float(a), self.heap.as_float(b));
                self.set_float(match operator {
                    O::FloatAdd => x + y,
                    O::FloatSub => x - y,
                    O::FloatMul => x * y,
                    O::FloatDiv => x / y,
                    _ => x.powf(y),
                })
            }
            O::IntAnd
            | O::IntOr
            | O::IntXor
            | O::IntShiftLeft
            | O::IntShiftRight
            | O::IntShiftArithmetic => {
                let (x, y) = (word(a), word(self.pop()));
                // Shifts by more than there is are not specified: these are those of the processor.
                let by = y as u32 & 63;
                self.acc = int(match operator {
                    O::IntAnd => x & y,
                    O::IntOr => x | y,
                    O::IntXor => x ^ y,
                    O::IntShiftLeft => x.wrapping_shl(by),
                    O::IntShiftRight => ((x as u64) << 1 >> 1).wrapping_shr(by) as i64,
                    _ => x.wrapping_shr(by),
                });
                Ok(())
            }
            O::FloatAtanTwo | O::FloatRemainder | O::FloatHypot => {
                let b = self.pop();
                let (x, y) = (self.heap.as_float(a), self.heap.as_float(b));
                self.set_float(match operator {
                    O::FloatAtanTwo => x.atan2(y),
                    O::FloatRemainder => x % y,
                    _ => x.hypot(y),
                })
            }
            O::FloatTan
            | O::FloatAsin
            | O::FloatAcos
            | O::FloatAtan
            | O::FloatSinh
            | O::FloatCosh
            | O::FloatTanh
            | O::FloatLogTen
            | O::FloatExpMinus
            | O::FloatLogPlus
            | O::FloatTruncate
            | O::FloatRound => {
                let x = self.heap.as_float(a);
                self.set_float(match operator {
                    O::FloatTan => x.tan(),
                    O::FloatAsin => x.asin(),
                    O::FloatAcos => x.acos(),
                    O::FloatAtan => x.atan(),
                    O::FloatSinh => x.sinh(),
                    O::FloatCosh => x.cosh(),
                    O::FloatTanh => x.tanh(),
                    O::FloatLogTen => x.log10(),
                    O::FloatExpMinus => x.exp_m1(),
                    O::FloatLogPlus => x.ln_1p(),
                    O::FloatTruncate => x.trunc(),
                    _ => x.round(),
                })
            }
            O::FloatNegate
            | O::FloatAbs
            | O::FloatSqrt
            | O::FloatExp
            | O::FloatLog
            | O::FloatSin
            | O::FloatCos
            | O::FloatFloor
            | O::FloatCeil => {
                let x = self.heap.as_float(a);
                self.set_float(match operator {
                    O::FloatNegate => -x,
                    O::FloatAbs => x.abs(),
                    O::FloatSqrt => x.sqrt(),
                    O::FloatExp => x.exp(),
                    O::FloatLog => x.ln(),
                    O::FloatSin => x.sin(),
                    O::FloatCos => x.cos(),
                    O::FloatFloor => x.floor(),
                    _ => x.ceil(),
                })
            }
            O::FloatOfInt => self.set_float(word(a) as f64),
            O::IntOfFloat => {
                self.acc = int(truncated(self.heap.as_float(a)));
                Ok(())
            }
            O::CharCode => Ok(()),
            O::CharOfCode if (0..256).contains(&word(a)) => Ok(()),
            O::CharOfCode => Err(self.raise("Invalid_argument", Some("char_of_int"))),
            O::Compare => self.total_order(),
            O::Equal | O::NotEqual | O::Less | O::LessEqual | O::Greater | O::GreaterEqual => {
                let b = self.pop();
                // Texts of different numbers of words are not equal whatever they hold.
                let words = |w: Word| {
                    let text = self.heap.has_tag(w, heap::STRING);
                    text.then(|| string_words(self.heap.field(w, 0)))
                };
                let lengths = matches!(operator, O::Equal | O::NotEqual) && words(a) != words(b);
                let order = self.ordered(a, b, false, !lengths)?;
                let result = order.map_or(operator == O::NotEqual, |o| holds(orders(operator), o));
                self.acc = int(i64::from(result));
                Ok(())
            }
            O::Exit => Err(Interrupt::Stop(super::Stop::Exit(word(a)))),
            _ if operator.is_array() => self.operate_array(operator, base),
            _ if operator.is_bytes() => self.operate_bytes(operator, base),
            _ => self.operate_string(operator, base),
        }
    }

    /// The order of two values; what is looked at for it is counted, unless their lengths tell.
    fn ordered(
        &mut self,
        a: Word,
        b: Word,
        total: bool,
        counted: bool,
    ) -> Result<Option<Ordering>, Interrupt> {
        let mut looked = heap::Compared::default();
        let order = self.heap.compare(a, b, total, &mut looked);
        if counted {
            let all = &mut self.missed[self.region as usize].compared;
            all.values += looked.values;
            all.texts += looked.texts;
        }
        order.map_err(|()| self.raise("Invalid_argument", Some("compare: functional value")))
    }

    /// `compare`, where a NaN equals itself and is below all others.
    fn total_order(&mut self) -> Result<(), Interrupt> {
        let b = self.pop();
        let order = self.ordered(self.acc, b, true, true)?;
        self.acc = int(order.unwrap_or(Ordering::Equal) as i64);
        Ok(())
    }

    fn operate_string(&mut self, operator: Operator, base: usize) -> Result<(), Interrupt> {
        use Operator as O;
        let a = self.acc;
        match operator {
            O::StringLength => self.acc = int(self.heap.field(a, 0) as i64),
            O::StringGet => {
                let i = word(self.pop());
                let length = self.heap.field(a, 0);
                let byte = u64::try_from(i).ok().filter(|i| *i < length);
                let byte = byte.map(|i| self.heap.byte(a, i as usize));
                let Some(byte) = byte else {
                    return Err(self.raise("Invalid_argument", Some("index out of bounds")));
                };
                self.acc = int(i64::from(byte));
            }
            O::StringConcat => {
                let b = self.pop();
                let mut bytes = self.text(a);
                bytes.extend(self.text(b));
                self.set_string(&bytes, base)?;
            }
            O::StringMake => {
                let byte = word(self.pop()) as u8;
                let n = word(a);
                if n < 0 || n as u64 > self.bounds.memory {
                    return Err(self.raise("Invalid_argument", Some("String.make")));
                }
                self.set_string(&vec![byte; n as usize], base)?;
            }
            O::StringSub => {
                let (from, length) = (word(self.pop()), word(self.pop()));
                let text = self.text(a);
                let range = usize::try_from(from).ok().zip(usize::try_from(length).ok());
                let part = range.and_then(|(f, l)| text.get(f..f.checked_add(l)?));
                let Some(part) = part else {
                    return Err(self.raise("Invalid_argument", Some("String.sub / Bytes.sub")));
                };
                self.set_string(part, base)?;
            }
            O::StringOfInt => self.set_string(word(a).to_string().as_bytes(), base)?,
            O::StringOfFloat => {
                let text = crate::show::float(self.heap.as_float(a));
                if self.bounds.native {
                    // The library looks for a point with a local function, and appends one.
                    let plain = text
                        .strip_suffix('.')
                        .map_or(0, |t| string_words(t.len() as u64));
                    self.grant(8 * (5 + plain));
                }
                self.set_string(text.as_bytes(), base)?;
            }
            O::IntOfString => {
                let text = self.text(a);
                let Some(value) = parse_int(&text) else {
                    return Err(self.raise("Failure", Some("int_of_string")));
                };
                self.acc = int(value);
            }
            O::FloatOfString => {
                let text = self.text(a);
                let Some(value) = parse_float(&text) else {
                    return Err(self.raise("Failure", Some("float_of_string")));
                };
                self.set_float(value)?;
                self.heap.box_float(self.acc);
                if self.bounds.native {
                    self.allocate(16, base)?;
                }
            }
            O::Format => {
                let value = self.pop();
                let spec = self.text(a);
                let text = crate::printf::format(&spec, value, &self.heap);
                self.set_string(&text, base)?;
            }
            O::Hash => self.acc = int(super::digest::hash(&self.heap, a)),
            O::Digest => {
                let digest = super::digest::md5(&self.text(a));
                self.set_string(&digest, base)?;
            }
            O::PrintError => self.acc = int(0),
            O::PrintString => {
                let text = self.text(a);
                self.copied(text.len() as u64 / 8);
                self.output.extend(text);
                self.acc = int(0);
            }
            _ => unreachable!("{operator:?} is done elsewhere"),
        }
        Ok(())
    }
}

/// `int_of_string`: a sign, `0x`, `0o`, `0b` or `0u`, digits and underscores. Numbers with a prefix may use all 63 bits.
fn parse_int(text: &[u8]) -> Option<i64> {
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (radix, signed, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] => (16, false, rest),
        [b'0', b'o' | b'O', rest @ ..] => (8, false, rest),
        [b'0', b'b' | b'B', rest @ ..] => (2, false, rest),
        [b'0', b'u' | b'U', rest @ ..] => (10, false, rest),
        _ => (10, true, text),
    };
    if digits.first().is_none_or(|&c| c == b'_') {
        return None;
    }
    let mut value: u64 = 0;
    for &c in digits.iter().filter(|&&c| c != b'_') {
        let digit = char::from(c).to_digit(radix)?;
        value = value
            .checked_mul(u64::from(radix))?
            .checked_add(u64::from(digit))?;
    }
    let limit = if signed {
        (1 << 62) - u64::from(!negative)
    } else {
        (1 << 63) - 1
    };
    let value = Some(value).filter(|v| *v <= limit)? as i64;
    let value = if negative {
        value.wrapping_neg()
    } else {
        value
    };
    Some(value << 1 >> 1)
}

/// The integer part of a float; what no 64-bit integer holds is the processor's least one, of which OCaml keeps 63 bits.
fn truncated(x: f64) -> i64 {
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&x);
    if fits { x as i64 } else { i64::MIN }
}

/// `float_of_string`: what C reads, with underscores.
fn parse_float(text: &[u8]) -> Option<f64> {
    let text: String = text
        .iter()
        .filter(|c| **c != b'_')
        .map(|c| char::from(*c))
        .collect();
    let lower = text.to_ascii_lowercase();
    if lower.contains("0x") || text.is_empty() {
        return None;
    }
    match lower.trim_start_matches(['+', '-']) {
        "inf" | "infinity" | "nan" => {}
        digits if digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {}
        _ => return None,
    }
    lower.parse().ok()
}
