//! Code of what changes: references, arrays, fields, loops; and of failures.
//!
//! Stores are charged by what is stored: a number is one instruction, a pointer goes through the write barrier (`caml_modify`). A loop's
//! way back is a jump as that of a function that calls itself last.

use super::chain::Membership;
use super::charge::Kind;
use super::{Compiler, Location, Want};
use crate::code::{Constant, Op};
use crate::construct::Construct;
use crate::core::{Expr, Operator};
use crate::machine::{FLAT, orders};
use crate::types::Ty;

impl<'p> Compiler<'p> {
    pub(super) fn imperative(&mut self, e: &'p Expr, want: Want) {
        match e {
            Expr::Array(parts, _) if parts.is_empty() => {
                self.emit_constant(Constant::Block(0, vec![]));
            }
            Expr::Array(parts, ty) => {
                let floats = self.kind(*ty) == Kind::Float;
                let want = if floats { Want::raw() } else { Want::default() };
                self.arguments(parts, true, want);
                self.charge_block(parts.len());
                self.block(if floats { FLAT } else { 0 }, parts.len());
            }
            Expr::SetField(record, index, flat, value, ty) => {
                let want = if *flat { Want::raw() } else { Want::default() };
                self.expr(value, want);
                self.push();
                self.expr(record, Want::default());
                self.charge(Construct::Assign, 1);
                let kind = self.kind(*ty);
                self.charge_store(kind, *flat);
                self.emit(Op::Store(*index as u32));
                self.frame.depth -= 1;
            }
            Expr::While(condition, body) => {
                let top = self.here();
                let jumps = self.condition(condition);
                self.border();
                self.charge_iteration();
                self.expr(body, Want::default());
                self.emit(Op::Jump(top));
                self.patch_all(jumps);
                self.emit(Op::Int(0));
            }
            Expr::For(variable, first, last, up, body) => {
                self.counted(*variable, first, last, *up, body);
            }
            Expr::Mutable(variable, first, float, body) => {
                let depth = self.frame.depth;
                let raw = *float && self.is_native();
                self.expr(
                    first,
                    Want {
                        raw,
                        ..Want::default()
                    },
                );
                self.charge(Construct::LetData, 1);
                self.push();
                let slot = self.frame.depth - 1;
                self.frame.locations.insert(*variable, Location::Slot(slot));
                if raw {
                    self.raw.insert(*variable);
                }
                self.expr(body, want);
                self.drop(self.frame.depth - depth);
            }
            Expr::Assign(variable, value) => {
                let raw = self.raw.contains(variable);
                self.expr(
                    value,
                    Want {
                        raw,
                        ..Want::default()
                    },
                );
                self.charge(Construct::Assign, 1);
                if let Some(Location::Slot(slot)) = self.frame.locations.get(variable).copied() {
                    self.emit(Op::SetSlot(slot));
                }
                self.emit(Op::Int(0));
            }
            Expr::AssertFailure(span) => {
                self.charge(Construct::Raise, 1);
                self.charge(Construct::RaiseExn, 1);
                let site = self.site(*span);
                self.emit(Op::AssertFailure(site));
                self.border();
            }
            Expr::Attempt {
                value,
                clauses,
                handlers,
                span,
            } => {
                self.charge(Construct::Try, 1);
                self.charge(Construct::HandlerPush, 1);
                let handler = self.emit(Op::Handler(0));
                self.border();
                self.expr(value, Want::default());
                self.emit(Op::EndHandler);
                self.charge(Construct::PatternMatch, clauses.len());
                self.push();
                self.clauses(clauses, want, Some(*span), false);
                let end = self.emit(Op::Jump(0));
                self.patch(handler);
                self.charge(Construct::PatternMatch, handlers.len());
                self.push();
                self.clauses(handlers, want, None, false);
                self.patch(end);
            }
            _ => unreachable!("it changes nothing"),
        }
    }

    /// Once around a loop.
    fn charge_iteration(&mut self) {
        self.charge(Construct::Loop, 1);
        self.charge(Construct::TailSelf, 1);
    }

    fn counted(
        &mut self,
        variable: u32,
        first: &'p Expr,
        last: &'p Expr,
        up: bool,
        body: &'p Expr,
    ) {
        let depth = self.frame.depth;
        self.expr(first, Want::default());
        self.push();
        self.expr(last, Want::default());
        self.push();
        let (number, limit) = (depth, depth + 1);
        self.frame
            .locations
            .insert(variable, Location::Slot(number));
        let begins = orders(if up {
            Operator::LessEqual
        } else {
            Operator::GreaterEqual
        });
        self.charge(Construct::BranchInt, 1);
        let none = self.compare_slots(number, limit, begins);
        let top = self.here();
        self.charge_iteration();
        self.charge(Construct::AddInt, 1);
        self.charge(Construct::BranchInt, 1);
        self.expr(body, Want::default());
        let done = self.compare_slots(number, limit, orders(Operator::NotEqual));
        self.emit(Op::Local(number));
        self.emit(Op::AddInt(if up { 1 } else { -1 }));
        self.emit(Op::SetSlot(number));
        self.emit(Op::Jump(top));
        self.patch_all(vec![none, done]);
        self.emit(Op::Int(0));
        self.drop(2);
    }

    /// Jumps unless the numbers in two slots are in one of these orders.
    fn compare_slots(&mut self, a: u32, b: u32, holds: crate::code::Holds) -> usize {
        self.emit(Op::Local(b));
        self.push();
        self.emit(Op::Local(a));
        let jump = self.emit(Op::JumpNotCompareInt(holds, 0));
        self.frame.depth -= 1;
        self.border();
        jump
    }

    /// Operations on references and arrays, whose code depends on what they hold; whether it was one.
    pub(super) fn reference(
        &mut self,
        operator: Operator,
        arguments: &'p [Expr],
        ty: Ty,
        want: Want,
        chained: Option<&Membership>,
    ) -> bool {
        use Operator as O;
        match operator {
            O::Identity | O::Ignore | O::FormatOf => {
                self.expr(&arguments[0], Want::default());
                if operator == O::Ignore {
                    self.emit(Op::Int(0));
                }
            }
            O::RefMake => {
                self.expr(&arguments[0], Want::default());
                self.charge_block(1);
                self.block(0, 1);
            }
            O::RefGet => {
                self.expr(&arguments[0], Want::default());
                self.charge(Construct::TupleMatch, 1);
                self.charge(Construct::Load, 1);
                self.emit(Op::Field(0));
            }
            O::RefSet => {
                self.arguments_of(arguments, Want::default());
                self.charge(Construct::Assign, 1);
                let kind = self.element(ty);
                self.charge_store(kind, false);
                self.emit(Op::Store(0));
                self.frame.depth -= 1;
            }
            O::RefIncrement | O::RefDecrement => {
                self.expr(&arguments[0], Want::default());
                self.charge(Construct::Assign, 1);
                self.charge(Construct::Load, 1);
                self.charge(Construct::AddInt, 1);
                self.charge(Construct::SetInt, 1);
                let up = operator == O::RefIncrement;
                self.emit(Op::AddToField(if up { 1 } else { -1 }));
            }
            O::ArrayGet | O::ArrayUnsafeGet => {
                self.arguments_of(arguments, Want::default());
                self.charge(Construct::Primitive, 1);
                self.charge_native(operator, Kind::Any, arguments, chained);
                self.emit(Op::Operate(operator));
                self.frame.depth -= 1;
                match self.element(ty) {
                    Kind::Float if self.is_native() && !want.raw => {
                        self.charge(Construct::BoxFloat, 1);
                        self.allocate(2);
                        self.emit(Op::CopyFloat);
                    }
                    Kind::Any => {
                        // Whether it holds floats is asked each time, unless the type says.
                        let asks = self.is_variable(ty);
                        self.charge(Construct::BranchTag, usize::from(asks));
                        self.emit(Op::CopyIfRaw);
                    }
                    _ => {}
                }
                self.border();
            }
            O::ArraySet | O::ArrayUnsafeSet => {
                let kind = self.element(ty);
                let floats = kind == Kind::Float;
                for (i, argument) in arguments.iter().enumerate().rev() {
                    let raw = floats && i == 2;
                    self.expr(argument, if raw { Want::raw() } else { Want::default() });
                    if i > 0 {
                        self.push();
                    }
                }
                self.charge(Construct::Assign, 1);
                if operator == O::ArraySet {
                    self.charge(Construct::Load, 1);
                    self.charge(Construct::BranchInt, 1);
                }
                self.charge_store(kind, floats);
                self.emit(Op::Operate(operator));
                self.frame.depth -= 2;
                self.border();
            }
            _ => return false,
        }
        true
    }

    fn arguments_of(&mut self, arguments: &'p [Expr], want: Want) {
        self.arguments(arguments, true, want);
    }

    /// Whether the elements of an array may be anything.
    fn is_variable(&mut self, ty: Ty) -> bool {
        let ty = self.types.expand(ty);
        match self.types.node(ty) {
            crate::types::Node::Constructor(_, arguments) => arguments
                .first()
                .is_some_and(|e| matches!(self.types.node(*e), crate::types::Node::Variable(_))),
            _ => true,
        }
    }
}
