//! Built-in operations: their charges by paper mode's rules, and what is known of their results.

use super::lower::{Env, Fact, Lower, Lowered, Map, Value};
use super::{Atom, Block, Right, Step, Unsized, shape};
use crate::construct::Construct;
use crate::core::{Expr, Operator};
use crate::types::{self, Letters, Node, Shape, Ty};

/// The largest constant factor of a number that is a sum of it.
const FACTOR: i64 = 8;

/// What a comparison works on.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Word,
    Float,
    String,
    Any,
}

impl<'p> Lower<'p> {
    /// What a comparison works on: the type that is known where it stands chooses, and a constant constructor on either side.
    fn kind(&mut self, operator: Operator, arguments: &[Expr], ty: Ty) -> Kind {
        let equality = matches!(operator, Operator::Equal | Operator::NotEqual);
        if matches!(operator, Operator::Same | Operator::NotSame) {
            return Kind::Word;
        }
        if equality && arguments.iter().any(|a| matches!(a, Expr::Int(_))) {
            return Kind::Word;
        }
        let ty = self.types.expand(ty);
        match self.types.node(ty) {
            Node::Constructor(types::FLOAT, _) => Kind::Float,
            Node::Constructor(types::STRING, _) => Kind::String,
            Node::Constructor(types::INT | types::CHAR | types::BOOL | types::UNIT, _) => {
                Kind::Word
            }
            Node::Constructor(id, _) => match &self.types.infos[id.0 as usize].shape {
                Shape::Variants(_, all) if all.iter().all(|(_, parts)| parts.is_empty()) => {
                    Kind::Word
                }
                _ => Kind::Any,
            },
            _ => Kind::Any,
        }
    }

    /// What an operation is charged as.
    pub fn charge_operation(&mut self, operator: Operator, arguments: &[Expr], ty: Ty) {
        use Construct as C;
        use Operator as O;
        let comparison = |kind, of: [C; 2]| match kind {
            Kind::Word => of[0],
            Kind::Float => of[1],
            Kind::String => C::StringCond,
            Kind::Any => C::PolyCond,
        };
        let kind = self.kind(operator, arguments, ty);
        let construct = match operator {
            O::IntNegate => C::IntUMinus,
            O::IntAdd => C::IntAdd,
            O::IntSub => C::IntSub,
            O::IntMul => C::IntMult,
            O::IntDiv => C::IntDiv,
            O::IntMod => C::IntMod,
            O::FloatNegate | O::FloatAbs => C::FloatUMinus,
            O::FloatAdd => C::FloatAdd,
            O::FloatSub => C::FloatSub,
            O::FloatMul => C::FloatMult,
            O::FloatDiv => C::FloatDiv,
            O::BoolNot => C::BoolNot,
            O::Raise => C::Raise,
            O::Compare => C::PolyCond,
            O::Equal | O::NotEqual | O::Same | O::NotSame => {
                comparison(kind, [C::IntCondEq, C::FloatCondEq])
            }
            O::Less => comparison(kind, [C::IntCondLT, C::FloatCondLT]),
            O::LessEqual => comparison(kind, [C::IntCondLE, C::FloatCondLE]),
            O::Greater => comparison(kind, [C::IntCondGT, C::FloatCondGT]),
            O::GreaterEqual => comparison(kind, [C::IntCondGE, C::FloatCondGE]),
            _ => C::Primitive,
        };
        self.charge(construct, 1);
    }

    /// Charges what an operation costs by the size of what it is given: what a comparison looks at beyond its two values, at most, where
    /// their type has no larger ones; else a step without a size.
    fn charge_size(
        &mut self,
        operator: Operator,
        arguments: &[Expr],
        ty: Ty,
        types: &[Ty],
    ) -> Lowered<()> {
        if let Some((what, time, bytes)) = grows(operator) {
            self.step(Step::Unsized(Unsized {
                what: what.to_owned(),
                time,
                bytes,
                counted: &[],
            }));
            return Ok(());
        }
        let total = operator == Operator::Compare;
        if !total && !crate::compile::is_comparison(operator) {
            return Ok(());
        }
        if let [a, b] = types {
            self.unify(*a, *b)?;
        }
        let of = types.first().copied().unwrap_or(ty);
        let texts = arguments.iter().filter_map(|a| match a {
            Expr::String(text) => Some(text.len() as u64 / 8),
            _ => None,
        });
        let (construct, most) = match self.kind(operator, arguments, of) {
            Kind::Word | Kind::Float => return Ok(()),
            Kind::String => (Construct::StringWord, texts.min()),
            Kind::Any => (Construct::PolyWord, shape::inside(&mut self.types, of, 0)),
        };
        // In a value of any kind there may be texts, whose words are counted by themselves.
        let counted: &[Construct] = match construct {
            Construct::StringWord => &[Construct::StringWord],
            _ => &[Construct::PolyWord, Construct::StringWord],
        };
        match most {
            Some(0) => {}
            Some(most) => {
                // It stops where the values differ.
                let ended = |steps| Block {
                    steps,
                    value: Some(Atom::Constant(0)),
                };
                let ways = vec![ended(vec![Step::Charge(construct, most)]), ended(vec![])];
                let unit = self.types.basic(types::UNIT);
                self.bind(Right::Choice(ways), unit);
            }
            None => {
                let of = self.types.expand(of);
                let what = if let Node::Variable(_) = self.types.node(of) {
                    "a comparison of values of any type".to_owned()
                } else {
                    let text = self.types.text(of, &mut Letters::default());
                    format!("a comparison of `{text}`")
                };
                self.step(Step::Unsized(Unsized {
                    what,
                    time: true,
                    bytes: false,
                    counted,
                }));
            }
        }
        Ok(())
    }

    pub fn operate(
        &mut self,
        operator: Operator,
        arguments: &'p [Expr],
        ty: Ty,
        env: &Env<'p>,
        map: &Map,
    ) -> Lowered<Value<'p>> {
        use Operator as O;
        if let Some(what) = state(operator) {
            return Err(self.refuse(what));
        }
        let mut values = Vec::new();
        for argument in arguments.iter().rev() {
            values.push(self.expr(argument, env, map, false)?);
        }
        values.reverse();
        self.charge_operation(operator, arguments, ty);
        if operator == O::Raise {
            let value = self.unknown();
            self.failed = true;
            return value;
        }
        let int = self.types.basic(types::INT);
        let (mut atoms, mut types) = (Vec::new(), Vec::new());
        for value in values {
            // A function may be compared with another: that raises, and costs the comparison alone.
            atoms.push(match value {
                Value::Function(_) => Atom::Constant(0),
                value => {
                    let (atom, ty) = self.atom(value)?;
                    types.push(ty);
                    atom
                }
            });
        }
        self.charge_size(operator, arguments, ty, &types)?;
        Ok(match (operator, &atoms[..]) {
            (O::IntAdd, [a, Atom::Constant(n)] | [Atom::Constant(n), a]) if *n < 0 => {
                self.minus(*a, n.unsigned_abs(), int)
            }
            (O::IntAdd, [a, Atom::Constant(n)] | [Atom::Constant(n), a]) => {
                self.plus(*a, n.unsigned_abs(), int)
            }
            (O::IntAdd, [a, b]) => self.bind(Right::Sum(*a, *b), int),
            (O::IntSub, [a, Atom::Constant(n)]) if *n >= 0 => self.minus(*a, n.unsigned_abs(), int),
            (O::IntSub, [a, b]) => Value::Atom(self.difference(*a, *b), int),
            (O::IntDiv, [a, Atom::Constant(n)]) if *n > 0 => {
                // Half of a positive number is no more than the number before it.
                let most = if *n > 1 { self.before(*a) } else { *a };
                self.bind(Right::AtMost(most, Some(*a)), int)
            }
            (O::IntDiv, [a, b]) => self.bind(Right::Less(*a, *b), int),
            (O::IntMod, [a, Atom::Constant(n)]) if *n > 0 => {
                self.bind(Right::AtMost(Atom::Constant(*n - 1), Some(*a)), int)
            }
            (
                O::IntMul,
                [a, Atom::Constant(n @ 1..=FACTOR)] | [Atom::Constant(n @ 1..=FACTOR), a],
            ) => {
                let mut sum = Value::Atom(*a, int);
                for _ in 1..*n {
                    let so_far = self.atom(sum)?.0;
                    sum = self.bind(Right::Sum(so_far, *a), int);
                }
                sum
            }
            // A remainder is less than a positive divisor, and no more than the number itself.
            (O::IntMod, [a, b]) => {
                let before = self.before(*b);
                let most = if before == *b { *a } else { before };
                self.bind(Right::AtMost(most, Some(*a)), int)
            }
            (
                O::IntMul
                | O::IntNegate
                | O::StringLength
                | O::CharCode
                | O::Compare
                | O::IntOfFloat
                | O::IntOfString,
                _,
            ) => self.bind(Right::Unknown, int),
            (
                O::Equal
                | O::NotEqual
                | O::Less
                | O::LessEqual
                | O::Greater
                | O::GreaterEqual
                | O::BoolNot,
                _,
            ) => {
                let bool = self.types.basic(types::BOOL);
                self.bind(Right::Unknown, bool)
            }
            _ if operator.gives_float() => {
                let float = self.types.basic(types::FLOAT);
                self.bind(Right::Unknown, float)
            }
            _ => self.unknown()?,
        })
    }

    /// The number before one that is known to be positive, else the number itself.
    fn before(&self, number: Atom) -> Atom {
        match number {
            Atom::Var(v) => match self.facts.get(&v) {
                Some(Fact::Successor(before)) => Atom::Var(*before),
                _ => number,
            },
            Atom::Constant(_) => number,
        }
    }
}

/// What an operation is whose time, whose bytes hang on what it is given.
fn grows(operator: Operator) -> Option<(&'static str, bool, bool)> {
    use Operator as O;
    Some(match operator {
        O::StringConcat => ("`^`", true, true),
        O::StringMake => ("`String.make`", true, true),
        O::StringSub => ("`String.sub`", true, true),
        O::StringOfInt => ("`string_of_int`", false, true),
        O::StringOfFloat => ("`string_of_float`", false, true),
        O::IntOfString => ("`int_of_string`", true, false),
        O::FloatOfString => ("`float_of_string`", true, false),
        O::PrintString | O::PrintError => ("printing a text", true, false),
        _ => return None,
    })
}

/// What an operation is that reads or changes what may have changed, or whose cost is that of what it is given.
fn state(operator: Operator) -> Option<&'static str> {
    use Operator as O;
    Some(match operator {
        O::RefMake | O::RefGet | O::RefSet | O::RefIncrement | O::RefDecrement => "a reference",
        _ if operator.is_array() => "an array",
        _ if operator.is_bytes() => "bytes that change",
        O::Format | O::FormatOf => "a format",
        O::Hash | O::Digest => "a hash",
        O::Exit => "`exit`",
        _ => return None,
    })
}
