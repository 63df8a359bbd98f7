//! Calls that leave the counted code, held against the text of a program and against what JVMTI tells of method entries.

use std::collections::BTreeMap;
use std::path::Path;

use pricetag_testkit::suite::in_full;
use pricetag_testkit::{Agent, Compiler, Launch, Machine, Suite, Testbed};
use pricetag_trace::{CallChoice, Window};

use crate::calls::{Written, written};
use crate::natives::library;
use crate::subject;

const LEAVING: CallChoice = CallChoice {
    window: Window::All,
    leaving: true,
};

/// Of an agent's run under [`LEAVING`] what was written down.
fn leaving(agent: &Agent, launch: &Launch<'_>) -> Written {
    let mut launch = launch.clone();
    launch.calls = Some(LEAVING);
    let read = |trace: &Path, _: &Path| Ok(written(trace));
    agent.observe(&launch, &[], read).expect("it runs").1
}

#[test]
fn what_leaves_is_in_order_what_the_source_says() {
    let subject = subject("Leaving", "3", Compiler::Javac(11));
    let agent = Agent::locate().expect("the agent builds");
    for machine in Testbed::locate().runtimes().expect("the pinned runtimes") {
        let written = leaving(&agent, &subject.launch(&machine));
        let events = written.threads.values().flatten();
        let shown: Vec<String> = events
            .map(|(receiver, method)| format!("{receiver} {}.{}", method.class, method.name))
            .collect();
        let source = std::fs::read_to_string(&subject.program.path).expect("the source");
        let wanted = source.lines().filter_map(|line| line.strip_prefix("//> "));
        assert_eq!(shown, wanted.collect::<Vec<_>>(), "{}", machine.name);
        // Of what is outside, it is known what it extends.
        let known = |name: &str| {
            let mut classes = written.dictionary.classes.iter();
            classes.find(|class| class.name == name).cloned()
        };
        let list = known("java/util/ArrayList").expect("it is there");
        let above = list.superclass.map(|id| written.dictionary.class_name(id));
        assert_eq!(above.as_deref(), Some("java/util/AbstractList"));
        let mut methods = written.dictionary.methods.iter();
        let parse = methods
            .find(|method| method.name == "parseInt")
            .expect("it was called");
        assert!(parse.bytes.is_some_and(|bytes| bytes > 3), "{parse:?}");
    }
}

/// What is left out of a window is counted among what is written, leaving calls included.
#[test]
fn windows_apply_to_what_leaves_too() {
    let subject = subject("Leaving", "3", Compiler::Javac(11));
    let agent = Agent::locate().expect("the agent builds");
    let machine = Machine::system().expect("there is a JDK");
    let all = leaving(&agent, &subject.launch(&machine));
    let all: Vec<_> = all.threads.into_values().flatten().collect();
    let mut launch = subject.launch(&machine);
    launch.calls = Some(CallChoice {
        window: Window::First(7),
        leaving: true,
    });
    let read = |trace: &Path, _: &Path| Ok(written(trace));
    let (_, some) = agent.observe(&launch, &[], read).expect("it runs");
    assert_eq!(some.left_out as usize, all.len() - 7);
    assert_eq!(
        some.threads.into_values().flatten().collect::<Vec<_>>(),
        all[..7]
    );
}

/// Programs whose calls differ from run to run: they wait for a collection or another thread, or fill the heap.
const NOT_COMPARED: [&str; 3] = ["ClassUnloading", "DaemonSleeps", "HeapFull"];

/// Methods whose entry JVMTI does not tell: the interpreter has code of its own for them, or they stand for others.
fn untold(class: &str, name: &str) -> bool {
    match class {
        "java/lang/Math" | "java/lang/StrictMath" => {
            matches!(
                name,
                "abs" | "sin" | "cos" | "tan" | "exp" | "log" | "log10" | "pow" | "sqrt" | "fma"
            )
        }
        "java/lang/invoke/MethodHandle" | "java/lang/invoke/VarHandle" => true,
        "java/lang/ref/Reference" => name == "get",
        _ => false,
    }
}

#[test]
fn what_leaves_is_what_jvmti_sees_leaving() {
    let testbed = Testbed::locate();
    let agent = Agent::locate().expect("the agent builds");
    let folder = tempfile::tempdir().expect("a temporary directory");
    let oracle = library("subjects/agents/leaving.c", folder.path());
    let machine = Machine::system().expect("there is a JDK");
    let mut suite = Suite::compile(Compiler::Javac(17), &testbed, "").expect("the programs");
    if !in_full() {
        suite.sample(1);
    }
    let (mut compared, mut calls) = (0, 0);
    let mut differing = Vec::new();
    for program in &suite.programs {
        if NOT_COMPARED.contains(&&*program.name) {
            continue;
        }
        let launch = suite.launch(&machine, program);
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        for (receiver, method) in leaving(&agent, &launch).threads.values().flatten() {
            let ours = |class: &str| {
                let rest = class.strip_prefix(program.name.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
                    && !class.contains("$$Lambda")
            };
            if !ours(&method.class) && !untold(&method.class, &method.name) {
                let what = format!(
                    "{receiver} {}.{}{}",
                    method.class, method.name, method.descriptor
                );
                *seen.entry(what).or_default() += 1;
            }
        }
        let told = folder.path().join("told");
        let mut watched = launch.clone();
        let option = format!(
            "-agentpath:{}={},{}",
            oracle.display(),
            told.display(),
            program.name
        );
        watched.before.push(option.into());
        agent.plain(&watched).expect("it runs");
        let text = std::fs::read_to_string(&told).expect("the oracle's file");
        let entered: BTreeMap<String, u64> = text
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(count, what)| (what.to_owned(), count.parse().expect("a number")))
            .filter(|(what, _)| {
                let method = what.split_once(' ').map_or("", |(_, method)| method);
                let (method, _) = method.split_once('(').unwrap_or_default();
                let (class, name) = method.rsplit_once('.').unwrap_or_default();
                !untold(class, name)
            })
            .collect();
        compared += 1;
        calls += seen.values().sum::<u64>();
        if seen != entered {
            let keys: std::collections::BTreeSet<&String> =
                seen.keys().chain(entered.keys()).collect();
            let lines = keys
                .into_iter()
                .filter(|key| seen.get(*key) != entered.get(*key));
            let lines: Vec<String> = lines
                .map(|key| {
                    format!(
                        "  {key}: {:?} written, {:?} entered",
                        seen.get(key),
                        entered.get(key)
                    )
                })
                .collect();
            differing.push(format!("{}:\n{}", program.name, lines.join("\n")));
        }
    }
    println!("{compared} programs, {calls} calls that leave");
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    let (programs, least) = if in_full() { (80, 10_000) } else { (20, 500) };
    assert!(
        compared >= programs && calls >= least,
        "{compared} programs, {calls} calls"
    );
}
