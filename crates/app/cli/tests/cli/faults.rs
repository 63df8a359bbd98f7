//! Faults that users met: what is wrong is said, in the right words, and nothing is lost or run that should not be.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{Desk, classes, ran};

const RECORD: &str = "record -o data --repeat 1 --check-determinism none --inputs in/*";

fn table(rows: u32) -> String {
    let rows = (1..=rows).map(|n| format!("{n},{}\n", n * 31 + n % 3));
    std::iter::once("n,time\n".to_owned()).chain(rows).collect()
}

/// A desk with a table, a dataset of it and a model.
fn fitted() -> Desk {
    let desk = Desk::new(&[("f1", "20")]);
    std::fs::write(desk.path("t.csv"), table(40)).unwrap();
    assert_eq!(
        desk.run("import t.csv --target time --unit ns -o a").code,
        0
    );
    assert_eq!(desk.run("fit a --method ols -o m.json").code, 0);
    desk
}

#[test]
fn secrets_of_a_command_are_not_kept() {
    let desk = Desk::new(&[("f1", "20")]);
    let mut command = desk.subject(RECORD);
    command.args(["{}", "--api-key", "hunter2", "--password=hunter3"]);
    assert_eq!(ran(command).code, 0);
    for entry in std::fs::read_dir(desk.path("data")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("hunter"), "{}", path.display());
    }
    let subject = desk.json("inspect data --json")["subject"].to_string();
    assert!(
        subject.contains(r#""--api-key","***","--password=***""#),
        "{subject}"
    );
}

#[test]
fn a_changed_program_is_not_resumed() {
    let desk = Desk::new(&[("f1", "20")]);
    let own = desk.path("classes");
    std::fs::create_dir(&own).unwrap();
    std::fs::copy(classes().join("Sums.class"), own.join("Sums.class")).unwrap();
    let record = |more: &str| {
        let mut command = desk.command(&format!("{RECORD} {more}"));
        command.args(["--", "java", "-cp", "classes", "Sums", "{}"]);
        ran(command)
    };
    assert_eq!(record("").code, 0);
    let again = record("--resume");
    assert!(
        again.code == 0 && again.stderr.contains("nothing was left to run"),
        "{}",
        again.stderr
    );
    let mut bytes = std::fs::read(own.join("Sums.class")).unwrap();
    bytes.push(0);
    std::fs::write(own.join("Sums.class"), bytes).unwrap();
    let refused = record("--resume");
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("option `program` differs"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_damaged_dataset_or_model_is_refused() {
    let desk = fitted();
    for (file, line) in [
        ("a/meta.json", "inspect a"),
        ("m.json", "predict m.json --dataset a"),
    ] {
        let path = desk.path(file);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("\"ns\"", "\"ms\"", 1)).unwrap();
        let refused = desk.run(line);
        assert_eq!(refused.code, 1, "{file}");
        assert!(
            refused.stderr.contains("not what was written"),
            "{}",
            refused.stderr
        );
        std::fs::write(&path, text).unwrap();
        assert_eq!(desk.run(line).code, 0, "{file}");
    }
}

#[test]
fn what_is_left_of_a_dataset_is_damaged_and_not_no_dataset() {
    let desk = fitted();
    let meta = desk.path("a/meta.json");
    let text = std::fs::read(&meta).unwrap();
    std::fs::write(&meta, &text[..text.len() / 2]).unwrap();
    let refused = desk.run("inspect a");
    assert_eq!(refused.code, 1);
    let said = refused.stderr;
    assert!(
        said.contains("meta.json is damaged") && said.contains("restore it"),
        "{said}"
    );
    std::fs::write(&meta, text).unwrap();
    std::fs::remove_file(desk.path("a/counts.parquet")).unwrap();
    let said = desk.run("inspect a").stderr;
    assert!(
        said.contains("counts.parquet is damaged: it is missing"),
        "{said}"
    );
}

#[test]
fn a_flipped_bit_of_a_plan_is_told() {
    let desk = Desk::new(&[("f", "9")]);
    let source = "public class P { public static void main(String[] a) { System.out.println(a[0].length()); } }";
    desk.class(".", "P", source);
    let recorded = desk.run("record -o data --repeat 1 --samples off -- java -cp . P x");
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let notes = |desk: &Desk| desk.json("inspect data --json")["notes"].to_string();
    assert!(!notes(&desk).contains("damaged"), "{}", notes(&desk));
    let plans = std::fs::read_dir(desk.path("data/plans")).unwrap();
    let file = plans.map(|entry| entry.unwrap().path()).next().unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    // In the key by which the plan is looked for: it would only seem not to be there.
    bytes[20] ^= 4;
    std::fs::write(&file, bytes).unwrap();
    let told = notes(&desk);
    assert!(
        told.contains("checksum") && told.contains("what is damaged"),
        "{told}"
    );
}

#[test]
fn a_page_of_somebody_elses_is_not_replaced() {
    let desk = fitted();
    let line = "report m.json --dataset a -o page.html";
    for _ in 0..2 {
        assert_eq!(desk.run(line).code, 0);
    }
    std::fs::write(desk.path("page.html"), "<p>mine</p>").unwrap();
    let refused = desk.run(line);
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("no report of Pricetag"),
        "{}",
        refused.stderr
    );
    let kept = std::fs::read_to_string(desk.path("page.html")).unwrap();
    assert_eq!(kept, "<p>mine</p>");
    std::fs::write(desk.path("input.txt"), "3 words here").unwrap();
    let refused = desk.run("fit a --method ols -o input.txt");
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("no model of Pricetag"),
        "{}",
        refused.stderr
    );
    assert_eq!(desk.run("fit a --method ols -o m.json").code, 0);
}

#[test]
fn a_model_says_that_a_dataset_is_not_its_own() {
    let desk = fitted();
    std::fs::write(desk.path("u.csv"), table(60)).unwrap();
    assert_eq!(
        desk.run("import u.csv --target time --unit ns -o b").code,
        0
    );
    let own = desk.run("explain m.json --dataset a");
    assert!(
        own.code == 0 && !own.stderr.contains("another dataset"),
        "{}",
        own.stderr
    );
    let other = desk.run("explain m.json --dataset b");
    assert!(
        other.code == 0 && other.stderr.contains("learnt from another dataset"),
        "{}",
        other.stderr
    );
}

#[test]
fn inputs_and_folders_have_any_names() {
    let desk = Desk::new(&[("a (1), 2 🦀", "20"), ("--help", "30")]);
    let odd = OsStr::from_bytes(b"bad\xff");
    std::fs::write(desk.path("in").join(odd), "40").unwrap();
    let mut command = desk.subject(&format!("{RECORD} --stdin {{}}"));
    command.env("LC_ALL", "C.UTF-8");
    let recorded = ran(command);
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let found = desk.json("inspect data --json");
    assert_eq!(found["observations"]["ok"], 3, "{found}");
    let rows = desk.run("export data --format csv -o -").stdout;
    assert!(rows.contains("in/bad\u{f7ff}"), "{rows}");
    let mut command = desk.command("inspect");
    command.arg(odd);
    let missing = ran(command);
    assert_eq!(missing.code, 1);
    assert!(!missing.stderr.contains("panicked"), "{}", missing.stderr);
    std::fs::write(desk.path("t.csv"), table(10)).unwrap();
    let mut command = desk.command("import t.csv --target time --json -o");
    command.arg(odd);
    let imported = ran(command);
    assert_eq!(imported.json()["dataset"], "bad\u{f7ff}");
}

#[test]
fn what_is_printed_drives_no_terminal() {
    let desk = Desk::new(&[]);
    let text = table(20).replace("n,", "\u{1b}]0;owned\u{7}\u{202e}n,");
    std::fs::write(desk.path("t.csv"), text).unwrap();
    let harmless = |text: &str| !text.contains(['\u{1b}', '\u{7}', '\u{202e}']);
    for line in [
        "fit t.csv --target time --method ols -o m.json",
        "explain m.json --dataset t.csv",
        "explain m.json --dataset t.csv --json",
        "inspect t.csv --target \u{1b}[31mtime",
        "inspect \u{202e}t.csv",
        "inspect --\u{1b}[31m",
    ] {
        let ran = desk.run(line);
        assert!(
            harmless(&ran.stdout) && harmless(&ran.stderr),
            "{line:?}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn wrong_usage_is_told_as_such() {
    let desk = fitted();
    let nls = desk.run("fit a --method nls -o n.json");
    assert!(
        nls.code == 2 && nls.stderr.contains("--formula 'k*n + c'"),
        "{}",
        nls.stderr
    );
    let cwd = desk.watch("record -o r --cwd nowhere --inputs in/*");
    assert!(
        cwd.code == 2 && cwd.stderr.contains("--cwd: nowhere does not exist"),
        "{}",
        cwd.stderr
    );
    let mut command = desk.command("inspect a");
    command.env("PRICETAG_REPAET", "5");
    let mistyped = ran(command);
    assert!(
        mistyped.code == 0
            && mistyped
                .stderr
                .contains("PRICETAG_REPAET, which is no option"),
        "{}",
        mistyped.stderr
    );
}

#[test]
fn a_jvm_that_does_not_start_says_why_and_does_not_block_the_next() {
    let desk = Desk::new(&[("f1", "20")]);
    let record = |option: &str| {
        let mut command = desk.command(RECORD);
        command
            .args(["--", "java", option, "-cp"])
            .arg(classes())
            .args(["Sums", "{}"]);
        ran(command)
    };
    let failed = record("-Xmxfoo");
    assert!(
        failed.code == 1 && failed.stderr.contains("Invalid maximum heap size: -Xmxfoo"),
        "{}",
        failed.stderr
    );
    let next = record("-Xmx64m");
    assert_eq!(next.code, 0, "{}", next.stderr);
}

#[test]
fn small_numbers_and_small_stacks_end() {
    let desk = Desk::new(&[]);
    for (file, power) in [("t.csv", -100), ("tiny.csv", -305)] {
        let rows = (1..=30).map(|n| format!("{n},{n}e{power}\n"));
        let text: String = std::iter::once("n,time\n".to_owned()).chain(rows).collect();
        std::fs::write(desk.path(file), text).unwrap();
    }
    let tiny = desk.run("fit tiny.csv --target time --method ols -o m.json");
    assert_eq!(tiny.code, 1);
    assert!(tiny.stderr.contains("cannot be squared"), "{}", tiny.stderr);
    let begun = Instant::now();
    let mut command = Command::new("bash");
    let program = crate::support::program();
    command
        .args(["-c", "ulimit -s 256; \"$0\" fit t.csv --target time --method ols -o m.json && timeout 100 \"$0\" report m.json --dataset t.csv -o r.html"])
        .arg(&program)
        .current_dir(desk.path("."));
    let done = ran(command);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(begun.elapsed() < Duration::from_secs(100));
}

#[test]
fn too_few_open_files_are_no_damage() {
    let desk = fitted();
    let mut refused = 0;
    for files in 4..16 {
        let mut shell = Command::new("sh");
        let script = format!("ulimit -n {files}; exec \"$0\" inspect a");
        shell
            .arg("-c")
            .arg(script)
            .arg(env!("CARGO_BIN_EXE_pricetag"))
            .current_dir(desk.path("."));
        let ran = ran(shell);
        if ran.stderr.contains("opening dataset") {
            refused += 1;
            assert!(ran.stderr.contains("ulimit -n"), "{files}: {}", ran.stderr);
            assert!(!ran.stderr.contains("restore it"), "{}", ran.stderr);
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_process_that_is_gone_is_not_attached_to() {
    let desk = Desk::new(&[]);
    let mut gone = Command::new("true").spawn().unwrap();
    let number = gone.id();
    gone.wait().unwrap();
    let ran = desk.run(&format!("record --attach {number} -o data"));
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("`jps` lists"), "{}", ran.stderr);
}

#[test]
fn a_scope_may_be_written_as_answers_print_it() {
    let desk = Desk::new(&[("f1", "20")]);
    for (number, scope) in ["Sums#sum", "Sums.sum", "Sums.sum(int)", "Sums#sum(I)J"]
        .into_iter()
        .enumerate()
    {
        let mut command = desk.command(&format!(
            "record -o d{number} --repeat 1 --warmup 0 --check-determinism none --inputs in/* --scope"
        ));
        command.arg(scope).args(["--", "java", "-cp"]);
        command.arg(classes()).args(["Sums", "{}"]);
        let done = ran(command);
        assert_eq!(done.code, 0, "{scope}: {}", done.stderr);
        let rows = desk.json(&format!("inspect d{number} --json"))["observations"].clone();
        assert_eq!(rows["ok"], 20, "{scope}: {rows}");
    }
}

/// The end of a loop is one block of its last line and of the line where it counts up: what lies between is none of its.
#[test]
fn lines_between_those_of_a_block_cost_nothing() {
    let source = "import java.nio.file.*;

public class L {
    static double sink;
    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(Files.readString(Path.of(args[0])).trim());
        for (int i = 0; i < n; i++) {
            if (i < 0) {
                System.out.println(\"never printed\");
            }

            sink += Math.pow(i, 1.5);
        }
    }
}
";
    let inputs: Vec<(String, String)> = (1..=8)
        .map(|i| (format!("f{i}"), (i * 400_000).to_string()))
        .collect();
    let inputs: Vec<(&str, &str)> = inputs
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let desk = Desk::new(&inputs);
    desk.class(".", "L", source);
    let done = desk.run(
        "mine -o data --report r.html --samples off --repeat 1 --target cpu --method nnls --check-determinism none --inputs in/* -- java -cp . L {}",
    );
    assert_eq!(done.code, 0, "{}", done.stderr);
    let told = desk.json("explain data/model.json --by line --limit 100 --json");
    let items = told["items"].as_array().unwrap();
    let cost = |line: u32| -> f64 {
        let name = format!("L.java:{line}");
        let items = items.iter().filter(|item| item["name"] == name.as_str());
        items.filter_map(|item| item["cost"].as_f64()).sum()
    };
    assert_eq!([9, 10, 11].map(cost), [0.0; 3], "{told}");
    let listed = desk.json("explain data/model.json --listing --sources . --json");
    let lines = listed["listings"][0]["lines"].as_array().unwrap();
    let line = |number: u32| lines.iter().find(|l| l["number"] == number).unwrap();
    // Eight inputs, of 400,000 to 3,200,000 rounds.
    assert_eq!(line(12)["count"], 14_400_000.0, "{listed}");
    assert!(line(11)["count"].is_null(), "{listed}");
    assert!(line(9)["count"].as_f64().unwrap_or(0.0) == 0.0, "{listed}");
}
