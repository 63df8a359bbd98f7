//! Passes of loops, and invocations of methods, by the method that called: `C.m(int) loop 0 at block 1 called from C.few(int) (C.java:5)`, `C.m(int) invocations called from C.few(int)`.
//!
//! The calling method is the innermost counted one below on the stack, also where uncounted code stands between (a comparator that a sort calls, a lambda's body in a stream); a
//! method that calls itself is its own. Unlike calls, which [`crate::context`] splits by call site, this was observed. What was not (a method too large for it) is of an
//! *unknown method*, so that the columns of a loop add up to its passes. More than these are a contradiction, which the row states. A loop whose passes are not known is not split.

use std::collections::BTreeMap;

use pricetag_dataset::{DatasetBuilder, Feature, FeatureKind};
use pricetag_probe_plan::{ClassHash, LoopCounts, MethodPlan};
use pricetag_trace::{Called, Record, Trace};

use crate::describe::inserted;
use crate::row::Sums;
use crate::tabulator::{TabulateError, Tabulator};

/// Passes by the class and the number of the loop in it, and by the caller's name.
pub(crate) type Passes = BTreeMap<(ClassHash, u32), BTreeMap<String, u64>>;

/// Passes by invocation, and by none for the whole run; nothing where they were not recorded.
pub(crate) type ByInvocation = BTreeMap<Option<u64>, Vec<Called>>;

/// All passes of a trace.
pub(crate) fn of(trace: &Trace) -> ByInvocation {
    let mut all = ByInvocation::new();
    for record in &trace.records {
        if let Record::ByCaller(by) = record {
            let called = all.entry(by.invocation).or_default();
            called.extend(by.called.iter().cloned());
        }
    }
    all
}

/// Whether invocations were counted by caller.
pub(crate) fn splits_invocations(trace: &Trace) -> bool {
    let mut options = trace.records.iter().filter_map(|record| match record {
        Record::Start(start) => Some(start.options.as_str()),
        _ => None,
    });
    options.any(|text| text.lines().any(|line| line == "invocations=true"))
}

/// Passes without those before.
pub(crate) fn without(mut later: Passes, before: &Passes) -> Passes {
    for (place, callers) in &mut later {
        let Some(before) = before.get(place) else {
            continue;
        };
        for (caller, passes) in callers {
            *passes = passes.saturating_sub(before.get(caller).copied().unwrap_or(0));
        }
    }
    later
}

impl Tabulator {
    /// Passes by the names of the callers, if they are wanted and were recorded.
    pub(crate) fn passes(
        &mut self,
        called: Option<&[Called]>,
    ) -> Result<Option<Passes>, TabulateError> {
        let kinds = &self.options.kinds;
        let split = [FeatureKind::Loop, FeatureKind::Method];
        let wanted =
            kinds.contains(&FeatureKind::Context) && split.iter().any(|kind| kinds.contains(kind));
        let Some(called) = called.filter(|_| wanted) else {
            return Ok(None);
        };
        let mut all = Passes::new();
        for here in called {
            let name = match here.caller {
                None => Some("uncounted code"),
                Some(caller) => {
                    self.load(caller.hash)?;
                    let class = self.classes.get(&caller.hash).and_then(Option::as_ref);
                    let name = class.and_then(|class| class.names.get(usize::from(caller.method)));
                    name.map(String::as_str)
                }
            };
            // The rest is the unknown method's.
            let Some(name) = name else { continue };
            for (number, passes) in &here.passes {
                let callers = all.entry((here.hash, *number)).or_default();
                *callers.entry(name.to_owned()).or_default() += passes;
            }
        }
        Ok(Some(all))
    }
}

impl Sums {
    /// Adds the passes of a method's loops by caller; `first` is the number of its first loop in the class with this hash.
    pub(crate) fn add_passes(
        &mut self,
        (hash, first): (ClassHash, u32),
        method: &MethodPlan,
        counts: &[Option<LoopCounts>],
        features: &[Feature],
        passes: &Passes,
        builder: &mut DatasetBuilder,
    ) {
        let described = method.loops.iter().zip(counts).zip(features);
        for (index, ((of_loop, counts), feature)) in (0..).zip(described) {
            let split = of_loop.reducible && !method.is_removed(Some(index));
            let Some(counts) = counts.filter(|_| split) else {
                continue;
            };
            let number = first + index;
            let all = counts.passes;
            let mut observed = 0;
            for (caller, passes) in passes.get(&(hash, number)).into_iter().flatten() {
                self.count(&by(feature, caller), *passes as f64, builder);
                observed += passes;
            }
            match all.checked_sub(observed) {
                Some(0) => {}
                Some(rest) => {
                    self.count(&by(feature, "an unknown method"), rest as f64, builder);
                }
                None => self.contradictions.push(format!(
                    "{}: {observed} passes by calling method, but only {all} of all",
                    feature.name
                )),
            }
        }
    }
}

/// How often a method was invoked, by name of the caller.
#[derive(Clone, Copy)]
pub(crate) struct Invoked<'a> {
    /// The class, and the number of the method behind its loops.
    pub(crate) place: (ClassHash, u32),
    /// All invocations.
    pub(crate) all: u64,
    /// The feature of these.
    pub(crate) feature: &'a Feature,
}

impl Sums {
    /// Adds the invocations of a method by caller.
    pub(crate) fn add_invocations(
        &mut self,
        invoked: Invoked<'_>,
        passes: &Passes,
        builder: &mut DatasetBuilder,
    ) {
        let Invoked {
            place,
            all,
            feature,
        } = invoked;
        let mut observed = 0;
        let by = |caller: &str| Feature {
            name: format!("{} called from {caller}", feature.name),
            kind: FeatureKind::Context,
            text: Some("invocations while this method had called".to_owned()),
            ..feature.clone()
        };
        for (caller, times) in passes.get(&place).into_iter().flatten() {
            self.count(&by(caller), *times as f64, builder);
            observed += times;
        }
        match all.checked_sub(observed) {
            Some(0) => {}
            Some(rest) => {
                self.count(&by("an unknown method"), rest as f64, builder);
            }
            None => self.contradictions.push(format!(
                "{}: {observed} by calling method, but only {all} of all",
                feature.name
            )),
        }
    }
}

/// The feature of a loop's passes for a caller.
fn by(of_loop: &Feature, caller: &str) -> Feature {
    Feature {
        name: inserted(of_loop, &format!("called from {caller}")),
        kind: FeatureKind::Context,
        text: Some("passes of the loop's header while this method had called".to_owned()),
        ..of_loop.clone()
    }
}

#[cfg(test)]
mod tests {
    use pricetag_dataset::Meta;
    use pricetag_probe_plan::{BlockId, LoopPlan};

    use super::*;
    use crate::cold::Cold;

    fn passes(n: &[(&str, u64)]) -> Passes {
        let callers = n.iter().map(|(caller, n)| ((*caller).to_owned(), *n));
        [((ClassHash(1), 7), callers.collect())].into()
    }

    /// The columns of a loop with five passes, and what contradicts.
    fn columns(reducible: bool, passes: &Passes) -> (Vec<(String, f64)>, Vec<String>) {
        let of_loop = LoopPlan {
            header: BlockId(1),
            parent: None,
            depth: 1,
            back_edges: Vec::new(),
            entry_edges: Vec::new(),
            reducible,
        };
        let method = MethodPlan {
            name: "m".to_owned(),
            descriptor: "()V".to_owned(),
            loops: vec![of_loop],
            ..MethodPlan::default()
        };
        let counts = LoopCounts {
            entries: 2,
            repeats: 3,
            passes: 5,
        };
        let feature = Feature {
            name: "C.m() loop 0 at block 1 (C.java:5)".to_owned(),
            source_file: Some("C.java".to_owned()),
            lines: Some((5, 5)),
            ..Feature::default()
        };
        let mut builder = DatasetBuilder::new(Meta::default());
        let mut sums = Sums::new(Cold::default());
        let place = (ClassHash(1), 7);
        sums.add_passes(
            place,
            &method,
            &[Some(counts)],
            &[feature],
            passes,
            &mut builder,
        );
        let counts: Vec<f64> = sums.counts.values().copied().collect();
        let names = builder.finish().features.into_iter().map(|f| f.name);
        (names.zip(counts).collect(), sums.contradictions)
    }

    #[test]
    fn what_no_caller_has_is_an_unknown_methods() {
        let column = |caller: &str, n: f64| {
            let name = format!("C.m() loop 0 at block 1 called from {caller} (C.java:5)");
            (name, n)
        };
        let (found, why) = columns(true, &passes(&[("D.a()", 2), ("D.b()", 1)]));
        let rest = column("an unknown method", 2.0);
        assert_eq!(found, [column("D.a()", 2.0), column("D.b()", 1.0), rest]);
        assert_eq!(why.len(), 0);
        let (found, why) = columns(true, &passes(&[("D.a()", 5)]));
        assert_eq!((found, why.len()), (vec![column("D.a()", 5.0)], 0));
        let (found, why) = columns(true, &passes(&[("D.a()", 6)]));
        assert_eq!((found.len(), why.len()), (1, 1), "{why:?}");
        let (found, why) = columns(false, &passes(&[("D.a()", 6)]));
        assert_eq!((found.len(), why.len()), (0, 0), "not split");
    }

    #[test]
    fn an_interval_has_what_its_beginning_had_not() {
        let since = without(passes(&[("a", 5), ("b", 2)]), &passes(&[("a", 3)]));
        assert_eq!(since, passes(&[("a", 2), ("b", 2)]));
        assert_eq!(
            without(passes(&[("a", 5)]), &Passes::new()),
            passes(&[("a", 5)])
        );
    }
}
