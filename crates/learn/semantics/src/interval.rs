//! Intervals from programs that were left out: every program is predicted by prices learnt without it and the others of its part, one of twenty.
//!
//! Split conformal by group (Barber et al. 2021, *Predictive inference with the jackknife+*). A program with a construct that fewer than
//! two others have cannot be predicted from them and is passed over as a whole. The caller gives runs without collections only: these factors are for
//! the time of constructs, those for the time of collections are the collector's (see `collector`).

use std::collections::BTreeSet;

use pricetag_cost_model::Interval;
use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_estimator::{Design, Estimator, tabulate};
use pricetag_regress::{LeastSquares, NonNegative, Normalised};
use pricetag_study::Method;
use pricetag_study::interval::interval;

/// Parts into which the programs are divided to be left out in turn.
pub(crate) const FOLDS: usize = 20;

/// Other groups in which a column must occur for one to be left out.
const GROUPS: usize = 2;

/// Factors around a prediction that cover the given share of programs left out.
pub(crate) fn calibrated(table: &Dataset, method: Method, level: f64) -> Option<Interval> {
    let wanted = |kind: FeatureKind| matches!(kind, FeatureKind::Opcode | FeatureKind::Base);
    let design = tabulate(table, "ns", &wanted).ok()?.design;
    let mut pairs = Vec::new();
    let groups = groups(&design);
    for fold in 0..FOLDS.min(groups.len()) {
        let left_out: Vec<&String> = groups.iter().skip(fold).step_by(FOLDS).collect();
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            (0..design.rows()).partition(|&i| left_out.contains(&&design.groups[i]));
        let known: Vec<usize> = left_out
            .iter()
            .map(|group| {
                inside
                    .iter()
                    .copied()
                    .filter(|&i| design.groups[i] == **group)
            })
            .map(Iterator::collect::<Vec<usize>>)
            .filter(|own| others_know(&design, own, &outside))
            .flatten()
            .collect();
        if let Some(predicted) = predict(&design, method, &known, &outside) {
            pairs.extend(known.iter().map(|&i| design.target[i]).zip(predicted));
        }
    }
    let mut interval = interval(&pairs, level)?;
    interval.method = format!("{} of programs left out in {FOLDS} parts", interval.method);
    Some(interval)
}

fn groups(design: &Design) -> Vec<String> {
    let mut groups = design.groups.clone();
    groups.sort();
    groups.dedup();
    groups
}

/// Whether every column used inside is used by other groups too.
fn others_know(design: &Design, inside: &[usize], outside: &[usize]) -> bool {
    design.columns.iter().all(|column| {
        let values = column.values.to_dense(design.rows());
        let others = outside.iter();
        inside.iter().all(|&i| values[i] == 0.0)
            || groups_with(others.map(|&i| (design.groups[i].as_str(), values[i]))) >= GROUPS
    })
}

/// Groups with a row whose value is positive, of rows with their groups.
pub(crate) fn groups_with<'a>(rows: impl Iterator<Item = (&'a str, f64)>) -> usize {
    let used = rows.filter(|(_, value)| *value > 0.0);
    used.map(|(group, _)| group).collect::<BTreeSet<_>>().len()
}

fn predict(
    design: &Design,
    method: Method,
    inside: &[usize],
    outside: &[usize],
) -> Option<Vec<f64>> {
    let estimator: Box<dyn Estimator> = match method {
        Method::Ols | Method::Wls => Box::new(LeastSquares::default()),
        Method::Normalised => Box::new(Normalised(NonNegative)),
        _ => Box::new(NonNegative),
    };
    let mut rest = design.select(outside);
    if method != Method::Ols {
        rest.weights = pricetag_estimator::relative_weights(&rest.target);
    }
    let fitted = estimator.fit(&rest.check().ok()?).ok()?;
    fitted.predict(&design.select(inside)).ok()
}
