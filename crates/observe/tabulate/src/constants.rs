//! Numbers that the counted code compares with, read off the plans and ranked by how often the comparisons ran.
//!
//! They are offered to the search for a formula (Krogmann, Kuperberg & Reussner, TSE 2010, who take them from the code, too).

use std::collections::BTreeMap;

use pricetag_dataset::{CodeConstant, Dataset, FeatureKind};
use pricetag_probe_plan::{ClassPlan, ComparisonPlan, MethodPlan, PlanStore};

use crate::describe;
use crate::tabulator::TabulateError;

/// Places that are named of one number; a common one stands in many.
const PLACES: usize = 3;

/// The numbers that a dataset's code compares with, most executed first, then by size. Comparisons that no observation
/// executed are left out, as far as the dataset counts anything that tells.
///
/// # Errors
/// If a plan cannot be read.
pub fn code_constants(
    plans: &PlanStore,
    dataset: &Dataset,
) -> Result<Vec<CodeConstant>, TabulateError> {
    let executions = Executions::of(dataset);
    // By bits: no two numbers of one value, since neither zero nor NaN is among them.
    let mut found: BTreeMap<u64, Vec<(f64, String)>> = BTreeMap::new();
    for hash in plans.hashes() {
        let Some(class) = plans.load(hash)? else {
            continue;
        };
        if class.methods.iter().all(|m| m.comparisons.is_empty()) {
            continue;
        }
        let names = describe::method_names(&class, "");
        for (method, name) in class.methods.iter().zip(names) {
            for comparison in &method.comparisons {
                let times = executions.of_comparison(&class, method, comparison);
                if times > 0.0 {
                    let value = comparison.literal.value().to_bits();
                    let here = place(&name, comparison);
                    found.entry(value).or_default().push((times, here));
                }
            }
        }
    }
    let mut constants: Vec<CodeConstant> = found.into_iter().map(constant).collect();
    constants.sort_by(|a, b| {
        let by_use = b.executions.total_cmp(&a.executions);
        by_use.then(a.value.total_cmp(&b.value))
    });
    Ok(constants)
}

fn constant((bits, mut uses): (u64, Vec<(f64, String)>)) -> CodeConstant {
    uses.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let executions = uses.iter().map(|(times, _)| times).sum();
    let mut places: Vec<String> = uses.into_iter().map(|(_, place)| place).collect();
    places.dedup();
    places.truncate(PLACES);
    CodeConstant {
        value: f64::from_bits(bits),
        places,
        executions,
    }
}

/// `Upload.store(int), line 12`.
fn place(method: &str, comparison: &ComparisonPlan) -> String {
    match comparison.line {
        Some(line) => format!("{method}, line {line}"),
        None => method.to_owned(),
    }
}

/// Class, method and descriptor, and the block if it is one.
type Place<'a> = (&'a str, &'a str, &'a str, Option<u32>);

/// How often blocks, or at least methods, ran in all observations.
struct Executions<'a> {
    /// What tells: of several kinds of features the most exact one.
    kind: Option<FeatureKind>,
    counts: BTreeMap<Place<'a>, f64>,
}

impl<'a> Executions<'a> {
    fn of(dataset: &'a Dataset) -> Self {
        let kinds = [FeatureKind::Block, FeatureKind::Branch, FeatureKind::Method];
        let recorded = |kind: &FeatureKind| dataset.features.iter().any(|f| f.kind == *kind);
        let kind = kinds.into_iter().find(recorded);
        let mut counts = BTreeMap::new();
        for (feature, column) in dataset.features.iter().zip(&dataset.columns) {
            if Some(feature.kind) != kind {
                continue;
            }
            let (Some(class), Some(method), Some(descriptor)) =
                (&feature.class, &feature.method, &feature.descriptor)
            else {
                continue;
            };
            let place: Place = (class, method, descriptor, feature.block);
            *counts.entry(place).or_insert(0.0) += column.iter().map(|cell| cell.1).sum::<f64>();
        }
        Self { kind, counts }
    }

    /// Of a comparison; 1 where nothing tells.
    fn of_comparison(
        &self,
        class: &ClassPlan,
        method: &MethodPlan,
        comparison: &ComparisonPlan,
    ) -> f64 {
        let block = match self.kind {
            None => return 1.0,
            Some(FeatureKind::Method) => None,
            Some(_) => Some(comparison.block.0),
        };
        let place: Place = (&class.name, &method.name, &method.descriptor, block);
        self.counts.get(&place).copied().unwrap_or(0.0)
    }
}
