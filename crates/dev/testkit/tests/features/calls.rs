//! Every invocation that is written down: as many of each method as are counted, on objects of the right class, in the order of each thread.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use pricetag_events::{ClassId, Dictionary, Ending, Reader};
use pricetag_testkit::{Agent, Compiler, Counts, Machine, MethodKey, Suite, Testbed};
use pricetag_trace::{CallChoice, Window};

use crate::subject;

/// Everything that a file says: its dictionary, and of each thread the receivers and methods of its events, by name.
pub struct Written {
    pub dictionary: Dictionary,
    pub threads: BTreeMap<u64, Vec<(String, MethodKey)>>,
    pub left_out: u64,
}

pub fn written(trace: &Path) -> Written {
    let file = File::open(trace.with_file_name("events")).expect("the events");
    let mut reader = Reader::new(file).expect("a file of events");
    let mut threads: BTreeMap<u64, Vec<_>> = BTreeMap::new();
    let mut left_out = 0;
    for block in &mut reader {
        let mut events = Vec::new();
        block.decode(&mut events).expect("whole");
        threads
            .entry(block.place.thread.0)
            .or_default()
            .extend(events);
        left_out += block.place.left_out;
    }
    assert!(
        matches!(reader.ending(), Ending::Whole(Some(_))),
        "{:?}",
        reader.ending()
    );
    let dictionary = reader.into_dictionary();
    let named = |id: ClassId| dictionary.class_name(id);
    let threads = threads.into_iter().map(|(thread, events)| {
        let events = events.into_iter().map(|symbol| {
            let kind = dictionary.kinds[symbol.index()];
            let method = &dictionary.methods[kind.method.index()];
            let key = MethodKey {
                class: named(method.class),
                name: method.name.clone(),
                descriptor: method.descriptor.clone(),
            };
            (named(kind.receiver), key)
        });
        (thread, events.collect())
    });
    Written {
        threads: threads.collect(),
        left_out,
        dictionary: dictionary.clone(),
    }
}

/// Events of methods of a name: of files with more events than one wants to keep.
fn events_of(trace: &Path, method: &str) -> u64 {
    let file = File::open(trace.with_file_name("events")).expect("the events");
    let mut reader = Reader::new(BufReader::new(file)).expect("a file of events");
    let mut by_kind: BTreeMap<usize, u64> = BTreeMap::new();
    let mut events = Vec::new();
    for block in &mut reader {
        block.decode(&mut events).expect("whole");
        for symbol in &events {
            *by_kind.entry(symbol.index()).or_default() += 1;
        }
    }
    assert!(
        matches!(reader.ending(), Ending::Whole(Some(_))),
        "{:?}",
        reader.ending()
    );
    let dictionary = reader.into_dictionary();
    let named = by_kind.into_iter().filter(|(kind, _)| {
        let method_of = dictionary.kinds[*kind].method.index();
        dictionary.methods[method_of].name == method
    });
    named.map(|(_, count)| count).sum()
}

impl Written {
    fn by_method(&self) -> BTreeMap<MethodKey, u64> {
        let mut sums = BTreeMap::new();
        for (_, method) in self.threads.values().flatten() {
            *sums.entry(method.clone()).or_default() += 1;
        }
        sums
    }
}

#[test]
fn as_many_invocations_are_written_as_are_counted() {
    let testbed = Testbed::locate();
    let agent = Agent::locate().expect("the agent builds");
    let mut compared = 0;
    for compiler in [Compiler::Javac(17), Compiler::Kotlin] {
        let suite = Suite::compile(compiler, &testbed, "").expect("the conformance programs");
        let machine = Machine::system().expect("there is a JDK");
        for program in &suite.programs {
            let mut launch = suite.launch(&machine, program);
            launch.calls = Some(Window::All.into());
            let read = |trace: &Path, plans: &Path| {
                Ok((Counts::from_trace(trace, plans)?, written(trace)))
            };
            let (_, (counts, written)) = agent.observe(&launch, &[], read).expect("it runs");
            assert_eq!(written.left_out, 0);
            let counted: BTreeMap<MethodKey, u64> = counts
                .invocations
                .into_iter()
                .filter(|(_, count)| *count > 0)
                .collect();
            assert_eq!(written.by_method(), counted, "{}", program.name);
            compared += 1;
        }
    }
    assert!(compared > 60, "{compared} programs");
}

/// Virtual threads come and go by the thousand, on threads that carry one after another.
#[test]
fn virtual_threads_write_as_many_as_are_counted() {
    let testbed = Testbed::locate();
    let agent = Agent::locate().expect("the agent builds");
    let suite = Suite::compile(Compiler::Javac21, &testbed, "VirtualThreads").expect("it compiles");
    let [program] = &suite.programs[..] else {
        panic!("{} programs", suite.programs.len());
    };
    for release in [21, 25] {
        let machine = testbed.runtime(release).expect("the pinned runtime");
        let mut launch = suite.launch(&machine, program);
        launch.calls = Some(Window::All.into());
        let read =
            |trace: &Path, plans: &Path| Ok((Counts::from_trace(trace, plans)?, written(trace)));
        let (_, (counts, written)) = agent.observe(&launch, &[], read).expect("it runs");
        let counted = counts.invocations.into_iter();
        let counted = counted.filter(|(_, count)| *count > 0).collect();
        assert_eq!(written.by_method(), counted, "{}", machine.name);
        assert!(
            written.threads.len() > 1000,
            "{} threads",
            written.threads.len()
        );
    }
}

#[test]
fn receivers_and_their_order_are_those_of_the_source() {
    let subject = subject("Receivers", "3", Compiler::Javac(11));
    let agent = Agent::locate().expect("the agent builds");
    for machine in Testbed::locate().runtimes().expect("the pinned runtimes") {
        let mut launch = subject.launch(&machine);
        launch.calls = Some(Window::All.into());
        let read = |trace: &Path, _: &Path| Ok(written(trace));
        let (_, written) = agent.observe(&launch, &[], read).expect("it runs");
        let [events] = &written.threads.values().collect::<Vec<_>>()[..] else {
            panic!("{}: {} threads", machine.name, written.threads.len());
        };
        let shown: Vec<String> = events
            .iter()
            .map(|(receiver, method)| format!("{receiver} {}.{}", method.class, method.name))
            .collect();
        let source = std::fs::read_to_string(&subject.program.path).expect("the source");
        let wanted = source.lines().filter_map(|line| line.strip_prefix("//> "));
        assert_eq!(shown, wanted.collect::<Vec<_>>(), "{}", machine.name);
        // What is above the classes of the program is known, too.
        let class = |name: &str| {
            let mut all = written.dictionary.classes.iter();
            all.find(|class| class.name == name).cloned()
        };
        let above = |name: &str| {
            let class = class(name).unwrap_or_else(|| panic!("{name} is not known"));
            class.superclass.map(|id| written.dictionary.class_name(id))
        };
        assert_eq!(
            above("Receivers$List").as_deref(),
            Some("java/util/ArrayList")
        );
        assert_eq!(
            above("java/util/ArrayList").as_deref(),
            Some("java/util/AbstractList")
        );
        assert_eq!(above("java/lang/Object"), None);
    }
}

/// Four threads call as fast as they can, and wait for the queue, when the program ends.
#[test]
fn nothing_is_lost_of_threads_that_run_when_the_program_ends() {
    let subject = subject("Racing", "400", Compiler::Javac(11));
    let agent = Agent::locate().expect("the agent builds");
    let step = MethodKey {
        class: "Racing".into(),
        name: "step".into(),
        descriptor: "(I)I".into(),
    };
    for machine in Testbed::locate().runtimes().expect("the pinned runtimes") {
        let mut launch = subject.launch(&machine);
        launch.calls = Some(Window::All.into());
        let read = |trace: &Path, plans: &Path| {
            Ok((Counts::from_trace(trace, plans)?, events_of(trace, "step")))
        };
        let (_, (counts, events)) = agent.observe(&launch, &[], read).expect("it runs");
        let counted = counts.invocations[&step];
        assert!(counted > 100_000, "{}: {counted}", machine.name);
        // Each thread may have written down an invocation that it had not counted yet.
        assert!(
            (counted..=counted + 4).contains(&events),
            "{}: {counted} counted, {events} written",
            machine.name
        );
    }
}

#[test]
fn what_a_window_leaves_out_is_counted() {
    let subject = subject("Receivers", "3", Compiler::Javac(11));
    let agent = Agent::locate().expect("the agent builds");
    let machine = Machine::system().expect("there is a JDK");
    let with = |window| {
        let mut launch = subject.launch(&machine);
        launch.calls = Some(CallChoice::from(window));
        let read = |trace: &Path, _: &Path| Ok(written(trace));
        let (_, written) = agent.observe(&launch, &[], read).expect("it runs");
        let events: Vec<_> = written.threads.into_values().flatten().collect();
        (events, written.left_out)
    };
    let (all, none) = with(Window::All);
    assert_eq!(none, 0);
    let (first, left) = with(Window::First(4));
    assert_eq!((&first[..], left), (&all[..4], all.len() as u64 - 4));
    let (each, left) = with(Window::Each(2, 5));
    let kept: Vec<_> = all
        .iter()
        .enumerate()
        .filter(|(n, _)| n % 5 < 2)
        .map(|(_, e)| e.clone())
        .collect();
    assert_eq!(each, kept);
    assert_eq!(left as usize, all.len() - kept.len());
}
