//! Intervals of a running JVM become rows as they end, and their snapshots are removed. Each row is on disk before the next: what is killed leaves those that were finished.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use pricetag_dataset::{Dataset, Meta, Recording, directory};
use pricetag_probe_plan::{ClassPlan, PlanStore, StoreError};
use pricetag_runner::intervals::Interval;
use pricetag_tabulate::{TabulateOptions, Tabulator};
use pricetag_trace::{AgentOptions, Trace};

use super::{FOLDER, PLANS};
use crate::failure::{Failure, io};
use crate::recording::CATEGORIES;

/// Folder for rows while a dataset that they are to replace is still there.
pub(super) const ROWS: &str = "rows";

/// The rows so far.
pub(super) struct Table<'a> {
    /// What the agent was asked to do.
    options: &'a AgentOptions,
    tabulator: Tabulator,
    /// How instructions are grouped.
    categories: String,
    rows: Recording,
    /// What runs uncounted.
    left: BTreeSet<String>,
    /// The snapshot with which the last interval ended: the next begins with it.
    last: Option<(PathBuf, Trace)>,
    /// Why nothing more is taken.
    trouble: Option<Failure>,
}

impl<'a> Table<'a> {
    /// One without rows, which are to go into the folder `output`: beside a dataset that is there until it is replaced, in [`ROWS`].
    pub(super) fn new(
        options: &'a AgentOptions,
        choice: TabulateOptions,
        output: &Path,
        begun: Meta,
    ) -> Result<Self, Failure> {
        let beside = output.join(FOLDER).join(ROWS);
        if beside.exists() {
            std::fs::remove_dir_all(&beside).map_err(io("remove", &beside))?;
        }
        let place = if directory::exists(output) {
            &beside
        } else {
            output
        };
        let plans = options.plans.clone().unwrap_or_default();
        let store = PlanStore::open(&plans).map_err(|e| Failure::new(e.to_string()))?;
        let categories = choice.categories.to_text();
        Ok(Self {
            options,
            tabulator: Tabulator::new(store, choice),
            categories,
            rows: Recording::create(place, begun)?,
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
            .interval(&before, &after, self.rows.builder())
            .map_err(|e| Failure::new(e.to_string()))?;
        self.left.extend(row.left.iter().cloned());
        self.rows.append(row.into_row(interval.observation, None))?;
        // One that stays takes room until the end, no more.
        std::fs::remove_file(&interval.before).ok();
        self.last = Some((interval.after, after));
        Ok(())
    }

    /// The dataset, with its plans in its folder.
    pub(super) fn finish(mut self, meta: Meta, output: &Path) -> Result<Dataset, Failure> {
        *self.rows.builder().meta_mut() = meta;
        if let Some(failure) = self.trouble {
            if self.rows.builder().observations().is_empty() {
                return Err(failure);
            }
            let note = format!("the observation ended early: {}", failure.why);
            self.rows.builder().meta_mut().notes.push(note);
        }
        let counted: Vec<_> = self.tabulator.plans().collect();
        let plans = self.options.plans.clone().unwrap_or_default();
        keep_plans(&counted, &plans, &output.join(FOLDER).join(PLANS))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let meta = self.rows.builder().meta_mut();
        meta.options.insert(CATEGORIES.to_owned(), self.categories);
        env!("CARGO_PKG_VERSION").clone_into(&mut meta.pricetag);
        meta.created = now.map_or(0, |d| d.as_secs());
        meta.left = self.left.into_iter().collect();
        meta.notes.extend(self.options.keep.unmatched(&counted));
        Ok(self.rows.into_dataset())
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
        let table = |output: &str, intervals: &[usize]| {
            let output = folder.path().join(output);
            let choice = TabulateOptions::default();
            let mut table = Table::new(&options, choice, &output, Meta::default()).unwrap();
            table.take(intervals.iter().map(|&number| interval(number)));
            // What a killed one leaves.
            let kept = pricetag_dataset::open(&output).unwrap();
            let finished = table.finish(Meta::default(), &output);
            let rows = finished.as_ref().map_or(0, |d| d.observations.len());
            assert_eq!(kept.observations.len(), rows);
            finished
        };
        // The third ends with a snapshot that is not there; a fourth comes all the same.
        let dataset = table("a", &[1, 2, 3, 4]).unwrap();
        assert_eq!(dataset.observations.len(), 2);
        let notes = dataset.meta.notes.join("\n");
        assert!(
            notes.contains("ended early") && notes.contains("/4"),
            "{notes}"
        );
        let there = [1, 2, 3].map(|number| at(number).exists());
        assert_eq!(there, [false, false, true]);
        // Without any row there is nothing to keep.
        let failure = table("b", &[3]).unwrap_err();
        assert!(failure.why.contains("/4"), "{}", failure.why);
    }
}
