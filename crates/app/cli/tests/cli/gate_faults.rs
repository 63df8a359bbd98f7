//! `pricetag gate` where something is wrong beside the program: work done by other processes, agents, benchmarks that hang, two checks at once; prices that lie there; and
//! planted changes that are small.

use std::process::Command;

use crate::support::{Desk, Ran, ran};
use serde_json::Value;

/// Starts itself: with `quick` the child does next to nothing, else a million rounds. With `busy` the parent has work of its own.
const FORKS: &str = r#"
public class Forks {
    static long work(int n) { long s = 0; for (int i = 0; i < n; i++) s += i; return s; }
    public static void main(String[] a) throws Exception {
        if (a[0].equals("child")) { System.out.println(work(Integer.parseInt(a[1]))); return; }
        if (a[0].equals("busy")) System.out.println(work(100000));
        String java = System.getProperty("java.home") + "/bin/java";
        for (int i = 0; i < Integer.parseInt(a[1]); i++)
            new ProcessBuilder(java, "-Xmx64m", "-cp", "classes", "Forks", "child", a[2]).inheritIO().start().waitFor();
        try { new ProcessBuilder("no/such/program").start(); } catch (java.io.IOException e) { System.out.println("none"); }
    }
}
"#;

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

fn desk(class: &str, source: &str) -> Desk {
    let desk = Desk::new(&[]);
    build(&desk, class, source);
    desk
}

fn run(desk: &Desk, line: &str, program: &str) -> Ran {
    let mut command = desk.command(line);
    command.args(["--", "java", "-Xmx64m", "-cp", "classes"]);
    command.args(program.split(' '));
    ran(command)
}

#[test]
fn a_program_that_only_starts_others_has_no_baseline() {
    let desk = desk("Forks", FORKS);
    let recorded = run(
        &desk,
        "gate record -o b.json --no-bytes --runs 2",
        "Forks idle 2 1000000",
    );
    assert_eq!(recorded.code, 3, "{}", recorded.stderr);
    for words in ["starts 2 processes", "JMH: -f 0", "forkCount=0"] {
        assert!(
            recorded.stderr.contains(words),
            "{words}: {}",
            recorded.stderr
        );
    }
    assert!(!desk.path("b.json").exists());
    // Who wants it all the same says so; the file keeps that, and so does `accept`.
    let wanted = run(
        &desk,
        "gate record -o b.json --no-bytes --runs 2 --starts-others",
        "Forks idle 2 10",
    );
    assert_eq!(wanted.code, 0, "{}", wanted.stderr);
    let text = std::fs::read_to_string(desk.path("b.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["setup"]["starts_others"], true);
    let accepted = run(&desk, "gate accept b.json --reason more", "Forks idle 3 10");
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
}

#[test]
fn started_processes_are_told_wherever_counts_are() {
    let desk = desk("Forks", FORKS);
    let two = "processes that the program started: 2; what they execute is not counted";
    let recorded = run(
        &desk,
        "record -o data --repeat 1 --samples off",
        "Forks busy 2 10",
    );
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    assert!(recorded.stderr.contains(two), "{}", recorded.stderr);
    let mined = run(
        &desk,
        "mine -o mined --repeat 2 --samples off",
        "Forks busy 2 10",
    );
    // One run teaches nothing: that is what it fails for, and not for the processes.
    assert_eq!(mined.code, 1, "{}", mined.stderr);
    assert!(
        mined.stderr.contains("at least 2 are needed"),
        "{}",
        mined.stderr
    );
    assert!(mined.stderr.contains(two), "{}", mined.stderr);

    let baseline = run(
        &desk,
        "gate record -o b.json --no-bytes --runs 2",
        "Forks busy 2 10",
    );
    assert_eq!(baseline.code, 0, "{}", baseline.stderr);
    assert!(baseline.stderr.contains(two), "{}", baseline.stderr);
    // What the child does more is not seen: so it is said each time.
    let check = run(&desk, "gate check b.json --json", "Forks busy 2 100000");
    assert_eq!(check.code, 0, "{}", check.stderr);
    let notes = check.json()["notes"].to_string();
    assert!(
        notes.contains("started: `run` 2; what they execute"),
        "{notes}"
    );
    // The loop that starts them is counted, and one process more is told.
    let more = run(&desk, "gate check b.json --json", "Forks busy 3 10");
    assert_eq!(more.code, 3, "{}", more.stderr);
    let notes = more.json()["notes"].to_string();
    assert!(notes.contains("`run` 3 (2 in the baseline)"), "{notes}");
    // None started before, some now: the counts are not whole any more.
    let alone = run(
        &desk,
        "gate record -o c.json --no-bytes --runs 2",
        "Forks busy 0 10",
    );
    assert_eq!(alone.code, 0, "{}", alone.stderr);
    assert!(!alone.stderr.contains("processes that"), "{}", alone.stderr);
    let now = run(&desk, "gate check c.json --json", "Forks busy 1 10");
    assert_eq!(now.code, 3, "{}", now.stderr);
    let problems = now.json()["problems"].to_string();
    assert!(
        problems.contains("are not whole: processes that the program started: 1"),
        "{problems}"
    );
}

/// Small work with a cache, a parser and an array that is handed on.
const SHOP: &str = r#"
import java.util.*;
public class Shop {
    static final Map<Integer, Long> known = new HashMap<>();
    static long price(int item) {
        Long found = known.get(item);
        if (found != null) return found;
        long p = 0;
        for (int i = 0; i < 500; i++) p += (item * 31L + i) % 97;
        known.put(item, p);
        return p;
    }
    static int parse(String text) {
        int sum = 0, number = 0, depth = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= '0' && c <= '9') { number = number * 10 + (c - '0'); continue; }
            if (c == '(') depth++;
            else if (c == ')') depth--;
            else if (c == '-') number = -number;
            sum = sum * 17 + number * depth + (sum >> 3) - (number ^ depth) + (sum & 7) * (depth + 1);
            number = 0;
        }
        return sum;
    }
    static long total(int[] items) {
        long t = 0;
        for (int item : items) t += price(item);
        return t;
    }
    public static void main(String[] a) {
        int[] items = new int[400];
        for (int i = 0; i < items.length; i++) items[i] = i * i % 40;
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 300; i++) text.append("(").append(i % 10).append(")");
        System.out.println(total(items) + parse(text.toString()));
    }
}
"#;

/// What is changed, into what, and the method to blame.
const PLANTED: [(&str, &str, &str, &str); 3] = [
    ("a lost cache", "known.put(item, p);", "", "Shop.price(int)"),
    (
        "a parser that is 2 % slower",
        "if (c == '(') depth++;",
        "if (c == '(') { depth++; number = 0; }",
        "Shop.parse(String)",
    ),
    (
        "an extra copy",
        "long t = 0;",
        "long t = 0; int[] own = new int[items.length]; for (int i = 0; i < own.length; i++) own[i] = items[i]; items = own;",
        "Shop.total(int[])",
    ),
];

#[test]
fn a_lost_cache_a_slower_parser_and_a_copy_are_found() {
    let desk = desk("Shop", SHOP);
    let recorded = run(&desk, "gate record -o b.json --no-bytes --runs 2", "Shop");
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    for (what, from, to, method) in PLANTED {
        assert!(SHOP.contains(from), "{what}");
        build(&desk, "Shop", &SHOP.replacen(from, to, 1));
        let found = run(&desk, "gate check b.json --json", "Shop");
        assert_eq!(found.code, 3, "{what}: {}", found.stderr);
        let found = found.json();
        assert_eq!(found["problems"], Value::Array(Vec::new()), "{what}");
        let changed = &found["difference"]["changed"];
        assert_eq!(changed[0]["name"], method, "{what}: {changed:#}");
        if what.contains("2 %") {
            let instructions = &changed[0]["instructions"];
            let [before, after] = ["before", "after"].map(|of| instructions[of].as_f64().unwrap());
            let slower = after / before - 1.0;
            assert!((0.01..0.03).contains(&slower), "{slower}");
        }
    }
}

#[test]
fn a_benchmark_that_hangs_fails_when_its_time_is_over() {
    let source = |body: &str| {
        format!(
            "public class Slow {{ public static void main(String[] a) throws Exception {{ int s = 0; for (int i = 0; i < 99; i++) s += i; {body} System.out.println(s); }} }}"
        )
    };
    let desk = desk("Slow", &source(""));
    let recorded = run(&desk, "gate record -o b.json --no-bytes --runs 2", "Slow");
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    build(&desk, "Slow", &source("Thread.sleep(600_000);"));
    let begun = std::time::Instant::now();
    let hung = run(&desk, "gate check b.json --json --timeout 3s", "Slow");
    assert_eq!(hung.code, 3, "{}", hung.stderr);
    let problems = hung.json()["problems"].to_string();
    assert!(
        problems.contains("3 s") || problems.contains("3s"),
        "{problems}"
    );
    assert!(begun.elapsed().as_secs() < 120, "{:?}", begun.elapsed());
    let recorded = run(
        &desk,
        "gate record -o c.json --no-bytes --timeout 3s",
        "Slow",
    );
    assert_eq!(recorded.code, 3, "{}", recorded.stderr);
    assert!(!desk.path("c.json").exists());
}

#[test]
fn two_checks_at_once_say_what_each_says_alone() {
    let desk = desk("Shop", SHOP);
    let recorded = run(&desk, "gate record -o b.json --runs 2", "Shop");
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let check = || run(&desk, "gate check b.json --json", "Shop");
    let [one, other] = std::thread::scope(|scope| {
        let both = [scope.spawn(check), scope.spawn(check)];
        both.map(|thread| thread.join().unwrap())
    });
    for ran in [&one, &other] {
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
    let counts = |ran: &Ran| {
        let rows = ran.json()["rows"].as_array().unwrap().clone();
        let of = rows.into_iter().filter(|row| row["metric"] != "bytes");
        of.collect::<Vec<_>>()
    };
    assert_eq!(counts(&one), counts(&other));
    assert_eq!(counts(&one).len(), 2);
}

/// An agent that does nothing.
const AGENT: &str = "public class Looks { public static void premain(String a) { } }";

#[test]
fn another_agent_is_named() {
    let desk = desk("Shop", SHOP);
    build(&desk, "Looks", AGENT);
    std::fs::write(desk.path("m.txt"), "Premain-Class: Looks\n").unwrap();
    let jar = Command::new("jar")
        .args([
            "cfm",
            "jacocoagent.jar",
            "m.txt",
            "-C",
            "classes",
            "Looks.class",
        ])
        .current_dir(desk.path(""))
        .status();
    assert!(jar.expect("a JDK").success());
    let recorded = run(&desk, "gate record -o b.json --no-bytes --runs 2", "Shop");
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let mut command = desk.command("gate check b.json");
    command.args([
        "--",
        "java",
        "-javaagent:jacocoagent.jar=destfile=x",
        "-Xmx64m",
        "-cp",
        "classes",
        "Shop",
    ]);
    let covered = ran(command);
    assert_eq!(covered.code, 3, "{}", covered.stderr);
    assert!(
        covered
            .stdout
            .contains("another agent, jacocoagent.jar, was not there"),
        "{}",
        covered.stdout
    );
    // It is not counted again: another run has the agent, too.
    assert!(
        !covered.stderr.contains("counting again"),
        "{}",
        covered.stderr
    );
    // From the environment, and under another name.
    std::fs::copy(desk.path("jacocoagent.jar"), desk.path("other-1.2.jar")).unwrap();
    let mut command = desk.command("gate check b.json");
    command.args(["--", "java", "-Xmx64m", "-cp", "classes", "Shop"]);
    command.env("JAVA_TOOL_OPTIONS", "-javaagent:other-1.2.jar=x");
    let covered = ran(command);
    assert_eq!(covered.code, 3, "{}", covered.stderr);
    let told = "another agent, other.jar, was not there";
    assert!(covered.stdout.contains(told), "{}", covered.stdout);
    // A word of the program's own that looks like one, and a debugger, are none.
    let mut command = desk.command("gate check b.json");
    command.args([
        "--",
        "java",
        "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=0",
    ]);
    command.args(["-Xmx64m", "-cp", "classes", "Shop", "-javaagent:none.jar"]);
    let debugged = ran(command);
    assert!(
        !debugged.stdout.contains("another agent"),
        "{}",
        debugged.stdout
    );
}

/// Spins as long as its input says; half as long again with another number.
const SPINS: &str = r"
import java.nio.file.*;
public class Spins {
    static long turn(long x, long rounds) { for (long i = 0; i < rounds; i++) x = x * 6364136223846793005L + 1; return x; }
    public static void main(String[] a) throws Exception {
        System.out.println(turn(1, Files.size(Path.of(a[0])) * 20_000_000L));
    }
}
";

#[test]
fn prices_that_mine_left_here_are_taken_and_the_answer_ends_with_a_worth() {
    let desk = Desk::new(&[("1", "x"), ("2", "xx"), ("3", "xxxx")]);
    build(&desk, "Spins", SPINS);
    let line = |line: &str| run(&desk, &format!("{line} --inputs in/*"), "Spins {}");
    let without = line("gate record -o a.json --no-bytes --runs 2");
    assert_eq!(without.code, 0, "{}", without.stderr);
    assert!(
        without
            .stderr
            .contains("no prices: what a change is worth in time cannot be told. `pricetag mine`"),
        "{}",
        without.stderr
    );
    let mined = line("mine --repeat 2 --samples all --target cpu");
    assert_eq!(mined.code, 0, "{}", mined.stderr);
    let recorded = line("gate record -o b.json --no-bytes --runs 2");
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    assert!(
        recorded
            .stderr
            .contains("prices: of pricetag-data/model.json"),
        "{}",
        recorded.stderr
    );
    let text = std::fs::read_to_string(desk.path("b.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(file["prices"]["model"], "pricetag-data/model.json");
    build(&desk, "Spins", &SPINS.replace("20_000_000L", "30_000_000L"));
    let found = run(&desk, "gate check b.json --json", "Spins {}");
    assert_eq!(found.code, 3, "{}", found.stderr);
    let found = found.json();
    let first = &found["difference"]["changed"][0];
    assert_eq!(first["name"], "Spins.turn(long, long)");
    // Seven times ten million rounds more: a processor does not do them in a millisecond, nor takes it a minute.
    let worth = first["worth"]["cost"].as_f64().unwrap();
    assert!((1e6..6e10).contains(&worth), "{first:#}");
    // The model of another program prices nothing, and that is said.
    let other = "public class Other { public static void main(String[] a) { int s = 0; for (int i = 0; i < 99; i++) s += i; System.out.println(s); } }";
    build(&desk, "Other", other);
    let foreign = run(&desk, "gate record -o c.json --no-bytes --runs 2", "Other");
    assert_eq!(foreign.code, 0, "{}", foreign.stderr);
    assert!(
        foreign.stderr.contains("knows no method of this program"),
        "{}",
        foreign.stderr
    );
}

#[test]
fn a_small_method_is_blamed_at_its_line() {
    let desk = desk("Shop", SHOP);
    let recorded = run(
        &desk,
        "gate record -o b.json --no-bytes --runs 2 --share 60%",
        "Shop",
    );
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let text = std::fs::read_to_string(desk.path("b.json")).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    assert!(file["others"]["Shop.total([I)J"].is_object(), "{text}");
    let (_, from, to, _) = PLANTED[2];
    let slower = SHOP.replacen(from, to, 1);
    build(&desk, "Shop", &slower);
    std::fs::create_dir(desk.path("src")).unwrap();
    std::fs::write(desk.path("src/Shop.java"), &slower).unwrap();
    let found = run(&desk, "gate check b.json --annotations", "Shop");
    assert_eq!(found.code, 3, "{}", found.stderr);
    let line = slower.lines().position(|l| l.contains(to)).unwrap() + 1;
    let place = format!(
        "::error file=src/Shop.java,line={line},title=pricetag gate::Shop.total(int[]) executes "
    );
    assert!(found.stdout.contains(&place), "{place} in {}", found.stdout);
}

#[test]
fn of_bytes_alone_no_method_is_blamed() {
    let source = |size: &str| {
        format!(
            "public class Takes {{ public static void main(String[] a) {{ byte[] b = new byte[{size}]; for (int i = 0; i < 900; i++) b[i] = 1; System.out.println(b[7]); }} }}"
        )
    };
    let desk = desk("Takes", &source("1000"));
    let recorded = run(&desk, "gate record -o b.json --runs 2", "Takes");
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    build(&desk, "Takes", &source("9000000"));
    let found = run(&desk, "gate check b.json", "Takes");
    assert_eq!(found.code, 3, "{}", found.stderr);
    assert!(
        found.stdout.contains("no method is blamed for them"),
        "{}",
        found.stdout
    );
    assert!(
        found.stderr.contains("gate accept b.json"),
        "{}",
        found.stderr
    );
}

/// Puts another file in the place of the baseline while it is counted.
const WRITES: &str = r#"
import java.nio.file.*;
public class Shop {
    public static void main(String[] a) throws Exception {
        int s = 0;
        for (int i = 0; i < 9000; i++) s += i;
        Files.copy(Path.of("other.json"), Path.of("b.json"), StandardCopyOption.REPLACE_EXISTING);
        System.out.println(s);
    }
}
"#;

#[test]
fn what_another_accepted_meanwhile_is_not_lost() {
    let desk = desk("Shop", SHOP);
    let recorded = run(&desk, "gate record -o b.json --no-bytes --runs 2", "Shop");
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    std::fs::copy(desk.path("b.json"), desk.path("other.json")).unwrap();
    let other = run(&desk, "gate accept other.json --reason theirs", "Shop");
    assert_eq!(other.code, 0, "{}", other.stderr);
    build(&desk, "Shop", WRITES);
    let accepted = run(&desk, "gate accept b.json --reason ours", "Shop");
    assert_eq!(accepted.code, 1, "{}", accepted.stderr);
    assert!(
        accepted.stderr.contains("was changed while"),
        "{}",
        accepted.stderr
    );
    let kept = std::fs::read(desk.path("b.json")).unwrap();
    assert_eq!(kept, std::fs::read(desk.path("other.json")).unwrap());
}

#[test]
fn work_that_moved_to_where_nothing_is_counted_is_no_plain_gain() {
    let source = |find: &str| {
        format!(
            "import java.util.*; public class Finds {{ static final List<Integer> all = new ArrayList<>(); static boolean has(Integer n) {{ {find} }} public static void main(String[] a) {{ for (int i = 0; i < 300; i++) all.add(i); int s = 0; for (int i = 0; i < 300; i++) if (has(i)) s++; System.out.println(s); }} }}"
        )
    };
    let own =
        "for (int i = 0; i < all.size(); i++) if (all.get(i).equals(n)) return true; return false;";
    let desk = desk("Finds", &source(own));
    let recorded = run(&desk, "gate record -o b.json --no-bytes --runs 2", "Finds");
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    build(&desk, "Finds", &source("return all.contains(n);"));
    let less = run(&desk, "gate check b.json --json", "Finds");
    let less = less.json();
    let told = less["notes"].to_string();
    assert!(
        told.contains("List.contains(Object) is called 300 times, and was 0 times"),
        "{less:#}"
    );
}
