//! Price lists from tables whose prices are known: what is put in comes out, and what cannot be known is said.

use std::collections::BTreeMap;

use pricetag_cost_model::Formula;
use pricetag_cost_model::region::column;
use pricetag_dataset::{
    Dataset, DatasetBuilder, Feature, FeatureKind, Measured, Meta, Observation, Row,
};
use pricetag_semantics::{LearnError, learn};

const HEAP: f64 = 1_000_000.0;

/// A program: how often its constructs run per unit of size, and the words it keeps alive.
type Program = (&'static str, &'static [(&'static str, f64)], f64);

const PROGRAMS: &[Program] = &[
    ("loop", &[("add", 1.0)], 0.0),
    ("adds", &[("add", 4.0), ("call", 1.0)], 0.0),
    ("calls", &[("add", 1.0), ("call", 3.0)], 0.0),
    ("list", &[("cons", 1.0), ("add", 1.0)], 0.0),
    ("lists", &[("cons", 3.0), ("call", 1.0)], 3.0),
];

/// Nanoseconds and bytes.
const PRICES: [(&str, f64, f64); 3] = [("add", 0.5, 0.0), ("call", 2.0, 0.0), ("cons", 1.5, 24.0)];

/// Adds a row.
fn add(
    builder: &mut DatasetBuilder,
    label: &str,
    group: &str,
    costs: &[(&str, f64)],
    cells: Vec<(String, FeatureKind, f64)>,
) {
    let counts = cells
        .into_iter()
        .map(|(name, kind, value)| {
            let feature = Feature {
                name,
                kind,
                unit: "1".into(),
                ..Feature::default()
            };
            (builder.intern(feature), value)
        })
        .collect();
    let costs = costs.iter();
    builder.row(Row {
        observation: Observation {
            label: label.to_owned(),
            group: group.to_owned(),
            costs: costs
                .map(|(n, v)| ((*n).to_owned(), Measured::new([*v])))
                .collect(),
            ..Observation::default()
        },
        counts,
        ..Row::default()
    });
}

fn table(sizes: &[f64]) -> Dataset {
    let mut builder = DatasetBuilder::new(Meta::default());
    for (name, counts, alive) in PROGRAMS {
        for size in sizes {
            let mut cells = vec![("base".to_owned(), FeatureKind::Base, 1.0)];
            let (mut ns, mut bytes) = (20.0, 0.0);
            for (construct, n) in *counts {
                let (_, time, memory) = PRICES.iter().find(|p| p.0 == *construct).unwrap();
                ns += time * n * size;
                bytes += memory * n * size;
                cells.push(((*construct).to_owned(), FeatureKind::Opcode, n * size));
            }
            cells.push(("once".to_owned(), FeatureKind::Opcode, 1.0));
            let collections = (bytes / HEAP).floor();
            let promoted = if collections > 0.0 { alive * size } else { 0.0 };
            ns += 300.0 * collections + 2.5 * promoted;
            let costs = [
                ("ns", ns),
                ("bytes", bytes),
                ("collections", collections),
                ("promoted_words", promoted),
            ];
            add(&mut builder, &format!("{name} {size}"), name, &costs, cells);
        }
    }
    builder.finish()
}

fn sizes() -> Vec<f64> {
    (1..=20)
        .map(|i| 1000.0 * f64::from(i))
        .chain([5e4, 9e4, 2e5])
        .collect()
}

#[test]
fn known_prices_come_back() {
    let list = learn(
        &BTreeMap::from([("extended".to_owned(), table(&sizes()))]),
        1,
    )
    .unwrap();
    let prices = &list.modes["extended"];
    for estimator in ["lr", "wlr", "l1", "nnls", "normalised"] {
        let model = &prices.time[estimator];
        for (construct, time, _) in PRICES {
            let found = model
                .formula
                .evaluate(&|n| Some(f64::from(n == construct)))
                .unwrap();
            assert!(
                (found - time).abs() < 1e-3,
                "{estimator} {construct}: {found}"
            );
        }
    }
    for (construct, _, bytes) in PRICES {
        let found = prices
            .bytes
            .formula
            .evaluate(&|n| Some(f64::from(n == construct)))
            .unwrap();
        assert_eq!(found, bytes, "bytes of {construct} are whole");
    }
    let collector = list.collector.unwrap();
    assert!(
        (collector.heap - HEAP).abs() < 0.05 * HEAP,
        "{}",
        collector.heap
    );
    assert_eq!(collector.exact.0, collector.exact.1);
    assert!(
        (collector.per_word - 2.5).abs() < 1e-3,
        "{}",
        collector.per_word
    );
    assert!(
        (collector.per_collection - 300.0).abs() < 3.0,
        "{}",
        collector.per_collection
    );
}

/// `tests/golden/make.R` says how the numbers were made.
#[test]
fn prices_of_the_papers_objective_are_those_of_r() {
    let mut lines = include_str!("golden/normalised.csv").lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut builder = DatasetBuilder::new(Meta::default());
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |i: usize| cells[i].parse::<f64>().unwrap();
        let kind = |name: &str| match name {
            "base" => FeatureKind::Base,
            _ => FeatureKind::Opcode,
        };
        let counts = header.iter().enumerate().skip(3);
        let counts = counts.map(|(i, name)| ((*name).to_owned(), kind(name), number(i)));
        let label = format!("{} {}", cells[0], cells[1]);
        let costs = [("ns", number(2)), ("bytes", 0.0)];
        add(&mut builder, &label, cells[0], &costs, counts.collect());
    }
    let tables = BTreeMap::from([("paper".to_owned(), builder.finish())]);
    let list = learn(&tables, 1).unwrap();
    let model = &list.modes["paper"].time["normalised"];
    for line in include_str!("golden/normalised.txt").lines() {
        let (construct, price) = line.split_once(' ').unwrap();
        let price: f64 = price.parse().unwrap();
        let of = |n: &str| Some(f64::from(n == construct));
        let found = model.formula.evaluate(&of).unwrap();
        assert!(
            (found - price).abs() <= 1e-9 * price.max(1.0),
            "{construct}: {found} instead of {price}"
        );
    }
    let interval = model.interval.as_ref().unwrap();
    assert!(interval.lower < 0.9 && interval.upper > 1.1, "{interval:?}");
}

/// A design of full rank can still be meaningless: what runs once per program cannot be told from the base price.
#[test]
fn what_does_not_grow_has_no_price() {
    let list = learn(&BTreeMap::from([("paper".to_owned(), table(&sizes()))]), 1).unwrap();
    let prices = &list.modes["paper"];
    assert_eq!(prices.unsupported, ["once"]);
    for model in prices.time.values() {
        assert!(!model.domain.contains_key("once"));
        assert!(
            model
                .prices
                .iter()
                .all(|p| !p.members.contains(&"once".to_owned()))
        );
    }
}

#[test]
fn without_collections_there_is_no_collector() {
    let list = learn(
        &BTreeMap::from([("paper".to_owned(), table(&[1e3, 2e3, 3e3, 4e3]))]),
        1,
    )
    .unwrap();
    assert!(list.collector.is_none());
}

#[test]
fn nothing_to_learn_from_is_an_error() {
    assert!(matches!(
        learn(&BTreeMap::new(), 1),
        Err(LearnError::NoTable)
    ));
    let empty = BTreeMap::from([("paper".to_owned(), Dataset::default())]);
    assert!(matches!(
        learn(&empty, 1),
        Err(LearnError::NothingMeasured { total: 0, .. })
    ));
}

/// Programs with two things that go on at once, in proportions that differ.
fn overlapping() -> Dataset {
    let mut builder = DatasetBuilder::new(Meta::default());
    let programs = [
        ("works", 6.0, 0.0, 1.0),
        ("works_more", 9.0, 1.0, 1.0),
        ("waits", 1.0, 2.0, 1.0),
        ("waits_more", 2.0, 3.0, 2.0),
        ("both", 5.0, 1.0, 3.0),
        ("neither", 1.0, 0.0, 4.0),
    ];
    for (name, works, waits, apart) in programs {
        for size in sizes() {
            // 0.5 ns of work and 4 ns of waiting go on at once, 2 ns do not.
            let ns = 20.0 + size * (f64::max(0.5 * works, 4.0 * waits) + 2.0 * apart);
            let mut cells = vec![("base".to_owned(), FeatureKind::Base, 1.0)];
            // One more step goes on beside what is apart: of at most 2 ns, since nobody sees it.
            for (column, n) in [
                (column(0, 0, "work"), works),
                (column(0, 1, "wait"), waits),
                (column(1, 0, "apart"), apart),
                (column(1, 1, "hidden"), 1.0),
            ] {
                cells.push((column, FeatureKind::Loop, n * size));
            }
            for (construct, n) in [("work", works), ("wait", waits), ("apart", apart)] {
                cells.push((construct.to_owned(), FeatureKind::Opcode, n * size));
            }
            add(
                &mut builder,
                &format!("{name} {size}"),
                name,
                &[("ns", ns), ("bytes", 0.0)],
                cells,
            );
        }
    }
    builder.finish()
}

#[test]
fn what_goes_on_at_once_is_told_from_what_adds_up() {
    let tables = BTreeMap::from([("extended".to_owned(), overlapping())]);
    let list = learn(&tables, 1).unwrap();
    let prices = &list.modes["extended"];
    assert_eq!(prices.chosen, "overlap");
    let model = &prices.time["overlap"];
    for (construct, known) in [("work", 0.5), ("wait", 4.0), ("apart", 2.0), ("base", 20.0)] {
        let price = model.prices.iter().find(|p| p.bucket == construct).unwrap();
        let found = price.price.unwrap();
        assert!((found - known).abs() < 0.01 * known, "{construct}: {found}");
        let (low, high) = price.bounds.unwrap();
        assert!(
            low <= found + 1e-6 && found <= high + 1e-6,
            "{construct}: {low} … {high}"
        );
    }
    // What is never the longest has no price, but cannot be dearer than what it goes on beside.
    let hidden = model.prices.iter().find(|p| p.bucket == "hidden").unwrap();
    assert_eq!((hidden.price, hidden.support), (None, 0));
    let (least, most) = hidden.bounds.unwrap();
    assert!(least == 0.0 && (most - 2.0).abs() < 0.02, "{most}");
    assert!(hidden.note.is_some() && !model.domain.contains_key("hidden"));
    let Formula::Linear { terms, .. } = &model.formula else {
        panic!("{:?}", model.formula);
    };
    assert!(terms.iter().all(|(_, name)| name != "hidden"));
    // A sum cannot say it.
    let interval = |name: &str| prices.time[name].interval.clone().unwrap();
    let (overlap, sum) = (interval("overlap"), interval("nnls"));
    assert!(overlap.upper / overlap.lower < 1.1, "{overlap:?}");
    assert!(sum.upper / sum.lower > 1.3, "{sum:?}");
}
