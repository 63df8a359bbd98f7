//! Counts per instruction, from the oracle's text or from a trace and its plans.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pricetag_probe_plan::{ClassHash, ClassPlan, MethodOutcome, OpenFrame, PlanStore};
use pricetag_trace::{Record, Trace};

use crate::{MethodKey, TestkitError, content, io};

/// How often each instruction of each method ran, and what the trace says about itself.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Per method, per address; instructions that never ran may be missing.
    pub methods: BTreeMap<MethodKey, BTreeMap<u16, u64>>,
    /// How often each method was invoked, where that follows.
    pub invocations: BTreeMap<MethodKey, u64>,
    /// Passes of each loop, by the address where its header starts.
    pub loops: BTreeMap<MethodKey, BTreeMap<u16, u64>>,
    /// Addresses whose counts do not follow, since probes were removed.
    pub unknown: BTreeMap<MethodKey, BTreeSet<u16>>,
    /// Methods whose counters contradict each other, with the contradiction.
    pub imbalances: BTreeMap<MethodKey, String>,
    /// Methods the plan leaves uncounted, with the reason.
    pub left: BTreeMap<MethodKey, String>,
    /// Classes and methods the trace lists as uncounted: `class` or `class.methoddescriptor`, and the reason.
    pub listed: BTreeMap<String, String>,
    /// Classes the trace says it counted.
    pub classes: BTreeSet<String>,
    /// What the trace says is inexact, and threads that were running at the end.
    pub inexact: Vec<String>,
    /// Frames of counted methods that were open at the end.
    pub open_frames: u64,
    /// What the program itself says it did in this run, by name.
    pub said: BTreeMap<String, u64>,
}

impl Counts {
    /// Reads the oracle's text: `class TAB method TAB descriptor TAB pc TAB count`.
    ///
    /// # Errors
    /// If the file cannot be read or a line is malformed.
    pub fn from_steps(path: &Path) -> Result<Self, TestkitError> {
        let text = std::fs::read_to_string(path).map_err(io("read", path))?;
        let mut counts = Self::default();
        for (number, line) in (1..).zip(text.lines()) {
            let bad = || content(path, format!("line {number}: {line:?} is no step count"));
            let fields: Vec<&str> = line.split('\t').collect();
            let [class, name, descriptor, pc, count] = fields[..] else {
                return Err(bad());
            };
            let key = MethodKey {
                class: class.into(),
                name: name.into(),
                descriptor: descriptor.into(),
            };
            let pc: u16 = pc.parse().map_err(|_| bad())?;
            let count: u64 = count.parse().map_err(|_| bad())?;
            *counts
                .methods
                .entry(key)
                .or_default()
                .entry(pc)
                .or_default() += count;
        }
        Ok(counts)
    }

    /// Derives counts from a trace and the plans beside it.
    ///
    /// # Errors
    /// If the trace is damaged or incomplete, or a plan is missing.
    pub fn from_trace(trace_path: &Path, plans: &Path) -> Result<Self, TestkitError> {
        let trace = Trace::read(trace_path).map_err(|e| content(trace_path, e))?;
        if let Some(reason) = trace.incomplete_reason() {
            return Err(content(trace_path, reason));
        }
        let store = PlanStore::open(plans).map_err(|e| content(plans, e))?;
        let mut counts = Self::default();
        let mut found: BTreeMap<ClassHash, Found> = BTreeMap::new();
        for record in &trace.records {
            counts.note(record);
            match record {
                Record::Class(class) => {
                    found.entry(class.hash).or_default();
                }
                Record::Counters(counters) => {
                    let class = found.entry(counters.hash).or_default();
                    for &(index, count) in &counters.counts {
                        *class.counters.entry(index).or_default() += count;
                    }
                }
                Record::OpenFrame(frame) => {
                    counts.open_frames += 1;
                    let open = OpenFrame {
                        pc: frame.pc,
                        frames: 1,
                    };
                    found
                        .entry(frame.hash)
                        .or_default()
                        .open
                        .push((frame.method, open));
                }
                _ => {}
            }
        }
        for (hash, class) in found {
            let plan = store
                .load(hash)
                .map_err(|e| content(plans, e))?
                .ok_or_else(|| content(plans, format!("there is no plan for class {hash}")))?;
            counts.derive(&plan, &class);
        }
        Ok(counts)
    }

    fn note(&mut self, record: &Record) {
        match record {
            Record::Class(class) => {
                self.classes.insert(class.name.clone());
            }
            Record::Left(left) => {
                let name = match &left.method {
                    Some(method) => format!("{}.{method}", left.class),
                    None => left.class.clone(),
                };
                self.listed.insert(name, left.reason.clone());
            }
            Record::Inexact(words) => self.inexact.push(words.clone()),
            Record::OpenFrame(frame) if frame.running => {
                self.inexact.push(format!(
                    "a thread was running at {} in class {}",
                    frame.pc.0, frame.hash
                ));
            }
            _ => {}
        }
    }

    fn derive(&mut self, plan: &ClassPlan, found: &Found) {
        let mut counters = vec![0; plan.counters as usize];
        for (&index, &count) in &found.counters {
            if let Some(counter) = counters.get_mut(index as usize) {
                *counter += count;
            }
        }
        for (index, method) in plan.methods.iter().enumerate() {
            let key = MethodKey {
                class: plan.name.clone(),
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
            };
            match &method.outcome {
                MethodOutcome::NoCode => continue,
                MethodOutcome::Left(reason) => {
                    self.left.insert(key, reason.clone());
                    continue;
                }
                MethodOutcome::Counted => {}
            }
            let open: Vec<OpenFrame> = found
                .open
                .iter()
                .filter(|(m, _)| usize::from(*m) == index)
                .map(|(_, frame)| *frame)
                .collect();
            match method.derive(&counters, &open) {
                Ok(derived) => {
                    if let Some(invocations) = method.invocations(&derived) {
                        *self.invocations.entry(key.clone()).or_default() += invocations;
                    }
                    let passes = method.loops.iter().zip(method.loop_counts(&derived));
                    let headers = self.loops.entry(key.clone()).or_default();
                    for (l, counts) in passes {
                        let header = method.blocks[l.header.0 as usize].start.0;
                        *headers.entry(header).or_default() += counts.map_or(0, |c| c.passes);
                    }
                    let unknown = self.unknown.entry(key.clone()).or_default();
                    let counts = self.methods.entry(key).or_default();
                    for (block, times) in method.blocks.iter().zip(&derived.instructions) {
                        if times.is_none() {
                            unknown.extend(block.instructions.iter().map(|i| i.pc.0));
                        }
                        for (instruction, &n) in
                            block.instructions.iter().zip(times.iter().flatten())
                        {
                            *counts.entry(instruction.pc.0).or_default() += n;
                        }
                    }
                }
                Err(imbalance) => {
                    self.imbalances.insert(key, imbalance.to_string());
                }
            }
        }
    }
}

/// What a trace holds of one class.
#[derive(Default)]
struct Found {
    counters: BTreeMap<u32, u64>,
    open: Vec<(u16, OpenFrame)>,
}
