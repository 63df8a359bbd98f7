//! Behaviour as text: one block per provided service, one line per formula.

use std::fmt::Write as _;

use pricetag_classfile::naming;
use pricetag_finding::table::printable;
use pricetag_services::{Behaviour, Kind, Law, Operation, Quality, Service};

/// Instructions that are shown of one service, those with the worst formulas last.
const INSTRUCTIONS: usize = 12;

/// A service with its parameters' types: `Orders.place(int[], String)`.
pub fn named(service: &Service) -> String {
    let parameters = naming::short_parameters(&service.descriptor);
    let list = parameters.trim_start_matches('(').trim_end_matches(')');
    printable(&format!("{}({list})", service.short()))
}

/// The whole behaviour. With `all`, every category of instructions.
pub fn text(behaviour: &Behaviour, all: bool) -> String {
    let mut out = String::new();
    let component = behaviour.component.join(", ");
    let _ = writeln!(
        out,
        "component {}: {} provided services, {} required",
        printable(&component),
        behaviour.operations.len(),
        behaviour.required.len()
    );
    for told in told(behaviour, all) {
        out.push('\n');
        block(&told, &mut out);
    }
    if !behaviour.required.is_empty() {
        out.push_str("\nrequired\n");
        for service in &behaviour.required {
            let by = service.interface.as_ref();
            let by = by.map_or(String::new(), |name| format!("  as {}", printable(name)));
            let _ = writeln!(out, "  {}{by}", named(service));
        }
    }
    out
}

/// What is known of a provided service, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// Its name with its parameters' types.
    pub name: String,
    /// How often it was called.
    pub calls: String,
    /// Names of its parameters.
    pub parameters: Option<String>,
    /// Its formulas, or one line that there are none.
    pub laws: Vec<ToldLaw>,
    /// What is left out.
    pub more: Option<String>,
}

/// A formula in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldLaw {
    /// Whether it is a parameter of the call above.
    pub inner: bool,
    /// What it gives.
    pub what: String,
    /// The formula.
    pub formula: String,
    /// How far it holds.
    pub sure: String,
}

/// Each provided service in words. With `all`, every category of instructions.
pub fn told(behaviour: &Behaviour, all: bool) -> Vec<Told> {
    let operations = behaviour.operations.iter();
    operations.map(|o| of(behaviour, o, all)).collect()
}

fn of(behaviour: &Behaviour, operation: &Operation, all: bool) -> Told {
    let calls = operation.learnt_from + operation.checked_on;
    let threw = match operation.threw {
        0 => String::new(),
        threw => format!("; {threw} threw"),
    };
    let parameters = &operation.service.parameters;
    let executed = |law: &&Law| matches!(law.kind, Kind::Executed { .. });
    let others = operation.laws.iter().filter(|law| !executed(law));
    let mut counted: Vec<&Law> = operation.laws.iter().filter(executed).collect();
    counted.sort_by_key(|law| law.quality);
    let shown = if all { counted.len() } else { INSTRUCTIONS };
    let exact = counted.iter().filter(|l| l.quality == Quality::Exact);
    let more = (counted.len() > shown).then(|| {
        format!(
            "… {} more categories of instructions (of all {}, {} are exact); --all shows them",
            counted.len() - shown,
            counted.len(),
            exact.count()
        )
    });
    let laws = others.chain(counted.iter().take(shown).copied());
    Told {
        name: named(&operation.service),
        calls: format!(
            "{calls} calls, {} of them kept aside to check{threw}",
            operation.checked_on
        ),
        parameters: (!parameters.is_empty()).then(|| printable(&parameters.join(", "))),
        laws: laws.map(|law| law_of(behaviour, law)).collect(),
        more,
    }
}

fn block(told: &Told, out: &mut String) {
    let _ = writeln!(out, "{}   {}", told.name, told.calls);
    if let Some(parameters) = &told.parameters {
        let _ = writeln!(out, "  of {parameters}");
    }
    if told.laws.is_empty() {
        out.push_str("  calls nothing outside\n");
    }
    for law in &told.laws {
        let inner = if law.inner { "  " } else { "" };
        let _ = writeln!(
            out,
            "  {inner}{} = {}   [{}]",
            law.what, law.formula, law.sure
        );
    }
    if let Some(more) = &told.more {
        let _ = writeln!(out, "  {more}");
    }
}

fn law_of(behaviour: &Behaviour, law: &Law) -> ToldLaw {
    let short = |service: usize| {
        let found = behaviour.required.get(service);
        found.map_or_else(|| "?".to_owned(), Service::short)
    };
    let what = match &law.kind {
        Kind::Passes => "passes".to_owned(),
        Kind::Calls { service } => format!("calls of {}", short(*service)),
        Kind::Parameter {
            service,
            parameter,
            part,
        } => format!("{}: p{parameter}{part}", short(*service)),
        Kind::Result { part } => format!("result{part}"),
        Kind::Executed { category } => format!("executes {category}"),
        Kind::Time => "time in ns".to_owned(),
    };
    let inner = matches!(law.kind, Kind::Parameter { .. });
    let pass = if law.per_pass && !inner {
        " in each pass"
    } else {
        ""
    };
    ToldLaw {
        inner,
        what: printable(&what) + pass,
        formula: printable(&law.text),
        sure: quality(law),
    }
}

fn quality(law: &Law) -> String {
    let off = law
        .error
        .map_or_else(|| "unbounded".to_owned(), |e| format!("{:.1} %", 100.0 * e));
    match law.quality {
        Quality::Exact if law.checked == 0 => {
            format!(
                "exact on all {} that it was learnt from, none left to check",
                law.rows
            )
        }
        Quality::Exact => format!(
            "exact, also on {} of {} that were kept aside",
            law.held, law.checked
        ),
        Quality::Usual => format!(
            "holds with probability {:.3}; the rest depends on the component's state",
            law.probability
        ),
        Quality::Approximate => format!("{}: error {off}", law.method),
        Quality::Unexplained => format!("the mean: nothing here explains it; error {off}"),
    }
}
