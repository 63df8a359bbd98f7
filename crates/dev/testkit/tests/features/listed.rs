//! With a list of blocks, these have the counts that a recording of everything gives them, nothing else of their methods has a column, and fewer
//! counters are placed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pricetag_dataset::{Dataset, FeatureId, FeatureKind};
use pricetag_probe_plan::{ClassPlan, PlanStore};
use pricetag_testkit::{Agent, Compiler, Machine, repository};
use pricetag_trace::Listed;

use crate::{Subject, compiled, dataset, subject};

/// A run, and how many counters stand on edges of its methods.
fn run(subject: &Subject, keep: Listed) -> (Dataset, usize) {
    let machine = Machine::system().expect("there is a JDK");
    let agent = Agent::locate().expect("the agent builds");
    let mut launch = subject.launch(&machine);
    launch.keep = keep;
    launch.transitions = true;
    launch.strides = true;
    launch.caught = true;
    launch.callers = true;
    let read = |trace: &Path, plans: &Path| Ok((dataset(trace, plans, false), counters(plans)));
    let (outcome, found) = agent.observe(&launch, &[], read).expect("it runs");
    assert_eq!(outcome.status, Some(0), "{}", outcome.error);
    found.0.validate().expect("a sound dataset");
    let caveats = &found.0.observations[0].caveats;
    assert_eq!(caveats.len(), 0, "{caveats:?}");
    found
}

fn counters(plans: &Path) -> usize {
    let store = PlanStore::open(plans).expect("plans");
    let hashes = store.hashes();
    let plans = hashes.into_iter().map(|hash| store.load(hash));
    let of_class = |plan: ClassPlan| {
        let edges = plan.methods.iter().flat_map(|m| &m.edges);
        edges.filter(|e| e.counter.is_some()).count()
    };
    plans
        .map(|plan| of_class(plan.expect("a sound plan").expect("a plan")))
        .sum()
}

/// Columns that are not sums over blocks of any methods.
fn columns(dataset: &Dataset) -> BTreeMap<&str, (FeatureKind, f64)> {
    let ids = (0..dataset.features.len() as u32).map(FeatureId);
    let cells = ids.map(|id| {
        let feature = dataset.feature(id);
        let cell = dataset.cells(id)[0].unwrap_or(0.0);
        (feature.name.as_str(), (feature.kind, cell))
    });
    let totals = [
        FeatureKind::Opcode,
        FeatureKind::Call,
        FeatureKind::Cold,
        FeatureKind::Base,
    ];
    cells
        .filter(|(_, (kind, _))| !totals.contains(kind))
        .collect()
}

/// The block that a column belongs to.
fn block<'n>(name: &'n str, blocks: &BTreeSet<&'n str>) -> Option<&'n str> {
    let (code, behind) = name.split_once(" block ")?;
    let number = behind.split(' ').next()?;
    let start = format!("{code} block {number} (");
    blocks.iter().copied().find(|b| b.starts_with(&start))
}

/// Lists every third block, and one block alone; returns how many counters there are with all blocks, and with every third.
fn check(subject: &Subject) -> (usize, usize) {
    let (full, all) = run(subject, Listed::Everything);
    let full = columns(&full);
    let blocks = full
        .iter()
        .filter(|(_, (kind, _))| *kind == FeatureKind::Block);
    let blocks: Vec<&str> = blocks.map(|(name, _)| *name).collect();
    let third: BTreeSet<&str> = blocks.iter().copied().step_by(3).collect();
    let mut some = all;
    let single = blocks.iter().copied().skip(1).step_by(blocks.len() / 4);
    for listed in single.map(|b| BTreeSet::from([b])).chain([third]) {
        let names = listed.iter().map(|name| name.parse().expect("a block"));
        let (less, placed) = run(subject, Listed::Blocks(names.collect()));
        assert!(less.meta.left.is_empty(), "{:?}", less.meta.left);
        let less = columns(&less);
        for name in &listed {
            assert_eq!(less.get(name), full.get(name), "{name}");
        }
        for (name, cell) in &less {
            assert_eq!(full.get(name), Some(cell), "{name}");
            let kind = [
                FeatureKind::Block,
                FeatureKind::Transition,
                FeatureKind::Stride,
            ];
            let of_listed = block(name, &listed).is_some() && kind.contains(&cell.0);
            assert!(of_listed, "{name} was not asked for");
        }
        // A block that ends in exceptions alone needs none.
        assert!(placed < all, "{placed} of {all} counters");
        some = placed;
    }
    (all, some)
}

#[test]
fn listed_blocks_are_counted_as_with_all_of_them() {
    let loops = subject("LoopBudget", "6", Compiler::Javac(11));
    let (all, some) = check(&loops);
    assert!(all > 30 && some * 4 < all * 3, "{some} of {all} counters");
    // Loops with exceptions, `finally` within `finally`, switches of all forms, constructors that throw before `super()`.
    for name in [
        "LoopThrows",
        "FinallyNested",
        "SwitchForms",
        "ConstructorThrows",
    ] {
        let path = repository().join(format!("subjects/conformance/{name}.java"));
        let (all, some) = check(&compiled(path, "", Compiler::Javac(17)));
        assert!(some > 0, "{name}: none of {all} counters");
    }
}
