//! When in a run each feature has its final value, and how often it changes.
//!
//! After Chen et al. 2010 ("Mantis"), whose predictors compute only what costs little: a feature is worth the more as a predictor the earlier it is known. Time is measured by
//! counts: the share of all bytecodes of the run that were executed. The run is looked at only now and then (at most some thirty
//! times, `pricetag_agent`'s progress snapshots), so the share given is that of the first look from which on the feature has its final value:
//! an upper bound, too large by at most one interval. Changes are the intervals in which the value changed: a lower bound.
//! Counts of looks are exact, open frames included; a method that is not in balance at one of them is absent there.

use std::collections::BTreeMap;

use pricetag_dataset::{DatasetBuilder, FeatureId};
use pricetag_trace::{Look, Record, Trace};

use crate::caught::add;
use crate::interval::{Frames, add_frame};
use crate::tabulator::{Part, TabulateError, Tabulated, Tabulator, invocations};

/// When a feature is final.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Availability {
    /// Share of the executed bytecodes of the run, or of the invocation, after which the value does not change any more; an upper bound.
    pub share: f64,
    /// Intervals in which it changed.
    pub changes: u32,
}

impl Tabulator {
    /// When each feature of a run is final, from looks at it in their order, and the run's own trace.
    ///
    /// # Errors
    /// If a plan exists but cannot be read.
    pub fn availability(
        &mut self,
        looks: &[Trace],
        end: &Trace,
        builder: &mut DatasetBuilder,
    ) -> Result<BTreeMap<FeatureId, Availability>, TabulateError> {
        let mut rows = Vec::with_capacity(looks.len() + 1);
        for trace in looks.iter().chain([end]) {
            rows.push(self.process(trace, builder)?);
        }
        Ok(of(&rows))
    }
}

impl Tabulator {
    /// When each feature of an invocation is final, for every invocation of a run that was looked into.
    ///
    /// # Errors
    /// If a plan exists but cannot be read.
    pub fn availability_in_invocations(
        &mut self,
        trace: &Trace,
        builder: &mut DatasetBuilder,
    ) -> Result<Vec<BTreeMap<FeatureId, Availability>>, TabulateError> {
        let mut looks: BTreeMap<u64, Vec<&Look>> = BTreeMap::new();
        for record in &trace.records {
            if let Record::Look(look) = record {
                looks.entry(look.invocation).or_default().push(look);
            }
        }
        let mut run = self.prepare(trace)?;
        let mut found = Vec::new();
        for invocation in invocations(trace) {
            let Some(looks) = looks.get(&invocation.sequence) else {
                continue;
            };
            let mut rows = Vec::with_capacity(looks.len() + 1);
            for look in looks {
                rows.push(self.part_of(&mut run, beginning(look), builder)?);
            }
            rows.push(self.invocation_of(&mut run, invocation, builder)?);
            found.push(of(&rows));
        }
        Ok(found)
    }
}

fn beginning(look: &Look) -> Part<'_> {
    let (mut open, mut caught) = (Frames::new(), None);
    for frame in &look.open {
        add_frame(&mut open, frame);
    }
    if let Some(arrivals) = &look.caught {
        add(caught.get_or_insert_default(), arrivals);
    }
    Part {
        classes_loaded: look.classes_loaded,
        counters: &look.counters,
        open,
        values: &look.values,
        caught,
        called: look.called.as_deref(),
    }
}

fn of(rows: &[Tabulated]) -> BTreeMap<FeatureId, Availability> {
    let Some((end, looks)) = rows.split_last() else {
        return BTreeMap::new();
    };
    let looks: Vec<(f64, BTreeMap<FeatureId, f64>)> = looks
        .iter()
        .map(|row| {
            let share = (row.executed as f64 / (end.executed.max(1)) as f64).min(1.0);
            (share, row.counts.iter().copied().collect())
        })
        .collect();
    let availability = end.counts.iter().map(|&(id, last)| {
        let (mut share, mut changes, mut before) = (0.0, 0, None);
        let seen = looks
            .iter()
            .map(|(at, counts)| (*at, counts.get(&id).copied()));
        for (at, value) in seen.chain([(1.0, Some(last))]) {
            if value != before {
                changes += 1;
                share = at;
            }
            before = value;
        }
        (id, Availability { share, changes })
    });
    availability.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(executed: u64, counts: &[(u32, f64)]) -> Tabulated {
        Tabulated {
            executed,
            counts: counts.iter().map(|(id, n)| (FeatureId(*id), *n)).collect(),
            ..Tabulated::default()
        }
    }

    #[test]
    fn a_feature_is_final_from_its_last_change_on() {
        let rows = [
            row(10, &[(0, 5.0), (1, 1.0)]),
            row(40, &[(0, 5.0), (1, 2.0)]),
            row(80, &[(0, 5.0), (1, 2.0), (2, 0.0)]),
            row(100, &[(0, 5.0), (1, 2.0), (2, 0.0), (3, 7.0)]),
        ];
        let found = of(&rows);
        let at = |id: u32| (found[&FeatureId(id)].share, found[&FeatureId(id)].changes);
        assert_eq!(at(0), (0.1, 1));
        assert_eq!(at(1), (0.4, 2));
        assert_eq!(at(2), (0.8, 1));
        assert_eq!(at(3), (1.0, 1));
        assert!(of(&[]).is_empty());
    }
}
