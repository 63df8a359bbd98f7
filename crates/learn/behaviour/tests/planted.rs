//! Planted laws, in recordings made here: those that hold are found, and those that do not are not called exact.

use std::collections::BTreeMap;

use pricetag_behaviour::{Options, learn};
use pricetag_services::{Call, Constant, Kind, Law, Quality, Recording, Required, Service, Value};

fn sized(size: f64) -> Value {
    Value::Sized {
        size,
        elements: Vec::new(),
        totals: None,
        kinds: None,
        histogram: BTreeMap::new(),
    }
}

fn service(class: &str, method: &str, parameters: &[&str]) -> Service {
    Service {
        class: class.to_owned(),
        method: method.to_owned(),
        parameters: parameters.iter().map(|p| (*p).to_owned()).collect(),
        ..Service::default()
    }
}

fn required(service: usize, argument: Value, result: Option<Value>) -> Required {
    Required {
        service,
        arguments: vec![argument],
        result,
        threw: false,
    }
}

/// Calls of `store(data, n)`: parameters, and what each requires.
fn recording(calls: Vec<(Vec<Value>, Vec<Required>)>, constants: &[f64]) -> Recording {
    let calls = calls.into_iter().enumerate();
    Recording {
        provided: vec![service("org.Shop", "store", &["data", "n"])],
        required: vec![
            service("org.Check", "known", &["p0"]),
            service("org.Disk", "put", &["p0"]),
        ],
        constants: constants
            .iter()
            .map(|&value| Constant {
                value,
                compared: true,
                places: Vec::new(),
            })
            .collect(),
        calls: calls
            .map(|(number, (arguments, required))| Call {
                service: 0,
                run: 0,
                thread: 1,
                number: number as u64,
                within: None,
                arguments,
                result: None,
                threw: false,
                required,
                further: 0,
                executed: BTreeMap::new(),
                time: None,
            })
            .collect(),
        ..Recording::default()
    }
}

fn options() -> Options {
    Options {
        generations: 10,
        ..Options::default()
    }
}

fn law(recording: &Recording, kind: &Kind) -> Law {
    let behaviour = learn(recording, &options());
    let laws = &behaviour.operations[0].laws;
    laws.iter().find(|law| law.kind == *kind).unwrap().clone()
}

/// Sizes around nothing: none between 90,000 and 400,000.
fn sizes() -> impl Iterator<Item = f64> {
    (0..40).map(|i| f64::from((i * 37) % 40) * 2000.0 + if i % 2 == 0 { 400_000.0 } else { 10.0 })
}

#[test]
fn a_threshold_far_from_all_data_is_the_number_in_the_code() {
    let calls = sizes().map(|size| {
        let put = (size > 200_000.0).then(|| required(1, sized(size), None));
        (
            vec![sized(size), Value::Number(3.0)],
            put.into_iter().collect(),
        )
    });
    let recording = recording(calls.collect(), &[200_000.0, 7.0, 1_000_000.0]);
    let found = law(&recording, &Kind::Calls { service: 1 });
    assert_eq!(
        (found.text.as_str(), found.quality),
        ("data.size > 200000", Quality::Exact)
    );
    let part = Kind::Parameter {
        service: 1,
        parameter: 0,
        part: ".size".to_owned(),
    };
    assert_eq!(law(&recording, &part).text, "data.size");
}

#[test]
fn a_result_of_an_earlier_call_decides_together_with_a_size() {
    let calls = sizes().enumerate().map(|(i, size)| {
        let known = f64::from(i % 5 == 0);
        let check = required(0, Value::Number(size), Some(Value::Number(known)));
        let put = (known == 0.0 && size > 200_000.0).then(|| required(1, sized(size), None));
        let all = [check].into_iter().chain(put).collect();
        (vec![sized(size), Value::Number(i as f64)], all)
    });
    let recording = recording(calls.collect(), &[200_000.0]);
    let found = law(&recording, &Kind::Calls { service: 1 });
    assert_eq!(found.quality, Quality::Exact, "{}", found.text);
    let features = found.formula.features();
    assert_eq!(features.len(), 2, "{}", found.text);
    assert!(found.text.contains("200000") && found.text.contains("Check.known.result"));
}

#[test]
fn what_state_decides_is_said_to_be_usual_with_its_probability() {
    let calls = sizes()
        .chain(sizes())
        .chain(sizes())
        .enumerate()
        .map(|(i, size)| {
            // One in eleven is known already; nothing that crosses the border says so.
            let put = (size > 200_000.0 && i % 11 != 10).then(|| required(1, sized(size), None));
            (
                vec![sized(size), Value::Number(3.0)],
                put.into_iter().collect(),
            )
        });
    let recording = recording(calls.collect(), &[200_000.0]);
    let found = law(&recording, &Kind::Calls { service: 1 });
    assert_eq!(
        (found.text.as_str(), found.quality),
        ("data.size > 200000", Quality::Usual)
    );
    assert!(
        (found.probability - 10.0 / 11.0).abs() < 0.03,
        "{}",
        found.probability
    );
}

#[test]
fn chance_is_not_called_a_law() {
    // A number that nothing explains.
    let noise = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 20);
    let calls = (0..40).map(|i| {
        let put = required(1, Value::Number(noise(i)), None);
        (
            vec![sized(f64::from(i)), Value::Number(noise(i + 1000))],
            vec![put],
        )
    });
    let recording = recording(calls.collect(), &[]);
    let part = Kind::Parameter {
        service: 1,
        parameter: 0,
        part: String::new(),
    };
    let found = law(&recording, &part);
    assert!(
        matches!(found.quality, Quality::Unexplained | Quality::Approximate),
        "{:?} {}",
        found.quality,
        found.text
    );
    assert_ne!(found.held, found.checked);
}

#[test]
fn passes_are_told_apart_and_explained_each() {
    // Each element is checked; the small ones are put.
    let calls = (0..24).map(|i| {
        let count = (i * 5) % 7;
        let elements: Vec<Value> = (0..count)
            .map(|k| sized(f64::from((i * 13 + k * 29) % 50)))
            .collect();
        let mut all = Vec::new();
        for element in &elements {
            let size = element.size().unwrap();
            all.push(required(0, Value::Number(size), Some(Value::Number(7.0))));
            if size <= 30.0 {
                all.push(required(1, element.clone(), None));
            }
        }
        let data = Value::Sized {
            size: f64::from(count),
            elements,
            totals: None,
            kinds: None,
            histogram: BTreeMap::new(),
        };
        (vec![data, Value::Number(0.0)], all)
    });
    let recording = recording(calls.collect(), &[30.0]);
    let put = law(&recording, &Kind::Calls { service: 1 });
    assert_eq!(
        (put.quality, put.per_pass),
        (Quality::Exact, true),
        "{}",
        put.text
    );
    assert_eq!(put.text, "data[pass].size <= 30");
    let passes = law(&recording, &Kind::Passes);
    assert_eq!(
        (passes.text.as_str(), passes.quality),
        ("data.size", Quality::Exact)
    );
}
