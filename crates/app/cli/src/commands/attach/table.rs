//! Intervals of a running JVM become rows as they end, and their snapshots are removed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use pricetag_dataset::{Dataset, DatasetBuilder, Meta};
use pricetag_probe_plan::{ClassPlan, PlanStore, StoreError};
use pricetag_runner::intervals::Interval;
use pricetag_tabulate::{TabulateOptions, Tabulator};
use pricetag_trace::{AgentOptions, Trace};

use super::{FOLDER, PLANS};
use crate::failure::Failure;
use crate::recording::CATEGORIES;

/// The rows so far.
pub(super) struct Table<'a> {
    /// What the agent was asked to do.
    options: &'a AgentOptions,
    tabulator: Tabulator,
    /// How instructions are grouped.
    categories: String,
    builder: DatasetBuilder,
    /// What runs uncounted.
    left: BTreeSet<String>,
    /// The snapshot with which the last interval ended: the next begins with it.
    last: Option<(PathBuf, Trace)>,
    /// Why nothing more is taken.
    trouble: Option<Failure>,
}

impl<'a> Table<'a> {
    /// One without rows.
    pub(super) fn new(options: &'a AgentOptions, choice: TabulateOptions) -> Result<Self, Failure> {
        let plans = options.plans.clone().unwrap_or_default();
        let store = PlanStore::open(&plans).map_err(|e| Failure::new(e.to_string()))?;
        let categories = choice.categories.to_text();
        Ok(Self {
            options,
            tabulator: Tabulator::new(store, choice),
            categories,
            builder: DatasetBuilder::new(Meta::default()),
            left: BTreeSet::new(),
            last: None,
            trouble: None,
        })
    }

    /// Takes intervals until no more can come; one of which no row can be made ends it, and what came before is kept.
    pub(super) fn take(&mut self, intervals: impl IntoIterator<Item = Interval>) {
        let mut intervals = intervals.into_iter();
        self.trouble = intervals.try_for_each(|one| self.add(one)).err();
    }

    fn add(&mut self, interval: Interval) -> Result<(), Failure> {
        let before = match self.last.take() {
            Some((file, trace)) if file == interval.before => trace,
            _ => Trace::read(&interval.before)?,
        };
        let after = Trace::read(&interval.after)?;
        let row = self
            .tabulator
            .interval(&before, &after, &mut self.builder)
            .map_err(|e| Failure::new(e.to_string()))?;
        self.left.extend(row.left.iter().cloned());
        self.builder.row(row.into_row(interval.observation, None));
        // One that stays takes room until the end, no more.
        std::fs::remove_file(&interval.before).ok();
        self.last = Some((interval.after, after));
        Ok(())
    }

    /// The dataset, with its plans in its folder.
    pub(super) fn finish(mut self, meta: Meta, output: &Path) -> Result<Dataset, Failure> {
        *self.builder.meta_mut() = meta;
        if let Some(failure) = self.trouble {
            if self.builder.observations().is_empty() {
                return Err(failure);
            }
            let note = format!("the observation ended early: {}", failure.why);
            self.builder.meta_mut().notes.push(note);
        }
        let counted: Vec<_> = self.tabulator.plans().collect();
        let plans = self.options.plans.clone().unwrap_or_default();
        keep_plans(&counted, &plans, &output.join(FOLDER).join(PLANS))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let meta = self.builder.meta_mut();
        meta.options.insert(CATEGORIES.to_owned(), self.categories);
        env!("CARGO_PKG_VERSION").clone_into(&mut meta.pricetag);
        meta.created = now.map_or(0, |d| d.as_secs());
        meta.left = self.left.into_iter().collect();
        meta.notes.extend(self.options.keep.unmatched(&counted));
        Ok(self.builder.finish())
    }
}

/// Puts the plans of what was counted into this dataset, if the agent has them in that of an earlier recording, which may be removed.
fn keep_plans(counted: &[&ClassPlan], there: &Path, here: &Path) -> Result<(), Failure> {
    let failed = |e: StoreError| Failure::new(e.to_string());
    let store = PlanStore::open(here).map_err(failed)?;
    if there.canonicalize().ok() == here.canonicalize().ok() {
        return Ok(());
    }
    counted
        .iter()
        .try_for_each(|plan| store.store(plan).map_err(failed))
}

#[cfg(test)]
mod tests {
    use pricetag_dataset::Observation;
    use pricetag_trace::{Mode, ProcessCosts, Record, TraceWriter};

    use super::*;

    #[test]
    fn an_interval_that_cannot_be_tabulated_leaves_those_before() {
        let folder = tempfile::tempdir().unwrap();
        let at = |number: usize| folder.path().join(format!("{number}"));
        for number in [1, 2, 3] {
            let mut writer = TraceWriter::create(&at(number)).unwrap();
            let records = [Record::Process(ProcessCosts::default()), Record::End];
            for record in &records {
                writer.write(record).unwrap();
            }
            writer.flush().unwrap();
        }
        let interval = |number| Interval {
            before: at(number),
            after: at(number + 1),
            observation: Observation {
                label: format!("{number}"),
                ..Observation::default()
            },
        };
        let options = AgentOptions {
            plans: Some(folder.path().join("plans")),
            ..AgentOptions::new(Mode::Count, "trace")
        };
        let table = |intervals: &[usize]| {
            let mut table = Table::new(&options, TabulateOptions::default()).unwrap();
            table.take(intervals.iter().map(|&number| interval(number)));
            table.finish(Meta::default(), folder.path())
        };
        // The third ends with a snapshot that is not there; a fourth comes all the same.
        let dataset = table(&[1, 2, 3, 4]).unwrap();
        assert_eq!(dataset.observations.len(), 2);
        let notes = dataset.meta.notes.join("\n");
        assert!(
            notes.contains("ended early") && notes.contains("/4"),
            "{notes}"
        );
        let there = [1, 2, 3].map(|number| at(number).exists());
        assert_eq!(there, [false, false, true]);
        // Without any row there is nothing to keep.
        let failure = table(&[3]).unwrap_err();
        assert!(failure.why.contains("/4"), "{}", failure.why);
    }
}
