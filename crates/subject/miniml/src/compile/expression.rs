//! Code of expressions.

use super::chain::Membership;
use super::charge::{Kind, charge_of, int_comparison, is_comparison};
use super::function::Known;
use super::{Compiler, Want};
use crate::code::{Constant, Op};
use crate::construct::Construct;
use crate::core::{Clause, Expr, Operator};
use crate::machine::{FLAT, GHOST, orders};
use crate::syntax::Span;
use crate::types::Ty;

impl<'p> Compiler<'p> {
    /// Pushes arguments from the last to the first; the first stays in `acc` when `keep`.
    pub(super) fn arguments(&mut self, arguments: &'p [Expr], keep: bool, want: Want) {
        for (i, argument) in arguments.iter().enumerate().rev() {
            self.expr(argument, want);
            if i > 0 || !keep {
                self.push();
            }
        }
    }

    pub(super) fn block(&mut self, tag: u8, size: usize) {
        self.emit(Op::Block(tag, size as u32));
        self.frame.depth -= size as u32 - 1;
    }

    fn charge_tuple(&mut self, size: usize) {
        self.charge(Construct::TupleHead, 1);
        self.charge(Construct::TupleElem, size);
        self.paper_bytes(8 + 8 * size);
    }

    pub(super) fn charge_block(&mut self, size: usize) {
        self.charge_tuple(size);
        self.charge(Construct::Block, 1);
        self.charge(Construct::BlockField, size);
        self.allocate(1 + size);
    }

    fn charge_cons(&mut self) {
        self.charge_tuple(2);
        self.charge(Construct::Cons, 1);
        self.allocate(3);
    }

    /// A block that is taken apart one call later, on each chain through it.
    fn charge_rebuilt(&mut self, block: &Expr, latency: Construct) {
        let chained = self.chained.get(&std::ptr::from_ref(block).addr());
        let chains = chained.map(|m| m.chains.clone()).unwrap_or_default();
        for chain in chains {
            self.charge_chain(chain, latency, 1);
        }
    }

    fn box_float(&mut self, want: Want) {
        if self.is_native() && !want.raw {
            self.charge(Construct::BoxFloat, 1);
            self.allocate(2);
            self.emit(Op::BoxFloat);
        }
    }

    pub(super) fn emit_constant(&mut self, constant: Constant) {
        let c = self.constant(constant);
        self.emit(Op::Constant(c));
    }

    /// Code that leaves the value in `acc`.
    pub(super) fn expr(&mut self, e: &'p Expr, want: Want) {
        match self.structured_constant(e) {
            Some(Constant::Int(n)) => self.int(n),
            Some(constant) => self.emit_constant(constant),
            None => self.built(e, want),
        }
    }

    /// The same where the value must be built anew, even if it is made of constants alone.
    fn built(&mut self, e: &'p Expr, want: Want) {
        match e {
            Expr::Int(n) => self.int(*n),
            Expr::Float(x) => self.emit_constant(Constant::Float(x.to_bits())),
            Expr::String(s) => self.emit_constant(Constant::String(s.clone())),
            Expr::Local(v) => self.local(*v, want.raw),
            Expr::Global(g) => {
                self.emit(Op::Global(*g));
            }
            Expr::Lambda(lambda) => {
                self.closure(lambda);
            }
            Expr::Apply(function, arguments) => self.apply(function, arguments, want),
            Expr::Operate(operator, arguments, ty) => {
                let chained = self.chained.get(&std::ptr::from_ref(e).addr()).cloned();
                if self.reference(*operator, arguments, *ty, want, chained.as_ref()) {
                    return;
                }
                self.operate(*operator, arguments, *ty, chained.as_ref());
                if operator.gives_float() {
                    self.box_float(want);
                }
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                self.connective(matches!(e, Expr::And(..)), a, b, want);
            }
            Expr::Cons(head, tail) => {
                self.expr(tail, Want::default());
                self.push();
                self.expr(head, Want::default());
                self.charge_cons();
                self.block(0, 2);
            }
            Expr::Construct { tag, arguments, .. } => {
                let flat = *tag == FLAT;
                self.construct(*tag, arguments);
                self.charge_rebuilt(
                    e,
                    if flat {
                        Construct::BoxChain
                    } else {
                        Construct::BlockChain
                    },
                );
            }
            Expr::Tuple(parts) => {
                self.arguments(parts, true, Want::default());
                let ghost = want.ghost && self.is_native();
                if !ghost {
                    self.charge_block(parts.len());
                    self.charge_rebuilt(e, Construct::BlockChain);
                }
                self.block(if ghost { GHOST } else { 0 }, parts.len());
            }
            Expr::List(parts) => {
                let rest = self.list_end(parts);
                for part in parts[..rest].iter().rev() {
                    self.push();
                    self.expr(part, Want::default());
                    self.charge_cons();
                    self.block(0, 2);
                }
            }
            Expr::Exception(id, arguments) => {
                self.arguments(arguments, false, Want::default());
                self.emit(Op::Int(*id as i32));
                if self.is_native() {
                    self.charge_block(arguments.len() + 1);
                }
                self.block(0, arguments.len() + 1);
            }
            Expr::RecordWith {
                base,
                size,
                flat,
                fields,
            } => self.record_with(base, *size, *flat, fields),
            Expr::Field(record, index, flat) => {
                self.expr(record, Want::default());
                self.charge(Construct::TupleMatch, 1);
                self.charge(Construct::Load, 1);
                self.emit(Op::Field(*index as u32));
                if *flat && self.is_native() && !want.raw {
                    self.charge(Construct::BoxFloat, 1);
                    self.allocate(2);
                    self.emit(Op::CopyFloat);
                }
            }
            Expr::If(condition, yes, no) => {
                let jumps = self.condition(condition);
                self.border();
                let before = self.frame.returning;
                self.expr(yes, want);
                let end = self.emit(Op::Jump(0));
                self.patch_all(jumps);
                let after = std::mem::replace(&mut self.frame.returning, before);
                self.expr(no, want);
                self.frame.returning |= after;
                self.patch(end);
            }
            Expr::Match {
                value,
                clauses,
                span,
            } => self.matching(value, clauses, *span, want),
            Expr::Try(body, clauses) => {
                self.charge(Construct::Try, 1);
                self.charge(Construct::HandlerPush, 1);
                let handler = self.emit(Op::Handler(0));
                self.border();
                self.expr(
                    body,
                    Want {
                        tail: false,
                        ..want
                    },
                );
                self.emit(Op::EndHandler);
                let end = self.emit(Op::Jump(0));
                self.patch(handler);
                self.charge(Construct::PatternMatch, clauses.len());
                self.push();
                self.clauses(clauses, want, None, false);
                self.patch(end);
            }
            Expr::Let(bindings, body) => {
                let depth = self.frame.depth;
                for binding in bindings {
                    self.binding(binding, false);
                }
                self.expr(body, want);
                self.drop(self.frame.depth - depth);
            }
            Expr::LetRec(functions, body) => {
                let depth = self.frame.depth;
                self.local_functions(functions);
                self.expr(body, want);
                self.drop(self.frame.depth - depth);
            }
            // What may change is written as a sequence of one: no two of them are the same constant.
            Expr::Sequence(parts) if parts.len() == 1 => self.built(&parts[0], want),
            Expr::Sequence(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    let last = i + 1 == parts.len();
                    self.expr(part, if last { want } else { Want::default() });
                }
            }
            Expr::Array(..)
            | Expr::SetField(..)
            | Expr::While(..)
            | Expr::For(..)
            | Expr::Mutable(..)
            | Expr::Assign(..)
            | Expr::AssertFailure(_)
            | Expr::Attempt { .. } => self.imperative(e, want),
        }
    }

    /// Leaves the part of a list that is constant in `acc`; returns where it begins.
    fn list_end(&mut self, parts: &[Expr]) -> usize {
        let literals = parts.iter().rev().map_while(|p| self.literal(p));
        let mut end: Vec<Constant> = if self.is_native() {
            literals.collect()
        } else {
            vec![]
        };
        let rest = parts.len() - end.len();
        if end.is_empty() {
            self.emit(Op::Int(0));
        } else {
            end.reverse();
            self.emit_constant(Constant::List(end));
        }
        rest
    }

    fn int(&mut self, n: i64) {
        if let Ok(n) = i32::try_from(n) {
            self.emit(Op::Int(n));
        } else {
            self.emit_constant(Constant::Int(n));
        }
    }

    fn construct(&mut self, tag: u8, arguments: &'p [Expr]) {
        let flat = tag == FLAT;
        self.arguments(
            arguments,
            true,
            if flat { Want::raw() } else { Want::default() },
        );
        self.charge_block(arguments.len());
        self.block(tag, arguments.len());
    }

    fn record_with(
        &mut self,
        base: &'p Expr,
        size: usize,
        flat: bool,
        fields: &'p [(usize, Expr)],
    ) {
        let depth = self.frame.depth;
        self.expr(base, Want::default());
        self.push();
        let mut slots = Vec::new();
        for (index, value) in fields.iter().rev() {
            self.expr(value, if flat { Want::raw() } else { Want::default() });
            self.push();
            slots.push((*index, self.frame.depth - 1));
        }
        self.charge(Construct::Load, size.saturating_sub(fields.len()));
        self.charge_block(size);
        self.emit(Op::Local(depth));
        self.emit(Op::CopyBlock(size as u32));
        self.push();
        let copy = self.frame.depth - 1;
        for (index, slot) in slots {
            self.emit(Op::Local(slot));
            self.emit(Op::SetField(copy, index as u32));
        }
        self.emit(Op::Local(copy));
        self.drop(self.frame.depth - depth);
    }

    fn matching(&mut self, value: &'p Expr, clauses: &'p [Clause], span: Span, want: Want) {
        use crate::core::Pattern as P;
        let ghost = matches!(value, Expr::Tuple(_))
            && clauses
                .iter()
                .all(|c| matches!(c.pattern, P::Tuple(_) | P::Any | P::Or(..)));
        match value {
            Expr::Tuple(parts) if parts.iter().filter(|p| !is_simple(p)).count() > 1 => {
                self.left_to_right(parts, ghost);
            }
            _ => self.expr(
                value,
                Want {
                    ghost,
                    ..Want::default()
                },
            ),
        }
        self.charge(Construct::PatternMatch, clauses.len());
        self.push();
        self.clauses(clauses, want, Some(span), ghost);
    }

    /// A tuple that is matched at once: its parts are evaluated from the left, unlike those of any other.
    fn left_to_right(&mut self, parts: &'p [Expr], ghost: bool) {
        let first = self.frame.depth;
        for part in parts {
            self.expr(part, Want::default());
            self.push();
        }
        for i in (0..parts.len()).rev() {
            self.emit(Op::Local(first + i as u32));
            if i > 0 {
                self.push();
            }
        }
        let ghost = ghost && self.is_native();
        if !ghost {
            self.charge_block(parts.len());
        }
        self.block(if ghost { GHOST } else { 0 }, parts.len());
        self.drop(parts.len() as u32);
    }

    fn connective(&mut self, and: bool, a: &'p Expr, b: &'p Expr, want: Want) {
        self.expr(a, Want::default());
        self.charge(
            if and {
                Construct::BoolAnd
            } else {
                Construct::BoolOr
            },
            1,
        );
        self.charge(Construct::BranchInt, 1);
        let jump = self.emit(if and {
            Op::JumpUnless(0)
        } else {
            Op::JumpIf(0)
        });
        self.border();
        self.expr(b, want);
        self.patch(jump);
    }

    fn apply(&mut self, function: &'p Expr, arguments: &'p [Expr], want: Want) {
        if let (Expr::Global(g), [pair]) = (function, arguments)
            && let Some(part) = self.parts.get(g).copied()
        {
            self.expr(pair, Want::default());
            self.charge(Construct::Load, 1);
            self.emit(Op::Field(part));
            return;
        }
        let known = self.known_function(function);
        let n = arguments.len() as u32;
        let ghost = known.is_some_and(|k| match arguments {
            [Expr::Tuple(parts)] => k.tupled == Some(parts.len()),
            _ => false,
        });
        self.arguments(
            arguments,
            false,
            Want {
                ghost,
                ..Want::default()
            },
        );
        self.expr(function, Want::default());
        let exact = known.is_some_and(|k| k.arity == n);
        if let Some(known) = known.filter(|k| self.is_native() && n < k.arity) {
            // A closure of the function itself and of the arguments.
            let held = n as usize + 1;
            self.charge(Construct::Partial, 1);
            self.charge(Construct::Captured, held);
            self.allocate(1 + if known.arity - n > 1 { 3 } else { 2 } + held);
            self.emit(Op::Partial(n));
            self.frame.depth -= n;
            return;
        }
        self.charge(
            if want.tail {
                Construct::TailApp
            } else {
                Construct::FunApp
            },
            1,
        );
        self.charge_call(known, n, ghost, want.tail);
        self.emit(match (want.tail, exact) {
            (true, true) => Op::TailKnown(n),
            (true, false) => Op::TailCall(n),
            (false, true) => Op::CallKnown(n),
            (false, false) => Op::Call(n),
        });
        self.frame.depth -= n;
        self.border();
        if !want.tail && self.frame.recursive && known.is_some_and(|k| self.is_own(k)) {
            self.frame.returning = true;
            self.charge(Construct::ReturnOwn, 1);
        }
    }

    /// Whether a function belongs to the recursive definition that is compiled.
    fn is_own(&self, known: Known) -> bool {
        let region = |function: u32| self.code.functions[function as usize].region;
        self.frame.function.map(region) == Some(region(known.function))
    }

    fn operate(
        &mut self,
        operator: Operator,
        arguments: &'p [Expr],
        ty: Ty,
        chained: Option<&Membership>,
    ) {
        use Operator as O;
        let kind = self.kind_of(operator, arguments, ty);
        let charge = charge_of(operator, kind);
        if let (O::IntAdd | O::IntSub, [a, b]) = (operator, arguments)
            && let Some(n) = self.int_of(b)
            && let Ok(n) = i32::try_from(n)
            && n > i32::MIN
        {
            self.expr(a, Want::default());
            self.charge(charge, 1);
            self.charge(Construct::AddInt, 1);
            self.emit(Op::AddInt(if operator == O::IntAdd { n } else { -n }));
            return;
        }
        let floats = (operator.gives_float() && operator != O::FloatOfInt)
            || operator == O::IntOfFloat
            || (kind == Kind::Float && (is_comparison(operator) || operator == O::Compare));
        self.arguments(
            arguments,
            true,
            if floats { Want::raw() } else { Want::default() },
        );
        self.charge(charge, 1);
        self.charge_native(operator, kind, arguments, chained);
        self.emit(match operator {
            O::IntAdd => Op::IntAdd,
            O::IntSub => Op::IntSub,
            O::IntMul => Op::IntMul,
            _ if is_comparison(operator) && kind == Kind::Int => Op::CompareInt(orders(operator)),
            _ => Op::Operate(operator),
        });
        self.frame.depth -= arguments.len() as u32 - 1;
        let safe = matches!(
            operator,
            O::IntAdd
                | O::IntSub
                | O::IntMul
                | O::IntNegate
                | O::BoolNot
                | O::Same
                | O::NotSame
                | O::IntAnd
                | O::IntOr
                | O::IntXor
                | O::IntShiftLeft
                | O::IntShiftRight
                | O::IntShiftArithmetic
                | O::ArrayLength
                | O::CharCode
                | O::IntOfFloat
        ) || operator.gives_float()
            || (is_comparison(operator) && matches!(kind, Kind::Int | Kind::Float | Kind::String));
        if !safe {
            self.border();
        }
    }

    /// Falls through when the condition holds; returns the jumps that are taken when it does not.
    pub(super) fn condition(&mut self, condition: &'p Expr) -> Vec<usize> {
        match condition {
            Expr::Operate(operator, arguments, ty) if is_comparison(*operator) => {
                let kind = self.kind_of(*operator, arguments, *ty);
                if kind == Kind::Int {
                    return vec![self.int_condition(*operator, arguments)];
                }
            }
            Expr::And(a, b) if self.is_native() => {
                let mut jumps = self.condition(a);
                self.border();
                jumps.extend(self.condition(b));
                return jumps;
            }
            Expr::Or(a, b) if self.is_native() => {
                let jumps = self.condition(a);
                let holds = self.emit(Op::Jump(0));
                self.patch_all(jumps);
                let jumps = self.condition(b);
                self.patch(holds);
                return jumps;
            }
            Expr::Operate(Operator::BoolNot, arguments, _) if self.is_native() => {
                let jumps = self.condition(&arguments[0]);
                let fails = self.emit(Op::Jump(0));
                self.patch_all(jumps);
                return vec![fails];
            }
            _ => {}
        }
        self.expr(condition, Want::default());
        self.charge_branch(condition);
        vec![self.emit(Op::JumpUnless(0))]
    }

    fn int_condition(&mut self, operator: Operator, arguments: &'p [Expr]) -> usize {
        if let Some(n) = self.int_of(&arguments[1])
            && let Ok(n) = i16::try_from(n)
        {
            self.expr(&arguments[0], Want::default());
            self.charge(int_comparison(operator), 1);
            self.charge(Construct::BranchInt, 1);
            return self.emit(Op::JumpNotCompareImmediate(orders(operator), n, 0));
        }
        self.arguments(arguments, true, Want::default());
        self.charge(int_comparison(operator), 1);
        self.charge(Construct::BranchInt, 1);
        let jump = self.emit(Op::JumpNotCompareInt(orders(operator), 0));
        self.frame.depth -= 1;
        jump
    }
}

/// Whether evaluating an expression has no effect and cannot fail.
fn is_simple(e: &Expr) -> bool {
    matches!(
        e,
        Expr::Int(_)
            | Expr::Float(_)
            | Expr::String(_)
            | Expr::Local(_)
            | Expr::Global(_)
            | Expr::Lambda(_)
    )
}
