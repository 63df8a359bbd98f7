//! Programs with their bounds in comments, held against the counting evaluator on random arguments.
//!
//! The evaluator shares no code with the analysis: it runs compiled code and counts. `PRICETAG_CALLS` is how many calls each bound is held
//! against (200 unless set).

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use pricetag_bound::{Metric, NoBound, Side, bound};
use pricetag_miniml::Construct;
use support::{campaign, entry, prices, steps};

/// What a comment says of a function.
struct Claim {
    function: String,
    metric: Metric,
    degree: Option<u32>,
    /// Whether the lower bound is the same.
    exact: bool,
    text: String,
}

fn claims(source: &str) -> Vec<Claim> {
    let lines = source
        .lines()
        .filter_map(|l| l.strip_prefix("(*! ")?.strip_suffix(" *)"));
    lines
        .map(|line| {
            let mut words = line.split_whitespace();
            let function = words.next().unwrap().to_owned();
            let metric = match words.next().unwrap() {
                "time" => prices(),
                "steps" => steps(),
                "bytes" => Metric::Bytes,
                other => match other.strip_prefix("calls:") {
                    Some(name) => Metric::Calls(name.to_owned()),
                    None => {
                        Metric::Count(*Construct::ALL.iter().find(|c| c.name() == other).unwrap())
                    }
                },
            };
            let degree = words.next().unwrap().parse().ok();
            let rest: Vec<&str> = words.collect();
            let exact = rest.first() == Some(&"=");
            Claim {
                function,
                metric,
                degree,
                exact,
                text: rest[usize::from(exact)..].join(" "),
            }
        })
        .collect()
}

fn hold(file: &str, source: &str) {
    let calls = std::env::var("PRICETAG_CALLS").map_or(200, |n| n.parse().unwrap());
    for claim in claims(source) {
        let name = &claim.function;
        let context = format!("{file}: {name}");
        let entry = entry(source, name);
        let Some(degree) = claim.degree else {
            match bound(&entry, &claim.metric, Side::Upper, 3) {
                Err(NoBound::None {
                    culprit: Some(culprit),
                    ..
                }) => {
                    assert_eq!(format!("`{culprit}`"), claim.text, "{context}");
                }
                other => panic!("{context}: {other:?}"),
            }
            continue;
        };
        let begun = std::time::Instant::now();
        let upper = bound(&entry, &claim.metric, Side::Upper, 4)
            .unwrap_or_else(|e| panic!("{context}: {e}"));
        let time = begun.elapsed();
        assert_eq!(
            upper.degree,
            degree,
            "{context}: {}",
            upper.polynomial.text(Side::Upper)
        );
        if !claim.text.is_empty() {
            assert_eq!(upper.polynomial.text(Side::Upper), claim.text, "{context}");
        }
        if claim.exact {
            let lower = bound(&entry, &claim.metric, Side::Lower, degree)
                .unwrap_or_else(|e| panic!("{context}: {e}"));
            assert_eq!(lower.polynomial.terms, upper.polynomial.terms, "{context}");
        }
        if let Metric::Calls(_) = claim.metric {
            continue;
        }
        let size = if degree > 1 { 12 } else { 30 };
        let found = campaign(
            source,
            name,
            &claim.metric,
            Side::Upper,
            4,
            calls,
            size,
            &[],
        )
        .unwrap();
        println!(
            "{context}: {}, tightness {:.3}, {} ms",
            found.text,
            found.tightest,
            time.as_millis()
        );
        if claim.exact {
            assert!(
                found.tightest < 1.000_001,
                "{context}: exact, but {}",
                found.tightest
            );
        }
        let lower = campaign(
            source,
            name,
            &claim.metric,
            Side::Lower,
            degree.min(2),
            calls,
            size,
            &[],
        );
        match lower {
            Ok(found) => println!("    lower {}, tightness {:.3}", found.text, found.tightest),
            Err(why) => println!("    no lower bound: {why}"),
        }
    }
}

macro_rules! programs {
    ($($test:ident $file:literal)*) => {
        $(#[test]
        fn $test() {
            hold($file, include_str!(concat!("programs/", $file)));
        })*
    };
}

programs! {
    lists "lists.ml"
    sorting "sorting.ml"
    trees "trees.ml"
    numbers "numbers.ml"
    counting_up "counting.ml"
    functions_that_are_passed "functions.ml"
    programs_without_a_bound "none.ml"
}
