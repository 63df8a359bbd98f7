//! `pricetag platform` and `predict --platform`: planted ratios come back, and what no answer can be made of is refused.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::Desk;

/// A list with benchmarks of two kinds: `adds` and `divides`, each with its time.
fn list(flags: &str, add: f64, divide: f64) -> Value {
    let benchmark = |i: u32| {
        let (group, what, ns) = if i.is_multiple_of(2) {
            ("adding", "opcode int_add", add)
        } else {
            ("dividing", "opcode int_div", divide)
        };
        let count = f64::from(1 + i / 2);
        json!({ "name": format!("{group} {i}"), "group": group, "ns": ns * count, "spread": 0.01, "counts": { what: count } })
    };
    let price = |name: &str, ns: f64| json!({ "name": name, "members": [[name, 1.0]], "ns": ns, "support": 10 });
    json!({
        "schema": 1, "kind": "platform-prices", "suite": "planted",
        "platform": { "arch": "x86_64", "cpu": "Abacus", "cores": "2", "java": "17.0.1", "flags": flags },
        "measuring": { "rounds": 3, "samples": 3, "clock": "", "load": [], "unsteadiness": [], "seconds": 1.0, "created": 0 },
        "benchmarks": (0..20).map(benchmark).collect::<Vec<_>>(),
        "prices": [price("opcode int_add", add), price("opcode int_div", divide)],
        "notes": [], "pricetag": "0.2.0",
    })
}

/// A program whose cost here is 1 ns per addition and 10 ns per division, of which it has hardly any.
fn desk() -> Desk {
    let desk = Desk::new(&[]);
    let mut text = "input,opcode int_add,opcode int_div,cpu\n".to_owned();
    for i in 1..=40 {
        let (adds, divides) = (1000 * i + 37 * (i * i % 11), i % 3);
        let _ = writeln!(text, "i{i},{adds},{divides},{}", adds + 10 * divides);
    }
    std::fs::write(desk.path("t.csv"), text).unwrap();
    let ran = desk.run("import t.csv --target cpu --unit ns --label input -o data");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = desk.run("fit data --train 50%");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    write(&desk, "here.json", &list("", 1.0, 10.0));
    desk
}

fn write(desk: &Desk, name: &str, list: &Value) {
    let sealed = pricetag_file::sealed::seal(&format!("{list:#}"));
    std::fs::write(desk.path(name), sealed).unwrap();
}

const PREDICT: &str =
    "predict data/model.json --dataset data --here here.json --platform there.json";

fn ratios(answer: &Value, desk: &Desk) -> Vec<f64> {
    let values = |answer: &Value| -> Vec<f64> {
        let rows = answer["rows"].as_array().unwrap();
        rows.iter().map(|r| r["value"].as_f64().unwrap()).collect()
    };
    let here = desk.json("predict data/model.json --dataset data --json");
    let pairs = values(answer).into_iter().zip(values(&here));
    pairs.map(|(there, here)| there / here).collect()
}

#[test]
fn lists_that_differ_evenly_move_a_model_by_one_ratio() {
    let desk = desk();
    write(&desk, "there.json", &list("-XX:+UseG1GC", 1.5, 15.0));
    let answer = desk.json(&format!("{PREDICT} --json"));
    assert_eq!(answer["moved"]["route"], "ratio");
    for ratio in ratios(&answer, &desk) {
        assert!((ratio - 1.5).abs() < 1e-9, "{ratio}");
    }
    assert!(answer["rows"][0]["measured"].is_null(), "measured here");
    let said = desk.run(PREDICT);
    assert!(said.stdout.contains("differ evenly"), "{}", said.stdout);
    let diff = desk.json("platform diff here.json there.json --json");
    assert_eq!(diff["benchmarks"]["count"], 20);
    assert!((diff["benchmarks"]["median"].as_f64().unwrap() - 1.5).abs() < 1e-9);
}

#[test]
fn lists_that_differ_unevenly_move_it_by_what_it_resembles() {
    let desk = desk();
    // Additions are as dear as before, divisions four times as dear: the program adds.
    write(&desk, "there.json", &list("", 1.0, 40.0));
    let answer = desk.json(&format!("{PREDICT} --json"));
    assert_eq!(answer["moved"]["route"], "mixture", "{answer:#}");
    // 0.7 of the mixture's logarithm, which is near 0, and 0.3 of the median's, which is log 2.
    for ratio in ratios(&answer, &desk) {
        assert!((ratio - 2.0_f64.powf(0.3)).abs() < 0.1, "{ratio}");
    }
    let resembles = answer["moved"]["resembles"].as_array().unwrap();
    let adding: f64 = resembles
        .iter()
        .filter(|r| r[0].as_str().unwrap().starts_with("adding"))
        .map(|r| r[1].as_f64().unwrap())
        .sum();
    assert!(adding > 0.9, "{resembles:?}");
    let diff = desk.run("platform diff here.json there.json --dataset data");
    assert!(diff.stdout.contains("differ unevenly"), "{}", diff.stdout);
    assert!(diff.stdout.contains("This program: "), "{}", diff.stdout);
    // The paper's rule: prices there over prices here, of what the program executes.
    let answer = desk.json(&format!("{PREDICT} --route paper --json"));
    let rows = answer["rows"].as_array().unwrap();
    let expected = 1000.0 + 37.0 + 40.0;
    assert!((rows[0]["value"].as_f64().unwrap() / expected - 1.0).abs() < 0.01);
}

#[test]
fn where_code_is_interpreted_the_command_to_run_first_is_printed() {
    let desk = desk();
    write(&desk, "there.json", &list("-Xint", 30.0, 90.0));
    let answer = desk.json(&format!("{PREDICT} --json"));
    assert_eq!(answer["moved"]["route"], "sum");
    // Additions are 30 times as dear there, divisions nine times: the factor lies between, with and without a model.
    let diff = desk.json("platform diff here.json there.json --dataset data --json");
    for moved in [&answer["moved"], &diff["program"]] {
        let factor = moved["factor"].as_f64().unwrap();
        assert!((9.0..30.5).contains(&factor), "{moved:#}");
    }
    let commands = answer["moved"]["commands"].as_array().unwrap();
    let all: Vec<&str> = commands.iter().map(|c| c.as_str().unwrap()).collect();
    assert!(
        all.iter()
            .any(|c| c.contains("mine") && c.contains("-Xint")),
        "{all:?}"
    );
}

#[test]
fn runs_there_correct_the_factor_and_narrow_it() {
    let desk = desk();
    write(&desk, "there.json", &list("", 1.0, 40.0));
    let before = desk.json(&format!("{PREDICT} --json"));
    // There every run takes three times as long as here.
    let mut text = "input,opcode int_add,opcode int_div,cpu\n".to_owned();
    for i in 1..=5 {
        let _ = writeln!(text, "r{i},{},0,{}", 3000 * i, 9000 * i);
    }
    std::fs::write(desk.path("r.csv"), text).unwrap();
    assert_eq!(
        desk.run("import r.csv --target cpu --unit ns --label input -o runs")
            .code,
        0
    );
    let after = desk.json(&format!("{PREDICT} --calibrate runs --json"));
    for ratio in ratios(&after, &desk) {
        assert!((ratio / 3.0 - 1.0).abs() < 0.1, "{ratio}");
    }
    let uncertainty = |a: &Value| a["moved"]["uncertainty"].as_f64().unwrap();
    assert!(uncertainty(&after) < uncertainty(&before));
    assert_eq!(after["moved"]["calibration"]["runs"], 5);
    let more = &after["moved"]["one_more"];
    assert!(more[1].as_f64().unwrap() < more[0].as_f64().unwrap());
}

#[test]
fn lists_that_are_of_no_use_are_refused_with_the_reason() {
    let desk = desk();
    let good = list("", 1.0, 10.0);
    let mut newer = good.clone();
    newer["schema"] = json!(2);
    let mut other = good.clone();
    other["platform"]["arch"] = json!("aarch64");
    let mut strange = good.clone();
    strange["benchmarks"] = json!([]);
    for (list, why) in [
        (&newer, "a newer Pricetag wrote it"),
        (&other, "different architectures"),
        (&strange, "share 0 benchmarks"),
    ] {
        write(&desk, "there.json", list);
        let ran = desk.run(PREDICT);
        assert_eq!(ran.code, 1, "{}", ran.stdout);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
        assert!(ran.stderr.contains("try: "), "{}", ran.stderr);
    }
    std::fs::write(desk.path("there.json"), good.to_string()).unwrap();
    let ran = desk.run(PREDICT);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("not what was written"),
        "{}",
        ran.stderr
    );
    // The model was learnt on another platform than the list that stands for it.
    write(&desk, "there.json", &good);
    write(&desk, "here.json", &list("-Xint", 1.0, 10.0));
    let ran = desk.run(PREDICT);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("interpreted"), "{}", ran.stderr);
    let ran = desk.run("predict data/model.json --dataset data --platform data/model.json");
    assert!(ran.stderr.contains("not a price list"), "{}", ran.stderr);
}

#[test]
fn a_benchmark_that_a_jvm_lacks_is_named() {
    let desk = desk();
    let mut there = list("", 1.0, 10.0);
    there["benchmarks"][3] = json!({ "name": "dividing 3", "group": "dividing", "refused": "it threw java.lang.NoSuchMethodError: f" });
    write(&desk, "there.json", &there);
    let ran = desk.run("platform diff here.json there.json");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("NoSuchMethodError"), "{}", ran.stdout);
    let ran = desk.run(PREDICT);
    assert!(
        ran.stdout.contains("1 benchmarks have no time there"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_table_of_prices_is_summed_and_held_against_times() {
    let desk = desk();
    std::fs::write(
        desk.path("p.csv"),
        "what,ns\nopcode int_add,2\nopcode int_div,20\n",
    )
    .unwrap();
    let ran = desk.run("platform import p.csv --names what --price ns -o p.json");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let found = desk.json("platform apply p.json --dataset data --cost cpu --json");
    // By the definition of the table, all prices are twice what the program paid.
    assert!(
        (found["factor"]["mean"].as_f64().unwrap() - 2.0).abs() < 1e-12,
        "{found:#}"
    );
    assert!(found["factor"]["one_file_max"].as_f64().unwrap() < 1e-12);
    assert_eq!(found["priced"], 2);
    for (text, why) in [
        ("what,ns\na,x\n", "not a number"),
        ("what,ns\na,-1\n", "no price"),
        ("what,ns\na,1\na,2\n", "two prices"),
        ("what,cost\na,1\n", "no column `ns`"),
    ] {
        std::fs::write(desk.path("q.csv"), text).unwrap();
        let ran = desk.run("platform import q.csv --names what --price ns -o q.json");
        assert_eq!(ran.code, 1, "{text}");
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

#[test]
fn a_program_is_no_platform() {
    let ran = Desk::new(&[]).run("platform measure --fast -o here.json -- java -jar a.jar");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("`a.jar` is no option"),
        "{}",
        ran.stderr
    );
}

/// The real thing, interpreted and fast: a list is written, read, and is of the platform that it says.
#[test]
fn this_machine_is_measured() {
    let desk = Desk::new(&[]);
    let ran = desk.run("platform measure --fast -o here.json -- java -Xint");
    if ran.code == 1 && ran.stderr.contains("too busy") {
        assert!(!desk.path("here.json").exists(), "nothing is written");
        return;
    }
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let list: Value =
        serde_json::from_str(&std::fs::read_to_string(desk.path("here.json")).unwrap()).unwrap();
    assert_eq!(list["platform"]["mode"], "interpreted");
    let benchmarks = list["benchmarks"].as_array().unwrap();
    let timed = benchmarks.iter().filter(|b| b["ns"].is_f64()).count();
    assert!(timed >= 90, "{timed}");
    // A step of this one allocates once, as its text says.
    let allocating = benchmarks
        .iter()
        .find(|b| b["name"] == "array of 4 ints allocated")
        .unwrap();
    let per_step = allocating["counts"]["opcode allocate_array"]
        .as_f64()
        .unwrap();
    assert!((per_step - 1.0).abs() < 1e-9, "{allocating:#}");
    // No more prices are delivered than the benchmarks tell apart.
    let prices = list["prices"].as_array().unwrap();
    let delivered = prices.iter().filter(|p| p["ns"].is_f64()).count() as u64;
    let rank = list["fit"]["rank"].as_u64().unwrap();
    assert!(
        (40..=rank).contains(&delivered),
        "{delivered} of rank {rank}"
    );
    let same = desk.json("platform diff here.json here.json --json");
    assert_eq!(same["benchmarks"]["median"], 1.0);
}
