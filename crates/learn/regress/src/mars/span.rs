//! Which rows may carry a knot.
//!
//! Friedman (1991), section 3.8: knots closer together than a run of noise of one sign would fit noise, and a knot near
//! the ends of the data has few rows to hold it. Equations 43 (between knots) and 45 (at the ends) with α = 0.05.
//! The rest are `earth`'s conventions: in interactions the end span grows by `adjustment` times itself, at least one
//! knot stays possible, and the knots are centred between the two ends.

use super::Span;

/// α of equation 45.
const ALPHA: f64 = 0.05;
/// −ln(−ln(1 − 0.05)) of equation 43, with the digits `earth` has: near a whole number of rows they decide.
const RUN: f64 = 2.9702;
/// 2.5·ln 2 of equation 43, likewise.
const SCALE: f64 = 1.7329;

/// How the knots of one parent term are spaced, in rows of the sorted variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spacing {
    /// Eligible rows above the highest knot, itself included.
    pub first: usize,
    /// Eligible rows from one knot to the next.
    pub between: usize,
    /// Rows below the lowest knot.
    pub end: usize,
}

/// What the spacing depends on besides the parent term.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub rows: usize,
    pub variables: usize,
    pub min_span: Span,
    pub end_span: Option<u32>,
    pub adjustment: f64,
}

impl Rule {
    /// `degree`: of the term to be made; `support`: rows where its parent is positive.
    pub fn spacing(&self, degree: usize, support: usize) -> Spacing {
        let end = self.end(degree);
        match self.min_span {
            Span::Knots(knots) => {
                let between = self.rows.div_ceil(1 + knots as usize).max(1);
                let first = (end.div_ceil(between).max(1) * between - 1).max(1);
                Spacing {
                    first,
                    between,
                    end,
                }
            }
            Span::Rows(rows) => self.centred(end, (rows as usize).max(1)),
            Span::Auto => self.centred(end, self.run_of_noise(support)),
        }
    }

    /// Equation 45.
    fn end(&self, degree: usize) -> usize {
        let mut end = match self.end_span {
            Some(rows) => (rows as usize).max(1),
            None => (3.0 - (ALPHA / self.variables as f64).log2()) as usize,
        };
        if degree >= 2 {
            end += (self.adjustment * end as f64).round() as usize;
        }
        end.min((self.rows / 2).saturating_sub(1)).max(1)
    }

    /// Equation 43.
    fn run_of_noise(&self, support: usize) -> usize {
        let places = (self.variables * support) as f64;
        ((RUN + places.ln()) / SCALE).max(1.0) as usize
    }

    fn centred(&self, end: usize, between: usize) -> Spacing {
        let room = self.rows.saturating_sub(2 * end);
        let offset = if room <= between {
            room / 2
        } else if room.is_multiple_of(between) {
            between / 2
        } else {
            room % between / 2
        };
        Spacing {
            first: (end + offset).max(1),
            between,
            end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(rows: usize, variables: usize) -> Rule {
        Rule {
            rows,
            variables,
            min_span: Span::Auto,
            end_span: None,
            adjustment: 2.0,
        }
    }

    /// `earth(trace = 2)` prints "minspan 5 endspan 9" for 200 rows of four variables.
    #[test]
    fn automatic_spans_are_friedmans() {
        let spacing = rule(200, 4).spacing(1, 200);
        assert_eq!((spacing.between, spacing.end), (5, 9));
        assert_eq!(rule(200, 4).spacing(2, 200).end, 27);
    }

    #[test]
    fn one_knot_is_always_possible() {
        for rows in 2..40 {
            for variables in [1, 3, 50] {
                let spacing = rule(rows, variables).spacing(1, rows);
                assert!(spacing.end >= 1 && spacing.end <= (rows / 2).max(1));
                assert!(spacing.first >= 1 && spacing.first <= rows);
            }
        }
    }

    #[test]
    fn a_given_number_of_knots_is_spread_evenly() {
        let spacing = Rule {
            min_span: Span::Knots(3),
            end_span: Some(1),
            ..rule(100, 2)
        }
        .spacing(1, 100);
        assert_eq!((spacing.between, spacing.first), (25, 24));
    }

    #[test]
    fn a_parent_without_support_has_the_smallest_span() {
        assert_eq!(rule(100, 2).spacing(2, 0).between, 1);
    }
}
