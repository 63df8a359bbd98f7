//! Constants that a search is offered because the program compares with them, and where those of a formula stand.
//!
//! After Krogmann, Kuperberg & Reussner (TSE 2010), whose genetic search takes constants out of the code. A number is of use as a
//! threshold only where it parts the values of some feature, so that the others are not offered.

use pricetag_cost_model::{Diagnostic, Formula};
use pricetag_dataset::{CodeConstant, Dataset};
use pricetag_estimator::Design;
use pricetag_quantity::counted;

use crate::notes::note;

/// Most constants that are offered: those whose comparisons ran most often.
const MOST: usize = 50;

/// The constants of the code that part the values of some column, most executed first.
pub(crate) fn offered(dataset: &Dataset, design: &Design) -> Vec<f64> {
    if dataset.constants.is_empty() {
        return Vec::new();
    }
    let ranges: Vec<(f64, f64)> = design
        .columns
        .iter()
        .map(|column| {
            let values = column.values.to_dense(design.rows());
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            (low, high)
        })
        .collect();
    let parts = |c: &f64| ranges.iter().any(|(low, high)| low <= c && c < high);
    let values = dataset.constants.iter().map(|constant| constant.value);
    values.filter(parts).take(MOST).collect()
}

/// How many were offered, and where those of the formula stand.
pub(crate) fn notes(dataset: &Dataset, offered: &[f64], formula: &Formula) -> Vec<Diagnostic> {
    if dataset.constants.is_empty() {
        return Vec::new();
    }
    let all = counted(dataset.constants.len(), "number");
    let mut out = vec![note(format!(
        "the program's code compares with {all}: {} offered to the search, those that part the values of a feature{}",
        offered.len(),
        if offered.len() == MOST {
            ", the most executed ones"
        } else {
            ""
        }
    ))];
    for value in limits(formula) {
        let known = |c: &&CodeConstant| c.value == value && offered.contains(&c.value);
        if let Some(constant) = dataset.constants.iter().find(known) {
            out.push(note(format!(
                "{value} stands in the code: {}",
                constant.places.join("; ")
            )));
        }
    }
    out
}

/// What a formula compares with, each once, ascending.
fn limits(formula: &Formula) -> Vec<f64> {
    let mut found = Vec::new();
    let mut left = vec![formula];
    while let Some(part) = left.pop() {
        if let Formula::Compare(_, a, b) | Formula::Min(a, b) | Formula::Max(a, b) = part {
            for side in [a.as_ref(), b.as_ref()] {
                if let Formula::Constant(value) = side {
                    found.push(*value);
                }
            }
        }
        left.extend(part.parts());
    }
    found.sort_by(f64::total_cmp);
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use pricetag_estimator::{Column, Values};

    use super::*;

    fn dataset(values: &[f64]) -> Dataset {
        let constant = |value: &f64| CodeConstant {
            value: *value,
            places: vec![format!("A.m(), line {value}")],
            executions: 1.0,
        };
        Dataset {
            constants: values.iter().map(constant).collect(),
            ..Dataset::default()
        }
    }

    fn design(values: &[f64]) -> Design {
        let column = Column {
            name: "n".into(),
            values: Values::Dense(values.to_vec()),
        };
        Design::new(vec![column], vec![1.0; values.len()])
    }

    #[test]
    fn only_what_parts_some_values_is_offered() {
        let design = design(&[3.0, 9.0, 5.0]);
        // `n > 3` parts 3 from 5; nothing is above 9.
        let constants = dataset(&[100.0, 9.0, 5.0, 3.0, 2.5, -7.0]);
        assert_eq!(offered(&constants, &design), [5.0, 3.0]);
        let many: Vec<f64> = (0..200).rev().map(|i| 3.0 + f64::from(i) / 100.0).collect();
        assert_eq!(offered(&dataset(&many), &design), many[..MOST]);
    }

    #[test]
    fn what_the_formula_compares_with_is_traced_to_the_code() {
        let formula: Formula = "if(n > 5, 3*n, min(n, 3)) + 9".parse().unwrap();
        let constants = dataset(&[5.0, 3.0, 9.0]);
        let found = notes(&constants, &[5.0, 3.0, 9.0], &formula);
        let said: Vec<&str> = found.iter().map(|d| d.message.as_str()).collect();
        assert!(
            said[0].contains("compares with 3 numbers: 3 offered"),
            "{said:?}"
        );
        assert_eq!(
            said[1..],
            [
                "3 stands in the code: A.m(), line 3",
                "5 stands in the code: A.m(), line 5"
            ]
        );
        assert!(notes(&dataset(&[]), &[], &formula).is_empty());
    }
}
