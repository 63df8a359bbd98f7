//! The account of a whole run in plain sentences.

use pricetag_cost_model::{ChargeKind, Concise, CostModel, Evaluation, Severity};
use pricetag_finding::figure::{brief, count, percent, quantity, subject_name};
use pricetag_finding::{Explanation, FINDING_SCHEMA, Inspection, Summary, SummaryItem, Together};

use crate::explain::{A_CONSTANT, NOT_OF_THIS, UNSAMPLED};
use crate::times::asked_for;

/// What a model says that beats no constant, and how it is said where samples know where the cost goes.
const EXPLAINS: &str = "here explains the cost";
const EXPLAINS_DIFFERENCES: &str = "here explains how the cost differs from input to input";
/// Methods shown in a summary.
const TOP: usize = 8;
/// A share without a place that the first sentence tells.
const MUCH_UNKNOWN: f64 = 0.2;
/// Terms below zero that come to more than this share of the cost leave no account of where it goes.
const CANCELLED: f64 = 0.5;

/// Sums up a run. `methods` is an explanation by method of the same model.
pub fn summarize(model: &CostModel, inspection: &Inspection, methods: &Explanation) -> Summary {
    let status = |name: &str| inspection.observations.get(name).copied().unwrap_or(0);
    let priced = model
        .prices
        .iter()
        .filter(|price| price.price.is_some())
        .count() as u32;
    let merged = model.prices.iter().filter(|price| price.members.len() > 1);
    let (members, buckets) = merged.fold((0, 0), |(members, buckets), price| {
        (members + price.members.len() as u32, buckets + 1)
    });
    let nothing = model.unexplained.as_ref();
    // What was sampled is known whatever predicts.
    let sampled = methods.items.iter().any(|item| item.samples.is_some());
    let cancelled = cancelled(model, methods).filter(|_| nothing.is_none() && !sampled);
    let uncounted = is_uncounted(inspection);
    let hidden = !sampled && (cancelled.is_some() || nothing.is_some() || uncounted);
    let errors = |evaluation: &Evaluation| (evaluation.median_error, evaluation.p90_error);
    let mut summary = Summary {
        schema: FINDING_SCHEMA,
        subject: inspection.subject.clone(),
        target: model.target.clone(),
        unit: model.unit.clone(),
        observations: status("ok"),
        failed: status("failed"),
        features: inspection.features.values().sum(),
        priced,
        unpriced: model.prices.len() as u32 - priced,
        method: model.method.clone(),
        split: model
            .evaluation
            .as_ref()
            .map(|evaluation| (evaluation.train_rows, evaluation.test_rows)),
        error: model.evaluation.as_ref().map(errors),
        baseline: model.baseline.as_ref().map(errors),
        constant: model
            .alternatives
            .iter()
            .find(|other| other.name == A_CONSTANT)
            .map(errors),
        noise: model
            .evaluation
            .as_ref()
            .and_then(|evaluation| evaluation.noise_floor),
        coverage: model
            .interval
            .as_ref()
            .map(|interval| (interval.level, interval.coverage)),
        scatter: model
            .interval
            .as_ref()
            .and_then(|interval| interval.scatter),
        top: if hidden { Vec::new() } else { top(methods) },
        below: if hidden || methods.items.is_empty() {
            Vec::new()
        } else {
            below(methods)
        },
        formula: (nothing.is_none() && !model.terms.is_empty()).then(|| model.text.clone()),
        terms: match nothing {
            Some(_) => Vec::new(),
            None => model.terms.clone(),
        },
        concise: model.concise.clone().filter(|_| nothing.is_none()),
        inseparable: (buckets > 0).then_some((members, buckets)),
        sentences: Vec::new(),
        warnings: warnings(model, methods, !hidden),
        notes: inspection.notes.clone(),
        outputs: Vec::new(),
    };
    let unpredicted = nothing.map(|why| {
        let why = if sampled {
            why.replacen(EXPLAINS, EXPLAINS_DIFFERENCES, 1)
        } else {
            why.clone()
        };
        sentence(&capitalised(&why))
    });
    if uncounted {
        summary.sentences.push(
            "Nothing that the program executed was counted, so nothing here tells its parts apart (the notes and --include say why)."
                .to_owned(),
        );
    }
    let mut others = sentences(&summary, methods, inspection);
    // Where the cost goes comes first where it was measured.
    let place = if sampled { others.len().min(2) } else { 0 };
    if let Some(why) = unpredicted {
        others.insert(place, why);
    }
    summary.sentences.extend(others);
    summary.sentences.extend(cancelled.map(|below| {
        format!(
            "The terms of the formula cancel each other (those below zero come to {} of the cost): it predicts, but does not say where the cost goes. The prices of --method hier or nnls do.",
            percent(below)
        )
    }));
    summary
}

/// Kinds of features that say nothing of what a program executed.
const KNOWN_BEFORE: [&str; 3] = ["base", "cold", "input"];

/// Whether a program was run, and nothing of it counted.
fn is_uncounted(inspection: &Inspection) -> bool {
    let mut kinds = inspection.features.keys();
    !inspection.scope.is_empty() && kinds.all(|kind| KNOWN_BEFORE.contains(&kind.as_str()))
}

/// The share of the cost that terms below zero come to, if their sum says nothing about where it goes.
fn cancelled(model: &CostModel, methods: &Explanation) -> Option<f64> {
    let terms = model.terms.iter().map(|term| term.share);
    let shares = terms.chain(methods.items.iter().map(|item| item.share));
    let below = shares.filter(|share| *share < 0.0).sum::<f64>();
    let beyond = methods
        .items
        .iter()
        .any(|item| item.share > 1.0 + CANCELLED);
    (below < -CANCELLED || beyond).then_some(below)
}

/// The dearest methods that have a rank.
fn top(methods: &Explanation) -> Vec<SummaryItem> {
    let items = methods.ranked_items().take(TOP);
    items
        .filter(|item| item.cost > 0.0)
        .map(|item| SummaryItem {
            name: item.name.clone(),
            cost: item.cost,
            share: item.share,
            bounds: item.share_bounds,
        })
        .collect()
}

/// What stands below the dearest methods: the others, and where the figures come from.
fn below(methods: &Explanation) -> Vec<String> {
    let others = Together::of(methods.ranked_items().skip(TOP));
    let mut out = Vec::new();
    if others.lines > 0 {
        out.push(format!(
            "{} more: {} (`pricetag explain` lists them)",
            count(others.lines as f64),
            percent(others.share)
        ));
    }
    let unranked = Together::of(methods.items.iter().filter(|item| item.unranked));
    if unranked.lines > 0 {
        out.push(methods.unranked_text(&unranked));
    }
    if is_sampled(methods) {
        out.push("Shares are measured: stacks were sampled in runs of their own. Intervals are of the luck of sampling alone: stacks that could not be walked are in none of them.".to_owned());
    }
    let unsampled = methods
        .notes
        .iter()
        .filter(|note| [UNSAMPLED, NOT_OF_THIS].contains(&note.as_str()));
    out.extend(unsampled.map(|note| sentence(&capitalised(note))));
    out
}

fn is_sampled(methods: &Explanation) -> bool {
    methods.items.iter().any(|item| item.share_bounds.is_some())
}

fn warnings(model: &CostModel, methods: &Explanation, accounted: bool) -> Vec<String> {
    let mut diagnostics: Vec<_> = model
        .diagnostics
        .iter()
        .filter(|found| found.severity > Severity::Note)
        .filter(|found| model.unexplained.as_ref() != Some(&found.message))
        .collect();
    diagnostics.sort_by_key(|found| std::cmp::Reverse(found.severity));
    let mut warnings: Vec<String> = diagnostics
        .into_iter()
        .map(|found| match &found.advice {
            Some(advice) => format!("{} {advice}", sentence(&found.message)),
            None => found.message.clone(),
        })
        .collect();
    warnings.extend(narrow_intervals(model));
    warnings.extend(
        methods
            .items
            .iter()
            .filter(|item| accounted && item.is_risk())
            .map(|item| {
                format!(
                    "Whoever chooses the input chooses the cost: {}.",
                    item.risk_text()
                )
            }),
    );
    warnings
}

/// Intervals that held much less often than they are meant to.
pub fn narrow_intervals(model: &CostModel) -> Option<String> {
    /// Points below the nominal coverage that change what an interval is worth.
    const MUCH: f64 = 0.15;
    let interval = model.interval.as_ref()?;
    let luck = interval.scatter.map_or(0.0, |scatter| 2.0 * scatter);
    let held = interval.coverage?;
    if interval.level - held <= luck.max(MUCH) {
        return None;
    }
    Some(format!(
        "Intervals of predictions are too narrow: meant to hold {} of unseen inputs, they held {}. Do not rely on their ends.",
        percent(interval.level),
        percent(held)
    ))
}

/// Whether so few inputs can be that far off by chance.
fn luck(level: f64, measured: f64, scatter: Option<f64>) -> String {
    let off = (measured - level).abs();
    let within = |s: &f64| off > 0.01 && off <= 2.0 * s;
    scatter.filter(within).map_or_else(String::new, |s| {
        format!(
            ", which is within the luck of so few inputs (two standard deviations: {:.0} points)",
            200.0 * s
        )
    })
}

fn sentences(summary: &Summary, methods: &Explanation, inspection: &Inspection) -> Vec<String> {
    let mut out = vec![what_ran(summary, inspection)];
    let waited = inspection.waited.filter(|_| summary.target == "wall");
    let waited = waited.map(|share| waiting(share, inspection.queued));
    out.extend(where_it_goes(summary, methods, waited));
    let is_time = matches!(summary.target.as_str(), "cpu" | "wall");
    let time = asked_for(&summary.target, &inspection.usual).unwrap_or(inspection.time.clone());
    out.extend(Some(time).filter(|why| is_time && !why.is_empty()));
    if is_time && inspection.scope == "main" {
        out.push("Times begin with `main`: the JVM's own start is not in them.".to_owned());
    }
    out.extend(how_well(summary));
    let cost = inspection.costs.iter().find(|c| c.name == summary.target);
    let noise = cost.map(|cost| cost.noise_text.clone());
    out.extend(noise.filter(|text| !text.is_empty()));
    out.extend(held(summary));
    out.extend(summary.concise.as_ref().map(in_few_terms));
    out.extend(what_is_unknown(summary).filter(|_| !is_sampled(methods)));
    out.extend(what_does_not_repeat(inspection));
    out
}

/// How often intervals held.
fn held(summary: &Summary) -> Option<String> {
    let (level, coverage) = summary.coverage?;
    // Of n inputs, n of n + 1 is the highest level that can be told.
    let highest = |n: u32| (level - f64::from(n) / f64::from(n + 1)).abs() < 1e-9;
    let few = if (4..19).any(highest) {
        " (so few inputs cannot bear out 95 %)"
    } else {
        ""
    };
    Some(match coverage {
        Some(measured) => format!(
            "Intervals meant to hold {} of unseen inputs{few} held {}{}.",
            percent(level),
            percent(measured),
            luck(level, measured, summary.scatter)
        ),
        None => format!(
            "Intervals are meant to hold {} of unseen inputs{few}; that was not measured.",
            percent(level)
        ),
    })
}

/// Counts that do not follow from the input: what is learnt from them holds on average.
fn what_does_not_repeat(inspection: &Inspection) -> Option<String> {
    let differing = inspection.nondeterministic.len();
    (differing > 0).then(|| {
        format!(
            "Counted again, {} of {} features came out differently for the same input: the input alone does not decide the count.",
            count(differing as f64),
            count(f64::from(inspection.features.values().sum::<u32>())),
        )
    })
}

/// What ran, and first of all what of it is missing.
fn what_ran(summary: &Summary, inspection: &Inspection) -> String {
    let all = f64::from(summary.observations + summary.failed);
    let inputs = if inspection.scope == "main" {
        "inputs"
    } else {
        "invocations"
    };
    let mut left: Vec<String> = Vec::new();
    if summary.failed > 0 {
        left.push(format!("{} failed", count(f64::from(summary.failed))));
    }
    let warm = inspection.observations.get("warm-up").copied().unwrap_or(0);
    if warm > 0 {
        left.push(format!("{} more were warm-up", count(f64::from(warm))));
    }
    let left = match left.len() {
        0 => String::new(),
        _ => format!(" ({}, left out)", left.join(", ")),
    };
    format!(
        "{} ran over {} {inputs}{left}; {} features were counted: how often each piece of its code ran.",
        subject_name(&summary.subject),
        count(all),
        count(f64::from(summary.features)),
    )
}

fn how_well(summary: &Summary) -> Vec<String> {
    let Some((median, p90)) = summary.error else {
        return vec![format!(
            "The model ({}) was not tested on unseen inputs.",
            summary.method
        )];
    };
    let (train, test) = summary.split.unwrap_or_default();
    let mut out = vec![format!(
        "Predictions of {} for unseen inputs: the model ({}), learnt from {} inputs and tested on {} others, has a median error of {} ({} for \
         the worst tenth).",
        cost_words(&summary.target),
        summary.method,
        count(f64::from(train)),
        count(f64::from(test)),
        percent(median),
        above(p90),
    )];
    if let Some((size_only, _)) = summary.baseline {
        // Where formulas of the size are worse than none, none is what the size tells.
        let constant = summary.constant.map(|(error, _)| error);
        let constant = constant.filter(|error| *error < size_only);
        let size_only = constant.unwrap_or(size_only);
        let factor = if median > 0.0 {
            size_only / median
        } else {
            f64::INFINITY
        };
        let verdict = if factor > 100.0 {
            ", more than a hundred times as much".to_owned()
        } else if factor >= 1.05 {
            format!(", {factor:.1} times as much")
        } else if factor < 1.0 {
            ", which is no worse: the counts add nothing here".to_owned()
        } else {
            String::new()
        };
        let how = if constant.is_some() {
            " (by one cost for all inputs: formulas of the size are worse on these)"
        } else {
            ""
        };
        out.push(format!(
            "From the size of the input alone the error is {}{how}{verdict}.",
            percent(size_only)
        ));
    }
    out
}

/// The cost in few terms.
fn in_few_terms(found: &Concise) -> String {
    let judged = found.evaluation.as_ref().map(|judged| {
        let error = percent(judged.median_error);
        format!("; median error {error} on the inputs not learnt from")
    });
    format!(
        "In {} terms at most: {}{}.",
        found.most,
        brief(&found.text),
        judged.unwrap_or_default()
    )
}

/// How much of a time is waiting, and for what.
fn waiting(share: f64, queued: Option<f64>) -> String {
    match queued {
        None => format!(
            "at least {} is waiting: for timers, disks, networks, locks, or a processor that others used; nothing here says which",
            percent(share)
        ),
        Some(queued) => {
            format!(
                "at least {} is waiting for timers, disks, networks or locks, and {} for a processor that others used",
                percent(share),
                percent(queued)
            )
        }
    }
}

fn where_it_goes(
    summary: &Summary,
    methods: &Explanation,
    waited: Option<String>,
) -> Option<String> {
    // What is not known is nowhere that time goes.
    let unknown = ChargeKind::Unknown.title();
    let waits = ChargeKind::Waiting.title();
    let known = |item: &&SummaryItem| item.name != unknown && item.name != waits;
    let first = summary.top.iter().filter(known);
    let first: Vec<&SummaryItem> = first.take(3).collect();
    let names = first
        .iter()
        .map(|item| format!("{} ({})", brief(&item.name), percent(item.share)));
    let names = names.collect::<Vec<_>>().join(", ");
    let quantity = |cost| quantity(cost, &summary.unit);
    let total = match methods.measured {
        Some(measured) => format!("{} measured", quantity(measured)),
        None => format!("{} predicted", quantity(methods.predicted)),
    };
    if first.is_empty() {
        return None;
    }
    let time = cost_words(&summary.target);
    let most = first.iter().map(|item| item.share).sum::<f64>() > 0.5;
    let without = summary.top.iter().find(|item| item.name == unknown);
    let without = without.map_or(0.0, |item| item.share);
    let without = if without > MUCH_UNKNOWN {
        format!("; {} could not be attributed", percent(without))
    } else {
        String::new()
    };
    Some(match waited {
        // Stacks of threads that wait are not sampled: what they wait for is no part of the shares.
        Some(waiting) if is_sampled(methods) => format!(
            "Of {total} ({time}), {waiting}. Of the rest the largest parts go to {names}{without}; shares are of the whole."
        ),
        Some(waiting) => format!(
            "Of {total} ({time}), {waiting}. By the prices most goes to {names}, waiting included."
        ),
        None if most => format!("Of {total} ({time}), most goes to {names}{without}."),
        None => format!("Of {total} ({time}), the largest parts go to {names}{without}."),
    })
}

fn what_is_unknown(summary: &Summary) -> Option<String> {
    let mut parts = Vec::new();
    if let Some((members, buckets)) = summary.inseparable {
        parts.push(format!(
            "{} features could not be told apart and share {} {}",
            count(f64::from(members)),
            count(f64::from(buckets)),
            if buckets == 1 { "price" } else { "prices" }
        ));
    }
    if summary.unpriced > 0 {
        parts.push(format!(
            "{} could not be priced",
            count(f64::from(summary.unpriced))
        ));
    }
    (!parts.is_empty()).then(|| sentence(&parts.join("; ")))
}

fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    let first = rest.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(rest).collect()
}

/// The cost in words.
fn cost_words(target: &str) -> String {
    match target {
        "wall" => "wall time".to_owned(),
        "cpu" => "CPU time".to_owned(),
        "alloc" => "bytes allocated".to_owned(),
        other => format!("`{other}`"),
    }
}

fn above(p90: f64) -> String {
    format!("more than {}", percent(p90))
}

fn sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}
