//! Structured constants: what is built of literals alone, and of variables bound to numbers, is static data in native code.

use super::Compiler;
use crate::code::Constant;
use crate::core::{Expr, Operator};

impl Compiler<'_> {
    /// The constant an expression is, in extended mode; exceptions without arguments are static in both.
    pub(super) fn structured_constant(&self, e: &Expr) -> Option<Constant> {
        match e {
            Expr::Exception(id, arguments) if arguments.is_empty() => {
                Some(Constant::Block(0, vec![Constant::Int(i64::from(*id))]))
            }
            Expr::Int(_) | Expr::Float(_) | Expr::String(_) => None,
            _ if self.is_native() => self.literal(e),
            _ => None,
        }
    }

    /// The number an expression is known to be.
    pub(super) fn int_of(&self, e: &Expr) -> Option<i64> {
        match e {
            Expr::Int(n) => Some(*n),
            _ if !self.is_native() => None,
            _ => match self.literal(e) {
                Some(Constant::Int(n)) => Some(n),
                _ => None,
            },
        }
    }

    pub(super) fn literal(&self, e: &Expr) -> Option<Constant> {
        let all = |parts: &[Expr]| {
            parts
                .iter()
                .map(|p| self.literal(p))
                .collect::<Option<Vec<_>>>()
        };
        Some(match e {
            Expr::Int(n) => Constant::Int(*n),
            Expr::Float(x) => Constant::Float(x.to_bits()),
            Expr::String(s) => Constant::String(s.clone()),
            Expr::Local(v) => self.numbers.get(v)?.clone(),
            Expr::Global(g) => self.global_numbers.get(g)?.clone(),
            Expr::Tuple(parts) => Constant::Block(0, all(parts)?),
            Expr::Cons(head, tail) => {
                let (head, tail) = (self.literal(head)?, self.literal(tail)?);
                Constant::Block(0, vec![head, tail])
            }
            Expr::Construct { tag, arguments, .. } => Constant::Block(*tag, all(arguments)?),
            Expr::List(parts) if parts.is_empty() => Constant::Int(0),
            Expr::List(parts) => Constant::List(all(parts)?),
            Expr::Field(record, index, false) => match self.literal(record)? {
                Constant::Block(_, parts) => parts.get(*index)?.clone(),
                _ => return None,
            },
            Expr::RecordWith {
                base,
                fields,
                flat: false,
                ..
            } => {
                let Constant::Block(tag, mut parts) = self.literal(base)? else {
                    return None;
                };
                for (index, value) in fields {
                    *parts.get_mut(*index)? = self.literal(value)?;
                }
                Constant::Block(tag, parts)
            }
            Expr::Operate(operator, arguments, _) if arguments.len() <= 2 => {
                fold(*operator, &all(arguments)?)?
            }
            _ => return None,
        })
    }
}

/// An operation on numbers that the compiler does itself.
fn fold(operator: Operator, arguments: &[Constant]) -> Option<Constant> {
    use Operator as O;
    let int = |n: i64| Some(Constant::Int(n << 1 >> 1));
    let float = |x: f64| Some(Constant::Float(x.to_bits()));
    match *arguments {
        [Constant::Int(a)] => match operator {
            O::IntNegate => int(a.wrapping_neg()),
            O::BoolNot => int(1 - a),
            O::FloatOfInt => float(a as f64),
            O::CharCode => int(a),
            _ => None,
        },
        [Constant::Int(a), Constant::Int(b)] => match operator {
            O::IntAdd => int(a.wrapping_add(b)),
            O::IntSub => int(a.wrapping_sub(b)),
            O::IntMul => int(a.wrapping_mul(b)),
            O::IntDiv if b != 0 => int(a.wrapping_div(b)),
            O::IntMod if b != 0 => int(a.wrapping_rem(b)),
            O::Equal => int(i64::from(a == b)),
            O::NotEqual => int(i64::from(a != b)),
            O::Less => int(i64::from(a < b)),
            O::LessEqual => int(i64::from(a <= b)),
            O::Greater => int(i64::from(a > b)),
            O::GreaterEqual => int(i64::from(a >= b)),
            _ => None,
        },
        [Constant::Float(a)] => match operator {
            O::FloatNegate => float(-f64::from_bits(a)),
            O::FloatAbs => float(f64::from_bits(a).abs()),
            _ => None,
        },
        [Constant::Float(a), Constant::Float(b)] => {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            match operator {
                O::FloatAdd => float(a + b),
                O::FloatSub => float(a - b),
                O::FloatMul => float(a * b),
                O::FloatDiv => float(a / b),
                O::Equal => int(i64::from(a == b)),
                O::NotEqual => int(i64::from(a != b)),
                O::Less => int(i64::from(a < b)),
                O::LessEqual => int(i64::from(a <= b)),
                O::Greater => int(i64::from(a > b)),
                O::GreaterEqual => int(i64::from(a >= b)),
                _ => None,
            }
        }
        _ => None,
    }
}
