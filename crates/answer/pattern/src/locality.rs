//! Locality: how many different classes or methods a window of the sequence has, divided by its size, averaged over all positions.
//!
//! Hwang & Huang, "Method Invocation Localities". Instead of a window that slides, each occurrence is given the windows of which it is the last
//! occurrence: one look at where the same class stood before, so a step takes constant time and memory is the number of classes or methods,
//! however long the window. Lower is more local.

/// Distinct ids in a sliding window.
#[derive(Clone, Debug)]
pub struct Locality {
    window: u64,
    /// Position of the last occurrence plus one, by id; 0: none yet.
    last: Vec<u64>,
    position: u64,
    closed: u64,
}

/// What windows have added up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Windows {
    /// Distinct ids, summed over all windows.
    pub distinct: u64,
    /// Windows.
    pub count: u64,
}

impl Locality {
    /// Windows of `window` events (at least one) over ids below `ids`.
    pub fn new(window: u64, ids: usize) -> Self {
        Self {
            window: window.max(1),
            last: vec![0; ids],
            position: 0,
            closed: 0,
        }
    }

    /// The size of the window, events.
    pub fn window(&self) -> u64 {
        self.window
    }

    /// Takes the next events.
    ///
    /// # Panics
    /// If an id is not below the number given.
    pub fn push(&mut self, ids: &[u32]) {
        let window = self.window;
        let mut closed = 0;
        for (at, &id) in (self.position + 1..).zip(ids) {
            let last = &mut self.last[id as usize];
            // Windows that end from here to there have that occurrence as their last of this id.
            let (from, to) = ((*last).max(window), (*last + window).min(at));
            closed += to.saturating_sub(from);
            *last = at;
        }
        self.closed += closed;
        self.position += ids.len() as u64;
    }

    /// All windows so far. Takes time in proportion to the number of ids.
    pub fn windows(&self) -> Windows {
        let (window, end) = (self.window, self.position + 1);
        let open = self.last.iter().map(|&last| {
            let (from, to) = (last.max(window), (last + window).min(end));
            if last == 0 {
                0
            } else {
                to.saturating_sub(from)
            }
        });
        Windows {
            distinct: self.closed + open.sum::<u64>(),
            count: end.saturating_sub(window),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_everything_counts_everything() {
        let mut locality = Locality::new(4, 3);
        locality.push(&[0, 1, 0, 2]);
        assert_eq!(
            locality.windows(),
            Windows {
                distinct: 3,
                count: 1
            }
        );
        locality.push(&[2, 2, 2]);
        // 1 0 2 2, then 0 2 2 2, then 2 2 2 2.
        assert_eq!(
            locality.windows(),
            Windows {
                distinct: 9,
                count: 4
            }
        );
    }

    #[test]
    fn a_window_longer_than_the_sequence_has_no_position() {
        let mut locality = Locality::new(9, 3);
        assert_eq!(locality.windows(), Windows::default());
        locality.push(&[0, 1, 0, 2]);
        assert_eq!(locality.windows(), Windows::default());
    }
}
