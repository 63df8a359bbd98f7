//! From `mine` to every answer: exit codes, JSON, files, settings, completions and manual pages.

use std::fmt::Write as _;

use crate::support::{Desk, ran};

/// Inputs whose two kinds of work vary independently.
fn desk() -> Desk {
    let inputs: Vec<(String, String)> = (0..16)
        .map(|i| {
            (
                format!("f{i:02}"),
                format!("{} {}", 20 + i * 13, 10 + (i * 7) % 16 * 20),
            )
        })
        .collect();
    let inputs: Vec<(&str, &str)> = inputs
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    Desk::new(&inputs)
}

#[test]
fn mine_answers_on_one_screen_and_every_other_command_agrees() {
    let desk = desk();
    let mined = desk.watch("mine --json --repeat 2 --seed 3 --jit off --inputs in/*");
    assert_eq!(mined.code, 0, "{}", mined.stderr);
    let summary = mined.json();
    assert_eq!(
        (summary["observations"].as_u64(), summary["failed"].as_u64()),
        (Some(16), Some(0))
    );
    assert!(
        summary["error"].is_array() && summary["baseline"].is_array(),
        "{summary}"
    );
    let page = std::fs::read_to_string(desk.path("report.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("Sums"));

    let inspection = desk.json("inspect pricetag-data --json");
    assert_eq!(inspection["observations"]["ok"], 16);
    let model = desk.json("fit pricetag-data -o m.json --seed 3 --json");
    let target = model["target"].clone();
    assert!(["wall", "cpu"].iter().any(|t| target == *t), "{target}");
    assert_eq!(summary["target"], target);
    let twin = desk.json("fit pricetag-data -o n.json --seed 3 --json");
    assert_eq!(model, twin, "same seed, same bytes");
    let raw = desk.json("fit pricetag-data --pace raw -o r.json --json");
    let pace = |model: &serde_json::Value| model["provenance"]["options"]["pace"].clone();
    assert_eq!(
        (pace(&raw), pace(&model)),
        ("raw".into(), serde_json::Value::Null)
    );
    let predictions = desk.json("predict m.json --dataset pricetag-data --json");
    assert_eq!(predictions["target"], target);
    let explained = desk.json("explain pricetag-data/model.json --by block --json");
    assert!(!explained["items"].as_array().unwrap().is_empty());
    // Whatever the formula, sampled runs say where the cost goes.
    desk.json("fit pricetag-data --method hier -o h.json --json");
    let blocks = desk.run("explain h.json --dataset pricetag-data --by block");
    assert!(
        blocks.stdout.contains("95 % interval") && blocks.stdout.contains("samples in methods"),
        "{}",
        blocks.stdout
    );
    for by in ["method", "line", "bucket"] {
        desk.json(&format!(
            "explain m.json --dataset pricetag-data --by {by} --json"
        ));
    }
    assert_eq!(
        desk.run("explain m.json --dataset pricetag-data --listing")
            .code,
        0
    );
    desk.json("report m.json --dataset pricetag-data -o again.html --json");
    assert!(desk.path("again.html").exists());

    let mut counted = desk.subject("predict m.json --json --inputs in/f0*");
    counted.arg("{}");
    let counted = ran(counted);
    assert_eq!(counted.code, 0, "{}", counted.stderr);
    assert_eq!(counted.json()["target"], target);

    for (format, file) in [
        ("csv", "t.csv"),
        ("parquet", "t.parquet"),
        ("lata-csv", "l.csv"),
    ] {
        let done = desk.json(&format!(
            "export pricetag-data --format {format} -o {file} --json"
        ));
        assert_eq!(done["observations"], 16);
        assert!(desk.path(file).exists());
    }
    let imported = desk.json("import l.csv --target ExecTime -o foreign --json");
    assert_eq!(imported["observations"], 16);
    assert!(
        desk.json("inspect foreign --json")["design"].is_object(),
        "the only cost is meant"
    );
    desk.json("fit foreign -o f.json --json");
    desk.json("predict f.json --features l.csv --json");
    assert_eq!(
        desk.watch("mine --inputs in/*").code,
        1,
        "a dataset is not replaced unasked"
    );
}

#[test]
fn a_strangers_table_is_priced_without_a_jvm() {
    let desk = Desk::new(&[]);
    let mut table = String::from("alpha,beta,cost\n");
    for i in 0..40 {
        let (a, b) = (1 + i * 7 % 13, 1 + i * 5 % 11);
        writeln!(table, "{a},{b},{}", 3 * a + 20 * b).unwrap();
    }
    std::fs::write(desk.path("t.csv"), table).unwrap();
    let without_path = |line: &str| {
        let mut command = desk.command(line);
        command.env("PATH", "/nowhere");
        ran(command)
    };
    assert_eq!(
        without_path("import t.csv --target cost --unit gas -o data").code,
        0
    );
    let fit = without_path("fit data -o m.json --method nnls --json");
    assert_eq!(fit.code, 0, "{}", fit.stderr);
    let model = fit.json();
    let price = |name: &str| {
        let prices = model["prices"].as_array().unwrap();
        prices
            .iter()
            .find(|p| p["bucket"] == name)
            .and_then(|p| p["price"].as_f64())
            .unwrap()
    };
    assert!((price("alpha") - 3.0).abs() < 1e-6 && (price("beta") - 20.0).abs() < 1e-6);
    let text = without_path("fit data -o m.json --method ols");
    assert!(
        text.stdout.contains("alpha") && text.stdout.contains("20"),
        "{}",
        text.stdout
    );
}

#[test]
fn bad_files_are_told_with_what_to_try() {
    let desk = Desk::new(&[]);
    std::fs::write(desk.path("noise.parquet"), "PAR1 this is not parquet").unwrap();
    std::fs::write(desk.path("text.csv"), "a,cost\n1,2\n2,3\nx,4\n3,5\n").unwrap();
    std::fs::write(desk.path("model.json"), "{\"schema\": 1").unwrap();
    std::fs::write(
        desk.path("good.csv"),
        "a,cost\n1,2\n2,3\n4,5\n3,5\n3,4\n6,8\n5,7\n",
    )
    .unwrap();
    assert_eq!(desk.run("import good.csv --target cost -o good").code, 0);
    let exported = desk.run("export good --format parquet -o whole.parquet");
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    let whole = std::fs::read(desk.path("whole.parquet")).unwrap();
    std::fs::write(desk.path("half.parquet"), &whole[..whole.len() / 2]).unwrap();
    assert_eq!(desk.run("fit good -o whole.json --method ols").code, 0);
    std::fs::write(desk.path("empty.csv"), "").unwrap();
    std::fs::write(desk.path("ragged.csv"), "a,cost\n1,2\n3\n").unwrap();
    std::fs::write(desk.path("words.csv"), "a\n1\nfive\n").unwrap();
    std::fs::write(desk.path("header.csv"), "a\n").unwrap();
    for (line, what) in [
        ("inspect nowhere", "nowhere"),
        ("import noise.parquet --target cost -o d", "Parquet"),
        ("import half.parquet --target cost -o d", "half.parquet"),
        ("import text.csv --target cost -o d", "line 4"),
        ("import text.csv --target nothing -o d", "nothing"),
        ("import nowhere.csv --target cost -o d", "nowhere.csv"),
        ("import good --target cost -o d", "good"),
        ("import empty.csv --target cost -o d", "empty"),
        ("import ragged.csv --target cost -o d", "line 3"),
        ("import good.csv --target cost --label a -o d", "same label"),
        (
            "predict whole.json --features words.csv",
            "line 3, column `a`",
        ),
        ("predict whole.json --features nowhere.csv", "nowhere.csv"),
        ("predict whole.json --features header.csv", "no rows"),
        ("fit nowhere -o m.json", "nowhere"),
        ("predict model.json --dataset nowhere", "model.json"),
        ("explain nowhere.json", "nowhere.json"),
        ("report model.json -o r.html", "model.json"),
    ] {
        let ran = desk.run(line);
        assert_eq!(ran.code, 1, "{line}: {}", ran.stderr);
        assert!(
            ran.stderr.starts_with("error: ")
                && ran.stderr.contains(what)
                && ran.stderr.contains("\n  try: "),
            "{line}: {}",
            ran.stderr
        );
        let json = desk.run(&format!("{line} --json"));
        assert_eq!(json.json()["error"]["exit_code"], 1, "{line}");
    }
}

#[test]
fn flags_win_over_environment_over_file_over_default() {
    let desk = Desk::new(&[]);
    std::fs::write(
        desk.path("t.csv"),
        "a,b,cost\n1,9,2\n2,3,3\n3,5,4\n4,1,9\n5,2,7\n6,8,8\n",
    )
    .unwrap();
    assert_eq!(desk.run("import t.csv --target cost -o data").code, 0);
    let seed = |line: &str, environment: Option<&str>| {
        let mut command = desk.command(line);
        if let Some(value) = environment {
            command.env("PRICETAG_SEED", value);
        }
        let ran = ran(command);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.json()["provenance"]["seed"].as_u64().unwrap()
    };
    let line = "fit data -o m.json --json --method ols";
    assert_eq!(seed(line, None), 1);
    std::fs::write(desk.path("pricetag.toml"), "seed = 5\n").unwrap();
    assert_eq!(seed(line, None), 5);
    assert_eq!(seed(line, Some("6")), 6);
    assert_eq!(seed(&format!("{line} --seed 7"), Some("6")), 7);
    std::fs::write(desk.path("pricetag.toml"), "sede = 5\n").unwrap();
    let wrong = desk.run(line);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("sede"), "{}", wrong.stderr);
}

#[test]
fn completions_and_manual_pages_are_generated() {
    let desk = Desk::new(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = desk.run(&format!("completions {shell}"));
        assert_eq!(ran.code, 0);
        assert!(ran.stdout.contains("check-determinism"), "{shell}");
    }
    let man = desk.run("man");
    assert!(
        man.code == 0 && man.stdout.contains(".TH pricetag"),
        "{}",
        man.stdout
    );
    assert_eq!(desk.run("man -o pages").code, 0);
    assert!(desk.path("pages/pricetag-record.1").exists());
    let help = desk.run("record --help");
    assert!(help.code == 0 && help.stdout.contains("--check-determinism"));
    assert_eq!(desk.run("--version").code, 0);
}

#[test]
fn doctor_really_loads_the_agent_and_fails_without_a_jvm() {
    let desk = Desk::new(&[]);
    let well = desk.json("doctor --json");
    assert_eq!(well["able"], true, "{well}");
    let checks = well["checks"].as_array().unwrap();
    let loads = checks.iter().find(|c| c["name"] == "agent loads").unwrap();
    assert_eq!(loads["verdict"], "ok");
    let ill = desk.run("doctor --json --java no-such-java");
    assert_eq!(ill.code, 1);
    assert_eq!(ill.json()["able"], false);
    std::fs::write(desk.path("agent.so"), "this is no library").unwrap();
    let broken = desk.run("doctor --agent agent.so");
    assert_eq!(broken.code, 1);
    assert!(
        broken.stdout.contains("could not load the agent") && broken.stdout.contains("try:"),
        "{}",
        broken.stdout
    );
}

#[test]
fn colours_are_off_unless_asked_for() {
    let desk = Desk::new(&[]);
    let plain = desk.run("inspect nowhere");
    assert!(!plain.stderr.contains('\x1b'));
    let coloured = desk.run("inspect nowhere --color always");
    assert!(coloured.stderr.contains('\x1b'));
}
