//! Stacks of two builds for other viewers, read back by the rules of their published descriptions, written down anew here.

mod speedscope;

use pricetag_report::differential::{Form, Stack, Weight, write};
use serde_json::Value;

fn stacks() -> Vec<Stack> {
    let stack = |frames: &[&str], weights| Stack {
        frames: frames.iter().map(|&f| f.to_owned()).collect(),
        weights,
    };
    vec![
        stack(&["A", "A.f(int)", "A.f(int) line 3"], [100, 300]),
        stack(&["A", "A.g;x(int)"], [50, 0]),
        stack(&["B", "A.f(int)"], [0, 7]),
    ]
}

#[test]
fn collapsed_lines_have_both_weights() {
    let text =
        String::from_utf8(write(&stacks(), Form::Collapsed, Weight::Instructions, "x")).unwrap();
    assert_eq!(
        text,
        "A;A.f(int);A.f(int) line 3 100 300\nA;A.g_x(int) 50 0\nB;A.f(int) 0 7\n"
    );
}

/// What speedscope's schema asks of a file with sampled profiles.
fn sampled(profile: &Value, frames: usize) -> Vec<(Vec<usize>, u64)> {
    assert_eq!(profile["type"], "sampled");
    let samples = profile["samples"].as_array().unwrap();
    let weights = profile["weights"].as_array().unwrap();
    assert_eq!(samples.len(), weights.len());
    let read = samples.iter().zip(weights).map(|(sample, weight)| {
        let sample = sample.as_array().unwrap().iter();
        let sample: Vec<usize> = sample.map(|f| f.as_u64().unwrap() as usize).collect();
        assert!(sample.iter().all(|&frame| frame < frames));
        (sample, weight.as_u64().unwrap())
    });
    let read: Vec<_> = read.collect();
    let sum: u64 = read.iter().map(|(_, weight)| weight).sum();
    let [start, end] = ["startValue", "endValue"].map(|of| profile[of].as_u64().unwrap());
    assert_eq!(end - start, sum);
    read
}

#[test]
fn speedscope_has_before_after_more_and_less() {
    let file = write(
        &stacks(),
        Form::Speedscope,
        Weight::Microseconds,
        "two builds",
    );
    let file: Value = serde_json::from_slice(&file).unwrap();
    speedscope::keeps_the_schema(&file);
    assert_eq!(file["name"], "two builds");
    let frames: Vec<&str> = file["shared"]["frames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|frame| frame["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        frames,
        ["A", "A.f(int)", "A.f(int) line 3", "A.g;x(int)", "B"]
    );
    let profiles = file["profiles"].as_array().unwrap();
    assert!(file["activeProfileIndex"].as_u64().unwrap() < profiles.len() as u64);
    let read: Vec<_> = profiles.iter().map(|p| sampled(p, frames.len())).collect();
    assert_eq!(read[0], [(vec![0, 1, 2], 100), (vec![0, 3], 50)]);
    assert_eq!(read[1], [(vec![0, 1, 2], 300), (vec![4, 1], 7)]);
    assert_eq!(read[2], [(vec![0, 1, 2], 200), (vec![4, 1], 7)]);
    assert_eq!(read[3], [(vec![0, 3], 50)]);
    assert!(profiles.iter().all(|p| p["unit"] == "microseconds"));
}

/// A field of a message: its number, and a number or bytes.
enum Field<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..70).step_by(7) {
        let (&byte, rest) = bytes.split_first().expect("a varint ends");
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return value;
        }
    }
    panic!("a varint of more than ten bytes");
}

fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            2 => {
                let length = varint(&mut bytes) as usize;
                let (one, rest) = bytes.split_at_checked(length).expect("as long as it says");
                bytes = rest;
                Field::Bytes(one)
            }
            other => panic!("wire type {other}"),
        };
        found.push((key >> 3, field));
    }
    found
}

fn messages<'b>(of: &[(u64, Field<'b>)], number: u64) -> Vec<Vec<(u64, Field<'b>)>> {
    let found = of.iter().filter(|(n, _)| *n == number);
    let found = found.map(|(_, field)| match field {
        Field::Bytes(bytes) => fields(bytes),
        Field::Number(_) => panic!("field {number} is no message"),
    });
    found.collect()
}

fn number(of: &[(u64, Field)], wanted: u64) -> u64 {
    let found: Vec<u64> = of
        .iter()
        .filter(|(n, _)| *n == wanted)
        .map(|(_, field)| match field {
            Field::Number(value) => *value,
            Field::Bytes(_) => panic!("field {wanted} is no number"),
        })
        .collect();
    assert_eq!(found.len(), 1, "field {wanted}");
    found[0]
}

fn packed(of: &[(u64, Field)], wanted: u64) -> Vec<u64> {
    let (_, field) = of.iter().find(|(n, _)| *n == wanted).expect("it is there");
    let mut bytes = match field {
        Field::Bytes(bytes) => *bytes,
        Field::Number(_) => panic!("field {wanted} is not packed"),
    };
    let mut values = Vec::new();
    while !bytes.is_empty() {
        values.push(varint(&mut bytes));
    }
    values
}

#[test]
fn pprof_has_before_after_and_change_of_each_stack() {
    let file = write(&stacks(), Form::Pprof, Weight::Instructions, "two builds");
    let profile = fields(&file);
    let texts: Vec<&str> = profile
        .iter()
        .filter(|(n, _)| *n == 6)
        .map(|(_, field)| match field {
            Field::Bytes(bytes) => std::str::from_utf8(bytes).unwrap(),
            Field::Number(_) => panic!("a text is a number"),
        })
        .collect();
    assert_eq!(texts[0], "", "the first text is empty");
    let text = |number: u64| texts[number as usize];
    let types: Vec<(&str, &str)> = messages(&profile, 1)
        .iter()
        .map(|kind| (text(number(kind, 1)), text(number(kind, 2))))
        .collect();
    assert_eq!(
        types,
        [
            ("instructions_before", "count"),
            ("instructions_after", "count"),
            ("instructions_change", "count")
        ]
    );
    assert_eq!(text(number(&profile, 14)), "instructions_change");
    let functions: Vec<(u64, &str)> = messages(&profile, 5)
        .iter()
        .map(|function| (number(function, 1), text(number(function, 2))))
        .collect();
    let name_of = |id: u64| {
        let locations = messages(&profile, 4);
        let location = locations
            .iter()
            .find(|l| number(l, 1) == id)
            .expect("a location");
        let function = number(&messages(location, 4)[0], 1);
        functions
            .iter()
            .find(|(id, _)| *id == function)
            .expect("a function")
            .1
    };
    let samples: Vec<(Vec<&str>, Vec<i64>)> = messages(&profile, 2)
        .iter()
        .map(|sample| {
            let frames = packed(sample, 1).into_iter().map(name_of).collect();
            let values = packed(sample, 2).into_iter().map(|v| v as i64).collect();
            (frames, values)
        })
        .collect();
    let wanted: Vec<(Vec<&str>, Vec<i64>)> = vec![
        (
            vec!["A.f(int) line 3", "A.f(int)", "A"],
            vec![100, 300, 200],
        ),
        (vec!["A.g;x(int)", "A"], vec![50, 0, -50]),
        (vec!["A.f(int)", "B"], vec![0, 7, 7]),
    ];
    assert_eq!(samples, wanted);
}
