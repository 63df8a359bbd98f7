//! Counts of constructs beside the measurements: the table a price list is learnt from.
//!
//! Counts are not stored with the measurements but made anew from the programs' sources, so that better charging rules need no new
//! measurement; a fingerprint of the source keeps the two together.

use std::collections::BTreeMap;

use pricetag_dataset::{
    Dataset, DatasetBuilder, Feature, FeatureKind, InputValue, Measured, Meta, Observation,
    Row as DatasetRow, Status,
};
use pricetag_miniml::{Options, Row, run};
use pricetag_quantity::{low_quantile, median};

use crate::error::NativeError;
use crate::measure::TIME;
use crate::program::Program;

/// Which charging rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Those of the paper.
    Paper,
    /// Those nearer to what the compiler does.
    Extended,
}

impl Mode {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Paper, Self::Extended];

    /// The evaluator's word for it.
    pub fn rules(self) -> pricetag_miniml::Mode {
        match self {
            Self::Paper => pricetag_miniml::Mode::Paper,
            Self::Extended => pricetag_miniml::Mode::Extended,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Extended => "extended",
        }
    }
}

/// Which of many samples stands for a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// What little disturbs.
    LowQuantile,
    /// As in the paper.
    Median,
}

impl Statistic {
    fn of(self, times: &[f64]) -> Option<f64> {
        match self {
            Self::LowQuantile => low_quantile(times),
            Self::Median => median(times),
        }
    }
}

/// Name of the column that is 1 in every row.
pub const BASE: &str = "base";

/// Name of the input that holds the number of words the evaluator expects to be promoted.
pub const PREDICTED: &str = "promoted";

/// What the evaluator knows of one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// How often each construct runs.
    pub counts: BTreeMap<String, f64>,
    /// Words that its minor collections promote.
    pub promoted: f64,
}

impl Counted {
    /// Of one top-level item.
    pub fn of(row: &Row) -> Self {
        let counts = row.counts.iter();
        Self {
            counts: counts.map(|(name, n)| (name.clone(), *n as f64)).collect(),
            promoted: row.promoted as f64,
        }
    }
}

/// Counts of a program at some sizes.
pub fn count_program(
    program: &Program,
    sizes: &[u32],
    mode: Mode,
) -> Result<Vec<Counted>, NativeError> {
    use std::fmt::Write as _;
    let fail = |reason: String| NativeError::Count {
        program: program.name.clone(),
        reason,
    };
    let mut source = program.source.clone();
    for size in sizes {
        // Writing into a string cannot fail.
        writeln!(source, "let argument_ = input {size} ;;\nrun argument_ ;;").ok();
    }
    let options = Options {
        mode: mode.rules(),
        ..Options::default()
    };
    let run = run(&source, &options).map_err(|errors| {
        let first = errors.first();
        fail(first.map_or_else(String::new, |e| e.message.clone()))
    })?;
    if let Some(stop) = run.stop {
        return Err(fail(stop.to_string()));
    }
    let first = run.rows.len() - 2 * sizes.len();
    Ok(run.rows[first..]
        .iter()
        .skip(1)
        .step_by(2)
        .map(Counted::of)
        .collect())
}

/// The measurements with the counts of their constructs; each time is one number, the statistic of its samples.
pub fn count_rows(
    measured: &Dataset,
    programs: &[Program],
    mode: Mode,
    statistic: Statistic,
) -> Result<Dataset, NativeError> {
    let mut meta: Meta = measured.meta.clone();
    meta.options.insert("mode".into(), mode.name().into());
    let mut builder = DatasetBuilder::new(meta);
    for rows in measured.observations.chunk_by(|a, b| a.group == b.group) {
        let name = &rows[0].group;
        let program =
            programs
                .iter()
                .find(|p| p.name == *name)
                .ok_or_else(|| NativeError::Unknown {
                    program: name.clone(),
                })?;
        let good: Vec<&Observation> = rows.iter().filter(|r| r.status == Status::Ok).collect();
        let sizes = good
            .iter()
            .map(|row| size_of(row, program))
            .collect::<Result<Vec<u32>, _>>()?;
        for (row, counts) in good.iter().zip(count_program(program, &sizes, mode)?) {
            add(&mut builder, row, counts, statistic);
        }
    }
    Ok(builder.finish())
}

fn size_of(row: &Observation, program: &Program) -> Result<u32, NativeError> {
    let print = program.fingerprint();
    match (row.inputs.get("size"), row.inputs.get("source")) {
        (Some(InputValue::Number(size)), Some(InputValue::Text(source))) if *source == print => {
            Ok(*size as u32)
        }
        _ => Err(NativeError::Stale {
            program: program.name.clone(),
        }),
    }
}

fn add(builder: &mut DatasetBuilder, row: &Observation, counted: Counted, statistic: Statistic) {
    let mut observation = row.clone();
    // The same program at other sizes is no other program: what is left out together says how well the rest predicts.
    observation.group = crate::training::family(&row.group).to_owned();
    observation
        .inputs
        .insert(PREDICTED.into(), InputValue::Number(counted.promoted));
    if let Some(times) = observation.costs.get_mut(TIME) {
        let value = statistic.of(&times.repeats);
        *times = Measured::new(value.into_iter().collect::<Vec<_>>());
    }
    let mut feature = |name: &str, kind| {
        builder.intern(Feature {
            name: name.to_owned(),
            kind,
            unit: "1".into(),
            ..Feature::default()
        })
    };
    let mut cells = vec![(feature(BASE, FeatureKind::Base), 1.0)];
    for (name, n) in counted.counts {
        if name != BASE {
            cells.push((feature(&name, FeatureKind::Opcode), n));
        }
    }
    builder.row(DatasetRow {
        observation,
        counts: cells,
        ..DatasetRow::default()
    });
}
