//! When each event was: a recording tells it of the first event of most blocks, and what lies between is shared out evenly.
//!
//! Behind the last known time of a thread its own pace goes on, or that of all threads if it has none, up to the end of the recording. So a
//! time in the picture is known to a block's length, and no better.

use std::collections::BTreeMap;
use std::io::Read;

use pricetag_events::{Dictionary, Ending, Extent, Reader, Stop, ThreadId};

/// Known times of a recording, and how much it holds.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    threads: BTreeMap<ThreadId, Known>,
    /// ns per event over all threads.
    pace: Option<f64>,
    /// The first and the last time told, ns.
    range: Option<(u64, u64)>,
}

#[derive(Clone, Debug, Default)]
struct Known {
    /// Number of an event in its thread, and its time, ns; both rise.
    times: Vec<(u64, u64)>,
    /// One more than the last event.
    end: u64,
}

impl Known {
    /// ns per event between the first and the last known time.
    fn pace(&self) -> Option<f64> {
        let (first, last) = (self.times.first()?, self.times.last()?);
        (last.0 > first.0).then(|| (last.1 - first.1) as f64 / (last.0 - first.0) as f64)
    }
}

impl Clock {
    /// Reads the heads of all blocks.
    ///
    /// # Errors
    /// If it is no file of events.
    pub fn scan<R: Read>(source: R) -> Result<(Self, Extent, Dictionary), Stop> {
        let mut reader = Reader::new(source)?;
        let (mut clock, mut extent) = (Self::default(), Extent::default());
        for block in reader.by_ref() {
            extent.add(&block);
            let known = clock.threads.entry(block.place.thread).or_default();
            known.end = block.first + u64::from(block.count);
            if let Some(ns) = block.place.start_ns {
                // A clock that went back stands still instead.
                let ns = known.times.last().map_or(ns, |last| ns.max(last.1));
                known.times.push((block.first, ns));
            }
        }
        extent.ending = reader.ending().clone();
        if let Ending::Whole(Some(end)) = extent.ending {
            extent.at(end);
        }
        clock.range = extent.time_ns.filter(|(from, to)| from < to);
        let paces = clock.threads.values().filter_map(|known| {
            let (first, last) = (known.times.first()?, known.times.last()?);
            (last.0 > first.0).then(|| (last.1 - first.1, last.0 - first.0))
        });
        let (ns, events) = paces.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        clock.pace = (events > 0).then(|| ns as f64 / events as f64);
        Ok((clock, extent, reader.into_dictionary()))
    }

    /// The first and the last time told, ns; none if there are not two.
    pub fn range(&self) -> Option<(u64, u64)> {
        self.range
    }

    /// When an event began, ns, or its thread ended if there is no such event; none if no time of the thread is known.
    pub fn ns(&self, thread: ThreadId, event: u64) -> Option<u64> {
        let (from, to) = self.range?;
        let known = self.threads.get(&thread)?;
        let after = known.times.partition_point(|(number, _)| *number <= event);
        let Some(&(number, ns)) = after.checked_sub(1).and_then(|at| known.times.get(at)) else {
            let &(number, ns) = known.times.first()?;
            let back = self.going(known).unwrap_or(0.0) * (number - event) as f64;
            return Some(ns.saturating_sub(back as u64).max(from));
        };
        let past = event - number;
        if let Some(&(next, then)) = known.times.get(after) {
            let share = past as f64 / (next - number) as f64;
            return Some(ns + ((then - ns) as f64 * share) as u64);
        }
        let left = (known.end - number).max(1);
        let pace = self
            .going(known)
            .unwrap_or((to - ns.min(to)) as f64 / left as f64);
        Some(ns.saturating_add((pace * past as f64) as u64).min(to))
    }

    fn going(&self, known: &Known) -> Option<f64> {
        known.pace().or(self.pace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pricetag_events::text::import;

    fn clock(dynamic: &str) -> Clock {
        let facts = "class A\nmethod A f\nevent 0 A A f\n";
        let file = import(facts, dynamic.as_bytes()).unwrap();
        Clock::scan(file.as_slice()).unwrap().0
    }

    #[test]
    fn between_known_times_it_is_even() {
        let clock = clock("thread 1\nat 100\n0*10\nat 200\n0*20\nend 1000\n");
        assert_eq!(clock.range(), Some((100, 1000)));
        let at = |event| clock.ns(ThreadId(1), event);
        assert_eq!([at(0), at(5), at(10)], [Some(100), Some(150), Some(200)]);
        // The pace of ten goes on.
        assert_eq!([at(20), at(30)], [Some(300), Some(400)]);
        assert_eq!(clock.ns(ThreadId(2), 0), None);
    }

    #[test]
    fn a_single_time_reaches_to_the_end() {
        let clock = clock("thread 1\nat 100\n0*10\nend 200\n");
        assert_eq!(clock.ns(ThreadId(1), 5), Some(150));
        assert_eq!(clock.ns(ThreadId(1), 10), Some(200));
    }

    #[test]
    fn without_times_there_are_none() {
        let clock = clock("0*10\n");
        assert_eq!((clock.range(), clock.ns(ThreadId(0), 3)), (None, None));
    }
}
