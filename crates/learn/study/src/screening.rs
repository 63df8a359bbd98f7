//! How many features were offered, how many of them can matter, how many do: the counts Mantis (2010, §6) reports.

use std::collections::BTreeSet;

use pricetag_cost_model::{Formula, Screening};
use pricetag_dataset::FeatureKind;
use pricetag_estimator::Diagnosis;

use crate::study::Study;

impl Study<'_> {
    /// Counts over the rows learnt from.
    pub fn screening(&self, diagnosis: &Diagnosis, formula: &Formula) -> Screening {
        let base = |column: usize| {
            let feature = self.table.features[column].0 as usize;
            self.dataset.features[feature].kind == FeatureKind::Base
        };
        let columns = (0..self.design.columns.len()).filter(|&c| !base(c)).count();
        let selected: BTreeSet<&str> = formula.features().into_iter().collect();
        let mut out = Screening {
            offered: (columns + self.table.unused.len()) as u32,
            ..Screening::default()
        };
        for bucket in &diagnosis.buckets.buckets {
            let members: Vec<usize> = bucket
                .members
                .iter()
                .copied()
                .filter(|&c| !base(c))
                .collect();
            if diagnosis.support[bucket.members[0]].varying > 0 && !members.is_empty() {
                out.useful += 1;
                out.redundant += members.len() as u32 - 1;
                let named = |&c: &usize| selected.contains(self.design.columns[c].name.as_str());
                out.selected += u32::from(members.iter().any(named));
            }
        }
        // Whatever is left never varies: never counted, never in these rows, or the same in all of them.
        out.constant = out.offered - out.useful - out.redundant;
        out
    }
}
