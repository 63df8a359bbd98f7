//! `pricetag ocaml learn`: training programs measured and counted, and a price list made of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use pricetag_cost_model::{Interval, ModePrices, PriceList};
use pricetag_dataset::Dataset;
use pricetag_finding::figure::{bounds, percent, quantity};
use pricetag_finding::table::{Align, render};
use pricetag_native::counting::Statistic;
use pricetag_native::{
    Effort, Measuring, Mode, NativeError, Ocaml, Program, count_rows, measure, training,
};

use crate::analysis::{check_writable, open_dataset};
use crate::arguments::{Common, NativeArgs, OcamlLearnArgs};
use crate::console::Console;
use crate::failure::Failure;

pub fn run(args: &OcamlLearnArgs, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    check_writable(&args.output)?;
    let programs = training::programs();
    let measured = measurements(&args.native, &programs, console)?;
    let tables = tables(&measured, &programs, None)?;
    save_tables(&tables, args.tables.as_deref())?;
    let failed = failures(&tables);
    if let Some((name, reason)) = failed.first() {
        let n = failed.len();
        console.say(&format!(
            "{n} training programs left out, the first: {name}: {reason}"
        ));
    }
    let list = pricetag_semantics::learn(&tables, common.seed)
        .map_err(|e| Failure::new(e.to_string()).doing("learning a price list"))?;
    list.save(&args.output)
        .map_err(|e| Failure::from(e).doing("saving the price list"))?;
    console.result(&list, || text(&list, console.width))?;
    console.say(&format!("price list written to {}", args.output.display()));
    Ok(ExitCode::SUCCESS)
}

/// Measurements of programs: read, or made now.
pub fn measurements(
    args: &NativeArgs,
    programs: &[Program],
    console: &Console,
) -> Result<Dataset, Failure> {
    if let Some(path) = &args.from {
        return open_dataset(path).map_err(|failure| Failure {
            advice: Some(
                "`pricetag ocaml learn --keep DATASET` and `evaluate --keep DATASET` make one each"
                    .into(),
            ),
            ..failure
        });
    }
    let ocaml = Ocaml::find(&args.ocamlopt).map_err(native)?;
    let effort = if args.fast {
        Effort::Fast
    } else if args.paper {
        Effort::Paper
    } else {
        Effort::Standard
    };
    let bar = console.progress();
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let measured = measure(&Measuring {
        ocaml: &ocaml,
        programs,
        effort,
        keep: args.keep.clone(),
        resume: args.resume,
        progress: &bar,
        now: now.map_or(0, |d| d.as_secs()),
    })
    .map_err(native)?;
    for note in &measured.meta.notes {
        console.say(note);
    }
    for row in measured.observations.iter().filter(|o| o.reason.is_some()) {
        if console.verbose {
            let reason = row.reason.as_deref().unwrap_or_default();
            console.say(&format!("{}: refused: {reason}", row.label));
        }
    }
    Ok(measured)
}

/// The measurements with counts, by charging rules; the minor heap is of so many bytes, or the usual one.
pub fn tables(
    measured: &Dataset,
    programs: &[Program],
    heap: Option<u64>,
) -> Result<BTreeMap<String, Dataset>, Failure> {
    let paper = measured
        .meta
        .options
        .get("effort")
        .is_some_and(|e| e == "paper");
    let statistic = if paper {
        Statistic::Median
    } else {
        Statistic::LowQuantile
    };
    Mode::ALL
        .into_iter()
        .map(|mode| {
            let table = count_rows(measured, programs, mode, statistic, heap).map_err(native)?;
            Ok((mode.name().to_owned(), table))
        })
        .collect()
}

/// Programs with a row that could not be measured or counted, each with its first reason.
pub fn failures(tables: &BTreeMap<String, Dataset>) -> Vec<(String, String)> {
    let mut failed: BTreeMap<&str, &str> = BTreeMap::new();
    for row in tables.values().flat_map(|t| &t.observations) {
        if let Some(reason) = &row.reason {
            failed.entry(&row.group).or_insert(reason);
        }
    }
    failed
        .into_iter()
        .map(|(name, reason)| (name.to_owned(), reason.to_owned()))
        .collect()
}

/// Writes each table as a dataset, if a folder is given.
pub fn save_tables(
    tables: &BTreeMap<String, Dataset>,
    folder: Option<&Path>,
) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    for (mode, table) in tables {
        pricetag_dataset::save(table, &folder.join(mode))?;
    }
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "used in map_err")]
pub fn native(error: NativeError) -> Failure {
    let failure = Failure::new(error.to_string()).doing("measuring OCaml programs");
    match error.advice() {
        Some(advice) => failure.advice(advice),
        None => failure,
    }
}

fn text(list: &PriceList, width: usize) -> String {
    let mut text = String::new();
    for (mode, prices) in &list.modes {
        // Writing into a string cannot fail.
        writeln!(text, "{mode} mode, by {}", prices.chosen).ok();
        text.push_str(&mode_text(prices, width));
        text.push('\n');
    }
    if let Some(c) = &list.collector {
        writeln!(
            text,
            "minor heap {}, {} of {} collections as predicted; one takes {}, {} per word promoted, {} per block of these, \
             {} per word alive before that is marked, and {} per call on the stack (paper's rule: {})",
            quantity(c.heap, "byte"),
            c.exact.0,
            c.exact.1,
            quantity(c.per_collection, "ns"),
            quantity(c.per_word, "ns"),
            quantity(c.per_block, "ns"),
            quantity(c.per_marked_word, "ns"),
            quantity(c.per_frame, "ns"),
            quantity(c.constant, "ns"),
        )
        .ok();
        text.push_str(&interval_text(
            "the time of collections",
            c.interval.as_ref(),
        ));
    }
    text
}

fn interval_text(what: &str, interval: Option<&Interval>) -> String {
    let Some(i) = interval else {
        return String::new();
    };
    let least = if i.leverage.is_some() {
        " where prices are known exactly"
    } else {
        ""
    };
    format!(
        "interval of {what}, {}: {:.2} to {:.2} times{least}; {}\n",
        percent(i.level),
        i.lower,
        i.upper,
        i.method
    )
}

fn mode_text(prices: &ModePrices, width: usize) -> String {
    let mut header = vec![("construct", Align::Left)];
    header.extend(prices.time.keys().map(|name| (name.as_str(), Align::Right)));
    // Not every estimator has standard errors, the chosen one perhaps not: whose intervals they are must be seen.
    let bounded = prices
        .time
        .get_key_value(&prices.chosen)
        .into_iter()
        .chain(&prices.time)
        .find(|(_, model)| model.prices.iter().any(|p| p.bounds.is_some()));
    let whose = bounded.map_or_else(String::new, |(name, _)| format!("interval of {name}"));
    if bounded.is_some() {
        header.push((&whose, Align::Right));
    }
    header.extend([("bytes", Align::Right), ("support", Align::Right)]);
    let Some(chosen) = prices.time.get(&prices.chosen) else {
        return String::new();
    };
    let mut names: Vec<&str> = chosen
        .prices
        .iter()
        .flat_map(|p| p.members.iter().map(String::as_str))
        .collect();
    names.sort_unstable();
    let rows: Vec<Vec<String>> = names
        .iter()
        .map(|name| {
            let find = |model: &pricetag_cost_model::CostModel| {
                model
                    .prices
                    .iter()
                    .find(|p| p.members.iter().any(|m| m == name))
                    .cloned()
            };
            let mut row = vec![(*name).to_owned()];
            row.extend(prices.time.values().map(|model| {
                find(model)
                    .and_then(|p| p.price)
                    .map_or_else(|| "–".to_owned(), |v| quantity(v, "ns"))
            }));
            if let Some((_, model)) = bounded {
                let interval = find(model).and_then(|p| p.bounds);
                row.push(interval.map(|b| bounds(b, "ns")).unwrap_or_default());
            }
            row.push(
                find(&prices.bytes)
                    .and_then(|p| p.price)
                    .map_or_else(String::new, |b| format!("{b}")),
            );
            row.push(find(chosen).map_or(0, |p| p.support).to_string());
            row
        })
        .collect();
    let mut text = render(&header, &rows, 0, width);
    for price in chosen.prices.iter().filter(|p| p.price.is_none()) {
        if let (Some(note), Some((_, most))) = (&price.note, price.bounds) {
            let (name, most) = (&price.bucket, quantity(most, "ns"));
            writeln!(text, "{name} has no price: {note}; at most {most}").ok();
        }
    }
    if !prices.unsupported.is_empty() {
        writeln!(text, "without support: {}", prices.unsupported.join(", ")).ok();
    }
    text.push_str(&interval_text(
        "times without collections",
        chosen.interval.as_ref(),
    ));
    text
}
