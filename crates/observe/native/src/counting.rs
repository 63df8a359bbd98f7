//! Counts of constructs beside the measurements: the table a price list is learnt from.
//!
//! Counts are not stored with the measurements but made anew from the programs' sources, so that better charging rules need no new
//! measurement; a fingerprint of the source keeps the two together.

use std::collections::BTreeMap;

use pricetag_cost_model::region::{Region, column};
use pricetag_dataset::{
    Dataset, DatasetBuilder, Feature, FeatureKind, InputValue, Measured, Meta, Observation,
    Row as DatasetRow, Status,
};
use pricetag_miniml::{Diagnostic, Limits, Options, Row, Run, run};
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

/// Name of the input that holds the number of blocks the evaluator expects to be promoted.
pub const BLOCKS: &str = "blocks";

/// Name of the input that holds the number of calls the evaluator expects collections to find on the stack.
pub const FRAMES: &str = "frames";

/// Name of the input that holds the words allocated before that the evaluator expects the first collection to find alive.
pub const LIVE: &str = "live";

/// What the evaluator knows of one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// How often each construct runs.
    pub counts: BTreeMap<String, f64>,
    /// Where its time may go in each recursive definition: alternatives of which the longest counts.
    pub regions: Vec<Region>,
    /// Words that its minor collections promote.
    pub promoted: f64,
    /// The blocks that these are in.
    pub blocks: f64,
    /// Calls that its minor collections find on the stack.
    pub frames: f64,
    /// Words allocated before that the first of them finds alive.
    pub live: f64,
}

impl Counted {
    /// Of one top-level item.
    pub fn of(row: &Row) -> Self {
        let numbers = |counts: &BTreeMap<String, u64>| {
            let counts = counts.iter();
            counts.map(|(name, n)| (name.clone(), *n as f64)).collect()
        };
        let regions = row.regions.iter();
        Self {
            counts: numbers(&row.counts),
            regions: regions
                .map(|r| r.alternatives.iter().map(numbers).collect())
                .collect(),
            promoted: row.promoted as f64,
            blocks: row.promoted_blocks as f64,
            frames: row.frames as f64,
            live: row.live as f64,
        }
    }
}

/// Constructs that may run at a program's smallest size: some tenths of a second of native code.
const TRIAL: u64 = 100_000_000;

/// Whether a program can be counted, and so is worth measuring: it is of the subset, ends at its smallest size, and prints nothing.
///
/// # Errors
/// What is wrong with it, with line and column where there is one.
pub fn trial(program: &Program) -> Result<(), NativeError> {
    let limits = Limits {
        fuel: TRIAL,
        ..Limits::default()
    };
    let smallest = program.sizes.get(..1).unwrap_or_default();
    let run = calls(program, smallest, Mode::Extended, None, limits)?;
    if run.output.is_empty() {
        return Ok(());
    }
    Err(NativeError::Count {
        program: program.name.clone(),
        reason: "it prints, which would be measured too".into(),
    })
}

/// Counts of a program at some sizes, with a minor heap of so many bytes or the usual one.
pub fn count_program(
    program: &Program,
    sizes: &[u32],
    mode: Mode,
    heap: Option<u64>,
) -> Result<Vec<Counted>, NativeError> {
    let limits = Limits::default();
    let run = calls(program, sizes, mode, heap, limits)?;
    let first = run.rows.len() - 2 * sizes.len();
    let rows = run.rows[first..].iter().skip(1).step_by(2);
    rows.zip(sizes)
        .map(|(row, size)| {
            if row.collections == 0 || sizes.len() == 1 {
                return Ok(Counted::of(row));
            }
            // What other sizes were given and returned is alive here, but not where each is measured.
            let alone = calls(program, &[*size], mode, heap, limits)?;
            Ok(Counted::of(alone.rows.last().unwrap_or(row)))
        })
        .collect()
}

/// Runs a program with its call at each size, to the end.
fn calls(
    program: &Program,
    sizes: &[u32],
    mode: Mode,
    heap: Option<u64>,
    limits: Limits,
) -> Result<Run, NativeError> {
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
    let mut options = Options {
        limits,
        mode: mode.rules(),
        ..Options::default()
    };
    options.minor_heap = heap.unwrap_or(options.minor_heap);
    let run = run(&source, &options).map_err(|errors| {
        let first = errors.first();
        fail(first.map_or_else(String::new, |e| refusal(e, program)))
    })?;
    match &run.stop {
        Some(stop) => Err(fail(stop.to_string())),
        None => Ok(run),
    }
}

/// What is wrong, where in the program's file, and what to write instead.
fn refusal(error: &Diagnostic, program: &Program) -> String {
    let own = program.source.matches('\n').count() as u32;
    let place = if error.line > own {
        "where `input` and `run` are applied".to_owned()
    } else {
        format!(
            "line {}, column {}",
            error.line + program.before,
            error.column
        )
    };
    let advice = error.advice.iter().map(|a| format!("; {a}"));
    format!("{place}: {}{}", error.message, advice.collect::<String>())
}

/// The measurements with the counts of their constructs; each time is one number, the statistic of its samples.
///
/// What could not be measured or counted stays as a failed row with its reason. The minor heap is of so many bytes, or the usual one.
///
/// # Errors
/// If the measurements are of programs that are not there, or of other versions of them.
pub fn count_rows(
    measured: &Dataset,
    programs: &[Program],
    mode: Mode,
    statistic: Statistic,
    heap: Option<u64>,
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
        if mode == Mode::Paper && crate::training::outside_of_paper(program) {
            continue;
        }
        let good: Vec<&Observation> = rows.iter().filter(|r| r.status == Status::Ok).collect();
        let sizes = good
            .iter()
            .map(|row| size_of(row, program))
            .collect::<Result<Vec<u32>, _>>()?;
        for row in rows.iter().filter(|r| r.status != Status::Ok) {
            let reason = row.reason.clone().unwrap_or_default();
            add_failed(&mut builder, row, reason);
        }
        match count_program(program, &sizes, mode, heap) {
            Ok(counted) => {
                for (row, counts) in good.iter().zip(counted) {
                    add(&mut builder, row, counts, statistic);
                }
            }
            Err(error) => {
                for row in good {
                    add_failed(&mut builder, row, error.reason());
                }
            }
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

fn add_failed(builder: &mut DatasetBuilder, row: &Observation, reason: String) {
    builder.row(DatasetRow {
        observation: Observation {
            label: row.label.clone(),
            group: crate::training::family(&row.group).to_owned(),
            inputs: row.inputs.clone(),
            status: Status::Failed,
            reason: Some(reason),
            ..Observation::default()
        },
        ..DatasetRow::default()
    });
}

fn add(builder: &mut DatasetBuilder, row: &Observation, counted: Counted, statistic: Statistic) {
    let mut observation = row.clone();
    // The same program at other sizes is no other program: what is left out together says how well the rest predicts.
    crate::training::family(&row.group).clone_into(&mut observation.group);
    for (name, n) in [
        (PREDICTED, counted.promoted),
        (BLOCKS, counted.blocks),
        (FRAMES, counted.frames),
        (LIVE, counted.live),
    ] {
        let n = InputValue::Number(n);
        observation.inputs.insert(name.into(), n);
    }
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
    for (i, region) in counted.regions.iter().enumerate() {
        for (j, alternative) in region.iter().enumerate() {
            for (name, n) in alternative {
                cells.push((feature(&column(i, j, name), FeatureKind::Loop), *n));
            }
        }
    }
    builder.row(DatasetRow {
        observation,
        counts: cells,
        ..DatasetRow::default()
    });
}
