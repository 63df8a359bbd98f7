//! What the data can and cannot tell, found before any fit.
//!
//! A design matrix of full rank can still be meaningless: a count that never varies is not supported however often it
//! occurs, and a condition number of 1e9 leaves no digit of a price. So support means *varying*, and everything that
//! cannot be told apart is named, together with what to vary.

use pricetag_cost_model::{Diagnostic, Severity};

use crate::bucket::Buckets;
use crate::design::{Checked, Design};
use crate::qr::{Qr, R_TOLERANCE};
use pricetag_quantity::counted;

/// Columns for which exact relations and the condition number are worked out; beyond, only counts are reported.
const DETAIL_COLUMNS: usize = 1500;
/// Terms of a relation between columns that is still worth reading.
const READABLE_TERMS: usize = 6;
/// Relations and names listed in one message.
const LISTED: usize = 5;

/// Support of one column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Support {
    /// Rows in which it is not zero.
    pub non_zero: u32,
    /// Rows in which it differs from its most frequent value, which may be zero or not.
    pub varying: u32,
}

impl Support {
    /// Support of a column over the given rows.
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let most = sorted
            .chunk_by(|a, b| a == b)
            .map(<[f64]>::len)
            .max()
            .unwrap_or(0);
        Self {
            non_zero: values.iter().filter(|v| **v != 0.0).count() as u32,
            varying: (values.len() - most) as u32,
        }
    }
}

/// An exact linear relation: column = Σ coefficient · column.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// The column that the others determine.
    pub dependent: usize,
    /// `(coefficient, column)`.
    pub terms: Vec<(f64, usize)>,
}

/// The findings, with indices into the design's columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Numerical rank of the merged columns at R's tolerance.
    pub rank: usize,
    /// Condition number of the independent columns scaled to unit length; none when there are too many columns.
    pub condition: Option<f64>,
    /// Per column.
    pub support: Vec<Support>,
    /// Columns that have the same non-zero value in every row.
    pub constant: Vec<usize>,
    /// Columns in fixed proportion, and empty ones.
    pub buckets: Buckets,
    /// Relations among more than two columns, where they are few and short.
    pub relations: Vec<Relation>,
    /// The same in words, worst first.
    pub messages: Vec<Diagnostic>,
}

impl Diagnosis {
    /// Looks at a design without fitting anything.
    pub fn of(design: &Checked<Design>) -> Self {
        let rows = design.rows();
        let buckets = Buckets::of(design);
        let support: Vec<Support> = design
            .columns
            .iter()
            .map(|c| Support::of(&c.values.to_dense(rows)))
            .collect();
        let constant: Vec<usize> = (0..support.len())
            .filter(|&j| support[j].varying == 0 && support[j].non_zero as usize == rows)
            .collect();
        let mut diagnosis = Self {
            rows,
            columns: design.columns.len(),
            rank: 0,
            condition: None,
            support,
            constant,
            buckets,
            relations: Vec::new(),
            messages: Vec::new(),
        };
        diagnosis.decompose(design);
        diagnosis.write_messages(design);
        diagnosis
    }

    fn decompose(&mut self, design: &Checked<Design>) {
        let leads: Vec<usize> = self.buckets.buckets.iter().map(|b| b.members[0]).collect();
        let columns: Vec<Vec<f64>> = leads
            .iter()
            .map(|&j| {
                let values = &design.columns[j].values;
                values.scaled(1.0 / values.largest()).to_dense(self.rows)
            })
            .collect();
        let qr = Qr::new(columns, vec![0.0; self.rows], R_TOLERANCE);
        self.rank = qr.rank;
        if leads.len() > DETAIL_COLUMNS {
            return;
        }
        self.condition = Some(qr.condition());
        if qr.rank == self.rows {
            return; // more columns than rows: everything is related to everything
        }
        for (i, &position) in qr.pivot[qr.rank..].iter().enumerate() {
            let scale = |j: usize| design.columns[leads[j]].values.largest();
            let terms: Vec<(f64, usize)> = qr
                .dependence(i)
                .iter()
                .zip(&qr.pivot)
                .filter(|(c, _)| c.abs() > 1e-6)
                .map(|(c, &j)| (c * scale(position) / scale(j), leads[j]))
                .collect();
            if terms.len() <= READABLE_TERMS {
                self.relations.push(Relation {
                    dependent: leads[position],
                    terms,
                });
            }
        }
    }

    fn write_messages(&mut self, design: &Checked<Design>) {
        let mut out = Vec::new();
        let merged = self.buckets.buckets.len();
        if self.rank < merged {
            out.push(message(
                Severity::Warning,
                format!(
                    "the {} tell only {} of {merged} distinguishable features apart",
                    counted(self.rows, "observation"),
                    self.rank
                ),
                Some("Add inputs that exercise the features in other proportions, or use a method that shares information between prices (hier).".into()),
            ));
        }
        if let Some(condition) = self.condition.filter(|c| *c > 1e6) {
            out.push(message(
                Severity::Warning,
                format!("the features are nearly dependent (condition number {condition:.1e})"),
                Some("Treat single prices with care; predictions for similar inputs are not affected.".into()),
            ));
        }
        out.extend(self.bucket_message(design));
        out.extend(self.relation_messages(design));
        let varying = self.support.iter().any(|s| s.varying > 0);
        if !varying {
            out.push(message(
                Severity::Error,
                "no feature varies between the observations".into(),
                Some("Record inputs of different size and kind.".into()),
            ));
        }
        if !self.constant.is_empty() && varying {
            out.push(message(
                Severity::Note,
                format!("the same in every observation: {}: {}", counted(self.constant.len(), "feature"), Self::names(design, &self.constant)),
                Some("What never varies cannot be told from the base price of a run; vary it to price it.".into()),
            ));
        }
        if !self.buckets.empty.is_empty() {
            out.push(message(
                Severity::Note,
                format!(
                    "{} never seen in these observations",
                    counted(self.buckets.empty.len(), "feature")
                ),
                None,
            ));
        }
        out.sort_by_key(|d| std::cmp::Reverse(d.severity));
        self.messages = out;
    }

    fn names(design: &Design, columns: &[usize]) -> String {
        let mut names: Vec<String> = columns
            .iter()
            .take(LISTED)
            .map(|&j| format!("`{}`", design.columns[j].name))
            .collect();
        if columns.len() > LISTED {
            names.push(format!("… ({} more)", columns.len() - LISTED));
        }
        names.join(", ")
    }

    fn bucket_message(&self, design: &Design) -> Option<Diagnostic> {
        let mut shared: Vec<_> = self
            .buckets
            .buckets
            .iter()
            .filter(|b| b.members.len() > 1)
            .collect();
        if shared.is_empty() {
            return None;
        }
        shared.sort_by_key(|b| (std::cmp::Reverse(b.members.len()), b.members[0]));
        let features: usize = shared.iter().map(|b| b.members.len()).sum();
        let largest = shared[0];
        let (first, second) = (largest.members[0], largest.members[1]);
        Some(message(
            Severity::Note,
            format!(
                "{features} features always occur in fixed proportion and are priced together in {}; the largest: {}",
                counted(shared.len(), "bucket"),
                Self::names(design, &largest.members)
            ),
            Some(format!(
                "To price them apart, add inputs that change `{}` without changing `{}` in proportion.",
                design.columns[second].name, design.columns[first].name
            )),
        ))
    }

    fn relation_messages(&self, design: &Design) -> Vec<Diagnostic> {
        self.relations
            .iter()
            .filter(|r| !r.terms.is_empty())
            .take(LISTED)
            .map(|relation| {
                let sum: Vec<String> = relation
                    .terms
                    .iter()
                    .map(|(c, j)| {
                        let name = &design.columns[*j].name;
                        if (c - 1.0).abs() < 1e-6 {
                            format!("`{name}`")
                        } else {
                            format!("{}·`{name}`", significant(*c))
                        }
                    })
                    .collect();
                let name = &design.columns[relation.dependent].name;
                message(
                    Severity::Warning,
                    format!("in every observation `{name}` = {}", sum.join(" + ")),
                    Some(format!(
                        "To price `{name}` on its own, vary it separately from the others."
                    )),
                )
            })
            .collect()
    }
}

/// Four significant digits, without an exponent where that is short.
fn significant(value: f64) -> String {
    let size = value.abs();
    if (1e4..1e15).contains(&size) {
        return format!("{value:.0}");
    }
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    if (1e-4..1e4).contains(&size) {
        rounded.to_string()
    } else {
        format!("{rounded:e}")
    }
}

fn message(severity: Severity, message: String, advice: Option<String>) -> Diagnostic {
    Diagnostic {
        severity,
        message,
        advice,
    }
}
