//! Who survives: a Pareto front of error and complexity, or the weighted sum of Krogmann et al.

use serde::{Deserialize, Serialize};

use crate::individual::Individual;
use crate::problem::Problem;
use crate::shapes::round;

/// How candidates are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Selection {
    /// Non-dominated sorting of error and complexity (NSGA-II: Deb, Pratap, Agarwal & Meyarivan 2002); the delivered
    /// formula is the one of the front with the shortest description.
    #[default]
    Pareto,
    /// 15 · error + what exceeds depth 6, 6 operations and 2 variables (Krogmann, Kuperberg & Reussner 2010, section
    /// 3.3); the delivered formula is the fittest.
    Paper,
}

/// Thresholds of the paper's fitness: depth, operations, variables.
const THRESHOLDS: (u32, usize, usize) = (6, 6, 2);
/// Weight of the error in the paper's fitness.
const ERROR_WEIGHT: f64 = 15.0;

/// The paper's fitness, smaller is better.
///
/// The error is the weighted mean squared error over the squared median of the measured values: 1 when one is off by
/// the median everywhere. (The paper divides by the median, which depends on the unit.)
pub fn paper_fitness(individual: &Individual, problem: &Problem) -> f64 {
    let squares: Vec<f64> = problem.weighted.iter().map(|y| y * y).collect();
    let median = pricetag_quantity::median(&squares).unwrap_or(0.0);
    let mean = individual.error / problem.effective.max(1) as f64;
    let error = if median > 0.0 {
        mean / median
    } else {
        individual.error
    };
    let tree = individual.assembled(problem);
    let over = |value: usize, threshold: usize| value.saturating_sub(threshold) as f64;
    let complexity = over(tree.depth() as usize, THRESHOLDS.0 as usize)
        + over(tree.ops().len(), THRESHOLDS.1)
        + over(tree.variables().len(), THRESHOLDS.2);
    let fitness = ERROR_WEIGHT * error + complexity;
    if fitness.is_finite() {
        fitness
    } else {
        f64::INFINITY
    }
}

/// What survival is decided by; smaller is better in both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merit {
    /// Error, or the paper's fitness.
    pub first: f64,
    /// Complexity; 0 where only the fitness counts.
    pub second: u32,
}

impl Merit {
    /// Merit under a way of selection. Errors are rounded to nine digits, so that rounding decides nothing.
    pub fn of(individual: &Individual, selection: Selection, problem: &Problem) -> Self {
        match selection {
            Selection::Pareto => Self {
                first: if individual.is_exact() {
                    0.0
                } else {
                    round(individual.error)
                },
                second: individual.complexity,
            },
            Selection::Paper => Self {
                first: round(paper_fitness(individual, problem)),
                second: 0,
            },
        }
    }

    fn dominates(self, other: Self) -> bool {
        self.first <= other.first && self.second <= other.second && self != other
    }
}

/// Rank (0 = not dominated) and crowding distance of each candidate, for tournaments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Front the candidate is on.
    pub rank: usize,
    /// How far its neighbours on the front are; infinite at the ends.
    pub distance: f64,
}

impl Standing {
    /// Order: earlier front first, then the lonelier.
    pub fn compare(&self, other: &Self) -> std::cmp::Ordering {
        self.rank
            .cmp(&other.rank)
            .then(other.distance.total_cmp(&self.distance))
    }
}

/// Indices of the survivors in order of their standing, and the standings. Candidates of equal merit are copies of each
/// other as far as selection goes: only the first survives.
pub fn survivors(merits: &[Merit], count: usize) -> Vec<(usize, Standing)> {
    let mut order: Vec<usize> = (0..merits.len())
        .filter(|&i| merits[i].first.is_finite())
        .collect();
    order.sort_by(|&a, &b| {
        merits[a]
            .first
            .total_cmp(&merits[b].first)
            .then(merits[a].second.cmp(&merits[b].second))
            .then(a.cmp(&b))
    });
    order.dedup_by(|b, a| merits[*a] == merits[*b]);
    let mut out: Vec<(usize, Standing)> = Vec::with_capacity(count.min(merits.len()));
    let mut rank = 0;
    while !order.is_empty() && out.len() < count {
        // In order of the first merit a candidate is dominated iff one before it is at most as complex.
        let mut least = u32::MAX;
        let (mut front, mut rest) = (Vec::new(), Vec::new());
        for index in order {
            if merits[index].second < least {
                least = merits[index].second;
                front.push(index);
            } else {
                rest.push(index);
            }
        }
        debug_assert!(
            front
                .windows(2)
                .all(|w| !merits[w[0]].dominates(merits[w[1]]))
        );
        let mut standing: Vec<(usize, Standing)> = (0..front.len())
            .map(|i| {
                let distance = distance(merits, &front, i);
                (front[i], Standing { rank, distance })
            })
            .collect();
        if out.len() + standing.len() > count {
            standing.sort_by(|a, b| a.1.compare(&b.1).then(a.0.cmp(&b.0)));
            standing.truncate(count - out.len());
        }
        out.extend(standing);
        order = rest;
        rank += 1;
    }
    out
}

/// Crowding distance on a logarithmic scale of the error, because errors span decades.
fn distance(merits: &[Merit], front: &[usize], at: usize) -> f64 {
    if at == 0 || at + 1 == front.len() {
        return f64::INFINITY;
    }
    let log = |i: usize| (merits[front[i]].first + 1e-20).ln();
    let complexity = |i: usize| f64::from(merits[front[i]].second);
    let last = front.len() - 1;
    let share = |value: &dyn Fn(usize) -> f64| {
        let range = (value(last) - value(0)).abs();
        if range > 0.0 {
            (value(at + 1) - value(at - 1)).abs() / range
        } else {
            0.0
        }
    };
    share(&log) + share(&complexity)
}

#[cfg(test)]
mod tests {
    use super::{Merit, survivors};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fronts_by_definition(pairs in proptest::collection::vec((0_u32..12, 1_u32..12), 1..40)) {
            let merits: Vec<Merit> = pairs
                .iter()
                .map(|&(e, c)| Merit { first: f64::from(e), second: c })
                .collect();
            let all = survivors(&merits, usize::MAX >> 1);
            for &(i, standing) in &all {
                // Rank by definition: the longest chain of dominating candidates.
                let above = all.iter().filter(|&&(j, _)| merits[j].dominates(merits[i]));
                let expected = above.map(|(_, s)| s.rank + 1).max().unwrap_or(0);
                prop_assert_eq!(standing.rank, expected);
            }
            for (i, merit) in merits.iter().enumerate() {
                let copies = all.iter().filter(|(j, _)| merits[*j] == *merit).count();
                prop_assert_eq!(copies, 1, "merit {} must survive once", i);
            }
        }
    }
}
