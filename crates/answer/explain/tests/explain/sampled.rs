//! Explanations of costs that samples bear out.

use pricetag_cost_model::*;
use pricetag_dataset::Dataset;
use pricetag_explain::{ExplainOptions, explain, inspect, summarize};
use pricetag_finding::Grouping;

use crate::sorter::*;

/// A cost that samples bear out: 60 % in `sort`, a tenth in the compilers, the rest in `print`; its formula says otherwise.
fn sampled() -> (CostModel, Dataset) {
    let method = |name: &str| MethodKey {
        class: "org/example/Sorter".into(),
        name: name.into(),
        descriptor: "([I)V".into(),
    };
    let account = |kind, method, terms: &[(f64, &str)], factors, samples| Charge {
        kind,
        method,
        terms: terms.iter().map(|(p, f)| (*p, (*f).to_owned())).collect(),
        cost: 0.0,
        factors,
        samples,
    };
    let charges = Charges {
        accounts: vec![
            account(
                ChargeKind::Method,
                Some(method("sort")),
                &[(2.0, "Sorter.sort block 2"), (0.0, "Sorter.sort block 1")],
                (0.9, 1.1),
                Some(400),
            ),
            account(
                ChargeKind::Method,
                Some(method("print")),
                &[(1.1, "Sorter.print block 0")],
                (0.2, 2.4),
                Some(3),
            ),
            account(
                ChargeKind::Compilation,
                None,
                &[(1.5, "base")],
                (0.95, 1.05),
                None,
            ),
        ],
        samples: 403,
        runs: 10,
        level: 0.95,
    };
    let mut model = priced();
    model.charges = Some(charges);
    (model, dataset())
}

#[test]
fn samples_say_where_the_cost_goes_whatever_the_formula_says() {
    let (model, dataset) = sampled();
    let found = explain(&model, &dataset, ExplainOptions::default()).unwrap();
    // 2·55 + 1.1·50 + 1.5·10 charged, 3015 measured.
    let charged = 180.0;
    assert_eq!((found.measured, found.predicted), (Some(3015.0), 3015.0));
    let shares: Vec<(&str, f64)> = found
        .items
        .iter()
        .map(|i| (i.name.as_str(), i.share))
        .collect();
    let expected = [
        ("org.example.Sorter.sort(int[])", 110.0 / charged),
        ("org.example.Sorter.print(int[])", 55.0 / charged),
        ("JIT compilation", 15.0 / charged),
    ];
    for ((name, share), (wanted, right)) in shares.iter().zip(expected) {
        assert_eq!(*name, wanted);
        assert!((share - right).abs() < 1e-12, "{name}: {share}");
    }
    let costs: f64 = found.items.iter().map(|item| item.cost).sum();
    assert!(
        (costs - 3015.0).abs() < 1e-9,
        "totals are the measured ones"
    );
    let bounds = found.items[0].share_bounds.unwrap();
    assert!((bounds.0 - 0.9 * 110.0 / charged).abs() < 1e-12);
    // Three samples give no rank.
    let unranked: Vec<bool> = found.items.iter().map(|item| item.unranked).collect();
    assert_eq!(unranked, [false, true, false]);
    let text = found.to_text(10, 100);
    assert!(!text.contains("print(int[])"), "{text}");
    assert!(text.contains("1 method 30.6 % (6–73 %)"), "{text}");
}

#[test]
fn where_the_cost_goes_is_told_even_if_nothing_predicts_it() {
    let (mut model, dataset) = sampled();
    let why = "nothing here explains the cost: one cost for all is off by 2 %";
    model.unexplained = Some(why.to_owned());
    let methods = explain(&model, &dataset, ExplainOptions::default()).unwrap();
    let summary = summarize(&model, &inspect(&dataset, None, Vec::new()), &methods);
    assert_eq!(summary.top[0].name, "org.example.Sorter.sort(int[])");
    let of = |begins: &str| {
        let mut sentences = summary.sentences.iter();
        let at = sentences.position(|sentence| sentence.starts_with(begins));
        at.unwrap_or_else(|| panic!("{begins}: {:?}", summary.sentences))
    };
    // The answer comes first.
    assert!(of("Of ") < of("Nothing here explains how the cost differs from input to input: one"));
    // Without samples there is nothing else to go by.
    model.charges = None;
    let methods = explain(&model, &dataset, ExplainOptions::default()).unwrap();
    let summary = summarize(&model, &inspect(&dataset, None, Vec::new()), &methods);
    assert!(
        summary.top.is_empty()
            && summary.sentences[0].starts_with("Nothing here explains the cost:")
    );
}

#[test]
fn blocks_of_a_sampled_method_have_its_prices() {
    let (model, dataset) = sampled();
    let options = ExplainOptions {
        by: Grouping::Block,
        ..ExplainOptions::default()
    };
    let found = explain(&model, &dataset, options).unwrap();
    let block = found
        .items
        .iter()
        .find(|i| i.name == "Sorter.sort block 2")
        .unwrap();
    assert_eq!((block.count, block.support), (55.0, 10));
    assert!((block.price.unwrap() - 2.0 * 3015.0 / 180.0).abs() < 1e-9);
}

/// `main` calls a bridge, which calls the method that it is for: both are one, whose only caller is `main`.
#[test]
fn a_bridge_and_its_method_are_one_for_callers_and_two_lines() {
    use pricetag_profile::{Method, MethodId, Node, NodeId, Profile, ProfiledRun, Sample, State};
    let method = |name: &str, descriptor: &str| Method {
        class: "org/example/Sorter".into(),
        name: name.into(),
        descriptor: descriptor.into(),
        own: true,
    };
    let node = |parent: Option<u32>, method: u32| Node {
        parent: parent.map(NodeId),
        method: MethodId(method),
        at: Some(0),
    };
    let sample = |node: u32, samples: u32| Sample {
        node: NodeId(node),
        state: State::Compiled,
        samples,
        cpu_ns: u64::from(samples) * 1_000_000,
    };
    let (mut model, mut dataset) = sampled();
    dataset.profile = Some(Profile {
        methods: vec![
            method("main", "()V"),
            method("get", "()Ljava/lang/Object;"),
            method("get", "()Ljava/lang/String;"),
        ],
        // main → bridge → method, and main → method.
        nodes: vec![
            node(None, 0),
            node(Some(0), 1),
            node(Some(1), 2),
            node(Some(0), 2),
        ],
        runs: vec![ProfiledRun {
            rows: vec!["in1".into()],
            samples: vec![sample(1, 10), sample(2, 30), sample(3, 60)],
            cpu_ns: 100_000_000,
            wall_ns: 100_000_000,
            ..ProfiledRun::default()
        }],
        notes: vec![],
    });
    let found = pricetag_explain::callers(&dataset, "get").unwrap();
    let [(name, callers)] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(name, "org.example.Sorter.get()");
    let told: Vec<_> = callers
        .iter()
        .map(|c| (c.name.as_str(), c.share, c.samples))
        .collect();
    assert_eq!(told, [("org.example.Sorter.main()", 1.0, 100)]);

    let charges = model.charges.as_mut().unwrap();
    for (account, result) in charges.accounts.iter_mut().zip(["Object", "String"]) {
        let key = account.method.as_mut().unwrap();
        key.name = "get".into();
        key.descriptor = format!("()Ljava/lang/{result};");
        account.samples = Some(50);
    }
    let options = ExplainOptions {
        by: Grouping::Method,
        ..ExplainOptions::default()
    };
    model.target = "cpu".into();
    let lines = explain(&model, &dataset, options).unwrap();
    let names: Vec<&str> = lines.items.iter().map(|i| i.name.as_str()).collect();
    assert!(
        names.contains(&"org.example.Sorter.get(): Object"),
        "{names:?}"
    );
    assert!(
        names.contains(&"org.example.Sorter.get(): String"),
        "{names:?}"
    );
    for item in lines.items.iter().filter(|i| i.name.contains("get")) {
        assert!(item.spread.is_some(), "{}", item.name);
    }
}
