//! Where time may go in a part of a program: alternatives that go on at once, of which the longest counts.
//!
//! The roofline's rule (Williams, Waterman and Patterson, CACM 52, 2009) for many small parts: what takes longest hides the rest. With prices given, the
//! longest alternative of each part is known, and what is left is again a sum of counts times prices.

use std::collections::BTreeMap;

/// How often each construct runs.
pub type Counts = BTreeMap<String, f64>;

/// Alternatives of one part of a program.
pub type Region = Vec<Counts>;

/// The alternative of a part that takes longest and its time, the first of several.
pub fn longest_of<T>(alternatives: &[T], time: impl Fn(&T) -> f64) -> Option<(f64, &T)> {
    let times = alternatives.iter().map(|a| (time(a), a));
    times.reduce(|most, next| if next.0 > most.0 { next } else { most })
}

/// Counts of the longest alternative of each part together, at a price for each construct.
pub fn longest(regions: &[Region], price: &dyn Fn(&str) -> f64) -> Counts {
    let mut all = Counts::new();
    let time = |counts: &Counts| counts.iter().map(|(c, n)| n * price(c)).sum::<f64>();
    for (_, counts) in regions.iter().filter_map(|r| longest_of(r, time)) {
        for (construct, n) in counts {
            *all.entry(construct.clone()).or_default() += n;
        }
    }
    all
}

/// The name of a table's column for a construct in an alternative of a part.
pub fn column(region: usize, alternative: usize, construct: &str) -> String {
    format!("part {region}, alternative {alternative}: {construct}")
}

/// What [`column()`] names.
pub fn parse_column(name: &str) -> Option<(usize, usize, &str)> {
    let (region, rest) = name.strip_prefix("part ")?.split_once(", alternative ")?;
    let (alternative, construct) = rest.split_once(": ")?;
    Some((region.parse().ok()?, alternative.parse().ok()?, construct))
}

/// Adds a column's value to the parts it belongs to; whether it was such a column.
pub fn collect(regions: &mut Vec<Region>, name: &str, value: f64) -> bool {
    let Some((region, alternative, construct)) = parse_column(name) else {
        return false;
    };
    if value == 0.0 {
        return true;
    }
    if regions.len() <= region {
        regions.resize(region + 1, Region::new());
    }
    let region = &mut regions[region];
    if region.len() <= alternative {
        region.resize(alternative + 1, Counts::new());
    }
    region[alternative].insert(construct.to_owned(), value);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(pairs: &[(&str, f64)]) -> Counts {
        let pairs = pairs.iter();
        pairs.map(|(c, n)| ((*c).to_owned(), *n)).collect()
    }

    #[test]
    fn the_longest_alternative_of_each_part_counts() {
        let regions = [
            vec![counts(&[("add", 4.0)]), counts(&[("load", 1.0)])],
            vec![counts(&[("add", 1.0)]), counts(&[("load", 1.0)])],
            vec![],
        ];
        let price = |name: &str| if name == "load" { 3.0 } else { 1.0 };
        assert_eq!(
            longest(&regions, &price),
            counts(&[("add", 4.0), ("load", 1.0)])
        );
    }

    #[test]
    fn columns_come_back_as_parts() {
        let regions = [vec![counts(&[("a: b", 2.0)]), counts(&[("c", 1.0)])]];
        let mut back = vec![];
        for (i, region) in regions.iter().enumerate() {
            for (j, alternative) in region.iter().enumerate() {
                for (construct, n) in alternative {
                    assert!(collect(&mut back, &column(i, j, construct), *n));
                }
            }
        }
        assert_eq!(back, regions);
        for other in ["cons", "part x, alternative 1: y", "part 1, alternative 2"] {
            assert!(!collect(&mut back, other, 1.0), "{other}");
        }
    }
}
