//! Quantiles of more numbers than fit in memory, exactly, by selection over several passes.
//!
//! The order of finite `f64` is the order of their bits read as integers, once the negative ones are turned round
//! (radix selection, Knuth, *The Art of Computer Programming* 3, §5.2.5). A pass counts the leading bits of all numbers;
//! the next one keeps those numbers whose leading bits are the ones of a wanted rank, or, where these are still too
//! many, counts their next bits. Definition of a quantile: R's type 7.
//!
//! Up to [`KEPT`] numbers are simply kept.

use std::collections::BTreeMap;

/// Numbers kept in memory before counting begins: 32 MiB.
pub const KEPT: usize = 1 << 22;
/// Bits told apart in one pass.
const DIGIT: u32 = 20;

/// Minimum, quartiles and maximum.
const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// An integer that is ordered like the number.
fn key(x: f64) -> u64 {
    let bits = (x + 0.0).to_bits(); // −0 becomes 0
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

fn number(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 {
        key & !(1 << 63)
    } else {
        !key
    })
}

/// A prefix of the keys that holds wanted ranks.
#[derive(Clone, Debug)]
enum Bin {
    /// Its numbers by their next bits.
    Counted(Vec<u64>),
    /// All of its keys.
    Kept(Vec<u64>),
}

/// Selection of order statistics; feed it the same numbers in every pass until [`Selection::end_pass`] says it is done.
#[derive(Clone, Debug)]
pub struct Selection {
    shares: Vec<f64>,
    limit: usize,
    count: u64,
    /// Leading bits counted so far.
    depth: u32,
    /// Prefix of `depth` bits → what is known below it, and the numbers smaller than the prefix.
    bins: BTreeMap<u64, (u64, Bin)>,
    found: BTreeMap<u64, f64>,
    first: bool,
}

impl Selection {
    /// For quantiles at `shares` of all numbers.
    pub fn new(shares: &[f64]) -> Self {
        Self::with_limit(shares, KEPT)
    }

    /// Minimum, quartiles and maximum.
    pub fn five() -> Self {
        Self::new(&SHARES)
    }

    /// Keeps at most `limit` numbers at a time.
    pub fn with_limit(shares: &[f64], limit: usize) -> Self {
        Self {
            shares: shares.to_vec(),
            limit: limit.max(1),
            count: 0,
            depth: 0,
            bins: BTreeMap::from([(0, (0, Bin::Kept(Vec::new())))]),
            found: BTreeMap::new(),
            first: true,
        }
    }

    /// One number of the pass.
    pub fn push(&mut self, x: f64) {
        let key = key(x);
        if self.first {
            self.count += 1;
        }
        let prefix = if self.depth == 0 {
            0
        } else {
            key >> (64 - self.depth)
        };
        let Some((_, bin)) = self.bins.get_mut(&prefix) else {
            return;
        };
        match bin {
            Bin::Kept(keys) => {
                keys.push(key);
                if keys.len() > self.limit {
                    // Only the first pass can be surprised: later bins have been counted.
                    let mut counts = vec![0; 1 << DIGIT];
                    for key in keys.iter() {
                        counts[digit(*key, self.depth)] += 1;
                    }
                    *bin = Bin::Counted(counts);
                }
            }
            Bin::Counted(counts) => counts[digit(key, self.depth)] += 1,
        }
    }

    /// Ends a pass; true if another one is needed.
    pub fn end_pass(&mut self) -> bool {
        self.first = false;
        let wanted = self.wanted();
        let depth = (self.depth + DIGIT).min(64);
        let mut next = BTreeMap::new();
        for (prefix, (below, bin)) in std::mem::take(&mut self.bins) {
            match bin {
                Bin::Kept(mut keys) => {
                    for rank in &wanted {
                        let inside = rank.wrapping_sub(below) as usize;
                        if *rank >= below && inside < keys.len() {
                            let (_, key, _) = keys.select_nth_unstable(inside);
                            self.found.insert(*rank, number(*key));
                        }
                    }
                }
                Bin::Counted(counts) => {
                    let bits = depth - self.depth;
                    self.open(&mut next, below, &counts, &wanted, |d| {
                        prefix << bits | d as u64
                    });
                }
            }
        }
        self.depth = depth;
        self.bins = next;
        !self.bins.is_empty()
    }

    /// Sorts the ranks that fall among counted numbers into bins for the next pass.
    fn open(
        &mut self,
        next: &mut BTreeMap<u64, (u64, Bin)>,
        mut below: u64,
        counts: &[u64],
        wanted: &[u64],
        prefix: impl Fn(usize) -> u64,
    ) {
        let last = self.depth + DIGIT >= 64;
        for (d, &count) in counts.iter().enumerate() {
            let inside: Vec<u64> = wanted
                .iter()
                .copied()
                .filter(|r| (below..below + count).contains(r))
                .collect();
            if !inside.is_empty() {
                if last {
                    let key = prefix(d);
                    self.found.extend(inside.iter().map(|r| (*r, number(key))));
                } else {
                    let bin = if count as usize <= self.limit {
                        Bin::Kept(Vec::with_capacity(count as usize))
                    } else {
                        Bin::Counted(vec![0; 1 << DIGIT])
                    };
                    next.insert(prefix(d), (below, bin));
                }
            }
            below += count;
        }
    }

    /// Ranks around every share.
    fn wanted(&self) -> Vec<u64> {
        let mut ranks = Vec::new();
        for share in &self.shares {
            let (low, _) = position(*share, self.count);
            ranks.extend([low, (low + 1).min(self.count.saturating_sub(1))]);
        }
        ranks.sort_unstable();
        ranks.dedup();
        ranks.retain(|r| *r < self.count);
        ranks
    }

    /// The quantiles, once no more pass is needed; NaN where there are no numbers.
    pub fn quantiles(&self) -> Vec<f64> {
        let at = |share: &f64| {
            let (low, part) = position(*share, self.count);
            let high = (low + 1).min(self.count.saturating_sub(1));
            match (self.found.get(&low), self.found.get(&high)) {
                (Some(a), Some(b)) => a + part * (b - a),
                _ => f64::NAN,
            }
        };
        self.shares.iter().map(at).collect()
    }
}

/// Rank below a share of `count` numbers, and how far on the way to the next.
fn position(share: f64, count: u64) -> (u64, f64) {
    let at = share * count.saturating_sub(1) as f64;
    (at.floor() as u64, at - at.floor())
}

/// The next bits of a key after `depth` ones.
fn digit(key: u64, depth: u32) -> usize {
    let bits = DIGIT.min(64 - depth);
    (key << depth >> (64 - bits)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn select(numbers: &[f64], limit: usize) -> (Vec<f64>, usize) {
        let shares = [0.0, 0.05, 0.25, 0.5, 0.75, 1.0];
        let mut selection = Selection::with_limit(&shares, limit);
        for pass in 1.. {
            for x in numbers {
                selection.push(*x);
            }
            if !selection.end_pass() {
                return (selection.quantiles(), pass);
            }
        }
        unreachable!("there are finitely many bits")
    }

    fn sorted(numbers: &[f64]) -> Vec<f64> {
        [0.0, 0.05, 0.25, 0.5, 0.75, 1.0]
            .iter()
            .map(|s| pricetag_quantity::quantile(numbers, *s).unwrap_or(f64::NAN))
            .collect()
    }

    #[test]
    fn passes_give_the_quantiles_of_the_sorted_numbers() {
        let mut state = 7_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let wide: Vec<f64> = (0..5000)
            .map(|_| random() * 10f64.powf(600.0 * random()))
            .collect();
        let near: Vec<f64> = (0..5000).map(|_| 1.0 + 1e-13 * random()).collect();
        let few: Vec<f64> = (0..5000).map(|i| f64::from(i % 3) - 1.0).collect();
        let same = vec![-0.25; 5000];
        for (name, numbers) in [("wide", wide), ("near", near), ("few", few), ("same", same)] {
            for limit in [1, 10, 1000, 100_000] {
                let (found, passes) = select(&numbers, limit);
                assert_eq!(found, sorted(&numbers), "{name}, {limit} kept");
                assert!(passes <= 4, "{name}: {passes} passes");
            }
        }
    }

    #[test]
    fn few_numbers_and_none() {
        assert_eq!(select(&[3.0], 10).0, vec![3.0; 6]);
        assert_eq!(select(&[-0.0, 0.0, -1.0], 1).0, sorted(&[0.0, 0.0, -1.0]));
        assert!(select(&[], 10).0.iter().all(|q| q.is_nan()));
    }
}
