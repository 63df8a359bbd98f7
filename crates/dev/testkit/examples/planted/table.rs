//! The tables of docs/attribution/planted.md.

use std::collections::BTreeMap;

use crate::Failure;
use crate::compare::{Line, median};

/// How far from its size an answer may be.
const CLOSE: f64 = 0.15;

pub fn print(files: &[&str]) -> Result<(), Failure> {
    let mut lines: Vec<Line> = Vec::new();
    for file in files {
        for line in std::fs::read_to_string(file)?.lines() {
            lines.push(serde_json::from_str(line)?);
        }
    }
    println!(
        "| program | planted | median error at the method | at the block | within 15 % | by share | median of the largest change elsewhere, points |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut groups: BTreeMap<(&str, usize), Vec<&Line>> = BTreeMap::new();
    for line in &lines {
        groups
            .entry((&line.program, line.size))
            .or_default()
            .push(line);
        groups.entry(("~all", line.size)).or_default().push(line);
        groups.entry(("~all", usize::MAX)).or_default().push(line);
    }
    for ((program, size), group) in &groups {
        let middle =
            |value: &dyn Fn(&Line) -> f64| median(group.iter().map(|l| value(l)).collect());
        let close = group.iter().filter(|l| l.error().abs() <= CLOSE).count();
        let planted = match *size {
            usize::MAX => "both sizes".to_owned(),
            _ => format!("{:.1} %", 100.0 * middle(&|l| l.planted_share)),
        };
        println!(
            "| {} | {planted} | {:.1} % | {:.1} % | {close} of {} | {} of {} | {:.1} |",
            program.trim_start_matches('~'),
            100.0 * middle(&|l| l.error().abs()),
            100.0 * middle(&|l| l.block_error().abs()),
            group.len(),
            group
                .iter()
                .filter(|l| l.share_error().abs() <= CLOSE)
                .count(),
            group.len(),
            middle(&|l| l.other_points.abs()),
        );
    }
    println!();
    println!(
        "| program | place | executions | planted, ms | on − off, ms | planted, % of CPU | found at the method, ms | found, % | error | found at the block, % | largest change of another method, points |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for line in &lines {
        let miss = if line.error().abs() <= CLOSE {
            ""
        } else {
            "**"
        };
        println!(
            "| {} | `{}` | {} | {:.0} | {:.0} | {:.1} | {:.0} | {:.1} | {miss}{:+.0} %{miss} | {:.1} | {:+.1} |",
            line.program,
            short(line),
            line.executions,
            line.planted_ms,
            line.on_ms - line.off_ms,
            100.0 * line.planted_share,
            line.method_ms,
            100.0 * line.method_share,
            100.0 * line.error(),
            100.0 * line.block_share,
            line.other_points,
        );
    }
    Ok(())
}

/// The place without packages and parameters.
fn short(line: &Line) -> String {
    let package = line
        .class
        .rsplit_once('/')
        .map_or(0, |(package, _)| package.len() + 1);
    let name = line.place.get(package..).unwrap_or(&line.place);
    let (head, rest) = name.split_once('(').unwrap_or((name, ""));
    let block = rest.split(" block ").nth(1).unwrap_or_default();
    let block = block.split(' ').next().unwrap_or_default();
    format!("{head} block {block}").replace('|', "\\|")
}
