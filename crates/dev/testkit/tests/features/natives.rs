//! Native methods of the program: as many invocations as the library that holds them counted, and of the right objects.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use pricetag_events::Flag;
use pricetag_testkit::{Agent, Compiler, Testbed, jdk, repository};
use pricetag_trace::Window;

use crate::calls::written;
use crate::compiled;

/// Builds a library of C that knows JNI, or an agent.
pub fn library(source: &str, into: &Path) -> PathBuf {
    let include = jdk::home().join("include");
    let library = into.join("libsubject.so");
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-shared", "-fPIC", "-o"]).arg(&library);
    cc.arg(format!("-I{}", include.display()));
    cc.arg(format!("-I{}", include.join("linux").display()));
    cc.arg(repository().join(source));
    let built = cc.output().expect("a C compiler");
    assert!(built.status.success(), "{built:?}");
    library
}

#[test]
fn natives_are_written_as_often_as_they_ran() {
    let source = repository().join("subjects/calls/Natives.java");
    let mut subject = compiled(source, "", Compiler::Javac(11));
    let library = library("subjects/calls/natives.c", subject.classes.path());
    // Enough for the second tier of compilation, which has a way of its own into native code.
    subject.program.arguments = vec![library.display().to_string(), "30000".to_owned()];
    let agent = Agent::locate().expect("the agent builds");
    for machine in Testbed::locate().runtimes().expect("the pinned runtimes") {
        let mut launch = subject.launch(&machine);
        launch.calls = Some(Window::All.into());
        let read = |trace: &Path, _: &Path| Ok(written(trace));
        let (outcome, written) = agent.observe(&launch, &[], read).expect("it runs");
        assert_eq!(
            outcome.status,
            Some(0),
            "{}: {}",
            machine.name,
            outcome.error
        );
        let methods = written.dictionary.methods.iter();
        let natives = methods.filter(|method| method.flags.has(Flag::Native));
        let natives: Vec<(String, String)> = natives
            .map(|method| {
                let class = written.dictionary.class_name(method.class);
                (class, method.name.clone())
            })
            .collect();
        let mut seen: BTreeMap<String, u64> = BTreeMap::new();
        for (receiver, method) in written.threads.values().flatten() {
            let named = (method.class.clone(), method.name.clone());
            if natives.contains(&named) {
                let what = format!("{receiver} {}.{}", method.class, method.name);
                *seen.entry(what).or_default() += 1;
            }
        }
        let lines = outcome.output.lines();
        let ran = lines.filter_map(|line| {
            let (what, times) = line.rsplit_once(' ')?;
            Some((what.to_owned(), times.parse().ok()?))
        });
        assert_eq!(seen, ran.collect(), "{}", machine.name);
        assert_eq!(seen.len(), 11, "{seen:?}");
    }
}
