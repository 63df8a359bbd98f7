//! Which time is explained, and how much repeats of one input differ, in words.

use pricetag_dataset::{Dataset, Noise, Why};
use pricetag_finding::figure::percent;

/// Why the cost that is meant unless one is named is that one; empty where there is no choice.
pub(crate) fn which_time(dataset: &Dataset) -> String {
    match dataset.usual_cost().why {
        Why::Only => String::new(),
        Why::Steadier {
            wall,
            noise: (cpu, noise),
        } => format!(
            "The time explained is CPU time: it follows wall time (wall ≈ {wall:.2} × CPU) and differs by {} where the same input runs again, wall time by {}.",
            percent(cpu),
            percent(noise)
        ),
        Why::Intervals => "The time explained is CPU time of the program's threads: a row is an interval, whose length is no cost."
            .to_owned(),
        Why::Waits {
            share,
            queued: None,
        } => format!(
            "The time explained is wall time. CPU time, over all threads, is {} of it: so the program waited for at least {}: for disks, networks, locks, or a processor that others used.",
            percent(1.0 - share),
            percent(share)
        ),
        Why::Waits {
            share,
            queued: Some(queued),
        } => format!(
            "The time explained is wall time. CPU time, over all threads, is {} of it. For {} the program waited for a processor that others used, and for at least {} for disks, networks or locks.",
            percent(1.0 - share - queued),
            percent(queued),
            percent(share)
        ),
        Why::Crowded(queued) => format!(
            "The time explained is CPU time: for {} of the wall time others used the processor, and the program hardly waited for anything else.",
            percent(queued)
        ),
    }
}

/// Where that is why wall time is explained: the least share of it that the program waited, and the part in which it waited for a processor alone, where
/// that is known and not in the first.
pub(crate) fn waited(dataset: &Dataset) -> Option<(f64, Option<f64>)> {
    match dataset.usual_cost().why {
        Why::Waits { share, queued } => Some((share, queued)),
        _ => None,
    }
}

/// How repeats of one input differ.
pub(crate) fn noise_words(noise: Noise) -> String {
    let raw = percent(noise.raw);
    let evened = noise
        .evened
        .filter(|evened| *evened < 0.8 * noise.raw)
        .map(|evened| {
            format!(
                " ({} once stretches in which the machine was slow are evened out)",
                percent(evened)
            )
        });
    format!(
        "Noise: runs of one input differ by {raw}{}; an error much below that is luck.",
        evened.unwrap_or_default()
    )
}
