//! Expressions to steps. Values are atoms, tuples that are not yet made, and functions, which never become atoms.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::distance::{Distances, Wishes};
use super::{Atom, Block, Entry, Function, Refusal, Right, Step, Var};
use crate::compile::free::free_of_lambda;
use crate::construct::Construct;
use crate::core::{Expr, GlobalId, Lambda, Program, VarId};
use crate::types::{self, Ty, Types};

/// Steps a function may have: opened calls and patterns multiply them.
const STEPS: usize = 40_000;
/// Expressions and opened calls that may be inside of each other.
pub(super) const DEPTH: usize = 2000;

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

#[expect(
    clippy::match_same_arms,
    reason = "their definitions are of different types"
)]
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

/// What a walk through a function found that another walk should know.
#[derive(Default)]
pub(super) struct Known {
    /// Tests for zero that tell no size, by address: their number may be negative.
    pub banned: BTreeSet<usize>,
    /// Distances that functions are to be given.
    pub wanted: Wishes,
    /// Those that were of no use.
    pub useless: Wishes,
}

/// What one walk found.
pub(super) struct Found {
    pub banned: BTreeSet<usize>,
    pub wishes: Wishes,
    pub used: Wishes,
}

impl Known {
    /// Whether there is anything new.
    pub fn learn(&mut self, found: Found) -> bool {
        // First all distances that may be of use, then without those that were not, then without the tests that tell nothing.
        if self.wanted.add(found.wishes, &self.useless) {
            return true;
        }
        if self.wanted.keep(&found.used, &mut self.useless) {
            return true;
        }
        let before = self.banned.len();
        self.banned.extend(found.banned);
        self.banned.len() > before
    }

    /// Gives up all distances; whether there were any.
    pub fn without_distances(&mut self) -> bool {
        self.wanted.keep(&Wishes::default(), &mut self.useless)
    }
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
    pub banned: BTreeSet<usize>,
    pub distances: Distances,
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
        known: &Known,
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
            banned: known.banned.clone(),
            distances: Distances::new(&known.wanted),
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
    ) -> Lowered<(Entry, Found)> {
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
        let values = arguments
            .iter()
            .map(|(v, t)| Value::Atom(Atom::Var(*v), *t));
        let values = values.collect();
        let result = self.apply(Value::Function(closure), values)?;
        if let Value::Function(_) = result {
            return Err(self.refuse("a function as the result"));
        }
        let value = if self.failed {
            None
        } else {
            Some(self.atom(result)?.0)
        };
        let body = Block {
            steps: std::mem::take(&mut self.steps),
            value,
        };
        let parameters: Vec<Var> = arguments.into_iter().map(|(v, _)| v).collect();
        let mut shapes = super::shape::Shapes::default();
        let vars = self.vars.clone();
        let shapes_of = vars
            .iter()
            .map(|t| shapes.of(&mut self.types, *t, true))
            .collect();
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
        let banned = unsure
            .iter()
            .filter_map(|v| self.sites.get(v).copied())
            .collect();
        let Distances { wishes, used, .. } = self.distances;
        let found = Found {
            banned,
            wishes,
            used,
        };
        Ok((entry, found))
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
        if let types::Node::Arrow(_, from, to) = *self.types.node(ty) {
            return Ok((from, to));
        }
        let (from, to) = (self.types.variable(), self.types.variable());
        let arrow = self.types.arrow(from, to);
        self.unify(ty, arrow)?;
        Ok((from, to))
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

    #[expect(clippy::unnecessary_wraps, reason = "it stands where others may fail")]
    pub fn unknown(&mut self) -> Lowered<Value<'p>> {
        let ty = self.types.variable();
        Ok(self.bind(Right::Unknown, ty))
    }
}
