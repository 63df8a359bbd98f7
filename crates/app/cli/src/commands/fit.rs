//! `pricetag fit`: a cost model of a dataset.

mod sensitivity;

use std::fmt::Write as _;
use std::process::ExitCode;

use pricetag_cost_model::{
    Concise, CostModel, Evaluation, Formula, Preferred, Screening, Severity,
};
use pricetag_finding::figure::{bounds, brief, count, percent, quantity, shorten};
use pricetag_finding::formula::term_table;
use pricetag_finding::table::{Align, render};

use crate::analysis::{check_model, fit_streaming, open_dataset_or_table, paced, with_constants};
use crate::arguments::{Common, FitArgs};
use crate::console::Console;
use crate::failure::Failure;
use crate::learning::fit;
use crate::lists::restricted;

/// Notes printed without `--verbose`.
const DIAGNOSTICS: usize = 5;
/// What shows the lines that a table leaves out.
const MORE: &str = "--limit N shows N of them";

pub fn run(args: &FitArgs, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    let output = args.output.clone().unwrap_or_else(|| {
        let inside = Some(&args.dataset).filter(|path| path.is_dir());
        inside.map_or_else(|| "model.json".into(), |dir| dir.join("model.json"))
    });
    check_model(&output)?;
    let model = if args.stream {
        fit_streaming(&args.dataset, &args.choices, &args.columns, common)?
    } else {
        let target = args.choices.target.as_deref();
        let dataset = open_dataset_or_table(&args.dataset, target, &args.columns)?;
        if args.dataset.is_file() {
            for note in &dataset.meta.notes {
                console.say(&format!("note: {note}"));
            }
        }
        let dataset = restricted(
            paced(dataset, args.choices.pace),
            args.choices.only.as_deref(),
        )?;
        let dataset = with_constants(dataset, &args.dataset, args.choices.method)?;
        fit(&dataset, &args.choices, common, console)?
    };
    model
        .save(&output)
        .map_err(|e| Failure::from(e).doing("saving the model"))?;
    console.result(&model, || {
        text(&model, args.limit, console.width, common.verbose)
    })?;
    console.say(&format!("model written to {}", output.display()));
    Ok(ExitCode::SUCCESS)
}

/// The summary table: prices, R's summary where there is one, errors, diagnostics.
fn text(model: &CostModel, limit: usize, width: usize, verbose: bool) -> String {
    let unit = match model.unit.as_str() {
        "1" => String::new(),
        unit => format!(" in {unit}"),
    };
    let mut text = String::new();
    if let Some(nothing) = &model.unexplained {
        let _ = writeln!(text, "warning: {nothing}\n");
    }
    let _ = writeln!(text, "{}{unit}, by {}\n", model.target, model.method);
    if let Some(screening) = &model.screening {
        text.push_str(&screened(screening));
    }
    if let Some(summary) = &model.summary {
        text.push_str(&summary.text());
        text.push('\n');
    } else if let Formula::Constant(cost) = model.formula {
        let same = quantity(cost, &model.unit);
        let _ = writeln!(
            text,
            "{} is predicted as {same}, whatever the features are: of all constants this one is off least, as a share of each row's cost; it is no mean\n",
            model.target
        );
    } else if model.prices.is_empty() || !model.terms.is_empty() {
        text.push_str(&terms(model, limit, width));
    } else {
        text.push_str(&prices(model, limit, width));
    }
    if let Some(found) = &model.concise {
        text.push_str(&concise(model, found, limit, width));
    }
    if let Some(preferred) = &model.preferred {
        text.push_str(&finals(preferred, limit, width));
    }
    text.push_str(&standings(model, width));
    text.push_str(&evaluations(model, width));
    if let Some(found) = &model.sensitivity {
        text.push_str(&sensitivity::text(found, width));
    }
    text.push_str(&diagnostics(
        model,
        if verbose { usize::MAX } else { DIAGNOSTICS },
    ));
    text
}

/// How many features there were, and how many remain.
fn screened(found: &Screening) -> String {
    let number = |n: u32| count(f64::from(n));
    format!(
        "of {} features {} never vary and {} are in fixed proportion to others; of the remaining {} the formula has {}\n\n",
        number(found.offered),
        number(found.constant),
        number(found.redundant),
        number(found.useful),
        number(found.selected),
    )
}

/// When the formula's features are final.
fn finals(found: &Preferred, limit: usize, width: usize) -> String {
    let header = [
        ("preferred for being early", Align::Left),
        ("final after", Align::Right),
    ];
    let share = |share: Option<f64>| share.map_or_else(|| "not looked at".to_owned(), percent);
    let features = found.features.iter().take(limit);
    let rows: Vec<Vec<String>> = features
        .map(|f| vec![brief(&f.feature), share(f.share)])
        .collect();
    let mut text = render(&header, &rows, 0, width);
    if found.features.len() > limit {
        let more = count((found.features.len() - limit) as f64);
        let _ = writeln!(
            text,
            "{more} more, final earlier: --limit N shows N of them"
        );
    }
    let _ = writeln!(
        text,
        "all are final after {} of a run; without the preference after {}\n",
        percent(found.after),
        percent(found.after_without)
    );
    text
}

/// Diagnostics in words, worst first; notes beyond the limit are only counted.
fn diagnostics(model: &CostModel, limit: usize) -> String {
    let mut text = String::new();
    let mut hidden = 0;
    for (index, diagnostic) in model.diagnostics.iter().enumerate() {
        if index >= limit && diagnostic.severity == Severity::Note {
            hidden += 1;
            continue;
        }
        let said = model.unexplained.as_ref() == Some(&diagnostic.message);
        let mark = match diagnostic.severity {
            _ if said => continue, // stands above everything else
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let message = match &diagnostic.advice {
            Some(advice) => format!("{}. {advice}", diagnostic.message.trim_end_matches('.')),
            None => diagnostic.message.clone(),
        };
        let _ = writeln!(text, "{mark}: {}", brief(&message));
    }
    if hidden > 0 {
        let _ = writeln!(
            text,
            "{hidden} more notes: --verbose shows them, the model keeps them"
        );
    }
    text
}

/// The cost in few terms.
fn concise(model: &CostModel, found: &Concise, limit: usize, width: usize) -> String {
    let table = term_table(&found.terms, limit, width, MORE);
    let judged = found.evaluation.as_ref().map(|judged| {
        let error = percent(judged.median_error);
        format!("median error {error} on the observations not learnt from\n")
    });
    format!(
        "in {} terms at most, {} is the sum of\n{table}{}\n",
        found.most,
        model.target,
        judged.unwrap_or_default()
    )
}

/// A formula term by term.
fn terms(model: &CostModel, limit: usize, width: usize) -> String {
    let table = term_table(&model.terms, limit, width, MORE);
    format!("{} is the sum of\n{table}\n", model.target)
}

fn prices(model: &CostModel, limit: usize, width: usize) -> String {
    let doubt = model.prices_are_not_shares();
    let header = [
        ("bucket", Align::Left),
        ("price", Align::Right),
        ("interval", Align::Right),
        (
            doubt.map_or("share", |_| "share of the prediction"),
            Align::Right,
        ),
        ("support", Align::Right),
        ("", Align::Left),
    ];
    let mut notes: Vec<&str> = Vec::new();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for p in model.prices.iter().take(limit) {
        let mark = p.note.as_deref().map(|note| {
            let at = notes
                .iter()
                .position(|&known| known == note)
                .unwrap_or_else(|| {
                    notes.push(note);
                    notes.len() - 1
                });
            format!("[{}]", at + 1)
        });
        rows.push(vec![
            brief(&p.bucket),
            p.price
                .map_or_else(|| "not priced".to_owned(), |v| quantity(v, &model.unit)),
            p.bounds.map(|b| bounds(b, &model.unit)).unwrap_or_default(),
            percent(p.share),
            p.support.to_string(),
            mark.unwrap_or_default(),
        ]);
    }
    let mut text = render(&header, &rows, 0, width);
    if model.prices.len() > limit {
        let more = count((model.prices.len() - limit) as f64);
        let _ = writeln!(text, "{more} more: {MORE}");
    }
    for (index, note) in notes.iter().enumerate() {
        let _ = writeln!(text, "[{}] {}", index + 1, brief(note));
    }
    if let Formula::Linear { intercept, .. } = &model.formula
        && *intercept != 0.0
    {
        let _ = writeln!(
            text,
            "and {} for every observation",
            quantity(*intercept, &model.unit)
        );
    }
    if let Some(doubt) = doubt {
        let _ = writeln!(text, "{doubt}");
    }
    text.push('\n');
    text
}

/// The methods `auto` chose from.
fn standings(model: &CostModel, width: usize) -> String {
    if model.standings.is_empty() {
        return String::new();
    }
    let header = [
        (
            "compared by cross-validation on the training rows",
            Align::Left,
        ),
        ("mean error", Align::Right),
        ("median error", Align::Right),
        ("90 %", Align::Right),
        ("signed", Align::Right),
    ];
    let rows: Vec<Vec<String>> = model
        .standings
        .iter()
        .map(|e| {
            let chosen = if e.name == model.method {
                " (chosen)"
            } else {
                ""
            };
            vec![
                format!("{}{chosen}", e.name),
                percent(e.mean_error),
                percent(e.median_error),
                percent(e.p90_error),
                percent(e.median_signed_error),
            ]
        })
        .collect();
    render(&header, &rows, 0, width) + "\n"
}

fn evaluations(model: &CostModel, width: usize) -> String {
    let header = [
        ("judged on held-out observations", Align::Left),
        ("train", Align::Right),
        ("test", Align::Right),
        ("median error", Align::Right),
        ("90 %", Align::Right),
        ("signed", Align::Right),
        ("under", Align::Right),
    ];
    let line = |e: &Evaluation, what: &str| {
        vec![
            shorten(&e.name, 40) + what,
            e.train_rows.to_string(),
            e.test_rows.to_string(),
            percent(e.median_error),
            percent(e.p90_error),
            percent(e.median_signed_error),
            percent(e.under_rate),
        ]
    };
    let chosen = model.evaluation.iter().map(|e| line(e, " (this model)"));
    let others = model.alternatives.iter().map(|e| line(e, ""));
    let baseline = model.baseline.iter().map(|e| line(e, " (baseline)"));
    let rows: Vec<Vec<String>> = chosen.chain(others).chain(baseline).collect();
    if rows.is_empty() {
        return String::new();
    }
    let mut text = render(&header, &rows, 0, width);
    if let Some(noise) = model.evaluation.as_ref().and_then(|e| e.noise_floor) {
        let _ = writeln!(
            text,
            "repeated measurements of one input differ by {}",
            percent(noise)
        );
    }
    if let Some(interval) = &model.interval {
        let covered = interval
            .coverage
            .map(|c| format!(", measured {}", percent(c)))
            .unwrap_or_default();
        let luck = interval
            .scatter
            .map(|s| {
                format!(
                    " (two standard deviations of chance: {:.1} points)",
                    200.0 * s
                )
            })
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "intervals: nominal coverage {}{covered}{luck}",
            percent(interval.level)
        );
    }
    text.push('\n');
    text
}
