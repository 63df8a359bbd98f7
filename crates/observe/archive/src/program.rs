//! An instrumented archive, seen from the counts that it wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Cursor;

use pricetag_probe_plan::{ClassHash, ClassPlan, MethodOutcome, MethodPlan, PlanStore, StoreError};
use pricetag_trace::{
    ClassCounters, ClassLoaded, Left, OpenFrameRecord, Record, Start, TRACE_VERSION, Trace,
};
use zip::ZipArchive;

use crate::copy::{Counted, read};
use crate::counts::{CountsFile, LiveThread};
use crate::error::ArchiveError;
use crate::frames::{self, Found, Lines};
use crate::layout::OURS;

/// The list of classes in our part of an archive.
pub(crate) const INDEX: &str = "classes.txt";
/// Largest part of ours that is read, bytes.
const LARGEST: u64 = 1 << 30;

/// The list of classes as text: a line each, fields separated by tabs.
pub(crate) fn write_index(digest: &str, counted: &[Counted], left: &[Left]) -> String {
    let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
    let mut text = format!("archive\t{digest}\n");
    for class in counted {
        let (hash, counters) = (class.hash, class.counters);
        let _ = writeln!(text, "class\t{hash}\t{counters}\t{}", plain(&class.name));
    }
    for left in left {
        let method = left.method.as_deref().map(plain).unwrap_or_default();
        let (class, reason) = (plain(&left.class), plain(&left.reason));
        let _ = writeln!(text, "left\t{class}\t{method}\t{reason}");
    }
    text
}

/// The plans and lists of an instrumented archive.
#[derive(Clone, Debug)]
pub struct Program {
    digest: String,
    /// Classes by the index that their code counts under.
    classes: Vec<ClassHash>,
    plans: BTreeMap<ClassHash, ClassPlan>,
    /// Line tables as they are stored.
    lines: BTreeMap<ClassHash, String>,
    left: Vec<Left>,
}

impl Program {
    /// Reads what [`crate::instrument`] put into an archive.
    ///
    /// # Errors
    /// If it is no archive, or not instrumented.
    pub fn read(archive: &[u8]) -> Result<Self, ArchiveError> {
        let mut reader =
            ZipArchive::new(Cursor::new(archive)).map_err(|e| ArchiveError::zip(&e))?;
        let mut file = |name: &str| {
            let name = format!("{OURS}{name}");
            let index = reader
                .index_for_name(&name)
                .ok_or_else(|| none(format!("{name} is missing")))?;
            read(&mut reader, index, &name, LARGEST)
        };
        let index = file(INDEX)?;
        let index = String::from_utf8(index).map_err(|e| none(e.to_string()))?;
        let mut program = Self {
            digest: String::new(),
            classes: Vec::new(),
            plans: BTreeMap::new(),
            lines: BTreeMap::new(),
            left: Vec::new(),
        };
        for line in index.lines() {
            program.line(line)?;
        }
        for hash in &program.classes {
            let plan = ClassPlan::from_bytes(&file(&format!("{hash}.plan"))?)
                .map_err(|e| none(e.to_string()))?;
            if plan.hash != *hash {
                return Err(none(format!("{hash}.plan is another class's")));
            }
            program.plans.insert(*hash, plan);
            let lines = String::from_utf8(file(&format!("{hash}.lines"))?);
            program
                .lines
                .insert(*hash, lines.map_err(|e| none(e.to_string()))?);
        }
        Ok(program)
    }

    fn line(&mut self, line: &str) -> Result<(), ArchiveError> {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            ["archive", digest] => digest.clone_into(&mut self.digest),
            ["class", hash, ..] => {
                let hash = u128::from_str_radix(hash, 16).map_err(|e| none(e.to_string()))?;
                self.classes.push(ClassHash(hash));
            }
            ["left", class, method, reason] => self.left.push(Left {
                class: class.to_owned(),
                method: (!method.is_empty()).then(|| method.to_owned()),
                reason: reason.to_owned(),
            }),
            _ => return Err(none(format!("its list of classes says {line:?}"))),
        }
        Ok(())
    }

    /// Number of classes that count.
    pub fn classes(&self) -> usize {
        self.classes.len()
    }

    /// Writes the plans where readers of traces look for them.
    ///
    /// # Errors
    /// If one cannot be written.
    pub fn store_plans(&self, store: &PlanStore) -> Result<(), StoreError> {
        self.plans.values().try_for_each(|plan| store.store(plan))
    }

    /// The trace that the files of one process amount to: several if several class loaders loaded the archive.
    ///
    /// # Errors
    /// If one is another archive's, or counts what this archive does not have.
    pub fn trace(&self, files: &[CountsFile]) -> Result<Trace, ArchiveError> {
        let mut records = vec![Record::Start(Start {
            version: TRACE_VERSION,
            pid: 0,
            properties: Vec::new(),
            options: "offline".to_owned(),
        })];
        records.extend(self.left.iter().cloned().map(Record::Left));
        let mut loaders: BTreeMap<ClassHash, u32> = BTreeMap::new();
        let mut complete = true;
        for file in files {
            if file.digest != self.digest {
                return Err(ArchiveError::OtherArchive {
                    found: file.digest.clone(),
                    expected: self.digest.clone(),
                });
            }
            complete &= file.complete;
            let mut ran = BTreeSet::new();
            for (index, counts) in &file.classes {
                let hash = self.class(*index, counts)?;
                ran.insert(hash);
                if !counts.is_empty() {
                    records.push(Record::Counters(ClassCounters {
                        hash,
                        counts: counts.clone(),
                    }));
                }
            }
            for hash in &ran {
                *loaders.entry(*hash).or_default() += 1;
            }
            records.extend(ran.iter().filter_map(|hash| self.asked(*hash)));
            records.extend(file.notes.iter().cloned().map(Record::Inexact));
            records.extend(self.open(&file.threads, &ran));
        }
        let loaded = loaders.into_iter().map(|(hash, loaders)| {
            Record::Class(ClassLoaded {
                hash,
                name: self.plans[&hash].name.clone(),
                loaders,
            })
        });
        let behind = 1 + self.left.len();
        records.splice(behind..behind, loaded);
        if complete {
            records.push(Record::End);
        }
        Ok(Trace {
            records,
            complete,
            damage: None,
        })
    }

    /// A class loader of the program's own is asked for the class of the counters, too, and so runs more often than it would.
    fn asked(&self, hash: ClassHash) -> Option<Record> {
        let plan = &self.plans[&hash];
        let loads = |method: &MethodPlan| {
            method.name == "loadClass"
                && method.outcome == MethodOutcome::Counted
                && method.descriptor.starts_with("(Ljava/lang/String;")
        };
        plan.methods.iter().any(loads).then(|| {
            let name = plan.name.replace('/', ".");
            Record::Inexact(format!(
                "{name} loads classes: the JVM asked it for the counters, too, for each class it defined"
            ))
        })
    }

    fn class(&self, index: u32, counts: &[(u32, u64)]) -> Result<ClassHash, ArchiveError> {
        let not = |reason: String| ArchiveError::NotCounts { reason };
        let hash = self
            .classes
            .get(index as usize)
            .ok_or_else(|| not(format!("the archive has no class {index}")))?;
        let counters = self.plans[hash].counters;
        match counts.iter().find(|(counter, _)| *counter >= counters) {
            Some((counter, _)) => Err(not(format!("class {index} has no counter {counter}"))),
            None => Ok(*hash),
        }
    }

    /// Frames of threads that had not ended, and what is not known of them.
    fn open(&self, threads: &[LiveThread], ran: &BTreeSet<ClassHash>) -> Vec<Record> {
        let mut names: BTreeMap<String, Vec<ClassHash>> = BTreeMap::new();
        for hash in ran {
            let name = self.plans[hash].name.replace('/', ".");
            names.entry(name).or_default().push(*hash);
        }
        let mut known: BTreeMap<ClassHash, Lines<'_>> = BTreeMap::new();
        let mut records = Vec::new();
        for thread in threads {
            let mut counted = 0;
            for (at, frame) in thread.frames.iter().enumerate() {
                let Some(hashes) = names.get(&frame.class) else {
                    continue;
                };
                for hash in hashes {
                    known.entry(*hash).or_insert_with(|| self.lines_of(*hash));
                }
                let classes: Vec<_> = hashes.iter().map(|h| (*h, &known[h])).collect();
                let callee = at.checked_sub(1).map(|inner| &thread.frames[inner]);
                let running = thread.running && counted == 0;
                match frames::find(&classes, frame, callee, running) {
                    Found::Uncounted => continue,
                    Found::Call(call) => records.push(Record::OpenFrame(call)),
                    Found::Ambiguous(among) => records.push(unclear(thread, at, among)),
                }
                counted += 1;
            }
            if thread.running && counted > 0 && !snapshot(&records) {
                records.push(Record::Inexact(format!(
                    "thread {} was still running counted code at the end: its counts are a snapshot",
                    thread.name
                )));
            }
        }
        records
    }

    fn lines_of(&self, hash: ClassHash) -> Lines<'_> {
        let plan = &self.plans[&hash];
        Lines {
            plan,
            tables: frames::tables(&self.lines[&hash], plan.methods.len()),
        }
    }
}

/// Whether a frame says already that its thread was running.
fn snapshot(records: &[Record]) -> bool {
    let running = |record: &Record| matches!(record, Record::OpenFrame(OpenFrameRecord { running, .. }) if *running);
    records.iter().any(running)
}

fn unclear(thread: &LiveThread, at: usize, among: usize) -> Record {
    let frame = &thread.frames[at];
    Record::Inexact(format!(
        "{}.{} was active on thread {} at the end, in line {}, at which of {among} places is not known: it is counted as if it had gone on, or had not begun",
        frame.class, frame.method, thread.name, frame.line
    ))
}

fn none(reason: String) -> ArchiveError {
    ArchiveError::NoPlans { reason }
}
