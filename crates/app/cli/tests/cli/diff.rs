//! `pricetag diff` on two builds of a program whose differences were planted, with the counts that its loops have.

use std::collections::BTreeSet;
use std::process::Command;

use crate::support::{Desk, ran};
use serde_json::Value;

/// `n` is the length of the input.
const BEFORE: &str = r"
import java.nio.file.*;
import java.util.function.*;
public class Work {
    static long sum(int n) {
        long s = 0;
        for (int i = 0; i < n; i++) s += i;
        return s;
    }
    static long pairs(int n) {
        long s = 0;
        for (int i = 0; i < n; i++) s += i * 3;
        return s;
    }
    static long called(int n, long seed) {
        long s = seed;
        for (int i = 1; i < n; i++) s = s * 31 + n / i;
        return s;
    }
    static long kept(int n) { return n * 2L + 1; }
    static long dropped(int n) { return n * 7L; }
    public static void main(String[] a) throws Exception {
        int n = (int) Files.size(Path.of(a[0]));
        LongUnaryOperator scale = x -> x * 5 + 1;
        long s = sum(n) + pairs(n) + called(n, 3) + kept(n) + dropped(n) + scale.applyAsLong(n);
        System.out.println(s);
    }
}
";

/// One loop goes round twice as often, one is quadratic, a method has another name, one is gone, one is new, and a lambda stands before the old one.
const AFTER: &str = r"
import java.nio.file.*;
import java.util.function.*;
public class Work {
    static long sum(int n) {
        long s = 0;
        for (int i = 0; i < 2 * n; i++) s += i;
        return s;
    }
    // A comment moves the lines.
    static long pairs(int n) {
        long s = 0;
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += i * 3;
        return s;
    }
    static long renamed(int n, long seed) {
        long s = seed;
        for (int i = 1; i < n; i++) s = s * 31 + n / i;
        return s;
    }
    static long kept(int n) { return n * 2L + 1; }
    static long added(int n) { return n * 11L - 4; }
    public static void main(String[] a) throws Exception {
        int n = (int) Files.size(Path.of(a[0]));
        LongUnaryOperator shift = x -> x - 9;
        LongUnaryOperator scale = x -> x * 5 + 1;
        long s = sum(n) + pairs(n) + renamed(n, 3) + kept(n) + added(n) + scale.applyAsLong(shift.applyAsLong(n));
        System.out.println(s);
    }
}
";

const SIZES: [usize; 6] = [10, 20, 40, 80, 160, 320];

fn build(desk: &Desk, name: &str, source: &str) {
    let folder = desk.path(name);
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("Work.java"), source).unwrap();
    let javac = Command::new("javac")
        .arg("-g")
        .arg("-d")
        .arg(&folder)
        .arg(folder.join("Work.java"))
        .status();
    assert!(javac.expect("a JDK").success());
}

fn record(desk: &Desk, of: &str, to: &str) {
    record_with(desk, of, to, "--samples off");
}

fn record_with(desk: &Desk, of: &str, to: &str, options: &str) {
    let mut command = desk.command(&format!(
        "record -o {to} --repeat 1 {options} --inputs in/*"
    ));
    command
        .args(["--", "java", "-cp"])
        .arg(desk.path(of))
        .args(["Work", "{}"]);
    let done = ran(command);
    assert_eq!(done.code, 0, "{}", done.stderr);
}

fn desk() -> Desk {
    let texts = SIZES.map(|n| (format!("{n:03}"), "x".repeat(n)));
    let inputs = texts
        .each_ref()
        .map(|(name, text)| (name.as_str(), text.as_str()));
    let desk = Desk::new(&inputs);
    build(&desk, "old", BEFORE);
    record(&desk, "old", "before");
    desk
}

fn method<'v>(found: &'v Value, name: &str) -> &'v Value {
    let changed = found["changed"].as_array().unwrap();
    let method = changed.iter().find(|m| m["name"] == name);
    method.unwrap_or_else(|| panic!("{name} in {found:#}"))
}

#[test]
fn planted_changes_are_found_with_their_counts() {
    let desk = desk();
    build(&desk, "new", AFTER);
    record(&desk, "new", "after");
    let found = desk.json("diff before after --json");
    assert_eq!(found["inputs"], 6);
    let names = |kind: &str| -> BTreeSet<&str> {
        let changed = found["changed"].as_array().unwrap().iter();
        let of_kind = changed.filter(|m| m["kind"] == kind);
        of_kind.map(|m| m["name"].as_str().unwrap()).collect()
    };
    assert_eq!(names("gone"), ["Work.dropped(int)"].into());
    assert_eq!(
        names("new"),
        ["Work.added(int)", "Work.lambda$main$0(long)"].into()
    );
    assert_eq!(
        names("changed"),
        ["Work.main(String[])", "Work.pairs(int)", "Work.sum(int)"].into(),
        "what was renamed, moved or renumbered and does the same is no change"
    );
    let n: usize = SIZES.iter().sum();
    let squares: usize = SIZES.iter().map(|n| n * n).sum();
    let ran = |block: &Value| {
        (
            block["executions"]["before"].as_f64().unwrap(),
            block["executions"]["after"].as_f64().unwrap(),
        )
    };
    let blocks = |name: &str| -> Vec<(f64, f64)> {
        method(&found, name)["blocks"]
            .as_array()
            .unwrap()
            .iter()
            .map(ran)
            .collect()
    };
    let (n, squares) = (n as f64, squares as f64);
    assert!(
        blocks("Work.sum(int)").contains(&(n, 2.0 * n)),
        "{:?}",
        blocks("Work.sum(int)")
    );
    let inner = blocks("Work.pairs(int)");
    assert!(inner.iter().any(|ran| ran.1 == squares), "{inner:?}");
    let growth = &method(&found, "Work.pairs(int)")["growth"];
    assert!(
        growth["input"].as_str().unwrap().contains("bytes"),
        "{growth}"
    );
    assert!(
        (growth["before"].as_f64().unwrap() - 1.0).abs() < 0.2
            && (growth["after"].as_f64().unwrap() - 2.0).abs() < 0.2,
        "{growth}"
    );
    assert_eq!(
        found["changed"][0]["name"], "Work.pairs(int)",
        "the most first"
    );
    // Without prices it says so.
    let text = desk.run("diff before after");
    assert!(
        text.stdout.contains("no prices") && text.stdout.contains("Work.pairs(int)"),
        "{}",
        text.stdout
    );
    let markdown = desk.run("diff before after --format markdown").stdout;
    assert!(
        markdown.contains("| method | calls | instructions | worth |"),
        "{markdown}"
    );
    is_told_as_page(&desk);
}

/// The page says what the text says, with a bar to each line.
fn is_told_as_page(desk: &Desk) {
    let told = desk.run("diff before after --report change.html");
    assert_eq!(told.code, 0, "{}", told.stderr);
    let page = std::fs::read_to_string(desk.path("change.html")).unwrap();
    for line in told.stdout.lines().filter(|line| line.contains("Work.")) {
        let name = line.trim().split("  ").next().unwrap();
        assert!(
            page.contains(&format!("<td class=\"name\">{name}")),
            "{name} in {page}"
        );
    }
    assert!(
        page.contains("instructions over the 6 inputs both ran"),
        "{page}"
    );
    // One bar to each method, and the largest difference is as long as its place.
    let bars = page.matches("<td class=\"delta\">").count();
    assert_eq!(bars, page.matches("<tr ").count());
    assert_eq!(page.matches("{ width: 100.0000% }").count(), 1);
}

/// Weights of the stacks through a method in a file of collapsed lines.
fn weights(desk: &Desk, file: &str, method: &str) -> [u64; 2] {
    let text = std::fs::read_to_string(desk.path(file)).unwrap();
    let mut sum = [0; 2];
    for line in text.lines() {
        let mut words = line.rsplitn(3, ' ');
        let [after, before] = [(); 2].map(|()| words.next().unwrap().parse::<u64>().unwrap());
        if words.next().unwrap().split(';').any(|f| f == method) {
            sum = [sum[0] + before, sum[1] + after];
        }
    }
    sum
}

#[test]
fn exact_counts_of_both_builds_are_exported_for_viewers() {
    let desk = desk();
    build(&desk, "new", AFTER);
    record(&desk, "new", "after");
    let found = desk.json("diff before after --json");
    for (viewer, file) in [
        ("collapsed", "both.folded"),
        ("speedscope", "both.json"),
        ("pprof", "both.pb"),
    ] {
        let done = desk.run(&format!("diff before after --export {viewer} -o {file}"));
        assert_eq!(done.code, 0, "{viewer}: {}", done.stderr);
        assert!(
            done.stderr.contains("of both written to"),
            "{}",
            done.stderr
        );
    }
    // The same numbers as in the answer, exactly.
    for name in ["Work.sum(int)", "Work.pairs(int)", "Work.dropped(int)"] {
        let told = &method(&found, name)["instructions"];
        let told = ["before", "after"].map(|side| told[side].as_f64().unwrap() as u64);
        assert_eq!(weights(&desk, "both.folded", name), told, "{name}");
    }
    // What is renamed is one method.
    let renamed = weights(&desk, "both.folded", "Work.renamed(int,long)");
    let renamed = if renamed == [0, 0] {
        weights(&desk, "both.folded", "Work.renamed(int, long)")
    } else {
        renamed
    };
    assert!(renamed[0] > 0 && renamed[0] == renamed[1], "{renamed:?}");
    let text = std::fs::read_to_string(desk.path("both.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let ends = [0, 1].map(|p| file["profiles"][p]["endValue"].as_u64().unwrap());
    let all = ["before", "after"].map(|side| found["instructions"][side].as_f64().unwrap() as u64);
    assert_eq!(ends, all, "all instructions are in the profiles");
    assert!(std::fs::metadata(desk.path("both.pb")).unwrap().len() > 100);
    // Standard output is the file, and nothing else.
    let printed = desk.run("diff before after --export collapsed -o -");
    assert_eq!(printed.code, 0, "{}", printed.stderr);
    let written = std::fs::read_to_string(desk.path("both.folded")).unwrap();
    assert_eq!(printed.stdout, written);
    assert!(!desk.path("-").exists());
    let mixed = desk.run("diff before after --export collapsed -o - --json");
    assert_eq!(mixed.code, 2, "{}", mixed.stderr);
    let alone = desk.run("diff before after --weight time");
    assert_eq!(alone.code, 2, "{}", alone.stderr);
    assert!(alone.stderr.contains("--export"), "{}", alone.stderr);
    let timed = desk.run("diff before after --export pprof -o t.pb --weight time");
    assert_eq!(timed.code, 1);
    assert!(
        timed.stderr.contains("no input was sampled in both"),
        "{}",
        timed.stderr
    );
}

#[test]
fn with_a_model_a_change_has_its_price() {
    let desk = desk();
    build(&desk, "new", AFTER);
    record(&desk, "new", "after");
    // So short a program may have no sample, and no price, when the machine is busy.
    let priced = || {
        record_with(&desk, "old", "before", "--samples all --force");
        let fitted = desk.run("fit before --method nnls --train 100%");
        assert_eq!(fitted.code, 0, "{}", fitted.stderr);
        let found = desk.json("diff before after --json");
        let changed = found["changed"].as_array().unwrap();
        let any = changed.iter().any(|method| method["worth"].is_object());
        any.then_some(found)
    };
    let found = (0..5)
        .find_map(|_| priced())
        .expect("some method has a price");
    let changed = found["changed"].as_array().unwrap();
    let priced = changed.iter().filter(|m| m["worth"].is_object());
    let signs: Vec<(f64, f64)> = priced
        .map(|m| {
            let of = |side: &str| m["instructions"][side].as_f64().unwrap();
            (
                of("after") - of("before"),
                m["worth"]["cost"].as_f64().unwrap(),
            )
        })
        .collect();
    assert!(!signs.is_empty(), "{found:#}");
    assert!(
        signs.iter().all(|(delta, worth)| delta * worth >= 0.0),
        "{signs:?}"
    );
    assert!(
        found["target"].is_string() && found["unit"] == "ns",
        "{found}"
    );
}

#[test]
fn one_build_recorded_twice_is_the_same() {
    let desk = desk();
    record(&desk, "old", "again");
    let found = desk.json("diff before again --json");
    assert_eq!(found["changed"], Value::Array(Vec::new()));
    assert_eq!(found["settings"], Value::Array(Vec::new()));
    assert_eq!(
        found["instructions"]["before"],
        found["instructions"]["after"]
    );
    let text = desk.run("diff before again").stdout;
    assert!(
        text.contains("every count that repeats is the same"),
        "{text}"
    );
}

#[test]
fn what_cannot_be_compared_is_told() {
    let desk = desk();
    let other = Desk::new(&[("other", "x")]);
    build(&other, "old", BEFORE);
    record(&other, "old", "before");
    let path = other.path("before");
    let compared = desk.run(&format!("diff before {}", path.display()));
    assert_eq!(compared.code, 1);
    for part in [
        "no input of one is an input of the other",
        "010 and other",
        "record both over the same inputs",
    ] {
        assert!(
            compared.stderr.contains(part),
            "{part} in {}",
            compared.stderr
        );
    }
    let absent = desk.run("diff before nowhere");
    assert!(
        absent.code == 1 && absent.stderr.contains("nowhere"),
        "{}",
        absent.stderr
    );
}

#[test]
fn stacks_of_both_builds_make_a_differential_flame_graph() {
    let source = |rounds: u64| {
        format!(
            "public class Work {{
                static long turn(long x, long rounds) {{ for (long i = 0; i < rounds; i++) x = x * 6364136223846793005L + 1; return x; }}
                static long left(long x) {{ return turn(x, 40_000_000L); }}
                static long right(long x) {{ return turn(x, {rounds}L); }}
                public static void main(String[] a) {{ System.out.println(left(1) + right(2)); }}
            }}"
        )
    };
    let desk = Desk::new(&[("one", "x"), ("two", "y")]);
    build(&desk, "old", &source(40_000_000));
    build(&desk, "new", &source(160_000_000));
    record_with(&desk, "old", "before", "--samples all");
    record_with(&desk, "new", "after", "--samples all");
    let done = desk.run("diff before after --stacks both.folded");
    assert_eq!(done.code, 0, "{}", done.stderr);
    let text = std::fs::read_to_string(desk.path("both.folded")).unwrap();
    // As a flame graph reads it: frames, a space, the time before, a space, the time after.
    let of = |method: &str| {
        let mut sum = [0.0; 2];
        for line in text.lines() {
            let mut words = line.rsplitn(3, ' ');
            let [after, before] = [(); 2].map(|()| words.next().unwrap().parse::<f64>().unwrap());
            let frames = words.next().unwrap();
            if frames.split(';').any(|frame| frame == method) {
                sum = [sum[0] + before, sum[1] + after];
            }
        }
        sum
    };
    let [[left, still], [right, slower]] = ["Work.left", "Work.right"].map(of);
    assert!(left > 0.0 && right > 0.0, "{text}");
    assert!((0.4..2.5).contains(&(still / left)), "{text}");
    assert!((2.0..8.0).contains(&(slower / right)), "{text}");
    let [inside, _] = of("Work.turn");
    assert!((0.9..=1.01).contains(&(inside / (left + right))), "{text}");

    let timed = desk.run("diff before after --export collapsed -o t.folded --weight time");
    assert_eq!(timed.code, 0, "{}", timed.stderr);
    assert_eq!(
        std::fs::read_to_string(desk.path("t.folded")).unwrap(),
        text
    );

    record_with(&desk, "new", "unsampled", "--samples off");
    let refused = desk.run("diff before unsampled --stacks none.folded");
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("no input was sampled in both"),
        "{}",
        refused.stderr
    );
    assert!(!desk.path("none.folded").exists());
}
