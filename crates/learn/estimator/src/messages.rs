//! A diagnosis in words: what to beware of, and which inputs would help.

use pricetag_cost_model::{Diagnostic, Severity};
use pricetag_quantity::counted;

use crate::bucket::multiplier;
use crate::design::{Checked, Design};
use crate::diagnose::{Diagnosis, ILL, Relation};

/// Relations and names listed in one message.
const LISTED: usize = 5;

impl Diagnosis {
    /// Writes the messages, worst first.
    pub(crate) fn write_messages(&mut self, design: &Checked<Design>) {
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
        if let Some(condition) = self.condition.filter(|c| *c > ILL) {
            let behind: Vec<usize> = self.inflated.iter().map(|i| i.column).collect();
            let named = if behind.is_empty() {
                String::new()
            } else {
                format!("; behind it: {}", Self::names(design, &behind))
            };
            out.push(message(
                Severity::Warning,
                format!("the features are nearly dependent (condition number {condition:.1e}{named})"),
                Some("Treat single prices with care; predictions for similar inputs are not affected.".into()),
            ));
        }
        out.extend(self.leverage_message(design));
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
        Some(message(
            Severity::Note,
            format!(
                "{features} features always occur in fixed proportion and are priced together in {}; the largest: {}",
                counted(shared.len(), "bucket"),
                Self::names(design, &largest.members)
            ),
            largest
                .advice(design)
                .map(|which| format!("To price them apart, add {which}.")),
        ))
    }

    fn leverage_message(&self, design: &Design) -> Option<Diagnostic> {
        let rows = self.leading_rows();
        if rows.is_empty() {
            return None;
        }
        let mut named: Vec<String> = rows
            .iter()
            .take(LISTED)
            .map(|&i| format!("`{}` ({:.2})", design.labels[i], self.leverage[i]))
            .collect();
        if rows.len() > LISTED {
            named.push(format!("… ({} more)", rows.len() - LISTED));
        }
        Some(message(
            Severity::Warning,
            format!(
                "leverage: the prediction of {} hangs mostly on the one cost measured there: {}",
                counted(rows.len(), "observation"),
                named.join(", ")
            ),
            Some(
                "A mismeasured one pulls the prices to itself, under robust methods too: measure it again, or add inputs like it."
                    .into(),
            ),
        ))
    }

    fn relation_messages(&self, design: &Design) -> Vec<Diagnostic> {
        self.relations
            .iter()
            .filter(|r| !r.terms.is_empty())
            .take(LISTED)
            .map(|relation| relation.message(&|j| Some(design.columns[j].name.as_str())))
            .collect()
    }
}

impl Relation {
    /// The relation in words, and what to vary. A column without a name is the constant 1.
    pub fn message<'a>(&self, name: &dyn Fn(usize) -> Option<&'a str>) -> Diagnostic {
        let mut sum = String::new();
        for (i, &(c, j)) in self.terms.iter().enumerate() {
            sum.push_str(match (i, c < 0.0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            });
            let one = (c.abs() - 1.0).abs() < 1e-6;
            let term = match name(j) {
                Some(name) if one => format!("`{name}`"),
                Some(name) => format!("{}·`{name}`", multiplier(c.abs())),
                None => multiplier(c.abs()),
            };
            sum.push_str(&term);
        }
        let name = name(self.dependent).unwrap_or("1");
        message(
            Severity::Warning,
            format!("in every observation `{name}` = {sum}"),
            Some(format!(
                "To price `{name}` on its own, vary it separately from the others."
            )),
        )
    }
}

fn message(severity: Severity, message: String, advice: Option<String>) -> Diagnostic {
    Diagnostic {
        severity,
        message,
        advice,
    }
}
