//! Measuring: all programs in turn, whole rounds repeated, every raw sample kept.
//!
//! A round runs each program once in a process of its own, over all its sizes, a few samples each; a disturbance of the machine then
//! hits a few samples of many programs instead of all samples of one. Programs that were slowed down run again at the round's end. The table is saved after every round, so an interrupted
//! measurement goes on where it was.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use pricetag_cost_model::PRICED_BY;
use pricetag_dataset::{
    DATASET_SCHEMA, Dataset, DatasetBuilder, InputValue, Measured, Meta, Observation, Row, Status,
    directory,
};
use pricetag_quantity::{low_quantile, median, quantile};
use pricetag_runner::{Progress, platform};

use crate::driver::{Built, build};
use crate::error::NativeError;
use crate::process::{Over, PATIENCE, within};
use crate::program::Program;
use crate::toolchain::{Ocaml, Scratch};

/// Name of the cost in nanoseconds.
pub const TIME: &str = "ns";
/// Name of the cost in bytes allocated.
pub const BYTES: &str = "bytes";
/// Name of the number of minor collections.
pub const COLLECTIONS: &str = "collections";
/// Name of the number of words promoted in them.
pub const PROMOTED: &str = "promoted_words";
/// Name of the number of major collections finished.
pub const MAJOR: &str = "major_collections";

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// About a minute: few sizes, few rounds.
    Fast,
    /// Minutes.
    Standard,
    /// 500 runs of everything, judged by their median.
    Paper,
}

impl Effort {
    /// Rounds, and samples of each size in a round.
    pub fn runs(self) -> (u32, u32) {
        match self {
            Self::Fast => (4, 4),
            Self::Standard => (24, 4),
            Self::Paper => (50, 10),
        }
    }

    /// How often a process that was slowed down is run again at its round's end.
    fn repeats(self) -> u32 {
        match self {
            Self::Fast => 0,
            Self::Standard | Self::Paper => 2,
        }
    }

    /// The sizes used of those a program has: about four, or all; the first and the last among them.
    pub fn sizes(self, all: &[u32]) -> Vec<u32> {
        let step = match self {
            Self::Fast => (all.len() / 4).max(1),
            _ => 1,
        };
        let last = all.len() - 1;
        (0..all.len())
            .filter(|i| (last - i).is_multiple_of(step))
            .map(|i| all[i])
            .collect()
    }

    /// Its name in a dataset's options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Standard => "standard",
            Self::Paper => "paper",
        }
    }
}

/// What to measure, and how.
pub struct Measuring<'a> {
    /// The compiler.
    pub ocaml: &'a Ocaml,
    /// The programs.
    pub programs: &'a [Program],
    /// How much.
    pub effort: Effort,
    /// Where the table is saved after every round.
    pub keep: Option<PathBuf>,
    /// Whether a table there is continued.
    pub resume: bool,
    /// Told of every process.
    pub progress: &'a dyn Progress,
    /// Seconds since the Unix epoch, for the provenance.
    pub now: u64,
}

/// Samples of one program and size.
#[derive(Clone, Debug, Default)]
struct Samples {
    once: [f64; 4],
    times: Vec<f64>,
}

/// A processor is shared when a quarter of the loops of a fixed length take this many times what the quickest takes.
const SHARED: f64 = 1.15;

/// How long the loop of a fixed length takes on a processor that is not shared, and how many processes had one that was.
#[derive(Debug)]
struct Pace {
    quickest: f64,
    processes: u32,
    slowed: u32,
}

impl Pace {
    /// Whether a process whose loops took so long was slowed down.
    fn is_slowed(&mut self, loops: &[f64]) -> bool {
        self.quickest = loops.iter().copied().fold(self.quickest, f64::min);
        let slowed = quantile(loops, 0.75).is_some_and(|q| q > SHARED * self.quickest);
        self.processes += 1;
        self.slowed += u32::from(slowed);
        slowed
    }
}

/// Measures; the table's rows are program × size, with raw samples.
pub fn measure(what: &Measuring) -> Result<Dataset, NativeError> {
    let (mut table, done) = begun(what)?;
    let scratch = Scratch::new()?;
    let built = build(what.ocaml, what.programs, scratch.path())?;
    let (rounds, samples) = what.effort.runs();
    let mut loads = Vec::new();
    let mut pace = Pace {
        quickest: f64::INFINITY,
        processes: 0,
        slowed: 0,
    };
    let left = u64::from(rounds.saturating_sub(done)) * what.programs.len() as u64;
    what.progress.begin(left, "measuring");
    for round in done..rounds {
        loads.extend(platform::load_per_core());
        let mut slowed = Vec::new();
        for (program, refused) in what.programs.iter().zip(&built.refused) {
            if is_hopeless(program, &table) {
                what.progress.step(&program.name, None);
                continue;
            }
            let failure = match refused {
                Some(reason) => Some(reason.clone()),
                None => match run(&built, program, what.effort, samples, PATIENCE, &mut table) {
                    Ok(loops) => {
                        if pace.is_slowed(&loops) {
                            slowed.push(program);
                        }
                        None
                    }
                    Err(reason) => Some(reason),
                },
            };
            what.progress.step(&program.name, failure.as_deref());
            if let Some(reason) = failure {
                fail(program, &reason, &mut table);
            }
        }
        // Others come and go within seconds: by the round's end most have gone. What was slowed down is kept, as every sample is.
        for _ in 0..what.effort.repeats() {
            slowed.retain(|program| {
                run(&built, program, what.effort, samples, PATIENCE, &mut table)
                    .is_ok_and(|loops| pace.is_slowed(&loops))
            });
        }
        if let Some(path) = &what.keep {
            let notes = quietness(&table, &loads, &pace);
            directory::save(&dataset(what, &table, notes, round + 1), path)?;
        }
    }
    what.progress.end();
    let notes = quietness(&table, &loads, &pace);
    Ok(dataset(what, &table, notes, rounds))
}

/// Whether no size of a program could be measured so far: it is not tried again.
fn is_hopeless(program: &Program, table: &Table) -> bool {
    program.sizes.iter().all(|size| {
        let key = (program.name.clone(), *size);
        matches!(table.get(&key), Some(Err(_)))
    })
}

type Table = BTreeMap<(String, u32), Result<Samples, String>>;

/// What an interrupted measurement left, and how many rounds it had done.
fn begun(what: &Measuring) -> Result<(Table, u32), NativeError> {
    let mut table = Table::new();
    let Some(path) = what.keep.as_ref().filter(|p| directory::exists(p)) else {
        return Ok((table, 0));
    };
    if !what.resume {
        return Err(NativeError::Kept { path: path.clone() });
    }
    let old = directory::open(path)?;
    same_conditions(what, &old.meta, path)?;
    let prints: BTreeMap<&str, String> = what
        .programs
        .iter()
        .map(|p| (p.name.as_str(), p.fingerprint()))
        .collect();
    for row in &old.observations {
        let known = prints.get(row.group.as_str());
        let same =
            matches!(row.inputs.get("source"), Some(InputValue::Text(t)) if Some(t) == known);
        if !same {
            return Err(NativeError::Stale {
                program: row.group.clone(),
            });
        }
        let Some(InputValue::Number(size)) = row.inputs.get("size") else {
            continue;
        };
        let one = |name: &str| row.costs.get(name).and_then(Measured::value).unwrap_or(0.0);
        let entry = match (&row.reason, row.costs.get(TIME)) {
            (None, Some(times)) => Ok(Samples {
                once: [one(BYTES), one(COLLECTIONS), one(PROMOTED), one(MAJOR)],
                times: times.repeats.clone(),
            }),
            (reason, _) => Err(reason.clone().unwrap_or_default()),
        };
        table.insert((row.group.clone(), *size as u32), entry);
    }
    let done = old.meta.options.get("rounds").and_then(|r| r.parse().ok());
    Ok((table, done.unwrap_or(0)))
}

/// Samples of two machines, compilers or efforts must not meet in one table.
fn same_conditions(what: &Measuring, old: &Meta, path: &Path) -> Result<(), NativeError> {
    let mixed = |fact: &str, kept: &str, now: &str| NativeError::Mixed {
        path: path.to_owned(),
        fact: fact.to_owned(),
        kept: kept.to_owned(),
        now: now.to_owned(),
    };
    let effort = old.options.get("effort").map_or("", String::as_str);
    if effort != what.effort.name() {
        return Err(mixed("effort", effort, what.effort.name()));
    }
    let here = what.ocaml.platform();
    for fact in PRICED_BY {
        let of = |facts: &BTreeMap<String, String>| facts.get(fact).cloned().unwrap_or_default();
        let (kept, now) = (of(&old.platform), of(&here));
        // Those of an earlier version do not tell the processor's numbers.
        let told = old.platform.contains_key(fact) || !fact.starts_with("cpu_");
        if told && kept != now {
            return Err(mixed(fact, &kept, &now));
        }
    }
    Ok(())
}

/// One process: a program over its sizes, but for those at which it failed before. Nanoseconds of the loops of a fixed length in between.
fn run(
    built: &Built,
    program: &Program,
    effort: Effort,
    samples: u32,
    limit: Duration,
    table: &mut Table,
) -> Result<Vec<f64>, String> {
    let mut missing = effort.sizes(&program.sizes);
    missing.retain(|size| !matches!(table.get(&(program.name.clone(), *size)), Some(Err(_))));
    let mut command = Command::new(&built.driver);
    command
        .arg(&program.name)
        .arg(samples.to_string())
        .args(missing.iter().map(u32::to_string))
        // They would change the heap that is to be learnt.
        .env_remove("OCAMLRUNPARAM")
        .env_remove("CAMLRUNPARAM")
        .stdin(Stdio::null());
    let Over { output, late } =
        within(limit, &mut command).map_err(|e| cannot_run(&built.driver, &e))?;
    // Each size is a line, written when it is done: what comes before a crash or a size that takes too long is as good as ever.
    let text = String::from_utf8_lossy(&output.stdout);
    let mut loops = Vec::new();
    for line in text.lines() {
        if let Some(pace) = line.strip_prefix("pace ") {
            loops = pace.split(' ').filter_map(|n| n.parse().ok()).collect();
        }
        let numbers: Option<Vec<f64>> = line.split_whitespace().map(|w| w.parse().ok()).collect();
        let Some(numbers) = numbers.filter(|n| n.len() == 5 + samples as usize) else {
            continue;
        };
        missing.retain(|size| f64::from(*size) != numbers[0]);
        let key = (program.name.clone(), numbers[0] as u32);
        if let Ok(entry) = table.entry(key).or_insert(Ok(Samples::default())) {
            entry.once.copy_from_slice(&numbers[1..5]);
            entry.times.extend(&numbers[5..]);
        }
    }
    if late {
        let seconds = limit.as_secs();
        return Err(format!(
            "it did not end within {seconds} s: does it diverge at a larger size?"
        ));
    }
    if output.status.success() {
        let reason = |size: &u32| format!("no result for size {size}: does the program print?");
        return missing.first().map_or(Ok(loops), |size| Err(reason(size)));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().last().unwrap_or("").trim();
    Err(format!("{} {last}", output.status).trim().to_owned())
}

fn cannot_run(driver: &Path, error: &io::Error) -> String {
    let folder = driver.parent().and_then(Path::parent).unwrap_or(driver);
    if error.kind() == io::ErrorKind::PermissionDenied {
        let folder = folder.display();
        return format!(
            "cannot be run: {error}: programs may not run from {folder}; name another folder in TMPDIR"
        );
    }
    format!("cannot be run: {error}")
}

/// Marks the sizes of a program that have no sample as failed.
fn fail(program: &Program, reason: &str, table: &mut Table) {
    for size in &program.sizes {
        let key = (program.name.clone(), *size);
        let missing = !matches!(table.get(&key), Some(Ok(s)) if !s.times.is_empty());
        if missing {
            table.insert(key, Err(reason.to_owned()));
        }
    }
}

fn dataset(what: &Measuring, table: &Table, notes: Vec<String>, rounds: u32) -> Dataset {
    let units = [
        (TIME, "ns"),
        (BYTES, "byte"),
        (COLLECTIONS, "1"),
        (PROMOTED, "1"),
        (MAJOR, "1"),
    ];
    let mut builder = DatasetBuilder::new(Meta {
        schema: DATASET_SCHEMA,
        subject: vec!["OCaml programs".into()],
        scope: "run".into(),
        cost_units: units.map(|(n, u)| (n.to_owned(), u.to_owned())).into(),
        platform: what.ocaml.platform(),
        options: BTreeMap::from([
            ("effort".to_owned(), what.effort.name().to_owned()),
            ("rounds".to_owned(), rounds.to_string()),
        ]),
        pricetag: env!("CARGO_PKG_VERSION").into(),
        created: what.now,
        left: vec![],
        notes,
    });
    for program in what.programs {
        for size in &program.sizes {
            if let Some(entry) = table.get(&(program.name.clone(), *size)) {
                builder.row(Row {
                    observation: observation(program, *size, entry),
                    ..Row::default()
                });
            }
        }
    }
    builder.finish()
}

fn observation(program: &Program, size: u32, entry: &Result<Samples, String>) -> Observation {
    let mut row = Observation {
        label: format!("{} {size}", program.name),
        group: program.name.clone(),
        inputs: BTreeMap::from([
            ("size".to_owned(), InputValue::Number(f64::from(size))),
            ("source".to_owned(), InputValue::Text(program.fingerprint())),
        ]),
        ..Observation::default()
    };
    match entry {
        Ok(samples) => {
            let names = [BYTES, COLLECTIONS, PROMOTED, MAJOR];
            for (name, value) in names.iter().zip(samples.once) {
                row.costs.insert((*name).to_owned(), Measured::new([value]));
            }
            row.costs
                .insert(TIME.to_owned(), Measured::new(samples.times.clone()));
        }
        Err(reason) => {
            row.status = Status::Failed;
            row.reason = Some(reason.clone());
        }
    }
    row
}

/// How far the median of the samples lies above their low quantile, and how busy the machine was.
fn quietness(table: &Table, loads: &[f64], pace: &Pace) -> Vec<String> {
    let ratios: Vec<f64> = table
        .values()
        .flatten()
        .filter_map(|s| Some(median(&s.times)? / low_quantile(&s.times)?.max(1.0) - 1.0))
        .collect();
    let mut notes = Vec::new();
    if let Some(typical) = median(&ratios) {
        let verdict = if typical < 0.05 { "quiet" } else { "not quiet" };
        notes.push(format!(
            "the machine was {verdict}: the median of a program's samples lies {:.1} % above their low quantile",
            100.0 * typical
        ));
    }
    if let Some(load) = median(loads) {
        notes.push(format!("runnable processes per core: {load:.2}"));
    }
    if pace.slowed > 0 {
        notes.push(format!(
            "{} of {} processes were slowed down by others on the same processor",
            pace.slowed, pace.processes
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolchain::Scratch;

    /// A driver that answers for sizes below 40 and runs on at others.
    const DRIVER: &str = r#"shift
for size; do
    if [ "$size" -ge 40 ]; then while :; do :; done; fi
    echo "$size 0 0 0 0 7"
done
echo "pace 30 31"
"#;

    #[test]
    fn a_process_is_slowed_down_when_a_quarter_of_its_loops_are() {
        let mut pace = Pace {
            quickest: f64::INFINITY,
            processes: 0,
            slowed: 0,
        };
        assert!(!pace.is_slowed(&[100.0, 110.0, 104.0, 300.0, 101.0]));
        assert!(pace.is_slowed(&[200.0, 210.0, 100.0, 101.0, 100.0]));
        // Whatever was thought quick before.
        assert!(!pace.is_slowed(&[60.0; 4]));
        assert!(pace.is_slowed(&[100.0; 4]));
        assert!(!pace.is_slowed(&[]));
        assert_eq!((pace.slowed, pace.processes), (2, 5));
    }

    #[test]
    fn sizes_done_before_one_that_does_not_end_are_kept() {
        let scratch = Scratch::new().unwrap();
        let script = scratch.path().join("driver");
        std::fs::write(&script, DRIVER).unwrap();
        let built = Built {
            driver: "/bin/sh".into(),
            refused: vec![None],
        };
        let header = "(* what: waits\n   family: tests\n   sizes: 10 20 30 40 50 *)\n";
        let program = Program::parse(
            "waits",
            &format!("{header}let input n = n\nlet run n = n\n"),
        );
        // The shell takes the name for that of its script.
        let name = script.display().to_string();
        let program = Program {
            name,
            ..program.unwrap()
        };
        let mut table = Table::new();
        let limit = Duration::from_millis(500);
        let mut once = || run(&built, &program, Effort::Standard, 1, limit, &mut table);
        let reason = once().unwrap_err();
        assert!(reason.contains("did not end"), "{reason}");
        fail(&program, &reason, &mut table);
        // The others are not waited for again.
        let mut again = || run(&built, &program, Effort::Standard, 1, limit, &mut table);
        assert_eq!(again(), Ok(vec![30.0, 31.0]));
        for size in &program.sizes {
            let entry = &table[&(program.name.clone(), *size)];
            match entry {
                Ok(samples) => assert!(*size < 40 && samples.times == [7.0, 7.0], "{samples:?}"),
                Err(why) => assert!(*size >= 40 && *why == reason, "{why}"),
            }
        }
    }
}
