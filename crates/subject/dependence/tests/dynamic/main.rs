//! A slice holds whatever a run depended on: random programs, run by an interpreter that writes down every dependence.

mod generate;
mod machine;

use std::collections::{BTreeSet, HashMap};

use machine::{Name, Run};
use pricetag_classfile::{ClassFile, naming};
use pricetag_classpath::ClassPath;
use pricetag_dependence::{Analysis, Contexts, Exceptions};
use rand::SeedableRng as _;

/// What the slice of a criterion keeps.
fn kept(analysis: &Analysis<'_>, criterion: &str, contexts: Contexts) -> Kept {
    let criterion = analysis.criterion(criterion).unwrap();
    let slice = analysis.slice(&criterion, contexts);
    let methods = slice.methods.iter();
    let places = methods
        .flat_map(|m| m.kept.iter().map(|&pc| (m.shown.clone(), pc)))
        .collect();
    (places, slice.reached_instructions)
}

/// Methods with offsets, and how many instructions the program has.
type Kept = (BTreeSet<(String, u16)>, usize);

/// How much was compared.
#[derive(Default, Debug)]
struct Done {
    programs: usize,
    slices: usize,
    dynamic: usize,
    fixed: usize,
    whole: usize,
    smaller: usize,
    throwing: usize,
}

fn shown(name: &Name) -> String {
    naming::method(&name.0, &name.1, &name.2)
}

/// Checks one program under one view of exceptions.
fn check(seed: u64, exceptions: Exceptions, done: &mut Done) {
    let mut random = rand_pcg::Pcg64::seed_from_u64(seed);
    let files = generate::program(&mut random);
    let classes: Vec<ClassFile<'_>> = files
        .iter()
        .map(|(_, b)| ClassFile::parse(b).unwrap())
        .collect();
    let threw = match exceptions {
        Exceptions::All => None,
        // Calls of these are branches.
        Exceptions::Caught => match Run::of(&classes, Some(&BTreeSet::new())) {
            Some(first) => Some(first.throws),
            None => return,
        },
    };
    let Some(run) = Run::of(&classes, threw.as_ref()) else {
        return;
    };
    done.programs += 1;
    done.throwing += usize::from(!run.throws.is_empty());
    let path = ClassPath::of_classes(files.clone());
    let analysis = Analysis::of(&path, "G", exceptions).unwrap();
    assert!(analysis.notes.is_empty(), "{:?}", analysis.notes);
    let mut compare = |criterion: &str, dynamic: &BTreeSet<(usize, u16)>| {
        let (fixed, whole) = kept(&analysis, criterion, Contexts::Matched);
        let missing: Vec<_> = dynamic
            .iter()
            .map(|&(m, pc)| (shown(&run.methods[m]), pc))
            .filter(|place| !fixed.contains(place))
            .collect();
        assert!(
            missing.is_empty(),
            "seed {seed}, {exceptions:?}: {criterion} lacks {missing:?}"
        );
        let (wide, _) = kept(&analysis, criterion, Contexts::Ignored);
        assert!(fixed.is_subset(&wide), "seed {seed}: {criterion}");
        done.slices += 1;
        done.dynamic += dynamic.len();
        done.fixed += fixed.len();
        done.whole += whole;
        done.smaller += usize::from(fixed.len() < wide.len());
    };
    for (field, &event) in &run.last_store {
        compare(&format!("G.{field} at exit"), &run.closure([event]));
    }
    // How often each loop is passed: what decided each pass of its header.
    let mut passes: HashMap<(usize, u16), Vec<u32>> = HashMap::new();
    for (index, event) in run.events.iter().enumerate().skip(1) {
        passes
            .entry((event.method, event.pc))
            .or_default()
            .push(run.control_of(index as u32));
    }
    for (number, name) in run.methods.iter().enumerate() {
        let class = classes.iter().find(|c| c.name() == name.0).unwrap();
        let constants = class.constants();
        let member = class
            .methods()
            .iter()
            .find(|m| m.name(constants) == name.1 && m.descriptor(constants) == name.2);
        let code = member.unwrap().code(constants).unwrap().unwrap();
        let cfg = pricetag_flow::Cfg::of(&code).unwrap();
        for (index, l) in cfg.loops().iter().enumerate() {
            let header = cfg.instructions_of(l.header)[0].pc;
            let Some(decided) = passes.get(&(number, header)) else {
                continue;
            };
            let dynamic = run.closure(decided.iter().copied());
            compare(&format!("{} loop {index}", shown(name)), &dynamic);
        }
    }
}

fn check_all(exceptions: Exceptions) -> Done {
    let count = std::env::var("PRICETAG_SLICE_PROGRAMS")
        .ok()
        .and_then(|n| n.parse().ok());
    let mut done = Done::default();
    for seed in 0..count.unwrap_or(1000) {
        check(seed, exceptions, &mut done);
    }
    println!("{exceptions:?}: {done:?}");
    done
}

#[test]
fn slices_hold_what_runs_depended_on() {
    let done = check_all(Exceptions::Caught);
    assert!(
        done.programs > 0 && done.throwing > 0 && done.smaller > 0,
        "{done:?}"
    );
    // The test is no test if slices are everything.
    assert!(done.fixed * 10 < done.whole * 9, "{done:?}");
}

#[test]
fn slices_through_every_exception_hold_it_too() {
    let done = check_all(Exceptions::All);
    assert!(done.programs > 0, "{done:?}");
}
