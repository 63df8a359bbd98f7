//! Each construct of the core as steps, with its charges by paper mode's rules.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::lower::{Closure, Code, DEPTH, Env, Lower, Lowered, Map, Value};
use super::{Atom, Right, Step};
use crate::compile::free::free_of_lambda;
use crate::construct::Construct;
use crate::core::{Binding, Expr, Lambda, Pattern, VarId};
use crate::types::{self, Ty};

impl<'p> Lower<'p> {
    fn charge_block(&mut self, parts: usize) {
        self.charge(Construct::TupleHead, 1);
        self.charge(Construct::TupleElem, parts);
        self.step(Step::Bytes(8 + 8 * parts as u64));
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
                let construct = if tail {
                    Construct::TailApp
                } else {
                    Construct::FunApp
                };
                self.charge(construct, 1);
                self.apply(function, values)
            }
            Expr::Operate(operator, arguments, ty) => {
                self.operate(*operator, arguments, *ty, env, map)
            }
            Expr::And(a, b) | Expr::Or(a, b) => {
                self.expr(a, env, map, false)?;
                let and = matches!(e, Expr::And(..));
                self.charge(
                    if and {
                        Construct::BoolAnd
                    } else {
                        Construct::BoolOr
                    },
                    1,
                );
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
            Expr::RecordWith {
                base, size, fields, ..
            } => {
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
                    // A tuple that is matched at once is evaluated from the left, if more than one part does anything.
                    Expr::Tuple(parts) => {
                        let values = if parts.iter().filter(|p| !is_simple(p)).count() > 1 {
                            let values = parts.iter().map(|p| self.expr(p, env, map, false));
                            values.collect::<Lowered<Vec<_>>>()?
                        } else {
                            self.all(parts, env, map)?
                        };
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
            Expr::Array(..) => Err(self.refuse("an array")),
            Expr::SetField(..) => Err(self.refuse("an assignment to a field")),
            Expr::While(..) | Expr::For(..) => Err(self.refuse("a loop")),
            Expr::Mutable(..) | Expr::Assign(..) => Err(self.refuse("a reference")),
            Expr::AssertFailure(_) => {
                self.charge(Construct::Raise, 1);
                let value = self.unknown();
                self.failed = true;
                value
            }
            Expr::Attempt { .. } => Err(self.refuse(
                "`match … with exception`: what an exception leaves undone is not followed",
            )),
            Expr::Try(..) => {
                Err(self.refuse("`try`: what an exception leaves undone is not followed"))
            }
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

/// Whether evaluating an expression does nothing.
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
