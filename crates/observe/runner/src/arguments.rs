//! Arguments of a scope's invocations as input features, under the names of the method's parameters.
//!
//! `n` is a number, `text.size` the size of a string, array or collection. One name holds for all inputs of a recording. Where names are
//! missing (no debug tables) or would mislead, a parameter is called by its place, `arg0`: if methods of one scope that have the place call
//! it differently, if it shares its name with another parameter or with an input of the whole run, or if the name is none that Java could
//! have. Methods with as many parameters as no invocation had have no say.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_dataset::InputValue;
use pricetag_dataset::secrets::names_secret;
use pricetag_quantity::Unfinite;
use pricetag_trace::{Argument, Record, Trace};

/// Fewest different arguments that make groups; with fewer, groups would be too coarse to split rows by.
const FEWEST_GROUPS: usize = 20;

/// The parameters' names of one method, by place.
pub(crate) type Parameters = Vec<Option<String>>;

/// The parameters of the methods of a scope that a run loaded.
pub(crate) fn parameters(trace: &Trace) -> BTreeSet<Parameters> {
    let of = |record: &Record| match record {
        Record::Parameters(method) => Some(method.names.clone()),
        _ => None,
    };
    trace.records.iter().filter_map(of).collect()
}

/// What the arguments of all invocations are called, by place. `methods` are those of the scope, `arities` how many arguments invocations
/// had, `known` the inputs of whole runs.
pub(crate) fn names(
    methods: &BTreeSet<Parameters>,
    arities: &BTreeSet<usize>,
    known: &BTreeSet<&str>,
) -> Vec<String> {
    let invoked = methods.iter().filter(|m| arities.contains(&m.len()));
    let invoked: Vec<&Parameters> = invoked.collect();
    let usable = |place: usize| {
        let mut names = invoked.iter().filter_map(|method| method.get(place));
        let name = names.next()?.as_deref()?;
        let agreed = names.all(|other| other.as_deref() == Some(name));
        let elsewhere =
            |(at, other): (usize, &Option<String>)| at != place && other.as_deref() == Some(name);
        let alone = !invoked.iter().any(|m| m.iter().enumerate().any(elsewhere));
        let free = !known.contains(name) && !known.contains(format!("{name}.size").as_str());
        let fit = is_identifier(name) && !is_place(name);
        (agreed && alone && free && fit).then(|| name.to_owned())
    };
    (0..arities.last().copied().unwrap_or(0))
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

/// Arguments as input features: numbers by value, strings, arrays and collections by size.
pub(crate) fn inputs(arguments: &[Argument], names: &[String]) -> BTreeMap<String, InputValue> {
    let named = names.iter().zip(arguments);
    let values = named.filter_map(|(name, argument)| match argument {
        Argument::Integer(v) => Some((name.clone(), *v as f64)),
        Argument::Real(v) => Some((name.clone(), *v)),
        Argument::Size(v) | Argument::Text { length: v, .. } => {
            Some((format!("{name}.size"), *v as f64))
        }
        Argument::Null | Argument::Opaque | Argument::Path(_) => None,
    });
    values
        .filter(|(_, v)| v.is_finite())
        .map(|(name, v)| (name, InputValue::Number(v)))
        .collect()
}

/// What the texts among an invocation's arguments say, for its row's label: ` "red fox"`; empty if there are none. A parameter that any method of the
/// scope calls as one calls a secret is not shown. What a text has beside printable characters are spaces here.
pub(crate) fn shown(arguments: &[Argument], methods: &BTreeSet<Parameters>) -> String {
    let secret = |place: usize| {
        let mut names = methods
            .iter()
            .filter_map(|method| method.get(place)?.as_deref());
        names.any(names_secret)
    };
    let plain = |text: &str| -> String {
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        text.chars().map(plain).collect()
    };
    let open = arguments
        .iter()
        .enumerate()
        .filter(|(place, _)| !secret(*place));
    open.filter_map(|(_, argument)| match argument {
        Argument::Text { length, beginning } => {
            let units = beginning.encode_utf16().count() as u64;
            let more = if units < *length { "…" } else { "" };
            Some(format!(" \"{}{more}\"", plain(beginning)))
        }
        Argument::Path(name) => Some(format!(" {}", plain(name))),
        _ => None,
    })
    .collect()
}

/// Notes on arguments that some invocations gave no finite number, by name.
pub(crate) fn unfinite<'a>(
    calls: impl Iterator<Item = &'a Vec<Argument>>,
    names: &[String],
) -> Vec<String> {
    let (mut all, mut invocations) = (vec![Unfinite::default(); names.len()], 0_usize);
    for arguments in calls {
        invocations += 1;
        for (found, argument) in all.iter_mut().zip(arguments) {
            if let Argument::Real(value) = argument {
                found.add(*value);
            }
        }
    }
    let found = names.iter().zip(all).filter(|(_, found)| !found.is_none());
    let notes = found.map(|(name, found)| {
        format!("argument `{name}` is no finite number in some of {invocations} invocations, and 0 in their rows: {found}")
    });
    notes.collect()
}

/// Gives every row all inputs that any has: a `null` where other invocations have a size counts as size 0, and so does an argument that
/// only another method of the scope takes.
pub(crate) fn complete(rows: &mut [BTreeMap<String, InputValue>]) {
    let names: BTreeSet<String> = rows.iter().flat_map(|row| row.keys().cloned()).collect();
    for row in rows {
        for name in &names {
            row.entry(name.clone()).or_insert(InputValue::Number(0.0));
        }
    }
}

/// Rows with the same arguments may be the same input and must not stand on both sides of a split. Each row has its inputs and what its texts
/// say ([`shown`]). If there are too few different ones for that, how many.
pub(crate) fn groups(
    rows: &[(&BTreeMap<String, InputValue>, String)],
) -> Result<Vec<String>, usize> {
    let text = |(inputs, texts): &(&BTreeMap<String, InputValue>, String)| {
        let values = inputs.values().map(|v| match v {
            InputValue::Number(n) => n.to_string(),
            InputValue::Text(t) => t.clone(),
        });
        format!("({}){texts}", values.collect::<Vec<_>>().join(","))
    };
    let groups: Vec<String> = rows.iter().map(text).collect();
    let different = groups.iter().collect::<BTreeSet<_>>().len();
    if different >= FEWEST_GROUPS {
        Ok(groups)
    } else {
        Err(different)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_without_a_number_are_told_apart() {
        let call = |x| vec![Argument::Integer(1), Argument::Real(x)];
        let calls = [0.5, f64::NAN, f64::INFINITY, -f64::INFINITY, f64::NAN].map(call);
        let names = ["n", "x"].map(str::to_owned);
        assert_eq!(
            unfinite(calls.iter(), &names),
            [
                "argument `x` is no finite number in some of 5 invocations, and 0 in their rows: 2 not a number, 1 infinite, 1 negative infinite"
            ]
        );
        assert_eq!(unfinite(calls[..1].iter(), &names), [""; 0]);
    }

    #[test]
    fn a_label_says_which_text_it_was_and_no_secret() {
        let text = |length, beginning: &str| Argument::Text {
            length,
            beginning: beginning.to_owned(),
        };
        let call = [
            Argument::Integer(4),
            text(3, "red"),
            text(90, "one\ntwo"),
            Argument::Path("in/a.txt".to_owned()),
            Argument::Null,
        ];
        let told = |names: &[&str]| {
            let names = names.iter().map(|name| Some((*name).to_owned())).collect();
            shown(&call, &BTreeSet::from([names]))
        };
        assert_eq!(told(&[]), " \"red\" \"one two…\" in/a.txt");
        assert_eq!(told(&["n", "apiKey"]), " \"one two…\" in/a.txt");
    }

    #[test]
    fn texts_of_one_length_are_different_inputs() {
        let sizes = BTreeMap::from([("text.size".to_owned(), InputValue::Number(2.0))]);
        let rows: Vec<_> = (0..40)
            .map(|n| (&sizes, format!(" \"{:02}\"", n / 2)))
            .collect();
        let groups = groups(&rows).unwrap();
        assert_eq!(groups[0], groups[1]);
        assert_ne!(groups[1], groups[2]);
    }

    /// The names of places if these methods were loaded and invocations had so many arguments; `level` is known of whole runs.
    fn check(methods: &[&[&str]], arities: &[usize], expected: &[&str]) {
        let named = |name: &&str| (!name.is_empty()).then(|| (*name).to_owned());
        let methods = methods
            .iter()
            .map(|names| names.iter().map(named).collect());
        let known = BTreeSet::from(["level"]);
        let arities = arities.iter().copied().collect();
        assert_eq!(names(&methods.collect(), &arities, &known), expected);
    }

    #[test]
    fn parameters_have_their_names() {
        check(&[&["text", "n"]], &[2], &["text", "n"]);
        check(&[], &[2], &["arg0", "arg1"]);
        check(&[&["", "n"]], &[2], &["arg0", "n"]);
        check(&[&["n"], &["n"]], &[1], &["n"]);
    }

    #[test]
    fn overloads_are_compared_place_by_place() {
        check(&[&["n"], &["n", "k"]], &[1, 2], &["n", "k"]);
        check(&[&["text", "n"], &["text", "m"]], &[2], &["text", "arg1"]);
        check(&[&["text", "n"], &["n", "text"]], &[2], &["arg0", "arg1"]);
        check(&[&["n"], &["k", "n"]], &[1, 2], &["arg0", "arg1"]);
        check(&[&["text", "n"], &["text", ""]], &[2], &["text", "arg1"]);
        check(&[&["text", "n"], &["other"]], &[2], &["text", "n"]);
    }

    #[test]
    fn a_name_that_would_mislead_is_not_used() {
        check(&[&["level", "n"]], &[2], &["arg0", "n"]);
        check(&[&["n", "n"]], &[2], &["arg0", "arg1"]);
        check(&[&["arg1", ""]], &[2], &["arg0", "arg1"]);
        check(&[&["a b", "\n"]], &[2], &["arg0", "arg1"]);
    }
}
