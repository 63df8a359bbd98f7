//! From the core to code for an accumulator machine (after Leroy's ZINC, 1990), with the charging rules of the paper.
//!
//! Charges are gathered in *segments*: stretches of code that are left at their end only, so one counter per segment yields exact counts
//! even when an exception is raised. Arguments are evaluated from right to left, as the OCaml compilers do.

mod charge;
mod free;
mod pattern;

use std::collections::{BTreeMap, BTreeSet};

use charge::{Kind, charge_of, int_comparison, is_comparison};
use free::free_of_lambda;

use crate::construct::Construct;
use crate::core::{Expr, GlobalId, Lambda, Operator, Pattern, Program, VarId, Work};
use crate::types::{self, Node, Ty, Types};

/// An instruction. `acc` is the accumulator; slots count from the frame's base.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Count(u32),
    Int(i32),
    Constant(u32),
    Local(u32),
    /// A captured word: the slot of the closure, and its field.
    Env(u32, u32),
    Global(u32),
    SetGlobal(u32),
    Push,
    /// The word in a slot becomes `acc`.
    SetSlot(u32),
    /// Drops that many words.
    Drop(u32),
    /// A block of `acc` and the words on top.
    Block(u8, u32),
    /// The same block with other fields on top: acc is the block; pairs of index and word follow by `SetField`.
    CopyBlock(u32),
    /// Field of the block in a slot becomes `acc`.
    SetField(u32, u32),
    Field(u32),
    Jump(u32),
    JumpUnless(u32),
    JumpIf(u32),
    JumpNotInt(i32, u32),
    JumpNotTag(u8, u32),
    JumpNotRange(i16, i16, u32),
    JumpNotConstant(u32, u32),
    /// Code and number of captured words on top.
    Closure(u32, u32),
    Call(u32),
    TailCall(u32),
    Return,
    Handler(u32),
    EndHandler,
    Reraise,
    MatchFailure(u32),
    AddInt(i32),
    JumpNotCompareInt(Operator, u32),
    JumpNotCompareImmediate(Operator, i16, u32),
    OperateInt(Operator),
    Operate(Operator),
    Stop,
}

/// A function's code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function {
    pub entry: u32,
    pub arity: u32,
}

/// A constant that lives on the heap.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Constant {
    Int(i64),
    Float(f64),
    String(Vec<u8>),
}

/// A compiled program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub ops: Vec<Op>,
    pub functions: Vec<Function>,
    pub constants: Vec<Constant>,
    /// What each segment charges.
    pub segments: Vec<Vec<(Construct, u64)>>,
    /// Where each item begins; nothing for a declaration.
    pub entries: Vec<Option<u32>>,
}

pub(crate) fn compile(program: &Program) -> Code {
    let mut compiler = Compiler {
        types: &program.types,
        code: Code::default(),
        segment: None,
        todo: vec![],
        frame: Frame::default(),
    };
    for item in &program.items {
        let entry = compiler.item(&item.work);
        compiler.code.entries.push(entry);
    }
    compiler.code
}

#[derive(Clone, Copy, Debug)]
enum Location {
    Slot(u32),
    Env(u32),
}

#[derive(Debug, Default)]
struct Frame {
    locations: BTreeMap<VarId, Location>,
    depth: u32,
    arity: u32,
}

pub(crate) struct Compiler<'p> {
    types: &'p Types,
    code: Code,
    segment: Option<u32>,
    /// Functions whose bodies are still to be compiled.
    todo: Vec<(u32, &'p Lambda, Vec<VarId>, Option<VarId>)>,
    frame: Frame,
}

impl<'p> Compiler<'p> {
    fn emit(&mut self, op: Op) -> usize {
        self.code.ops.push(op);
        self.code.ops.len() - 1
    }

    fn push(&mut self) {
        self.emit(Op::Push);
        self.frame.depth += 1;
    }

    fn drop(&mut self, n: u32) {
        if n > 0 {
            self.emit(Op::Drop(n));
        }
        self.frame.depth -= n;
    }

    /// Ends the segment: control may come in or leave here.
    fn border(&mut self) {
        self.segment = None;
    }

    fn charge(&mut self, construct: Construct, n: usize) {
        if n == 0 {
            return;
        }
        let id = if let Some(id) = self.segment {
            id
        } else {
            let id = self.code.segments.len() as u32;
            self.code.segments.push(vec![]);
            self.emit(Op::Count(id));
            self.segment = Some(id);
            id
        };
        self.code.segments[id as usize].push((construct, n as u64));
    }

    fn here(&mut self) -> u32 {
        self.border();
        self.code.ops.len() as u32
    }

    fn patch(&mut self, at: usize) {
        let to = self.here();
        match &mut self.code.ops[at] {
            Op::Jump(t)
            | Op::JumpUnless(t)
            | Op::JumpIf(t)
            | Op::JumpNotInt(_, t)
            | Op::JumpNotTag(_, t)
            | Op::JumpNotRange(_, _, t)
            | Op::JumpNotConstant(_, t)
            | Op::Handler(t)
            | Op::JumpNotCompareInt(_, t)
            | Op::JumpNotCompareImmediate(_, _, t) => *t = to,
            other => unreachable!("{other:?} does not jump"),
        }
    }

    fn constant(&mut self, constant: Constant) -> u32 {
        let found = self.code.constants.iter().rposition(|c| *c == constant);
        found.unwrap_or_else(|| {
            self.code.constants.push(constant);
            self.code.constants.len() - 1
        }) as u32
    }

    fn item(&mut self, work: &'p Work) -> Option<u32> {
        self.frame = Frame::default();
        let entry = self.here();
        match work {
            Work::Nothing => return None,
            Work::Expression(e, global) => {
                self.expr(e, false);
                self.emit(Op::SetGlobal(*global));
            }
            Work::Let(bindings, places) => {
                for (pattern, value) in bindings {
                    self.binding(pattern, value);
                }
                for (variable, global) in places {
                    self.local(*variable);
                    self.emit(Op::SetGlobal(*global));
                }
                let depth = self.frame.depth;
                self.drop(depth);
            }
            Work::LetRec(functions) => self.global_functions(functions),
        }
        self.emit(Op::Stop);
        while let Some((id, lambda, captured, own)) = self.todo.pop() {
            self.function(id, lambda, &captured, own);
        }
        Some(entry)
    }

    fn global_functions(&mut self, functions: &'p [(GlobalId, Lambda)]) {
        for (global, lambda) in functions {
            self.charge(Construct::LetRec, 1);
            self.closure(lambda, None, &BTreeSet::new());
            self.emit(Op::SetGlobal(*global));
        }
    }

    fn function(&mut self, id: u32, lambda: &'p Lambda, captured: &[VarId], own: Option<VarId>) {
        let arity = lambda.parameters.len() as u32;
        self.code.functions[id as usize].entry = self.here();
        self.frame = Frame {
            locations: BTreeMap::new(),
            depth: arity + 1,
            arity,
        };
        for (i, variable) in captured.iter().enumerate() {
            self.frame
                .locations
                .insert(*variable, Location::Env(i as u32 + 1));
        }
        if let Some(own) = own {
            self.frame.locations.insert(own, Location::Slot(arity));
        }
        for (i, parameter) in lambda.parameters.iter().enumerate() {
            // The first argument was pushed last.
            let slot = arity - 1 - i as u32;
            self.bind(parameter, slot, lambda.span);
        }
        self.expr(&lambda.body, true);
        self.emit(Op::Return);
    }

    /// Makes a closure; `group` are names of functions defined together.
    fn closure(
        &mut self,
        lambda: &'p Lambda,
        own: Option<VarId>,
        group: &BTreeSet<VarId>,
    ) -> Vec<VarId> {
        let mut free = BTreeSet::new();
        free_of_lambda(lambda, &mut BTreeSet::new(), &mut free);
        if let Some(own) = own {
            free.remove(&own);
        }
        let captured: Vec<VarId> = free.into_iter().collect();
        self.charge(Construct::FunDef, 1);
        let charged = captured.iter().filter(|v| !group.contains(v)).count();
        self.charge(Construct::Closure, charged);
        let id = self.code.functions.len() as u32;
        self.code.functions.push(Function {
            entry: 0,
            arity: lambda.parameters.len() as u32,
        });
        for variable in captured.iter().rev() {
            if group.contains(variable) {
                self.emit(Op::Int(0));
            } else {
                self.local(*variable);
            }
            self.push();
        }
        self.emit(Op::Closure(id, captured.len() as u32));
        self.frame.depth -= captured.len() as u32;
        self.todo.push((id, lambda, captured.clone(), own));
        captured
    }

    fn local(&mut self, variable: VarId) {
        match self.frame.locations.get(&variable) {
            Some(Location::Slot(slot)) => self.emit(Op::Local(*slot)),
            Some(Location::Env(field)) => self.emit(Op::Env(self.frame.arity, *field)),
            None => unreachable!("variable {variable} is bound where it is used"),
        };
    }

    /// `let pattern = value`.
    fn binding(&mut self, pattern: &'p Pattern, value: &'p Expr) {
        self.expr(value, false);
        let construct = match (value, pattern) {
            (Expr::Lambda(_), _) => Some(Construct::LetLambda),
            (_, Pattern::Tuple(_)) => None,
            _ => Some(Construct::LetData),
        };
        if let Some(construct) = construct {
            self.charge(construct, 1);
        }
        self.push();
        let slot = self.frame.depth - 1;
        self.bind(pattern, slot, crate::syntax::Span::default());
    }

    /// Pushes arguments from the last to the first; the first stays in `acc` when `keep`.
    fn arguments(&mut self, arguments: &'p [Expr], keep: bool) {
        for (i, argument) in arguments.iter().enumerate().rev() {
            self.expr(argument, false);
            if i > 0 || !keep {
                self.push();
            }
        }
    }

    fn block(&mut self, tag: u8, size: usize) {
        self.emit(Op::Block(tag, size as u32));
        self.frame.depth -= size as u32 - 1;
    }

    fn tuple_charge(&mut self, size: usize) {
        self.charge(Construct::TupleHead, 1);
        self.charge(Construct::TupleElem, size);
    }

    /// Code that leaves the value in `acc`; a tail call may end a function.
    fn expr(&mut self, e: &'p Expr, tail: bool) {
        match e {
            Expr::Int(n) => self.int(*n),
            Expr::Float(x) => {
                let c = self.constant(Constant::Float(*x));
                self.emit(Op::Constant(c));
            }
            Expr::String(s) => {
                let c = self.constant(Constant::String(s.clone()));
                self.emit(Op::Constant(c));
            }
            Expr::Local(v) => self.local(*v),
            Expr::Global(g) => {
                self.emit(Op::Global(*g));
            }
            Expr::Lambda(lambda) => {
                self.closure(lambda, None, &BTreeSet::new());
            }
            Expr::Apply(function, arguments) => {
                self.arguments(arguments, false);
                self.expr(function, false);
                let n = arguments.len() as u32;
                self.charge(
                    if tail {
                        Construct::TailApp
                    } else {
                        Construct::FunApp
                    },
                    1,
                );
                self.emit(if tail { Op::TailCall(n) } else { Op::Call(n) });
                self.frame.depth -= n;
                self.border();
            }
            Expr::Operate(operator, arguments, ty) => self.operate(*operator, arguments, *ty),
            Expr::And(a, b) | Expr::Or(a, b) => {
                let and = matches!(e, Expr::And(..));
                self.expr(a, false);
                self.charge(
                    if and {
                        Construct::BoolAnd
                    } else {
                        Construct::BoolOr
                    },
                    1,
                );
                let jump = self.emit(if and {
                    Op::JumpUnless(0)
                } else {
                    Op::JumpIf(0)
                });
                self.border();
                self.expr(b, tail);
                self.patch(jump);
            }
            Expr::Construct { tag, arguments } => {
                self.arguments(arguments, true);
                self.tuple_charge(arguments.len());
                self.block(*tag, arguments.len());
            }
            Expr::Tuple(parts) => {
                self.arguments(parts, true);
                self.tuple_charge(parts.len());
                self.block(0, parts.len());
            }
            Expr::List(parts) => {
                self.emit(Op::Int(0));
                for part in parts.iter().rev() {
                    self.push();
                    self.expr(part, false);
                    self.tuple_charge(2);
                    self.block(0, 2);
                }
            }
            Expr::Exception(id, arguments) => {
                self.arguments(arguments, false);
                self.emit(Op::Int(*id as i32));
                self.block(0, arguments.len() + 1);
            }
            Expr::RecordWith { base, size, fields } => {
                self.expr(base, false);
                self.tuple_charge(*size);
                self.emit(Op::CopyBlock(*size as u32));
                self.push();
                let slot = self.frame.depth - 1;
                for (index, value) in fields {
                    self.expr(value, false);
                    self.emit(Op::SetField(slot, *index as u32));
                }
                self.emit(Op::Local(slot));
                self.drop(1);
            }
            Expr::Field(record, index) => {
                self.expr(record, false);
                self.charge(Construct::TupleMatch, 1);
                self.emit(Op::Field(*index as u32));
            }
            Expr::If(condition, yes, no) => {
                let jump = self.condition(condition);
                self.border();
                self.expr(yes, tail);
                let end = self.emit(Op::Jump(0));
                self.patch(jump);
                self.expr(no, tail);
                self.patch(end);
            }
            Expr::Match {
                value,
                clauses,
                span,
            } => {
                self.expr(value, false);
                self.charge(Construct::PatternMatch, clauses.len());
                self.push();
                self.clauses(clauses, tail, Some(*span));
            }
            Expr::Try(body, clauses) => {
                self.charge(Construct::Try, 1);
                let handler = self.emit(Op::Handler(0));
                self.border();
                self.expr(body, false);
                self.emit(Op::EndHandler);
                let end = self.emit(Op::Jump(0));
                self.patch(handler);
                self.charge(Construct::PatternMatch, clauses.len());
                self.push();
                self.clauses(clauses, tail, None);
                self.patch(end);
            }
            Expr::Let(bindings, body) => {
                let depth = self.frame.depth;
                for (pattern, value) in bindings {
                    self.binding(pattern, value);
                }
                self.expr(body, tail);
                self.drop(self.frame.depth - depth);
            }
            Expr::LetRec(functions, body) => {
                let depth = self.frame.depth;
                self.local_functions(functions);
                self.expr(body, tail);
                self.drop(self.frame.depth - depth);
            }
            Expr::Sequence(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    self.expr(part, tail && i + 1 == parts.len());
                }
            }
        }
    }

    fn int(&mut self, n: i64) {
        if let Ok(n) = i32::try_from(n) {
            self.emit(Op::Int(n));
        } else {
            let c = self.constant(Constant::Int(n));
            self.emit(Op::Constant(c));
        }
    }

    fn local_functions(&mut self, functions: &'p [(VarId, Lambda)]) {
        let group: BTreeSet<VarId> = functions.iter().map(|(v, _)| *v).collect();
        let mut made = Vec::new();
        for (variable, lambda) in functions {
            self.charge(Construct::LetRec, 1);
            let captured = self.closure(lambda, Some(*variable), &group);
            self.push();
            let slot = self.frame.depth - 1;
            self.frame.locations.insert(*variable, Location::Slot(slot));
            made.push((slot, captured));
        }
        for (slot, captured) in made {
            for (i, variable) in captured
                .iter()
                .enumerate()
                .filter(|(_, v)| group.contains(v))
            {
                self.local(*variable);
                self.emit(Op::SetField(slot, i as u32 + 1));
            }
        }
    }

    /// Jumps when the condition does not hold; returns the jump.
    fn condition(&mut self, condition: &'p Expr) -> usize {
        if let Expr::Operate(operator, arguments, ty) = condition
            && is_comparison(*operator)
            && self.kind(*ty) == Kind::Int
        {
            if let Expr::Int(n) = arguments[1]
                && let Ok(n) = i16::try_from(n)
            {
                self.expr(&arguments[0], false);
                self.charge(int_comparison(*operator), 1);
                return self.emit(Op::JumpNotCompareImmediate(*operator, n, 0));
            }
            self.arguments(arguments, true);
            self.charge(int_comparison(*operator), 1);
            self.frame.depth -= 1;
            return self.emit(Op::JumpNotCompareInt(*operator, 0));
        }
        self.expr(condition, false);
        self.emit(Op::JumpUnless(0))
    }

    fn operate(&mut self, operator: Operator, arguments: &'p [Expr], ty: Ty) {
        use Operator as O;
        let charge = charge_of(operator, self.kind(ty));
        if let (O::IntAdd | O::IntSub, [a, Expr::Int(n)]) = (operator, arguments)
            && let Ok(n) = i32::try_from(*n)
            && n > i32::MIN
        {
            self.expr(a, false);
            self.charge(charge, 1);
            self.emit(Op::AddInt(if operator == O::IntAdd { n } else { -n }));
            return;
        }
        self.arguments(arguments, true);
        self.charge(charge, 1);
        let int = matches!(
            operator,
            O::IntAdd | O::IntSub | O::IntMul | O::IntNegate | O::BoolNot
        ) || (is_comparison(operator) && self.kind(ty) == Kind::Int);
        self.emit(if int {
            Op::OperateInt(operator)
        } else {
            Op::Operate(operator)
        });
        self.frame.depth -= arguments.len() as u32 - 1;
        if !int {
            self.border();
        }
    }

    fn kind(&self, ty: Ty) -> Kind {
        let mut ty = self.types.find(ty);
        for _ in 0..100 {
            let Node::Constructor(id, _) = self.types.node(ty) else {
                return Kind::Any;
            };
            match *id {
                types::INT | types::CHAR | types::BOOL | types::UNIT => return Kind::Int,
                types::FLOAT => return Kind::Float,
                types::STRING => return Kind::String,
                _ => {}
            }
            match &self.types.infos[id.0 as usize].alias {
                Some((_, body)) => ty = self.types.find(*body),
                None => return Kind::Any,
            }
        }
        Kind::Any
    }
}
