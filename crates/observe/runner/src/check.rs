//! Checks of the machine that a recording depends on: the agent, the timer, quietness.

use std::path::Path;
use std::time::{Duration, Instant};

use pricetag_quantity::{median, relative_spread};
use pricetag_trace::{AgentOptions, Mode, Record, Trace};

use crate::error::RunnerError;
use crate::failure;
use crate::jvm::Java;
use crate::supervise::{Cancel, Ending, Launch, run};

/// What an agent did in a JVM that only prints its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentCheck {
    /// Properties the JVM reported through it.
    pub properties: Vec<(String, String)>,
    /// Records of its trace.
    pub records: usize,
}

/// Really loads the agent, and reads back what it traced. `scratch` is an empty directory.
pub fn load_agent(
    java: &Java,
    agent: &Path,
    scratch: &Path,
    cancel: &Cancel,
) -> Result<AgentCheck, RunnerError> {
    let file = scratch.join("options");
    let trace = scratch.join("trace");
    let plans = scratch.join("plans");
    std::fs::create_dir_all(&plans).map_err(RunnerError::io("create", &plans))?;
    let options = AgentOptions {
        plans: Some(plans),
        ..AgentOptions::new(Mode::Count, &trace)
    };
    options
        .write(&file)
        .map_err(|e| RunnerError::io("write", &file)(std::io::Error::other(e)))?;
    let flag = format!("-agentpath:{}={}", agent.display(), file.display());
    let launch = Launch {
        program: java.path.clone(),
        args: vec![flag, "-version".to_owned()],
        ..Launch::default()
    };
    let ended = run(&launch, Some(Duration::from_mins(1)), false, cancel)?;
    let refused = |said: String| RunnerError::AgentNotLoaded {
        agent: agent.to_owned(),
        said,
    };
    if ended.ending != Ending::Exit(0) {
        return Err(refused(ended.stderr.last_lines(3)));
    }
    let read = Trace::read(&trace).map_err(|error| {
        failure::unobserved(&ended.stderr.text()).map_or_else(
            || refused(error.to_string()),
            |why| RunnerError::Unobserved {
                why: why.to_owned(),
            },
        )
    })?;
    if let Some(why) = read.incomplete_reason() {
        return Err(refused(why));
    }
    let start = read.records.iter().find_map(|r| {
        if let Record::Start(s) = r {
            Some(s.properties.clone())
        } else {
            None
        }
    });
    Ok(AgentCheck {
        properties: start.unwrap_or_default(),
        records: read.records.len(),
    })
}

/// How good the clock is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerCheck {
    /// Smallest step seen, ns.
    pub resolution_ns: u64,
    /// Median time of reading it, ns.
    pub cost_ns: u64,
    /// Whether it never went backwards.
    pub monotonic: bool,
}

/// Reads the monotonic clock many times.
pub fn timer() -> TimerCheck {
    const READS: usize = 100_000;
    let start = Instant::now();
    let mut last = 0u64;
    let (mut smallest, mut monotonic) = (u64::MAX, true);
    for _ in 0..READS {
        let now = start.elapsed().as_nanos() as u64;
        monotonic &= now >= last;
        if now > last {
            smallest = smallest.min(now - last);
        }
        last = now;
    }
    TimerCheck {
        resolution_ns: smallest,
        cost_ns: last / READS as u64,
        monotonic,
    }
}

/// How quiet the machine is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuietCheck {
    /// Runnable processes per core over the last minute.
    pub load_per_core: Option<f64>,
    /// Spread of the times of equal pieces of work, relative to their median.
    pub spread: f64,
    /// Slowest over median piece.
    pub worst: f64,
}

/// Times equal pieces of work.
pub fn quietness() -> QuietCheck {
    let piece = || {
        let start = Instant::now();
        let mut x = 1u64;
        for i in 0..1_000_000u64 {
            x = std::hint::black_box(x.wrapping_mul(6364136223846793005).wrapping_add(i));
        }
        start.elapsed().as_nanos() as f64
    };
    piece();
    let times: Vec<f64> = (0..100).map(|_| piece()).collect();
    let middle = median(&times).unwrap_or(1.0);
    let worst = times.iter().copied().fold(0.0, f64::max) / middle;
    QuietCheck {
        load_per_core: crate::platform::load_per_core(),
        spread: relative_spread(&times).unwrap_or_default(),
        worst,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_runs_forward_and_ticks_below_a_microsecond_or_so() {
        let timer = timer();
        assert!(timer.monotonic);
        assert!(timer.resolution_ns < 1_000_000, "{timer:?}");
        let quiet = quietness();
        assert!(quiet.worst >= 1.0 && quiet.spread >= 0.0);
    }
}
