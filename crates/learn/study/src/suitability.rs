//! Which options go with which method and dataset: one that cannot be followed is refused, never ignored.

use pricetag_dataset::Dataset;
use pricetag_regress::lasso::Lambda;

use crate::fit::FitError;
use crate::method::Method;
use crate::options::{FitOptions, Level, Weighting};
use crate::preference::is_known;
use crate::tuning::{Parsimony, Signs, Tuning};

/// An option of single methods: as the user writes it, whether it is given, and the methods that follow it.
type Own = (&'static str, fn(&Tuning) -> bool, &'static [Method]);

const OWN: [Own; 17] = [
    (
        "--signs",
        |t| t.signs != Signs::default(),
        &[Method::L1, Method::Lasso],
    ),
    (
        "--lambda",
        |t| t.lambda != Lambda::default(),
        &[Method::Lasso, Method::Poly, Method::Greedy, Method::LogPoly],
    ),
    (
        "--folds",
        |t| t.folds.is_some(),
        &[Method::Lasso, Method::Poly, Method::Greedy, Method::LogPoly],
    ),
    (
        "--parsimony",
        |t| t.parsimony != Parsimony::Least,
        &[Method::Poly],
    ),
    ("--terms", |t| t.terms.is_some(), &[Method::Poly]),
    (
        "--degree",
        |t| t.degree.is_some(),
        &[
            Method::Poly,
            Method::Greedy,
            Method::Mars,
            Method::LogPoly,
            Method::LogMars,
        ],
    ),
    (
        "--interactions",
        |t| t.interactions.is_some(),
        &[Method::Poly, Method::Greedy, Method::LogPoly],
    ),
    (
        "--penalty",
        |t| t.penalty.is_some(),
        &[Method::Mars, Method::LogMars],
    ),
    ("--steps", |t| t.steps, &[Method::Mars]),
    ("--formula", |t| t.formula.is_some(), &[Method::Nls]),
    ("--start", |t| !t.start.is_empty(), &[Method::Nls]),
    ("--bounds", |t| !t.bounds.is_empty(), &[Method::Nls]),
    ("--multistart", |t| t.multistart > 0, &[Method::Nls]),
    ("--constants", |t| !t.constants.is_empty(), &[Method::Gp]),
    ("--generations", |t| t.generations.is_some(), &[Method::Gp]),
    ("--paper-fitness", |t| t.paper_fitness, &[Method::Gp]),
    ("--paper-runs", |t| t.paper_runs, &[Method::Solve]),
];

/// What `auto` tries with these options, in order of preference.
pub(crate) fn tried(options: &FitOptions) -> &'static [Method] {
    if options.tuning.is_parsimonious() {
        &[Method::Poly]
    } else if options.prefer.is_some() {
        &Method::PREFERRING
    } else {
        &Method::CANDIDATES
    }
}

/// Whether the method asked for, or one that `auto` tries, is among some.
fn is_among(options: &FitOptions, some: &[Method]) -> bool {
    match options.method {
        Method::Auto => tried(options).iter().any(|m| some.contains(m)),
        method => some.contains(&method),
    }
}

fn unsuitable(option: &'static str, reason: String) -> FitError {
    FitError::Unsuitable { option, reason }
}

/// Names with commas and a last "or".
fn any_of(methods: impl IntoIterator<Item = Method>) -> String {
    let names: Vec<String> = methods.into_iter().map(|m| m.to_string()).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// Refuses options that the method cannot follow.
pub(crate) fn check_method(options: &FitOptions) -> Result<(), FitError> {
    let (method, tuning) = (options.method, &options.tuning);
    for (option, given, methods) in OWN {
        if given(tuning) && !is_among(options, methods) {
            let reason = format!(
                "`{method}` knows no such choice; use --method {}",
                any_of(methods.iter().copied())
            );
            return Err(unsuitable(option, reason));
        }
    }
    if options.intercept && !method.takes_intercept() {
        let all = Method::NAMES.iter().map(|(_, m)| *m);
        let reason = match method {
            Method::Poly | Method::Greedy | Method::Mars | Method::LogPoly | Method::LogMars => {
                format!("`{method}` always fits a constant; leave the option out")
            }
            Method::Nls => "write the constant into the formula, as in `k*n + c`".to_owned(),
            Method::Gp => "`gp` finds a constant where it helps; leave the option out".to_owned(),
            _ => format!(
                "`{method}` fits no constant beside the prices; add a column of ones, or use --method {}",
                any_of(all.filter(|m| m.takes_intercept()))
            ),
        };
        return Err(unsuitable("--intercept", reason));
    }
    if tuning.filter.is_some() && method == Method::Hier {
        let reason = "`hier` shares what it learns between features that occur together and prices all of them; leave the filter out, or use --method nnls";
        return Err(unsuitable("--filter", reason.into()));
    }
    let others = options.weighting.is_some_and(|w| w != Weighting::Relative);
    if method == Method::Wls && others {
        let reason =
            "`wls` is least squares on relative errors; use --method ols for other weights";
        return Err(unsuitable("--weights", reason.into()));
    }
    if method == Method::Normalised && others {
        let reason = "`normalised` divides errors by the total cost of the row's group; leave the option out";
        return Err(unsuitable("--weights", reason.into()));
    }
    if tuning.terms == Some(0) {
        let reason = "a formula has at least one term";
        return Err(unsuitable("--terms", reason.into()));
    }
    Ok(())
}

/// Refuses a preference that the method or the dataset cannot follow.
pub(crate) fn check_preference(dataset: &Dataset, options: &FitOptions) -> Result<(), FitError> {
    if options.prefer.is_none() {
        return Ok(());
    }
    let refuse = |reason: String| Err(unsuitable("--prefer", reason));
    let method = options.method;
    if method != Method::Auto && !method.takes_preference() {
        return refuse(format!(
            "`{method}` cannot prefer features; lasso, poly and greedy can"
        ));
    }
    if options.tuning.filter.is_some() {
        return refuse(
            "a filter against collinear features would drop cheap ones for dear ones; leave --filter out"
                .into(),
        );
    }
    if !is_known(dataset) {
        return refuse(
            "the dataset does not say when features are final; record it with --availability"
                .into(),
        );
    }
    Ok(())
}

/// Refuses what a fit over streamed rows cannot do.
pub(crate) fn check_streaming(options: &FitOptions) -> Result<(), FitError> {
    if !matches!(options.method, Method::Ols | Method::Wls) {
        let reason = format!(
            "rows can be streamed for ols and wls only, not for `{}`; leave --stream out",
            options.method
        );
        return Err(unsuitable("--stream", reason));
    }
    let default = FitOptions::default();
    let whole = "all rows are learnt from, once; leave --stream out to hold some back";
    for (option, given, reason) in [
        (
            "--train",
            options.train != default.train && options.train < 1.0,
            whole,
        ),
        ("--sensitivity", options.sensitivity, whole),
        (
            "--weights",
            options.weighting == Some(Weighting::Root),
            "streamed rows weigh alike or relative to the cost; leave --stream out",
        ),
        (
            "--filter",
            options.tuning.filter.is_some(),
            "a filter needs all columns at once; leave --stream out, or --ignore the columns",
        ),
        (
            "--level",
            options.level != Level::Auto || options.kinds.is_some(),
            "a table's columns have no levels; --ignore those that are not to explain the cost",
        ),
        (
            "--prefer",
            options.prefer.is_some(),
            "a table does not say when its columns are final; leave it out",
        ),
    ] {
        if given {
            return Err(unsuitable(option, reason.to_owned()));
        }
    }
    check_method(options)
}
