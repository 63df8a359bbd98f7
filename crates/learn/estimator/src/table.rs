//! From a dataset to a design: which rows may enter a fit, which columns explain which cost.

use pricetag_dataset::{Dataset, FeatureId, FeatureKind, Measured, Status};
use pricetag_quantity::median;

use crate::design::{Column, Design, Values};

/// A design and where its rows and columns come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The design, with equal weights.
    pub design: Design,
    /// Feature of each column.
    pub features: Vec<FeatureId>,
    /// Observation of each row.
    pub observations: Vec<usize>,
    /// Rows left out although they succeeded, because the cost was not measured.
    pub unmeasured: usize,
    /// Features of the chosen kinds that never occur in any of the rows.
    pub unused: Vec<FeatureId>,
    /// Features left out because some of the rows have no value of them, which is not the same as 0.
    pub incomplete: Vec<Incomplete>,
}

/// A feature that some of the rows have no value of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incomplete {
    /// Which.
    pub feature: FeatureId,
    /// Rows without a value.
    pub missing: u32,
}

/// Why a dataset yields no design.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TableError {
    /// Nothing succeeded.
    #[error("none of the {total} observations succeeded; {}", first_reason(.reason.as_ref()))]
    NoObservations {
        /// All observations.
        total: usize,
        /// Why the first one failed.
        reason: Option<String>,
    },
    /// The cost does not exist.
    #[error("no observation has the cost `{target}`; measured are: {}", list(.available))]
    NoTarget {
        /// What was asked for.
        target: String,
        /// What there is.
        available: Vec<String>,
    },
    /// The cost is negative somewhere, or zero everywhere.
    #[error(
        "{problem}; relative errors need positive costs (choose another target, or equal weights)"
    )]
    NotPositive {
        /// Where and what.
        problem: String,
    },
    /// Too few rows.
    #[error("{rows} usable observation(s) of `{target}`: at least {needed} are needed; add inputs")]
    TooFew {
        /// The cost.
        target: String,
        /// Usable rows.
        rows: usize,
        /// Needed rows.
        needed: usize,
    },
    /// No column of the kinds asked for.
    #[error("the dataset has no features of the kind(s) {wanted}; it has: {}", list(.available))]
    NoFeatures {
        /// What was asked for.
        wanted: String,
        /// Kinds that occur.
        available: Vec<String>,
    },
}

fn first_reason(reason: Option<&String>) -> String {
    reason.map_or_else(
        || "add inputs".to_owned(),
        |r| format!("the first failed because: {r}"),
    )
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// The representative value of repeated measurements: their median.
pub fn representative(measured: &Measured) -> Option<f64> {
    median(&measured.repeats)
}

/// Builds the design for one cost from the features that `wanted` accepts.
///
/// Rows are the successful observations that have the cost. Columns without any non-zero entry in these rows are left
/// out and listed in [`Table::unused`], values that are missing in some of them in [`Table::incomplete`].
pub fn tabulate(
    dataset: &Dataset,
    target: &str,
    wanted: &dyn Fn(FeatureKind) -> bool,
) -> Result<Table, TableError> {
    let succeeded: Vec<usize> = (0..dataset.observations.len())
        .filter(|&i| dataset.observations[i].status == Status::Ok)
        .collect();
    if succeeded.is_empty() {
        let reason = dataset.observations.iter().find_map(|o| o.reason.clone());
        return Err(TableError::NoObservations {
            total: dataset.observations.len(),
            reason,
        });
    }
    let value = |i: usize| {
        dataset.observations[i]
            .costs
            .get(target)
            .and_then(representative)
    };
    let rows: Vec<usize> = succeeded
        .iter()
        .copied()
        .filter(|&i| value(i).is_some())
        .collect();
    if rows.is_empty() {
        let mut available: Vec<String> = succeeded
            .iter()
            .flat_map(|&i| dataset.observations[i].costs.keys().cloned())
            .collect();
        available.sort();
        available.dedup();
        return Err(TableError::NoTarget {
            target: target.to_owned(),
            available,
        });
    }
    let Columns {
        kept: columns,
        features,
        unused,
        incomplete,
    } = columns(dataset, &rows, wanted);
    if columns.is_empty() {
        let mut kinds: Vec<FeatureKind> = dataset.features.iter().map(|f| f.kind).collect();
        kinds.sort();
        kinds.dedup();
        let name = |k: &FeatureKind| format!("{k:?}").to_lowercase();
        let wanted = FeatureKind::ALL
            .iter()
            .filter(|k| wanted(**k))
            .map(name)
            .collect::<Vec<_>>()
            .join(", ");
        return Err(TableError::NoFeatures {
            wanted,
            available: kinds.iter().map(name).collect(),
        });
    }
    let observation = |i: &usize| &dataset.observations[*i];
    let group = |i: &usize| match observation(i).group.as_str() {
        "" => observation(i).label.clone(),
        group => group.to_owned(),
    };
    let design = Design {
        columns,
        labels: rows.iter().map(|i| observation(i).label.clone()).collect(),
        groups: rows.iter().map(group).collect(),
        target: rows.iter().filter_map(|&i| value(i)).collect(),
        weights: vec![1.0; rows.len()],
    };
    Ok(Table {
        design,
        features,
        unmeasured: succeeded.len() - rows.len(),
        observations: rows,
        unused,
        incomplete,
    })
}

/// Columns of a design, and what became of the others.
#[derive(Default)]
struct Columns {
    kept: Vec<Column>,
    features: Vec<FeatureId>,
    unused: Vec<FeatureId>,
    incomplete: Vec<Incomplete>,
}

fn columns(dataset: &Dataset, rows: &[usize], wanted: &dyn Fn(FeatureKind) -> bool) -> Columns {
    let mut row_of = vec![None; dataset.observations.len()];
    for (row, &observation) in rows.iter().enumerate() {
        row_of[observation] = Some(row as u32);
    }
    let mut found = Columns::default();
    for (index, (feature, entries)) in dataset.features.iter().zip(&dataset.columns).enumerate() {
        if !wanted(feature.kind) {
            continue;
        }
        let id = FeatureId(index as u32);
        let mut kept: Vec<(u32, f64)> = entries
            .iter()
            .filter_map(|&(o, v)| Some(((*row_of.get(o.0 as usize)?)?, v)))
            .collect();
        if feature.kind.may_be_missing() && !kept.is_empty() && kept.len() < rows.len() {
            let missing = (rows.len() - kept.len()) as u32;
            found.incomplete.push(Incomplete {
                feature: id,
                missing,
            });
            continue;
        }
        kept.retain(|e| e.1 != 0.0);
        if kept.is_empty() {
            found.unused.push(id);
            continue;
        }
        let values = if kept.len() * 2 > rows.len() {
            let mut dense = vec![0.0; rows.len()];
            for (row, value) in kept {
                dense[row as usize] = value;
            }
            Values::Dense(dense)
        } else {
            Values::Sparse(kept)
        };
        found.kept.push(Column {
            name: feature.name.clone(),
            values,
        });
        found.features.push(id);
    }
    found
}
