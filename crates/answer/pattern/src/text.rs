//! The answer as plain text, for a terminal of at most 100 columns.
//!
//! Every term is explained where it first appears. Names are shortened to class and method; the JSON form has them whole.

use std::fmt::{self, Write};

use crate::dimension::Dimension;
use crate::measures::{Measures, Pattern};
use crate::patterns::{Patterns, SliceUnit};
use crate::ranking::{Neighbourhood, Side};

mod recurrent;

use recurrent::recurrent;

/// Columns.
const WIDTH: usize = 100;

impl fmt::Display for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        write(self, &mut out)?;
        f.write_str(out.trim_end())?;
        f.write_char('\n')
    }
}

fn write(patterns: &Patterns, out: &mut String) -> fmt::Result {
    let recorded = &patterns.recorded;
    writeln!(
        out,
        "{}, {}; {}, {}, {} of invocation",
        plural(recorded.events, "event"),
        plural(recorded.threads as u64, "thread"),
        plural(recorded.classes as u64, "class"),
        plural(recorded.methods as u64, "method"),
        plural(recorded.kinds as u64, "kind"),
    )?;
    for note in &patterns.notes {
        wrapped(out, "note: ", note)?;
    }
    if recorded.events == 0 {
        return writeln!(out, "\nNothing was invoked: there are no patterns.");
    }
    locality(patterns, out)?;
    control(&patterns.whole, out)?;
    census(patterns, out)?;
    neighbours(patterns, out)?;
    recurrent(patterns, out)?;
    parts(patterns, out)
}

fn locality(patterns: &Patterns, out: &mut String) -> fmt::Result {
    writeln!(out, "\nLOCALITY")?;
    wrapped(
        out,
        "",
        "Different classes or methods in a window of the sequence, divided by its size, averaged over all its positions. Small: few are in use at a time.",
    )?;
    for (measures, window) in patterns.whole.dimensions.iter().zip(patterns.windows) {
        let locality = measures.locality.map_or_else(|| "–".to_owned(), number);
        let words = measures.dimension.words();
        writeln!(
            out,
            "  {words:<16}{locality:>9}   window of {}",
            plural(window, "event")
        )?;
    }
    Ok(())
}

fn control(whole: &Measures, out: &mut String) -> fmt::Result {
    writeln!(out, "\nCONTROL PATTERNS")?;
    wrapped(
        out,
        "",
        "Loop-N: the event equals the one N events before; consecutive is loop-1. Hierarchy-consecutive: of two classes in a row, one is or extends the other. Predicted: share of such events. In one: share of events that are predicted or help to predict one.",
    )?;
    writeln!(
        out,
        "  {:<16}{:<24}{:>10}{:>10}",
        "", "", "predicted", "in one"
    )?;
    for measures in &whole.dimensions {
        let words = measures.dimension.words();
        if let Some(first) = measures.loops.first() {
            line(out, words, "consecutive", &first.pattern)?;
        }
        if let Some(hierarchy) = &measures.hierarchy_consecutive {
            line(out, words, "hierarchy-consecutive", hierarchy)?;
        }
        let mut loops: Vec<_> = measures.loops.iter().skip(1).collect();
        loops.sort_by(|a, b| {
            let by = |l: &crate::Loop| l.pattern.predicted.events;
            by(b).cmp(&by(a)).then(a.length.cmp(&b.length))
        });
        for found in loops
            .iter()
            .take(3)
            .filter(|l| l.pattern.predicted.events > 0)
        {
            line(
                out,
                words,
                &format!("loop-{}", found.length),
                &found.pattern,
            )?;
        }
    }
    Ok(())
}

fn line(out: &mut String, words: &str, name: &str, pattern: &Pattern) -> fmt::Result {
    let (predicted, members) = (pattern.predicted.share, pattern.members.share);
    writeln!(
        out,
        "  {words:<16}{name:<24}{:>10}{:>10}",
        percent(predicted),
        percent(members)
    )
}

fn census(patterns: &Patterns, out: &mut String) -> fmt::Result {
    let distances = &patterns.distances;
    writeln!(out, "\nDISTANCE")?;
    wrapped(
        out,
        "",
        "Superclasses from the receiver's class up to the class that declares the method; 0 if it declares it itself.",
    )?;
    let mut parts: Vec<String> = Vec::new();
    for (steps, share) in distances.distribution.iter().enumerate() {
        if share.events > 0 {
            parts.push(format!("{steps}: {}", percent(share.share)));
        }
    }
    if distances.in_interface.events > 0 {
        parts.push(format!(
            "in an interface: {}",
            percent(distances.in_interface.share)
        ));
    }
    if distances.unrelated.events > 0 {
        parts.push(format!(
            "not above it: {}",
            percent(distances.unrelated.share)
        ));
    }
    let mean = distances.mean.map_or_else(|| "–".to_owned(), number);
    wrapped(out, "  ", &format!("mean {mean}; {}", parts.join(", ")))?;

    let sizes = &patterns.sizes;
    writeln!(out, "\nSIZES AND NATIVE METHODS")?;
    let bytes = |mean: Option<f64>| {
        mean.map_or_else(|| "unknown".to_owned(), |m| format!("{} bytes", number(m)))
    };
    wrapped(
        out,
        "  ",
        &format!(
            "mean size of a method's bytecode {}; of an invoked method, each as often as it is invoked, {}; size known of {} of {}",
            bytes(sizes.mean_bytes),
            bytes(sizes.mean_bytes_invoked),
            sizes.known,
            plural(sizes.methods as u64, "method"),
        ),
    )?;
    let natives = &patterns.natives;
    wrapped(
        out,
        "  ",
        &format!(
            "{}, {} ({} of all)",
            plural(natives.methods, "native method"),
            plural(natives.invocations.events, "invocation"),
            percent(natives.invocations.share),
        ),
    )?;
    for native in natives.most.iter().take(3) {
        let name = short(&native.name);
        writeln!(
            out,
            "    {}  {}",
            clip(&name, 70),
            plural(native.invocations.events, "time")
        )?;
    }
    Ok(())
}

fn neighbours(patterns: &Patterns, out: &mut String) -> fmt::Result {
    let methods = patterns
        .neighbours
        .iter()
        .find(|n| n.dimension == Dimension::Method);
    let Some(methods) = methods.filter(|m| m.ranked.iter().any(is_hard)) else {
        return Ok(());
    };
    writeln!(out, "\nBUILDING BLOCKS")?;
    wrapped(
        out,
        "",
        "Methods that are much used between many and unlikely neighbours. Entropy, in bits, says how unlikely these are: 0 if it is always the same one, 3 as for eight equally likely ones.",
    )?;
    writeln!(
        out,
        "  {:>12}{:>8}{:>8}  method; likeliest before and after",
        "invocations", "before", "after"
    )?;
    for block in methods.ranked.iter().filter(|r| is_hard(r)).take(8) {
        writeln!(
            out,
            "  {:>12}{:>8}{:>8}  {}",
            grouped(block.invocations),
            number(block.before.entropy_bits),
            number(block.after.entropy_bits),
            clip(&short(&block.name), WIDTH - 32),
        )?;
        let beside = format!(
            "{} → · → {}",
            likeliest(&block.before),
            likeliest(&block.after)
        );
        writeln!(out, "{:32}{}", "", clip(&beside, WIDTH - 32))?;
    }
    Ok(())
}

/// Whether neighbours on both sides are hard to foresee: half a bit is one in nine that is another.
fn is_hard(one: &Neighbourhood) -> bool {
    one.before.entropy_bits.min(one.after.entropy_bits) >= 0.5
}

fn likeliest(side: &Side) -> String {
    side.most.first().map_or_else(
        || "–".to_owned(),
        |n| format!("{} ({})", clip(&short(&n.name), 24), percent(n.probability)),
    )
}

fn parts(patterns: &Patterns, out: &mut String) -> fmt::Result {
    if !patterns.threads.is_empty() {
        writeln!(out, "\nTHREADS")?;
        heading(out, "thread")?;
        for thread in &patterns.threads {
            let name = thread
                .name
                .clone()
                .unwrap_or_else(|| thread.thread.to_string());
            row(out, &name, &thread.measures)?;
        }
    }
    if let Some(first) = patterns.slices.first() {
        let unit = match first.unit {
            SliceUnit::Ns => "from, ms",
            SliceUnit::Events => "from event",
        };
        writeln!(out, "\nSLICES OF TIME")?;
        heading(out, unit)?;
        for slice in &patterns.slices {
            let from = match slice.unit {
                SliceUnit::Ns => number((slice.from - first.from) as f64 / 1e6),
                SliceUnit::Events => grouped(slice.from),
            };
            row(out, &from, &slice.measures)?;
        }
    }
    Ok(())
}

fn heading(out: &mut String, what: &str) -> fmt::Result {
    writeln!(
        out,
        "  {:<22}{:>14}   locality of               consecutive by",
        "", ""
    )?;
    writeln!(
        out,
        "  {what:<22}{:>14}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}",
        "events", "receiver", "class", "method", "receiver", "class", "method"
    )
}

fn row(out: &mut String, name: &str, measures: &Measures) -> fmt::Result {
    write!(
        out,
        "  {:<22}{:>14}",
        clip(name, 21),
        grouped(measures.events)
    )?;
    for dimension in &measures.dimensions {
        let locality = dimension.locality.map_or_else(|| "–".to_owned(), number);
        write!(out, "{locality:>9}")?;
    }
    for dimension in &measures.dimensions {
        let share = dimension
            .loops
            .first()
            .map(|l| percent(l.pattern.predicted.share));
        write!(out, "{:>9}", share.unwrap_or_else(|| "–".to_owned()))?;
    }
    writeln!(out)
}

/// `a/b/C.name(I)V` as `C.name`.
fn short(method: &str) -> String {
    let method = method.split('(').next().unwrap_or_default();
    let (class, name) = method.rsplit_once('.').unwrap_or(("", method));
    if class.is_empty() {
        return name.to_owned();
    }
    format!("{}.{name}", simple(class))
}

/// A class without its package.
fn simple(class: &str) -> &str {
    class.rsplit('/').next().unwrap_or(class)
}

fn clip(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// Words in lines of at most [`WIDTH`] columns, the first one behind `lead`, the others below its end.
fn wrapped(out: &mut String, lead: &str, text: &str) -> fmt::Result {
    let indent = lead.chars().count();
    let mut column = indent;
    out.push_str(lead);
    for (place, word) in text.split_whitespace().enumerate() {
        let room = WIDTH - indent - 1;
        let word = clip(word, room);
        let length = word.chars().count();
        if place > 0 && column + 1 + length > WIDTH {
            write!(out, "\n{:indent$}", "")?;
            column = indent;
        } else if place > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(&word);
        column += length;
    }
    writeln!(out)
}

/// One decimal, if it says something.
fn turns_in_words(turns: f64) -> String {
    if (turns - turns.round()).abs() < 0.05 {
        format!("{turns:.0}")
    } else {
        format!("{turns:.1}")
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn number(value: f64) -> String {
    match value.abs() {
        v if v == 0.0 || v >= 1000.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 0.01 => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    }
}

fn time(ns: f64) -> String {
    match ns {
        ns if ns >= 1e9 => format!("{:.2} s", ns / 1e9),
        ns if ns >= 1e6 => format!("{:.2} ms", ns / 1e6),
        ns if ns >= 1e3 => format!("{:.2} µs", ns / 1e3),
        ns => format!("{ns:.0} ns"),
    }
}

fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn plural(count: u64, noun: &str) -> String {
    let ending = match (count, noun) {
        (1, _) => "",
        (_, "class") => "es",
        _ => "s",
    };
    format!("{} {noun}{ending}", grouped(count))
}

fn plural_mean(mean: f64, noun: &str) -> String {
    if mean.fract() == 0.0 {
        plural(mean as u64, noun)
    } else {
        format!("{mean:.1} {noun}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_nearly_always_has_the_same_neighbour_is_no_building_block() {
        let one = |before: f64, after: f64| {
            let side = |entropy_bits| Side {
                entropy_bits,
                ..Side::default()
            };
            Neighbourhood {
                name: "p/A.fib(I)I".to_owned(),
                id: 0,
                invocations: 1_000_000,
                before: side(before),
                after: side(after),
                score: 1e6 * before.min(after),
            }
        };
        assert!(!is_hard(&one(0.022, 3.0)) && is_hard(&one(0.5, 1.0)));
    }
}
