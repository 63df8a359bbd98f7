//! From a recording to a jar that predicts without running to the end, tried on inputs that it was not made from.

use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Desk, ran};
use pricetag_evaluator::{Answer, AnswerStatus, Tier};

/// A ring of nodes, and remarks that say nothing: the length of the file tells little.
fn network(nodes: u32, remarks: u32) -> String {
    let mut text = String::new();
    for _ in 0..remarks {
        text.push_str("# a remark of no importance at all\n");
    }
    for node in 0..nodes {
        let _ = writeln!(text, "{node} {} {}", (node + 1) % nodes, node % 7 + 1);
    }
    text
}

fn recorded() -> Desk {
    let desk = Desk::new(&[]);
    let source =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../subjects/evaluator/Route.java");
    desk.class(
        "classes",
        "Route",
        &std::fs::read_to_string(source).unwrap(),
    );
    for i in 0..20 {
        let text = network(20 + 6 * i, (i * 7919 % 20) * 300);
        std::fs::write(desk.path(&format!("in/{i:02}.txt")), text).unwrap();
    }
    let ran = desk.run(
        "record -o data --repeat 1 --check-determinism none --samples off --inputs in/*.txt -- java -Xint -XX:+UseSerialGC -cp classes Route {}",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    desk
}

fn ask(desk: &Desk, input: &str) -> (i32, Answer) {
    ask_with(desk, &[], input)
}

fn ask_with(desk: &Desk, options: &[&str], input: &str) -> (i32, Answer) {
    let mut java = Command::new("java");
    java.args(options)
        .arg("-jar")
        .arg(desk.path("p.jar"))
        .arg(desk.path(input));
    let ran = ran(java);
    (ran.code, Answer::parse(&ran.stdout).expect("an answer"))
}

#[test]
fn a_recorded_program_becomes_a_jar_that_predicts_it() {
    let desk = recorded();
    let built = desk.json("evaluator build data -o p.jar --target alloc --budget 100% --json");
    let features = built["features"].as_array().unwrap();
    let counted = features
        .iter()
        .filter(|f| f["source"]["counter"].is_object());
    assert!(counted.count() > 0, "{built}");
    assert!(
        built["validation"]["compared"].as_u64().unwrap() >= 15,
        "{built}"
    );
    let curve = built["curve"].as_array().unwrap();
    assert!(curve.len() >= 2, "{built}");

    // The answer needs no Pricetag. Bytes that are allocated in the rest of the run are those of the rows: nodes³ longs.
    std::fs::write(desk.path("held-1.txt"), network(75, 1000)).unwrap();
    std::fs::write(desk.path("held-2.txt"), network(118, 20)).unwrap();
    for (input, nodes) in [("held-1.txt", 75.0_f64), ("held-2.txt", 118.0)] {
        let (code, answer) = ask(&desk, input);
        assert_eq!((code, answer.status), (0, AnswerStatus::Ok), "{answer:?}");
        assert_eq!(answer.tier, Some(Tier::Prefix), "{answer:?}");
        let expected = 8.0 * nodes.powi(3);
        let error = (answer.value.unwrap() - expected).abs() / expected;
        assert!(error < 0.5, "{input}: {answer:?}");
    }
    let asked = desk.run("predict p.jar -- held-1.txt");
    assert!(asked.stdout.contains("alloc"), "{}", asked.stdout);

    // A JVM that forbids what keeps a program from acting, as 18 to 23 do, begins another one that does not.
    let forbidding = "-Djava.security.manager=disallow";
    let (code, again) = ask_with(&desk, &[forbidding], "held-1.txt");
    let (_, once) = ask(&desk, "held-1.txt");
    assert_eq!((code, again.value), (0, once.value), "{again:?}");

    // Two at a time, told in the order of the inputs.
    let both = desk.json("predict p.jar --jobs 2 --inputs held-*.txt --json -- {}");
    let rows = both["rows"].as_array().unwrap().iter();
    let labels: Vec<_> = rows.map(|row| row["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["held-1.txt", "held-2.txt"]);
    assert_eq!(both["rows"][0]["answer"]["value"].as_f64(), once.value);

    // What is known before the run does not tell the cost: no predictor is better than a bad one.
    let cheap = desk.run("evaluator build data -o cheap.jar --target alloc --budget 0%");
    assert_eq!(cheap.code, 3, "{}", cheap.stderr);
    assert!(
        cheap.stderr.contains("predicts nothing"),
        "{}",
        cheap.stderr
    );
    assert!(!desk.path("cheap.jar").exists());

    // The agent counts the same in the unmodified program.
    let line = "evaluator check p.jar --inputs held-*.txt --repeat 1 --figures drawn --json";
    let checked = desk.json(line);
    let drawn = std::fs::read_to_string(desk.path("drawn/distribution.svg")).unwrap();
    assert!(
        drawn.contains("the program") && drawn.contains("the predictor"),
        "{drawn}"
    );
    for name in ["error-by-cost", "answers"] {
        assert!(desk.path(&format!("drawn/{name}.svg")).exists(), "{name}");
    }
    for trial in checked["trials"].as_array().unwrap() {
        assert!(trial["failed"].is_null(), "{trial}");
        assert_eq!(trial["wrong"].as_array().unwrap().len(), 0, "{trial}");
        assert!(trial["measured"].as_f64().unwrap() > 0.0, "{trial}");
    }

    // A line of a kind that training did not have; and no file at all.
    let odd = network(40, 3) + "!\n";
    std::fs::write(desk.path("odd.txt"), odd).unwrap();
    let (_, answer) = ask(&desk, "odd.txt");
    assert_eq!(answer.status, AnswerStatus::Unvalidated, "{answer:?}");
    let (code, answer) = ask(&desk, "nothing.txt");
    assert_eq!((code, answer.status), (3, AnswerStatus::Unknown));
    assert!(answer.value.is_none() && answer.reason.is_some());
    is_served(&desk);
    wrong_input(&desk);
}

/// Lines are answered as single questions are.
fn is_served(desk: &Desk) {
    let mut command = desk.command("evaluator serve p.jar -q");
    let lines = "held-1.txt\n\n[\"held-2.txt\"]\nnothing.txt\n[1]\n";
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(lines.as_bytes())
        .unwrap();
    let told = child.wait_with_output().unwrap();
    assert!(told.status.success());
    let text = String::from_utf8(told.stdout).unwrap();
    let answers: Vec<Answer> = text
        .lines()
        .map(|line| Answer::parse(line).unwrap())
        .collect();
    let [first, second, nothing, bad] = &answers[..] else {
        panic!("{text}");
    };
    for (name, served) in [("held-1.txt", first), ("held-2.txt", second)] {
        let (_, alone) = ask(desk, name);
        assert_eq!(
            (served.value, &served.features),
            (alone.value, &alone.features),
            "{name}"
        );
        assert_eq!(served.status, AnswerStatus::Ok, "{served:?}");
    }
    assert_eq!(nothing.status, AnswerStatus::Unknown, "{nothing:?}");
    assert!(
        bad.reason
            .as_ref()
            .is_some_and(|why| why.contains("no input")),
        "{bad:?}"
    );
}

/// What cannot be built or asked says why.
fn wrong_input(desk: &Desk) {
    let again = desk.run("evaluator build data -o p.jar");
    assert_eq!(again.code, 1);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
    std::fs::write(desk.path("not.jar"), "PK, but nothing else").unwrap();
    let no = desk.run("predict not.jar -- x");
    assert_eq!(no.code, 1);
    assert!(no.stderr.contains("it is no predictor"), "{}", no.stderr);
    let source = std::fs::read_to_string(desk.path("Route.java")).unwrap();
    desk.class(
        "classes",
        "Route",
        &source.replace("Math.max(longest", "Math.max(1 + longest"),
    );
    let changed = desk.run("evaluator build data -o q.jar");
    assert_eq!(changed.code, 1);
    assert!(
        changed
            .stderr
            .contains("class Route on the class path is not the one that was recorded"),
        "{}",
        changed.stderr
    );
}
