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
    for operation in &behaviour.operations {
        out.push('\n');
        block(behaviour, operation, all, &mut out);
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

fn block(behaviour: &Behaviour, operation: &Operation, all: bool, out: &mut String) {
    let calls = operation.learnt_from + operation.checked_on;
    let _ = writeln!(
        out,
        "{}   {calls} calls, {} of them kept aside to check{}",
        named(&operation.service),
        operation.checked_on,
        match operation.threw {
            0 => String::new(),
            threw => format!("; {threw} threw"),
        }
    );
    let parameters = &operation.service.parameters;
    if !parameters.is_empty() {
        let _ = writeln!(out, "  of {}", printable(&parameters.join(", ")));
    }
    if operation.laws.is_empty() {
        out.push_str("  calls nothing outside\n");
    }
    let executed = |law: &&Law| matches!(law.kind, Kind::Executed { .. });
    for law in operation.laws.iter().filter(|law| !executed(law)) {
        line(behaviour, law, out);
    }
    let mut counted: Vec<&Law> = operation.laws.iter().filter(executed).collect();
    counted.sort_by_key(|law| law.quality);
    let shown = if all { counted.len() } else { INSTRUCTIONS };
    for law in counted.iter().take(shown) {
        line(behaviour, law, out);
    }
    if counted.len() > shown {
        let exact = counted.iter().filter(|l| l.quality == Quality::Exact);
        let _ = writeln!(
            out,
            "  … {} more categories of instructions (of all {}, {} are exact); --all shows them",
            counted.len() - shown,
            counted.len(),
            exact.count()
        );
    }
}

fn line(behaviour: &Behaviour, law: &Law, out: &mut String) {
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
        } => format!("  {}: p{parameter}{part}", short(*service)),
        Kind::Result { part } => format!("result{part}"),
        Kind::Executed { category } => format!("executes {category}"),
        Kind::Time => "time in ns".to_owned(),
    };
    let pass = if law.per_pass && !matches!(law.kind, Kind::Parameter { .. }) {
        " in each pass"
    } else {
        ""
    };
    let _ = writeln!(
        out,
        "  {}{pass} = {}   [{}]",
        printable(&what),
        printable(&law.text),
        quality(law)
    );
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
