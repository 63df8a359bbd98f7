//! Files for other viewers, held against what those viewers ask of them: the rules are written down anew here, from their published descriptions.

mod speedscope;

use std::collections::BTreeMap;
use std::ops::Range;

use pricetag_events::text::import;
use pricetag_events::{Dictionary, Extent, Reader};
use pricetag_report::viewers::{Excerpt, Viewer};
use serde_json::Value;

const FACTS: &str = "class p/A\nclass q/B extends p/A\nmethod p/A f(I)V\nmethod p/A g(Ljava/lang/String;)V\nmethod q/B <init>()V\n\
    event 0 p/A p/A f(I)V\nevent 1 q/B p/A f(I)V\nevent 2 p/A p/A g(Ljava/lang/String;)V\nevent 3 q/B q/B <init>()V\n";
const EVENTS: &str =
    "thread 4 main\n3 0 0 1 2\nthread 9 wor;k%0aer\n2*3\nthread 4\n1\nleft-out 3\n0\n";

/// The calls of [`EVENTS`], in the order of the file: thread and method.
const CALLS: [(&str, &str); 10] = [
    ("main", "q.B.<init>()"),
    ("main", "p.A.f(int)"),
    ("main", "p.A.f(int)"),
    ("main", "p.A.f(int)"),
    ("main", "p.A.g(String)"),
    ("wor;k\ner", "p.A.g(String)"),
    ("wor;k\ner", "p.A.g(String)"),
    ("wor;k\ner", "p.A.g(String)"),
    ("main", "p.A.f(int)"),
    ("main", "p.A.f(int)"),
];

fn written(viewer: Viewer, window: Range<u64>, name: &str) -> String {
    let file = import(FACTS, EVENTS.as_bytes()).unwrap();
    let (_, dictionary): (Extent, Dictionary) = Extent::scan(file.as_slice()).unwrap();
    let mut excerpt = Excerpt::new(viewer, window);
    let mut events = Vec::new();
    for block in Reader::new(file.as_slice()).unwrap() {
        block.decode(&mut events).unwrap();
        if !excerpt.block(block.place.thread, &events) {
            break;
        }
    }
    let mut out = Vec::new();
    excerpt.write(&dictionary, name, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn calls(window: Range<usize>) -> BTreeMap<String, Vec<(u64, String)>> {
    let mut out: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
    for (at, (thread, method)) in CALLS.iter().enumerate().take(window.end).skip(window.start) {
        let calls = out.entry((*thread).to_owned()).or_default();
        calls.push((at as u64, (*method).to_owned()));
    }
    out
}

/// The rules of speedscope's file format for evented profiles: what must be there, of which type, in which order; frames open and close like brackets.
/// Gives what each profile opens.
fn speedscope(text: &str) -> BTreeMap<String, Vec<(u64, String)>> {
    let file: Value = serde_json::from_str(text).unwrap();
    speedscope::keeps_the_schema(&file);
    for key in file.as_object().unwrap().keys() {
        let known = [
            "$schema",
            "shared",
            "profiles",
            "name",
            "activeProfileIndex",
            "exporter",
        ];
        assert!(known.contains(&key.as_str()), "{key}");
    }
    assert!(file["name"].is_string() && file["exporter"].is_string());
    let frames = file["shared"]["frames"].as_array().unwrap();
    for frame in frames {
        assert!(frame["name"].is_string());
        for (key, value) in frame.as_object().unwrap() {
            match key.as_str() {
                "name" | "file" => assert!(value.is_string()),
                "line" | "col" => assert!(value.is_number()),
                other => panic!("{other}"),
            }
        }
    }
    let profiles = file["profiles"].as_array().unwrap();
    assert!(file["activeProfileIndex"].as_u64().unwrap() < profiles.len().max(1) as u64);
    let mut opened = BTreeMap::new();
    for profile in profiles {
        assert_eq!(profile["type"], "evented");
        let end = profile["endValue"].as_f64().unwrap();
        let mut last = profile["startValue"].as_f64().unwrap();
        let mut stack = Vec::new();
        let mut calls = Vec::new();
        for event in profile["events"].as_array().unwrap() {
            let at = event["at"].as_f64().unwrap();
            assert!(at >= last && at <= end, "{at} after {last}, before {end}");
            last = at;
            let frame = event["frame"].as_u64().unwrap() as usize;
            let name = frames[frame]["name"].as_str().unwrap();
            match event["type"].as_str().unwrap() {
                "O" => {
                    assert!(
                        stack.is_empty(),
                        "nothing is nested: returns are not recorded"
                    );
                    stack.push(frame);
                    calls.push((at as u64, name.to_owned()));
                }
                "C" => assert_eq!(stack.pop(), Some(frame)),
                other => panic!("{other}"),
            }
        }
        assert!(stack.is_empty(), "a frame stays open");
        let name = profile["name"].as_str().unwrap().to_owned();
        assert!(opened.insert(name, calls).is_none());
    }
    opened
}

/// The rules of trace events: complete events have a name, a time, a duration, a process and a thread, all numbers; metadata name both. Gives the calls by
/// thread.
fn trace(text: &str) -> BTreeMap<String, Vec<(u64, String)>> {
    let file: Value = serde_json::from_str(text).unwrap();
    let mut names: BTreeMap<u64, String> = BTreeMap::new();
    let mut calls: BTreeMap<u64, Vec<(u64, String)>> = BTreeMap::new();
    for event in file["traceEvents"].as_array().unwrap() {
        let (name, tid) = (
            event["name"].as_str().unwrap(),
            event["tid"].as_u64().unwrap(),
        );
        assert!(u32::try_from(tid).is_ok() && event["pid"].as_u64() == Some(1));
        match event["ph"].as_str().unwrap() {
            "M" => {
                let told = event["args"]["name"].as_str().unwrap().to_owned();
                match name {
                    "thread_name" => assert!(names.insert(tid, told).is_none()),
                    other => assert_eq!(other, "process_name"),
                }
            }
            "X" => {
                assert_eq!(
                    (event["dur"].as_u64(), event["cat"].as_str()),
                    (Some(1), Some("call"))
                );
                assert!(event["args"]["receiver"].is_string());
                let ts = event["ts"].as_u64().unwrap();
                let calls = calls.entry(tid).or_default();
                // Slices of a thread must nest or follow each other: these follow.
                assert!(calls.last().is_none_or(|(last, _)| *last < ts));
                calls.push((ts, name.to_owned()));
            }
            other => panic!("{other}"),
        }
    }
    let named = calls
        .into_iter()
        .map(|(tid, calls)| (names[&tid].clone(), calls));
    named.collect()
}

#[test]
fn speedscope_is_given_every_call_in_order() {
    assert_eq!(
        speedscope(&written(Viewer::Speedscope, 0..10, "a \"run\" </script>")),
        calls(0..10)
    );
    assert_eq!(
        speedscope(&written(Viewer::Speedscope, 3..7, "")),
        calls(3..7)
    );
    assert_eq!(
        speedscope(&written(Viewer::Speedscope, 8..90, "")),
        calls(8..10)
    );
}

#[test]
fn chrome_is_given_every_call_in_order() {
    let text = written(Viewer::Chrome, 0..10, "a \"run\" </script>\u{1}");
    assert_eq!(trace(&text), calls(0..10));
    assert!(text.contains("returns are not recorded"));
    let receivers: Value = serde_json::from_str(&text).unwrap();
    let first = &receivers["traceEvents"][5];
    assert_eq!(
        (&first["args"]["receiver"], &first["ts"]),
        (&"q.B".into(), &3.into())
    );
    assert_eq!(trace(&written(Viewer::Chrome, 3..7, "")), calls(3..7));
}

/// A line is frames with `;` between, a blank, and a number.
#[test]
fn collapsed_lines_add_up() {
    let text = written(Viewer::Collapsed, 0..10, "");
    let mut sums: BTreeMap<(String, String), u64> = BTreeMap::new();
    for line in text.lines() {
        let (stack, count) = line.rsplit_once(' ').unwrap();
        let frames: Vec<&str> = stack.split(';').collect();
        let [thread, method] = frames.as_slice() else {
            panic!("{line}")
        };
        let key = ((*thread).to_owned(), (*method).to_owned());
        assert!(sums.insert(key, count.parse().unwrap()).is_none());
    }
    let mut expected: BTreeMap<(String, String), u64> = BTreeMap::new();
    for (thread, method) in CALLS {
        let key = (thread.replace([';', '\n'], "_"), method.to_owned());
        *expected.entry(key).or_default() += 1;
    }
    assert_eq!(sums, expected);
}
