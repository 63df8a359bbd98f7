//! What `ocamlopt` without flambda makes of operations and calls, as far as it shows in time: constant operands, dependent chains, floats in
//! registers, calls of known functions. Read from the compiler's own output (`-dcmm`, `-S`) of version 4.13.

use super::Compiler;
use super::chain::Membership;
use super::charge::{Kind, is_comparison};
use super::function::Known;
use crate::construct::Construct;
use crate::core::{Expr, Operator};

/// What is known of a float expression's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Result {
    /// It comes boxed from elsewhere.
    Loaded,
    /// It is computed here.
    Computed,
    /// It is a constant.
    Constant,
    /// It never comes.
    Never,
}

impl Result {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never | Self::Loaded, k) | (k, Self::Never | Self::Loaded) => k,
            (Self::Constant, Self::Constant) => Self::Constant,
            _ => Self::Computed,
        }
    }
}

impl Compiler<'_> {
    /// Whether a variable bound to the expression holds a float in a register.
    pub(super) fn is_raw(&self, e: &Expr) -> bool {
        self.result(e) == Result::Computed
    }

    fn result(&self, e: &Expr) -> Result {
        match e {
            Expr::Operate(Operator::Raise, ..) => Result::Never,
            Expr::Operate(operator, ..) if operator.gives_float() => Result::Computed,
            Expr::Operate(Operator::ArrayGet | Operator::ArrayUnsafeGet, _, ty)
                if self.holds_floats(*ty) =>
            {
                Result::Computed
            }
            Expr::Float(_) => Result::Constant,
            Expr::AssertFailure(_) => Result::Never,
            Expr::Mutable(.., body) => self.result(body),
            Expr::Local(v) if self.raw.contains(v) => Result::Computed,
            Expr::Field(_, _, true) => Result::Computed,
            Expr::If(_, yes, no) => self.result(yes).join(self.result(no)),
            Expr::Let(_, body) | Expr::LetRec(_, body) => self.result(body),
            Expr::Sequence(parts) => parts.last().map_or(Result::Loaded, |p| self.result(p)),
            Expr::Match { clauses, .. } => {
                let all = clauses.iter().map(|c| self.result(&c.body));
                all.fold(Result::Never, Result::join)
            }
            Expr::Try(body, clauses) => {
                let all = clauses.iter().map(|c| self.result(&c.body));
                all.fold(self.result(body), Result::join)
            }
            _ => Result::Loaded,
        }
    }

    pub(super) fn charge_call(&mut self, known: Option<Known>, n: u32, ghost: bool, tail: bool) {
        use Construct as C;
        let generic = |n: u32| match (n, tail) {
            (1, false) => C::CallUnknown,
            (1, true) => C::TailUnknown,
            (_, false) => C::CallApply,
            (_, true) => C::TailApply,
        };
        match known {
            Some(known) if n > known.arity => {
                self.charge(C::CallKnown, 1);
                self.charge(generic(n - known.arity), 1);
            }
            Some(known) if n == known.arity && (known.tupled.is_none() || ghost) => {
                let own = self.frame.function == Some(known.function);
                self.charge(
                    match (tail, own) {
                        (false, _) => C::CallKnown,
                        (true, true) => C::TailSelf,
                        (true, false) => C::TailKnown,
                    },
                    1,
                );
            }
            _ => self.charge(generic(n), 1),
        }
    }

    /// The branch on a condition that is no comparison of integers.
    pub(super) fn charge_branch(&mut self, condition: &Expr) {
        let float = match condition {
            Expr::Operate(operator, arguments, ty) => {
                is_comparison(*operator) && self.kind_of(*operator, arguments, *ty) == Kind::Float
            }
            _ => false,
        };
        self.charge(
            if float {
                Construct::BranchFloat
            } else {
                Construct::BranchInt
            },
            1,
        );
    }

    pub(super) fn charge_native(
        &mut self,
        operator: Operator,
        kind: Kind,
        arguments: &[Expr],
        chained: Option<&Membership>,
    ) {
        use Construct as C;
        use Operator as O;
        let constant = arguments
            .iter()
            .skip(usize::from(operator != O::IntMul))
            .find_map(|a| self.int_of(a).filter(|n| *n != 0))
            .map(|n| n.unsigned_abs().is_power_of_two());
        let pick = |plain, chain| if chained.is_some() { chain } else { plain };
        let construct = match (operator, constant) {
            (O::IntNegate | O::IntAdd | O::IntSub | O::BoolNot, _) | (O::IntMul, Some(true)) => {
                C::AddInt
            }
            (
                O::IntAnd
                | O::IntOr
                | O::IntXor
                | O::IntShiftLeft
                | O::IntShiftRight
                | O::IntShiftArithmetic,
                _,
            ) => C::AddInt,
            (O::IntMul, Some(false)) => C::MulIntConst,
            (O::IntMul, None) => pick(C::MulInt, C::MulIntChain),
            (O::IntDiv, Some(true)) => C::DivIntPow2,
            (O::IntDiv, Some(false)) => C::DivIntConst,
            (O::IntDiv, None) => pick(C::DivInt, C::DivIntChain),
            (O::IntMod, Some(true)) => C::ModIntPow2,
            (O::IntMod, Some(false)) => C::ModIntConst,
            (O::IntMod, None) => pick(C::ModInt, C::ModIntChain),
            (O::FloatNegate | O::FloatAbs | O::FloatAdd | O::FloatSub, _) => {
                pick(C::AddFloat, C::AddFloatChain)
            }
            (O::FloatMul, _) => pick(C::MulFloat, C::MulFloatChain),
            (O::FloatDiv, _) => pick(C::DivFloat, C::DivFloatChain),
            (O::FloatOfInt | O::IntOfFloat, _) => C::ConvertFloat,
            (O::FloatSqrt, _) => C::SqrtFloat,
            (
                O::FloatPower
                | O::FloatExp
                | O::FloatLog
                | O::FloatSin
                | O::FloatCos
                | O::FloatFloor
                | O::FloatCeil,
                _,
            ) => C::CallFloat,
            (operator, _) if operator.is_float_call() => C::CallFloat,
            (O::Raise, _) => C::RaiseExn,
            (O::CharCode | O::Identity | O::Ignore | O::FormatOf, _) => return,
            (O::ArrayLength, _) => C::Load,
            (O::ArrayGet | O::BytesSet, _) => {
                // The length is looked at first.
                self.charge(C::Load, 1);
                self.charge(C::BranchInt, 1);
                if operator == O::ArrayGet {
                    C::Load
                } else {
                    C::SetInt
                }
            }
            (O::ArrayUnsafeGet | O::BytesUnsafeGet, _) => C::Load,
            (O::BytesUnsafeSet, _) => C::SetInt,
            (
                O::ArrayMake
                | O::ArraySub
                | O::ArrayAppend
                | O::ArrayConcat
                | O::ArrayBlit
                | O::ArrayFill
                | O::BytesCreate
                | O::BytesBlit
                | O::BytesFill
                | O::BytesCopy,
                _,
            ) => C::CallArray,
            (O::Hash, _) => C::CallHash,
            (O::Format, _) => C::CallFormat,
            (O::StringOfFloat, _) => C::CallDecimal,
            (O::StringOfInt, _) => C::CallNumber,
            (O::StringLength | O::StringGet | O::CharOfCode, _) => C::Load,
            (
                O::Compare
                | O::Equal
                | O::NotEqual
                | O::Less
                | O::LessEqual
                | O::Greater
                | O::GreaterEqual
                | O::Same
                | O::NotSame,
                _,
            ) => match kind {
                Kind::Int => C::CompareInt,
                Kind::Float => C::CompareFloat,
                Kind::String => C::CompareString,
                Kind::Any => C::ComparePoly,
            },
            _ => C::CallPrimitive,
        };
        self.charge(construct, 1);
        self.charge_latency(construct, chained);
    }

    /// The latency of an operation on every chain it is on.
    pub(super) fn charge_latency(&mut self, construct: Construct, chained: Option<&Membership>) {
        let Some((membership, latency)) = chained.zip(construct.latency()) else {
            return;
        };
        for chain in &membership.chains {
            self.charge_chain(*chain, latency, 1);
        }
        for chain in membership
            .second
            .iter()
            .filter(|_| latency == Construct::MulIntChain)
        {
            self.charge_chain(*chain, Construct::UntagChain, 1);
        }
        for chain in &membership.boxed {
            self.charge_chain(*chain, Construct::BoxChain, 1);
        }
    }
}
