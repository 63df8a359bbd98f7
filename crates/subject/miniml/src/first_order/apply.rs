//! Calls: opened where the function is no part of a recursive definition, else to a function made for what is passed to it.

use std::fmt::Write as _;
use std::rc::Rc;

use super::lower::{Closure, Code, Env, Instance, Lower, Lowered, Map, Value};
use super::{Atom, Block, Function, Right, Step};
use crate::types::Ty;

impl<'p> Lower<'p> {
    /// A function applied to values.
    pub fn apply(&mut self, function: Value<'p>, arguments: Vec<Value<'p>>) -> Lowered<Value<'p>> {
        if self.failed {
            return self.unknown();
        }
        let Value::Function(closure) = function else {
            return Err(
                self.refuse("a call of a function that is only known while the program runs")
            );
        };
        let mut given = closure.given.clone();
        given.extend(arguments);
        let arity = closure.code.lambda().parameters.len();
        if given.len() < arity {
            let closure = Closure {
                given,
                ..(*closure).clone()
            };
            return Ok(Value::Function(Rc::new(closure)));
        }
        let more = given.split_off(arity);
        let result = match closure.code {
            Code::Plain(_) => self.open(&closure, given)?,
            _ => self.call(&closure, &given)?,
        };
        if more.is_empty() {
            Ok(result)
        } else {
            self.apply(result, more)
        }
    }

    /// The instances of a function's parameter types and result.
    fn signature(&mut self, closure: &Closure<'p>, map: &mut Map) -> Lowered<(Vec<Ty>, Ty)> {
        let lambda = closure.code.lambda();
        let mut ty = self.types.copy(lambda.ty, map);
        let mut parameters = Vec::new();
        for _ in &lambda.parameters {
            let (from, to) = self.arrow(ty)?;
            parameters.push(from);
            ty = to;
        }
        Ok((parameters, ty))
    }

    /// What is known of the types of a value goes to a parameter's.
    fn agree(&mut self, value: &Value<'p>, ty: Ty) -> Lowered<()> {
        match value {
            Value::Atom(_, found) => self.unify(*found, ty),
            Value::Tuple(values) => {
                let parts: Vec<Ty> = values.iter().map(|_| self.types.variable()).collect();
                let tuple = self.types.tuple(parts.clone());
                self.unify(tuple, ty)?;
                values
                    .iter()
                    .zip(parts)
                    .try_for_each(|(v, t)| self.agree(v, t))
            }
            // Its own types are found where it is called; the result's must be known here.
            Value::Function(closure) => {
                let mut map = closure.map.clone();
                let (parameters, mut own) = self.signature(closure, &mut map)?;
                for from in parameters.into_iter().skip(closure.given.len()).rev() {
                    own = self.types.arrow(from, own);
                }
                self.unify(own, ty)
            }
        }
    }

    fn open(&mut self, closure: &Closure<'p>, arguments: Vec<Value<'p>>) -> Lowered<Value<'p>> {
        let lambda = closure.code.lambda();
        let mut map = closure.map.clone();
        let (parameters, _) = self.signature(closure, &mut map)?;
        self.step(Step::Enter(closure.name.clone()));
        let mut env = closure.env.clone();
        for (((pattern, _), value), ty) in lambda.parameters.iter().zip(arguments).zip(parameters) {
            self.agree(&value, ty)?;
            self.destructure(pattern, &value, &mut env)?;
        }
        let outer = self.enter(&closure.name);
        let result = self.expr(&lambda.body, &env, &map, true);
        if let Some(outer) = outer {
            self.function = outer;
        }
        result
    }

    /// Names the function whose body follows, for messages; those without a name belong to the one around.
    fn enter(&mut self, name: &str) -> Option<String> {
        (name != "fun").then(|| std::mem::replace(&mut self.function, name.to_owned()))
    }

    fn call(&mut self, closure: &Closure<'p>, arguments: &[Value<'p>]) -> Lowered<Value<'p>> {
        let lambda = closure.code.lambda();
        let mut map = closure.map.clone();
        let (types, result) = self.signature(closure, &mut map)?;
        for (value, ty) in arguments.iter().zip(&types) {
            self.agree(value, *ty)?;
        }
        let mut key = String::new();
        let mut atoms = Vec::new();
        self.flatten(
            &Value::Function(Rc::new(Closure {
                given: vec![],
                ..closure.clone()
            })),
            &mut key,
            &mut atoms,
            0,
        )?;
        for value in arguments {
            self.flatten(value, &mut key, &mut atoms, 0)?;
        }
        self.add_distances(&key, &mut atoms);
        if let Some(at) = self.instances.iter().rposition(|i| i.key == key) {
            return self.again(at, &atoms, result);
        }
        // The same definition with other functions passed to it, while it is made: it would never end.
        let same = self.progress.iter().filter(|p| {
            let prefix = self.instances[**p].key.split('[').next();
            prefix == key.split('[').next()
        });
        if same.count() > 6 {
            return Err(self.refuse(format!(
                "`{}` passes on to itself a function that changes from call to call",
                closure.name
            )));
        }
        let (at, function) = (self.instances.len(), self.functions.len());
        let mut parameters = Vec::new();
        for (_, ty) in &atoms {
            parameters.push(self.var(*ty));
        }
        self.name_distances(&key, &parameters);
        self.instances.push(Instance {
            key,
            function,
            parameters: atoms.iter().map(|(_, t)| *t).collect(),
            result,
            low: at,
        });
        let own_result = self.var(result);
        self.functions.push(Function {
            name: closure.name.clone(),
            parameters: parameters.clone(),
            result: own_result,
            body: Block::default(),
        });
        self.progress.push(at);
        let mut fresh = parameters.iter().copied();
        let own = self.rebuild(
            &Value::Function(Rc::new(Closure {
                given: vec![],
                ..closure.clone()
            })),
            &mut fresh,
        );
        let inside: Vec<Value<'p>> = arguments
            .iter()
            .map(|v| self.rebuild(v, &mut fresh))
            .collect();
        let Value::Function(own) = own else {
            unreachable!("a function stays one")
        };
        let outer = self.enter(&closure.name);
        let facts = std::mem::take(&mut self.facts);
        let parts = std::mem::take(&mut self.parts);
        let body = self.block(
            |l| {
                l.step(Step::Enter(closure.name.clone()));
                let mut env = l.members(own.code, &own.env, &closure.map);
                for ((pattern, _), value) in lambda.parameters.iter().zip(&inside) {
                    l.destructure(pattern, value, &mut env)?;
                }
                let value = l.expr(&lambda.body, &env, &map, true)?;
                if let Value::Function(_) = value {
                    return Err(l.refuse("a function as the result of a recursive function"));
                }
                Ok(value)
            },
            result,
        )?;
        self.facts = facts;
        self.parts = parts;
        if let Some(outer) = outer {
            self.function = outer;
        }
        self.functions[function].body = body;
        self.progress.pop();
        let low = self.instances[at].low;
        if low == at {
            self.instances.truncate(at);
        } else if let Some(&around) = self.progress.last() {
            self.instances[around].low = self.instances[around].low.min(low);
        }
        let arguments = atoms.into_iter().map(|(a, _)| a).collect();
        Ok(self.bind(Right::Call(function, arguments), result))
    }

    /// A call of a function that is being made, or of one that calls such a one.
    fn again(&mut self, at: usize, atoms: &[(Atom, Ty)], result: Ty) -> Lowered<Value<'p>> {
        let instance = &self.instances[at];
        let (function, low) = (instance.function, instance.low);
        let (parameters, wanted) = (instance.parameters.clone(), instance.result);
        for ((_, found), ty) in atoms.iter().zip(parameters) {
            self.unify(*found, ty)?;
        }
        self.unify(result, wanted)?;
        if let Some(&around) = self.progress.last() {
            self.instances[around].low = self.instances[around].low.min(low);
        }
        let arguments = atoms.iter().map(|(a, _)| *a).collect();
        Ok(self.bind(Right::Call(function, arguments), result))
    }

    /// What of a value is function, as text, and what is data.
    fn flatten(
        &mut self,
        value: &Value<'p>,
        key: &mut String,
        atoms: &mut Vec<(Atom, Ty)>,
        depth: usize,
    ) -> Lowered<()> {
        if depth > 12 {
            return Err(self.refuse("functions made of functions too deeply"));
        }
        match value {
            Value::Atom(atom, ty) => {
                key.push('_');
                atoms.push((*atom, *ty));
            }
            Value::Tuple(parts) if has_function(value) => {
                key.push('(');
                for part in parts {
                    self.flatten(part, key, atoms, depth + 1)?;
                }
                key.push(')');
            }
            Value::Tuple(_) => {
                let (atom, ty) = self.atom(value.clone())?;
                key.push('_');
                atoms.push((atom, ty));
            }
            Value::Function(closure) => {
                let code = closure.code;
                let _ = write!(key, "{:x}.{}[", code.definition(), code.member());
                for variable in code.free() {
                    if let Some(captured) = closure.env.get(&variable) {
                        self.flatten(captured, key, atoms, depth + 1)?;
                    }
                }
                key.push(';');
                for given in &closure.given {
                    self.flatten(given, key, atoms, depth + 1)?;
                }
                key.push(']');
            }
        }
        Ok(())
    }

    /// The value with new variables for its data, in the order of [`Self::flatten`].
    fn rebuild(&mut self, value: &Value<'p>, fresh: &mut impl Iterator<Item = u32>) -> Value<'p> {
        match value {
            Value::Tuple(parts) if has_function(value) => {
                Value::Tuple(parts.iter().map(|p| self.rebuild(p, fresh)).collect())
            }
            Value::Atom(..) | Value::Tuple(_) => {
                let var = fresh.next().unwrap_or_default();
                Value::Atom(Atom::Var(var), self.vars[var as usize])
            }
            Value::Function(closure) => {
                let mut env = Env::default();
                let inner = Rc::make_mut(&mut env);
                for variable in closure.code.free() {
                    if let Some(captured) = closure.env.get(&variable) {
                        inner.insert(variable, self.rebuild(captured, fresh));
                    }
                }
                let given = closure
                    .given
                    .iter()
                    .map(|g| self.rebuild(g, fresh))
                    .collect();
                Value::Function(Rc::new(Closure {
                    env,
                    given,
                    ..(**closure).clone()
                }))
            }
        }
    }
}

fn has_function(value: &Value<'_>) -> bool {
    match value {
        Value::Atom(..) => false,
        Value::Tuple(parts) => parts.iter().any(has_function),
        Value::Function(_) => true,
    }
}
