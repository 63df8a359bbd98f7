//! With the probes of loops removed, what is left in the table is the same as with all of them, and the rest is absent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pricetag_dataset::{Dataset, Feature, FeatureId, FeatureKind};
use pricetag_probe_plan::{BlockId, ClassPlan, MethodPlan, PlanStore};
use pricetag_testkit::{Agent, Compiler, Launch, Machine};
use pricetag_trace::{MethodName, Record, Region, Trace};

use crate::{Subject, agree, dataset, subject};

/// A run with these regions uncounted, or without values, and the plans of its classes.
fn run(
    subject: &Subject,
    skip: &BTreeSet<Region>,
    skip_values: &BTreeSet<Region>,
) -> (Dataset, Vec<ClassPlan>) {
    let machine = Machine::system().expect("there is a JDK");
    let agent = Agent::locate().expect("the agent builds");
    let launch = Launch {
        values: 3,
        transitions: true,
        strides: true,
        caught: true,
        callers: true,
        skip: skip.clone(),
        skip_values: skip_values.clone(),
        ..subject.launch(&machine)
    };
    let read =
        |trace: &Path, plans: &Path| Ok((dataset(trace, plans, false), planned(trace, plans)));
    let (outcome, (dataset, plans)) = agent.observe(&launch, &[], read).expect("it runs");
    assert_eq!(outcome.status, Some(0), "{}", outcome.error);
    dataset.validate().expect("a sound dataset");
    let caveats = &dataset.observations[0].caveats;
    assert_eq!(caveats.len(), 0, "{caveats:?}");
    (dataset, plans)
}

fn planned(trace: &Path, plans: &Path) -> Vec<ClassPlan> {
    let store = PlanStore::open(plans).expect("plans");
    let trace = Trace::read(trace).expect("a trace");
    let classes = trace.records.iter().filter_map(|record| match record {
        Record::Class(class) => Some(class.hash),
        _ => None,
    });
    let load = |hash| store.load(hash).expect("a sound plan").expect("a plan");
    classes.map(load).collect()
}

/// The loops of all methods, with the line of their headers.
fn loops(plans: &[ClassPlan]) -> Vec<(Region, u16)> {
    let methods = plans
        .iter()
        .flat_map(|plan| plan.methods.iter().map(|m| (&plan.name, m)));
    let of_method = |(class, method): (&String, &MethodPlan)| -> Vec<(Region, u16)> {
        let name = MethodName {
            class: class.clone(),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
        };
        let region = |l| Region {
            method: name.clone(),
            header: Some(method.loop_header(l).0),
        };
        let numbers = 0..method.loops.len() as u32;
        let lines = numbers.map(|l| (region(l), method.loop_line(l).expect("a line")));
        lines.collect()
    };
    methods.flat_map(of_method).collect()
}

fn columns(dataset: &Dataset) -> BTreeMap<&str, (&Feature, f64)> {
    let ids = (0..dataset.features.len() as u32).map(FeatureId);
    let cells = ids.map(|id| {
        let feature = dataset.feature(id);
        let cell = dataset.cells(id)[0].unwrap_or(0.0);
        (feature.name.as_str(), (feature, cell))
    });
    cells.collect()
}

/// The plan of the method that a feature is of; none for calls, which are of the called one.
fn method<'p>(plans: &'p [ClassPlan], feature: &Feature) -> Option<&'p MethodPlan> {
    if feature.kind == FeatureKind::Context && feature.block.is_none() {
        return None;
    }
    let class = plans
        .iter()
        .find(|p| Some(&p.name) == feature.class.as_ref())?;
    let is = |m: &&MethodPlan| {
        Some(&m.name) == feature.method.as_ref()
            && Some(&m.descriptor) == feature.descriptor.as_ref()
    };
    class.methods.iter().find(is)
}

/// Whether the feature is a sum over blocks of any methods.
fn is_total(feature: &Feature) -> bool {
    match feature.kind {
        FeatureKind::Opcode | FeatureKind::Call | FeatureKind::Cold => true,
        FeatureKind::Exception => feature.name.starts_with("thrown "),
        _ => false,
    }
}

/// Compares a table with that of all probes; returns how many columns are absent.
fn compare(full: &Dataset, less: &Dataset, plans: &[ClassPlan]) -> usize {
    let (full, less) = (columns(full), columns(less));
    for (name, (feature, cell)) in &less {
        let (_, all) = full.get(name).unwrap_or_else(|| panic!("{name} is new"));
        let known = cell == all || (is_total(feature) && cell < all);
        assert!(known, "{name}: {cell}, of all {all}");
    }
    let absent = full.iter().filter(|(name, _)| !less.contains_key(*name));
    for (name, (feature, _)) in absent.clone() {
        let method = method(plans, feature).filter(|_| !is_total(feature));
        let Some(method) = method else { continue };
        assert!(!method.removed_loops.is_empty(), "{name} is absent");
        // What stands outside of loops is known, and so are arrivals at handlers.
        let block = feature.block.map(BlockId);
        let at = block.and_then(|block| method.loop_of_block(block));
        let kinds = [FeatureKind::Method, FeatureKind::Exception];
        assert!(!kinds.contains(&feature.kind), "{name} is absent");
        assert!(at.is_some() || block.is_none(), "{name} is absent");
    }
    absent.count()
}

#[test]
fn without_the_probes_of_a_loop_the_rest_is_as_it_was() {
    let subject = subject("LoopBudget", "6", Compiler::Javac(11));
    let none = BTreeSet::new();
    let (full, plans) = run(&subject, &none, &none);
    assert_eq!(full.meta.left.len(), 0);
    let loops = loops(&plans);
    assert!(loops.len() > 10, "{loops:?}");
    for (region, line) in &loops {
        let (less, plans) = run(&subject, &BTreeSet::from([region.clone()]), &none);
        assert!(compare(&full, &less, &plans) > 0, "{region}");
        let [left] = &less.meta.left[..] else {
            panic!("{:?}", less.meta.left)
        };
        assert!(left.contains(&region.method.name), "{left}");
        assert!(left.contains(&format!("(LoopBudget.java:{line}")), "{left}");
        assert!(
            left.contains("): removed for the overhead budget"),
            "{left}"
        );
    }
    let source = std::fs::read_to_string(&subject.program.path).expect("the source");
    let marked = |line: u16| {
        let text = source.lines().nth(usize::from(line) - 1);
        text.is_some_and(|text| text.ends_with("// removed"))
    };
    let chosen = loops.iter().filter(|(_, line)| marked(*line));
    let chosen: BTreeSet<Region> = chosen.map(|(region, _)| region.clone()).collect();
    assert_eq!(chosen.len(), source.matches("// removed\n").count());
    let (less, plans) = run(&subject, &chosen, &none);
    agree(&subject, &less);
    let some = compare(&full, &less, &plans);
    let all: BTreeSet<Region> = loops.into_iter().map(|(region, _)| region).collect();
    let (less, plans) = run(&subject, &all, &none);
    assert!(compare(&full, &less, &plans) > some);
    assert_eq!(less.meta.left.len(), all.len());
}

#[test]
fn variables_that_a_loop_without_values_assigns_have_none() {
    let subject = subject("LoopBudget", "6", Compiler::Javac(11));
    let none = BTreeSet::new();
    let (full, plans) = run(&subject, &none, &none);
    let nested = |(region, _): &(Region, u16)| region.method.name == "nested";
    let nested: Vec<(Region, u16)> = loops(&plans).into_iter().filter(nested).collect();
    let inner = BTreeSet::from([nested[1].0.clone()]);
    let (less, _) = run(&subject, &none, &inner);
    let names = |dataset: &Dataset| -> BTreeSet<String> {
        dataset.features.iter().map(|f| f.name.clone()).collect()
    };
    let (full, less) = (names(&full), names(&less));
    let gone: Vec<&String> = full.difference(&less).collect();
    // `j` and `sum` are assigned in the inner loop, `i` around it.
    let expected = |name: &&&String| name.contains("nested(int).j#") || name.contains(".sum#");
    assert_eq!(gone.iter().filter(expected).count(), gone.len(), "{gone:?}");
    assert_eq!(gone.len(), 6, "{gone:?}");
    assert!(full.contains("LoopBudget.nested(int).i#1"));
    assert!(less.is_subset(&full));
}
