//! One pass over events: threads apart, slices apart, everything added up.
//!
//! Memory: per thread that is going on, a number per class and twice per method, and its events up to [`CHUNK`]; beside that what the
//! tables of pairs and of recurrent sequences may hold. It does not grow with the number of events.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use pricetag_events::{Dictionary, Ending, Extent, Place, Reader, Stop, Symbol, ThreadId};

use crate::census;
use crate::dimension::{Columns, Dimension};
use crate::hierarchy::{Hierarchy, HierarchyError};
use crate::loops::Workshop;
use crate::measures::Sums;
use crate::neighbours::Neighbours;
use crate::patterns::{self, Patterns, Recorded, SliceMeasures, ThreadMeasures};
use crate::ranking;
use crate::recurrent::{self, CHUNK, Grammar, Spot};
use crate::sequence::{Sequence, Shared};
use crate::settings::Settings;
use crate::timeline::Timeline;

/// Why events could not be analysed.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// The hierarchy is none.
    #[error(transparent)]
    Hierarchy(#[from] HierarchyError),
    /// The file is none, or damaged in a way that its checksums do not show.
    #[error(transparent)]
    File(#[from] Stop),
    /// It cannot be opened.
    #[error("it cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// An event of a kind that the dictionary does not have.
    #[error("an event is of kind {0}, which is not declared: the file is incomplete")]
    UnknownKind(u32),
}

/// Reads a file twice, once for what it holds and once for its events; `open` opens it.
///
/// # Errors
/// If it cannot be read, or its hierarchy is none. A file that is cut is analysed as far as it goes, and a note says so.
pub fn analyse<R: Read>(
    mut open: impl FnMut() -> std::io::Result<R>,
    settings: Settings,
) -> Result<Patterns, PatternError> {
    let (extent, dictionary) = Extent::scan(open()?)?;
    let mut analysis = Analysis::new(dictionary, extent, settings)?;
    let mut events = Vec::new();
    for block in Reader::new(open()?)? {
        block.decode(&mut events)?;
        analysis.block(block.place, block.first, &events)?;
    }
    Ok(analysis.finish())
}

/// An analysis that is going on.
pub struct Analysis {
    settings: Settings,
    dictionary: Dictionary,
    extent: Extent,
    windows: [u64; 3],
    timeline: Timeline,
    shared: Shared,
    grammar: Grammar,
    /// ns by kind.
    prices: Option<Vec<f64>>,
    going: HashMap<ThreadId, Thread>,
    slices: Vec<Sums>,
    threads: BTreeMap<ThreadId, Sums>,
}

/// A thread that is going on.
struct Thread {
    sequence: Sequence,
    /// Events that wait, the number of the first one, and their slice.
    waiting: Vec<Symbol>,
    first: u64,
    slice: usize,
    /// Events that the file still has of it.
    remaining: u64,
}

impl Analysis {
    /// Begins; `extent` and `dictionary` are those of all that will come.
    ///
    /// # Errors
    /// If the hierarchy is none.
    pub fn new(
        dictionary: Dictionary,
        extent: Extent,
        settings: Settings,
    ) -> Result<Self, PatternError> {
        let hierarchy = Hierarchy::new(&dictionary.classes)?;
        let columns = Columns::new(&dictionary, &hierarchy);
        let (classes, methods) = (dictionary.classes.len(), dictionary.methods.len());
        let windows = [classes, classes, methods].map(|all| {
            let asked = settings.window.map(|w| u64::from(w.get()));
            asked.unwrap_or(all as u64).max(1)
        });
        let slices = settings.slices.max(1);
        let price = |prices: &Vec<f64>| {
            let of = |kind: &pricetag_events::Kind| prices.get(kind.method.index()).copied();
            let kinds = dictionary.kinds.iter();
            kinds.map(|kind| of(kind).unwrap_or(0.0)).collect()
        };
        Ok(Self {
            windows,
            timeline: Timeline::new(&extent, slices),
            shared: Shared {
                columns,
                hierarchy,
                neighbours: Neighbours::new(dictionary.kinds.len()),
                workshop: Workshop::new(classes.max(methods)),
                counts: vec![0; dictionary.kinds.len()],
                parts: settings.parts,
                split: Default::default(),
            },
            grammar: Grammar::new(slices),
            prices: settings.prices.as_ref().map(price),
            going: HashMap::new(),
            slices: vec![Sums::default(); slices],
            threads: BTreeMap::new(),
            settings,
            dictionary,
            extent,
        })
    }

    /// Takes the next events of a thread; `first` is the number of the first one. What is left out before it ends a sequence and begins another.
    ///
    /// # Errors
    /// If a kind is not declared.
    pub fn block(
        &mut self,
        place: Place,
        first: u64,
        events: &[Symbol],
    ) -> Result<(), PatternError> {
        let largest = events.iter().map(|e| e.0).max();
        if let Some(largest) = largest.filter(|&l| l as usize >= self.shared.counts.len()) {
            return Err(PatternError::UnknownKind(largest));
        }
        let mut thread = match self.going.remove(&place.thread) {
            Some(thread) if thread.first + thread.waiting.len() as u64 == first => thread,
            Some(mut thread) => {
                self.end(place.thread, &mut thread);
                Thread {
                    slice: thread.slice,
                    ..self.begin(thread.remaining, first)
                }
            }
            None => {
                let extent = self.extent.threads.get(&place.thread);
                self.begin(extent.map_or(u64::MAX, |e| e.events), first)
            }
        };
        self.take(place, &mut thread, events);
        if thread.remaining == 0 {
            self.end(place.thread, &mut thread);
        } else {
            self.going.insert(place.thread, thread);
        }
        Ok(())
    }

    fn begin(&self, remaining: u64, first: u64) -> Thread {
        let ids = [
            self.dictionary.classes.len(),
            self.dictionary.classes.len(),
            self.dictionary.methods.len(),
        ];
        let windows = self.windows.map(|window| window.min(remaining.max(1)));
        Thread {
            sequence: Sequence::new(windows, ids, self.settings.longest_loop),
            waiting: Vec::new(),
            first,
            slice: 0,
            remaining,
        }
    }

    fn take(&mut self, place: Place, thread: &mut Thread, mut events: &[Symbol]) {
        thread.remaining = thread.remaining.saturating_sub(events.len() as u64);
        while !events.is_empty() {
            let (slice, length) = self
                .timeline
                .slice(place.start_ns, thread.slice, events.len());
            let (now, rest) = events.split_at(length);
            events = rest;
            if slice != thread.slice {
                self.flush(place.thread, thread, true);
                thread.slice = slice;
            }
            for now in now.chunks(CHUNK) {
                if thread.waiting.len() + now.len() > CHUNK {
                    self.flush(place.thread, thread, false);
                }
                thread.waiting.extend_from_slice(now);
            }
        }
    }

    /// Analyses the events that wait; `settle` if the slice ends.
    fn flush(&mut self, id: ThreadId, thread: &mut Thread, settle: bool) {
        let mut sums = Sums::default();
        let events = &thread.waiting;
        thread.sequence.push(events, &mut self.shared, &mut sums);
        if settle {
            thread.sequence.settle(&mut sums);
        }
        if self.settings.parts.recurrent {
            let spot = Spot {
                thread: id,
                first: thread.first,
                slice: thread.slice,
            };
            self.grammar.push(events, spot, self.prices.as_deref());
        }
        thread.first += events.len() as u64;
        thread.waiting.clear();
        self.add(id, thread.slice, &sums);
    }

    fn end(&mut self, id: ThreadId, thread: &mut Thread) {
        self.flush(id, thread, false);
        let mut sums = Sums::default();
        thread.sequence.finish(&mut sums);
        self.add(id, thread.slice, &sums);
    }

    fn add(&mut self, id: ThreadId, slice: usize, sums: &Sums) {
        if let Some(slice) = self.slices.get_mut(slice) {
            slice.add(sums);
        }
        if self.settings.per_thread {
            self.threads.entry(id).or_default().add(sums);
        }
    }

    /// The answer.
    pub fn finish(mut self) -> Patterns {
        let mut going: Vec<(ThreadId, Thread)> = self.going.drain().collect();
        going.sort_by_key(|(id, _)| *id);
        for (id, mut thread) in going {
            self.end(id, &mut thread);
        }
        let longest = if self.settings.parts.loops {
            self.settings.longest_loop
        } else {
            0
        };
        let mut whole = Sums::default();
        self.slices.iter().for_each(|slice| whole.add(slice));
        let dictionary = &self.dictionary;
        let invocations = census::by_method(dictionary, &self.shared.counts);
        let top = self.settings.top;
        let notes = self.notes();
        Patterns {
            recorded: Recorded {
                events: whole.facts.events,
                left_out: self.extent.left_out(),
                threads: self
                    .extent
                    .threads
                    .values()
                    .filter(|t| t.events > 0)
                    .count(),
                classes: dictionary.classes.len(),
                methods: dictionary.methods.len(),
                kinds: dictionary.kinds.len(),
                time_ns: self.extent.time_ns,
            },
            windows: self.windows,
            threads: self
                .threads
                .iter()
                .map(|(id, sums)| ThreadMeasures {
                    thread: id.0,
                    name: dictionary.threads.get(id).cloned(),
                    measures: sums.measures(longest),
                })
                .collect(),
            slices: self.slice_measures(longest),
            distances: census::distances(dictionary, &self.shared.hierarchy, &self.shared.counts),
            sizes: census::sizes(dictionary, &invocations),
            natives: census::natives(dictionary, &invocations, top),
            neighbours: self.neighbours(),
            recurrent: self.recurrent(whole.facts.events),
            whole: whole.measures(longest),
            notes,
        }
    }

    fn slice_measures(&self, longest: usize) -> Vec<SliceMeasures> {
        if self.slices.len() == 1 {
            return Vec::new();
        }
        let slices = self.slices.iter().enumerate();
        let measures = slices.map(|(at, sums)| {
            let (from, to, unit) = self.timeline.bounds(at);
            SliceMeasures {
                from,
                to,
                unit,
                measures: sums.measures(longest),
            }
        });
        measures.collect()
    }

    fn neighbours(&self) -> Vec<patterns::Neighbours> {
        if !self.settings.parts.neighbours {
            return Vec::new();
        }
        let ranked = Dimension::ALL.map(|dimension| {
            let pairs = self
                .shared
                .neighbours
                .pairs(dimension, &self.shared.columns);
            patterns::Neighbours {
                dimension,
                ranked: ranking::rank(&pairs, dimension, &self.dictionary, self.settings.top),
            }
        });
        ranked.into()
    }

    fn recurrent(&self, events: u64) -> Vec<recurrent::Recurrent> {
        let priced = self.prices.as_ref().map(|prices| {
            let parts = prices.iter().zip(&self.shared.counts);
            parts.map(|(price, &count)| price * count as f64).sum()
        });
        let top = self.settings.top;
        recurrent::rank(&self.grammar, &self.dictionary, events, priced, top)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Ending::Cut(stop) = &self.extent.ending {
            notes.push(format!(
                "the file is cut {stop}; what stands before is analysed"
            ));
        }
        let left_out = self.extent.left_out();
        if left_out > 0 {
            notes.push(format!(
                "the recording left out {left_out} events; no pattern spans such a gap"
            ));
        }
        let longest = self.extent.threads.values().map(|t| t.events).max();
        let largest = self.windows.iter().max().copied().unwrap_or(1);
        if longest.is_some_and(|longest| longest < largest) {
            notes.push(format!(
                "no thread has as many events as the window of {largest}; the window is then all of a thread"
            ));
        }
        let dropped = self.shared.neighbours.dropped();
        if dropped > 0 {
            notes.push(format!(
                "{dropped} events stand beside pairs too rare to be kept; neighbours leave them out"
            ));
        }
        if self.grammar.forgotten > 0 {
            notes.push(format!(
                "{} rare sequences were forgotten to save memory",
                self.grammar.forgotten
            ));
        }
        notes
    }
}
