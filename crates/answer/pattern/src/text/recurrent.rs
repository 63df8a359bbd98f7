//! Recurrent sequences as text: long ones folded, much the same ones told once.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use super::{
    WIDTH, clip, grouped, percent, plural, plural_mean, short, simple, time, turns_in_words,
    wrapped,
};
use crate::patterns::Patterns;
use crate::recurrent::{Recurrent, Step};

/// Sequences shown.
const SHOWN: usize = 10;
/// Steps of a sequence that are named, by depth of loops: the rest is counted.
const NAMED: [usize; 3] = [6, 8, 4];
/// Part of the methods of two sequences that they share if they are told as one.
const ALIKE: f64 = 0.8;

pub(super) fn recurrent(patterns: &Patterns, out: &mut String) -> fmt::Result {
    if patterns.recurrent.is_empty() {
        return Ok(());
    }
    writeln!(out, "\nRECURRENT SEQUENCES")?;
    wrapped(
        out,
        "",
        "Calls that come again in the same order, whatever their number; (…)×3.5 is a loop that turns 3.5 times on average, over the whole recording. A sequence may stand within another, so shares overlap.",
    )?;
    let groups = grouped_alike(&patterns.recurrent);
    for (place, group) in (1..).zip(groups.iter().take(SHOWN)) {
        one(place, group, out)?;
    }
    Ok(())
}

/// The first of each group stands for the others: much the same methods, in another order or number.
fn grouped_alike(found: &[Recurrent]) -> Vec<Vec<&Recurrent>> {
    let mut groups: Vec<(BTreeSet<&str>, Vec<&Recurrent>)> = Vec::new();
    for sequence in found {
        let mut methods = BTreeSet::new();
        named(&sequence.steps, &mut methods);
        let like = groups.iter_mut().find(|(of, _)| {
            let both = of.intersection(&methods).count() as f64;
            both >= ALIKE * of.union(&methods).count() as f64
        });
        match like {
            Some((_, group)) => group.push(sequence),
            None => groups.push((methods, vec![sequence])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

fn named<'a>(steps: &'a [Step], methods: &mut BTreeSet<&'a str>) {
    for step in steps {
        match step {
            Step::Call { method, .. } => {
                methods.insert(method);
            }
            Step::Loop { steps, .. } => named(steps, methods),
            Step::More(_) => {}
        }
    }
}

fn one(place: usize, group: &[&Recurrent], out: &mut String) -> fmt::Result {
    let Some(found) = group.first() else {
        return Ok(());
    };
    let mut head = format!("{place:>3}. {} of events", percent(found.covered.share));
    if let Some(ns) = found.ns {
        let share = found
            .ns_share
            .map_or_else(String::new, |s| format!(" ({})", percent(s)));
        let _ = write!(head, ", {}{share}", time(ns));
    }
    let _ = write!(
        head,
        "; {}, {} each; first: thread {}, event {}",
        plural(found.occurrences, "occurrence"),
        plural_mean(found.mean_events, "event"),
        found.example.thread,
        found.example.event,
    );
    writeln!(out, "{}", clip(&head, WIDTH))?;
    if !found.slices.is_empty() {
        let shares: Vec<String> = found.slices.iter().map(|s| percent(s.share)).collect();
        wrapped(out, "     by slice: ", &shares.join(" "))?;
    }
    let mut steps = String::new();
    describe(&found.steps, 0, &mut steps);
    wrapped(out, "     ", &steps)?;
    if group.len() > 1 {
        let others = plural(group.len() as u64 - 1, "more sequence");
        wrapped(
            out,
            "     ",
            &format!("({others} of much the same methods: --json)"),
        )?;
    }
    Ok(())
}

/// Steps in a line.
fn describe(steps: &[Step], depth: usize, out: &mut String) {
    let room = NAMED.get(depth).copied().unwrap_or(1);
    // One more is as short as the words that say there is one.
    let shown = if steps.len() <= room + 1 {
        steps.len()
    } else {
        room
    };
    let mut left = 0;
    for (place, step) in steps.iter().enumerate() {
        if place >= shown {
            left += size(step);
            continue;
        }
        if place > 0 {
            out.push_str(", ");
        }
        let _ = match step {
            Step::Call { method, receiver } => match receiver {
                Some(receiver) => write!(out, "{} on {}", short(method), simple(receiver)),
                None => write!(out, "{}", short(method)),
            },
            Step::Loop { turns, steps } => {
                out.push('(');
                describe(steps, depth + 1, out);
                write!(out, ")×{}", turns_in_words(*turns))
            }
            Step::More(count) => write!(out, "… {} more", grouped(*count)),
        };
    }
    if left > 0 {
        let _ = write!(out, ", … {} more", grouped(left));
    }
}

/// Steps that a step stands for, a loop for those of one turn.
fn size(step: &Step) -> u64 {
    match step {
        Step::Call { .. } => 1,
        Step::Loop { steps, .. } => steps.iter().map(size).sum(),
        Step::More(count) => *count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str) -> Step {
        Step::Call {
            method: format!("p/C.{name}()V"),
            receiver: None,
        }
    }

    #[test]
    fn what_is_cut_out_of_a_long_loop_is_counted_and_its_turns_are_told() {
        let body: Vec<Step> = (0..12).map(|n| call(&format!("m{n}"))).collect();
        let steps = [
            Step::Loop {
                turns: 112.3,
                steps: body,
            },
            call("after"),
        ];
        let mut text = String::new();
        describe(&steps, 0, &mut text);
        let named = "C.m0, C.m1, C.m2, C.m3, C.m4, C.m5, C.m6, C.m7";
        assert_eq!(text, format!("({named}, … 4 more)×112.3, C.after"));
    }
}
