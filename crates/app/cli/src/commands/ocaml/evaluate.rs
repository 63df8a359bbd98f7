//! `pricetag ocaml evaluate`: a price list held against control programs.

use std::path::Path;
use std::process::ExitCode;

use pricetag_native::counting::trial;
use pricetag_native::{Program, controls};
use pricetag_predict::{Control, hold_against};
use pricetag_report::figures::control_figures;

use super::learn::{failures, measurements, native, save_tables, tables};
use super::predict::{open_list, warnings};
use crate::analysis::write_whole;
use crate::arguments::OcamlEvaluateArgs;
use crate::console::Console;
use crate::failure::{Failure, io};

/// A program and why it is left out.
type Refused = (String, String);

pub fn run(args: &OcamlEvaluateArgs, console: &Console) -> Result<ExitCode, Failure> {
    let list = open_list(&args.list)?;
    let programs = match &args.controls {
        Some(folder) => read(folder)?,
        None => controls::programs(),
    };
    if programs.is_empty() {
        return Err(Failure::new("there are no control programs")
            .advice("a folder of .ml files, each opening with a comment of `key: value` lines"));
    }
    let (programs, mut refused) = if args.native.from.is_some() {
        (programs, vec![])
    } else {
        countable(programs)?
    };
    let measured = measurements(&args.native, &programs, console)?;
    let heap = list.collector.as_ref().map(|c| c.heap as u64);
    let tables = tables(&measured, &programs, heap)?;
    save_tables(&tables, args.tables.as_deref())?;
    let about: Vec<Control> = programs
        .iter()
        .map(|p| Control {
            name: p.name.clone(),
            family: p.family.clone(),
            pair: p.pair.clone(),
        })
        .collect();
    let mut report = hold_against(&list, &tables, &about)?;
    report.warnings = warnings(&list, &measured.meta.platform);
    refused.extend(failures(&tables));
    for program in &about {
        if !measured
            .observations
            .iter()
            .any(|o| o.group == program.name)
        {
            refused.push((
                program.name.clone(),
                "it is not among the measurements".into(),
            ));
        }
    }
    refused.sort();
    report.refused = refused;
    if report.modes.values().all(|m| m.programs.is_empty()) {
        return Err(none_left(&report.refused));
    }
    if let Some(folder) = &args.plots {
        std::fs::create_dir_all(folder).map_err(io("create", folder))?;
        for (name, svg) in control_figures(&report)? {
            let path = folder.join(format!("{name}.svg"));
            write_whole(&path, svg.as_bytes())?;
        }
    }
    console.result(&report, || report.to_text(console.width))?;
    Ok(ExitCode::SUCCESS)
}

/// The programs that can be counted, and the reasons for the others: nobody should wait for measurements that are of no use.
fn countable(programs: Vec<Program>) -> Result<(Vec<Program>, Vec<Refused>), Failure> {
    let (mut good, mut refused) = (vec![], vec![]);
    for program in programs {
        match trial(&program) {
            Ok(()) => good.push(program),
            Err(error) => refused.push((program.name, error.reason())),
        }
    }
    if good.is_empty() {
        return Err(none_left(&refused));
    }
    Ok((good, refused))
}

fn none_left(refused: &[Refused]) -> Failure {
    let first = refused.first();
    let first = first.map_or_else(String::new, |(name, why)| {
        format!("; the first, {name}: {why}")
    });
    let n = refused.len();
    Failure::new(format!(
        "none of {n} control programs can be held against the list{first}"
    ))
    .doing("evaluating a price list")
}

/// All `.ml` files of a folder, by name.
fn read(folder: &Path) -> Result<Vec<Program>, Failure> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .map_err(io("read", folder))?
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "ml"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| {
            let text = std::fs::read_to_string(path).map_err(io("read", path))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            Program::parse(&name, &text).map_err(native)
        })
        .collect()
}
