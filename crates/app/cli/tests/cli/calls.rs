//! Every invocation is written down beside the dataset, and `patterns` says what the sequence looks like.

use std::collections::BTreeMap;

use crate::support::{Desk, Ran, classes, ran};
use serde_json::Value;

const INPUTS: [(&str, &str); 3] = [("a", "8"), ("b", "13"), ("c", "40")];

/// `line` on the subject over its inputs.
fn watch(desk: &Desk, line: &str) -> Ran {
    let mut command = desk.command(line);
    command.args(["--inputs", "in/*", "--", "java", "-cp"]);
    command.arg(classes()).args(["Parts", "{}"]);
    ran(command)
}

fn recorded(desk: &Desk, line: &str) {
    let ran = watch(desk, line);
    assert_eq!(ran.code, 0, "{line}: {}", ran.stderr);
}

/// By input, how many events there are, and how many were left out.
fn events(answer: &Value) -> BTreeMap<String, (u64, u64)> {
    let files = answer["files"].as_array().unwrap().iter();
    let told = files.map(|file| {
        let recorded = &file["patterns"]["recorded"];
        let number = |name: &str| recorded[name].as_u64().unwrap();
        let input = file["input"].as_str().unwrap().to_owned();
        (input, (number("events"), number("left_out")))
    });
    told.collect()
}

/// By input, the invocations of all methods that the dataset counts.
fn invocations(desk: &Desk, data: &str) -> BTreeMap<String, u64> {
    let export = desk.run(&format!("export {data} --format csv -o {data}.csv"));
    assert_eq!(export.code, 0, "{}", export.stderr);
    let text = std::fs::read_to_string(desk.path(&format!("{data}.csv"))).unwrap();
    let mut table = csv::Reader::from_reader(text.as_bytes());
    let headers = table.headers().unwrap().clone();
    let label = headers.iter().position(|name| name == "label").unwrap();
    let counted: Vec<usize> = headers
        .iter()
        .enumerate()
        .filter(|(_, name)| name.ends_with(" invocations"))
        .map(|(at, _)| at)
        .collect();
    let rows = table.records().map(|row| {
        let row = row.unwrap();
        let sum = counted
            .iter()
            .map(|&at| row[at].parse::<f64>().unwrap_or(0.0) as u64);
        (row[label].to_owned(), sum.sum())
    });
    rows.collect()
}

#[test]
fn there_are_as_many_events_as_invocations_and_a_recording_replaces_those_of_another() {
    let desk = Desk::new(&INPUTS);
    recorded(&desk, "record -o data --features methods,calls --repeat 1");
    let counted = invocations(&desk, "data");
    assert_eq!(counted.len(), 3);
    let told = events(&desk.json("patterns data --json"));
    let all: BTreeMap<String, (u64, u64)> = counted
        .iter()
        .map(|(input, &n)| (input.clone(), (n, 0)))
        .collect();
    assert_eq!(told, all);

    recorded(
        &desk,
        "record -o data --features methods,calls --calls first=5 --repeat 1 --force",
    );
    let told = events(&desk.json("patterns data --json"));
    let first: BTreeMap<String, (u64, u64)> = counted
        .iter()
        .map(|(input, &n)| (input.clone(), (5, n - 5)))
        .collect();
    assert_eq!(told, first);
    let shown = desk.run("patterns data");
    assert!(shown.stdout.contains("left out"), "{}", shown.stdout);

    recorded(&desk, "record -o data --repeat 1 --force");
    let none = desk.run("patterns data");
    assert_eq!(none.code, 1);
    assert!(
        none.stderr.contains("holds no events") && none.stderr.contains("--features calls"),
        "{}",
        none.stderr
    );
}

#[test]
fn what_leaves_the_program_is_there_on_request_and_in_windows() {
    let desk = Desk::new(&INPUTS);
    let record = "record -o data --features methods,calls --repeat 1";
    recorded(&desk, &format!("{record} --calls leaving"));
    let counted = invocations(&desk, "data");
    let all = events(&desk.json("patterns data --json"));
    for (input, (events, left_out)) in &all {
        assert!(
            *events > counted[input] && *left_out == 0,
            "{input}: {events}"
        );
    }
    let told = desk.run("patterns data --json");
    assert!(told.stdout.contains("java/lang/Integer"), "{}", told.stdout);
    recorded(&desk, &format!("{record} --calls leaving,first=5 --force"));
    let told = events(&desk.json("patterns data --json"));
    let first: BTreeMap<String, (u64, u64)> = all
        .iter()
        .map(|(input, (events, _))| (input.clone(), (5, events - 5)))
        .collect();
    assert_eq!(told, first);
}

/// What all methods of the program cost over the inputs, ns, by `explain`.
fn cost_of_methods(desk: &Desk) -> f64 {
    let answer = desk.json("explain data/model.json --json --limit 1000");
    let items = answer["items"].as_array().unwrap().iter();
    let methods = items.filter(|item| item["place"]["method"].is_string());
    methods.map(|item| item["cost"].as_f64().unwrap()).sum()
}

#[test]
fn with_a_model_sequences_have_a_price() {
    let desk = Desk::new(&[("a", "120"), ("b", "300"), ("c", "200")]);
    let mut command = desk.command(
        "mine -o data --features blocks,methods,calls --samples all --target cpu --method nnls --repeat 1 --inputs in/* -- java -cp",
    );
    command.arg(classes()).args(["Chores", "{}"]);
    let done = ran(command);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let answer = desk.json("patterns data --json");
    let mut whole = 0.0;
    for file in answer["files"].as_array().unwrap() {
        let found = file["patterns"]["recurrent"].as_array().unwrap();
        let priced: Vec<(f64, f64)> = found
            .iter()
            .map(|one| {
                (
                    one["ns"].as_f64().unwrap(),
                    one["ns_share"].as_f64().unwrap(),
                )
            })
            .collect();
        assert!(!priced.is_empty(), "{file}");
        assert!(priced.is_sorted_by(|a, b| a.0 >= b.0), "{priced:?}");
        assert!(
            priced
                .iter()
                .all(|(_, share)| (0.0..=1.0 + 1e-9).contains(share))
        );
        // The share is of all calls of the run, and these cost what the model charges the methods.
        let (ns, share) = priced[0];
        whole += ns / share;
    }
    let charged = cost_of_methods(&desk);
    assert!(
        (whole / charged - 1.0).abs() < 0.25,
        "{whole} ns by calls, {charged} by methods"
    );
    // Without it they are ranked by calls.
    std::fs::remove_file(desk.path("data/model.json")).unwrap();
    let bare = desk.json("patterns data --json");
    let first = &bare["files"][0]["patterns"]["recurrent"][0];
    assert!(
        first["ns"].is_null() && first["covered"]["share"].is_number(),
        "{first}"
    );
}

#[test]
fn what_cannot_be_written_down_is_said() {
    let desk = Desk::new(&INPUTS);
    for (line, why) in [
        (
            "record -o data --calls first=10M",
            "add `calls` to --features",
        ),
        (
            "record -o data --features calls --calls 5/3",
            "below the second",
        ),
        ("record -o data --features calls --calls some", "1M/100M"),
        (
            "record -o data --features calls --calls leaving,all,leaving",
            "says twice which",
        ),
        ("record -o data --features call", "calls"),
    ] {
        let ran = watch(&desk, line);
        assert_eq!(ran.code, 2, "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(why), "{line}: {}", ran.stderr);
    }
    let attached = desk.run("record -o data --attach 1 --features calls");
    assert_eq!(attached.code, 2, "{}", attached.stderr);
    assert!(
        attached.stderr.contains("running program"),
        "{}",
        attached.stderr
    );
}

/// Each call of `work` makes `n + 1` calls of its own; `noise` is called between, and within a thread beside.
const SCOPED: &str = r"
public class Scoped {
    static int leaf(int i) { return i * 3; }
    static int noise(int i) { return i + 1; }
    static int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += leaf(i); return s; }
    public static void main(String[] a) throws Exception {
        int s = 0;
        Thread beside = new Thread(() -> { int t = 0; for (int i = 0; i < 50; i++) t += noise(i); System.out.println(t); });
        beside.start();
        for (int n = 1; n <= 5; n++) { for (int i = 0; i < 7; i++) s += noise(i); s += work(n); }
        s += work(100) + work(3);
        beside.join();
        System.out.println(s);
    }
}
";

#[test]
fn the_events_of_a_scope_are_those_of_its_rows() {
    let desk = Desk::new(&[]);
    desk.class("classes", "Scoped", SCOPED);
    let mut command = desk.command(
        "record -o data --features methods,calls --scope Scoped#work --repeat 1 --warmup 0",
    );
    command.args(["--", "java", "-cp", "classes", "Scoped"]);
    let done = ran(command);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let by_row = invocations(&desk, "data");
    let calls = [1, 2, 3, 4, 5, 100, 3];
    assert_eq!(by_row.len(), calls.len());
    let answer = desk.json("patterns data --json");
    let file = &answer["files"][0];
    assert_eq!(answer["files"].as_array().unwrap().len(), 1);
    let all: u64 = by_row.values().sum();
    assert_eq!(all, calls.iter().map(|n| n + 1).sum::<u64>());
    assert_eq!(file["patterns"]["recorded"]["events"], all);
    // The other thread's calls are none of the scope's.
    assert_eq!(file["patterns"]["recorded"]["threads"], 1);
    // Each call has its own: itself, and a leaf for each round.
    let own: Vec<u64> = file["scope_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["to"].as_u64().unwrap() - call["from"].as_u64().unwrap())
        .collect();
    assert_eq!(own, calls.map(|n| n + 1));
    // What is between is left out, and told: the rounds of noise and main of one thread, the lambda and its rounds of the other.
    let left_out = file["patterns"]["recorded"]["left_out"].as_u64().unwrap();
    assert!(left_out > 35 + 1 + 50, "{left_out}");
    assert!(!answer.to_string().contains("noise"), "{answer}");
    let shown = desk.run("patterns data");
    assert!(
        shown
            .stdout
            .contains("events within 7 calls of the scope alone"),
        "{}",
        shown.stdout
    );
    let collapsed = desk.run("patterns data --export collapsed -o -");
    assert!(
        collapsed.stdout.contains("Scoped.leaf(int) 118") && !collapsed.stdout.contains("main"),
        "{}",
        collapsed.stdout
    );
    // The two texts have no place for marks, which is said.
    let texts = desk.run("patterns data --export text -o texts");
    assert_eq!(texts.code, 0, "{}", texts.stderr);
    assert!(
        texts
            .stderr
            .contains("where 7 calls of the scope begin and end is left out"),
        "{}",
        texts.stderr
    );
}

/// Each call of `work` has three events. Nothing stands between the calls, or one event with an argument.
const OFTEN: &str = r"
public class Often {
    static int leaf(int i) { return i * 3; }
    static int noise(int i) { return i + 3; }
    static int work(int n) { return leaf(n) + leaf(n + 1); }
    public static void main(String[] a) {
        int s = 0;
        for (int i = 0; i < 20_000; i++) { if (a.length > 0) s += noise(i); s += work(i); }
        System.out.println(s);
    }
}
";

#[test]
fn calls_of_a_scope_cost_next_to_no_room() {
    let desk = Desk::new(&[]);
    desk.class("classes", "Often", OFTEN);
    for (gap, argument) in [(0, None), (1, Some("loud"))] {
        room_of_calls(&desk, gap, argument);
    }
}

/// Records [`OFTEN`], with `gap` events between two calls.
fn room_of_calls(desk: &Desk, gap: u64, argument: Option<&str>) {
    let mut command = desk.command(
        "record -o data --force --features calls --scope Often#work --repeat 1 --warmup 0 --samples off",
    );
    command.args(["--", "java", "-cp", "classes", "Often"]);
    command.args(argument);
    let done = ran(command);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let answer = desk.json("patterns data --json");
    let file = &answer["files"][0];
    assert_eq!(file["patterns"]["recorded"]["events"], 60_000);
    let calls = file["scope_calls"].as_array().unwrap();
    assert_eq!(calls.len(), 20_000);
    for (number, call) in calls.iter().enumerate() {
        let from = call["from"].as_u64().unwrap();
        assert_eq!(call["call"], number);
        assert_eq!(call["to"], from + 3);
        let before = number.checked_sub(1).map(|before| &calls[before]["to"]);
        assert!(before.is_none_or(|to| *to == from - gap), "{call}");
    }
    // A frame for each mark and each call's events took 1.3 MB.
    let sizes = walk(&desk.path("data"))
        .into_iter()
        .filter(|path| {
            let bytes = std::fs::read(path).unwrap();
            bytes.starts_with(b"pricetag-events")
        })
        .map(|path| std::fs::metadata(path).unwrap().len())
        .collect::<Vec<_>>();
    assert!(
        matches!(sizes[..], [size] if size < 10_000),
        "{sizes:?} bytes"
    );
}

/// All files below a folder.
fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(walk(&path));
        } else {
            files.push(path);
        }
    }
    files
}
