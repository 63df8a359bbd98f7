//! Sampling slows the JVM's own threads and those of Java differently: it has the compilers log what they do, and classes be looked at. Runs
//! without samples have clocks for both, so how the whole divides between them is taken from there.

use pricetag_cost_model::{Charge, ChargeKind};

/// Clocks that differ from the samples by more than this factor measured something else.
const MOST: f64 = 2.0;
/// What is taken to be certain of a part that clocks measure.
const CLOCK: f64 = 0.01;

/// Whether a charge is of the JVM's own threads.
fn of_jvm(charge: &Charge) -> bool {
    matches!(
        charge.kind,
        ChargeKind::Compilation | ChargeKind::Collection | ChargeKind::Jvm | ChargeKind::Native
    )
}

/// Brings charges to the share of the threads that run Java, and intervals of the JVM's threads to what is known of their sum.
pub(super) fn level(charges: &mut [Charge], java: Option<f64>) {
    let Some(java) = java else { return };
    let sum = |own: bool| -> f64 {
        let of = charges.iter().filter(|charge| of_jvm(charge) == own);
        of.map(|charge| charge.cost).sum()
    };
    let (others, jvm) = (sum(false), sum(true));
    let all = others + jvm;
    let more = [java * all / others, (1.0 - java) * all / jvm];
    if !more.iter().all(|more| (1.0 / MOST..MOST).contains(more)) {
        return;
    }
    for charge in charges.iter_mut() {
        let more = more[usize::from(of_jvm(charge))];
        charge.cost *= more;
        for (price, _) in &mut charge.terms {
            *price *= more;
        }
    }
    // The sum is known, so what is left beside the others' ends bounds each of its parts.
    let whole = (1.0 - java) * all;
    let ends: Vec<(f64, f64)> = charges
        .iter()
        .map(|c| {
            if of_jvm(c) {
                (c.cost * c.factors.0, c.cost * c.factors.1)
            } else {
                (0.0, 0.0)
            }
        })
        .collect();
    let lows: f64 = ends.iter().map(|end| end.0).sum();
    let highs: f64 = ends.iter().map(|end| end.1).sum();
    for (charge, (low, high)) in charges.iter_mut().zip(ends).filter(|(c, _)| of_jvm(c)) {
        let least = (whole - (highs - high)) / charge.cost - CLOCK;
        let most = (whole - (lows - low)) / charge.cost + CLOCK;
        charge.factors.0 = charge.factors.0.max(least).min(1.0);
        charge.factors.1 = charge.factors.1.min(most).max(1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charge(kind: ChargeKind, cost: f64, factors: (f64, f64)) -> Charge {
        Charge {
            kind,
            method: None,
            terms: vec![(cost, "base".to_owned())],
            cost,
            factors,
            samples: None,
        }
    }

    #[test]
    fn the_parts_of_clocks_are_kept() {
        let mut charges = [
            charge(ChargeKind::Method, 30.0, (0.9, 1.1)),
            charge(ChargeKind::Loading, 10.0, (0.9, 1.1)),
            charge(ChargeKind::Compilation, 58.0, (0.5, 1.5)),
            charge(ChargeKind::Collection, 2.0, (0.5, 1.5)),
        ];
        // Half of the time was Java's, where samples saw two fifths.
        level(&mut charges, Some(0.5));
        let costs: Vec<f64> = charges.iter().map(|c| c.cost).collect();
        for (cost, wanted) in costs.iter().zip([37.5, 12.5, 58.0 / 1.2, 2.0 / 1.2]) {
            assert!((cost - wanted).abs() < 1e-9, "{costs:?}");
        }
        assert_eq!(charges[0].terms[0].0, charges[0].cost);
        // Of methods as little is known as before; of compiling, all but the collector's part.
        assert_eq!(charges[0].factors, (0.9, 1.1));
        let (low, high) = charges[2].factors;
        assert!(low > 0.97 && high < 1.03, "{:?}", charges[2].factors);
        let (low, high) = charges[3].factors;
        assert_eq!((low, high), (0.5, 1.5));
    }

    #[test]
    fn clocks_of_something_else_are_left() {
        let before = [
            charge(ChargeKind::Method, 90.0, (0.9, 1.1)),
            charge(ChargeKind::Compilation, 10.0, (0.9, 1.1)),
        ];
        for java in [None, Some(0.3)] {
            let mut charges = before.clone();
            level(&mut charges, java);
            assert_eq!(charges, before);
        }
    }
}
