//! A program of two methods, its recording and its prices.

use std::collections::BTreeMap;

use pricetag_cost_model::*;
use pricetag_dataset::*;
use pricetag_explain::{ExplainOptions, explain};
use pricetag_finding::{Explanation, Grouping};

pub fn feature(name: &str, kind: FeatureKind) -> Feature {
    Feature {
        name: name.into(),
        kind,
        unit: "1".into(),
        ..Feature::default()
    }
}

pub fn block(method: &str, number: u32, lines: (u32, u32)) -> Feature {
    Feature {
        class: Some("org/example/Sorter".into()),
        method: Some(method.into()),
        descriptor: Some("([I)V".into()),
        block: Some(number),
        pcs: Some((number * 10, number * 10 + 10)),
        lines: Some(lines),
        source_file: Some("Sorter.java".into()),
        text: Some(format!(
            "{}: iload_1\n{}: iadd",
            number * 10,
            number * 10 + 1
        )),
        ..feature(
            &format!("Sorter.{method} block {number}"),
            FeatureKind::Block,
        )
    }
}

/// Ten inputs of size 1 … 10: sort's block 0 once, block 1 n² times, blocks 2 and 3 n times (3 twice as often), print's
/// block 0 five times; one opcode executed 2 per block 1 and 1 per block 2.
pub fn dataset() -> Dataset {
    let column = |f: &dyn Fn(f64) -> f64| {
        (0..10)
            .map(|i| (ObservationId(i), f(f64::from(i + 1))))
            .collect::<Vec<_>>()
    };
    // What [`priced`] says of an input.
    let cost = |n: i32| f64::from(120 + 12 * n + 3 * n * n);
    let mut observations: Vec<Observation> = (1..=10)
        .map(|n| Observation {
            label: format!("in{n}"),
            inputs: BTreeMap::from([("size".to_owned(), InputValue::Number(f64::from(n)))]),
            costs: BTreeMap::from([(
                "wall".to_owned(),
                Measured {
                    repeats: [0.9, 1.0, 1.1].map(|luck| luck * cost(n)).to_vec(),
                },
            )]),
            ..Observation::default()
        })
        .collect();
    observations.push(Observation {
        label: "broken".into(),
        status: Status::Failed,
        reason: Some("exit code 1".into()),
        ..Observation::default()
    });
    let mut print = block("print", 0, (30, 30));
    print.nondeterministic = 4;
    Dataset {
        meta: Meta {
            subject: vec!["java".into(), "Sorter".into()],
            scope: "main".into(),
            cost_units: BTreeMap::from([("wall".into(), "ns".into())]),
            ..Meta::default()
        },
        observations,
        features: vec![
            block("sort", 0, (10, 10)),
            block("sort", 1, (11, 12)),
            block("sort", 2, (13, 13)),
            block("sort", 3, (14, 14)),
            print,
            feature("base", FeatureKind::Base),
            feature("opcode iadd", FeatureKind::Opcode),
        ],
        columns: vec![
            column(&|_| 1.0),
            column(&|n| n * n),
            column(&|n| n),
            column(&|n| 2.0 * n),
            column(&|_| 5.0),
            column(&|_| 1.0),
            column(&|n| 2.0 * n * n + n),
        ],
        parts: vec![
            Part {
                whole: FeatureId(1),
                part: FeatureId(6),
                amount: 2.0,
            },
            Part {
                whole: FeatureId(2),
                part: FeatureId(6),
                amount: 1.0,
            },
        ],
        ..Dataset::default()
    }
}

pub fn price(bucket: &str, members: &[(&str, f64)], price: f64) -> Price {
    Price {
        bucket: bucket.into(),
        members: members.iter().map(|(name, _)| (*name).to_owned()).collect(),
        ratios: members.iter().map(|(_, ratio)| *ratio).collect(),
        price: Some(price),
        std_error: None,
        bounds: Some((price * 0.9, price * 1.1)),
        prior: Some(price * 2.0),
        evidence: Some(0.75),
        support: 10,
        share: 0.0,
        note: None,
    }
}

pub fn model(terms: &[(f64, &str)], prices: Vec<Price>) -> CostModel {
    let terms = terms
        .iter()
        .map(|(c, name)| (*c, (*name).to_owned()))
        .collect();
    CostModel {
        schema: MODEL_SCHEMA,
        target: "wall".into(),
        unit: "ns".into(),
        method: "hier".into(),
        formula: Formula::Linear {
            intercept: 0.0,
            terms,
        },
        text: String::new(),
        prices,
        interval: None,
        domain: BTreeMap::new(),
        evaluation: None,
        baseline: None,
        alternatives: Vec::new(),
        costs: None,
        unexplained: None,
        standings: Vec::new(),
        screening: None,
        preferred: None,
        charges: None,
        terms: Vec::new(),
        concise: None,
        sensitivity: None,
        summary: None,
        diagnostics: Vec::new(),
        provenance: Provenance::default(),
    }
}

/// 100 per run, 3 per execution of block 1, 12 per (block 2 and two of block 3), 4 per print block.
pub fn priced() -> CostModel {
    model(
        &[
            (100.0, "base"),
            (3.0, "Sorter.sort block 1"),
            (12.0, "Sorter.sort block 2"),
            (4.0, "Sorter.print block 0"),
        ],
        vec![
            price("base", &[("base", 1.0)], 100.0),
            price("Sorter.sort block 1", &[("Sorter.sort block 1", 1.0)], 3.0),
            price(
                "Sorter.sort block 2 + 1 more",
                &[("Sorter.sort block 2", 1.0), ("Sorter.sort block 3", 2.0)],
                12.0,
            ),
            price(
                "Sorter.print block 0",
                &[("Sorter.print block 0", 1.0)],
                4.0,
            ),
        ],
    )
}

pub fn by(model: &CostModel, by: Grouping) -> Explanation {
    let explanation = explain(
        model,
        &dataset(),
        ExplainOptions {
            by,
            ..ExplainOptions::default()
        },
    )
    .unwrap();
    let sum: f64 = explanation.items.iter().map(|item| item.cost).sum();
    assert!(
        (sum - explanation.predicted).abs() < 1e-9 * sum,
        "the parts add up"
    );
    assert!((explanation.items.iter().map(|item| item.share).sum::<f64>() - 1.0).abs() < 1e-12);
    explanation
}

/// Σ n² and Σ n over 1 … 10.
pub const SQUARES: f64 = 385.0;
pub const SUM: f64 = 55.0;
pub const TOTAL: f64 = 1000.0 + 3.0 * SQUARES + 12.0 * SUM + 4.0 * 50.0;
