//! Every kind of feature on a small program, with the values that the program's comments name and, where it prints them, its own.
//!
//! The programs are those of `docs/features.md`.

mod callers;
mod calls;
mod exactness;
mod leaving;
mod listed;
mod natives;
mod parts;
mod recursion;
mod removed;
mod together;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use pricetag_dataset::{Dataset, DatasetBuilder, FeatureId, FeatureKind, Meta, Observation};
use pricetag_probe_plan::{OpenFrame, PlanStore};
use pricetag_tabulate::{TabulateOptions, Tabulated, Tabulator};
use pricetag_testkit::{Agent, Compiler, Launch, Machine, Outcome, Program, Testbed, repository};
use pricetag_trace::{Look, OpenFrameRecord, Record, Scope, Trace};

/// A program of `subjects/features` and its classes.
struct Subject {
    program: Program,
    classes: tempfile::TempDir,
}

fn subject(name: &str, argument: &str, release: Compiler) -> Subject {
    let path = repository().join(format!("subjects/features/{name}.java"));
    compiled(path, argument, release)
}

fn compiled(path: PathBuf, argument: &str, release: Compiler) -> Subject {
    let classes = tempfile::tempdir().expect("a temporary directory");
    let mut program = Program::read(&path).expect("the source is there");
    program.arguments = vec![argument.to_owned()];
    release
        .compile(&Testbed::locate(), &[path], classes.path())
        .expect("the source compiles");
    Subject { program, classes }
}

impl Subject {
    fn launch<'a>(&'a self, machine: &'a Machine) -> Launch<'a> {
        Launch::new(&self.program, machine, self.classes.path().as_os_str())
    }
}

/// The rows of a run and what it printed.
fn rows(subject: &Subject, scope: Option<Scope>, first: u16) -> (Outcome, Dataset) {
    rows_asking(subject, scope, first, |_| {})
}

/// The same, with more asked of the run.
fn rows_asking(
    subject: &Subject,
    scope: Option<Scope>,
    first: u16,
    ask: impl FnOnce(&mut Launch<'_>),
) -> (Outcome, Dataset) {
    let machine = Machine::system().expect("there is a JDK");
    rows_on(&machine, subject, scope, first, ask)
}

/// The same on a Java runtime of one's choice.
fn rows_on(
    machine: &Machine,
    subject: &Subject,
    scope: Option<Scope>,
    first: u16,
    ask: impl FnOnce(&mut Launch<'_>),
) -> (Outcome, Dataset) {
    let agent = Agent::locate().expect("the agent builds");
    let mut launch = subject.launch(machine);
    launch.values = first;
    launch.lengths = true;
    launch.transitions = true;
    launch.strides = true;
    launch.caught = true;
    launch.callers = true;
    ask(&mut launch);
    let scopes: Vec<Scope> = scope.into_iter().collect();
    let read = |trace: &Path, plans: &Path| Ok(dataset(trace, plans, !scopes.is_empty()));
    let (outcome, dataset) = agent.observe(&launch, &scopes, read).expect("it runs");
    assert_eq!(outcome.status, Some(0), "{}", outcome.error);
    dataset.validate().expect("a sound dataset");
    (outcome, dataset)
}

fn dataset(trace: &Path, plans: &Path, scoped: bool) -> Dataset {
    let trace = Trace::read(trace).expect("a trace");
    assert_eq!(trace.incomplete_reason(), None);
    let store = PlanStore::open(plans).expect("plans");
    let mut options = TabulateOptions::default();
    options
        .kinds
        .extend([FeatureKind::Context, FeatureKind::Line]);
    let mut tabulator = Tabulator::new(store, options);
    let mut builder = DatasetBuilder::new(Meta::default());
    let tabulated: Vec<Tabulated> = if scoped {
        tabulator.invocations(&trace, &mut builder).expect("rows")
    } else {
        vec![tabulator.process(&trace, &mut builder).expect("a row")]
    };
    for (index, row) in tabulated.into_iter().enumerate() {
        builder.meta_mut().left.clone_from(&row.left);
        let observation = Observation {
            label: format!("[{index}]"),
            ..Observation::default()
        };
        builder.row(row.into_row(observation, None));
    }
    builder.finish().with_turns()
}

fn cell(dataset: &Dataset, row: usize, name: &str) -> Option<f64> {
    let id: FeatureId = dataset.feature_id(name)?;
    dataset.cells(id)[row]
}

/// What the comments say: row, name and value.
fn expected(subject: &Subject) -> Vec<(usize, String, Option<f64>)> {
    let text = std::fs::read_to_string(&subject.program.path).expect("the source");
    let lines = text.lines().filter_map(|line| line.strip_prefix("//= "));
    let parsed: Vec<_> = lines
        .map(|line| {
            let (name, value) = line.rsplit_once(" = ").expect("a value");
            let (row, name) = match name.strip_prefix('[').and_then(|n| n.split_once("] ")) {
                Some((row, name)) => (row.parse().expect("a row"), name),
                None => (0, name),
            };
            let value = (value != "missing").then(|| value.parse().expect("a number"));
            (row, name.to_owned(), value)
        })
        .collect();
    assert!(!parsed.is_empty());
    parsed
}

fn agree(subject: &Subject, dataset: &Dataset) {
    for (row, name, value) in expected(subject) {
        assert_eq!(cell(dataset, row, &name), value, "[{row}] {name}");
    }
}

/// Features and their values as a program prints them.
fn printed(outcome: &Outcome) -> BTreeMap<&str, f64> {
    let lines = outcome.output.lines();
    let pairs = lines.filter_map(|line| line.strip_prefix("value ")?.rsplit_once(' '));
    pairs
        .map(|(name, value)| (name, value.parse().expect("a number")))
        .collect()
}

#[test]
fn changes_of_outcome_as_the_program_writes_them_down() {
    for release in [11, 17] {
        let subject = subject("Changes", "40", Compiler::Javac(release));
        let (outcome, dataset) = rows(&subject, None, 0);
        agree(&subject, &dataset);
        let printed = printed(&outcome);
        assert_eq!(printed.len(), 2);
        for (name, changes) in printed {
            assert_eq!(cell(&dataset, 0, name), Some(changes), "{name}");
        }
    }
}

#[test]
fn lines_ran_as_often_as_it_says_behind_exceptions_too() {
    for compiler in [Compiler::Javac(11), Compiler::Javac(17), Compiler::Eclipse] {
        let subject = subject("Lines", "100", compiler);
        let (_, dataset) = rows(&subject, None, 0);
        agree(&subject, &dataset);
    }
}

#[test]
fn a_branch_remembers_its_outcome_from_one_invocation_to_the_next() {
    let subject = subject("Changes", "40", Compiler::Javac(11));
    let scope = "Changes#serve".parse().expect("a scope");
    let (_, dataset) = rows(&subject, Some(scope), 0);
    let name = "Changes.serve(int) block 0 transitions (Changes.java:65)";
    let changes = (0..4).map(|row| cell(&dataset, row, name));
    assert_eq!(changes.collect::<Vec<_>>(), [1.0, 0.0, 1.0, 0.0].map(Some));
}

/// Strides of a method's reads, in the order of its code.
fn strides(dataset: &Dataset, row: usize, method: &str) -> Vec<(u32, Option<f64>)> {
    let of_method = dataset.features.iter().filter(|feature| {
        feature.kind == FeatureKind::Stride && feature.method.as_deref() == Some(method)
    });
    let place = |name: &str| {
        let (_, rest) = name
            .split_once(" strides at ")
            .expect("its name says where");
        let pc = rest.split(' ').next().and_then(|pc| pc.parse().ok());
        pc.expect("an offset")
    };
    let mut found: Vec<(u32, Option<f64>)> = of_method
        .map(|feature| (place(&feature.name), cell(dataset, row, &feature.name)))
        .collect();
    found.sort_by_key(|read| read.0);
    found
}

#[test]
fn strides_of_all_types_as_the_program_works_them_out() {
    let subject = subject("Strides", "1000", Compiler::Javac(11));
    let (outcome, dataset) = rows(&subject, None, 0);
    agree(&subject, &dataset);
    let printed = |word: &str| -> Vec<f64> {
        let lines = outcome.output.lines().filter(|line| line.starts_with(word));
        let numbers = lines.filter_map(|line| line.rsplit(' ').next()?.parse().ok());
        numbers.collect()
    };
    let random = strides(&dataset, 0, "random");
    let counts: Vec<f64> = random.iter().filter_map(|read| read.1).collect();
    assert_eq!(counts.len(), 9);
    assert_eq!(counts, printed("strides "));
    let crowd = strides(&dataset, 0, "crowd");
    assert_eq!(
        crowd.last().and_then(|read| read.1),
        printed("value crowd ").pop()
    );
}

#[test]
fn a_read_remembers_its_line_from_one_invocation_to_the_next() {
    let subject = subject("Strides", "1000", Compiler::Javac(11));
    let scope = "Strides#to".parse().expect("a scope");
    let (_, dataset) = rows(&subject, Some(scope), 0);
    let counts: Vec<_> = (0..6)
        .map(|row| strides(&dataset, row, "to")[0].1)
        .collect();
    assert_eq!(counts, [0.0, 1.0, 1.0, 1.0, 1.0, 1.0].map(Some));
}

#[test]
fn values_of_all_types_as_the_program_prints_them() {
    let subject = subject("Kinds", "6", Compiler::Javac(11));
    let (outcome, dataset) = rows(&subject, None, 5);
    agree(&subject, &dataset);
    let printed = printed(&outcome);
    assert_eq!(printed.len(), 10);
    for (name, value) in printed {
        assert_eq!(cell(&dataset, 0, name), Some(value), "{name}");
    }
    let caveats = &dataset.observations[0].caveats;
    assert!(
        caveats[0].starts_with("3 values are missing"),
        "{caveats:?}"
    );
    for what in ["(not a number)", "(infinite)", "(negative infinite)"] {
        assert_eq!(caveats[0].matches(what).count(), 1, "{caveats:?}");
    }
    assert_eq!(caveats.len(), 1, "{caveats:?}");
}

#[test]
fn a_field_has_the_value_once_its_store_has_succeeded() {
    for name in ["Initialiser", "NullTarget"] {
        let subject = subject(name, "7", Compiler::Javac(11));
        let (_, dataset) = rows(&subject, None, 5);
        agree(&subject, &dataset);
    }
}

#[test]
fn methods_too_large_for_values_keep_their_counts() {
    // Of `near` only the rewriter finds that it does not fit, of `far` the planner does.
    let [near, far] = [("x = n;\n", 4000), ("y = n;\n", 5000)].map(|(s, times)| s.repeat(times));
    let source = format!(
        "class Large {{\nstatic int x, y, z;\n\
         static void near(int n) {{\n{near}}}\n\
         static void far(int n) {{\n{far}}}\n\
         public static void main(String[] args) {{ near(1); far(2); x = 3; y = 4; z = 5; }}\n}}\n"
    );
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path().join("Large.java");
    std::fs::write(&path, source).expect("a source");
    let (_, dataset) = rows(&compiled(path, "", Compiler::Javac(11)), None, 5);
    for (name, value) in [
        ("Large.near(int) invocations", Some(1.0)),
        ("Large.far(int) invocations", Some(1.0)),
        ("Large.x#1", None),
        ("Large.y#1", None),
        ("Large.z#1", Some(5.0)),
    ] {
        assert_eq!(cell(&dataset, 0, name), value, "{name}");
    }
}

#[test]
fn sizes_of_collections_without_a_call_of_the_program() {
    let subject = subject("Sizes", "5", Compiler::Javac(11));
    let (outcome, dataset) = rows(&subject, None, 5);
    assert_eq!(outcome.output, "asked\n");
    agree(&subject, &dataset);
    // What is no field or variable of a collection has no column.
    let sizes = dataset.features.iter().filter(|f| f.name.contains("size"));
    let owners = sizes.filter(|f| f.name.contains("locking") || f.name.contains("untold"));
    assert_eq!(owners.count(), 0);
}

#[test]
fn the_first_value_alone() {
    let subject = subject("Kinds", "6", Compiler::Javac(11));
    let (_, dataset) = rows(&subject, None, 1);
    assert_eq!(cell(&dataset, 0, "Kinds.count#1"), Some(6.0));
    assert!(dataset.features.iter().all(|f| !f.name.ends_with("#2")));
}

#[test]
fn without_debug_tables_locals_are_slots() {
    let subject = subject("Kinds", "6", Compiler::Javac(11));
    let bare = std::process::Command::new(pricetag_testkit::jvm::java_tool("javac"))
        .args(["-g:none", "-d"])
        .arg(subject.classes.path())
        .arg(&subject.program.path)
        .status();
    assert!(bare.expect("javac runs").success());
    let (_, dataset) = rows(&subject, None, 5);
    assert_eq!(cell(&dataset, 0, "Kinds.count#3"), Some(40.0));
    assert_eq!(cell(&dataset, 0, "Kinds.loop(int).local 1#5"), Some(6.0));
    assert_eq!(cell(&dataset, 0, "Kinds.wide(long).local 4#1"), Some(2.0));
    // References have no descriptor without the table: no lengths of locals.
    assert!(
        dataset
            .features
            .iter()
            .all(|f| !f.name.contains(".length#"))
    );
    assert_eq!(dataset.features.iter().find(|f| f.lines.is_some()), None);
}

#[test]
fn threads_of_a_pool_are_averaged() {
    let subject = subject("Pool", "100", Compiler::Javac(11));
    let (_, dataset) = rows(&subject, None, 5);
    agree(&subject, &dataset);
}

#[test]
fn invocations_have_values_of_their_own() {
    let subject = subject("Requests", "", Compiler::Javac(11));
    let scope: Scope = "Requests#serve".parse().expect("a scope");
    let (_, dataset) = rows(&subject, Some(scope), 5);
    assert_eq!(dataset.observations.len(), 4);
    agree(&subject, &dataset);
}

#[test]
fn loops_branches_handlers_and_invocations() {
    let subject = subject("Flow", "5", Compiler::Javac(11));
    let (_, dataset) = rows(&subject, None, 1);
    agree(&subject, &dataset);
}

#[test]
fn exceptions_by_the_type_that_is_thrown() {
    let subject = subject("Throws", "11", Compiler::Javac(11));
    let (_, dataset) = rows(&subject, None, 0);
    agree(&subject, &dataset);
}

/// Columns whose name contains the first words, and their parts, which say of what behind the second ones; without their places.
fn parts(
    dataset: &Dataset,
    row: usize,
    [whole, of]: [&str; 2],
) -> BTreeMap<String, (f64, BTreeMap<String, f64>)> {
    let mut found: BTreeMap<String, (f64, BTreeMap<String, f64>)> = BTreeMap::new();
    for (id, feature) in (0..).map(FeatureId).zip(&dataset.features) {
        let count = dataset.cells(id)[row].unwrap_or(0.0);
        let name = feature.name.as_str();
        let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
        match name.split_once(of) {
            _ if feature.kind == FeatureKind::Value => {}
            Some((name, part)) if name.contains(whole) => {
                let parts = &mut found.entry(name.to_owned()).or_default().1;
                parts.insert(part.to_owned(), count);
            }
            None if name.contains(whole) => found.entry(name.to_owned()).or_default().0 = count,
            _ => {}
        }
    }
    found
}

/// How often each class arrived at each handler: of each handler's column its own count, and its classes'.
fn arrivals(dataset: &Dataset, row: usize) -> BTreeMap<String, (f64, BTreeMap<String, f64>)> {
    parts(dataset, row, [" handler ", " caught "])
}

/// Of each loop its passes, and these by caller.
fn passes(dataset: &Dataset, row: usize) -> BTreeMap<String, (f64, BTreeMap<String, f64>)> {
    parts(dataset, row, [" loop ", " called from "])
}

/// Of each method its invocations, and these by caller.
fn invocations(dataset: &Dataset, row: usize) -> BTreeMap<String, (f64, BTreeMap<String, f64>)> {
    parts(dataset, row, [" invocations", " called from "])
}

/// Every loop's passes are those for its callers.
fn assert_split(dataset: &Dataset, row: usize, what: &str) {
    for (name, (all, callers)) in passes(dataset, row) {
        let sum: f64 = callers.values().sum();
        assert_eq!(sum, all, "{what}: {name}: {callers:?}");
    }
}

#[test]
fn exceptions_by_class_where_they_arrive() {
    let subject = subject("Catches", "6", Compiler::Javac(11));
    let (outcome, dataset) = rows(&subject, None, 0);
    agree(&subject, &dataset);
    let arrived = arrivals(&dataset, 0);
    let mut seen: BTreeMap<&str, f64> = BTreeMap::new();
    for (handler, (entries, classes)) in &arrived {
        assert_eq!(classes.values().sum::<f64>(), *entries, "{handler}");
        // What `finally` passes on, the program does not see there.
        for (class, count) in classes.iter().filter(|_| !handler.contains("passing")) {
            *seen.entry(class).or_default() += count;
        }
    }
    let printed: BTreeMap<&str, f64> = outcome
        .output
        .lines()
        .filter_map(|line| line.strip_prefix("caught ")?.rsplit_once(' '))
        .map(|(name, value)| (name, value.parse().expect("a number")))
        .collect();
    assert_eq!(printed.len(), 9);
    assert_eq!(seen, printed);
    assert!(arrived.keys().all(|handler| !handler.contains("calm")));
}

#[test]
fn exceptions_of_invocations_by_class() {
    let subject = subject("Catches", "6", Compiler::Javac(11));
    let scope: Scope = "Catches#convert".parse().expect("a scope");
    let (_, dataset) = rows(&subject, Some(scope), 0);
    let of_row = |row: usize| {
        let arrived = arrivals(&dataset, row);
        let classes = arrived.into_values().flat_map(|(_, classes)| classes);
        let there = classes.filter(|(_, count)| *count > 0.0);
        there.map(|(class, _)| class).collect::<Vec<_>>()
    };
    let (number, null) = (
        "java.lang.NumberFormatException",
        "java.lang.NullPointerException",
    );
    assert_eq!(of_row(0), Vec::<String>::new());
    assert_eq!(of_row(1), [number]);
    assert_eq!(of_row(2), [null]);
    assert_eq!(of_row(3), ["java.lang.ArithmeticException"]);
    assert_eq!(of_row(4), [number]);
    assert_eq!(of_row(5), [null]);
}

/// Method entries that a look has counted: every one of them is one call of the helper.
fn entries(look: &Look, store: &PlanStore) -> u64 {
    let mut entries = 0;
    for counters in &look.counters {
        let plan = store
            .load(counters.hash)
            .expect("readable")
            .expect("a plan");
        let mut values = vec![0; plan.counters as usize];
        for &(counter, count) in &counters.counts {
            values[counter as usize] = count;
        }
        for (index, method) in plan.methods.iter().enumerate() {
            let here = |f: &&OpenFrameRecord| f.hash == plan.hash && usize::from(f.method) == index;
            let open = look.open.iter().filter(here);
            let open: Vec<OpenFrame> = open
                .map(|f| OpenFrame {
                    pc: f.pc,
                    frames: 1,
                })
                .collect();
            let counts = method.derive(&values, &open).expect("a look is exact");
            entries += method.invocations(&counts).expect("all is counted");
        }
    }
    entries
}

#[test]
fn looks_into_invocations_are_exact_and_evenly_spread() {
    let subject = subject("Phases", "40", Compiler::Javac(11));
    let machine = Machine::system().expect("there is a JDK");
    let agent = Agent::locate().expect("the agent builds");
    let mut launch = subject.launch(&machine);
    launch.progress = true;
    launch.caught = true;
    let scope: Scope = "Phases#serve".parse().expect("a scope");
    let read = |trace: &Path, plans: &Path| {
        let trace = Trace::read(trace).expect("a trace");
        let store = PlanStore::open(plans).expect("plans");
        let mut looks: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        for record in &trace.records {
            if let Record::Look(look) = record {
                looks
                    .entry(look.invocation)
                    .or_default()
                    .push(entries(look, &store));
            }
        }
        let mut builder = DatasetBuilder::new(Meta::default());
        let mut tabulator = Tabulator::new(store, TabulateOptions::default());
        let found = tabulator
            .availability_in_invocations(&trace, &mut builder)
            .expect("rows");
        let names: Vec<String> = builder.features().iter().map(|f| f.name.clone()).collect();
        Ok((looks, found, names))
    };
    let (_, (looks, found, names)) = agent.observe(&launch, &[scope], read).expect("it runs");
    assert_eq!(found.len(), looks.len());
    assert!(!looks.is_empty());
    for (invocation, seen) in &looks {
        assert!((16..=31).contains(&seen.len()), "{invocation}: {seen:?}");
        let step = seen[0];
        let even: Vec<u64> = (1..=seen.len() as u64).map(|i| i * step).collect();
        assert_eq!(*seen, even, "{invocation}");
    }
    for when in found {
        let of = |method: &str, what: &str| {
            let wanted = |n: &String| n.starts_with(method) && n.contains(what);
            let id = names.iter().position(wanted).expect("the feature");
            when[&FeatureId(id as u32)]
        };
        for what in ["loop 0", "caught java.lang.ArithmeticException"] {
            let first = of("Phases.first(int)", what).share;
            assert!((0.2..0.25 + 1.0 / 16.0).contains(&first), "{what}: {first}");
        }
        let second = of("Phases.second(int)", "loop 0").share;
        assert!(second > 1.0 - 1.0 / 16.0, "{second}");
        let steps = of("Phases.step(int)", "invocations");
        assert!(steps.changes > 15, "{steps:?}");
    }
}
