//! Which construct an operation is charged as: its types choose.

use crate::construct::Construct;
use crate::core::Operator;

/// What a comparison works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Float,
    String,
    Any,
}

pub(super) fn is_comparison(operator: Operator) -> bool {
    use Operator as O;
    matches!(
        operator,
        O::Equal | O::NotEqual | O::Less | O::LessEqual | O::Greater | O::GreaterEqual
    )
}

pub(super) fn int_comparison(operator: Operator) -> Construct {
    match operator {
        Operator::Less => Construct::IntCondLT,
        Operator::LessEqual => Construct::IntCondLE,
        Operator::Greater => Construct::IntCondGT,
        Operator::GreaterEqual => Construct::IntCondGE,
        _ => Construct::IntCondEq,
    }
}

pub(super) fn charge_of(operator: Operator, kind: Kind) -> Construct {
    use Operator as O;
    match operator {
        O::IntNegate => Construct::IntUMinus,
        O::IntAdd => Construct::IntAdd,
        O::IntSub => Construct::IntSub,
        O::IntMul => Construct::IntMult,
        O::IntDiv => Construct::IntDiv,
        O::IntMod => Construct::IntMod,
        O::FloatNegate => Construct::FloatUMinus,
        O::FloatAdd => Construct::FloatAdd,
        O::FloatSub => Construct::FloatSub,
        O::FloatMul => Construct::FloatMult,
        O::FloatDiv => Construct::FloatDiv,
        O::BoolNot => Construct::BoolNot,
        O::Raise => Construct::Raise,
        O::Compare => Construct::PolyCond,
        _ if !is_comparison(operator) => Construct::Primitive,
        _ => match kind {
            Kind::Int => int_comparison(operator),
            Kind::String => Construct::StringCond,
            Kind::Any => Construct::PolyCond,
            Kind::Float => match operator {
                O::Less => Construct::FloatCondLT,
                O::LessEqual => Construct::FloatCondLE,
                O::Greater => Construct::FloatCondGT,
                O::GreaterEqual => Construct::FloatCondGE,
                _ => Construct::FloatCondEq,
            },
        },
    }
}
