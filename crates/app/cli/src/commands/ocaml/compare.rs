//! `pricetag ocaml compare`: which of two functions is faster, and for which sizes, by their bounds.

use std::cmp::Ordering;
use std::path::Path;
use std::process::ExitCode;

use pricetag_bound::{Polynomial, Side, bound};
use pricetag_finding::{BoundComparison, CostBound, FINDING_SCHEMA};

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
    let one = |given: &str| -> Result<(Polynomial, CostBound), Failure> {
        let Some((file, name)) = given.rsplit_once(':') else {
            return Err(Failure::usage(format!("`{given}` names no function"))
                .advice("a program and a function of it, as a.ml:append"));
        };
        let found = functions(Path::new(file), console)?;
        let Some(defined) = found.iter().find(|d| d.name == name) else {
            return Err(no_function(file, name, &found));
        };
        let doing = format!("cannot compare {given}");
        let entry = defined
            .entry
            .as_ref()
            .map_err(|r| Failure::new(r.to_string()).doing(&doing))?;
        let exact = bound(entry, &prices, Side::Upper, args.degree).map_err(|why| {
            Failure::new(why.to_string())
                .doing(&doing)
                .advice("a higher --degree, if it has a bound at all")
        })?;
        Ok((
            exact.polynomial,
            bounded(&Ok(entry.clone()), &prices, Side::Upper, args.degree),
        ))
    };
    let ((a, first), (b, second)) = (one(&args.first)?, one(&args.second)?);
    let answer = BoundComparison {
        schema: FINDING_SCHEMA,
        names: [args.first.clone(), args.second.clone()],
        bounds: [first, second],
        ranges: ranges(&a, &b),
        termwise: termwise(&a, &b),
        warnings: vec![
            "a bound may be nearer to the cost of one than of the other: this compares worst cases by paper mode's prices".into(),
        ],
    };
    console.result(&answer, || answer.to_text())?;
    Ok(ExitCode::SUCCESS)
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
