//! From the core to code, with what each stretch of it is charged as.
//!
//! Charges are gathered in *segments*: stretches of code that are left at their end only, so one counter per segment yields exact counts
//! even when an exception is raised. Arguments are evaluated from right to left, as the OCaml compilers do.
//! In paper mode the rules of Das and Hoffmann apply; in extended mode those of `ocamlopt` without flambda: see [`native`].

mod chain;
mod charge;
mod chase;
mod constant;
mod decision;
mod expression;
pub(crate) mod free;
mod function;
mod fuse;
mod imperative;
mod liveness;
mod looped;
mod native;
mod pattern;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::code::{Chain, Code, Constant, Op, Segment};
use crate::construct::Construct;
use crate::core::{Binding, Expr, GlobalId, Lambda, Pattern, Program, VarId, Work};
use crate::types::Types;
pub(crate) use charge::is_comparison;
use function::Known;

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The constructs of the paper, by its rules.
    #[default]
    Paper,
    /// What `ocamlopt` makes of the program.
    Extended,
}

pub(crate) fn compile(program: &Program, mode: Mode) -> Code {
    let mut compiler = Compiler {
        types: program.types.clone(),
        mode,
        code: Code::default(),
        depths: vec![],
        segment: None,
        label: 0,
        todo: vec![],
        frame: Frame::default(),
        around: Rc::default(),
        known: BTreeMap::new(),
        known_globals: BTreeMap::new(),
        numbers: BTreeMap::new(),
        global_numbers: BTreeMap::new(),
        raw: BTreeSet::new(),
        chained: BTreeMap::new(),
        chased: BTreeMap::new(),
        parts: BTreeMap::new(),
    };
    if mode == Mode::Extended {
        compiler.chained = chain::find(program);
        compiler.chased = chase::find(program);
        compiler.parts = parts_of_pairs(program);
    }
    for item in &program.items {
        let entry = compiler.item(&item.work);
        compiler.code.entries.push(entry);
    }
    compiler.code
}

/// The library's `fst` and `snd`, which native code has no calls of: each loads a field.
fn parts_of_pairs(program: &Program) -> BTreeMap<GlobalId, u32> {
    let library = program.items.iter().filter(|i| i.library);
    let shown = library.flat_map(|i| &i.shown);
    shown
        .filter_map(|s| match s.name.as_deref() {
            Some("fst") => Some((s.global, 0)),
            Some("snd") => Some((s.global, 1)),
            _ => None,
        })
        .collect()
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
    /// The function that is compiled.
    function: Option<u32>,
    /// Whether the function is part of a recursive definition.
    recursive: bool,
    /// Whether it called its own definition before, on this way through it.
    returning: bool,
}

/// How the value of an expression is used.
#[derive(Clone, Copy, Debug, Default)]
struct Want {
    /// It is the function's result.
    tail: bool,
    /// A float may stay in a register.
    raw: bool,
    /// A tuple is taken apart at once.
    ghost: bool,
}

impl Want {
    fn raw() -> Self {
        Self {
            raw: true,
            ..Self::default()
        }
    }
}

/// A function whose body is still to be compiled.
struct Body<'p> {
    id: u32,
    lambda: &'p Lambda,
    captured: Vec<VarId>,
    own: Option<VarId>,
    /// The functions at top level whose definition it stands in.
    around: Rc<BTreeSet<GlobalId>>,
}

pub(crate) struct Compiler<'p> {
    types: Types,
    mode: Mode,
    code: Code,
    /// Words on the frame before each instruction.
    depths: Vec<u32>,
    segment: Option<u32>,
    /// Instructions before this one may be jumped over.
    label: usize,
    todo: Vec<Body<'p>>,
    frame: Frame,
    /// The functions at top level whose definition is compiled: inner functions capture them, as others they do not.
    around: Rc<BTreeSet<GlobalId>>,
    /// Variables bound to functions of the program.
    known: BTreeMap<VarId, Known>,
    known_globals: BTreeMap<u32, Known>,
    /// Variables bound to constants.
    numbers: BTreeMap<VarId, Constant>,
    global_numbers: BTreeMap<u32, Constant>,
    /// Variables that hold floats in registers.
    raw: BTreeSet<VarId>,
    /// Operations on a dependent chain, by address.
    chained: BTreeMap<usize, chain::Membership>,
    /// Variables whose loading is on one.
    chased: BTreeMap<VarId, chase::Chased>,
    /// Functions of the library that native code loads a field for, and which.
    parts: BTreeMap<GlobalId, u32>,
}

impl<'p> Compiler<'p> {
    fn emit(&mut self, op: Op) -> usize {
        self.code.ops.push(op);
        self.depths.push(self.frame.depth);
        self.code.ops.len() - 1
    }

    fn push(&mut self) {
        match self.code.ops.last() {
            Some(Op::Local(slot)) if self.label < self.code.ops.len() => {
                let last = self.code.ops.len() - 1;
                self.code.ops[last] = Op::LocalPush(*slot);
            }
            _ => {
                self.emit(Op::Push);
            }
        }
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

    fn segment(&mut self) -> &mut Segment {
        let id = if let Some(id) = self.segment {
            id
        } else {
            let id = self.code.segments.len() as u32;
            self.code.segments.push(Segment {
                returning: self.frame.returning,
                ..Segment::default()
            });
            self.emit(Op::Count(id));
            self.segment = Some(id);
            id
        };
        &mut self.code.segments[id as usize]
    }

    fn charge(&mut self, construct: Construct, n: usize) {
        let wanted = construct.is_extended() == (self.mode == Mode::Extended);
        if n > 0 && wanted {
            let charges = &mut self.segment().charges;
            match charges.iter_mut().find(|(c, _)| *c == construct) {
                Some((_, count)) => *count += n as u64,
                None => charges.push((construct, n as u64)),
            }
        }
    }

    /// Charges a latency on a dependent chain.
    fn charge_chain(&mut self, chain: Chain, construct: Construct, n: usize) {
        if n > 0 && self.is_native() {
            let chains = &mut self.segment().chains;
            chains.push((chain, construct, n as u64));
        }
    }

    fn is_native(&self) -> bool {
        self.mode == Mode::Extended
    }

    /// Words that native code allocates.
    fn allocate(&mut self, words: usize) {
        if self.is_native() && words > 0 {
            self.segment().bytes += 8 * words as u64;
        }
    }

    /// Bytes by the paper's rules.
    fn paper_bytes(&mut self, bytes: usize) {
        if !self.is_native() && bytes > 0 {
            self.segment().bytes += bytes as u64;
        }
    }

    fn here(&mut self) -> u32 {
        self.border();
        self.label = self.code.ops.len();
        self.code.ops.len() as u32
    }

    fn patch(&mut self, at: usize) {
        let to = self.here();
        match self.code.ops[at].target() {
            Some(target) => *target = to,
            None => unreachable!("only jumps are patched"),
        }
    }

    fn patch_all(&mut self, jumps: Vec<usize>) {
        jumps.into_iter().for_each(|j| self.patch(j));
    }

    fn constant(&mut self, constant: Constant) -> u32 {
        let recent = self.code.constants.iter().rev().take(64);
        let found = recent.enumerate().find(|(_, c)| **c == constant);
        if let Some((back, _)) = found {
            return (self.code.constants.len() - 1 - back) as u32;
        }
        self.code.constants.push(constant);
        self.code.constants.len() as u32 - 1
    }

    fn item(&mut self, work: &'p Work) -> Option<u32> {
        self.frame = Frame::default();
        self.around = Rc::default();
        let entry = self.here();
        match work {
            Work::Nothing => return None,
            Work::Expression(e, global) => {
                self.expr(e, Want::default());
                self.emit(Op::SetGlobal(*global));
            }
            Work::Let(bindings, places) => {
                for binding in bindings {
                    self.binding(binding, true);
                }
                for (variable, global) in places {
                    self.local(*variable, false);
                    self.emit(Op::SetGlobal(*global));
                    if let Some(known) = self.known.get(variable) {
                        self.known_globals.insert(*global, *known);
                    }
                    if let Some(number) = self.numbers.get(variable) {
                        self.global_numbers.insert(*global, number.clone());
                    }
                }
                let depth = self.frame.depth;
                self.drop(depth);
            }
            Work::LetRec(functions) => self.global_functions(functions),
        }
        self.emit(Op::Stop);
        self.finish(entry);
        while let Some(body) = self.todo.pop() {
            self.function(&body);
        }
        Some(entry)
    }

    /// The code from `entry` on is complete.
    fn finish(&mut self, entry: u32) {
        let start = entry as usize;
        liveness::analyse(&mut self.code, start, &self.depths[start..]);
        fuse::fuse(&mut self.code.ops, start);
    }

    fn site(&mut self, span: crate::syntax::Span) -> u32 {
        self.code.sites.push(span);
        self.code.sites.len() as u32 - 1
    }

    /// `let pattern = value`; at top level floats are boxed.
    fn binding(&mut self, binding: &'p Binding, top: bool) {
        let Binding {
            pattern,
            value,
            span,
        } = binding;
        if let (Pattern::Variable(v), Some(known)) = (pattern, self.known_function(value)) {
            self.known.insert(*v, known);
        }
        if let (Pattern::Variable(v), true) = (pattern, self.is_native())
            && let Some(number) = self.literal(value)
        {
            self.numbers.insert(*v, number);
        }
        let raw = !top
            && matches!(pattern, Pattern::Variable(_))
            && self.is_native()
            && self.is_raw(value);
        let ghost = matches!(pattern, Pattern::Tuple(_));
        if let (Expr::Lambda(lambda), Pattern::Variable(v)) = (value, pattern) {
            let known = self.closure(lambda);
            self.known.insert(*v, known);
        } else {
            self.expr(
                value,
                Want {
                    raw,
                    ghost,
                    tail: false,
                },
            );
        }
        if raw && let Pattern::Variable(v) = pattern {
            self.raw.insert(*v);
        }
        match (value, pattern) {
            (Expr::Lambda(_), _) => self.charge(Construct::LetLambda, 1),
            (_, Pattern::Tuple(_)) => {}
            _ => self.charge(Construct::LetData, 1),
        }
        self.push();
        let slot = self.frame.depth - 1;
        self.bind(
            pattern,
            slot,
            *span,
            ghost && matches!(value, Expr::Tuple(_)),
        );
    }
}
