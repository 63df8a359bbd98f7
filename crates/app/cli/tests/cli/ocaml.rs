//! `pricetag ocaml`: a price list learnt from the measurements that are kept, used, and held against programs it does not know.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::support::Desk;
use serde_json::Value;

fn subjects(name: &str) -> String {
    let path = format!(
        "{}/../../../subjects/ocaml/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    let path = PathBuf::from(path);
    path.canonicalize().unwrap().display().to_string()
}

fn learn() -> String {
    format!(
        "ocaml learn -o list.json --json --from {}",
        subjects("measurements/training")
    )
}

/// The list, learnt twice at the same time: it takes a minute.
fn lists() -> &'static [String; 2] {
    static LISTS: OnceLock<[String; 2]> = OnceLock::new();
    LISTS.get_or_init(|| {
        let learnt = || {
            let desk = Desk::new(&[]);
            let told = desk.json(&learn());
            let written = std::fs::read_to_string(desk.path("list.json")).unwrap();
            // The file has a seal besides, by which damage is told.
            let mut kept: Value = serde_json::from_str(&written).unwrap();
            let fields = kept.as_object_mut().unwrap();
            assert!(fields.remove("seal").is_some());
            fields.remove("sealed");
            let mut told = told;
            told.as_object_mut().unwrap().remove("sealed");
            assert_eq!(told, kept);
            written
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(learnt);
            [learnt(), other.join().unwrap()]
        })
    })
}

fn list() -> &'static str {
    &lists()[0]
}

/// A desk with the list and a program.
pub fn desk(program: &str) -> Desk {
    let desk = Desk::new(&[]);
    std::fs::write(desk.path("list.json"), list()).unwrap();
    std::fs::write(desk.path("p.ml"), program).unwrap();
    desk
}

/// A desk whose list somebody changed, who left its seal out.
pub fn changed(program: &str, change: impl FnOnce(&mut Value)) -> Desk {
    let desk = desk(program);
    let mut value: Value = serde_json::from_str(list()).unwrap();
    change(&mut value);
    for member in ["sealed", "seal"] {
        value.as_object_mut().unwrap().remove(member);
    }
    std::fs::write(desk.path("list.json"), value.to_string()).unwrap();
    desk
}

fn number(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("no number: {value}"))
}

const APPEND: &str = "let rec range a b = if a > b then [] else a :: range (a + 1) b
let rec append a b = match a with [] -> b | x :: r -> x :: append r b
let one = range 1 10000
let both = append one one
";

#[test]
fn the_same_measurements_give_the_same_list() {
    let [one, two] = lists();
    assert_eq!(one, two);
}

#[test]
fn what_is_known_of_ocaml_is_learnt() {
    let list: Value = serde_json::from_str(list()).unwrap();
    let heap = number(&list["collector"]["heap"]);
    // 256 Ki words by default; the runtime keeps some of them.
    assert!((0.9..1.01).contains(&(heap / 2_097_152.0)), "{heap}");
    let bytes = list["modes"]["extended"]["bytes"]["prices"]
        .as_array()
        .unwrap();
    for (construct, known) in [("cons", 24.0), ("box-float", 16.0)] {
        let of = |p: &&Value| p["members"][0] == construct;
        let price = bytes
            .iter()
            .find(of)
            .unwrap_or_else(|| panic!("{construct}"));
        assert_eq!(number(&price["price"]), known, "{construct}");
    }
}

#[test]
fn a_call_is_predicted_and_explained() {
    let desk = desk(APPEND);
    let told = desk.json("ocaml predict list.json p.ml --json");
    let calls = told["calls"].as_array().unwrap();
    let both = calls.iter().find(|c| c["label"] == "line 4: both").unwrap();
    assert_eq!(number(&both["bytes"]), 240_000.0);
    assert_eq!(number(&both["collections"]), 0.0);
    let (time, parts) = (number(&both["time"]), both["parts"].as_array().unwrap());
    // A cons of a list in the cache: some nanoseconds.
    assert!((10_000.0..500_000.0).contains(&time), "{time}");
    let sum: f64 = parts.iter().map(|p| number(&p["time"])).sum();
    assert!((sum / time - 1.0).abs() < 0.01, "{sum} {time}");
    // Whatever the samples make the longest alternative, each cell has its part in it.
    let most = &parts[0]["construct"];
    assert!(
        (10_000.0..=10_001.0).contains(&number(&parts[0]["count"])),
        "{parts:?}"
    );

    let text = desk.run("ocaml predict list.json p.ml --explain");
    assert_eq!(text.code, 0, "{}", text.stderr);
    assert!(
        text.stdout.contains("share") && text.stdout.contains(most.as_str().unwrap()),
        "{}",
        text.stdout
    );
    let paper = desk.json("ocaml predict list.json p.ml --json --mode paper --estimator l1");
    assert_eq!(
        (&paper["mode"], &paper["estimator"]),
        (&"paper".into(), &"l1".into())
    );
}

#[test]
fn control_programs_are_predicted_as_well_as_ever() {
    let desk = desk("");
    let line = format!(
        "ocaml evaluate list.json --json --plots plots --from {}",
        subjects("measurements/controls")
    );
    let report = desk.json(&line);
    assert_eq!(report["refused"], Value::Array(vec![]));
    let extended = &report["modes"]["extended"];
    let programs = extended["programs"].as_array().unwrap();
    assert!(programs.len() >= 76, "{}", programs.len());
    for program in programs {
        assert_eq!(program["unpriced"], Value::Array(vec![]), "{program}");
        assert!(
            number(&program["bytes"]) < 0.01,
            "bytes of {}",
            program["name"]
        );
    }
    // Where no major collection may finish, none does, and the number of minor ones is right.
    let rows = programs.iter().flat_map(|p| p["rows"].as_array().unwrap());
    let (possible, others): (Vec<_>, Vec<_>) =
        rows.partition(|r| r["may_finish_major"] == Value::Bool(true));
    assert!(possible.iter().any(|r| number(&r["major"]) > 0.0));
    assert!(others.len() > 20 * possible.len());
    for row in others {
        assert_eq!(row["collections"][0], row["collections"][1], "{row}");
        assert_eq!(number(&row["major"]), 0.0, "{row}");
    }
    for sizes in ["overall", "quiet", "collecting"] {
        let errors = &extended[sizes]["overlap"];
        assert!(number(&errors["mean"]) < 0.25, "{sizes}: {errors}");
    }
    // Prices that are half or twice what they should be would show here.
    assert!(number(&extended["overall"]["overlap"]["signed"]).abs() < 0.3);
    let [quiet, collecting] = [0, 1].map(|i| number(&extended["coverage_by_collections"][i]));
    for coverage in [number(&extended["coverage"]), quiet, collecting] {
        assert!((0.5..=1.0).contains(&coverage), "{coverage}");
    }
    let rankings = extended["rankings"].as_array().unwrap();
    let sum = |what: &str| rankings.iter().map(|r| number(&r[what])).sum::<f64>();
    assert!(sum("apart") > 0.0 && sum("right") > 0.6 * sum("apart"));
    assert!(desk.path("plots/append-extended.svg").is_file());
}

/// Two minor heaps of lists, and three and a half.
#[test]
fn a_major_collection_that_may_finish_is_told() {
    let desk = desk(
        "let rec up n a = if n = 0 then a else up (n - 1) (n :: a)\nlet small = up 200000 []\nlet large = up 300000 []\n",
    );
    let told = desk.json("ocaml predict list.json p.ml --json");
    let calls = told["calls"].as_array().unwrap();
    let major = |label: &str| &calls.iter().find(|c| c["label"] == label).unwrap()["major"];
    assert_eq!(major("line 2: small"), &Value::Bool(false));
    assert_eq!(major("line 3: large"), &Value::Bool(true));
    let text = desk.run("ocaml predict list.json p.ml");
    assert!(
        text.stdout
            .contains("line 3: large: a major collection may finish")
            && !text.stdout.contains("small: a major"),
        "{}",
        text.stdout
    );
}

const LONG: &str =
    "let rec up n a = if n = 0 then a else up (n - 1) (n :: a)\nlet x = up 3000000 []\n";

#[test]
fn bad_programs_say_what_is_wrong_and_where() {
    for (program, flags, parts) in [
        ("let f x =\n  x + \"a\"\n", "", ["p.ml:2:7", "string"]),
        ("class c = object end\n", "", ["p.ml:1:", "class"]),
        (
            "let rec f x = f x\nlet y = f 1\n",
            "--fuel 1000",
            ["1000 constructs", "--fuel"],
        ),
        (
            LONG,
            "--memory 1000000",
            ["1000000 bytes of memory", "--memory"],
        ),
        ("let x = List.hd []\n", "", ["uncaught exception", "handle"]),
        ("", "", ["computes anything", "--call"]),
    ] {
        let desk = desk(program);
        let ran = desk.run(&format!("ocaml predict list.json p.ml {flags}"));
        assert_eq!(ran.code, 1, "{program}: {}", ran.stdout);
        for part in parts {
            assert!(ran.stderr.contains(part), "{part} in {}", ran.stderr);
        }
        assert!(!ran.stderr.contains("counting"), "{}", ran.stderr);
    }
}

#[test]
fn a_list_of_another_platform_warns_naming_both() {
    let desk = changed(APPEND, |list| list["platform"]["arch"] = "pdp11".into());
    let told = desk.json("ocaml predict list.json p.ml --json");
    let warnings = told["warnings"].to_string();
    assert!(
        warnings.contains("arch was `pdp11`") && warnings.contains(std::env::consts::ARCH),
        "{warnings}"
    );
}

#[test]
fn a_list_without_a_construct_refuses_it_by_name() {
    let desk = changed(APPEND, |list| {
        let model = &mut list["modes"]["extended"]["time"]["overlap"];
        model["domain"]
            .as_object_mut()
            .unwrap()
            .remove("cons")
            .unwrap();
    });
    let ran = desk.run("ocaml predict list.json p.ml");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("no price for cons"), "{}", ran.stdout);
    assert!(ran.stdout.contains("refused"), "{}", ran.stdout);
}

#[test]
fn wrong_files_and_a_missing_compiler_are_told() {
    let desk = desk(APPEND);
    std::fs::write(desk.path("model.json"), r#"{"schema":1,"formula":{}}"#).unwrap();
    std::fs::write(desk.path("new.json"), r#"{"schema":9,"kind":"price-list"}"#).unwrap();
    let training = subjects("measurements/training");
    let crossed = format!("ocaml evaluate list.json --from {training}");
    for (line, parts) in [
        (
            "ocaml learn -o l --ocamlopt /no/such",
            ["`/no/such` cannot be run", "--from"],
        ),
        (
            "ocaml evaluate list.json --ocamlopt /no/such",
            ["/no/such", "--from"],
        ),
        (
            "ocaml predict p.ml p.ml",
            ["not a price list", "ocaml learn"],
        ),
        (
            "ocaml predict model.json p.ml",
            ["a fitted model, not a price list", "ocaml learn"],
        ),
        (
            "ocaml predict new.json p.ml",
            ["schema 9", "learn it again"],
        ),
        (
            "ocaml predict absent.json p.ml",
            ["the price list absent.json", "ocaml learn"],
        ),
        (
            "ocaml predict list.json p.ml --estimator gp",
            ["estimator gp", "it has: l1, lr"],
        ),
        (
            "ocaml learn -o l --from absent",
            ["absent", "ocaml learn --keep"],
        ),
        (crossed.as_str(), ["that is not there", "`learn --from`"]),
    ] {
        let ran = desk.run(line);
        assert_eq!(ran.code, 1, "{line}: {}", ran.stdout);
        for part in parts {
            assert!(
                ran.stderr.contains(part),
                "{line}: {part} in {}",
                ran.stderr
            );
        }
        assert!(!desk.path("l").exists(), "{line}");
    }
}

/// One program at small sizes.
fn control(body: &str) -> String {
    format!(
        "(* what: counts down\n   family: tests\n   sizes: 10 20 30 *)\nlet input n = n\n{body}\n"
    )
}

#[test]
fn one_bad_control_program_does_not_cost_the_others() {
    let desk = desk("");
    std::fs::create_dir(desk.path("c")).unwrap();
    let write = |name: &str, body: &str| {
        std::fs::write(desk.path("c").join(name), control(body)).unwrap();
    };
    write(
        "good.ml",
        "let rec run n = if n = 0 then 0 else run (n - 1)",
    );
    write("loops.ml", "let rec run n = run n");
    write("outside.ml", "let run n =\n  object end");
    write("prints.ml", "let run n = print_string \"1 2 3\"");
    let line = "ocaml evaluate list.json --controls c --fast --keep kept";
    let told = desk.json(&format!("{line} --json"));
    let programs = told["modes"]["extended"]["programs"].as_array().unwrap();
    assert_eq!((programs.len(), &programs[0]["name"]), (1, &"good".into()));
    let refused = told["refused"].as_array().unwrap();
    for (at, (name, why)) in [
        ("loops", "constructs is reached"),
        ("outside", "line 6, column 3"),
        ("prints", "it prints"),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(refused[at][0], name);
        assert!(
            refused[at][1].as_str().unwrap().contains(why),
            "{}",
            refused[at]
        );
    }
    for (flags, parts) in [
        ("", ["holds measurements already", "--resume"]),
        ("--resume", ["", ""]),
    ] {
        let ran = desk.run(&format!("{line} {flags}"));
        assert_eq!(ran.code, i32::from(flags.is_empty()), "{}", ran.stderr);
        assert!(
            parts.iter().all(|p| ran.stderr.contains(p)),
            "{}",
            ran.stderr
        );
    }
    let ran = desk.run(&format!("{} --resume", line.replace("--fast", "--paper")));
    assert!(
        ran.stderr.contains("effort `fast`, now it is `paper`"),
        "{}",
        ran.stderr
    );
    write("my-sort.ml", "let run n = n");
    let ran = desk.run("ocaml evaluate list.json --controls c --fast");
    assert!(
        ran.stderr.contains("my-sort") && ran.stderr.contains("letters"),
        "{}",
        ran.stderr
    );
}

/// What `scripts/measure-ocaml.sh` does in a repository that holds nothing else: a program that makes what it is told to keep stands in for ours.
#[test]
fn trying_the_measurement_out_touches_nothing_that_is_kept() {
    let desk = Desk::new(&[]);
    let write = |name: &str, text: &str| {
        let path = desk.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let script = subjects("../../scripts/measure-ocaml.sh");
    write(
        "scripts/measure.sh",
        &std::fs::read_to_string(script).unwrap(),
    );
    let program = r#"for word; do
    case $last in
        -o) echo list >"$word" ;;
        --keep) mkdir -p "$word" && echo new >"$word/samples" ;;
    esac
    last=$word
done
echo "a table"
"#;
    write("pricetag", &format!("#!/bin/sh\n{program}"));
    let runs = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(desk.path("pricetag"), runs).unwrap();
    let sets = ["training", "controls", "fresh", "second", "third"];
    let kept = |set: &str| format!("subjects/ocaml/measurements/{set}/samples");
    for set in sets {
        write(&kept(set), "old\n");
    }
    write("docs/ocaml/prices.txt", "old\n");
    let run = |effort: &str| {
        let mut shell = std::process::Command::new("bash");
        let ran = shell
            .arg(desk.path("scripts/measure.sh"))
            .env("PRICETAG", desk.path("pricetag"))
            .env("EFFORT", effort)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{said}");
    };
    let read = |name: &str| std::fs::read_to_string(desk.path(name)).unwrap();
    run("--fast");
    for set in sets {
        assert_eq!(read(&kept(set)), "old\n");
    }
    assert_eq!(read("docs/ocaml/prices.txt"), "old\n");
    let left = |name: &str| desk.path(name).exists();
    assert!(!left("subjects/ocaml/measurements/new") && !left("docs/ocaml/prices.json"));
    run("");
    for set in sets {
        assert_eq!(read(&kept(set)), "new\n");
    }
    assert_eq!(read("docs/ocaml/prices.txt"), "a table\n");
    assert!(!left("subjects/ocaml/measurements/new") && !left("docs/ocaml/prices.json"));
}

/// A program that computes nothing is counted by a call, at each size.
#[test]
fn a_call_is_given_on_the_command_line() {
    let desk = Desk::new(&[]);
    let length = "let rec length l = match l with [] -> 0 | _ :: r -> 1 + length r\n";
    std::fs::write(desk.path("length.ml"), length).unwrap();
    let told = desk.json("ocaml count length.ml --values --json --call length[1;2;3]");
    let rows = told["items"].as_array().unwrap();
    assert_eq!(rows.last().unwrap()["values"][0], "3");
}

/// As in OCaml, strings and comments may hold any bytes; elsewhere they are refused where they stand.
#[test]
fn a_program_that_is_no_utf_8_is_taken_as_by_ocaml() {
    let desk = Desk::new(&[]);
    let text = b"let x = String.length \"a\xe9\" (* caf\xe9 *)\nlet y = Char.code {|\xff|}.[0]\nlet z = Char.code '\xe9'\n";
    std::fs::write(desk.path("latin.ml"), text).unwrap();
    let told = desk.json("ocaml count latin.ml --values --json");
    let value = |i: usize| told["items"][i]["values"][0].clone();
    assert_eq!([value(0), value(1), value(2)], ["2", "255", "233"]);
    std::fs::write(desk.path("name.ml"), b"let x = 1\nlet caf\xe9 = 2\n").unwrap();
    let ran = desk.run("ocaml count name.ml");
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("name.ml:2:8"), "{}", ran.stderr);
    assert!(ran.stderr.contains("\\xe9"), "{}", ran.stderr);
}

/// What a native program would not survive, and what its times leave out.
#[test]
fn deep_calls_and_what_is_printed_are_told() {
    let desk = desk(
        "let rec f n = if n = 0 then 0 else 1 + f (n - 1)\nlet deep = f 2000000\nlet flat = f 200000\n",
    );
    let told = desk.json("ocaml predict list.json p.ml --json");
    let warnings = told["warnings"].as_array().unwrap();
    let deep: Vec<&str> = warnings
        .iter()
        .filter_map(|w| w.as_str().filter(|w| w.contains("Stack overflow")))
        .collect();
    assert_eq!(deep.len(), 1, "{warnings:?}");
    assert!(
        deep[0].starts_with("line 2: deep: calls take about 30 MB of stack"),
        "{deep:?}"
    );
}

/// As in lists from before what is compared had a price.
#[test]
fn a_list_without_a_price_for_what_is_compared_refuses_that() {
    let program =
        "let f (a : int list) b = a = b\nlet one = f [1; 2] [1; 2]\nlet none = f [] [1]\n";
    let whole = desk(program).run("ocaml predict list.json p.ml");
    assert_eq!(whole.code, 0, "{}", whole.stdout);
    let desk = changed(program, |list| {
        let model = &mut list["modes"]["extended"]["time"]["overlap"];
        let domain = model["domain"].as_object_mut().unwrap();
        domain.remove("compared-word").unwrap();
    });
    let ran = desk.run("ocaml predict list.json p.ml");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout
            .contains("line 2: one: no price for compared-word"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("none: no price"), "{}", ran.stdout);
}

/// Programs of other kinds than those that prices were found on: modules, mutable data, texts. Bytes are those that native code took.
#[test]
fn the_held_out_programs_are_predicted_as_well_as_ever() {
    let desk = desk("");
    let report = desk.json(&format!(
        "ocaml evaluate list.json --json --controls {} --from {}",
        subjects("third"),
        subjects("measurements/third")
    ));
    let extended = &report["modes"]["extended"];
    let programs = extended["programs"].as_array().unwrap();
    assert_eq!(programs.len(), 40);
    let of = |name: &str| programs.iter().find(|p| p["name"] == name).unwrap();
    // Buffers grow beyond 256 words, and are not in the minor heap from then on.
    for name in ["crc", "csv_lines", "heat", "tokens"] {
        assert!(number(&of(name)["bytes"]) < 0.01, "{}", of(name)["bytes"]);
    }
    let errors = &extended["overall"]["overlap"];
    assert!(number(&errors["mean"]) < 0.3, "{errors}");
    assert!(number(&extended["coverage"]) > 0.85);
}

#[test]
fn processors_of_another_design_are_told() {
    let desk = changed("let x = List.length [1; 2]\n", |list| {
        list["platform"]["cpu_family"] = "999".into();
    });
    let told = desk.json("ocaml predict list.json p.ml --json");
    let here = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let numbered = here.contains("cpu family") || here.contains("CPU implementer");
    let warned = told["warnings"]
        .to_string()
        .contains("cpu_family was `999`");
    assert_eq!(warned, numbered, "{told}");
}
