//! The structure of a written Palladio model, by a checker that knows nothing of how it is written: identifiers, references, and the order of actions.

use std::collections::BTreeMap;

use pricetag_component::palladio;
use pricetag_cost_model::Formula;
use pricetag_services::{Behaviour, Kind, Law, Operation, Quality, Service};
use roxmltree::{Document, Node};

fn law(kind: Kind, text: &str, quality: Quality, per_pass: bool) -> Law {
    Law {
        kind,
        per_pass,
        formula: Formula::parse(text).unwrap(),
        text: text.to_owned(),
        quality,
        method: "shapes".to_owned(),
        rows: 10,
        checked: 5,
        held: 5,
        error: Some(0.0),
        fitted: Some(0.0),
        probability: 0.75,
        rivals: Vec::new(),
    }
}

fn service(class: &str, method: &str, descriptor: &str) -> Service {
    Service {
        class: class.to_owned(),
        method: method.to_owned(),
        descriptor: descriptor.to_owned(),
        interface: None,
        parameters: vec!["p0".to_owned()],
    }
}

/// Three required services: one often, one by state, one in each pass.
fn behaviour() -> Behaviour {
    let calls = |service| Kind::Calls { service };
    let parameter = Kind::Parameter {
        service: 0,
        parameter: 0,
        part: ".size".to_owned(),
    };
    let executed = Kind::Executed {
        category: "instructions".to_owned(),
    };
    Behaviour {
        schema: 1,
        component: vec!["org.<shop>.**".to_owned()],
        operations: vec![Operation {
            service: service("org.Shop", "store", "([[BILjava/lang/String;)J"),
            order: vec![0, 1, 2],
            passes: 3,
            laws: vec![
                law(calls(0), "2*p0", Quality::Exact, false),
                law(parameter, "p0 + 1", Quality::Exact, false),
                law(calls(1), "p0 > 3", Quality::Usual, false),
                law(Kind::Passes, "p0", Quality::Exact, false),
                law(calls(2), "pass > 1", Quality::Exact, true),
                law(executed, "7*p0", Quality::Approximate, false),
            ],
            ..Operation::default()
        }],
        required: vec![
            service("org.Disk", "put", "([B)V"),
            service("org.Log", "write", "(Ljava/lang/String;)V"),
            service("org.Disk", "sync", "(I)Z"),
        ],
        notes: Vec::new(),
    }
}

#[test]
fn identifiers_are_unique_and_every_reference_leads_to_one() {
    let files = palladio(&behaviour());
    let model = Document::parse(&files[0].1).unwrap();
    let mut ids: BTreeMap<&str, Node<'_, '_>> = BTreeMap::new();
    for node in model.descendants() {
        if let Some(id) = node.attribute("id") {
            assert!(ids.insert(id, node).is_none(), "{id} is there twice");
        }
    }
    let types = model
        .descendants()
        .filter(|n| n.has_tag_name("dataTypes__Repository"));
    let types = types.count();
    let mut references = 0;
    for node in model.descendants() {
        for attribute in node.attributes() {
            let value = attribute.value();
            if let Some(place) = value.strip_prefix("//@dataTypes__Repository.") {
                assert!(place.parse::<usize>().unwrap() < types);
            } else if value.starts_with('_')
                && attribute.name() != "id"
                && attribute.name() != "entityName"
            {
                assert!(ids.contains_key(value), "{} = {value}", attribute.name());
                references += 1;
            }
        }
    }
    assert!(references > 20, "{references}");
    let resources = Document::parse(&files[1].1).unwrap();
    let demand = model
        .descendants()
        .find_map(|n| n.attribute("href"))
        .unwrap();
    let (file, id) = demand.split_once('#').unwrap();
    assert_eq!(file, files[1].0);
    assert!(
        resources
            .descendants()
            .any(|n| n.attribute("id") == Some(id))
    );
}

#[test]
fn actions_lead_from_one_start_to_one_stop() {
    let files = palladio(&behaviour());
    let model = Document::parse(&files[0].1).unwrap();
    let kind = |node: &Node<'_, '_>| {
        let attribute = node.attributes().find(|a| a.name() == "type");
        attribute.map_or("", |a| a.value()).to_owned()
    };
    let mut behaviours = 0;
    for whole in model.descendants() {
        let steps: Vec<Node<'_, '_>> = whole
            .children()
            .filter(|n| n.has_tag_name("steps_Behaviour"))
            .collect();
        if steps.is_empty() {
            continue;
        }
        behaviours += 1;
        assert_eq!(kind(&steps[0]), "seff:StartAction");
        assert_eq!(kind(&steps[steps.len() - 1]), "seff:StopAction");
        for pair in steps.windows(2) {
            assert_eq!(
                pair[0].attribute("successor_AbstractAction"),
                pair[1].attribute("id")
            );
            assert_eq!(
                pair[1].attribute("predecessor_AbstractAction"),
                pair[0].attribute("id")
            );
        }
    }
    // The service, the loops of three services, both ways of the branch by state, and of that in a pass.
    assert_eq!(behaviours, 1 + 3 + 2 + 2);
    let shares = model
        .descendants()
        .filter_map(|n| n.attribute("branchProbability"));
    let shares: f64 = shares.map(|share| share.parse::<f64>().unwrap()).sum();
    assert_eq!(shares, 1.0);
    let calls = model
        .descendants()
        .filter(|n| kind(n) == "seff:ExternalCallAction");
    assert_eq!(calls.count(), 3);
}
