//! The built-in operations.

use std::cmp::Ordering;

use super::heap::{Word, int, word};
use super::{Interrupt, Machine};
use crate::core::Operator;

/// Whether a comparison holds of two values in that order.
pub(super) fn holds(operator: Operator, order: Ordering) -> bool {
    match operator {
        Operator::Equal => order.is_eq(),
        Operator::NotEqual => order.is_ne(),
        Operator::Less => order.is_lt(),
        Operator::LessEqual => order.is_le(),
        Operator::Greater => order.is_gt(),
        _ => order.is_ge(),
    }
}

impl Machine<'_> {
    /// Operations on integers that neither fail nor allocate: `acc` is the first operand, the second is on top.
    pub(super) fn operate_int(&mut self, operator: Operator) {
        let a = self.acc;
        self.acc = match operator {
            Operator::IntNegate => int(word(a).wrapping_neg()),
            Operator::BoolNot => a ^ 2,
            Operator::IntAdd => a.wrapping_add(self.pop() - 1),
            Operator::IntSub => a.wrapping_sub(self.pop()).wrapping_add(1),
            Operator::IntMul => int(word(a).wrapping_mul(word(self.pop()))),
            _ => {
                let b = self.pop();
                int(i64::from(holds(operator, (a as i64).cmp(&(b as i64)))))
            }
        };
    }

    fn raise(&mut self, name: &str, text: Option<&str>) -> Interrupt {
        let id = int(self.exceptions.iter().position(|e| e == name).unwrap_or(0) as i64);
        let exception = if let Some(text) = text {
            let text = self.heap.string(text.as_bytes());
            self.heap.block_reversed(0, id, &[text])
        } else {
            self.heap.block_reversed(0, id, &[])
        };
        Interrupt::Raise(exception)
    }

    fn text(&self, w: Word) -> Vec<u8> {
        self.heap.bytes(w)
    }

    fn set_string(&mut self, bytes: &[u8]) -> Result<(), Interrupt> {
        self.room(bytes.len() / 8 + 4)?;
        self.acc = self.heap.string(bytes);
        Ok(())
    }

    fn set_float(&mut self, x: f64) -> Result<(), Interrupt> {
        self.room(2)?;
        self.acc = self.heap.float(x);
        Ok(())
    }

    pub(super) fn operate(&mut self, operator: Operator) -> Result<(), Interrupt> {
        use Operator as O;
        let a = self.acc;
        match operator {
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
            O::FloatNegate
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
                self.acc = int(self.heap.as_float(a) as i64);
                Ok(())
            }
            O::CharCode => Ok(()),
            O::CharOfCode if (0..256).contains(&word(a)) => Ok(()),
            O::CharOfCode => Err(self.raise("Invalid_argument", Some("char_of_int"))),
            O::Compare => self.total_order(),
            O::Equal | O::NotEqual | O::Less | O::LessEqual | O::Greater | O::GreaterEqual => {
                let b = self.pop();
                let Ok(order) = self.heap.compare(a, b) else {
                    return Err(self.raise("Invalid_argument", Some("compare: functional value")));
                };
                let result = order.map_or(operator == O::NotEqual, |o| holds(operator, o));
                self.acc = int(i64::from(result));
                Ok(())
            }
            _ => self.operate_string(operator),
        }
    }

    /// `compare`, where a NaN equals itself and is below all others.
    fn total_order(&mut self) -> Result<(), Interrupt> {
        let b = self.pop();
        let Ok(order) = self.heap.compare(self.acc, b) else {
            return Err(self.raise("Invalid_argument", Some("compare: functional value")));
        };
        self.acc = int(order.unwrap_or(Ordering::Equal) as i64);
        Ok(())
    }

    fn operate_string(&mut self, operator: Operator) -> Result<(), Interrupt> {
        use Operator as O;
        let a = self.acc;
        match operator {
            O::StringLength => self.acc = int(self.heap.field(a, 0) as i64),
            O::StringGet => {
                let i = word(self.pop());
                let byte = usize::try_from(i)
                    .ok()
                    .and_then(|i| self.text(a).get(i).copied());
                let Some(byte) = byte else {
                    return Err(self.raise("Invalid_argument", Some("index out of bounds")));
                };
                self.acc = int(i64::from(byte));
            }
            O::StringConcat => {
                let b = self.pop();
                let mut bytes = self.text(a);
                bytes.extend(self.text(b));
                self.set_string(&bytes)?;
            }
            O::StringMake => {
                let byte = word(self.pop()) as u8;
                let n = word(a);
                if n < 0 || n as u64 > self.memory {
                    return Err(self.raise("Invalid_argument", Some("String.make")));
                }
                self.set_string(&vec![byte; n as usize])?;
            }
            O::StringSub => {
                let (from, length) = (word(self.pop()), word(self.pop()));
                let text = self.text(a);
                let range = usize::try_from(from).ok().zip(usize::try_from(length).ok());
                let part = range.and_then(|(f, l)| text.get(f..f.checked_add(l)?));
                let Some(part) = part else {
                    return Err(self.raise("Invalid_argument", Some("String.sub / Bytes.sub")));
                };
                self.set_string(part)?;
            }
            O::StringOfInt => self.set_string(word(a).to_string().as_bytes())?,
            O::StringOfFloat => {
                let text = crate::show::float(self.heap.as_float(a));
                self.set_string(text.as_bytes())?;
            }
            O::IntOfString => {
                let text = self.text(a);
                let value = std::str::from_utf8(&text)
                    .ok()
                    .and_then(|t| t.parse::<i64>().ok());
                let Some(value) = value.filter(|v| *v << 1 >> 1 == *v) else {
                    return Err(self.raise("Failure", Some("int_of_string")));
                };
                self.acc = int(value);
            }
            O::PrintString => {
                let text = self.text(a);
                self.output.extend(text);
                self.acc = int(0);
            }
            _ => unreachable!("{operator:?} is done elsewhere"),
        }
        Ok(())
    }
}
