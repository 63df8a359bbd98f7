//! Calls of recursive functions: which derivations pay them, and what is kept across them.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_miniml::first_order::{Atom, Block, Entry, FunctionId, Right, Step, Var};

use super::{Decision, Derivation, Derived, Instance, Place, Specification};
use crate::index::Index;
use crate::potential::{Linear, Monomial, Potential, RESULT, degree, of_atom, product_of};

impl Derivation<'_> {
    pub(super) fn call(
        &mut self,
        var: Var,
        function: FunctionId,
        arguments: &[Atom],
        after: &Potential,
        place: &mut Place,
    ) -> Derived<Potential> {
        // By what is kept: how much of each base polynomial of the result is wanted.
        let mut wanted: BTreeMap<Monomial, BTreeMap<Index, Linear>> = BTreeMap::new();
        wanted.insert(vec![], BTreeMap::new());
        for (monomial, linear) in &after.of {
            let mut kept = monomial.clone();
            let index = match kept.binary_search_by_key(&var, |(v, _)| *v) {
                Ok(at) => kept.remove(at).1,
                Err(_) => Index::One,
            };
            wanted
                .entry(kept)
                .or_default()
                .entry(index)
                .or_default()
                .add(linear, 1);
        }
        let mut before = Potential::default();
        let mut used = Vec::new();
        for (kept, mut parts) in wanted {
            if let Some(constant) = parts.remove(&Index::One) {
                before.add(kept.clone(), &constant, 1);
            }
            let most = parts.keys().map(Index::degree).max().unwrap_or(0);
            let costly = place.costly && kept.is_empty();
            if most == 0 && !costly {
                continue;
            }
            let room = place.degree - degree(&kept);
            let inside = place.instance.filter(|i| {
                kept.is_empty() && self.instances[*i].component == self.components[function]
            });
            let instances = match inside {
                Some(own) if most > 0 && place.degree > 1 => {
                    vec![own, self.derive(function, place.degree - 1, false)]
                }
                Some(own) => vec![own],
                None => vec![self.derive(function, room, costly)],
            };
            let mut there: BTreeMap<Index, Linear> = BTreeMap::new();
            for instance in &instances {
                let specification = &self.instances[*instance].functions[&function];
                for (monomial, linear) in &specification.after.of {
                    there
                        .entry(monomial[0].1.clone())
                        .or_default()
                        .add(linear, 1);
                }
            }
            let named = |of: BTreeMap<Index, Linear>| Potential {
                of: of
                    .into_iter()
                    .map(|(i, l)| (vec![(RESULT, i)], l))
                    .collect(),
            };
            self.holds(&named(there), &named(parts));
            for instance in &instances {
                self.pay(*instance, function, arguments, &kept, &mut before);
            }
            used.push((kept, instances));
        }
        place.decisions.push(Decision::Call(used));
        Ok(before)
    }

    /// What a derivation needs of the arguments, times what is kept.
    fn pay(
        &mut self,
        instance: usize,
        function: FunctionId,
        arguments: &[Atom],
        kept: &Monomial,
        before: &mut Potential,
    ) {
        let parameters = &self.entry.functions[function].parameters;
        let mut left = Vec::new();
        for (monomial, linear) in &self.instances[instance].functions[&function].before.of {
            let factors = monomial.iter().map(|(parameter, index)| {
                let at = parameters.iter().position(|p| p == parameter)?;
                of_atom(arguments[at], index)
            });
            match product_of(factors.chain([Some(vec![(kept.clone(), 1)])])) {
                Some(sum) => {
                    for (monomial, n) in sum {
                        before.add(monomial, linear, n);
                    }
                }
                None => left.push(linear.clone()),
            }
        }
        self.nothing(left);
    }

    /// A new derivation for a function's definition.
    fn derive(&mut self, function: FunctionId, degree: u32, costly: bool) -> usize {
        let component = self.components[function];
        let members: Vec<FunctionId> = (0..self.components.len())
            .filter(|f| self.components[*f] == component)
            .collect();
        debug_assert!(self.recursive[function] || members.len() == 1);
        let mut functions = BTreeMap::new();
        for member in members {
            let parameters = self.entry.functions[member].parameters.clone();
            let before = self.unknown_of(&parameters, degree);
            let result = self.entry.functions[member].result;
            let shape = &self.entry.shapes[result as usize];
            let indices = crate::index::all(shape, &self.entry.data, degree);
            let after = indices.into_iter().filter(|i| *i != Index::One);
            let after = after.map(|i| vec![(RESULT, i)]).collect::<Vec<_>>();
            let after = self.unknowns(after);
            functions.insert(
                member,
                Specification {
                    before,
                    after,
                    decisions: vec![],
                },
            );
        }
        let at = self.instances.len();
        self.instances.push(Instance {
            component,
            degree,
            costly,
            functions,
        });
        self.todo.push_back(at);
        at
    }
}

/// Which recursive definition each function belongs to, and whether it calls itself at all.
pub(super) fn components(entry: &Entry) -> (Vec<usize>, Vec<bool>) {
    let n = entry.functions.len();
    let calls: Vec<BTreeSet<usize>> = entry
        .functions
        .iter()
        .map(|f| {
            let mut called = BTreeSet::new();
            calls(&f.body, &mut called);
            called
        })
        .collect();
    let mut reach = calls.clone();
    loop {
        let mut changed = false;
        for f in 0..n {
            let more: BTreeSet<usize> = reach[f].iter().flat_map(|g| reach[*g].clone()).collect();
            let before = reach[f].len();
            reach[f].extend(more);
            changed |= reach[f].len() > before;
        }
        if !changed {
            break;
        }
    }
    let together = |f: usize, g: usize| f == g || (reach[f].contains(&g) && reach[g].contains(&f));
    let components = (0..n)
        .map(|f| (0..n).find(|g| together(f, *g)).unwrap_or(f))
        .collect();
    let recursive = (0..n).map(|f| reach[f].contains(&f)).collect();
    (components, recursive)
}

fn calls(block: &Block, called: &mut BTreeSet<usize>) {
    for step in &block.steps {
        match step {
            Step::Bind(_, Right::Call(function, _)) => {
                called.insert(*function);
            }
            Step::Bind(_, Right::Case(_, arms, _)) => {
                arms.iter().for_each(|a| calls(&a.block, called));
            }
            Step::Bind(_, Right::Choice(blocks)) => blocks.iter().for_each(|b| calls(b, called)),
            _ => {}
        }
    }
}
