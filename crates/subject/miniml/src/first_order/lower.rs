//! Expressions to steps. Values are atoms, tuples that are not yet made, and functions, which never become atoms.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{Atom, Block, Entry, Function, Refusal, Right, Step, Var};
use crate::compile::free::free_of_lambda;
use crate::construct::Construct;
use crate::core::{Binding, Expr, GlobalId, Lambda, Pattern, Program, VarId};
use crate::types::{self, Ty, Types};

/// Steps a function may have: opened calls and patterns multiply them.
const STEPS: usize = 40_000;
/// Expressions and opened calls that may be inside of each other.
const DEPTH: usize = 2000;

pub(super) type Lowered<T> = Result<T, Refusal>;
/// The instances of type variables.
pub(super) type Map = BTreeMap<Ty, Ty>;
pub(super) type Env<'p> = Rc<BTreeMap<VarId, Value<'p>>>;

/// What a global stands for.
#[derive(Clone, Copy)]
pub(super) enum Definition<'p> {
    Member(&'p [(GlobalId, Lambda)], usize),
    Value(&'p Expr),
    Unknown,
}

#[derive(Clone)]
pub(super) enum Value<'p> {
    Atom(Atom, Ty),
    Tuple(Vec<Value<'p>>),
    Function(Rc<Closure<'p>>),
}

/// A function with some of its arguments.
#[derive(Clone)]
pub(super) struct Closure<'p> {
    pub code: Code<'p>,
    pub env: Env<'p>,
    pub map: Map,
    pub given: Vec<Value<'p>>,
    pub name: String,
}

/// A function's text: by itself, or of a recursive definition.
#[derive(Clone, Copy)]
pub(super) enum Code<'p> {
    Plain(&'p Lambda),
    Global(&'p [(GlobalId, Lambda)], usize),
    Local(&'p [(VarId, Lambda)], usize),
}

impl<'p> Code<'p> {
    pub fn lambda(self) -> &'p Lambda {
        match self {
            Self::Plain(lambda) => lambda,
            Self::Global(all, i) => &all[i].1,
            Self::Local(all, i) => &all[i].1,
        }
    }

    /// The definition, as an address: the same for all its functions.
    pub fn definition(self) -> usize {
        match self {
            Self::Plain(lambda) => std::ptr::from_ref(lambda).addr(),
            Self::Global(all, _) => all.as_ptr().addr(),
            Self::Local(all, _) => all.as_ptr().addr(),
        }
    }

    pub fn member(self) -> usize {
        match self {
            Self::Plain(_) => 0,
            Self::Global(_, i) | Self::Local(_, i) => i,
        }
    }

    /// What the definition captures.
    pub fn free(self) -> BTreeSet<VarId> {
        let mut free = BTreeSet::new();
        match self {
            Self::Plain(lambda) => free_of_lambda(lambda, &mut BTreeSet::new(), &mut free),
            Self::Global(..) => {}
            Self::Local(all, _) => {
                for (_, lambda) in all {
                    free_of_lambda(lambda, &mut BTreeSet::new(), &mut free);
                }
                for (own, _) in all {
                    free.remove(own);
                }
            }
        }
        free
    }
}

/// What is known of a variable on the way through branches.
#[derive(Clone)]
pub(super) enum Fact {
    /// One of the constructors without arguments.
    Constant,
    /// A node, with its fields.
    Node(usize, Vec<(Var, Ty)>),
    /// A number that is 0, or below.
    Zero { exact: bool },
    /// A number, one more than this.
    Successor(Var),
}

/// A recursive function that is being made, or belongs to one that is.
pub(super) struct Instance {
    pub key: String,
    pub function: usize,
    pub parameters: Vec<Ty>,
    pub result: Ty,
    /// The outermost instance in progress that it calls, itself if none.
    pub low: usize,
}

pub(super) struct Lower<'p> {
    pub types: Types,
    pub globals: &'p BTreeMap<GlobalId, Definition<'p>>,
    pub names: &'p BTreeMap<GlobalId, String>,
    pub steps: Vec<Step>,
    /// The block has raised an exception: what follows does not run.
    pub failed: bool,
    pub vars: Vec<Ty>,
    pub functions: Vec<Function>,
    pub instances: Vec<Instance>,
    /// Indices of the instances in progress, outermost first.
    pub progress: Vec<usize>,
    pub facts: BTreeMap<Var, Fact>,
    /// Parts of tuples that were already named.
    pub parts: BTreeMap<Var, Vec<(Var, Ty)>>,
    /// Patterns taken to match on this way.
    pub assumed: BTreeSet<usize>,
    /// The clause whose pattern is looked at, by address.
    pub clause: usize,
    /// Tests for zero that tell no size, by address: their number may be negative.
    pub banned: BTreeSet<usize>,
    /// Where the number before another was named by a test for zero.
    pub sites: BTreeMap<Var, usize>,
    pub function: String,
    pub total: usize,
    pub depth: usize,
}

impl<'p> Lower<'p> {
    pub fn new(
        program: &'p Program,
        globals: &'p BTreeMap<GlobalId, Definition<'p>>,
        names: &'p BTreeMap<GlobalId, String>,
        banned: &BTreeSet<usize>,
    ) -> Self {
        Self {
            types: program.types.clone(),
            globals,
            names,
            steps: vec![],
            failed: false,
            vars: vec![],
            functions: vec![],
            instances: vec![],
            progress: vec![],
            facts: BTreeMap::new(),
            parts: BTreeMap::new(),
            assumed: BTreeSet::new(),
            clause: 0,
            banned: banned.clone(),
            sites: BTreeMap::new(),
            function: String::new(),
            total: 0,
            depth: 0,
        }
    }

    /// A function by itself, its arguments unknown.
    pub fn entry(
        mut self,
        name: &str,
        global: GlobalId,
        parameters: usize,
    ) -> Lowered<(Entry, BTreeSet<usize>)> {
        name.clone_into(&mut self.function);
        let Value::Function(closure) = self.global(global)? else {
            return Err(self.refuse("a value that is no function"));
        };
        let mut ty = self.types.copy(closure.code.lambda().ty, &mut Map::new());
        let mut arguments = Vec::new();
        for _ in 0..parameters {
            let (from, to) = self.arrow(ty)?;
            if matches!(self.types.node(from), types::Node::Arrow(..)) {
                return Err(self.refuse("a parameter that is a function: its calls have bounds"));
            }
            arguments.push((self.var(from), from));
            ty = to;
        }
        let values = arguments.iter().map(|(v, t)| Value::Atom(Atom::Var(*v), *t));
        let values = values.collect();
        let result = self.apply(Value::Function(closure), values)?;
        if let Value::Function(_) = result {
            return Err(self.refuse("a function as the result"));
        }
        let value = if self.failed { None } else { Some(self.atom(result)?.0) };
        let body = Block {
            steps: std::mem::take(&mut self.steps),
            value,
        };
        let parameters: Vec<Var> = arguments.into_iter().map(|(v, _)| v).collect();
        let mut shapes = super::shape::Shapes::default();
        let vars = self.vars.clone();
        let shapes_of = vars.iter().map(|t| shapes.of(&mut self.types, *t, true)).collect();
        let mut entry = Entry {
            name: name.to_owned(),
            parameters,
            body,
            functions: self.functions,
            shapes: shapes_of,
            data: shapes.data,
            natural: vec![],
        };
        let unsure = super::natural::mark(&mut entry);
        let sites = unsure.iter().filter_map(|v| self.sites.get(v).copied()).collect();
        Ok((entry, sites))
    }

    pub fn refuse(&self, construct: impl Into<String>) -> Refusal {
        Refusal {
            function: self.function.clone(),
            construct: construct.into(),
        }
    }

    pub fn var(&mut self, ty: Ty) -> Var {
        self.vars.push(ty);
        self.vars.len() as u32 - 1
    }

    pub fn step(&mut self, step: Step) {
        if !self.failed {
            self.total += 1;
            self.steps.push(step);
        }
    }

    pub fn charge(&mut self, construct: Construct, n: usize) {
        if n > 0 {
            self.step(Step::Charge(construct, n as u64));
        }
    }

    fn charge_block(&mut self, parts: usize) {
        self.charge(Construct::TupleHead, 1);
        self.charge(Construct::TupleElem, parts);
        self.step(Step::Bytes(8 + 8 * parts as u64));
    }

    /// Binds a new variable.
    pub fn bind(&mut self, right: Right, ty: Ty) -> Value<'p> {
        let var = self.var(ty);
        self.step(Step::Bind(var, right));
        Value::Atom(Atom::Var(var), ty)
    }

    pub fn unify(&mut self, a: Ty, b: Ty) -> Lowered<()> {
        self.types
            .unify(a, b)
            .map_err(|_| self.refuse("a type that is used in two ways"))
    }

    /// Both sides of an arrow.
    pub fn arrow(&mut self, ty: Ty) -> Lowered<(Ty, Ty)> {
        let ty = self.types.expand(ty);
        match *self.types.node(ty) {
            types::Node::Arrow(from, to) => Ok((from, to)),
            _ => {
                let (from, to) = (self.types.variable(), self.types.variable());
                let arrow = self.types.arrow(from, to);
                self.unify(ty, arrow)?;
                Ok((from, to))
            }
        }
    }

    /// A value in a variable: tuples are made.
    pub fn atom(&mut self, value: Value<'p>) -> Lowered<(Atom, Ty)> {
        match value {
            Value::Atom(atom, ty) => Ok((atom, ty)),
            Value::Tuple(parts) => {
                let (mut atoms, mut tys) = (vec![], vec![]);
                for part in parts {
                    let (atom, ty) = self.atom(part)?;
                    atoms.push(atom);
                    tys.push(ty);
                }
                let ty = self.types.tuple(tys);
                match self.bind(Right::Tuple(atoms), ty) {
                    Value::Atom(atom, ty) => Ok((atom, ty)),
                    _ => unreachable!("a variable was bound"),
                }
            }
            Value::Function(closure) => Err(self.refuse(format!(
                "the function `{}` inside data, or chosen while the program runs",
                closure.name
            ))),
        }
    }

    /// Steps apart, with their value and its type.
    pub fn block(
        &mut self,
        act: impl FnOnce(&mut Self) -> Lowered<Value<'p>>,
        ty: Ty,
    ) -> Lowered<Block> {
        let outer = std::mem::take(&mut self.steps);
        let failed = std::mem::replace(&mut self.failed, false);
        let (facts, parts) = (self.facts.clone(), self.parts.clone());
        let value = act(self)?;
        let value = if self.failed {
            None
        } else {
            let (atom, found) = self.atom(value)?;
            self.unify(found, ty)?;
            Some(atom)
        };
        let steps = std::mem::replace(&mut self.steps, outer);
        self.failed = failed;
        self.facts = facts;
        self.parts = parts;
        if self.total > STEPS {
            return Err(self.refuse("too many ways through patterns and calls"));
        }
        Ok(Block { steps, value })
    }

    /// One of several blocks.
    pub fn choose(&mut self, blocks: Vec<Block>, ty: Ty) -> Value<'p> {
        if blocks.iter().all(|b| b.value.is_none()) {
            let value = self.bind(Right::Choice(blocks), ty);
            self.failed = true;
            return value;
        }
        self.bind(Right::Choice(blocks), ty)
    }

    pub fn global(&mut self, global: GlobalId) -> Lowered<Value<'p>> {
        let name = self.names.get(&global).cloned().unwrap_or_default();
        let closure = |code| {
            Value::Function(Rc::new(Closure {
                code,
                env: Env::default(),
                map: Map::new(),
                given: vec![],
                name: name.clone(),
            }))
        };
        match self.globals.get(&global) {
            Some(Definition::Member(all, i)) => Ok(closure(Code::Global(all, *i))),
            Some(Definition::Value(Expr::Lambda(lambda))) => Ok(closure(Code::Plain(lambda))),
            Some(Definition::Value(e)) => {
                // What was computed before costs nothing here; only functions are looked into.
                let outer = std::mem::take(&mut self.steps);
                let value = self.expr(e, &Env::default(), &Map::new(), false);
                self.steps = outer;
                match value {
                    Ok(Value::Function(closure)) => Ok(Value::Function(closure)),
                    _ => self.unknown(),
                }
            }
            _ => self.unknown(),
        }
    }

    pub fn unknown(&mut self) -> Lowered<Value<'p>> {
        let ty = self.types.variable();
        Ok(self.bind(Right::Unknown, ty))
    }

    /// Values of several expressions, evaluated from the right.
    fn all(&mut self, parts: &'p [Expr], env: &Env<'p>, map: &Map) -> Lowered<Vec<Value<'p>>> {
        let mut values = Vec::new();
        for part in parts.iter().rev() {
            values.push(self.expr(part, env, map, false)?);
        }
        values.reverse();
        Ok(values)
    }

    pub fn expr(
        &mut self,
        e: &'p Expr,
        env: &Env<'p>,
        map: &Map,
        tail: bool,
    ) -> Lowered<Value<'p>> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(self.refuse("calls that are opened too deeply"));
        }
        let value = self.expression(e, env, map, tail);
        self.depth -= 1;
        value
    }

    fn expression(
        &mut self,
        e: &'p Expr,
        env: &Env<'p>,
        map: &Map,
        tail: bool,
    ) -> Lowered<Value<'p>> {
        match e {
            Expr::Int(n) => Ok(Value::Atom(Atom::Constant(*n), self.types.variable())),
            Expr::Float(_) => Ok(Value::Atom(
                Atom::Constant(0),
                self.types.basic(types::FLOAT),
            )),
            Expr::String(_) => Ok(Value::Atom(
                Atom::Constant(0),
                self.types.basic(types::STRING),
            )),
            Expr::Local(v) => env
                .get(v)
                .cloned()
                .ok_or_else(|| self.refuse("a variable that is not bound")),
            Expr::Global(g) => self.global(*g),
            Expr::Lambda(lambda) => Ok(self.closure(lambda, env, map, "fun")),
            Expr::Apply(function, arguments) => {
                let values = self.all(arguments, env, map)?;
                let function = self.expr(function, env, map, false)?;
                let construct = if tail { Construct::TailApp } else { Construct::FunApp };
                self.charge(construct, 1);
                self.apply(function, values)
            }
            Expr::Operate(operator, arguments, ty) => {
                self.operate(*operator, arguments, *ty, env, map)
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                self.expr(a, env, map, false)?;
                let and = matches!(e, Expr::And(..));
                self.charge(if and { Construct::BoolAnd } else { Construct::BoolOr }, 1);
                let bool = self.types.basic(types::BOOL);
                let more = self.block(|l| l.expr(b, env, map, tail), bool)?;
                let less = self.block(|_| Ok(Value::Atom(Atom::Constant(0), bool)), bool)?;
                Ok(self.choose(vec![more, less], bool))
            }
            Expr::Cons(head, tail) => {
                let tail = self.expr(tail, env, map, false)?;
                let head = self.expr(head, env, map, false)?;
                self.cons(head, tail)
            }
            Expr::List(parts) => {
                let element = self.types.variable();
                let ty = self.types.constructor(types::LIST, vec![element]);
                let mut list = Value::Atom(Atom::Constant(0), ty);
                for part in parts.iter().rev() {
                    let head = self.expr(part, env, map, false)?;
                    list = self.cons(head, list)?;
                }
                Ok(list)
            }
            Expr::Tuple(parts) => {
                let values = self.all(parts, env, map)?;
                self.charge_block(parts.len());
                Ok(Value::Tuple(values))
            }
            Expr::Construct { tag, arguments, ty } => {
                let values = self.all(arguments, env, map)?;
                self.charge_block(arguments.len());
                let ty = self.types.copy(*ty, &mut map.clone());
                self.construct(*tag, values, ty)
            }
            Expr::RecordWith { base, size, fields, .. } => {
                let base = self.expr(base, env, map, false)?;
                let mut new = BTreeMap::new();
                for (index, value) in fields.iter().rev() {
                    new.insert(*index, self.expr(value, env, map, false)?);
                }
                self.charge_block(*size);
                let (atom, ty) = self.atom(base)?;
                let mut atoms = Vec::new();
                for (i, part) in self.parts_of(atom, ty)?.into_iter().enumerate() {
                    let value = new.remove(&i).unwrap_or(part);
                    atoms.push(self.atom(value)?.0);
                }
                Ok(self.bind(Right::Tuple(atoms), ty))
            }
            Expr::Field(record, index, _) => {
                let record = self.expr(record, env, map, false)?;
                self.charge(Construct::TupleMatch, 1);
                let (atom, ty) = self.atom(record)?;
                let mut parts = self.parts_of(atom, ty)?;
                Ok(parts.swap_remove(*index))
            }
            Expr::If(condition, yes, no) => self.conditional(condition, yes, no, env, map, tail),
            Expr::Match { value, clauses, .. } => {
                let value = match &**value {
                    // A tuple that is matched at once is evaluated from the left, which no bound tells.
                    Expr::Tuple(parts) => {
                        let values = self.all(parts, env, map)?;
                        self.charge_block(parts.len());
                        Value::Tuple(values)
                    }
                    other => self.expr(other, env, map, false)?,
                };
                self.charge(Construct::PatternMatch, clauses.len());
                self.matching(&value, clauses, env, map, tail)
            }
            Expr::Let(bindings, body) => {
                let mut inner = env.clone();
                for binding in bindings {
                    self.binding(binding, env, &mut inner, map)?;
                }
                self.expr(body, &inner, map, tail)
            }
            Expr::LetRec(functions, body) => {
                let code = Code::Local(functions, 0);
                let captured: usize = functions
                    .iter()
                    .map(|(own, lambda)| {
                        let mut free = BTreeSet::new();
                        free_of_lambda(lambda, &mut BTreeSet::new(), &mut free);
                        free.remove(own);
                        let outside = |v: &&VarId| !functions.iter().any(|(f, _)| f == *v);
                        free.iter().filter(outside).count()
                    })
                    .sum();
                self.charge(Construct::LetRec, functions.len());
                self.charge_closures(functions.len(), captured);
                let inner = self.members(code, env, map);
                self.expr(body, &inner, map, tail)
            }
            Expr::Sequence(parts) => {
                let mut last = Value::Atom(Atom::Constant(0), self.types.basic(types::UNIT));
                for (i, part) in parts.iter().enumerate() {
                    last = self.expr(part, env, map, tail && i + 1 == parts.len())?;
                }
                Ok(last)
            }
            Expr::Exception(_, arguments) => {
                self.all(arguments, env, map)?;
                let ty = self.types.basic(types::EXN);
                Ok(self.bind(Right::Unknown, ty))
            }
            Expr::Try(..) => Err(self.refuse("`try`: what an exception leaves undone is not followed")),
        }
    }

    /// An environment in which the functions of a definition are known.
    pub fn members(&mut self, code: Code<'p>, env: &Env<'p>, map: &Map) -> Env<'p> {
        let Code::Local(functions, _) = code else {
            return env.clone();
        };
        let mut inner = env.clone();
        for (i, (variable, _)) in functions.iter().enumerate() {
            let closure = Closure {
                code: Code::Local(functions, i),
                env: env.clone(),
                map: map.clone(),
                given: vec![],
                name: format!("{}'s inner function", self.function),
            };
            Rc::make_mut(&mut inner).insert(*variable, Value::Function(Rc::new(closure)));
        }
        inner
    }

    fn charge_closures(&mut self, functions: usize, captured: usize) {
        self.charge(Construct::FunDef, functions);
        self.charge(Construct::Closure, captured);
        self.step(Step::Bytes((24 * functions + 8 * captured) as u64));
    }

    fn closure(&mut self, lambda: &'p Lambda, env: &Env<'p>, map: &Map, name: &str) -> Value<'p> {
        let code = Code::Plain(lambda);
        self.charge_closures(1, code.free().len());
        Value::Function(Rc::new(Closure {
            code,
            env: env.clone(),
            map: map.clone(),
            given: vec![],
            name: name.to_owned(),
        }))
    }

    fn binding(
        &mut self,
        binding: &'p Binding,
        env: &Env<'p>,
        inner: &mut Env<'p>,
        map: &Map,
    ) -> Lowered<()> {
        let value = self.expr(&binding.value, env, map, false)?;
        match (&binding.value, &binding.pattern) {
            (Expr::Lambda(_), _) => self.charge(Construct::LetLambda, 1),
            (_, Pattern::Tuple(_)) => {}
            _ => self.charge(Construct::LetData, 1),
        }
        self.destructure(&binding.pattern, &value, inner)
    }

    fn cons(&mut self, head: Value<'p>, tail: Value<'p>) -> Lowered<Value<'p>> {
        self.charge_block(2);
        let (head, element) = self.atom(head)?;
        let (tail, found) = self.atom(tail)?;
        let ty = self.types.constructor(types::LIST, vec![element]);
        self.unify(found, ty)?;
        Ok(self.bind(Right::Build(0, vec![head, tail]), ty))
    }

    fn construct(&mut self, tag: u8, values: Vec<Value<'p>>, ty: Ty) -> Lowered<Value<'p>> {
        let (constructors, _) = super::shape::constructors(&mut self.types, ty);
        let mut atoms = Vec::new();
        if let Some(parts) = super::shape::parts(&mut self.types, ty) {
            for (value, wanted) in values.into_iter().zip(parts) {
                let (atom, found) = self.atom(value)?;
                self.unify(found, wanted)?;
                atoms.push(atom);
            }
            return Ok(self.bind(Right::Tuple(atoms), ty));
        }
        let Some((_, wanted)) = constructors.get(usize::from(tag)).cloned() else {
            return Err(self.refuse("a constructor of a type that is not known"));
        };
        for (value, wanted) in values.into_iter().zip(wanted) {
            let (atom, found) = self.atom(value)?;
            self.unify(found, wanted)?;
            atoms.push(atom);
        }
        Ok(self.bind(Right::Build(usize::from(tag), atoms), ty))
    }
}
