//! An invented program with known prices, observed on invented inputs. Nothing here was measured.

use std::collections::BTreeMap;

use pricetag_cost_model::{
    CostModel, Diagnostic, EvaluatedRow, Evaluation, Formula, Interval, MODEL_SCHEMA, Price,
    Provenance, Severity,
};
use pricetag_dataset::{
    DATASET_SCHEMA, Dataset, Feature, FeatureKind, InputValue, Measured, Meta, Observation,
    ObservationId, Status,
};
use pricetag_finding::{Design, MergedBucket};

mod page;
pub use page::page_of;

const PACKAGES: [(&str, &str, &[&str]); 8] = [
    (
        "org/example/invoice/parse",
        "Tokenizer",
        &["next", "peek", "skipSpace", "number", "text", "fail"],
    ),
    (
        "org/example/invoice/parse",
        "Parser",
        &["document", "line", "field", "expect", "recover"],
    ),
    (
        "org/example/invoice/model",
        "Ledger",
        &["add", "find", "balance", "close", "lambda$close$0"],
    ),
    (
        "org/example/invoice/model",
        "Money",
        &["plus", "times", "round", "compareTo", "<init>"],
    ),
    (
        "org/example/invoice/rules",
        "RuleEngine",
        &["match", "apply", "sort", "conflicts"],
    ),
    (
        "org/example/invoice/rules",
        "TaxTable",
        &["lookup", "load", "<clinit>"],
    ),
    (
        "org/example/invoice/print",
        "Layout",
        &["measure", "wrap", "place", "page"],
    ),
    (
        "org/example/invoice/print",
        "PdfWriter",
        &["write", "compress", "escape", "xref"],
    ),
];
const OPCODES: [&str; 8] = [
    "aload_0",
    "getfield #12",
    "iload_2",
    "iadd",
    "istore_3",
    "invokevirtual #27",
    "if_icmpge +14",
    "iinc 2, 1",
];

/// A linear congruential generator (Knuth's MMIX constants): the sample needs no better.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.roll() * n as f64) as usize
    }

    /// Nearly normal: twelve uniforms.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.roll()).sum::<f64>() - 6.0
    }
}

// Ends of the interval, as factors.
const LOWER: f64 = 0.961;
const UPPER: f64 = 1.044;

struct Block {
    factor: usize,
    weight: f64,
    price: f64,
}

/// Renders the report of a program with `blocks` blocks on `rows` inputs; `labels` replace the names of the first inputs.
pub fn page(rows: usize, blocks: usize, labels: &[&str]) -> String {
    let (dataset, model) = parts(rows, blocks, labels);
    page_of(
        &dataset,
        &model,
        rows,
        blocks,
        "Where the time of invoice.jar goes",
    )
}

/// What such a page is about.
pub fn parts(rows: usize, blocks: usize, labels: &[&str]) -> (Dataset, CostModel) {
    let mut dice = Dice(7);
    let (dataset, truth) = dataset(rows, blocks, labels, &mut dice);
    let model = model(&dataset, &truth, &mut dice);
    (dataset, model)
}

fn dataset(rows: usize, blocks: usize, labels: &[&str], dice: &mut Dice) -> (Dataset, Vec<Block>) {
    let sizes: Vec<[f64; 5]> = (0..rows)
        .map(|_| {
            let size = (3.0 + dice.roll() * 5.5).exp2().powf(1.6);
            let depth = 2.0 + dice.roll() * 9.0;
            [
                1.0,
                size.round(),
                (size * size.log2()).round(),
                (size * depth).round(),
                (size * size / 40.0 * dice.roll()).round(),
            ]
        })
        .collect();
    let mut features = vec![
        Feature {
            name: "base".into(),
            kind: FeatureKind::Base,
            unit: "1".into(),
            ..Feature::default()
        },
        Feature {
            name: "classes loaded".into(),
            kind: FeatureKind::Cold,
            unit: "1".into(),
            ..Feature::default()
        },
    ];
    let mut truth = vec![
        Block {
            factor: 0,
            weight: 1.0,
            price: 2.1e7,
        },
        Block {
            factor: 0,
            weight: 340.0,
            price: 42_000.0,
        },
    ];
    let methods = (blocks / 8).max(1);
    for number in 0..blocks {
        let (package, class, names) = PACKAGES[number / 8 % methods % PACKAGES.len()];
        let which = number / 8 / PACKAGES.len();
        let method = names[which % names.len()];
        let generation = which / names.len();
        let class = if generation == 0 {
            class.to_owned()
        } else {
            format!("{class}${generation}")
        };
        let block = number as u32 % 8;
        let factor = if block == 0 { 1 } else { 1 + dice.below(4) };
        let weight = (dice.roll() * 5.0).exp2().round()
            * if factor == 4 && dice.roll() > 0.1 {
                0.02
            } else {
                1.0
            };
        features.push(code(package, &class, method, block, which as u32, dice));
        let price = (dice.normal() * 1.1).exp() * 6.0 / (1.0 + number as f64 / 60.0);
        truth.push(Block {
            factor,
            weight,
            price,
        });
    }
    let columns = truth
        .iter()
        .map(|block| {
            let value = |row: usize| (sizes[row][block.factor] * block.weight).floor();
            (0..rows)
                .map(|row| (ObservationId(row as u32), value(row)))
                .filter(|(_, value)| *value != 0.0)
                .collect()
        })
        .collect();
    let mut dataset = Dataset {
        features,
        columns,
        ..Dataset::default()
    };
    dataset.meta = meta();
    for (row, size) in sizes.iter().enumerate() {
        let wall: f64 = truth
            .iter()
            .map(|block| (size[block.factor] * block.weight).floor() * block.price)
            .sum();
        dataset
            .observations
            .push(observation(row, rows, labels, size, wall, dice));
    }
    (dataset, truth)
}

fn code(
    package: &str,
    class: &str,
    method: &str,
    block: u32,
    which: u32,
    dice: &mut Dice,
) -> Feature {
    let start = block * 22;
    let first = 12 + which * 9 + block;
    let text: Vec<String> = (0..3 + dice.below(6))
        .map(|i| {
            format!(
                "{:>4}: {}",
                start + 3 * i as u32,
                OPCODES[dice.below(OPCODES.len())]
            )
        })
        .collect();
    Feature {
        name: format!(
            "{}.{class}.{method}(int[], String) block {block}",
            package.replace('/', ".")
        ),
        kind: FeatureKind::Block,
        unit: "1".into(),
        class: Some(format!("{package}/{class}")),
        method: Some(method.into()),
        descriptor: Some("([ILjava/lang/String;)I".into()),
        block: Some(block),
        pcs: Some((start, start + 22)),
        lines: Some((first, first + dice.below(3) as u32)),
        code_lines: Vec::new(),
        source_file: Some(format!("{}.java", class.split('$').next().unwrap_or(class))),
        text: Some(text.join("\n")),
        nondeterministic: u32::from(dice.below(150) == 0) * 17,
        available: None,
        changes: None,
    }
}

fn meta() -> Meta {
    let map = |pairs: &[(&str, &str)]| {
        pairs
            .iter()
            .map(|(k, v)| ((*k).to_owned(), (*v).to_owned()))
            .collect::<BTreeMap<_, _>>()
    };
    Meta {
        schema: DATASET_SCHEMA,
        subject: ["java", "-jar", "invoice.jar", "--strict", "{}"]
            .map(str::to_owned)
            .to_vec(),
        scope: "main".into(),
        cost_units: map(&[("wall", "ns"), ("alloc", "byte")]),
        platform: map(&[
            ("cpu", "an invented processor, 8 cores"),
            ("os", "Linux 6.12"),
            ("jvm", "OpenJDK 64-Bit Server VM 21.0.5+11"),
            ("flags", "-XX:+UseSerialGC"),
        ]),
        options: map(&[
            ("features", "blocks,cold"),
            ("repeat", "5"),
            ("timing", "separate"),
        ]),
        pricetag: "0.1.0".into(),
        created: 1_795_000_000,
        left: vec![
            "org.example.invoice.gen.Huge.table()V: its code would exceed 64 KiB".into(),
            "org.legacy.Reader: loaded before the agent, and cannot be changed".into(),
        ],
        notes: vec!["The counting runs took 1.9 times as long as the timing runs.".into()],
    }
}

fn observation(
    row: usize,
    rows: usize,
    labels: &[&str],
    size: &[f64; 5],
    wall: f64,
    dice: &mut Dice,
) -> Observation {
    let label = labels.get(row).map_or_else(
        || format!("corpus/{}/invoice-{row:04}.xml", 2019 + row % 7),
        |l| (*l).to_owned(),
    );
    let level = wall * (1.0 + 0.022 * dice.normal());
    let failed = row % 67 == 66;
    let repeats = |value: f64, noise: f64, dice: &mut Dice| Measured {
        repeats: (0..5)
            .map(|_| value * (1.0 + noise * dice.normal()))
            .collect(),
    };
    Observation {
        group: label.clone(),
        label,
        status: if failed { Status::Failed } else { Status::Ok },
        reason: failed.then(|| match row % 3 {
            0 => "time limit of 60 s exceeded".to_owned(),
            _ => "exit code 2: line 14: <total> differs from the sum of its lines".to_owned(),
        }),
        inputs: BTreeMap::from([
            (
                "bytes".to_owned(),
                InputValue::Number((size[1] * 61.0).round()),
            ),
            ("lines".to_owned(), InputValue::Number(size[1])),
            (
                "year".to_owned(),
                InputValue::Text((2019 + row % 7).to_string()),
            ),
        ]),
        costs: BTreeMap::from([
            ("wall".to_owned(), repeats(level, 0.012, dice)),
            (
                "alloc".to_owned(),
                repeats(size[1] * 480.0 + 3e6, 0.0001, dice),
            ),
        ]),
        caveats: if row == rows / 2 {
            vec!["counts differ between two runs".to_owned()]
        } else {
            Vec::new()
        },
    }
}

fn model(dataset: &Dataset, truth: &[Block], dice: &mut Dice) -> CostModel {
    let mut buckets: BTreeMap<(usize, u64, usize), Vec<usize>> = BTreeMap::new();
    for (index, block) in truth.iter().enumerate() {
        // Blocks of one method that move together are one bucket.
        let method = if index < 2 {
            index
        } else {
            2 + (index - 2) / 8
        };
        buckets
            .entry((method, block.weight.to_bits(), block.factor))
            .or_default()
            .push(index);
    }
    let sum = |index: usize| {
        dataset.columns[index]
            .iter()
            .map(|(_, value)| value)
            .sum::<f64>()
    };
    let mut prices: Vec<Price> = buckets
        .values()
        .map(|members| {
            let price: f64 = members.iter().map(|&index| truth[index].price).sum();
            priced(dataset, members, price, sum(members[0]), dice)
        })
        .collect();
    let total: f64 = prices.iter().map(|price| price.share).sum();
    for price in &mut prices {
        price.share /= total;
    }
    prices.sort_by(|a, b| {
        b.share
            .total_cmp(&a.share)
            .then_with(|| a.bucket.cmp(&b.bucket))
    });
    let terms = prices
        .iter()
        .filter_map(|price| Some((price.price?, price.members[0].clone())))
        .collect();
    let mut model = CostModel {
        schema: MODEL_SCHEMA,
        target: "wall".into(),
        unit: "ns".into(),
        method: "hier".into(),
        formula: Formula::Linear { intercept: 0.0, terms },
        text: "42.1·`classes loaded` + 21000000·base + … (more)".into(),
        prices,
        interval: Some(Interval { level: 0.95, lower: LOWER, upper: UPPER, coverage: None, scatter: None, method: "split conformal".into(), leverage: None }),
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
        diagnostics: vec![
            Diagnostic { severity: Severity::Warning, message: "212 features are executed in fewer than five inputs; their prices rest on their opcodes.".into(), advice: Some("Add inputs that reach org.example.invoice.rules.".into()) },
            Diagnostic { severity: Severity::Note, message: "The shrinkage was chosen by five-fold cross-validation.".into(), advice: None },
        ],
        provenance: Provenance {
            platform: dataset.meta.platform.clone(),
            subject: dataset.meta.subject.clone(),
            scope: "main".into(),
            dataset: "9f2c41d0a7be5513".into(),
            recording: BTreeMap::new(),
            options: BTreeMap::from([("train".to_owned(), "50%".to_owned()), ("method".to_owned(), "hier".to_owned())]),
            seed: 42,
            pricetag: "0.1.0".into(),
        },
    };
    evaluate(&mut model, dataset);
    model
}

fn priced(dataset: &Dataset, members: &[usize], truth: f64, count: f64, dice: &mut Dice) -> Price {
    let price = truth * (1.0 + 0.04 * dice.normal()).max(0.0);
    let error = price * (0.03 + 0.3 * dice.roll() * dice.roll());
    let evidence = dice.roll().sqrt();
    let known = price * count > 2e6 || dice.below(12) != 0;
    let first = &dataset.features[members[0]].name;
    Price {
        bucket: if members.len() == 1 {
            first.clone()
        } else {
            format!("{first} + {} more", members.len() - 1)
        },
        members: members
            .iter()
            .map(|&index| dataset.features[index].name.clone())
            .collect(),
        ratios: vec![1.0; members.len()],
        price: known.then_some(price),
        std_error: known.then_some(error),
        bounds: known.then_some(((price - 2.0 * error).max(0.0), price + 2.0 * error)),
        prior: Some(truth * (0.5 * dice.normal()).exp()),
        evidence: Some(evidence),
        support: dataset.columns[members[0]].len() as u32,
        share: if known { price * count } else { 0.0 },
        note: (!known).then(|| {
            "executed in two inputs only: its price cannot be told from theirs".to_owned()
        }),
    }
}

fn evaluate(model: &mut CostModel, dataset: &Dataset) {
    let columns: BTreeMap<&str, BTreeMap<u32, f64>> = dataset
        .features
        .iter()
        .zip(&dataset.columns)
        .map(|(feature, column)| {
            (
                feature.name.as_str(),
                column.iter().map(|(row, value)| (row.0, *value)).collect(),
            )
        })
        .collect();
    let mut rows = Vec::new();
    for (row, observation) in dataset
        .observations
        .iter()
        .enumerate()
        .filter(|(row, o)| row % 2 == 1 && o.status == Status::Ok)
    {
        let value = |name: &str| {
            Some(
                columns
                    .get(name)?
                    .get(&(row as u32))
                    .copied()
                    .unwrap_or(0.0),
            )
        };
        let predicted = model
            .formula
            .evaluate(&value)
            .expect("every feature has a column");
        let mut repeats = observation.costs["wall"].repeats.clone();
        repeats.sort_by(f64::total_cmp);
        rows.push(EvaluatedRow {
            label: observation.label.clone(),
            measured: repeats[2],
            predicted,
            interval: Some((predicted * LOWER, predicted * UPPER)),
        });
    }
    let inside = rows
        .iter()
        .filter(|row| (row.predicted * LOWER..=row.predicted * UPPER).contains(&row.measured))
        .count();
    if let Some(interval) = &mut model.interval {
        interval.coverage = Some(inside as f64 / rows.len() as f64);
    }
    let mut errors: Vec<f64> = rows
        .iter()
        .map(|row| ((row.predicted - row.measured) / row.measured).abs())
        .collect();
    errors.sort_by(f64::total_cmp);
    let at = |q: f64| errors[((errors.len() - 1) as f64 * q) as usize];
    let under = rows
        .iter()
        .filter(|row| row.predicted < row.measured)
        .count() as f64
        / rows.len() as f64;
    let evaluation = Evaluation {
        name: "hier".into(),
        train_rows: (dataset.observations.len() / 2) as u32,
        test_rows: rows.len() as u32,
        median_error: at(0.5),
        p90_error: at(0.9),
        mean_error: errors.iter().sum::<f64>() / errors.len() as f64,
        median_signed_error: -0.004,
        under_rate: under,
        noise_floor: Some(0.011),
        rows,
    };
    let other = |name: &str, factor: f64| Evaluation {
        name: name.into(),
        median_error: evaluation.median_error * factor,
        p90_error: evaluation.p90_error * factor * 1.1,
        mean_error: evaluation.mean_error * factor,
        rows: Vec::new(),
        ..evaluation.clone()
    };
    model.alternatives = vec![
        other("nnls over merged buckets", 1.7),
        other("opcode prices", 2.6),
        other("wls", 2.1),
    ];
    model.baseline = Some(other("input size only", 9.4));
    model.evaluation = Some(evaluation);
}

fn design(model: &CostModel, rows: usize, blocks: usize) -> Design {
    let merged = model.prices.iter().filter(|price| price.members.len() > 1);
    Design {
        rows: rows as u32,
        columns: blocks as u32 + 2,
        buckets: model.prices.len() as u32,
        rank: (rows as u32 / 2).min(model.prices.len() as u32),
        condition: Some(3.1e7),
        empty: 14,
        constant: 2,
        incomplete: 0,
        merged: merged
            .map(|price| MergedBucket {
                name: price.bucket.clone(),
                members: price.members.clone(),
                advice: None,
            })
            .collect(),
        ..Design::default()
    }
}
