//! The picture of a sequence of invocations: which classes and methods were called when, as a page of its own.
//!
//! After the invocation graph of Hwang & Huang ("Dynamic Java Program Corpus Analysis, Part 1", figure 7): time to the right, receiver's class,
//! method's class or method upwards. It is drawn by the page; what is drawn from is made here, in one pass and in bounded memory: density at several levels of
//! detail (`pyramid`), single calls up to a size (`calls`), and where patterns stand (`marks`).
//! The order of the calls is that of the file, which interleaves threads block by block; within a thread it is exact.

mod calls;
mod clock;
mod marks;
mod pack;
mod payload;
mod pyramid;
mod top;

use std::collections::BTreeMap;
use std::ops::Range;

use pricetag_events::{Dictionary, Extent, Place, Symbol, ThreadId};
use serde_json::Value;

use crate::markup::Markup;
use calls::{Calls, Run};
use marks::{Axis, Marks};
use pyramid::Pyramid;

pub use clock::Clock;

/// Lanes at most: threads with most events have one of their own, the others share one.
const LANES: usize = 12;

/// What a page may hold.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Bytes of single calls, packed.
    pub calls: usize,
    /// Entries of each axis's finest level of detail; each takes some two bytes.
    pub entries: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            calls: 24 << 20,
            entries: 3 << 20,
        }
    }
}

/// A pattern that is to be marked.
#[derive(Clone, Debug)]
pub struct PictureMark {
    /// Kinds of invocation in it; empty if it was not looked for.
    pub kinds: Vec<Symbol>,
}

/// What the page says beside the picture.
#[derive(Clone, Debug, Default)]
pub struct PictureFacts {
    /// Title of the page.
    pub title: String,
    /// Which run it is.
    pub input: String,
    /// What analyses found, as `pricetag patterns --json` prints it; its recurrent sequences are those that are marked, in their order.
    pub analysis: Value,
    /// ns per invocation by method.
    pub prices: Option<Vec<f64>>,
    /// What limits trust, in words, beside what the analyses say.
    pub notes: Vec<String>,
}

/// A block that has come, to find events again.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    first: u64,
    count: u64,
    /// Number of its first event in the file.
    at: u64,
    ns: Option<(u64, u64)>,
}

/// Events that the recording left out.
#[derive(Clone, Copy, Debug)]
struct Gap {
    thread: usize,
    at: u64,
    events: u64,
    ns: Option<u64>,
}

/// A thread of the picture.
#[derive(Clone, Debug)]
struct Strand {
    id: ThreadId,
    lane: u32,
    events: u64,
    left_out: u64,
}

/// A picture that is being made.
#[derive(Debug)]
pub struct Picture {
    dictionary: Dictionary,
    clock: Clock,
    strands: Vec<Strand>,
    place: BTreeMap<ThreadId, usize>,
    stretches: Vec<Vec<Stretch>>,
    lanes: u32,
    /// By number of event, and by time.
    pyramids: [Option<Pyramid>; 2],
    axes: [Option<Axis>; 2],
    calls: Calls,
    window: Range<u64>,
    marks: Vec<Marks>,
    wanted: Vec<PictureMark>,
    gaps: Vec<Gap>,
    gaps_untold: u64,
    counts: Vec<u64>,
    /// Number of the first event of each kind.
    first: Vec<u64>,
    at: u64,
    untimed: u64,
}

/// Gaps that are drawn.
const GAPS: usize = 2000;

impl Picture {
    /// Begins; the three are what [`Clock::scan`] found, `window` is which single calls are kept (by their numbers in the file, all by default).
    pub fn new(
        (clock, extent, dictionary): (Clock, Extent, Dictionary),
        wanted: Vec<PictureMark>,
        window: Option<Range<u64>>,
        budget: Budget,
    ) -> Self {
        let kinds = dictionary.kinds.len();
        let total = extent.total();
        let strands = strands(&extent);
        let lanes = strands.iter().map(|s| s.lane + 1).max().unwrap_or(1);
        let cells = kinds * lanes as usize;
        let place = strands.iter().enumerate().map(|(at, s)| (s.id, at));
        let by_events = (total > 0).then(|| Pyramid::new(0, total, cells, budget.entries));
        let by_time = clock
            .range()
            .map(|(from, to)| Pyramid::new(0, to - from + 1, cells, budget.entries));
        let pyramids = [by_events, by_time];
        let axes = [0, 1].map(|at: usize| pyramids[at].as_ref().map(|p| Axis::new(p.range())));
        let window = window.map_or(0..total, |w| w.start.min(total)..w.end.min(total));
        Self {
            place: place.collect(),
            stretches: vec![Vec::new(); strands.len()],
            calls: Calls::new(window.clone(), kinds, budget.calls),
            window,
            marks: vec![Marks::default(); wanted.len()],
            counts: vec![0; kinds],
            first: vec![u64::MAX; kinds],
            dictionary,
            clock,
            strands,
            lanes,
            pyramids,
            axes,
            wanted,
            gaps: Vec::new(),
            gaps_untold: 0,
            at: 0,
            untimed: 0,
        }
    }

    /// Takes the next block of the file.
    pub fn block(&mut self, place: Place, first: u64, events: &[Symbol]) {
        let Some(&thread) = self.place.get(&place.thread) else {
            return;
        };
        let count = events.len() as u64;
        // Times count from the first one that is told.
        let origin = self.clock.range().map_or(0, |(from, _)| from);
        let time = |event| {
            self.clock
                .ns(place.thread, event)
                .map(|ns| ns - origin.min(ns))
        };
        let begin = time(first);
        let ns = begin.zip(time(first + count));
        if place.left_out > 0 {
            self.gap(Gap {
                thread,
                at: self.at,
                events: place.left_out,
                ns: begin,
            });
        }
        if events.is_empty() {
            return;
        }
        for (at, event) in (self.at..).zip(events) {
            if let Some(sum) = self.counts.get_mut(event.index()) {
                *sum += 1;
                if *sum == 1 {
                    self.first[event.index()] = at;
                }
            }
        }
        let cell = self.strands[thread].lane * self.dictionary.kinds.len() as u32;
        if let Some(pyramid) = &mut self.pyramids[0] {
            pyramid.add(self.at, self.at + count, events, cell);
        }
        match (&mut self.pyramids[1], ns) {
            (Some(pyramid), Some((from, to))) => pyramid.add(from, to, events, cell),
            (Some(_), None) => self.untimed += count,
            (None, _) => {}
        }
        self.calls.add(self.at, events, Run { thread, first, ns });
        self.stretches[thread].push(Stretch {
            first,
            count,
            at: self.at,
            ns,
        });
        self.at += count;
    }

    fn gap(&mut self, gap: Gap) {
        if self.gaps.len() < GAPS {
            self.gaps.push(gap);
        } else {
            self.gaps_untold += 1;
        }
    }

    /// Marks an occurrence of a pattern: events of a thread that have come.
    pub fn mark(&mut self, pattern: usize, thread: ThreadId, events: &Range<u64>) {
        let (Some(marks), Some(&thread)) = (self.marks.get_mut(pattern), self.place.get(&thread))
        else {
            return;
        };
        marks.count += 1;
        marks.events += events.end - events.start;
        let lane = self.strands[thread].lane;
        let stretches = &self.stretches[thread];
        let from = stretches.partition_point(|s| s.first + s.count <= events.start);
        for stretch in stretches.get(from..).unwrap_or_default() {
            if stretch.first >= events.end {
                break;
            }
            let begin = events.start.max(stretch.first) - stretch.first;
            let end = events.end.min(stretch.first + stretch.count) - stretch.first;
            let range = stretch.at + begin..stretch.at + end;
            if let Some(axis) = self.axes[0] {
                marks.cover(0, axis, lane, range.clone(), end - begin);
            }
            if let (Some(axis), Some((from, to))) = (self.axes[1], stretch.ns) {
                let at = |event: u64| {
                    from + ((to - from) as f64 * event as f64 / stretch.count as f64) as u64
                };
                marks.cover(1, axis, lane, at(begin)..at(end), end - begin);
            }
            marks.keep(&range, &self.window);
        }
    }

    /// The page.
    pub fn finish(self, facts: &PictureFacts) -> String {
        let mut markup = Markup::default();
        top::write(&mut markup, &self, facts);
        let title = facts.title.clone();
        let (data, parts) = payload::payload(self, facts);
        let script = format!("\n\"use strict\";\n(() => {{\n{}}})();\n", SCRIPTS.concat());
        markup.page(&title, STYLES, data, &parts, &script)
    }
}

const STYLES: &[&str] = &[crate::STYLE, include_str!("page/picture/picture.css")];
const SCRIPTS: [&str; 11] = [
    include_str!("page/figure.js"),
    include_str!("page/dom.js"),
    include_str!("page/frame.js"),
    include_str!("page/picture/data.js"),
    include_str!("page/picture/rows.js"),
    include_str!("page/picture/paint.js"),
    include_str!("page/picture/fill.js"),
    include_str!("page/picture/view.js"),
    include_str!("page/picture/point.js"),
    include_str!("page/picture/beside.js"),
    include_str!("page/picture/main.js"),
];

/// Threads in the order of their numbers, each with its lane.
fn strands(extent: &Extent) -> Vec<Strand> {
    let mut by_size: Vec<(u64, ThreadId)> = extent
        .threads
        .iter()
        .map(|(id, thread)| (thread.events, *id))
        .collect();
    by_size.sort_by_key(|&(events, id)| (std::cmp::Reverse(events), id));
    // One more would need a lane to share, which then is as good its own.
    let own = if by_size.len() <= LANES {
        LANES
    } else {
        LANES - 1
    };
    let mut alone: Vec<ThreadId> = by_size.iter().take(own).map(|(_, id)| *id).collect();
    alone.sort_unstable();
    let lane = |id: &ThreadId| alone.binary_search(id).unwrap_or(alone.len()) as u32;
    let threads = extent.threads.iter();
    threads
        .map(|(id, thread)| Strand {
            id: *id,
            lane: lane(id),
            events: thread.events,
            left_out: thread.left_out,
        })
        .collect()
}
