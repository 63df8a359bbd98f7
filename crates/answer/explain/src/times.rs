//! Which time is explained, and how much repeats of one input differ, in words.

use pricetag_dataset::{Dataset, Noise, Waited, Why};
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
        Why::Waits(Waited {
            ran,
            share,
            queued: None,
        }) => format!(
            "The time explained is wall time. CPU time, over all threads, is {} of it. For at least {} the program waited: for timers, disks, networks, locks, or a processor that others used.",
            percent(ran),
            percent(share)
        ),
        Why::Waits(Waited {
            ran,
            share,
            queued: Some(queued),
        }) => format!(
            "The time explained is wall time. CPU time, over all threads, is {} of it. For {} the program waited for a processor that others used, and for at least {} for timers, disks, networks or locks.",
            percent(ran),
            percent(queued),
            percent(share)
        ),
        Why::Crowded(Waited { share, queued, .. }) => {
            let (least, others) = (percent(share), queued.map(percent));
            // Less is not told: other threads of it that ran may hide more.
            let waited = if share >= 0.01 {
                format!(
                    " For at least {least} of it the program waited for timers, disks, networks or locks."
                )
            } else {
                String::new()
            };
            format!(
                "The time explained is CPU time: for {} of the wall time others used the processor.{waited}",
                others.unwrap_or_else(|| "some".to_owned())
            )
        }
    }
}

/// That a time is explained because it was asked for, where another would be meant.
pub(crate) fn asked_for(target: &str, usual: &str) -> Option<String> {
    let words = |cost: &str| match cost {
        "wall" => Some("wall time"),
        "cpu" => Some("CPU time"),
        _ => None,
    };
    let (target, usual) = (words(target)?, words(usual).filter(|_| target != usual)?);
    Some(format!(
        "The time explained is {target}, as asked for; without --target it would be {usual}."
    ))
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
