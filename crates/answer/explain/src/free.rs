//! Names the methods that ran and to which the model gives no cost: an explanation that only lists costs would hide them.

use std::collections::BTreeMap;

use pricetag_dataset::{Dataset, FeatureId, FeatureKind};
use pricetag_finding::figure::count;

use crate::attribution::{Attribution, Columns};
use crate::group::place;

/// Methods named in the note.
const NAMED: usize = 3;

/// A note on methods whose blocks were executed and carry no cost; none if there are none, or if no cost is in code.
pub(crate) fn note(
    dataset: &Dataset,
    columns: &Columns,
    attribution: &Attribution,
) -> Option<String> {
    let mut methods: BTreeMap<String, (f64, bool)> = BTreeMap::new();
    for (index, feature) in dataset.features.iter().enumerate() {
        let Some(place) = place(feature).filter(|place| place.method.is_some()) else {
            continue;
        };
        let (most, priced) = methods.entry(place.method_name()).or_default();
        let costs = attribution.costs.get(&feature.name);
        *priced |= costs.is_some_and(|entries| entries.iter().any(|(_, cost)| *cost != 0.0));
        if feature.kind == FeatureKind::Block {
            let column = columns.column(FeatureId(index as u32));
            *most = most.max(column.iter().map(|(_, value)| value).sum());
        }
    }
    if !methods.values().any(|(_, priced)| *priced) {
        return None;
    }
    let mut free: Vec<(&String, f64)> = methods
        .iter()
        .filter(|(_, (most, priced))| !priced && *most > 0.0)
        .map(|(name, (most, _))| (name, *most))
        .collect();
    free.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let named: Vec<String> = free
        .iter()
        .take(NAMED)
        .map(|(name, most)| format!("`{name}` (a block ran {} times)", count(*most)))
        .collect();
    let more = match free.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (noun, verb) = if free.len() == 1 {
        ("method", "carries")
    } else {
        ("methods", "carry")
    };
    (!free.is_empty()).then(|| {
        format!(
            "{} {noun} ran and {verb} no cost: {}{more}; other features explain these observations as well or better",
            free.len(),
            named.join(", ")
        )
    })
}
