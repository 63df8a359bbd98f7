//! Tables that `export` wrote: what they say of their rows is taken back.
//!
//! A table is one if it has the columns `label`, `group` and `status`, and every status is one of ours. Then rows are called, grouped, left
//! out as failed or set aside as warm-up as they were, and the costs that recordings have are costs. Limits: of inputs only their columns
//! are there, which count as features unless they are named as known before the run.

use crate::export::{GROUP, LABEL, is_cost};
use crate::model::{Dataset, Status};
use crate::table::{Table, Values};

use super::ImportOptions;

pub(super) use crate::export::STATUS;

/// What an exported table says.
pub(super) struct Exported {
    /// The options, with the roles that its columns have.
    pub options: ImportOptions,
    statuses: Vec<Status>,
}

/// Recognises an exported table.
pub(super) fn recognise(table: &Table, options: &ImportOptions) -> Option<Exported> {
    if options.ignore.contains(STATUS) {
        return None;
    }
    let column = |name: &str| table.columns.iter().find(|column| column.name == name);
    let Values::Texts(cells) = &column(STATUS)?.values else {
        return None;
    };
    let statuses = cells.iter().map(|cell| Status::from_name(cell.as_deref()?));
    let statuses: Vec<Status> = statuses.collect::<Option<_>>()?;
    let named = [LABEL, GROUP].map(|name| column(name).map(|_| name.to_owned()));
    let [Some(label), Some(group)] = named else {
        return None;
    };
    let mut options = options.clone();
    options.label.get_or_insert(label);
    options.group.get_or_insert(group);
    let costs = table.columns.iter().map(|column| &column.name);
    let taken = |name: &String| *name == options.target || options.inputs.contains(name);
    let costs: Vec<String> = costs
        .filter(|name| is_cost(name) && !taken(name))
        .cloned()
        .collect();
    options.costs.extend(costs);
    Some(Exported { options, statuses })
}

impl Exported {
    /// Gives the rows the status they had.
    pub fn restore(self, dataset: &mut Dataset) {
        for (row, status) in dataset.observations.iter_mut().zip(self.statuses) {
            match status {
                Status::Failed => {
                    row.status = Status::Failed;
                    row.reason = Some("failed when it was recorded".to_owned());
                }
                Status::WarmUp if row.status == Status::Ok => row.status = Status::WarmUp,
                Status::Ok | Status::WarmUp => {}
            }
        }
        let note = "an exported dataset: `label`, `group`, `status` and the costs of recordings are taken for what they were";
        dataset.meta.notes.push(note.to_owned());
    }
}
