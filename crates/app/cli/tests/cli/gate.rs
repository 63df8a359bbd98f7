//! `pricetag gate` on programs whose changes were planted: found, the right method first; and no alarm where nothing changed.

use std::process::Command;

use crate::support::{Desk, Ran, ran};
use serde_json::Value;

/// `n` is the length of the input.
const PROGRAM: &str = r"
import java.nio.file.*;
public class Work {
    static long sum(int n) {
        long s = 0;
        for (int i = 0; i < n; i++) s += i;
        return s;
    }
    static int different(byte[] text) {
        boolean[] seen = new boolean[256];
        int count = 0;
        for (byte b : text) {
            if (!seen[b & 255]) { seen[b & 255] = true; count++; }
        }
        return count;
    }
    static long mixed(int n) {
        long s = 1;
        for (int i = 1; i < n; i++) s = s * 31 + n / i;
        return s;
    }
    static int tiny(int n) { return n + 1; }
    public static void main(String[] a) throws Exception {
        byte[] text = Files.readAllBytes(Path.of(a[0]));
        int n = text.length;
        System.out.println(sum(n) + different(text) + mixed(n) + tiny(n));
    }
}
";

/// What is changed, into what, and the method to blame.
const PLANTED: [(&str, &str, &str, &str); 3] = [
    (
        "an added iteration",
        "i < n; i++) s += i",
        "i <= n; i++) s += i",
        "Work.sum(int)",
    ),
    (
        "a boxed loop",
        "long s = 1;",
        "Long s = 1L;",
        "Work.mixed(int)",
    ),
    (
        "an accidental square",
        "if (!seen[b & 255]) { seen[b & 255] = true; count++; }",
        "boolean known = false; for (int i = 0; i < text.length && text[i] != b; i++) known = true; if (!seen[b & 255]) { seen[b & 255] = true; count++; } else if (known) count += 0;",
        "Work.different(byte[])",
    ),
];

const RUN: [&str; 5] = ["--", "java", "-Xmx64m", "-cp", "classes"];

fn build(desk: &Desk, class: &str, source: &str) {
    let file = desk.path(&format!("{class}.java"));
    std::fs::write(&file, source).unwrap();
    let javac = Command::new("javac")
        .args(["-g", "-d"])
        .arg(desk.path("classes"))
        .arg(&file)
        .status();
    assert!(javac.expect("a JDK").success());
}

fn gate(desk: &Desk, line: &str, rest: &[&str]) -> Ran {
    let mut command = desk.command(&format!("gate {line}"));
    command.args(RUN).args(rest);
    ran(command)
}

/// Text of so many bytes, of few kinds.
fn text(n: usize) -> String {
    (0..n)
        .map(|i| char::from(b'a' + (i * i % 7) as u8))
        .collect()
}

/// A recorded baseline `b.json` of three inputs.
fn recorded(options: &str) -> Desk {
    let texts = [50, 100, 200].map(text);
    let desk = Desk::new(&[("1", &texts[0]), ("2", &texts[1]), ("3", &texts[2])]);
    build(&desk, "Work", PROGRAM);
    let done = gate(
        &desk,
        &format!("record -o b.json --inputs in/* {options}"),
        &["Work", "{}"],
    );
    assert_eq!(done.code, 0, "{}", done.stderr);
    desk
}

fn check(desk: &Desk, options: &str) -> Ran {
    gate(desk, &format!("check b.json {options}"), &["Work", "{}"])
}

fn baseline(desk: &Desk) -> Value {
    let text = std::fs::read_to_string(desk.path("b.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Changes the baseline as a person with an editor would.
fn edit(desk: &Desk, from: &str, to: &str) {
    let text = std::fs::read_to_string(desk.path("b.json")).unwrap();
    assert!(text.contains(from), "{from} in {text}");
    std::fs::write(desk.path("b.json"), text.replacen(from, to, 1)).unwrap();
}

#[test]
fn planted_changes_are_found_and_the_right_method_is_first() {
    let desk = recorded("--runs 2");
    let saved = std::fs::read(desk.path("b.json")).unwrap();
    let exact = baseline(&desk)["benchmarks"]["in/1"]["instructions"].clone();
    assert!(exact.is_u64(), "counts of one thread repeat: {exact}");
    for (what, from, to, method) in PLANTED {
        assert!(PROGRAM.contains(from), "{what}");
        build(&desk, "Work", &PROGRAM.replace(from, to));
        let found = check(&desk, "--json");
        assert_eq!(found.code, 3, "{what}: {}", found.stderr);
        let found = found.json();
        assert_eq!(found["passed"], false, "{what}");
        assert_eq!(found["problems"], Value::Array(Vec::new()), "{what}");
        let changed = &found["difference"]["changed"];
        assert_eq!(changed[0]["name"], method, "{what}: {changed:#}");
        let text = check(&desk, "").stdout;
        assert!(text.contains("FAILED") && text.contains(method), "{text}");
    }
    // One iteration more in each of three inputs: five instructions of the loop, and the jump back is one of them.
    build(&desk, "Work", &PROGRAM.replace(PLANTED[0].1, PLANTED[0].2));
    let rows = check(&desk, "--json --allow calls=0").json()["rows"].clone();
    let rows = rows.as_array().unwrap().clone();
    let more: Vec<u64> = rows
        .iter()
        .filter(|row| row["metric"] == "instructions")
        .map(|row| row["after"].as_u64().unwrap() - row["before"].as_u64().unwrap())
        .collect();
    assert_eq!(more.len(), 3);
    assert!(
        more.iter().all(|n| *n == more[0] && (5..=10).contains(n)),
        "{more:?}"
    );
    // As much is allowed by a number, and by a share.
    let allowed = check(&desk, &format!("--allow instructions={} --json", more[0]));
    assert_eq!(allowed.code, 0, "{}", allowed.stdout);
    let warned = check(&desk, "--allow 5% --warn 0%");
    assert_eq!(warned.code, 0, "{}", warned.stdout);
    assert!(warned.stdout.contains("WARNED"), "{}", warned.stdout);
    assert_eq!(check(&desk, "--allow *:in/1=50%").code, 3);
    assert_eq!(
        std::fs::read(desk.path("b.json")).unwrap(),
        saved,
        "a check changes nothing"
    );
}

#[test]
fn unchanged_code_never_alarms() {
    let desk = recorded("");
    for _ in 0..5 {
        let done = check(&desk, "--json");
        assert_eq!(done.code, 0, "{}", done.stdout);
        let rows = done.json()["rows"].as_array().unwrap().clone();
        let counts = rows.iter().filter(|row| row["metric"] != "bytes");
        assert!(counts.clone().count() == 6);
        assert!(
            counts.into_iter().all(|row| row["level"] == "same"),
            "{rows:#?}"
        );
    }
    // Less is no alarm, either.
    build(
        &desk,
        "Work",
        &PROGRAM.replace("i < n; i++) s += i", "i < n / 2; i++) s += i"),
    );
    let less = check(&desk, "");
    assert_eq!(less.code, 0, "{}", less.stdout);
    assert!(less.stdout.contains("holds the gain"), "{}", less.stdout);
}

/// Spins for a while that differs from run to run, and does some work that does not.
const UNSTEADY: &str = r"
public class Work {
    static long spin(long rounds) { long s = 0; for (long i = 0; i < rounds; i++) s += i; return s; }
    static long steady(int n) { long s = 0; for (int i = 0; i < n; i++) s += i * i; return s; }
    public static void main(String[] a) {
        long rounds = 10000 + System.nanoTime() / 1000 % 2000;
        System.out.println(spin(rounds) + steady(10000));
    }
}
";

#[test]
fn what_does_not_repeat_is_shown_as_such_and_fails_on_no_noise() {
    let desk = Desk::new(&[]);
    build(&desk, "Work", UNSTEADY);
    let done = gate(&desk, "record -o b.json --no-bytes", &["Work"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let figure = baseline(&desk)["benchmarks"]["run"]["instructions"].clone();
    assert!(
        figure["runs"]
            .as_array()
            .is_some_and(|runs| runs.len() == 3),
        "{figure}"
    );
    assert!(figure["low"].as_u64() < figure["high"].as_u64());
    let spin = baseline(&desk)["methods"]["Work.spin(J)J"].clone();
    assert_eq!(spin["varies"], true, "{spin}");
    for _ in 0..5 {
        let done = gate(&desk, "check b.json", &["Work"]);
        assert_eq!(done.code, 0, "{}", done.stdout);
        assert!(done.stdout.contains("did not repeat"), "{}", done.stdout);
    }
    // Ten times as much is no noise, and what does not vary is to blame.
    build(
        &desk,
        "Work",
        &UNSTEADY.replace("steady(10000)", "steady(500000)"),
    );
    let done = gate(&desk, "check b.json --json", &["Work"]);
    assert_eq!(done.code, 3, "{}", done.stdout);
    let found = done.json();
    assert_eq!(
        found["difference"]["changed"][0]["name"], "Work.steady(int)",
        "{found:#}"
    );
}

#[test]
fn what_cannot_be_judged_fails() {
    let desk = recorded("--runs 2");
    let refused = |options: &str, part: &str| {
        let done = check(&desk, options);
        let all = format!("{}{}", done.stdout, done.stderr);
        assert_eq!(done.code, 3, "{part}: {all}");
        assert!(all.contains(part), "{part} in {all}");
    };
    // An agent that is none.
    std::fs::write(desk.path("agent.so"), "no library").unwrap();
    refused("--agent agent.so", "agent");
    // A benchmark that is gone.
    std::fs::rename(desk.path("in/2"), desk.path("2")).unwrap();
    refused("", "did not run: in/2");
    std::fs::rename(desk.path("2"), desk.path("in/2")).unwrap();
    // One that fails.
    build(
        &desk,
        "Work",
        &PROGRAM.replace(
            "int n = text.length;",
            "int n = text.length; if (n == 100) System.exit(7);",
        ),
    );
    refused("", "`in/2` failed");
    // Another program.
    build(
        &desk,
        "Work",
        "public class Work { public static void main(String[] a) { System.out.println(1); } }",
    );
    refused("", "less than a tenth");
    build(&desk, "Work", PROGRAM);
}

#[test]
fn what_is_not_of_this_suite_or_version_is_told() {
    let desk = recorded("--runs 2");
    let saved = std::fs::read(desk.path("b.json")).unwrap();
    let told = |code: i32, part: &str| {
        let done = check(&desk, "");
        let all = format!("{}{}", done.stdout, done.stderr);
        assert_eq!(done.code, code, "{part}: {all}");
        assert!(all.contains(part), "{part} in {all}");
        std::fs::write(desk.path("b.json"), &saved).unwrap();
    };
    edit(&desk, "\"schema\": 1", "\"schema\": 99");
    told(1, "has version 99");
    edit(&desk, "{", "<<<<<<< HEAD\n{");
    told(1, "a merge that is not finished: line 1");
    edit(&desk, "\"major\": ", "\"major\": 1");
    told(3, "keep a baseline for each");
    edit(&desk, "\"include\": []", "\"include\": [\"no.such.Class\"]");
    told(3, "nothing was counted");
    edit(&desk, "\"inputs\": \"in/*\"", "\"inputs\": \"classes/*\"");
    told(3, "it is of another suite");
    let counted = baseline(&desk)["benchmarks"]["in/1"]["instructions"].clone();
    let counted = counted.as_u64().unwrap();
    let line = |number: u64| format!("\"instructions\": {number}");
    edit(&desk, &line(counted), &line(counted + 1));
    told(3, "they were changed by hand");
    let methods = baseline(&desk)["methods"].clone();
    let (_, method) = methods.as_object().unwrap().iter().next().unwrap();
    let blocks = method["ran"]["in/1"]["blocks"].as_array().unwrap();
    let listed: Vec<String> = blocks.iter().map(ToString::to_string).collect();
    let line = |last: &str| {
        let all = [&listed[..listed.len() - 1], &[last.to_owned()]].concat();
        format!("\"blocks\": [{}]", all.join(", "))
    };
    edit(&desk, &line(&listed[listed.len() - 1]), &line("9000000"));
    told(3, "they were changed by hand");
    // Figures that no count contradicts.
    edit(&desk, "\"bytes\": {\"high\": ", "\"bytes\": {\"high\": 9");
    told(3, "not what was written");
    // More work, since there is more to do.
    std::fs::write(desk.path("in/1"), text(60)).unwrap();
    told(
        3,
        "the input is another one than in the baseline, and counts with it: `in/1` (input.bytes 50 → 60)",
    );
    std::fs::write(desk.path("in/1"), text(50)).unwrap();
    std::fs::write(desk.path("b.json"), "[1]").unwrap();
    told(1, "not a baseline");
    let absent = gate(&desk, "check absent.json", &["Work", "{}"]);
    assert!(
        absent.code == 1 && absent.stderr.contains("gate record"),
        "{}",
        absent.stderr
    );
    // Nothing to record, and nothing replaced by accident.
    let empty = gate(
        &desk,
        "record -o c.json --include no.such.Class --inputs in/*",
        &["Work", "{}"],
    );
    assert!(
        empty.code == 3 && empty.stderr.contains("nothing was counted"),
        "{}",
        empty.stderr
    );
    assert!(!desk.path("c.json").exists());
    let again = gate(&desk, "record -o b.json --inputs in/*", &["Work", "{}"]);
    assert!(
        again.code == 2 && again.stderr.contains("gate accept"),
        "{}",
        again.stderr
    );
}

#[test]
fn what_is_accepted_is_the_baseline_and_keeps_its_reason() {
    let desk = recorded("--runs 2 --allow bytes=10%");
    build(&desk, "Work", &PROGRAM.replace(PLANTED[2].1, PLANTED[2].2));
    assert_eq!(check(&desk, "").code, 3);
    let mut accept = desk.command("gate accept b.json --reason");
    accept
        .arg("squares are small here")
        .args(RUN)
        .args(["Work", "{}"]);
    let accepted = ran(accept);
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
    assert!(
        accepted.stdout.contains("squares are small here"),
        "{}",
        accepted.stdout
    );
    assert_eq!(check(&desk, "").code, 0);
    let history = desk.json("gate history b.json --json");
    assert_eq!(history["history"][0]["reason"], "squares are small here");
    let changes = history["history"][0]["changes"].as_array().unwrap();
    assert!(
        changes
            .iter()
            .any(|c| c["benchmark"] == "in/3" && c["metric"] == "instructions"),
        "{changes:?}"
    );
    assert_eq!(
        baseline(&desk)["limits"]["allow"][0],
        "bytes=10%",
        "limits stay"
    );
    let mut empty = desk.command("gate accept b.json --reason");
    empty.arg(" ").args(RUN).args(["Work", "{}"]);
    assert_eq!(ran(empty).code, 2);
}

#[test]
fn outputs_for_services_are_what_they_read() {
    let desk = recorded("--runs 2 --no-bytes");
    std::fs::create_dir(desk.path("src")).unwrap();
    let slower = PROGRAM.replace(PLANTED[2].1, PLANTED[2].2);
    std::fs::write(desk.path("src/Work.java"), &slower).unwrap();
    build(&desk, "Work", &slower);
    std::fs::write(desk.path("summary.md"), "before\n").unwrap();
    let done = check(
        &desk,
        "--markdown summary.md --junit j.xml --bencher b.bmf --benchmark-action a.json --annotations",
    );
    assert_eq!(done.code, 3, "{}", done.stderr);
    let read = |name: &str| std::fs::read_to_string(desk.path(name)).unwrap();
    let summary = read("summary.md");
    assert!(
        summary.starts_with("before\n## gate of b: FAILED"),
        "{summary}"
    );
    assert!(summary.contains("| benchmark | figure | baseline | now | change | allowed | |"));
    assert!(read("j.xml").contains("<failure type=\"costs-more\""));
    let bencher: Value = serde_json::from_str(&read("b.bmf")).unwrap();
    assert!(
        bencher["in/1"]["instructions"]["value"].is_number(),
        "{bencher}"
    );
    let action: Value = serde_json::from_str(&read("a.json")).unwrap();
    assert!(
        action
            .as_array()
            .unwrap()
            .iter()
            .any(|e| e["name"] == "in/1 instructions"),
        "{action}"
    );
    let line = slower
        .lines()
        .position(|l| l.contains("boolean known"))
        .unwrap()
        + 1;
    let place = format!(
        "::error file=src/Work.java,line={line},title=pricetag gate::Work.different(byte[]) executes "
    );
    assert!(done.stdout.contains(&place), "{place} in {}", done.stdout);
}

/// Tests of a framework that is only an annotation, and its launcher.
const TESTS: &str = r"
import java.lang.reflect.Method;
public class Suite {
    static int calls;
    @org.junit.Test public void adds() { long s = 0; for (int i = 0; i < 1000; i++) s += i; if (s != 499500) throw new Error(); }
    @org.junit.Test public void waits() { long until = System.nanoTime() + 300000; while (System.nanoTime() < until) step(); }
    @org.junit.Test public void twice() { for (int i = 0; i < 50; i++) step(); }
    static void step() { calls++; }
    public void helper() { calls++; }
    public static void main(String[] a) throws Exception {
        for (String name : new String[] {NAMES})
            Suite.class.getMethod(name).invoke(new Suite());
    }
}
";

#[test]
fn each_test_of_a_suite_is_a_benchmark_and_those_that_do_not_repeat_are_left_out() {
    let desk = Desk::new(&[]);
    std::fs::create_dir(desk.path("stub")).unwrap();
    let stub = "package org.junit; import java.lang.annotation.*; @Retention(RetentionPolicy.RUNTIME) public @interface Test {}";
    build(&desk, "Test", stub);
    let tests = TESTS.replace(
        "NAMES",
        "\"adds\", \"waits\", \"twice\", \"twice\", \"helper\"",
    );
    let compile = |source: &str| {
        std::fs::write(desk.path("Suite.java"), source).unwrap();
        let javac = Command::new("javac")
            .args(["-g", "-cp", "classes", "-d", "classes", "Suite.java"])
            .current_dir(desk.path("."))
            .status();
        assert!(javac.expect("a JDK").success());
    };
    compile(&tests);
    let done = gate(&desk, "record -o b.json --tests classes", &["Suite"]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let recorded = baseline(&desk);
    let names: Vec<&String> = recorded["benchmarks"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["Suite#adds", "Suite#twice", "Suite#twice #2"]);
    let left = recorded["left_out"]["Suite#waits"].as_str().unwrap();
    assert!(left.contains("does not repeat"), "{left}");
    for _ in 0..2 {
        let done = gate(&desk, "check b.json", &["Suite"]);
        assert_eq!(done.code, 0, "{}", done.stdout);
    }
    compile(&tests.replace("i < 50", "i < 51"));
    let done = gate(&desk, "check b.json --json", &["Suite"]);
    assert_eq!(done.code, 3, "{}", done.stdout);
    let found = done.json();
    assert_eq!(found["difference"]["changed"][0]["name"], "Suite.twice()");
    let failed = found["rows"].as_array().unwrap().iter();
    let failed: Vec<&Value> = failed.filter(|row| row["level"] == "failed").collect();
    assert!(
        failed.iter().all(|row| row["benchmark"]
            .as_str()
            .unwrap()
            .starts_with("Suite#twice")),
        "{failed:?}"
    );
    assert!(!failed.is_empty());
    // What is slower is named, though a test that does not repeat calls it as well.
    compile(&tests.replace(
        "void step() { calls++; }",
        "void step() { calls++; calls++; }",
    ));
    let found = gate(&desk, "check b.json --json", &["Suite"]).json();
    assert_eq!(found["difference"]["changed"][0]["name"], "Suite.step()");
    compile(&tests.replace("@org.junit.Test public void adds", "public void adds"));
    let done = gate(&desk, "check b.json", &["Suite"]);
    assert_eq!(done.code, 3, "{}", done.stdout);
    assert!(
        done.stdout.contains("did not run: Suite#adds"),
        "{}",
        done.stdout
    );
}

/// A shell that finds the program, with these variables.
fn shell(desk: &Desk, script: &str, variables: &[(&str, &str)]) -> Ran {
    let folder = crate::support::program()
        .parent()
        .unwrap()
        .display()
        .to_string();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("bash");
    command
        .args(["-c", script])
        .current_dir(desk.path("."))
        .env("PATH", format!("{folder}:{path}"))
        .env("PRICETAG_CACHE", "none")
        .envs(variables.iter().copied());
    ran(command)
}

#[test]
fn the_action_and_the_job_of_gitlab_run_as_their_services_run_them() {
    let desk = recorded("--runs 2 --no-bytes");
    let integrations =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../integrations");
    let action = integrations.join("github");
    let variables = [
        ("GITHUB_ACTION_PATH", action.to_str().unwrap()),
        ("GITHUB_STEP_SUMMARY", "summary.md"),
        ("GITHUB_OUTPUT", "outputs"),
        ("GATE_BASELINE", "b.json"),
        ("GATE_COMMAND", "java -Xmx64m -cp classes Work '{}'"),
        ("GATE_OPTIONS", "--allow '1%'"),
    ];
    // The step of the action is the one line that it runs.
    let yaml = std::fs::read_to_string(action.join("action.yml")).unwrap();
    let step = yaml
        .lines()
        .find_map(|line| line.trim().strip_prefix("run: "));
    let step = step.expect("a composite action runs something");
    let green = shell(&desk, step, &variables);
    assert_eq!(green.code, 0, "{}{}", green.stdout, green.stderr);
    assert!(
        green.stdout.starts_with("::notice title=pricetag gate::"),
        "{}",
        green.stdout
    );
    let job = std::fs::read_to_string(integrations.join("gitlab/pricetag-gate.yml")).unwrap();
    let script = job
        .lines()
        .find_map(|line| line.trim().strip_prefix("- pricetag"));
    let script = format!("pricetag{}", script.expect("a job runs something"));
    let of_gitlab = [
        ("GATE_BASELINE", "b.json"),
        ("GATE_COMMAND", "java -Xmx64m -cp classes Work {}"),
        ("GATE_OPTIONS", "--allow 1%"),
    ];
    let green = shell(&desk, &script, &of_gitlab);
    assert_eq!(green.code, 0, "{}{}", green.stdout, green.stderr);
    build(&desk, "Work", &PROGRAM.replace(PLANTED[1].1, PLANTED[1].2));
    let red = shell(&desk, step, &variables);
    assert_eq!(red.code, 3, "{}{}", red.stdout, red.stderr);
    let read = |name: &str| std::fs::read_to_string(desk.path(name)).unwrap();
    assert_eq!(read("outputs"), "passed=true\npassed=false\n");
    assert_eq!(read("summary.md").matches("## gate of b: ").count(), 2);
    assert!(read("pricetag-gate/junit.xml").contains("<failure"));
    assert_eq!(shell(&desk, &script, &of_gitlab).code, 3);
    assert!(read("junit.xml").contains("<failure") && read("gate.md").contains("Work.mixed"));
}
