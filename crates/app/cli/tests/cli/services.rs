//! `services` from the command line: what crosses a border is planted in the subjects' sources.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::support::{Desk, Ran, ran};

/// Compiled once.
fn classes() -> &'static Path {
    static CLASSES: OnceLock<PathBuf> = OnceLock::new();
    CLASSES.get_or_init(|| {
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("services-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let subjects = pricetag_testkit::repository().join("subjects");
        let mut sources = vec![subjects.join("services/Orders.java")];
        let share = subjects.join("fileshare/fileshare");
        for folder in ["", "logic", "compress", "hash", "store"] {
            let entries = std::fs::read_dir(share.join(folder)).unwrap();
            let paths = entries.map(|entry| entry.unwrap().path());
            sources.extend(paths.filter(|p| p.extension().is_some_and(|e| e == "java")));
        }
        let status = Command::new(pricetag_testkit::jvm::java_tool("javac"))
            .args(["-g", "--release", "11", "-d"])
            .arg(&dir)
            .args(sources)
            .status()
            .expect("javac runs");
        assert!(status.success());
        dir
    })
}

fn record(desk: &Desk, component: &str, options: &str, main: &str) -> Ran {
    let mut command = desk.command("services record -o services --component");
    command.arg(component).args(options.split_whitespace());
    command
        .args(["--", "java", "-Xmx512m", "-cp"])
        .arg(classes());
    command.args(main.split_whitespace());
    ran(command)
}

/// The behaviour that is learnt from a program.
fn behaviour(component: &str, options: &str, main: &str) -> Value {
    let desk = Desk::new(&[]);
    let recorded = record(&desk, component, options, main);
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    desk.json("services learn services -o b.json --json --generations 20")
}

/// The law of a service about this: `calls Stock.reserve`, `Stock.reserve p0`, `result`, ….
fn law<'b>(behaviour: &'b Value, operation: &str, what: &str) -> &'b Value {
    let operations = behaviour["operations"].as_array().unwrap();
    let named = |service: &Value| {
        let class = service["class"].as_str().unwrap();
        let class = class.rsplit('.').next().unwrap();
        format!("{class}.{}", service["method"].as_str().unwrap())
    };
    let found = operations.iter().find(|o| {
        let descriptor = o["service"]["descriptor"].as_str().unwrap();
        format!("{}{descriptor}", named(&o["service"])).starts_with(operation)
    });
    let found = found.unwrap_or_else(|| panic!("no {operation}"));
    let required = behaviour["required"].as_array().unwrap();
    let laws = found["laws"].as_array().unwrap();
    let told = |law: &Value| {
        let kind = &law["kind"];
        let service = || named(&required[kind["service"].as_u64().unwrap() as usize]);
        match kind["of"].as_str().unwrap() {
            "calls" => format!("calls {}", service()),
            "parameter" => format!(
                "{} p{}{}",
                service(),
                kind["parameter"],
                kind["part"].as_str().unwrap()
            ),
            "result" => format!("result{}", kind["part"].as_str().unwrap()),
            "executed" => format!("executed {}", kind["category"].as_str().unwrap()),
            other => other.to_owned(),
        }
    };
    laws.iter()
        .find(|l| told(l) == what)
        .unwrap_or_else(|| panic!("no law of {what} in {laws:#?}"))
}

fn is_exact(behaviour: &Value, operation: &str, what: &str, text: &str) {
    let law = law(behaviour, operation, what);
    assert_eq!(law["text"], text, "{operation}: {what}");
    assert_eq!(law["quality"], "exact", "{operation}: {what}");
    assert_eq!(law["held"], law["checked"], "{operation}: {what}");
}

#[test]
fn what_is_planted_at_a_border_is_found_exactly() {
    let found = behaviour("Orders", "--calls-only", "Main");
    let place = "Orders.place([I";
    is_exact(&found, place, "calls Stock.reserve", "amounts.size");
    is_exact(&found, place, "Stock.reserve p0", "2·amounts[pass] + 1");
    is_exact(&found, place, "calls Mail.send", "rush > 3");
    is_exact(&found, place, "Mail.send p0.size", "customer.size");
    is_exact(&found, place, "calls Ledger.book", "amounts.size > 10");
    is_exact(&found, place, "Ledger.book p0", "amounts.size - 1");
    is_exact(&found, place, "Ledger.book p1", "rush");
    // Overloaded, by way of a bridge, in a lambda, and called back.
    is_exact(&found, "Orders.place(I)V", "calls Stock.reserve", "1");
    is_exact(&found, "Orders.place(I)V", "Stock.reserve p0", "amount");
    is_exact(
        &found,
        "Orders.accept(Ljava/lang/String;",
        "Mail.send p0.size",
        "text.size",
    );
    is_exact(&found, "Orders.each", "calls Stock.reserve", "list.size");
    is_exact(&found, "Orders.low", "calls Stock.refill", "1");
    is_exact(&found, "Orders.low", "Stock.refill p0", "level");
    is_exact(&found, "Orders.refilled", "Ledger.book p1", "7");
    is_exact(&found, "Orders.lambda$low", "Ledger.book p1", "7");
    // Bodies are not called from outside by way of what calls them inside.
    let operations = found["operations"].as_array().unwrap();
    let inside = operations.iter().any(|o| o["service"]["method"] == "twice");
    assert!(!inside);
}

/// As often as the source says.
#[test]
fn calls_are_noted_once_each_by_threads_callbacks_and_odd_values() {
    let desk = Desk::new(&[]);
    let recorded = record(&desk, "Orders", "--calls-only --json", "Main").json();
    // 30 place, 9 place, 9 accept, 9 each, 9 low, 200 refilled, 6 odd, and 9 times the lambda of `low`, which is called back.
    assert_eq!(recorded["provided_calls"], 30 + 9 + 9 + 9 + 9 + 200 + 6 + 9);
    let calls = std::fs::read_to_string(desk.path("services/calls.jsonl")).unwrap();
    let threw = calls.lines().filter(|line| line.contains("\"threw\":true"));
    assert_eq!(threw.count(), 1);
    let large = calls.lines().filter(|line| line.contains("\"n\":5000000"));
    assert_eq!(large.count(), 1, "a large array has its size");
    let within = calls.lines().filter(|line| line.contains("\"within\""));
    assert_eq!(within.count(), 9);
}

#[test]
fn patterns_of_nothing_and_everything_are_told() {
    let desk = Desk::new(&[]);
    let nothing = record(&desk, "org.none.**", "--calls-only", "Main");
    assert_eq!(nothing.code, 1);
    assert!(
        nothing
            .stderr
            .contains("no class that the program loaded matches org.none.**")
            && nothing.stderr.contains("try: "),
        "{}",
        nothing.stderr
    );
    let everything = record(&desk, "**", "--calls-only", "Main");
    assert_eq!(everything.code, 0, "{}", everything.stderr);
    assert!(
        everything.stderr.contains("no call left **"),
        "{}",
        everything.stderr
    );
    let again = record(&desk, "Orders", "--calls-only", "Main");
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("already there"), "{}", again.stderr);
    let failed = record(&desk, "Orders", "--calls-only --force", "NoMain");
    assert_eq!(failed.code, 1);
    assert!(failed.stderr.contains("NoMain"), "{}", failed.stderr);
}

const UPLOAD: &str = "BusinessLogic.uploadFiles";

#[test]
fn the_dependencies_of_the_case_study_are_found() {
    let logic = "fileshare.logic.**";
    let single = behaviour(logic, "--calls-only", "fileshare.Main lzw single");
    let many = behaviour(logic, "--calls-only", "fileshare.Main blocks many");
    for (found, compressor, each) in [(&single, "Lzw", "1"), (&many, "Blocks", "fileTypes.size")] {
        let is = |what: &str, text: &str| is_exact(found, UPLOAD, what, text);
        let sent = format!(
            "if(fileTypes[pass] > 0, inputFiles[pass].size, {compressor}.compress.result.size)"
        );
        is(
            &format!("calls {compressor}.compress"),
            "fileTypes.count(0)",
        );
        is(
            &format!("{compressor}.compress p0.size"),
            "inputFiles[pass].size",
        );
        is("calls Hashing.hash", each);
        is("Hashing.hash p0.size", &sent);
        is("calls KnownFiles.contains", each);
        is("KnownFiles.contains p0", "Hashing.hash.result");
        is("ProtectedFiles.contains p0", "Hashing.hash.result");
        is("LargeStorage.store p0.size", "Hashing.hash.p0.size");
        is("SmallStorage.store p0.size", "Hashing.hash.p0.size");
        // The threshold of the code, though no stored size is near it, of what was hashed and not of what was uploaded.
        for (storage, side) in [("Large", "> 200000"), ("Small", "<= 200000")] {
            let law = law(found, UPLOAD, &format!("calls {storage}Storage.store"));
            let text = law["text"].as_str().unwrap();
            let condition = format!("(Hashing.hash.p0.size {side})");
            assert!(text.contains(&condition), "{text}");
            assert_eq!(law["quality"], "exact", "{text}");
        }
    }
    is_exact(
        &single,
        UPLOAD,
        "calls ProtectedFiles.contains",
        "KnownFiles.contains.result == 0",
    );
    is_exact(
        &many,
        UPLOAD,
        "calls ProtectedFiles.contains",
        "fileTypes.size - KnownFiles.contains.result",
    );
}

/// One upload in eleven is of a file that the component knows; what it knows is inside.
#[test]
fn what_the_component_remembers_is_told_as_a_probability() {
    let component = "fileshare.logic.** --component fileshare.store.KnownFiles";
    let desk = Desk::new(&[]);
    let mut command = desk.command("services record --calls-only -o services --component");
    command.args(component.split(' '));
    command.args(["--", "java", "-cp"]).arg(classes());
    command.args(["fileshare.Main", "lzw", "repeated"]);
    assert_eq!(ran(command).code, 0);
    let found = desk.json("services learn services -o b.json --json --generations 5");
    let usual = law(&found, UPLOAD, "calls ProtectedFiles.contains");
    assert_eq!(
        (&usual["text"], &usual["quality"]),
        (&"1".into(), &"usual".into())
    );
    let probability = usual["probability"].as_f64().unwrap();
    assert!((probability - 10.0 / 11.0).abs() < 1e-9, "{probability}");
    let large = law(&found, UPLOAD, "calls LargeStorage.store");
    assert_eq!(large["quality"], "exact");
    assert_eq!(desk.run("services show b.json -q --palladio pcm").code, 0);
    let model = std::fs::read_to_string(desk.path("pcm/component.repository")).unwrap();
    let share = format!("branchProbability=\"{probability}\"");
    assert!(
        model.contains(&share) && !model.contains("_calls.VALUE"),
        "{model}"
    );
    assert!(
        large["text"].as_str().unwrap().contains("> 200000"),
        "{large}"
    );
}

/// What one method executes follows from its source; javac compiles `x.length` to one `arraylength`, and a `for` over an array to one more.
#[test]
fn instructions_of_a_call_are_counted_and_explained() {
    let found = behaviour(
        "fileshare.hash.Hashing",
        "--repeat 0",
        "fileshare.Main lzw near",
    );
    let hash = "Hashing.hash";
    is_exact(&found, hash, "executed opcode array_length", "1");
    is_exact(&found, hash, "executed opcode array_load", "data.size");
    is_exact(&found, hash, "executed opcode long_mul", "data.size");
}

/// Calls of two inputs are told apart, and each is counted.
#[test]
fn several_inputs_are_counted_each() {
    let desk = Desk::new(&[]);
    std::fs::write(desk.path("modes.csv"), "mode\nnear\nsingle\n").unwrap();
    let recorded = record(
        &desk,
        "fileshare.hash.Hashing",
        "--repeat 0 --workload modes.csv",
        "fileshare.Main lzw {mode}",
    );
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let calls = std::fs::read_to_string(desk.path("services/calls.jsonl")).unwrap();
    let (mut runs, mut counted) = ([0, 0], 0);
    for line in calls.lines() {
        let call: Value = serde_json::from_str(line).unwrap();
        runs[call["run"].as_u64().unwrap() as usize] += 1;
        // One load of an array's element for each byte that is hashed.
        let size = &call["arguments"][0]["n"];
        counted += usize::from(&call["executed"]["opcode array_load"] == size);
    }
    // 16 and 11 uploads, and one file that is hashed to forbid it.
    assert_eq!((runs, counted), ([17, 12], 29));
}

#[test]
fn a_behaviour_is_shown_drawn_and_written_for_palladio() {
    let desk = Desk::new(&[]);
    let recorded = record(&desk, "Orders", "--calls-only", "Main");
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    assert_eq!(
        desk.run("services learn services -o b.json -q --generations 2")
            .code,
        0
    );
    let shown = desk.run("services show b.json --picture p.svg --palladio pcm --report p.html");
    assert_eq!(shown.code, 0, "{}", shown.stderr);
    assert!(
        shown
            .stdout
            .contains("calls of Mail.send = rush > 3   [exact, also on"),
        "{}",
        shown.stdout
    );
    let svg = std::fs::read_to_string(desk.path("p.svg")).unwrap();
    assert!(svg.contains("Orders.place calls Stock.reserve: amounts.size"));
    let page = std::fs::read_to_string(desk.path("p.html")).unwrap();
    // printf '<svg xmlns="' | base64
    assert!(
        page.contains("src=\"data:image/svg+xml;base64,PHN2ZyB4bWxucz0i"),
        "{page}"
    );
    for part in [
        "calls of Mail.send",
        "<code>rush &gt; 3</code>",
        "exact, also on",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let model = std::fs::read_to_string(desk.path("pcm/component.repository")).unwrap();
    let specification = "specification=\"((rush.VALUE &gt; 3.0) ? 1 : 0)\"";
    assert!(model.contains(specification), "{model}");
    // Every reference within the model leads to an element that is there.
    let ids: Vec<&str> = model
        .split(" id=\"")
        .skip(1)
        .filter_map(|part| part.split('"').next())
        .collect();
    for name in [
        "successor_AbstractAction",
        "calledService_ExternalService",
        "role_ExternalService",
        "describedService__SEFF",
    ] {
        let parts = model
            .split(&format!(" {name}=\""))
            .skip(1)
            .collect::<Vec<_>>();
        assert!(!parts.is_empty(), "{name}");
        for part in parts {
            let id = part.split('"').next().unwrap();
            assert!(ids.contains(&id), "{name}: {id}");
        }
    }
    let damaged = desk.path("b.json");
    std::fs::write(&damaged, "{").unwrap();
    let refused = desk.run("services show b.json");
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("b.json:1"), "{}", refused.stderr);
}
