//! `pricetag ocaml compare`: which of two functions is faster, and for which sizes, by their bounds and by prediction of calls.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use pricetag_bound::{Polynomial, Side, bound};
use pricetag_cost_model::PriceList;
use pricetag_finding::{BoundComparison, CostBound, FINDING_SCHEMA, PredictedPair};
use pricetag_miniml::Options;
use pricetag_native::{Mode, Ocaml};
use pricetag_predict::{Pricing, predict_call};

use super::bound::{bounded, functions, no_function, prices};
use super::predict::open_list;
use crate::arguments::OcamlCompareArgs;
use crate::console::Console;
use crate::failure::Failure;

/// Sizes up to which each is looked at; beyond, only the ends of ranges are searched for.
const EACH: u64 = 4096;
/// Where sizes end: beyond, the highest degree has decided.
const END: u64 = 1 << 40;

pub fn run(args: &OcamlCompareArgs, console: &Console) -> Result<ExitCode, Failure> {
    let list = open_list(&args.list)?;
    let prices = prices(&list, args.estimator.as_deref())?;
    let one = |given: &str| -> Result<(Option<Polynomial>, CostBound), Failure> {
        let (file, name) = parts(given)?;
        let found = functions(Path::new(file), console)?;
        let Some(defined) = found.iter().find(|d| d.name == name) else {
            return Err(no_function(file, name, &found));
        };
        let told = bounded(&defined.entry, &prices, Side::Upper, args.degree, None);
        let exact = match &defined.entry {
            Ok(entry) => bound(entry, &prices, Side::Upper, args.degree).ok(),
            Err(_) => None,
        };
        if let (Some(why), true) = (&told.none, args.call.is_empty()) {
            return Err(Failure::new(why.clone())
                .doing(format!("cannot compare {given}"))
                .advice(
                    "a higher --degree, if it has a bound at all; --call compares by prediction",
                ));
        }
        Ok((exact.map(|b| b.polynomial), told))
    };
    let ((a, first), (b, second)) = (one(&args.first)?, one(&args.second)?);
    let both = a.as_ref().zip(b.as_ref());
    let mut warnings = vec![];
    if both.is_some() {
        warnings.push(
            "a bound may be nearer to the cost of one than of the other: this compares worst cases by paper mode's prices".into(),
        );
    }
    if !args.call.is_empty() {
        warnings.push("predictions are of whole calls, what makes the arguments included".into());
        warnings.extend(super::predict::warnings(&list, &Ocaml::here("ocamlopt")));
    }
    let (predicted, deep) = predicted(args, &list, console)?;
    warnings.extend(deep);
    let answer = BoundComparison {
        schema: FINDING_SCHEMA,
        names: [args.first.clone(), args.second.clone()],
        bounds: [first, second],
        ranges: both.map(|(a, b)| ranges(a, b)).unwrap_or_default(),
        predicted,
        termwise: both.and_then(|(a, b)| termwise(a, b)),
        warnings,
    };
    console.result(&answer, || answer.to_text())?;
    Ok(ExitCode::SUCCESS)
}

/// File and function.
fn parts(given: &str) -> Result<(&str, &str), Failure> {
    given.rsplit_once(':').ok_or_else(|| {
        Failure::usage(format!("`{given}` names no function"))
            .advice("a program and a function of it, as a.ml:append")
    })
}

/// The calls that are given, of both functions, by prediction; and which of them go deeper than the stack is large.
fn predicted(
    args: &OcamlCompareArgs,
    list: &PriceList,
    console: &Console,
) -> Result<(Vec<PredictedPair>, Vec<String>), Failure> {
    if args.call.is_empty() {
        return Ok((vec![], vec![]));
    }
    let pricing = Pricing::of(list, Mode::Extended.name(), args.estimator.as_deref())?;
    let mut options = Options {
        mode: Mode::Extended.rules(),
        ..Options::default()
    };
    if let Some(collector) = &list.collector {
        options.minor_heap = collector.heap as u64;
    }
    let sizes: Vec<Option<u64>> = if args.sizes.is_empty() {
        vec![None]
    } else {
        args.sizes.iter().copied().map(Some).collect()
    };
    let calls = args.call.iter();
    let calls: Vec<(&String, Option<u64>)> = calls
        .flat_map(|call| sizes.iter().map(move |n| (call, *n)))
        .collect();
    let told = |call: &str, n: Option<u64>| match n {
        Some(n) => format!("{call}, n = {n}"),
        None => call.to_owned(),
    };
    let mut deep = Vec::new();
    let mut times = |given: &str| -> Result<Vec<Option<f64>>, Failure> {
        let (file, name) = parts(given)?;
        let mut source = super::source_of(Path::new(file))?;
        for (call, n) in &calls {
            let n = n.map_or(String::new(), |n| format!("let n = {n} in "));
            // Writing into a string cannot fail.
            write!(source, "\n;;\n{n}let f = {name} in ({call}\n)").ok();
        }
        let run = pricetag_miniml::run(&source, &options)
            .map_err(|errors| super::refused(&errors, file, &source, console, "predict"))?;
        if let Some(stop) = &run.stop {
            return Err(super::stopped(&run, stop, file, "predict"));
        }
        let rows = &run.rows[run.rows.len() - calls.len()..];
        deep.extend(calls.iter().zip(rows).filter_map(|((call, n), row)| {
            let label = format!("{given}, {}", told(call, *n));
            super::predict::overflow(list, row, &label)
        }));
        let costs = rows
            .iter()
            .map(|row| predict_call(&pricing, &super::predict::call(row)));
        Ok(costs.map(|c| c.time).collect())
    };
    let (first, second) = (times(&args.first)?, times(&args.second)?);
    let both = first.into_iter().zip(second);
    let pairs = calls
        .iter()
        .zip(both)
        .map(|((call, n), (a, b))| PredictedPair {
            call: told(call, *n),
            times: [a, b],
        });
    Ok((pairs.collect(), deep))
}

/// Which one is lower at a size, all sizes being equal.
fn faster(a: &Polynomial, b: &Polynomial, size: u64) -> Option<usize> {
    let value = |p: &Polynomial| p.at(&vec![size; p.sizes.len()]);
    match value(a).cmp(&value(b)) {
        Ordering::Less => Some(0),
        Ordering::Equal => None,
        Ordering::Greater => Some(1),
    }
}

fn ranges(a: &Polynomial, b: &Polynomial) -> Vec<(u64, Option<u64>, Option<usize>)> {
    let mut found = Vec::new();
    let (mut from, mut now) = (0, faster(a, b, 0));
    let mut at = 0;
    while at < END {
        let next = if at < EACH { at + 1 } else { at + at / 64 };
        let then = faster(a, b, next);
        if then == now {
            at = next;
        } else {
            let (mut low, mut high) = (at, next);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if faster(a, b, middle) == now {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            found.push((from, Some(low), now));
            (from, now) = (high, faster(a, b, high));
            at = high;
        }
    }
    found.push((from, None, now));
    found
}

/// Which one has no larger factor in any term, if its sizes are the other's.
fn termwise(a: &Polynomial, b: &Polynomial) -> Option<usize> {
    use std::collections::BTreeMap;
    let terms = |p: &Polynomial| -> BTreeMap<Vec<_>, _> {
        let named = |t: &pricetag_bound::Term| {
            let powers = t
                .powers
                .iter()
                .map(|(place, k)| (p.sizes[*place].path.clone(), *k));
            (powers.collect::<Vec<_>>(), t.factor.clone())
        };
        p.terms.iter().map(named).collect()
    };
    let (a, b) = (terms(a), terms(b));
    let zero = pricetag_bound::zero();
    let below = |x: &BTreeMap<_, _>, y: &BTreeMap<_, _>| {
        let larger = |k: &Vec<_>| x.get(k).unwrap_or(&zero) > y.get(k).unwrap_or(&zero);
        !x.keys().chain(y.keys()).any(larger)
    };
    if below(&a, &b) {
        Some(0)
    } else if below(&b, &a) {
        Some(1)
    } else {
        None
    }
}
