//! `pricetag ocaml evaluate`: a price list held against control programs.

use std::path::Path;
use std::process::ExitCode;

use pricetag_native::{Program, controls};
use pricetag_predict::{Control, hold_against};
use pricetag_report::figures::control_figures;

use super::learn::{measurements, native, save_tables, tables};
use super::predict::open_list;
use crate::arguments::OcamlEvaluateArgs;
use crate::console::Console;
use crate::failure::{Failure, io};

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
    let measured = measurements(&args.native, &programs, console)?;
    let tables = tables(&measured, &programs)?;
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
    report.warnings = list
        .differences(&measured.meta.platform)
        .into_iter()
        .map(|(fact, list, here)| {
            format!("the prices were learnt on another platform: {fact} was `{list}`, here it is `{here}`")
        })
        .collect();
    for row in &measured.observations {
        let reason = row.reason.clone().map(|r| (row.group.clone(), r));
        report.refused.extend(reason);
    }
    report.refused.dedup();
    if let Some(folder) = &args.plots {
        std::fs::create_dir_all(folder).map_err(io("create", folder))?;
        for (name, svg) in control_figures(&report)? {
            let path = folder.join(format!("{name}.svg"));
            std::fs::write(&path, svg).map_err(io("write", &path))?;
        }
    }
    console.result(&report, || report.to_text(console.width))?;
    Ok(ExitCode::SUCCESS)
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
