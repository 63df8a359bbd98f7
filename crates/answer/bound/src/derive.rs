//! From a function's normal form to a linear program: the potential before a step from the potential after it.
//!
//! Amortised analysis with multivariate resource polynomials (Hoffmann, Aehlig and Hofmann 2012), written backwards: what a step needs
//! is a function of the values around it (Carbonneaux, Hoffmann and Shao 2015 do so for loops), so that sharing is multiplication.
//! New unknowns stand where ways meet and at recursive functions. A call keeps every factor that does not mention its result: it is
//! multiplied by a derivation without costs (*cost-free*). A recursive call may use one more of those, one degree lower, which is
//! resource-polymorphic recursion.

mod recursion;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pricetag_miniml::first_order::{
    Arm, Atom, Block, Entry, FunctionId, Question, Right, Shape, Step, Var,
};

use crate::index::Index;
use crate::linear_program::LinearProgram;
use crate::metric::{Costs, Side, Unpriced};
use crate::potential::{
    Linear, Monomial, Potential, RESULT, degree, monomials, of_atom, of_node, product_of,
};

/// Constraints and unknowns that are still tried.
const LARGE: usize = 60_000;

/// Why no program was made.
#[derive(Debug)]
pub(crate) enum Underived {
    Unpriced(Unpriced),
    Large,
}

impl From<Unpriced> for Underived {
    fn from(unpriced: Unpriced) -> Self {
        Self::Unpriced(unpriced)
    }
}

type Derived<T> = Result<T, Underived>;

/// What was decided on the way back through a block, in order.
#[derive(Clone, Debug)]
pub(crate) enum Decision {
    /// The potential where ways meet.
    Meet(Potential),
    /// For each factor kept, the derivations used for the call.
    Call(Vec<(Monomial, Vec<usize>)>),
}

/// A derivation for the functions of one recursive definition.
#[derive(Debug)]
pub(crate) struct Instance {
    pub component: usize,
    pub degree: u32,
    pub costly: bool,
    pub functions: BTreeMap<FunctionId, Specification>,
}

/// What a function needs, and what is left in its result.
#[derive(Debug, Default)]
pub(crate) struct Specification {
    pub before: Potential,
    pub after: Potential,
    pub decisions: Vec<Decision>,
}

pub(crate) struct Derivation<'a> {
    pub entry: &'a Entry,
    costs: &'a Costs,
    side: Side,
    pub program: LinearProgram,
    pub instances: Vec<Instance>,
    todo: VecDeque<usize>,
    components: Vec<usize>,
    recursive: Vec<bool>,
}

/// Where a block is.
struct Place {
    instance: Option<usize>,
    degree: u32,
    costly: bool,
    decisions: Vec<Decision>,
    /// What questions around it have answered: a variable, its constructor and fields, the outermost first.
    opened: Vec<(Var, Option<usize>, Vec<Atom>)>,
}

impl Place {
    fn new(instance: Option<usize>, degree: u32, costly: bool) -> Self {
        Self {
            instance,
            degree,
            costly,
            decisions: vec![],
            opened: vec![],
        }
    }
}

impl<'a> Derivation<'a> {
    pub fn new(entry: &'a Entry, costs: &'a Costs, side: Side) -> Self {
        let (components, recursive) = recursion::components(entry);
        Self {
            entry,
            costs,
            side,
            program: LinearProgram::default(),
            instances: vec![],
            todo: VecDeque::new(),
            components,
            recursive,
        }
    }

    /// The potential of the parameters that all of it needs, and the decisions.
    pub fn run(&mut self, degree: u32) -> Derived<(Potential, Vec<Decision>)> {
        let mut place = Place::new(None, degree, true);
        let body = &self.entry.body;
        let needed = self.block(body, RESULT, Potential::default(), &mut place)?;
        let parameters = self.entry.parameters.clone();
        let before = self.unknown_of(&parameters, degree);
        self.holds(&before, &needed);
        while let Some(instance) = self.todo.pop_front() {
            self.instance(instance)?;
        }
        Ok((before, place.decisions))
    }

    fn instance(&mut self, at: usize) -> Derived<()> {
        let functions: Vec<FunctionId> = self.instances[at].functions.keys().copied().collect();
        for function in functions {
            let instance = &self.instances[at];
            let mut place = Place::new(Some(at), instance.degree, instance.costly);
            let after = instance.functions[&function].after.clone();
            let before = instance.functions[&function].before.clone();
            let body = &self.entry.functions[function].body;
            let needed = self.block(body, RESULT, after, &mut place)?;
            self.holds(&before, &needed);
            if let Some(specification) = self.instances[at].functions.get_mut(&function) {
                specification.decisions = place.decisions;
            }
        }
        Ok(())
    }

    /// A potential with an unknown for each monomial.
    fn unknown_of(&mut self, vars: &[Var], degree: u32) -> Potential {
        let mut shapes: Vec<(Var, &Shape)> = vars
            .iter()
            .map(|v| (*v, &self.entry.shapes[*v as usize]))
            .collect();
        shapes.sort_by_key(|(v, _)| *v);
        let all = monomials(&shapes, &self.entry.data, degree);
        self.unknowns(all)
    }

    fn unknowns(&mut self, all: impl IntoIterator<Item = Monomial>) -> Potential {
        let all = all
            .into_iter()
            .map(|m| (m, Linear::unknown(self.program.unknown())));
        Potential { of: all.collect() }
    }

    /// Requires that the potential that there is suffices: it is at least (for a lower bound, at most) what is needed.
    fn holds(&mut self, there: &Potential, needed: &Potential) {
        let (large, small) = match self.side {
            Side::Upper => (there, needed),
            Side::Lower => (needed, there),
        };
        for (monomial, linear) in &small.of {
            let mut difference = large.of.get(monomial).cloned().unwrap_or_default();
            difference.add(linear, -1);
            self.program.require(difference);
        }
    }

    /// What has no size pays nothing, and needs nothing.
    fn nothing(&mut self, left: Vec<Linear>) {
        if self.side == Side::Upper {
            for linear in left {
                let mut none = Linear::default();
                none.add(&linear, -1);
                self.program.require(none);
            }
        }
    }

    fn replace(
        &mut self,
        potential: &Potential,
        var: Var,
        by: &mut dyn FnMut(&Index) -> Option<Vec<(Monomial, i64)>>,
    ) -> Potential {
        let (new, left) = potential.replace(var, by);
        self.nothing(left);
        new
    }

    fn block(
        &mut self,
        block: &Block,
        var: Var,
        after: Potential,
        place: &mut Place,
    ) -> Derived<Potential> {
        if self.program.constraints.len() > LARGE || self.program.unknowns > LARGE {
            return Err(Underived::Large);
        }
        let mut at = match block.value {
            Some(value) => self.replace(&after, var, &mut |i| of_atom(value, i)),
            None => Potential::default(),
        };
        at = self.opened(at, place);
        for step in block.steps.iter().rev() {
            at = match step {
                Step::Bind(var, right) => {
                    let before = self.bind(*var, right, at, place)?;
                    self.opened(before, place)
                }
                other => {
                    if place.costly {
                        at.cost(self.costs.of(other)?);
                    }
                    at
                }
            };
        }
        Ok(at)
    }

    /// The same potential in the fields of what is known to have them, so that ways that meet speak of the same variables.
    fn opened(&mut self, mut potential: Potential, place: &Place) -> Potential {
        let entry = self.entry;
        for (of, constructor, fields) in &place.opened {
            let shape = &entry.shapes[*of as usize];
            potential = self.replace(&potential, *of, &mut |i| {
                opened_as(entry, shape, *constructor, fields, i)
            });
        }
        potential
    }

    fn natural(&self, atom: &Atom) -> bool {
        match atom {
            Atom::Var(v) => self.entry.natural[*v as usize],
            Atom::Constant(n) => *n >= 0,
        }
    }

    fn bind(
        &mut self,
        var: Var,
        right: &Right,
        after: Potential,
        place: &mut Place,
    ) -> Derived<Potential> {
        let entry = self.entry;
        Ok(match right {
            Right::Same(atom) => self.replace(&after, var, &mut |i| of_atom(*atom, i)),
            Right::Build(constructor, fields) => {
                let Shape::Data(id) = entry.shapes[var as usize] else {
                    return Ok(self.replace(&after, var, &mut |_| None));
                };
                let kinds = &entry.data[id].constructors[*constructor].fields;
                self.replace(&after, var, &mut |i| {
                    of_node(i, *constructor, fields, kinds)
                })
            }
            Right::Tuple(parts) => self.replace(&after, var, &mut |i| match i {
                Index::Tuple(indices) => {
                    product_of(parts.iter().zip(indices).map(|(a, i)| of_atom(*a, i)))
                }
                _ => None,
            }),
            Right::Part(tuple, part) => {
                let Shape::Tuple(parts) = &entry.shapes[*tuple as usize] else {
                    return Ok(self.replace(&after, var, &mut |_| None));
                };
                self.replace(&after, var, &mut |i| {
                    let mut indices = vec![Index::One; parts.len()];
                    indices[*part] = i.clone();
                    Some(vec![(vec![(*tuple, Index::tuple(indices))], 1)])
                })
            }
            Right::Sum(a, b) => {
                let exact = self.side == Side::Upper || (self.natural(a) && self.natural(b));
                self.replace(&after, var, &mut |i| match i {
                    Index::Number(k) if exact => {
                        let mut sum = Vec::new();
                        for n in 0..=*k {
                            let (a, b) = (
                                of_atom(*a, &Index::number(n)),
                                of_atom(*b, &Index::number(k - n)),
                            );
                            sum.extend(product_of([a, b])?);
                        }
                        Some(sum)
                    }
                    _ => None,
                })
            }
            Right::AtMost(atom, _) if self.side == Side::Upper => {
                self.replace(&after, var, &mut |i| of_atom(*atom, i))
            }
            Right::Less(atom, less) if self.side == Side::Upper && self.natural(less) => {
                self.replace(&after, var, &mut |i| of_atom(*atom, i))
            }
            Right::AtMost(..) | Right::Less(..) | Right::Unknown => {
                self.replace(&after, var, &mut |_| None)
            }
            Right::Choice(blocks) => {
                let mut ways = Vec::new();
                for block in blocks {
                    ways.push(self.block(block, var, after.clone(), place)?);
                }
                if let [only] = &ways[..] {
                    return Ok(only.clone());
                }
                let all: BTreeSet<Monomial> =
                    ways.iter().flat_map(|w| w.of.keys().cloned()).collect();
                let meet = self.unknowns(all);
                for way in &ways {
                    self.holds(&meet, way);
                }
                place.decisions.push(Decision::Meet(meet.clone()));
                meet
            }
            Right::Case(of, arms, question) => {
                self.case(var, *of, arms, *question, &after, place)?
            }
            Right::Call(function, arguments) => {
                self.call(var, *function, arguments, &after, place)?
            }
        })
    }

    fn case(
        &mut self,
        var: Var,
        of: Var,
        arms: &[Arm],
        question: Question,
        after: &Potential,
        place: &mut Place,
    ) -> Derived<Potential> {
        let entry = self.entry;
        let shape = &entry.shapes[of as usize];
        let sized = match question {
            Question::Constructor => matches!(shape, Shape::Data(_)),
            Question::Positive => *shape == Shape::Number,
            Question::Zero => *shape == Shape::Number && entry.natural[of as usize],
        };
        let mut ways = Vec::new();
        for arm in arms {
            let fields: Vec<Atom> = arm.fields.iter().map(|v| Atom::Var(*v)).collect();
            if sized {
                place.opened.push((of, arm.constructor, fields));
            }
            let mut way = self.block(&arm.block, var, after.clone(), place)?;
            if sized {
                place.opened.pop();
            } else {
                for field in &arm.fields {
                    way = self.replace(&way, *field, &mut |_| None);
                }
            }
            ways.push(way);
        }
        // The degrees that are asked of the variable, for each product of the others.
        let mut others: BTreeMap<Monomial, u32> = BTreeMap::new();
        for (way, arm) in ways.iter().zip(arms) {
            for monomial in way.of.keys() {
                let mine = |v: &Var| *v == of || arm.fields.contains(v);
                let (own, other): (Monomial, Monomial) =
                    monomial.iter().cloned().partition(|(v, _)| mine(v));
                let most = others.entry(other).or_default();
                *most = (*most).max(degree(&own));
            }
        }
        let mut all = Vec::new();
        for (other, most) in others {
            let room = place.degree.saturating_sub(degree(&other));
            for index in crate::index::all(shape, &entry.data, most.max(1).min(room)) {
                let own = if index == Index::One {
                    vec![]
                } else {
                    vec![(of, index)]
                };
                all.extend(
                    crate::potential::times(&other, &own)
                        .into_iter()
                        .map(|(m, _)| m),
                );
            }
        }
        let meet = self.unknowns(all);
        for (way, arm) in ways.iter().zip(arms) {
            if sized {
                let fields: Vec<Atom> = arm.fields.iter().map(|v| Atom::Var(*v)).collect();
                let there = self.replace(&meet, of, &mut |i| {
                    opened_as(entry, shape, arm.constructor, &fields, i)
                });
                self.holds(&there, way);
            } else {
                self.holds(&meet, way);
            }
        }
        place.decisions.push(Decision::Meet(meet.clone()));
        Ok(meet)
    }
}

/// A base polynomial of what is found to have a constructor.
fn opened_as(
    entry: &Entry,
    shape: &Shape,
    constructor: Option<usize>,
    fields: &[Atom],
    index: &Index,
) -> Option<Vec<(Monomial, i64)>> {
    match (shape, constructor, index) {
        (Shape::Data(id), Some(c), _) => {
            of_node(index, c, fields, &entry.data[*id].constructors[c].fields)
        }
        (Shape::Number, Some(_), Index::Number(k)) => Some(vec![
            (vec![(fields_var(fields), Index::number(*k))], 1),
            (
                if *k == 1 {
                    vec![]
                } else {
                    vec![(fields_var(fields), Index::number(k - 1))]
                },
                1,
            ),
        ]),
        _ => Some(vec![]),
    }
}

fn fields_var(fields: &[Atom]) -> Var {
    match fields.first() {
        Some(Atom::Var(v)) => *v,
        _ => RESULT,
    }
}
