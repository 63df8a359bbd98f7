//! An explanation that samples bear out, as a table: shares with intervals, and no rank for what has none.

use pricetag_quantity::counted;
use std::fmt::Write as _;

use crate::explanation::{CostItem, Explanation, Grouping};
use crate::figure::{brief, count, percent, quantity};
use crate::table::{Align, printable, render};

/// Lines that are too uncertain for a rank, together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Together {
    /// How many.
    pub lines: usize,
    /// Their share.
    pub share: f64,
    /// Its interval.
    pub bounds: (f64, f64),
}

impl Together {
    /// Sums lines up; the errors of their shares are independent.
    pub fn of<'a>(items: impl IntoIterator<Item = &'a CostItem>) -> Self {
        let (mut lines, mut share, mut below, mut above) = (0, 0.0, 0.0_f64, 0.0_f64);
        for item in items {
            let (low, high) = item.share_bounds.unwrap_or((item.share, item.share));
            lines += 1;
            share += item.share;
            below = below.hypot(item.share - low);
            above = above.hypot(high - item.share);
        }
        Self {
            lines,
            share,
            bounds: ((share - below).max(0.0), share + above),
        }
    }
}

/// `3.1–4.2 %`.
pub fn interval((low, high): (f64, f64)) -> String {
    if high < 0.0001 {
        return String::from("< 0.01 %");
    }
    let points = match high {
        high if high < 0.001 => 3,
        high if high < 0.01 => 2,
        high if high < 0.1 => 1,
        _ => 0,
    };
    format!("{:.points$}–{:.points$} %", 100.0 * low, 100.0 * high)
}

impl Explanation {
    /// The lines that have a rank, dearest first.
    pub fn ranked_items(&self) -> impl Iterator<Item = &CostItem> {
        self.items.iter().filter(|item| !item.unranked)
    }

    /// Lays the `limit` dearest lines out that have a rank, and sums the others up.
    pub(crate) fn sampled_text(&self, limit: usize, width: usize) -> String {
        let shown: Vec<&CostItem> = self.ranked_items().take(limit).collect();
        let by_method = self.by == Grouping::Method && shown.iter().any(|i| i.spread.is_some());
        let mut header = vec![
            (self.by.noun(), Align::Left),
            ("share", Align::Right),
            ("95 % interval", Align::Right),
        ];
        if by_method {
            header.extend(
                ["own code", "callees", "caused", "inclusive", "calls"].map(|h| (h, Align::Right)),
            );
        } else {
            header.extend(["cost", "count", "price"].map(|h| (h, Align::Right)));
        }
        let rows: Vec<Vec<String>> = shown
            .iter()
            .map(|item| self.sampled_cells(item, by_method))
            .collect();
        let mut text = self.totals();
        text.push_str(&render(&header, &rows, 0, width));
        let ranked: Vec<&CostItem> = self.ranked_items().skip(limit).collect();
        if !ranked.is_empty() {
            let rest = Together::of(ranked.iter().copied());
            let _ = writeln!(
                text,
                "{} more: {} (--limit)",
                rest.lines,
                percent(rest.share)
            );
        }
        let unranked = Together::of(self.items.iter().filter(|item| item.unranked));
        if unranked.lines > 0 {
            let _ = writeln!(text, "{}", self.unranked_text(&unranked));
        }
        if by_method {
            text.push_str(
                "own code: the method's own instructions; callees: what it calls outside the program, and the JVM on its behalf.\n\
                 caused: loading, compiling and collecting on other lines that it set off; inclusive: on the stack, with all it calls.\n",
            );
        }
        for item in self.items.iter().filter(|item| item.is_risk()).take(limit) {
            let _ = writeln!(text, "! {}", item.risk_text());
        }
        for note in &self.notes {
            let _ = writeln!(text, "note: {}", brief(&printable(note)));
        }
        text
    }

    /// What is said of lines without a rank.
    pub fn unranked_text(&self, found: &Together) -> String {
        let (noun, them) = (self.by.noun(), percent(found.share));
        let lines = match found.lines {
            1 => format!("1 {noun}"),
            n => format!("{n} {noun}s together"),
        };
        format!(
            "{lines} {them} ({}): too few samples for a rank; longer or more inputs give more, and `--samples all` where not all were sampled",
            interval(found.bounds)
        )
    }

    fn totals(&self) -> String {
        let predicted = quantity(self.predicted, &self.unit);
        let total = match self.measured {
            Some(measured) => format!(
                "{} measured ({predicted} predicted)",
                quantity(measured, &self.unit)
            ),
            None => format!("{predicted} predicted"),
        };
        format!(
            "{} over {}: {total}\n\n",
            self.target,
            counted(self.observations as usize, "observation")
        )
    }

    fn sampled_cells(&self, item: &CostItem, by_method: bool) -> Vec<String> {
        let mut cells = vec![
            brief(&item.name),
            percent(item.share),
            item.share_bounds.map_or_else(String::new, interval),
        ];
        let counted = if item.count > 0.0 {
            count(item.count)
        } else {
            String::new()
        };
        if !by_method {
            cells.extend([
                quantity(item.cost, &self.unit),
                counted,
                item.price
                    .map_or_else(String::new, |price| quantity(price, &self.unit)),
            ]);
            return cells;
        }
        match &item.spread {
            Some(spread) => cells.extend([
                percent(spread.own + spread.interpreted),
                percent(spread.called + spread.runtime),
                percent(spread.caused()),
                percent(spread.inclusive),
            ]),
            None => cells.extend([const { String::new() }; 4]),
        }
        cells.push(counted);
        cells
    }
}
