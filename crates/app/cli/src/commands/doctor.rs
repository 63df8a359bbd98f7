//! `pricetag doctor`: is everything there that recording needs, and what to do if not.

use std::fmt::Write as _;
use std::process::ExitCode;

use pricetag_runner::assemble::BUSY;
use pricetag_runner::check::{QuietCheck, TimerCheck, load_agent, quietness, timer};
use pricetag_runner::jvm::{Java, resolve};
use pricetag_runner::{Cancel, RunnerError};
use serde::Serialize;

use crate::arguments::DoctorArgs;
use crate::console::Console;
use crate::failure::{FAILED, Failure};
use crate::scratch::Scratch;
use crate::watch::find_agent;

/// A checked thing.
#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    /// `ok`, `warning` or `failed`.
    verdict: &'static str,
    found: String,
    remedy: Option<String>,
}

#[derive(Debug, Serialize)]
struct Diagnosis {
    schema: u32,
    /// Whether the main job can work.
    able: bool,
    checks: Vec<Check>,
}

pub fn run(args: &DoctorArgs, console: &Console) -> Result<ExitCode, Failure> {
    let java = resolve(&args.java, None, std::env::var("PATH").ok().as_deref())
        .and_then(|p| Java::detect(&p, &Cancel::default()));
    let agent = find_agent(args.agent.as_deref());
    let mut checks = vec![
        of("java", java.as_ref().map(describe)),
        of(
            "agent found",
            agent.as_ref().map(|p| p.display().to_string()),
        ),
    ];
    if let (Ok(java), Ok(agent)) = (&java, &agent) {
        checks.push(loads(java, agent)?);
    }
    checks.push(clock(timer()));
    checks.push(quiet(quietness()));
    let able = checks.iter().all(|c| c.verdict != "failed");
    let diagnosis = Diagnosis {
        schema: 1,
        able,
        checks,
    };
    console.result(&diagnosis, || text(&diagnosis))?;
    Ok(if able {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    })
}

fn of(name: &'static str, result: Result<String, &RunnerError>) -> Check {
    match result {
        Ok(found) => Check {
            name,
            verdict: "ok",
            found,
            remedy: None,
        },
        Err(e) => Check {
            name,
            verdict: "failed",
            found: e.to_string(),
            remedy: e.advice(),
        },
    }
}

fn describe(java: &Java) -> String {
    let property = |name: &str| java.properties.get(name).map_or("?", String::as_str);
    format!(
        "{}: {} {}",
        java.path.display(),
        property("java.vm.name"),
        property("java.version")
    )
}

/// Really loads the agent and reads back what it traced.
fn loads(java: &Java, agent: &std::path::Path) -> Result<Check, Failure> {
    let scratch = Scratch::new()?;
    let result = load_agent(java, agent, scratch.path(), &Cancel::default());
    Ok(of(
        "agent loads",
        result
            .as_ref()
            .map(|c| format!("it traced {} records", c.records)),
    ))
}

fn clock(timer: TimerCheck) -> Check {
    let found = format!(
        "resolution {} ns, a reading costs {} ns",
        timer.resolution_ns, timer.cost_ns
    );
    let (verdict, remedy) = if !timer.monotonic {
        (
            "failed",
            Some("the clock runs backwards: choose another clock source of the kernel"),
        )
    } else if timer.resolution_ns > 1000 || timer.cost_ns > 1000 {
        (
            "warning",
            Some("times below a millisecond will be coarse; a `tsc` clock source is better"),
        )
    } else {
        ("ok", None)
    };
    Check {
        name: "timer",
        verdict,
        found,
        remedy: remedy.map(str::to_owned),
    }
}

fn quiet(check: QuietCheck) -> Check {
    let load = check
        .load_per_core
        .map_or_else(|| "unknown".to_owned(), |l| format!("{l:.2}"));
    let found = format!(
        "load per core {load}; equal work varies by {:.1} %, at worst {:.1} times the median",
        check.spread * 100.0,
        check.worst
    );
    let restless = check.load_per_core.is_some_and(|l| l > BUSY) || check.spread > 0.05;
    let remedy =
        restless.then(|| "end other programs, or use more --repeat: times will scatter".to_owned());
    Check {
        name: "quietness",
        verdict: if restless { "warning" } else { "ok" },
        found,
        remedy,
    }
}

fn text(diagnosis: &Diagnosis) -> String {
    let mut text = String::new();
    for check in &diagnosis.checks {
        let _ = writeln!(
            text,
            "{:<12} {:<8} {}",
            check.name, check.verdict, check.found
        );
        if let Some(remedy) = &check.remedy {
            let _ = writeln!(text, "{:<21} try: {remedy}", "");
        }
    }
    let verdict = if diagnosis.able {
        "Pricetag can record here."
    } else {
        "Pricetag cannot record here."
    };
    let _ = writeln!(text, "{verdict}");
    text
}
