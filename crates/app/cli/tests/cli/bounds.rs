//! `pricetag ocaml bound` and `compare`: the examples of `docs/bounds.md` with the prices of the paper, and what goes wrong.

use serde_json::{Value, json};

use crate::ocaml::{changed, desk};
use crate::support::Desk;

/// Das and Hoffmann (TACAS 2017), section 5: those that lists need.
const PAPER: [(&str, f64); 8] = [
    ("FunApp", 1.505),
    ("TailApp", 0.156),
    ("patternMatch", 0.223),
    ("tupleHead", 5.892),
    ("tupleElem", 1.717),
    ("tupleMatch", 0.237),
    ("IntAdd", 0.297),
    ("IntSub", 0.278),
];

/// A desk whose list has the paper's prices.
fn paper(program: &str) -> Desk {
    changed(program, |list| {
        let mode = &mut list["modes"]["paper"];
        let chosen = mode["chosen"].as_str().unwrap().to_owned();
        mode["time"][&chosen]["interval"] = Value::Null;
        let formula = &mut mode["time"][&chosen]["formula"];
        let terms = terms(formula);
        for (construct, price) in PAPER {
            terms.retain(|t| t[1] != construct);
            terms.push(json!([price, construct]));
        }
    })
}

/// The terms of a linear formula, wherever they are in it.
fn terms(formula: &mut Value) -> &mut Vec<Value> {
    if formula.get("terms").is_some() {
        return formula["terms"].as_array_mut().unwrap();
    }
    let inner = formula
        .as_object_mut()
        .unwrap()
        .values_mut()
        .next()
        .unwrap();
    inner["terms"].as_array_mut().unwrap()
}

const APPENDS: &str = "let rec append a b = match a with [] -> b | x :: r -> x :: append r b\n";
const TWO: &str = "let rec append a b = match a with [] -> b | x :: t -> (match t with [] -> x :: b | y :: r -> x :: y :: append r b)\n";

#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../../../../docs/bounds.md");
    let example: Vec<&str> = page
        .lines()
        .skip_while(|l| !l.starts_with("    append : "))
        .take_while(|l| l.starts_with("    "))
        .map(str::trim)
        .collect();
    assert_eq!(example.len(), 6, "{example:?}");
    let program = page
        .lines()
        .find(|l| l.starts_with("    let rec append"))
        .unwrap();
    let ran = paper(program.trim()).run("ocaml bound list.json p.ml");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    // What a collection costs is learnt anew.
    let collecting = example[3].split("⌋·").next().unwrap();
    for line in [example[0], example[1], example[2], collecting, example[4]] {
        assert!(ran.stdout.contains(line), "{line}\n{}", ran.stdout);
    }
    let checked = ran
        .stdout
        .lines()
        .find(|l| l.contains("checked: "))
        .unwrap();
    assert_eq!(
        checked.split(',').next(),
        Some(&*format!("  {}", example[5].split(',').next().unwrap()))
    );
}

#[test]
fn factors_are_exact_in_json() {
    let told = paper(APPENDS).json("ocaml bound list.json p.ml --json --side both");
    let bounds = told["functions"][0]["bounds"].as_array().unwrap();
    assert_eq!(bounds.len(), 4);
    for bound in &bounds[..2] {
        assert_eq!(
            bound["terms"][1],
            json!({"factor": "11277/1000", "powers": [["n", 1]]}),
            "{bound}"
        );
    }
    assert_eq!(
        (&bounds[0]["side"], &bounds[1]["side"]),
        (&json!("lower"), &json!("upper"))
    );
}

/// Each cell is a call, a match of two clauses and a block of two parts.
#[test]
fn a_bound_is_explained() {
    let ran = paper(APPENDS).run("ocaml bound list.json p.ml --explain");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let words: Vec<String> = ran
        .stdout
        .lines()
        .map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    for line in [
        "tupleHead n times, 5.892 ns each",
        "tupleElem 2·n times, 1.717 ns each",
        "FunApp n times, 1.505 ns each",
        "patternMatch 2 + 2·n times, 0.223 ns each",
        "calls of append 1 + n times",
    ] {
        assert!(words.iter().any(|w| w == line), "{line}\n{}", ran.stdout);
    }
}

#[test]
fn calls_are_compared_by_prediction_where_there_is_no_bound() {
    let desk = desk(
        "let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)\nlet rec add a b n = if n = 0 then a else add b (a + b) (n - 1)\nlet fast n = add 0 1 n\n",
    );
    let ran = desk.run("ocaml compare list.json p.ml:fib p.ml:fast --sizes 10,20 --call f(n)");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("p.ml:fib  no bound: no polynomial"),
        "{}",
        ran.stdout
    );
    for n in [10, 20] {
        let told = ran
            .stdout
            .lines()
            .find(|l| l.starts_with(&format!("f(n), n = {n}: ")));
        let told = told.unwrap_or_else(|| panic!("{}", ran.stdout));
        assert!(
            told.ends_with("p.ml:fast is faster, by prediction"),
            "{told}"
        );
    }
}

#[test]
fn the_paper_s_second_append_is_faster() {
    let desk = paper(APPENDS);
    std::fs::write(desk.path("two.ml"), TWO).unwrap();
    let ran = desk.run("ocaml compare list.json p.ml:append two.ml:append");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("at size 0 both have the same bound"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("from size 1 on two.ml:append is faster"),
        "{}",
        ran.stdout
    );
}

#[test]
fn what_has_no_bound_says_why() {
    let desk = desk(
        "let rec fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)\nlet f l = try List.hd l with Failure _ -> 0\nlet gcd = let rec g a b = if b = 0 then a else g b (a mod b) in g\nlet fs = [fib]\n",
    );
    let ran = desk.run("ocaml bound list.json p.ml --metric FunApp");
    assert_eq!(ran.code, 1);
    assert!(
        ran.stdout.contains(
            "no polynomial of degree 3 or less was found: `fib` has none as it is called here"
        ),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("`try`: what an exception leaves undone is not followed"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("gcd : int -> int -> int")
            && ran.stdout.contains("not written with its parameters")
            && !ran.stdout.contains("fs :"),
        "{}",
        ran.stdout
    );
    for (command, code, why) in [
        (
            "ocaml bound list.json p.ml --function g",
            1,
            "there is no function `g`",
        ),
        (
            "ocaml bound list.json p.ml --metric Time",
            2,
            "there is no cost `Time`",
        ),
        ("ocaml bound list.json none.ml", 1, "cannot read"),
        (
            "ocaml compare list.json p.ml p.ml:fib",
            2,
            "names no function",
        ),
        (
            "ocaml compare list.json p.ml:fib p.ml:fib",
            1,
            "no polynomial",
        ),
    ] {
        let ran = desk.run(command);
        assert_eq!(ran.code, code, "{command}: {}", ran.stderr);
        assert!(ran.stderr.contains(why), "{command}: {}", ran.stderr);
    }
}

/// What is measured may be more than the model's sum by the upper end of its list's interval, and less by the lower.
#[test]
fn a_bound_of_what_is_measured_stands_beside() {
    let desk = desk(APPENDS);
    let list: Value =
        serde_json::from_slice(&std::fs::read(desk.path("list.json")).unwrap()).unwrap();
    let mode = &list["modes"]["paper"];
    let interval = &mode["time"][mode["chosen"].as_str().unwrap()]["interval"];
    let told = desk.json("ocaml bound list.json p.ml --json --side both --metric time");
    for (bound, end) in [(0, "lower"), (1, "upper")] {
        let bound = &told["functions"][0]["bounds"][bound];
        let measured = &bound["measured"];
        let least = interval[end].as_f64().unwrap();
        let factor = measured["factor"].as_f64().unwrap();
        // Programs unlike those learnt from have wider intervals.
        assert!(if end == "upper" {
            factor >= least && factor > 1.0
        } else {
            factor <= least
        });
        let number = |text: &Value| -> f64 {
            let text = text.as_str().unwrap().split('·').next().unwrap();
            text.rsplit(' ').next().unwrap().parse().unwrap()
        };
        let (model, real) = (number(&bound["text"]), number(&measured["text"]));
        assert!(
            (real - factor * model).abs() <= 0.001 * factor + 0.001,
            "{bound}"
        );
    }
    let ran = desk.run("ocaml bound list.json p.ml --metric time");
    assert!(
        ran.stdout.contains("ns, as measured, in 95 % of cases"),
        "{}",
        ran.stdout
    );
}

/// A list of boxed floats: the bytes of a bound are those of its blocks, a prediction's those of the floats, too.
#[test]
fn the_time_with_collections_is_no_bound_and_says_so() {
    let desk = desk("let rec f n = if n = 0 then [] else float_of_int n :: f (n - 1)\n");
    let ran = desk.run("ocaml bound list.json p.ml");
    let line = ran
        .stdout
        .lines()
        .find(|l| l.contains("collections "))
        .unwrap();
    assert!(line.starts_with("  with collections about "), "{line}");
    assert!(
        ran.stdout.contains("With them it is no bound"),
        "{}",
        ran.stdout
    );
    let n = 1_000_000.0;
    let told = desk.json("ocaml bound list.json p.ml --json");
    let terms = |cost: &str| -> Vec<f64> {
        let bounds = told["functions"][0]["bounds"].as_array().unwrap();
        let bound = bounds.iter().find(|b| b["cost"] == cost).unwrap();
        let terms = bound["terms"].as_array().unwrap().iter();
        terms
            .map(|term| {
                let factor = term["factor"].as_str().unwrap();
                let (above, below) = factor.split_once('/').unwrap_or((factor, "1"));
                let power = term["powers"].as_array().unwrap().len() as i32;
                above.parse::<f64>().unwrap() / below.parse::<f64>().unwrap() * f64::powi(n, power)
            })
            .collect()
    };
    let bytes: f64 = terms("bytes").iter().sum();
    assert_eq!(bytes, 24.0 * n);
    let list: Value =
        serde_json::from_slice(&std::fs::read(desk.path("list.json")).unwrap()).unwrap();
    let [heap, each] = ["heap", "constant"].map(|of| list["collector"][of].as_f64().unwrap());
    let about = terms("time").iter().sum::<f64>() + (bytes / heap).floor() * each;
    let call = desk.json("ocaml predict list.json p.ml --call f(1000000) --json");
    let call = call["calls"].as_array().unwrap().last().unwrap();
    assert!(call["bytes"].as_f64().unwrap() > bytes, "{call}");
    assert!(call["time"].as_f64().unwrap() > about, "{call}: {about}");
}

#[test]
fn an_explanation_names_what_has_no_bound_by_itself() {
    let desk = desk("let f (a : int list) b = if a = b then 1 else 2\n");
    let ran = desk.run("ocaml bound list.json p.ml --metric IntAdd --explain");
    for construct in ["PolyWord", "StringWord"] {
        let mut lines = ran.stdout.lines();
        let line = lines.find(|l| l.trim_start().starts_with(construct));
        let line = line.unwrap_or_else(|| panic!("{construct}: {}", ran.stdout));
        assert!(line.contains("no bound by itself: "), "{line}");
        assert!(line.contains("a comparison of `int list`"), "{line}");
    }
}

#[test]
fn compared_calls_take_the_estimator_and_tell_of_the_stack() {
    let desk = desk(
        "let rec deep n = if n = 0 then 0 else 1 + deep (n - 1)\nlet rec loop a n = if n = 0 then a else loop (a + 1) (n - 1)\nlet flat n = loop 0 n\n",
    );
    let compare = |more: &str| {
        let line = format!(
            "ocaml compare list.json p.ml:deep p.ml:flat --sizes 1000000 --call f(n) --json {more}"
        );
        desk.json(&line)
    };
    let chosen = compare("");
    let warnings = chosen["warnings"].to_string();
    assert!(
        warnings.contains("p.ml:deep, f(n), n = 1000000: calls take about 15 MB of stack"),
        "{warnings}"
    );
    assert!(!warnings.contains("p.ml:flat, f(n)"), "{warnings}");
    // The same as `predict` says of the call by that estimator.
    for estimator in ["nnls", "normalised"] {
        let by = compare(&format!("--estimator {estimator}"));
        let call = desk.json(&format!(
            "ocaml predict list.json p.ml --call deep(1000000) --json --estimator {estimator}"
        ));
        let call = call["calls"].as_array().unwrap().last().unwrap();
        assert_eq!(by["predicted"][0]["times"][0], call["time"], "{estimator}");
        assert_ne!(by["predicted"], chosen["predicted"], "{estimator}");
    }
}
