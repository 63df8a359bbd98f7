//! Which construct an operation is charged as: its types choose.

use super::Compiler;
use crate::construct::Construct;
use crate::core::{Expr, Operator};
use crate::types::{self, Node, Shape, Ty};

/// What a comparison works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Float,
    String,
    Any,
}

pub(crate) fn is_comparison(operator: Operator) -> bool {
    use Operator as O;
    matches!(
        operator,
        O::Equal
            | O::NotEqual
            | O::Less
            | O::LessEqual
            | O::Greater
            | O::GreaterEqual
            | O::Same
            | O::NotSame
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
        O::FloatNegate | O::FloatAbs => Construct::FloatUMinus,
        O::FloatAdd => Construct::FloatAdd,
        O::FloatSub => Construct::FloatSub,
        O::FloatMul => Construct::FloatMult,
        O::FloatDiv => Construct::FloatDiv,
        O::BoolNot => Construct::BoolNot,
        O::Raise => Construct::Raise,
        O::RefSet
        | O::RefIncrement
        | O::RefDecrement
        | O::ArraySet
        | O::ArrayUnsafeSet
        | O::BytesSet
        | O::BytesUnsafeSet => Construct::Assign,
        O::RefGet => Construct::TupleMatch,
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

impl Compiler<'_> {
    /// What an operation works on. Equality with a constant constructor compares words.
    pub(super) fn kind_of(&mut self, operator: Operator, arguments: &[Expr], ty: Ty) -> Kind {
        let equality = matches!(operator, Operator::Equal | Operator::NotEqual);
        if matches!(operator, Operator::Same | Operator::NotSame) {
            return Kind::Int;
        }
        if equality && arguments.iter().any(|a| matches!(a, Expr::Int(_))) {
            return Kind::Int;
        }
        self.kind(ty)
    }

    pub(super) fn kind(&mut self, ty: Ty) -> Kind {
        let ty = self.types.expand(ty);
        let Node::Constructor(id, _) = self.types.node(ty) else {
            return Kind::Any;
        };
        match *id {
            types::INT | types::CHAR | types::BOOL | types::UNIT => Kind::Int,
            types::FLOAT => Kind::Float,
            types::STRING => Kind::String,
            id => match &self.types.infos[id.0 as usize].shape {
                Shape::Variants(_, variants) if variants.iter().all(|(_, a)| a.is_empty()) => {
                    Kind::Int
                }
                _ => Kind::Any,
            },
        }
    }

    /// What the elements of an array, or what a reference holds, are: of the only argument of the type.
    pub(super) fn element(&mut self, ty: Ty) -> Kind {
        let ty = self.types.expand(ty);
        match self.types.node(ty) {
            Node::Constructor(_, arguments) => match arguments.first().copied() {
                Some(element) => self.kind(element),
                None => Kind::Any,
            },
            _ => Kind::Any,
        }
    }

    /// Whether a type is that of an array of floats, as far as no abbreviation hides it.
    pub(super) fn holds_floats(&self, ty: Ty) -> bool {
        let Node::Constructor(types::ARRAY, arguments) = self.types.node(ty) else {
            return false;
        };
        let element = arguments.first();
        element.is_some_and(|e| matches!(self.types.node(*e), Node::Constructor(types::FLOAT, _)))
    }

    /// Storing a value of that kind in a field.
    pub(super) fn charge_store(&mut self, kind: Kind, flat: bool) {
        self.charge(
            match kind {
                Kind::Int => Construct::SetInt,
                Kind::Float if flat => Construct::SetFloat,
                _ => Construct::SetPointer,
            },
            1,
        );
    }
}
