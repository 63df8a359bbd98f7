//! Predictors, made of small programs and run by a JVM with full verification: what they count against what is known of the input, where they end, and what they do not do.

mod support;

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Instant;

use pricetag_evaluate::stops::{Stopping, Unstoppable};
use pricetag_evaluate::{Graph, Guard, Places, RUNTIME_CLASSES, RUNTIME_SOURCES, Spot, emit};
use pricetag_evaluator::{AnswerStatus, Tier};
use pricetag_instrument::insert::Place;
use support::{Asked, Subject, loop_at};

const LINES: &str = "a\nb\n\nc\n\n";

/// The loop of `read`, ended where it is final.
fn reading(subject: &Subject) -> Places {
    let graph = Graph::of(&subject.program);
    let spot = loop_at(&graph, "read");
    let main = graph
        .find("Phased", "main", "([Ljava/lang/String;)V")
        .unwrap();
    let stopping = Stopping::new(&graph, main, BTreeSet::new());
    let stops = stopping.stops(&emit::updates([&spot], &graph)).unwrap();
    Places {
        counters: vec![spot],
        groups: vec![stops],
        ..Places::default()
    }
}

#[test]
fn counting_ends_where_it_is_final_and_not_before() {
    let subject = Subject::new();
    let places = reading(&subject);
    // Five lines, and a pass of the loop's header more.
    for (mode, passes) in [("", 6.0), ("reads-twice", 12.0)] {
        let answer = subject.ask(
            &places,
            &Asked {
                mode,
                ..Asked::of(LINES)
            },
        );
        assert_eq!(answer.status, AnswerStatus::Ok, "{answer:?}");
        assert_eq!(answer.features["passes"], Some(passes), "{mode}");
        assert_eq!(answer.tier, Some(Tier::Prefix));
        assert_eq!(answer.value, Some(2.0 * passes + 1.0));
        let to_the_end = Asked {
            mode,
            option: "-Dpricetag.goes-on=true",
            ..Asked::of(LINES)
        };
        let answer = subject.ask(&places, &to_the_end);
        // It comes to its end, where it would delete its input.
        let reason = answer.reason.unwrap();
        assert!(reason.contains("would delete the file"), "{reason}");
    }
    assert!(subject.input_is_there());
}

#[test]
fn it_does_not_act() {
    let subject = Subject::new();
    let places = reading(&subject);
    for (mode, told) in [
        ("deletes", "would delete the file"),
        ("deletes-and-catches", "would delete the file"),
        ("sends", "would connect to localhost"),
        ("starts", "would start the process"),
        ("ends-processes", "RuntimePermission manageProcess"),
        ("listens-to-a-file", "NetPermission accessUnixDomainSocket"),
        ("exits", "exits with status 3"),
        ("fails", "as asked"),
    ] {
        let answer = subject.ask(
            &places,
            &Asked {
                mode,
                ..Asked::of(LINES)
            },
        );
        assert_eq!(answer.status, AnswerStatus::Unknown, "{mode}");
        let reason = answer.reason.unwrap();
        assert!(reason.contains(told), "{mode}: {reason}");
        assert_eq!(answer.value, None);
        assert!(subject.input_is_there(), "{mode}");
    }
}

#[test]
fn threads_that_threads_start_are_waited_for() {
    let subject = Subject::named("Chain");
    let graph = Graph::of(&subject.program);
    let places = Places {
        counters: vec![loop_at(&graph, "read")],
        ..Places::default()
    };
    let answer = subject.ask(&places, &Asked::of(LINES));
    assert_eq!(answer.status, AnswerStatus::Ok, "{answer:?}");
    assert_eq!(answer.features["passes"], Some(6.0), "{answer:?}");
}

#[test]
fn an_exit_ends_the_program_and_output_goes_nowhere() {
    let subject = Subject::new();
    let places = reading(&subject);
    let exits = Asked {
        mode: "early-exit",
        ..Asked::of(LINES)
    };
    let answer = subject.ask(&places, &exits);
    assert_eq!(answer.status, AnswerStatus::Ok);
    assert_eq!(answer.features["passes"], Some(0.0));
    let opens = Asked {
        mode: "opens-output",
        ..Asked::of(LINES)
    };
    let answer = subject.ask(&places, &opens);
    assert_eq!(answer.status, AnswerStatus::Ok, "{answer:?}");
    assert!(answer.redirected);
    assert!(!subject.folder.path().join("input.txt.out").exists());
}

#[test]
fn an_evaluation_without_end_is_ended() {
    let subject = Subject::new();
    // Final at the end only, which does not come.
    let places = Places {
        groups: Vec::new(),
        ..reading(&subject)
    };
    let begun = Instant::now();
    let endless = Asked {
        mode: "endless",
        ..Asked::of(LINES)
    };
    let answer = subject.ask(&places, &endless);
    assert_eq!(answer.status, AnswerStatus::Unknown);
    assert!(answer.reason.unwrap().contains("takes more than 3000 ms"));
    assert!(begun.elapsed().as_secs() < 30);
}

#[test]
fn code_that_training_did_not_reach_is_told() {
    let subject = Subject::new();
    let graph = Graph::of(&subject.program);
    let read = loop_at(&graph, "read");
    let guards = vec![
        Guard {
            method: graph.find("Phased", "again", "()V").unwrap(),
            place: Place::Entry,
            shown: "again".to_owned(),
        },
        Guard {
            method: read.method,
            place: Place::Entry,
            shown: "the reading".to_owned(),
        },
    ];
    let flagged = Places {
        guards,
        ..reading(&subject)
    };
    let answer = subject.ask(&flagged, &Asked::of(LINES));
    assert_eq!(answer.status, AnswerStatus::Unvalidated);
    assert_eq!(answer.features["passes"], Some(6.0));
    assert!(answer.reason.unwrap().ends_with("the reading"));
    let unflagged = Places {
        guards: flagged.guards[..1].to_vec(),
        ..flagged
    };
    let answer = subject.ask(&unflagged, &Asked::of(LINES));
    assert_eq!(answer.status, AnswerStatus::Ok);
}

#[test]
fn emptied_methods_are_verified_and_do_nothing() {
    let subject = Subject::new();
    let graph = Graph::of(&subject.program);
    let emptied: BTreeSet<_> = ["score", "before", "after"]
        .iter()
        .map(|name| support::named(&graph, name))
        .collect();
    let spot = loop_at(&graph, "compute");
    let places = Places {
        counters: vec![spot],
        emptied,
        ..Places::default()
    };
    let answer = subject.ask(
        &places,
        &Asked {
            mode: "deletes",
            ..Asked::of(LINES)
        },
    );
    assert_eq!(answer.status, AnswerStatus::Ok, "{answer:?}");
    assert_eq!(answer.features["passes"], Some(301.0));
    assert_eq!(answer.tier, Some(Tier::Run));
}

#[test]
fn what_others_may_call_is_not_stopped() {
    let subject = Subject::new();
    let graph = Graph::of(&subject.program);
    let main = support::named(&graph, "main");
    let stopping = |ran: &[&str]| {
        let ran = ran.iter().map(|name| support::named(&graph, name));
        Stopping::new(&graph, main, ran.collect())
    };
    let stops = |name: &str, ran: &[&str]| {
        let spot: Spot = loop_at(&graph, name);
        stopping(ran).stops(&emit::updates([&spot], &graph))
    };
    assert!(matches!(
        stops("compare", &[]),
        Err(Unstoppable::Callback(_))
    ));
    assert!(stops("read", &["read", "main"]).is_ok());
    // `again` runs between, and the work comes after all of it.
    let again = stops("again", &["again"]).unwrap();
    assert!(again.iter().all(|(method, _)| *method == main), "{again:?}");
}

#[test]
fn the_committed_classes_are_those_of_the_sources() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(pricetag_testkit::jvm::java_tool("javac"));
    command.args(["--release", "8", "-g:source,lines", "-Xlint:-options", "-d"]);
    command.arg(folder.path());
    for (name, text) in RUNTIME_SOURCES {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        command.arg(path);
    }
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for (name, bytes) in RUNTIME_CLASSES {
        let compiled = std::fs::read(folder.path().join(format!("{name}.class"))).unwrap();
        assert!(
            compiled == bytes,
            "{name}: compile it anew, see crates/observe/evaluate/runtime/README.md"
        );
    }
}
