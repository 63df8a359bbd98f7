//! Patterns: clauses are tried in order, and each question about a constructor is asked once on each way.

use super::branch::{SMALL, Test};
use super::lower::{Env, Fact, Lower, Lowered, Map, Value};
use super::{Arm, Atom, Block, Question, Right, Var};
use crate::construct::Construct;
use crate::core::{Clause, Pattern, VarId};
use crate::types::Ty;
use std::rc::Rc;

/// Whether a pattern matches.
enum Outcome {
    Yes,
    No,
    /// It depends on a variable's constructor.
    Constructor(Var, Ty),
    /// It depends on a number.
    Number(Atom, i64),
    /// It depends on what has no size: the pattern's address.
    Unknown(usize),
}

/// Elements of all tuples in a pattern; of alternatives, the first.
pub(super) fn elements(pattern: &Pattern) -> usize {
    match pattern {
        Pattern::Tuple(parts) => parts.iter().map(|p| 1 + elements(p)).sum(),
        Pattern::Record(fields, _) => fields.iter().map(|(_, p)| 1 + elements(p)).sum(),
        Pattern::Construct { arguments, .. } | Pattern::Exception(_, arguments) => {
            arguments.iter().map(elements).sum()
        }
        Pattern::Alias(inner, _) | Pattern::Or(inner, _) => elements(inner),
        _ => 0,
    }
}

type Bound<'p> = Vec<(VarId, Value<'p>)>;

impl<'p> Lower<'p> {
    /// The parts of a tuple or record in a variable.
    pub fn parts_of(&mut self, atom: Atom, ty: Ty) -> Lowered<Vec<Value<'p>>> {
        let Some(types) = super::shape::parts(&mut self.types, ty) else {
            return Err(self.refuse("a tuple of a type that is not known"));
        };
        let Atom::Var(var) = atom else {
            return Err(self.refuse("a constant as a tuple"));
        };
        if !self.parts.contains_key(&var) {
            let mut parts = Vec::new();
            for (i, ty) in types.into_iter().enumerate() {
                if let Value::Atom(Atom::Var(part), ty) = self.bind(Right::Part(var, i), ty) {
                    parts.push((part, ty));
                }
            }
            self.parts.insert(var, parts);
        }
        let parts = self.parts[&var].iter();
        Ok(parts.map(|(v, t)| Value::Atom(Atom::Var(*v), *t)).collect())
    }

    /// Binds a pattern that is to match, as of a `let` or a parameter.
    pub fn destructure(
        &mut self,
        pattern: &'p Pattern,
        value: &Value<'p>,
        env: &mut Env<'p>,
    ) -> Lowered<()> {
        if let Pattern::Any = pattern {
            return Ok(());
        }
        if let Pattern::Variable(v) = pattern {
            Rc::make_mut(env).insert(*v, value.clone());
            return Ok(());
        }
        self.charge(Construct::TupleMatch, elements(pattern));
        let mut bound = Bound::new();
        self.clause = std::ptr::from_ref(pattern).addr();
        if let Outcome::Yes = self.outcome(pattern, value, &mut bound)? {
            Rc::make_mut(env).extend(bound);
            return Ok(());
        }
        // What it binds comes out of the question as a tuple.
        let names: Vec<VarId> = {
            let mut names = std::collections::BTreeSet::new();
            names_of(pattern, &mut names);
            names.into_iter().collect()
        };
        let parts: Vec<Ty> = names.iter().map(|_| self.types.variable()).collect();
        let ty = self.types.tuple(parts);
        let block = self.block(
            |l| {
                let leaf = &mut |l: &mut Self, bound: Bound<'p>| {
                    let find =
                        |n: &VarId| bound.iter().find(|(v, _)| v == n).map(|(_, v)| v.clone());
                    let values: Option<Vec<Value<'p>>> = names.iter().map(find).collect();
                    values
                        .map(Value::Tuple)
                        .ok_or_else(|| l.refuse("a pattern without its variable"))
                };
                l.patterns(&[pattern], value, ty, &mut |l, _, bound| leaf(l, bound), 0)
            },
            ty,
        )?;
        let tuple = self.splice(block, ty);
        if self.failed {
            let unknown = self.unknown()?;
            Rc::make_mut(env).extend(names.into_iter().map(|n| (n, unknown.clone())));
            return Ok(());
        }
        let (atom, ty) = self.atom(tuple)?;
        let parts = self.parts_of(atom, ty)?;
        Rc::make_mut(env).extend(names.into_iter().zip(parts));
        Ok(())
    }

    /// `match`: the clauses' bodies where they are reached.
    pub fn matching(
        &mut self,
        value: &Value<'p>,
        clauses: &'p [Clause],
        env: &Env<'p>,
        map: &Map,
        tail: bool,
    ) -> Lowered<Value<'p>> {
        let ty = self.types.variable();
        self.clauses_from(clauses, 0, value, ty, &|l, i, bound| {
            let mut inner = env.clone();
            Rc::make_mut(&mut inner).extend(bound);
            let guarded = match &clauses[i].guard {
                Some(guard) => {
                    l.expr(guard, &inner, map, false)?;
                    true
                }
                None => false,
            };
            let body = l.block(
                |l| {
                    l.charge(Construct::TupleMatch, elements(&clauses[i].pattern));
                    l.expr(&clauses[i].body, &inner, map, tail)
                },
                ty,
            )?;
            Ok((body, guarded))
        })
    }

    #[expect(
        clippy::type_complexity,
        reason = "the body of a clause, and whether another may follow"
    )]
    fn clauses_from(
        &mut self,
        clauses: &'p [Clause],
        first: usize,
        value: &Value<'p>,
        ty: Ty,
        body: &dyn Fn(&mut Self, usize, Bound<'p>) -> Lowered<(Block, bool)>,
    ) -> Lowered<Value<'p>> {
        let patterns: Vec<&Pattern> = clauses.iter().map(|c| &c.pattern).collect();
        self.patterns(
            &patterns,
            value,
            ty,
            &mut |l, i, bound| {
                let (block, guarded) = body(l, i, bound)?;
                if !guarded {
                    return Ok(l.splice(block, ty));
                }
                let next = l.block(|l| l.clauses_from(clauses, i + 1, value, ty, body), ty)?;
                Ok(l.choose(vec![block, next], ty))
            },
            first,
        )
    }

    /// The first of some patterns that matches leads to a leaf.
    fn patterns(
        &mut self,
        patterns: &[&'p Pattern],
        value: &Value<'p>,
        ty: Ty,
        leaf: &mut dyn FnMut(&mut Self, usize, Bound<'p>) -> Lowered<Value<'p>>,
        first: usize,
    ) -> Lowered<Value<'p>> {
        for i in first..patterns.len() {
            let mut bound = Bound::new();
            self.clause = std::ptr::from_ref(patterns[i]).addr();
            match self.outcome(patterns[i], value, &mut bound)? {
                Outcome::No => {}
                Outcome::Yes => return leaf(self, i, bound),
                Outcome::Unknown(pattern) => {
                    let yes = self.block(
                        |l| {
                            let new = l.assumed.insert(pattern);
                            let value = l.patterns(patterns, value, ty, leaf, i);
                            if new {
                                l.assumed.remove(&pattern);
                            }
                            value
                        },
                        ty,
                    )?;
                    let no = self.block(|l| l.patterns(patterns, value, ty, leaf, i + 1), ty)?;
                    return Ok(self.choose(vec![yes, no], ty));
                }
                Outcome::Number(atom, n) => {
                    // Either answer is known from now on.
                    let site = std::ptr::from_ref(patterns[i]).addr();
                    let block = self.ask(atom, Test::Equals(n), site, ty, &mut |l, _| {
                        l.block(|l| l.patterns(patterns, value, ty, leaf, i), ty)
                    })?;
                    return Ok(self.splice(block, ty));
                }
                Outcome::Constructor(var, of) => {
                    return self.constructors(var, of, ty, &mut |l| {
                        l.patterns(patterns, value, ty, leaf, i)
                    });
                }
            }
        }
        // No clause: `Match_failure`.
        self.failed = true;
        Ok(Value::Atom(Atom::Constant(0), ty))
    }

    /// Asks which constructor a variable has.
    fn constructors(
        &mut self,
        var: Var,
        of: Ty,
        ty: Ty,
        go_on: &mut dyn FnMut(&mut Self) -> Lowered<Value<'p>>,
    ) -> Lowered<Value<'p>> {
        let (constructors, constants) = super::shape::constructors(&mut self.types, of);
        let mut arms = Vec::new();
        let facts = self.facts.clone();
        if !constants.is_empty() {
            self.facts.insert(var, Fact::Constant);
            let block = self.block(&mut *go_on, ty)?;
            arms.push(Arm {
                constructor: None,
                fields: vec![],
                block,
            });
        }
        for (i, (_, types)) in constructors.into_iter().enumerate() {
            let fields: Vec<(Var, Ty)> = types.into_iter().map(|t| (self.var(t), t)).collect();
            self.facts.clone_from(&facts);
            self.facts.insert(var, Fact::Node(i, fields.clone()));
            let block = self.block(&mut *go_on, ty)?;
            arms.push(Arm {
                constructor: Some(i),
                fields: fields.into_iter().map(|(v, _)| v).collect(),
                block,
            });
        }
        self.facts = facts;
        Ok(self.case(var, arms, Question::Constructor, ty))
    }

    fn every(
        &mut self,
        patterns: impl Iterator<Item = (&'p Pattern, Value<'p>)>,
        bound: &mut Bound<'p>,
    ) -> Lowered<Outcome> {
        let mut first = Outcome::Yes;
        for (pattern, value) in patterns {
            match (self.outcome(pattern, &value, bound)?, &first) {
                (Outcome::No, _) => return Ok(Outcome::No),
                (Outcome::Yes, _) => {}
                (question, Outcome::Yes) => first = question,
                _ => {}
            }
        }
        Ok(first)
    }

    fn outcome(
        &mut self,
        pattern: &'p Pattern,
        value: &Value<'p>,
        bound: &mut Bound<'p>,
    ) -> Lowered<Outcome> {
        Ok(match pattern {
            Pattern::Any => Outcome::Yes,
            Pattern::Variable(v) => {
                bound.push((*v, value.clone()));
                Outcome::Yes
            }
            Pattern::Alias(inner, v) => {
                bound.push((*v, value.clone()));
                self.outcome(inner, value, bound)?
            }
            Pattern::Tuple(parts) => {
                let values = match value {
                    Value::Tuple(values) => values.clone(),
                    Value::Atom(atom, ty) => {
                        let wanted: Vec<Ty> = parts.iter().map(|_| self.types.variable()).collect();
                        let wanted = self.types.tuple(wanted);
                        self.unify(*ty, wanted)?;
                        self.parts_of(*atom, *ty)?
                    }
                    Value::Function(_) => return Err(self.refuse("a function that is matched")),
                };
                self.every(parts.iter().zip(values), bound)?
            }
            Pattern::Record(fields, _) => {
                let (atom, ty) = self.atom(value.clone())?;
                let values = self.parts_of(atom, ty)?;
                let fields = fields.iter().map(|(i, p)| (p, values[*i].clone()));
                self.every(fields.collect::<Vec<_>>().into_iter(), bound)?
            }
            Pattern::Construct { tag, arguments, .. } => {
                let (atom, ty) = self.atom(value.clone())?;
                let Atom::Var(var) = atom else {
                    return Ok(Outcome::No);
                };
                match self.facts.get(&var).cloned() {
                    Some(Fact::Node(is, fields)) if is == usize::from(*tag) => {
                        let fields = fields
                            .into_iter()
                            .map(|(v, t)| Value::Atom(Atom::Var(v), t));
                        self.every(arguments.iter().zip(fields), bound)?
                    }
                    Some(Fact::Node(..) | Fact::Constant) => Outcome::No,
                    _ => {
                        if super::shape::constructors(&mut self.types, ty).0.is_empty() {
                            return Err(self.refuse("a pattern of a type that is not known"));
                        }
                        Outcome::Constructor(var, ty)
                    }
                }
            }
            Pattern::Int(n) => self.constant(pattern, *n, value)?,
            Pattern::IntRange(..) | Pattern::Float(_) | Pattern::String(_) => self.opaque(pattern),
            Pattern::Exception(..) => return Err(self.refuse("a pattern of an exception")),
            Pattern::Array(_) => return Err(self.refuse("a pattern of an array")),
            Pattern::Or(a, b) => self.either(pattern, a, b, value, bound)?,
        })
    }

    fn either(
        &mut self,
        whole: &'p Pattern,
        a: &'p Pattern,
        b: &'p Pattern,
        value: &Value<'p>,
        bound: &mut Bound<'p>,
    ) -> Lowered<Outcome> {
        let before = bound.len();
        if let Outcome::Yes = self.opaque(whole) {
            return Ok(Outcome::Yes);
        }
        let left = self.outcome(a, value, bound)?;
        let (Outcome::No | Outcome::Unknown(_)) = left else {
            return Ok(left);
        };
        bound.truncate(before);
        let right = self.outcome(b, value, bound)?;
        let Outcome::Unknown(_) = left else {
            return Ok(right);
        };
        let mut names = std::collections::BTreeSet::new();
        names_of(whole, &mut names);
        match right {
            Outcome::No => Ok(left),
            Outcome::Constructor(..) | Outcome::Number(..) => Ok(right),
            // Which side it is does not matter when nothing is bound.
            _ if names.is_empty() => Ok(match right {
                Outcome::Yes => Outcome::Yes,
                _ => self.opaque(whole),
            }),
            _ => Err(self.refuse("an or-pattern whose sides are told apart by what has no size")),
        }
    }

    fn opaque(&self, pattern: &Pattern) -> Outcome {
        let address = std::ptr::from_ref(pattern).addr();
        if self.assumed.contains(&address) {
            Outcome::Yes
        } else {
            Outcome::Unknown(address)
        }
    }

    /// A number or a constructor without arguments.
    fn constant(&mut self, pattern: &Pattern, n: i64, value: &Value<'p>) -> Lowered<Outcome> {
        let (atom, ty) = match value {
            Value::Atom(atom, ty) => (*atom, *ty),
            _ => return Ok(Outcome::No),
        };
        let var = match atom {
            Atom::Constant(c) => return Ok(if c == n { Outcome::Yes } else { Outcome::No }),
            Atom::Var(var) => var,
        };
        let (constructors, constants) = super::shape::constructors(&mut self.types, ty);
        if !constructors.is_empty() {
            return Ok(match self.facts.get(&var) {
                Some(Fact::Constant) if constants.len() == 1 => Outcome::Yes,
                Some(Fact::Constant) => self.opaque(pattern),
                Some(_) => Outcome::No,
                None => Outcome::Constructor(var, ty),
            });
        }
        let ty = self.types.expand(ty);
        let number = matches!(
            self.types.node(ty),
            crate::types::Node::Constructor(crate::types::INT, _)
        );
        let mut at = (var, n);
        let site = self.clause;
        loop {
            match self.facts.get(&at.0) {
                Some(Fact::Zero { exact: true }) => {
                    return Ok(if at.1 == 0 { Outcome::Yes } else { Outcome::No });
                }
                Some(Fact::Successor(_)) if at.1 <= 0 => return Ok(Outcome::No),
                Some(Fact::Successor(before)) => at = (*before, at.1 - 1),
                None if number && (0..=SMALL).contains(&at.1) && !self.banned.contains(&site) => {
                    return Ok(Outcome::Number(Atom::Var(at.0), at.1));
                }
                _ => return Ok(self.opaque(pattern)),
            }
        }
    }
}

/// The variables a pattern binds.
fn names_of(pattern: &Pattern, out: &mut std::collections::BTreeSet<VarId>) {
    match pattern {
        Pattern::Variable(v) => {
            out.insert(*v);
        }
        Pattern::Alias(inner, v) => {
            out.insert(*v);
            names_of(inner, out);
        }
        Pattern::Construct {
            arguments: parts, ..
        }
        | Pattern::Exception(_, parts)
        | Pattern::Tuple(parts) => parts.iter().for_each(|p| names_of(p, out)),
        Pattern::Record(fields, _) => fields.iter().for_each(|(_, p)| names_of(p, out)),
        Pattern::Or(a, b) => {
            names_of(a, out);
            names_of(b, out);
        }
        _ => {}
    }
}
