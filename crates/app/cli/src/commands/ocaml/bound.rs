//! `pricetag ocaml bound`: what functions cost at most, as polynomials in the sizes of their arguments.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use pricetag_bound::{Metric, NoBound, Polynomial, Side, bound};
use pricetag_cost_model::{Interval, PriceList};
use pricetag_finding::{
    BoundPart, BoundTerm, CostBound, FINDING_SCHEMA, FunctionBounds, MeasuredBound, ProgramBounds,
};
use pricetag_miniml::Construct;
use pricetag_miniml::first_order::{Block, Defined, Entry, Refusal, Right, Step, entries};
use pricetag_predict::Pricing;

use super::predict::open_list;
use super::refused;
use crate::arguments::{OcamlBoundArgs, SideArg};
use crate::console::Console;
use crate::failure::{FAILED, Failure};

pub fn run(args: &OcamlBoundArgs, console: &Console) -> Result<ExitCode, Failure> {
    let list = open_list(&args.list)?;
    let estimator_of = args.estimator.as_deref();
    let prices = prices(&list, estimator_of)?;
    let errs = Pricing::of(&list, "paper", estimator_of)?
        .time
        .interval
        .clone();
    let file = args.program.display().to_string();
    let named = args.metric.iter().map(|m| metric(m, &prices));
    let mut metrics = named.collect::<Result<Vec<_>, _>>()?;
    if metrics.is_empty() {
        metrics = vec![prices.clone(), Metric::Bytes];
    }
    let sides: &[Side] = match args.side {
        SideArg::Upper => &[Side::Upper],
        SideArg::Lower => &[Side::Lower],
        SideArg::Both => &[Side::Lower, Side::Upper],
    };
    let found = functions(&args.program, console)?;
    if let Some(missing) = args
        .function
        .iter()
        .find(|f| !found.iter().any(|d| d.name == **f))
    {
        return Err(no_function(&file, missing, &found));
    }
    let mut functions = Vec::new();
    for defined in &found {
        if !args.function.is_empty() && !args.function.contains(&defined.name) {
            continue;
        }
        let mut bounds = Vec::new();
        for metric in &metrics {
            for side in sides {
                bounds.push(bounded(
                    &defined.entry,
                    metric,
                    *side,
                    args.degree,
                    errs.as_ref(),
                ));
            }
        }
        functions.push(FunctionBounds {
            name: defined.name.clone(),
            type_text: defined.type_text.clone(),
            line: defined.line,
            collecting: collecting(&list, &bounds),
            explained: match &defined.entry {
                Ok(entry) if args.explain => explained(entry, &prices, args.degree),
                _ => vec![],
            },
            bounds,
        });
    }
    if functions.is_empty() {
        return Err(Failure::new("the program defines no function at top level")
            .doing(format!("cannot bound {file}"))
            .advice("a definition such as `let rec f l = match l with …`"));
    }
    let answer = ProgramBounds {
        schema: FINDING_SCHEMA,
        program: file,
        estimator: Some(estimator(&list, args.estimator.as_deref())),
        warnings: warnings(&list, &functions),
        functions,
    };
    let none = answer
        .functions
        .iter()
        .all(|f| f.bounds.iter().all(|b| b.text.is_none()));
    console.result(&answer, || answer.to_text())?;
    Ok(if none {
        ExitCode::from(FAILED)
    } else {
        ExitCode::SUCCESS
    })
}

/// The functions of a program, with their normal forms.
pub fn functions(path: &Path, console: &Console) -> Result<Vec<Defined>, Failure> {
    let file = path.display().to_string();
    let source = super::source_of(path)?;
    entries(&source).map_err(|errors| refused(&errors, &file, &source, console, "bound"))
}

pub fn no_function(file: &str, name: &str, found: &[Defined]) -> Failure {
    let names: Vec<&str> = found.iter().map(|d| d.name.as_str()).collect();
    Failure::new(format!("there is no function `{name}` at top level"))
        .doing(format!("cannot bound {file}"))
        .advice(if names.is_empty() {
            "the program defines none".to_owned()
        } else {
            format!("it defines {}", names.join(", "))
        })
}

/// Prices of paper mode, by which a time is a sum.
pub fn prices(list: &PriceList, estimator: Option<&str>) -> Result<Metric, Failure> {
    Ok(Metric::Time(
        Pricing::of(list, "paper", estimator)?.constructs(),
    ))
}

fn estimator(list: &PriceList, estimator: Option<&str>) -> String {
    estimator.map_or_else(
        || {
            list.modes
                .get("paper")
                .map_or_else(String::new, |m| m.chosen.clone())
        },
        str::to_owned,
    )
}

fn metric(text: &str, prices: &Metric) -> Result<Metric, Failure> {
    if let Some(name) = text.strip_prefix("calls:") {
        return Ok(Metric::Calls(name.to_owned()));
    }
    let construct = Construct::ALL
        .iter()
        .find(|c| !c.is_extended() && c.name() == text);
    match (text, construct) {
        ("time", _) => Ok(prices.clone()),
        ("bytes", _) => Ok(Metric::Bytes),
        (_, Some(construct)) => Ok(Metric::Count(*construct)),
        _ => Err(Failure::usage(format!("there is no cost `{text}`"))
            .advice("time, bytes, calls:NAME, or a construct as `pricetag ocaml count` names it, such as FunApp")),
    }
}

/// A bound, or why there is none.
pub fn bounded(
    entry: &Result<Entry, Refusal>,
    metric: &Metric,
    side: Side,
    degree: u32,
    errs: Option<&Interval>,
) -> CostBound {
    let begun = Instant::now();
    let result = match entry {
        Ok(entry) => bound(entry, metric, side, degree),
        Err(refusal) => Err(NoBound::Refused(refusal.clone())),
    };
    let mut told = CostBound {
        cost: match metric {
            Metric::Time(_) => "time".into(),
            Metric::Bytes => "bytes".into(),
            Metric::Count(construct) => construct.name().into(),
            Metric::Calls(name) => format!("calls of {name}"),
        },
        unit: match metric {
            Metric::Time(_) => "ns".into(),
            Metric::Bytes => "bytes".into(),
            _ => "times".into(),
        },
        side: if side == Side::Upper {
            "upper"
        } else {
            "lower"
        }
        .into(),
        milliseconds: begun.elapsed().as_secs_f64() * 1e3,
        ..CostBound::default()
    };
    match result {
        Err(why) => told.none = Some(why.to_string()),
        Ok(bound) => {
            let polynomial = &bound.polynomial;
            let sizes = polynomial.sizes.iter();
            told.text = Some(polynomial.text(side));
            told.measured = errs
                .filter(|_| matches!(metric, Metric::Time(_)))
                .and_then(|i| measured(polynomial, side, i));
            told.sizes = sizes.map(|s| (s.name.clone(), s.meaning.clone())).collect();
            told.degree = Some(polynomial.degree());
            told.widened = polynomial.widened;
            told.natural = entry.as_ref().is_ok_and(Entry::assumes_natural);
            told.constraints = bound.constraints;
            told.unknowns = bound.unknowns;
            told.terms = polynomial
                .terms
                .iter()
                .map(|term| BoundTerm {
                    factor: term.factor.to_string(),
                    powers: term
                        .powers
                        .iter()
                        .map(|(place, k)| (polynomial.sizes[*place].name.clone(), *k))
                        .collect(),
                })
                .collect();
        }
    }
    told
}

/// The bound of what is measured, by how far the list's sums are off for programs that it was not learnt from.
fn measured(polynomial: &Polynomial, side: Side, errs: &Interval) -> Option<MeasuredBound> {
    let (lower, upper) = errs.factors(&|_| 0.0);
    let factor = if side == Side::Upper { upper } else { lower };
    Some(MeasuredBound {
        level: errs.level,
        factor,
        text: polynomial.scaled(factor)?.text(side),
    })
}

/// About the time with collections: by the paper's rule each minor heap that fills costs the same. That is no bound: collections cost more the more is alive, boxed
/// floats are not in the bytes, and the heap need not be empty at the beginning.
fn collecting(list: &PriceList, bounds: &[CostBound]) -> Option<String> {
    let collector = list.collector.as_ref()?;
    let upper = |cost: &str| {
        let mut found = bounds.iter();
        let bound = found.find(|b| b.cost == cost && b.side == "upper");
        bound.and_then(|b| b.text.clone())
    };
    let bytes = upper("bytes").filter(|text| text != "0")?;
    Some(format!(
        "{} + ⌊({bytes}) / {:.0}⌋·{:.0}",
        upper("time")?,
        collector.heap.floor(),
        collector.constant.ceil()
    ))
}

/// What the bound of a time comes from: each construct and each called function with a bound of its number, the dearest price first.
fn explained(entry: &Entry, prices: &Metric, degree: u32) -> Vec<BoundPart> {
    let mut charged = BTreeSet::new();
    let mut entered = BTreeSet::new();
    for block in std::iter::once(&entry.body).chain(entry.functions.iter().map(|f| &f.body)) {
        charges(block, &mut charged, &mut entered);
    }
    let Metric::Time(prices) = prices else {
        return vec![];
    };
    let constructs = charged.into_iter().map(|c| {
        let price = prices.get(c.name()).copied();
        (c.name().to_owned(), price, Metric::Count(c))
    });
    let calls = entered
        .into_iter()
        .map(|name| (format!("calls of {name}"), None, Metric::Calls(name)));
    let parts = constructs.chain(calls).map(|(name, price, metric)| {
        let (times, none) = match bound(entry, &metric, Side::Upper, degree) {
            Ok(times) => (times.polynomial.text(Side::Upper), None),
            Err(why) => (String::new(), Some(why.to_string())),
        };
        BoundPart {
            name,
            times,
            none,
            price,
        }
    });
    let mut parts: Vec<BoundPart> = parts.filter(|part| part.times != "0").collect();
    let price = |part: &BoundPart| part.price.unwrap_or(-1.0);
    parts.sort_by(|a, b| price(b).total_cmp(&price(a)));
    parts
}

/// Constructs that a block charges, and functions that it enters.
fn charges(block: &Block, charged: &mut BTreeSet<Construct>, entered: &mut BTreeSet<String>) {
    for step in &block.steps {
        match step {
            Step::Charge(construct, _) => {
                charged.insert(*construct);
            }
            Step::Enter(name) => {
                entered.insert(name.clone());
            }
            // What it takes has no size: it has no bound, and is told all the same.
            Step::Unsized(step) => charged.extend(step.counted),
            Step::Bind(_, Right::Case(_, arms, _)) => {
                for arm in arms {
                    charges(&arm.block, charged, entered);
                }
            }
            Step::Bind(_, Right::Choice(blocks)) => {
                for block in blocks {
                    charges(block, charged, entered);
                }
            }
            _ => {}
        }
    }
}

/// What bounds do not say.
fn warnings(list: &PriceList, functions: &[FunctionBounds]) -> Vec<String> {
    let found = functions
        .iter()
        .flat_map(|f| &f.bounds)
        .filter(|b| b.text.is_some());
    let costs: Vec<&str> = found.map(|b| b.cost.as_str()).collect();
    let mut warnings = Vec::new();
    if costs.contains(&"time") {
        warnings.push(
            "times are sums of paper mode's prices: they bound what this model says, not the processor".into(),
        );
        warnings.push(match &list.collector {
            Some(collector) => format!(
                "`time` leaves collections out: by the paper's rule there is one for each {:.0} bytes, of {:.0} ns. With them it is no bound: they cost more the more is alive, and floats that are boxed fill the heap as well",
                collector.heap, collector.constant
            ),
            None => "collections are left out: no collector was learnt".into(),
        });
    }
    if costs.contains(&"bytes") {
        warnings
            .push("bytes are those of paper mode: floats that are boxed are not counted".into());
    }
    warnings
}
