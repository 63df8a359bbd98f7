//! When to look at something of unknown length: at most so many times, evenly spread whatever the length turns out to be.
//!
//! Time is counted in calls of the helper. When there are too many looks, every second one is given up and the interval doubles.

/// Longest step, half the largest number of calls the helper can count.
const LONGEST: i32 = 1 << 30;
/// Looks kept at most, an even number.
const KEPT: usize = 32;

/// Looks so far, in units of `unit` calls.
#[derive(Debug)]
pub struct Intervals<T> {
    /// Calls in the first intervals.
    unit: i32,
    /// Calls from one look to the next; 0 before the first.
    interval: u64,
    /// Calls the helper counts now: the interval, or a part of one that is too long for its counter.
    step: u64,
    /// Calls since the last look.
    since: u64,
    /// All calls so far.
    over: u64,
    kept: Vec<T>,
}

impl<T> Intervals<T> {
    /// Nothing has been counted yet; the first intervals have so many calls.
    pub fn new(unit: i32) -> Self {
        Self {
            unit,
            interval: 0,
            step: 0,
            since: 0,
            over: 0,
            kept: Vec::new(),
        }
    }

    /// All calls so far.
    pub fn over(&self) -> u64 {
        self.over
    }

    /// The looks that are kept.
    pub fn into_kept(self) -> Vec<T> {
        self.kept
    }

    /// Begins the first interval, or notes that a step is over: whether a look is due.
    pub fn advance(&mut self) -> bool {
        self.over += self.step;
        self.since += self.step;
        let due = self.interval > 0 && self.since >= self.interval;
        if due {
            self.since = 0;
        }
        self.interval = self.interval.max(1);
        due
    }

    /// Calls of the next step.
    pub fn begin(&mut self) -> i32 {
        let longest = LONGEST.unsigned_abs() / self.unit.unsigned_abs();
        self.step = (self.interval - self.since).clamp(1, u64::from(longest));
        i32::try_from(self.step).map_or(LONGEST, |step| step * self.unit)
    }

    /// Keeps a look; which ones are given up.
    pub fn keep(&mut self, look: T) -> Vec<T> {
        self.kept.push(look);
        if self.kept.len() < KEPT {
            return Vec::new();
        }
        self.interval *= 2;
        let all = std::mem::take(&mut self.kept);
        let (mut gone, mut odd) = (Vec::new(), true);
        for look in all {
            if odd { &mut gone } else { &mut self.kept }.push(look);
            odd = !odd;
        }
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_stay_few_and_evenly_spread() {
        const FIRST: i32 = 512;
        let mut state = Intervals::new(FIRST);
        let mut alive: Vec<u64> = Vec::new();
        let mut calls = 0;
        assert!(!state.advance());
        // Long enough for intervals beyond what the helper can count.
        while state.interval < 8 * u64::from(LONGEST.unsigned_abs() / FIRST.unsigned_abs()) {
            let step = state.begin();
            assert!((FIRST..=LONGEST).contains(&step));
            calls += u64::from((step / FIRST).unsigned_abs());
            if !state.advance() {
                continue;
            }
            assert_eq!(state.over(), calls);
            alive.push(state.over());
            let gone = state.keep(state.over());
            alive.retain(|n| !gone.contains(n));
            assert!(alive.len() < KEPT);
        }
        let gaps: Vec<u64> = alive.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|gap| *gap == gaps[0]), "{gaps:?}");
        assert_eq!(gaps[0], state.interval);
        assert_eq!(alive[0], gaps[0]);
        assert_eq!(state.into_kept(), alive);
    }
}
