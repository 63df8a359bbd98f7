//! `pricetag platform …`: price lists of platforms.

mod measure;
pub mod moving;

use std::path::Path;
use std::process::ExitCode;

use pricetag_dataset::Source;
use pricetag_dataset::table::{Column, Values};
use pricetag_finding::{Prediction, Predictions};
use pricetag_platform::{ListError, ListedPrice, PLATFORM_KIND, PLATFORM_SCHEMA, PlatformList};
use pricetag_transfer::{Ask, Program, TransferError, apply, differ, move_to};
use serde_json::json;

use crate::analysis::open_dataset;
use crate::arguments::{
    Common, PlatformApplyArgs, PlatformCommand, PlatformDiffArgs, PlatformImportArgs,
};
use crate::console::Console;
use crate::failure::Failure;

pub fn run(
    command: &PlatformCommand,
    common: &Common,
    console: &Console,
) -> Result<ExitCode, Failure> {
    match command {
        PlatformCommand::Measure(args) => measure::run(args, common, console),
        PlatformCommand::Diff(args) => diff(args, console),
        PlatformCommand::Import(args) => import(args, console),
        PlatformCommand::Apply(args) => applied(args, console),
    }
}

/// Opens a list.
pub fn open_list(path: &Path) -> Result<PlatformList, Failure> {
    let doing = format!("opening the price list {}", path.display());
    PlatformList::load(path).map_err(|e| of_list(&e).doing(doing))
}

fn of_list(error: &ListError) -> Failure {
    Failure::new(error.to_string()).advice(error.advice())
}

/// What a refused move says.
pub fn of_transfer(error: &TransferError) -> Failure {
    Failure::new(error.to_string()).advice(error.advice())
}

fn diff(args: &PlatformDiffArgs, console: &Console) -> Result<ExitCode, Failure> {
    let (here, there) = (open_list(&args.first)?, open_list(&args.second)?);
    let doing = format!(
        "comparing {} and {}",
        args.first.display(),
        args.second.display()
    );
    let refused = |e: TransferError| of_transfer(&e).doing(doing.clone());
    let mut found = differ(&here, &there).map_err(refused)?;
    if let Some(dir) = &args.dataset {
        let program = Program::of(&open_dataset(dir)?, None);
        let ask = Ask {
            predictions: as_listed(&program, &here).map_err(refused)?,
            program: &program,
            here: &here,
            there: &there,
            route: None,
            command: &[],
            runs: &[],
        };
        found.program = Some(move_to(ask).map_err(refused)?.moved);
    }
    console.result(&found, || found.to_text(console.width))?;
    Ok(ExitCode::SUCCESS)
}

/// As if each observation took here what its opcodes and calls are priced at: a factor needs no model.
fn as_listed(program: &Program, here: &PlatformList) -> Result<Predictions, TransferError> {
    let sums = apply(here, program)?.rows;
    let rows = sums.into_iter().map(|row| Prediction {
        label: row.label,
        value: row.sum,
        ..Prediction::default()
    });
    Ok(Predictions {
        target: "cpu".to_owned(),
        unit: "ns".to_owned(),
        rows: rows.collect(),
        ..Predictions::default()
    })
}

fn applied(args: &PlatformApplyArgs, console: &Console) -> Result<ExitCode, Failure> {
    let list = open_list(&args.list)?;
    let dataset = open_dataset(&args.dataset)?;
    if let Some(cost) = &args.cost
        && !dataset.costs().contains_key(cost.as_str())
    {
        let known: Vec<&str> = dataset.costs().into_keys().collect();
        let why = format!("the dataset has no cost `{cost}`");
        return Err(Failure::new(why).advice(format!("name one of: {}", known.join(", "))));
    }
    let program = Program::of(&dataset, args.cost.as_deref());
    let mut found = apply(&list, &program).map_err(|e| of_transfer(&e))?;
    found.target.clone_from(&args.cost);
    console.result(&found, || found.to_text(console.width))?;
    Ok(ExitCode::SUCCESS)
}

fn import(args: &PlatformImportArgs, console: &Console) -> Result<ExitCode, Failure> {
    let doing = || format!("importing {}", args.file.display());
    let source = Source::read(&args.file, None).map_err(|e| Failure::from(e).doing(doing()))?;
    let column = |name: &str| {
        let mut columns = source.table.columns.iter();
        columns.find(|c| c.name == name).ok_or_else(|| {
            let names: Vec<&str> = source
                .table
                .columns
                .iter()
                .map(|c| c.name.as_str())
                .collect();
            Failure::new(format!("there is no column `{name}`"))
                .doing(doing())
                .advice(format!("it has: {}", names.join(", ")))
        })
    };
    let (names, prices) = (column(&args.names)?, column(&args.price)?);
    let mut listed: Vec<ListedPrice> = Vec::new();
    for row in 0..source.table.rows() {
        let Some(text) = cell(prices, row) else {
            continue;
        };
        let odd = |why: &str| {
            Failure::new(format!(
                "{}, column `{}`: {why}",
                source.place(row),
                args.price
            ))
            .doing(doing())
            .advice("a price is a number of ns, 0 or more; an empty cell is none")
        };
        let ns: f64 = text
            .parse()
            .map_err(|_| odd(&format!("`{text}` is not a number")))?;
        if !ns.is_finite() || ns < 0.0 {
            return Err(odd(&format!("{ns} is no price")));
        }
        let name = cell(names, row).ok_or_else(|| odd("the price has no name"))?;
        if listed.iter().any(|p| p.name == name) {
            return Err(odd(&format!("`{name}` has two prices")));
        }
        listed.push(ListedPrice {
            members: vec![(name.clone(), 1.0)],
            name,
            ns: Some(ns),
            support: 1,
            ..ListedPrice::default()
        });
    }
    if listed.is_empty() {
        return Err(Failure::new("the table has no price").doing(doing()));
    }
    let count = listed.len();
    let list = PlatformList {
        schema: PLATFORM_SCHEMA,
        kind: PLATFORM_KIND.to_owned(),
        platform: args.fact.iter().cloned().collect(),
        prices: listed,
        notes: vec!["imported from a table: there are prices and no benchmarks".to_owned()],
        pricetag: env!("CARGO_PKG_VERSION").to_owned(),
        ..PlatformList::default()
    };
    list.save(&args.output)
        .map_err(|e| of_list(&e).doing(doing()))?;
    let done = json!({ "schema": 1, "prices": count });
    if console.json {
        console.result(&done, String::new)?;
    } else {
        console.say(&format!(
            "{count} prices written to {}",
            args.output.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The text of a cell that is not empty.
fn cell(column: &Column, row: usize) -> Option<String> {
    let text = match &column.values {
        Values::Integers(cells) => (*cells.get(row)?)?.to_string(),
        Values::Reals(cells) => (*cells.get(row)?)?.to_string(),
        Values::Texts(cells) => cells.get(row)?.clone()?,
        Values::Lists(_) | Values::Unsupported(_) => return None,
    };
    let text = text.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
