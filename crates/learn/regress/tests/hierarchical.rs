//! Hierarchical prices beside prices of parts alone: what the public types promise.

use pricetag_estimator::{Column, Design, Estimator, EstimatorError, Values};
use pricetag_regress::{Hierarchical, Hierarchy, PartsAlone, Role, Shrinkage};

const ROWS: usize = 30;

/// Four columns of parts 0 … 3 of one kind and part 4 of another, and a base price. Column 3 alone has part 3.
fn hierarchy() -> Hierarchy {
    let mut out = Hierarchy::flat(5);
    out.kinds = vec!["opcode".into(), "call".into()];
    out.part_kinds = vec![0, 0, 0, 0, 1];
    out.part_names = (0..5).map(|p| format!("part {p}")).collect();
    out.roles = vec![
        Role::Composed(vec![(0, 2.0), (1, 1.0)]),
        Role::Composed(vec![(1, 3.0)]),
        Role::Composed(vec![(2, 1.0), (0, 1.0)]),
        Role::Composed(vec![(3, 1.0)]),
        Role::Free,
    ];
    out
}

/// Costs from prices 2, 5, 0.5 of the parts; column 3 is used in the first `unusual` rows.
fn design(unusual: usize) -> Design {
    let cell = |i: usize, j: usize| match j {
        3 => f64::from(u8::from(i < unusual)),
        4 => 1.0,
        j => (1 + (i * (3 * j + 2) + i / 5) % 17) as f64,
    };
    let columns = (0..5).map(|j| Column {
        name: format!("c{j}"),
        values: Values::Dense((0..ROWS).map(|i| cell(i, j)).collect()),
    });
    let target = (0..ROWS).map(|i| {
        let prices = [9.0, 15.0, 2.5, 4.0, 30.0];
        (0..5).map(|j| prices[j] * cell(i, j)).sum()
    });
    Design::new(columns.collect(), target.collect())
}

#[test]
fn parts_alone_find_the_prices_of_parts() {
    let found = PartsAlone {
        hierarchy: hierarchy(),
    };
    let found = found.solve(&design(7).check().unwrap()).unwrap();
    for (found, expected) in found.part_prices.iter().zip([2.0, 5.0, 0.5, 4.0, 0.0]) {
        assert!((found - expected).abs() < 1e-8, "{found} {expected}");
    }
    assert_eq!(found.shrinkage, None);
    let notes = &found.fitted.notes;
    assert!(
        notes
            .iter()
            .any(|n| n.message.starts_with("100 % of every price"))
    );
}

#[test]
fn a_part_that_was_never_used_costs_what_its_kind_does() {
    let design = design(0).check().unwrap();
    let alone = PartsAlone {
        hierarchy: hierarchy(),
    };
    let found = alone.solve(&design).unwrap();
    let total = |j: usize| design.columns[j].values.to_dense(ROWS).iter().sum::<f64>();
    let used = [
        2.0 * total(0) + total(2),
        total(0) + 3.0 * total(1),
        total(2),
    ];
    let cost = 2.0 * used[0] + 5.0 * used[1] + 0.5 * used[2];
    let expected = cost / used.iter().sum::<f64>();
    assert!(
        (found.part_prices[3] - expected).abs() < 1e-8,
        "{:?}",
        found.part_prices
    );
    let price = found.fitted.coefficients[3].estimate.unwrap();
    assert!((price - expected).abs() < 1e-8);
    // Of a kind that was never used nothing is known.
    assert_eq!(found.part_prices[4], 0.0);
}

#[test]
fn strengths_and_roles_that_make_no_sense_are_refused() {
    let design = design(3).check().unwrap();
    let with = |blocks: f64, parts: f64| {
        let shrinkage = Some(Shrinkage {
            blocks,
            parts,
            error: f64::NAN,
        });
        let hier = Hierarchical {
            hierarchy: hierarchy(),
            shrinkage,
            certainty: true,
        };
        hier.fit(&design)
    };
    assert!(with(1.0, 0.1).is_ok());
    for (blocks, parts, expected) in [
        (0.0, 1.0, "blocks"),
        (1.0, 0.0, "parts"),
        (f64::NAN, 1.0, "blocks"),
        (f64::INFINITY, 1.0, "blocks"),
        (1.0, -2.0, "parts"),
    ] {
        let error = with(blocks, parts).unwrap_err();
        let found =
            matches!(error, EstimatorError::Parameter { parameter, .. } if parameter == expected);
        assert!(found, "{error}");
    }
    let alone = PartsAlone {
        hierarchy: Hierarchy::flat(2),
    };
    assert!(matches!(
        alone.fit(&design),
        Err(EstimatorError::Request { .. })
    ));
}
