//! Arguments of a scope's invocations as input features, under the names of the method's parameters.
//!
//! `n` is a number, `text.size` the size of a string, array or collection. Where names are missing (no debug tables) or would mislead, a
//! parameter is called by its place, `arg0`: if methods of one scope call it differently (overloads with as many parameters), if it shares
//! its name with another or with an input of the whole run, or if the name is none that Java could have.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_dataset::InputValue;
use pricetag_trace::{Argument, Invocation, Record, Trace};

/// Fewest different arguments that make groups; with fewer, groups would be too coarse to split rows by.
const FEWEST_GROUPS: usize = 20;

/// What the arguments of a run's invocations are called, by place. `known` are the inputs of the whole run.
pub(crate) fn names(trace: &Trace, known: &BTreeMap<String, InputValue>) -> Vec<String> {
    let arities: BTreeSet<usize> = trace
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Invocation(call) => Some(call.arguments.len()),
            _ => None,
        })
        .collect();
    let methods: BTreeSet<&[Option<String>]> = trace
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Parameters(method) => Some(method.names.as_slice()),
            _ => None,
        })
        .filter(|names| arities.contains(&names.len()))
        .collect();
    let places = arities.last().copied().unwrap_or(0);
    let only = methods.first().filter(|_| methods.len() == 1);
    let name = |n: usize| only?.get(n)?.as_deref();
    let usable = |n: usize| {
        let name = name(n).filter(|name| is_identifier(name) && !is_place(name))?;
        let sized = format!("{name}.size");
        let alone = only?
            .iter()
            .flatten()
            .filter(|other| *other == name)
            .count()
            == 1;
        let free = !known.contains_key(name) && !known.contains_key(&sized);
        (alone && free).then(|| name.to_owned())
    };
    (0..places)
        .map(|n| usable(n).unwrap_or_else(|| format!("arg{n}")))
        .collect()
}

/// Whether Java could call something so.
fn is_identifier(name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    name.chars().all(part) && name.chars().next().is_some_and(|c| !c.is_numeric())
}

/// Whether it looks like the place of a parameter.
fn is_place(name: &str) -> bool {
    name.strip_prefix("arg")
        .is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}

/// Arguments as input features: numbers by value, strings, arrays and collections by size. A `null` where
/// other invocations have a size counts as size 0.
pub(crate) fn inputs(
    counted: &[Invocation],
    names: &[String],
) -> Vec<BTreeMap<String, InputValue>> {
    let named = |invocation: &Invocation| {
        let values = names
            .iter()
            .zip(&invocation.arguments)
            .filter_map(|(name, argument)| match *argument {
                Argument::Integer(v) => Some((name.clone(), v as f64)),
                Argument::Real(v) => Some((name.clone(), v)),
                Argument::Size(v) => Some((format!("{name}.size"), v as f64)),
                Argument::Null | Argument::Opaque => None,
            });
        values
            .filter(|(_, v)| v.is_finite())
            .map(|(name, v)| (name, InputValue::Number(v)))
            .collect::<BTreeMap<_, _>>()
    };
    let mut all: Vec<BTreeMap<String, InputValue>> = counted.iter().map(named).collect();
    let names: BTreeSet<String> = all.iter().flat_map(|row| row.keys().cloned()).collect();
    for row in &mut all {
        for name in &names {
            row.entry(name.clone()).or_insert(InputValue::Number(0.0));
        }
    }
    all
}

/// Rows with the same arguments may be the same input and must not stand on both sides of a split.
pub(crate) fn groups(inputs: &[BTreeMap<String, InputValue>]) -> Option<Vec<String>> {
    let text = |row: &BTreeMap<String, InputValue>| {
        let values = row.values().map(|v| match v {
            InputValue::Number(n) => n.to_string(),
            InputValue::Text(t) => t.clone(),
        });
        format!("({})", values.collect::<Vec<_>>().join(","))
    };
    let groups: Vec<String> = inputs.iter().map(text).collect();
    let different = groups.iter().collect::<BTreeSet<_>>().len();
    (different >= FEWEST_GROUPS).then_some(groups)
}

#[cfg(test)]
mod tests {
    use super::names;
    use pricetag_dataset::InputValue;
    use pricetag_trace::{Argument, Invocation, Parameters, Record, Trace};
    use std::collections::BTreeMap;

    fn method(names: &[&str]) -> Record {
        let named = |name: &&str| (!name.is_empty()).then(|| (*name).to_owned());
        Record::Parameters(Parameters {
            scope: 0,
            class: "a/B".to_owned(),
            method: "m()V".to_owned(),
            names: names.iter().map(named).collect(),
        })
    }

    fn call(arguments: usize) -> Record {
        Record::Invocation(Invocation {
            scope: 0,
            sequence: 0,
            thread: 0,
            arguments: vec![Argument::Integer(1); arguments],
            start_ns: 0,
            wall_ns: 1,
            cpu_ns: 1,
            allocated_bytes: 0,
            collections: 0,
            threw: false,
            counters: Vec::new(),
            classes_loaded: 0,
        })
    }

    fn check(records: Vec<Record>, expected: &[&str]) {
        let trace = Trace {
            records,
            complete: true,
            damage: None,
        };
        let known = BTreeMap::from([("level".to_owned(), InputValue::Number(1.0))]);
        assert_eq!(names(&trace, &known), expected);
    }

    #[test]
    fn parameters_have_their_names() {
        check(vec![method(&["text", "n"]), call(2)], &["text", "n"]);
        check(vec![call(2)], &["arg0", "arg1"]);
        check(vec![method(&["", "n"]), call(2)], &["arg0", "n"]);
        let loaded_twice = vec![method(&["n"]), method(&["n"]), call(1)];
        check(loaded_twice, &["n"]);
    }

    #[test]
    fn a_name_that_would_mislead_is_not_used() {
        let overloads = |second: &[&str]| vec![method(&["text", "n"]), method(second), call(2)];
        check(overloads(&["n", "text"]), &["arg0", "arg1"]);
        check(overloads(&["other"]), &["text", "n"]);
        check(vec![method(&["level", "n"]), call(2)], &["arg0", "n"]);
        check(vec![method(&["n", "n"]), call(2)], &["arg0", "arg1"]);
        check(vec![method(&["arg1", ""]), call(2)], &["arg0", "arg1"]);
        check(vec![method(&["a b", "\n"]), call(2)], &["arg0", "arg1"]);
    }
}
