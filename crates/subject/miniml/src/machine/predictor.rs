//! Which branches a processor would not foresee: tables of counters, addressed by the branch and by ever more of the outcomes before it.
//!
//! Seznec and Michaud, *A case for (partially) tagged geometric history length branch prediction* (JILP 8, 2006), with four tables and one of the branch alone. An
//! entry that is taken over belongs to whoever missed last. Limits: processors remember longer histories and may know by heart short inputs that
//! they have seen before; the machine tests more often than native code does, but what it tests twice is foreseen the second time.

/// Counters in each table: a power of two.
const COUNTERS: usize = 1 << 12;

/// Outcomes that each table looks at.
const LENGTHS: [u32; 4] = [6, 16, 48, 128];

#[derive(Clone, Copy, Default)]
struct Entry {
    tag: u16,
    /// 0 to 7, from 4 on: taken.
    counter: u8,
}

/// A predictor and what it has seen.
pub(super) struct Predictor {
    plain: Vec<u8>,
    tables: [Vec<Entry>; 4],
    history: u128,
    returns: Returns,
}

/// Places that calls return to: the innermost are foreseen; further out they are foreseen as targets of jumps are, by the places and outcomes before.
struct Returns {
    /// Calls whose place is known.
    known: usize,
    /// For each length of history.
    targets: [Vec<Target>; 5],
}

/// A place that was returned to.
#[derive(Clone, Copy, Default)]
struct Target {
    tag: u16,
    place: u32,
    /// Whether it was right the last time: else another takes its place.
    sure: bool,
}

/// Outcomes that each table of places looks at.
const FURTHER: [u32; 5] = [1, 6, 16, 48, 128];

impl Returns {
    /// Learns a place further out; whether it came unforeseen.
    fn misses(&mut self, place: u32, history: u128) -> bool {
        let place_of = |i: usize| address(0, history, FURTHER[i]);
        let found = (0..FURTHER.len()).rev().find(|&i| {
            let (at, tag) = place_of(i);
            self.targets[i][at].tag == tag
        });
        let mut missed = true;
        if let Some(i) = found {
            let target = &mut self.targets[i][place_of(i).0];
            missed = target.place != place;
            if missed && !target.sure {
                target.place = place;
            }
            target.sure = !missed;
        }
        let next = found.map_or(0, |i| i + 1);
        if missed && let Some(table) = self.targets.get_mut(next) {
            let (at, tag) = place_of(next);
            table[at] = Target {
                tag,
                place,
                sure: false,
            };
        }
        missed
    }
}

/// Places a processor keeps.
const PLACES: usize = 24;

impl Default for Predictor {
    fn default() -> Self {
        Self {
            plain: vec![4; COUNTERS],
            tables: std::array::from_fn(|_| vec![Entry::default(); COUNTERS]),
            history: 0,
            returns: Returns {
                known: 0,
                targets: std::array::from_fn(|_| vec![Target::default(); COUNTERS]),
            },
        }
    }
}

/// A counter that moves one step.
#[inline]
fn step(counter: &mut u8, up: bool) {
    *counter = if up {
        (*counter + 1).min(7)
    } else {
        counter.saturating_sub(1)
    };
}

/// Place and tag of a branch with so much of its history.
#[inline]
fn address(branch: usize, history: u128, length: u32) -> (usize, u16) {
    let recent = history & (u128::MAX >> (128 - length));
    let folded = (recent >> 64) as u64 ^ (recent as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mixed = (folded ^ folded >> 32 ^ branch as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed >> 52) as usize % COUNTERS, (mixed >> 36) as u16 | 1)
}

impl Predictor {
    /// A call begins.
    #[inline]
    pub(super) fn enter(&mut self) {
        self.returns.known = (self.returns.known + 1).min(PLACES);
    }

    /// Calls are left by an exception.
    #[inline]
    pub(super) fn abandon(&mut self, calls: usize) {
        self.returns.known = self.returns.known.saturating_sub(calls);
    }

    /// A call returns to a place; whether that came unforeseen.
    #[inline]
    pub(super) fn misses_return(&mut self, place: usize) -> bool {
        let foreseen = self.returns.known > 0;
        let missed = if foreseen {
            self.returns.known -= 1;
            false
        } else {
            self.returns.misses(place as u32, self.history)
        };
        // More bits than it is shifted by: places that are near each other must not look alike.
        let mixed = (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48;
        self.history = self.history << 2 ^ u128::from(mixed);
        missed
    }

    /// Learns a branch's outcome; whether it came unforeseen.
    #[inline]
    pub(super) fn misses(&mut self, branch: usize, taken: bool) -> bool {
        let plain = branch % COUNTERS;
        let mut guess = self.plain[plain] >= 4;
        let mut found = None;
        let mut places = [(0, 0); 4];
        for (i, length) in LENGTHS.into_iter().enumerate() {
            let (place, tag) = address(branch, self.history, length);
            places[i] = (place, tag);
            let entry = self.tables[i][place];
            if entry.tag == tag {
                guess = entry.counter >= 4;
                found = Some(i);
            }
        }
        match found {
            Some(i) => step(&mut self.tables[i][places[i].0].counter, taken),
            None => step(&mut self.plain[plain], taken),
        }
        let missed = guess != taken;
        let next = found.map_or(0, |i| i + 1);
        if missed && next < LENGTHS.len() {
            let (place, tag) = places[next];
            let counter = if taken { 4 } else { 3 };
            self.tables[next][place] = Entry { tag, counter };
        }
        self.history = self.history << 1 | u128::from(taken);
        missed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Misses among the last so many outcomes of one branch.
    fn misses(outcomes: impl Iterator<Item = bool>, last: usize) -> usize {
        let mut predictor = Predictor::default();
        let missed: Vec<bool> = outcomes.map(|taken| predictor.misses(17, taken)).collect();
        missed[missed.len() - last..].iter().filter(|m| **m).count()
    }

    /// Bits of a shift register (Marsaglia's xorshift, 64 bits).
    fn random() -> impl Iterator<Item = bool> {
        let mut x = 88_172_645_463_325_252_u64;
        std::iter::repeat_with(move || {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x >> 40 & 1 == 1
        })
    }

    #[test]
    fn what_repeats_is_foreseen() {
        assert_eq!(misses((0..2000).map(|_| true), 1000), 0);
        for period in [2, 3, 7, 20, 60] {
            let found = misses((0..20_000).map(|i| i % period == 0), 1000);
            assert!(found <= 2, "{found} with period {period}");
        }
    }

    #[test]
    fn what_has_no_order_is_missed_half_the_time() {
        let found = misses(random().take(100_000), 50_000);
        assert!((22_000..28_000).contains(&found), "{found}");
    }

    /// Calls that call themselves, deeper than places are kept: only where they end is not foreseen.
    #[test]
    fn returns_to_one_place_are_foreseen_however_many() {
        let mut predictor = Predictor::default();
        let mut missed = 0;
        for depth in (25..90).cycle().take(500) {
            (0..depth).for_each(|_| predictor.enter());
            missed += (1..depth).filter(|_| predictor.misses_return(7)).count();
            missed += usize::from(predictor.misses_return(13));
        }
        assert!(missed < 1500, "{missed}");
    }

    /// Two such functions in turn: wherever they stand, one is not taken for the other.
    #[test]
    fn returns_of_two_functions_are_told_apart() {
        for at in 0..64 {
            let mut predictor = Predictor::default();
            let mut missed = 0;
            for place in [at, at + 3].into_iter().cycle().take(200) {
                (0..96).for_each(|_| {
                    predictor.misses(place, false);
                    predictor.enter();
                });
                missed += (0..95).filter(|_| predictor.misses_return(place)).count();
                predictor.misses_return(at + 8);
            }
            assert!(missed < 2000, "{at}: {missed}");
        }
    }

    #[test]
    fn returns_are_foreseen_as_far_as_their_places_are_kept() {
        let mut predictor = Predictor::default();
        let depth = 100;
        (0..depth).for_each(|_| predictor.enter());
        let mut places = random();
        let missed = (0..depth)
            .filter(|_| predictor.misses_return(usize::from(places.next() == Some(true))));
        let missed = missed.count();
        // Of those further out than that, half.
        let out = depth - PLACES;
        assert!((out / 4..=3 * out / 4).contains(&missed), "{missed}");
    }
}
