//! `record` on real and unreal subjects: what fails is a row with its reason, or an error that says what to do.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Desk, ran};
use serde_json::Value;

fn reason(outcome: &Value, label: &str) -> String {
    let failed = outcome["failed"].as_array().unwrap();
    let entry = failed.iter().find(|f| f["label"] == format!("in/{label}"));
    entry
        .map(|f| f["reason"].as_str().unwrap().to_owned())
        .unwrap_or_default()
}

#[test]
fn every_failure_is_one_row_with_its_reason() {
    let inputs = [
        ("exit", "exit"),
        ("halt", "halt"),
        ("hang", "hang"),
        ("memory", "memory"),
        ("ok", "10"),
        ("throw", "throw"),
    ];
    let desk = Desk::new(&inputs);
    let ran = desk.watch(
        "record -o data --json --repeat 1 --check-determinism none --timeout 6 --inputs in/*",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let outcome = ran.json();
    assert_eq!(outcome["ok"], 1);
    assert!(
        reason(&outcome, "exit").contains("exit code 7"),
        "{outcome}"
    );
    assert!(
        reason(&outcome, "halt").contains("exit code 9"),
        "{outcome}"
    );
    assert!(
        reason(&outcome, "hang").contains("did not end within 6 s"),
        "{outcome}"
    );
    assert!(
        reason(&outcome, "memory").contains("out of memory"),
        "{outcome}"
    );
    assert!(reason(&outcome, "throw").contains("told to"), "{outcome}");
    let inspection = desk.json("inspect data --json");
    assert_eq!(inspection["observations"]["failed"], 5);
    assert_eq!(inspection["failed"].as_array().unwrap().len(), 5);
}

#[test]
fn a_gigabyte_a_fork_and_garbage_do_no_harm() {
    let desk = Desk::new(&[
        ("fork", "fork"),
        ("garbage", "garbage"),
        ("gigabyte", "gigabyte"),
    ]);
    let begun = Instant::now();
    let ran = desk.watch(
        "record -o data --json --repeat 1 --check-determinism none --timeout 60 --inputs in/*",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["ok"], 3, "{}", ran.stdout);
    assert!(
        begun.elapsed() < Duration::from_secs(100),
        "nobody waits for the forked child"
    );
    let uncertain = desk.json("inspect data --json")["uncertain"].to_string();
    assert!(uncertain.contains("left processes running"), "{uncertain}");
    let size: u64 = walk(&desk.path("data"));
    assert!(size < 10_000_000, "{size} bytes on disk");
}

fn walk(dir: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(dir).unwrap().flatten();
    entries
        .map(|e| {
            if e.path().is_dir() {
                walk(&e.path())
            } else {
                e.metadata().unwrap().len()
            }
        })
        .sum()
}

#[test]
fn no_success_is_a_failure_that_says_why_and_keeps_the_rows() {
    let desk = Desk::new(&[("a", "throw"), ("b", "throw")]);
    let ran = desk.watch("record -o data --repeat 1 --inputs in/*");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("none of 2 observations succeeded") && ran.stderr.contains("told to"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("try:"), "{}", ran.stderr);
    assert_eq!(
        desk.json("inspect data --json")["observations"]["failed"],
        2
    );
}

#[test]
fn what_is_no_java_command_is_told() {
    let desk = Desk::new(&[("a", "1")]);
    for (line, code, what) in [
        (
            "record -o d --inputs in/* -- cat {}",
            1,
            "`cat` is not a Java command",
        ),
        (
            "record -o d --inputs in/* -- /no/such/java {}",
            1,
            "`/no/such/java` was not found",
        ),
        (
            "record -o d --inputs in/* -- no-such-program {}",
            1,
            "was not found on PATH",
        ),
        (
            "record -o d --inputs none/* -- java X {}",
            1,
            "no file matches `none/*` in /",
        ),
        (
            "record -o d --inputs i? -- java X {}",
            1,
            ", but a folder does",
        ),
        ("record -o d --inputs in/* -- java X {name}", 2, "`{name}`"),
        ("record -o d --inputs in/* -- java X", 2, "mentions one"),
        (
            "record -o d --inputs in/[ -- java X {}",
            2,
            "not a valid pattern",
        ),
        ("record -o d", 2, "COMMAND"),
        ("record -o d --repeat 0 -- java X", 2, "--repeat"),
        ("record -o d --features nonsense -- java X", 2, "nonsense"),
        ("record -o d --scope nonsense -- java X", 2, "nonsense"),
        (
            "record -o d --scope A#b+threads --availability -- java X",
            2,
            "of one thread",
        ),
        ("no-such-command", 2, "no-such-command"),
    ] {
        let ran = desk.run(line);
        assert_eq!(ran.code, code, "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(what), "{line}: {}", ran.stderr);
        assert!(
            ran.stdout.is_empty(),
            "{line}: data on standard output: {}",
            ran.stdout
        );
    }
}

#[test]
fn a_missing_or_old_jvm_is_told() {
    let desk = Desk::new(&[("a", "1")]);
    let mut missing = desk.command("record -o d --inputs in/* -- java X {}");
    missing.env("PATH", "/nowhere");
    let missing = ran(missing);
    assert_eq!(missing.code, 1);
    assert!(
        missing
            .stderr
            .contains("`java` was not found on PATH (/nowhere)")
            && missing.stderr.contains("install a JDK"),
        "{}",
        missing.stderr
    );
    let java = desk.path("java");
    std::fs::write(
        &java,
        "#!/bin/sh\necho '    java.version = 1.8.0_292' >&2\n",
    )
    .unwrap();
    std::fs::set_permissions(&java, std::fs::Permissions::from_mode(0o755)).unwrap();
    let old = desk.run("record -o d --inputs in/* -- ./java X {}");
    assert_eq!(old.code, 1);
    assert!(
        old.stderr.contains("is Java 1.8.0_292") && old.stderr.contains("11 or newer"),
        "{}",
        old.stderr
    );
}

#[test]
fn an_output_that_cannot_be_written_is_told_and_nothing_is_overwritten() {
    let desk = Desk::new(&[("a", "1")]);
    let ran = desk.watch("record -o /proc/pricetag --repeat 1 --inputs in/*");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("/proc/pricetag"), "{}", ran.stderr);
    std::fs::create_dir(desk.path("thesis")).unwrap();
    std::fs::write(desk.path("thesis/chapter.tex"), "precious").unwrap();
    let ran = desk.watch("record -o thesis --force --repeat 1 --inputs in/*");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("chapter.tex"), "{}", ran.stderr);
    assert_eq!(
        std::fs::read_to_string(desk.path("thesis/chapter.tex")).unwrap(),
        "precious"
    );
}

#[test]
fn one_observation_can_be_recorded_and_inspected_but_not_learnt_from() {
    let desk = Desk::new(&[("a", "20")]);
    let ran = desk.watch("record -o data --repeat 2 --inputs in/*");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let again = desk.watch("record -o data --inputs in/*");
    assert_eq!(again.code, 1);
    assert!(
        again.stderr.contains("already holds a dataset") && again.stderr.contains("--force"),
        "{}",
        again.stderr
    );
    assert_eq!(desk.json("inspect data --json")["observations"]["ok"], 1);
    let fit = desk.run("fit data -o m.json");
    assert_eq!(fit.code, 1);
    assert!(
        fit.stderr.contains("add inputs") && !desk.path("m.json").exists(),
        "{}",
        fit.stderr
    );
}

#[test]
fn ctrl_c_keeps_finished_runs_and_resume_continues() {
    let inputs: Vec<(String, String)> = (1..=4)
        .map(|i| (format!("f{i}"), (i * 20).to_string()))
        .collect();
    let inputs: Vec<(&str, &str)> = inputs
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let desk = Desk::new(&inputs);
    let line = "record -o data --json --repeat 4 --check-determinism none --inputs in/*";
    let mut first = desk.subject(line);
    let mut child = first
        .arg("{}")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let runs = || {
        let entries = std::fs::read_dir(desk.path("data/.recording"))
            .into_iter()
            .flatten()
            .flatten();
        entries
            .filter(|e| e.file_name().to_string_lossy().contains("-time-0.json"))
            .count()
    };
    let begun = Instant::now();
    while runs() < 2 && begun.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(
        Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(1));
    assert!(desk.path("data/.recording").exists());
    let again = desk.watch(line);
    assert_eq!(again.code, 1, "it must not start over unasked");
    assert!(again.stderr.contains("--resume"), "{}", again.stderr);
    let other = desk.watch(&format!("{line} --resume --jit off"));
    assert_eq!(other.code, 1);
    assert!(
        other.stderr.contains("`jit`") || other.stderr.contains("`flags`"),
        "{}",
        other.stderr
    );
    let mut resume = desk.subject(&format!("{line} --resume"));
    resume.arg("{}").env("PRICETAG_CACHE", desk.path("cache"));
    let resumed = ran(resume);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(resumed.json()["ok"], 4);
    assert!(!desk.path("data/.recording").exists());
    assert!(
        !desk.path("cache").exists(),
        "another version may have begun it, whose plans are not for others"
    );
    let inspection = desk.json("inspect data --json");
    let wall = inspection["costs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|c| c["name"] == "wall")
        .unwrap();
    assert_eq!(wall["repeats"], 4);
}

/// HotSpot drops what rewriting needs of methods of the JDK that have jumps, where it does not verify them.
#[test]
fn loops_of_the_jdk_are_counted() {
    let desk = Desk::new(&[]);
    let program = "import java.util.*; public class Has { public static void main(String[] a) { Collection<Integer> l = new ArrayList<>(); for (int i = 0; i < 100; i++) l.add(i); int n = 0; for (int i = 0; i < 50; i++) if (l.contains(99)) n++; System.out.println(n); } }";
    desk.class(".", "Has", program);
    let ran = desk.run(
        "record -o data --repeat 1 --samples off --check-determinism none --count-jdk --include java.util.ArrayList --include Has -- java -cp . Has",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let exported = desk.run("export data --format csv -o -");
    let mut rows = csv::Reader::from_reader(exported.stdout.as_bytes());
    let names = rows.headers().unwrap().clone();
    let row = rows.records().next().unwrap().unwrap();
    let is = |name: &str| {
        name.starts_with("java.util.ArrayList.indexOfRange(") && name.contains(" block ")
    };
    let cells = names.iter().zip(row.iter()).filter(|(name, _)| is(name));
    let most = cells
        .filter_map(|(_, cell)| cell.parse::<f64>().ok())
        .fold(0.0, f64::max);
    // Fifty searches of a hundred elements.
    assert!((5_000.0..=5_050.0).contains(&most), "{most} in {names:?}");
}

/// A program that compiles something is not the compiler; the compiler is counted where it is asked for.
#[test]
fn tools_of_the_jdk_are_counted_when_they_are_named() {
    let desk = Desk::new(&[]);
    let program = "import javax.tools.*; public class Compile { public static void main(String[] a) { ToolProvider.getSystemJavaCompiler().run(null, null, null, \"-d\", \".\", a[0]); } }";
    desk.class(".", "Compile", program);
    let classes = |options: &str, command: &str| {
        let line = format!(
            "record -o data --force --repeat 1 --samples off --check-determinism none {options} -- {command}"
        );
        let ran = desk.run(&line);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let list = desk.run("inspect data --list methods").stdout;
        let classes: BTreeSet<String> = list
            .lines()
            .filter_map(|method| Some(method.split_once('.')?.0.to_owned()))
            .collect();
        (classes, ran.stderr)
    };
    let (own, _) = classes("", "java -cp . Compile Compile.java");
    assert_eq!(own, BTreeSet::from(["Compile".to_owned()]));
    let named = "--include com.sun.tools.javac.parser.**";
    let (parser, _) = classes(named, "java -cp . Compile Compile.java");
    assert!(
        parser.len() > 5
            && parser
                .iter()
                .all(|c| c.starts_with("com/sun/tools/javac/parser/")),
        "{parser:?}"
    );
    let (none, said) = classes("", "javac -d . Compile.java");
    assert!(
        none.is_empty() && said.contains("no class of the program was counted"),
        "{said}"
    );
}

#[test]
fn launchers_other_than_java_are_instrumented_too() {
    let desk = Desk::new(&[("A.java", "class A { int f(int x) { return x + 1; } }")]);
    let javac = desk.run("record -o data --json --repeat 1 --include com.sun.tools.javac.** --count-jdk --inputs in/* -- javac -d out {}");
    assert_eq!(javac.code, 0, "{}", javac.stderr);
    let outcome = javac.json();
    assert!(
        outcome["ok"] == 1 && outcome["features"].as_u64().unwrap() > 1000,
        "{outcome}"
    );
    let script = desk.path("run.sh");
    std::fs::write(&script, "#!/bin/sh\nexec java -cp out \"$@\"\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let launched = desk.run("record -o data2 --json --repeat 1 -- ./run.sh A");
    assert_eq!(launched.code, 1, "A has no main: {}", launched.stdout);
    assert!(
        launched.stderr.contains("none of 1 observations")
            && launched.stderr.contains("exit code 1"),
        "{}",
        launched.stderr
    );
}

/// The options behind `-agentpath` of every run of a class that got some, and whether it was to count; `before` is shell code in front of each.
fn launched(desk: &Desk, line: &str, before: &str, class: &str) -> Vec<(bool, String)> {
    let java = desk.path("java");
    let log = desk.path("log");
    let _ = std::fs::remove_file(&log);
    // The file of options is gone when the run is over.
    let noted =
        "file=${1#*=}\ncase $1 in -agentpath:*) echo \"$(grep mode= \"$file\") $*\" >>log ;; esac";
    let script = format!("#!/bin/sh\n{noted}\n{before}\nexec java \"$@\"\n");
    std::fs::write(&java, script).unwrap();
    std::fs::set_permissions(&java, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = desk.command(&format!(
        "record -o data --force --repeat 2 --samples off --check-determinism none --inputs in/* {line}"
    ));
    command
        .args(["--", "./java", "-cp"])
        .arg(crate::support::classes());
    let outcome = ran({
        command.args([class, "{}"]);
        command
    });
    assert_eq!(outcome.code, 0, "{line}: {}", outcome.stderr);
    let log = std::fs::read_to_string(log).unwrap();
    let runs = log.lines().filter_map(|run| run.strip_prefix("mode="));
    runs.filter_map(|run| run.split_once(' '))
        .map(|(mode, options)| (mode == "count", options.to_owned()))
        .collect()
}

/// Of every counting run, in their order, whether it is optimised later and whether only the first compiler is used; no other run may be either.
fn compiled(runs: &[(bool, String)]) -> Vec<(bool, bool)> {
    let how = |options: &str| {
        let has = |option| options.contains(option);
        (has("-XX:Tier4Invocation"), has("-XX:TieredStopAtLevel=1"))
    };
    let of = |counts| runs.iter().filter(move |run| run.0 == counts);
    assert!(
        of(false).all(|run| how(&run.1) == (false, false)),
        "{runs:?}"
    );
    of(true).map(|run| how(&run.1)).collect()
}

const LATE: (bool, bool) = (true, false);
const SHORT: (bool, bool) = (false, true);
const AS_ALWAYS: (bool, bool) = (false, false);
/// What never ends when it is not optimised.
const SLOW: &str = "case \"$*\" in *Level=1*) exec sleep 600 ;; esac";

#[test]
fn runs_that_are_only_counted_are_compiled_for_short_ones_or_optimised_later() {
    let desk = Desk::new(&[("a", "5"), ("b", "9"), ("c", "2")]);
    let runs = launched(&desk, "", "", "Sums");
    assert_eq!(compiled(&runs), [SHORT, SHORT, SHORT]);
    let counted: Vec<bool> = runs.iter().map(|run| run.0).collect();
    let timed = [false; 5];
    assert_eq!(counted[..4], [false, true, true, true], "a timed run tells");
    assert_eq!(counted[4..], timed);
    for otherwise in ["--timing same", "--jit off"] {
        let runs = compiled(&launched(&desk, otherwise, "", "Sums"));
        assert!(!runs.is_empty(), "{otherwise}");
        assert!(
            runs.iter().all(|run| *run == AS_ALWAYS),
            "{otherwise}: {runs:?}"
        );
    }
    // What is not over in time was not short.
    let runs = launched(&desk, "--timeout 8", SLOW, "Sums");
    assert_eq!(compiled(&runs), [SHORT, LATE, LATE, LATE]);
}

#[test]
fn a_timed_run_tells_how_long_a_program_is_before_any_is_counted() {
    for (input, expected) in [("5", SHORT), ("nap", LATE)] {
        let desk = Desk::new(&[("a", input)]);
        let runs = launched(&desk, "--cache none", "", "Sums");
        assert_eq!((!runs[0].0, compiled(&runs)), (true, vec![expected]));
    }
}

/// The JVM finds native methods by way of its own hash tables, which ask for their counters by native methods.
#[test]
fn the_tables_in_which_the_jvm_looks_natives_up_can_be_counted() {
    let desk = Desk::new(&[("a", "5")]);
    for more in [
        "",
        "--features blocks,values,exceptions --lengths --availability",
    ] {
        let line = format!(
            "record -o data --force --json --repeat 1 --count-jdk --include java.** {more}"
        );
        let counted = desk.watch(&format!("{line} --inputs in/*"));
        assert_eq!(counted.code, 0, "{more}: {}", counted.stderr);
        assert_eq!(counted.json()["ok"], 1);
        let table = desk.path("t.csv");
        assert_eq!(desk.run("export data --format csv -o t.csv").code, 0);
        let text = std::fs::read_to_string(table).unwrap();
        assert!(
            text.contains("java.util.concurrent.ConcurrentHashMap.put("),
            "{more}"
        );
    }
}

#[test]
fn a_scope_yields_one_row_per_invocation() {
    let desk = Desk::new(&[("a", "calls")]);
    let ran =
        desk.watch("record -o data --json --scope Sums#sum --repeat 2 --warmup 20 --inputs in/*");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let outcome = ran.json();
    assert_eq!(
        (&outcome["ok"], &outcome["warm_up"]),
        (&Value::from(100), &Value::from(20)),
        "{outcome}"
    );
    let table = desk.path("t.csv");
    assert_eq!(desk.run("export data --format csv -o t.csv").code, 0);
    let mut table = csv::Reader::from_path(table).unwrap();
    let header = table.headers().unwrap().clone();
    let argument = header
        .iter()
        .position(|h| h == "n")
        .expect("the argument is an input feature under the parameter's name");
    let loops = header
        .iter()
        .position(|h| h.contains("loop 0"))
        .expect("the loop is counted");
    for row in table.records() {
        let row = row.unwrap();
        let number = |at: usize| row[at].parse::<u64>().unwrap();
        assert_eq!(
            number(loops),
            number(argument) + 1,
            "the loop's test runs once more than its body: {row:?}"
        );
    }
    let never = desk.watch("record -o never --scope Sums#nothing --repeat 1 --inputs in/*");
    assert_eq!(never.code, 1);
    assert!(
        never.stderr.contains("`Sums#nothing` was not invoked"),
        "{}",
        never.stderr
    );
}

#[test]
fn standard_input_and_tables_are_workloads() {
    let desk = Desk::new(&[("a", "5"), ("b", "50")]);
    std::fs::write(desk.path("w.csv"), "file,size\nin/a,5\nin/b,50\n").unwrap();
    let mut fed = desk.subject("record -o data --json --repeat 1 --workload w.csv --stdin {file}");
    fed.env("IGNORED", "1");
    let fed = ran(fed);
    assert_eq!(fed.code, 0, "{}", fed.stderr);
    assert_eq!(fed.json()["ok"], 2);
    assert_eq!(desk.run("export data --format csv -o t.csv").code, 0);
    let header = std::fs::read_to_string(desk.path("t.csv"))
        .unwrap()
        .lines()
        .next()
        .unwrap()
        .to_owned();
    for column in ["size", "file.bytes", "file.lines"] {
        assert!(header.split(',').any(|c| c == column), "{header}");
    }
}

/// The subject under a limit of 512-byte blocks for every file, which is met as a full disk is: by writes that fail.
fn limited(desk: &Desk, line: &str, blocks: u32) -> Command {
    let whole = desk.subject(line);
    let mut command = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    command.arg("-c").arg(script).arg(whole.get_program());
    command.args(whole.get_args()).arg("{}");
    if let Some(place) = whole.get_current_dir() {
        command.current_dir(place);
    }
    for (name, value) in whole.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

#[test]
fn a_disk_that_fills_up_ends_the_recording_and_resume_finishes_it() {
    let desk = Desk::new(&[("a", "10"), ("b", "20")]);
    let line = "record -o data --repeat 1 --check-determinism none --count-jdk --include java.util.** --inputs in/*";
    let ended = ran(limited(&desk, line, 40));
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    for said in [
        "cannot write",
        "File too large",
        "free some space",
        "--resume",
    ] {
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
    assert!(!desk.path("data/meta.json").exists());
    let resumed = desk.watch(&format!("{line} --json --resume"));
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(resumed.json()["ok"], 2);
}
