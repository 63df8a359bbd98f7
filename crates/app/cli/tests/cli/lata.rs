//! Two of Lata's experiments (`docs/lata.md`), small: what they show, not how exactly.

use std::fmt::Write as _;
use std::path::Path;

use crate::support::{Desk, ran};
use serde_json::Value;

/// A desk with the experiments compiled and a dataset of one of them, one observation per call.
fn recorded(program: &str, scope: &str, workload: &str) -> Desk {
    let desk = Desk::new(&[]);
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../subjects/lata");
    let sources = [program, "Exactly"].map(|name| sources.join(format!("{name}.java")));
    desk.compile("classes", &sources);
    std::fs::write(desk.path("w.txt"), workload).unwrap();
    let mut record = desk.command(&format!(
        "record -o data --json --repeat 1 --warmup 0 --check-determinism none --scope {program}#{scope} --exclude Exactly --"
    ));
    record.args(["java", "-cp", "classes", program, "w.txt"]);
    let done = ran(record);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert_eq!(done.json()["ok"], workload.lines().count());
    desk
}

/// The entry of the price list whose bucket has this member, in full or up to the place in the source.
fn bucket<'m>(model: &'m Value, member: &str) -> &'m Value {
    let has = |price: &&Value| {
        let members = price["members"].as_array().unwrap();
        let name = |m: &Value| m.as_str().unwrap().to_owned();
        members
            .iter()
            .map(name)
            .any(|n| n == member || n.starts_with(&format!("{member} (")))
    };
    let found = model["prices"].as_array().unwrap().iter().find(has);
    found.unwrap_or_else(|| panic!("no bucket has {member}: {}", model["prices"]))
}

fn milliseconds(price: &Value) -> f64 {
    price["price"]
        .as_f64()
        .unwrap_or_else(|| panic!("no price: {price}"))
        / 1e6
}

/// Section 2.4.1: blocks 1 and 3 always run together. R gives one of them NA; here they are one bucket with a price.
#[test]
fn blocks_that_always_run_together_are_one_bucket() {
    let mut workload = String::new();
    for i in 0..30u32 {
        // So many rounds, of which so many multiply.
        let (rounds, ones) = (24 + i * 5 % 8, 1 + i * 7 % 5);
        let exponent = (1 << (rounds - 1)) | ((1u32 << (ones - 1)) - 1);
        writeln!(workload, "{} {exponent} 40003", i + 2).unwrap();
    }
    let desk = recorded("ModExp", "squareMultiply", &workload);
    let model = desk.json("fit data -o m.json --level block --method nnls --train 100% --json");
    let block = |n: u32| format!("ModExp.squareMultiply(int, int, int) block {n}");
    let (first, last) = (bucket(&model, &block(1)), bucket(&model, &block(3)));
    assert_eq!(first["bucket"], last["bucket"]);
    assert!(first["price"].as_f64().is_some(), "it has a price: {first}");
    let sleeping = bucket(&model, &block(2));
    assert_ne!(sleeping["bucket"], first["bucket"]);
    let price = milliseconds(sleeping);
    assert!((8.0..16.0).contains(&price), "sleeps 10 ms: {price} ms");
    assert!(milliseconds(first) < 2.0, "{first}");
}

/// Section 2.3.3: a branch inside a method spoils prices of methods and leaves those of blocks alone.
#[test]
fn a_branch_is_wrong_by_method_and_right_by_block() {
    let mut workload = String::new();
    for i in 0..28u32 {
        let rare = u32::from(i % 7 == 3);
        let calls = [i * 5 % 3, i * 7 % 4, rare, i * 3 % 8 % 3, i * 11 % 5];
        let calls = calls.map(|n| n.to_string()).join(" ");
        writeln!(workload, "{} {calls}", 1 + i * 5 % 12).unwrap();
    }
    let desk = recorded("ControlFlow", "run", &workload);
    let fit = |how: &str| desk.json(&format!("fit data -o m.json --train 100% --json {how}"));
    let blocks = fit("--level block --method nnls");
    let sleeps = [
        ("ControlFlow.function1() block 0", 20.0),
        ("ControlFlow.function2(int) block 0", 5.0),
        ("ControlFlow.function2(int) block 1", 100.0),
        ("ControlFlow.function3() block 0", 500.0),
        ("ControlFlow.function4() block 0", 100.0),
    ];
    for (block, expected) in sleeps {
        let found = milliseconds(bucket(&blocks, block));
        let off = (found - expected).abs();
        assert!(
            off < 4.0 + 0.1 * expected,
            "{block}: {found} ms, not {expected}"
        );
    }
    let methods = fit("--level method --method ols");
    let branch = milliseconds(bucket(&methods, "ControlFlow.function2(int) invocations"));
    assert!(
        (branch - 5.0).abs() > 10.0 && (branch - 105.0).abs() > 10.0,
        "neither way of the branch: {branch} ms"
    );
}
