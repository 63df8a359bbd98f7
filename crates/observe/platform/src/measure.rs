//! Runs the suite and times it: thread CPU time, medians, several JVMs.
//!
//! The program reads what to run from its standard input, so calibration, warm-up and statistics are here. A benchmark warms up until its last times agree;
//! then all of them are sampled in turn, so that a disturbance meets one sample of many. What does not take longer with four times the steps was left out by the compiler.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use pricetag_quantity::median;

use crate::suite::SUITE;
use crate::{MeasureError, Program, Suite};

/// Longest that is waited for an answer.
const PATIENCE: u64 = 120;
/// Batches that have to agree before a benchmark counts as warm, and how well.
const AGREEING: usize = 4;
const AGREEMENT: f64 = 0.03;
/// Growth of the time with four times the steps below which the steps were left out.
const LEAST_GROWTH: f64 = 1.5;
/// How often that has to be seen.
const LOOKS: u32 = 4;

/// How much work is put into a list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// JVMs started.
    pub rounds: u32,
    /// Samples in each.
    pub samples: u32,
    /// CPU time of a sample, ns.
    pub sample: f64,
    /// Least and most CPU time of a warm-up, ns.
    pub warm: (f64, f64),
}

impl Effort {
    /// A few minutes.
    pub const FAST: Self = Self {
        rounds: 3,
        samples: 7,
        sample: 2e6,
        warm: (40e6, 250e6),
    };
    /// A quarter of an hour.
    pub const FULL: Self = Self {
        rounds: 7,
        samples: 15,
        sample: 5e6,
        warm: (150e6, 1500e6),
    };
}

/// How the JVM is started.
#[derive(Clone, Debug, Default)]
pub struct Launch {
    /// The java program.
    pub java: PathBuf,
    /// Its options.
    pub flags: Vec<String>,
    /// Where the classes of the suite are; its errors are written there, too.
    pub folder: PathBuf,
    /// Whether nothing is compiled, so that nothing has to warm up.
    pub interpreted: bool,
}

/// One benchmark's time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timed {
    /// ns per step.
    pub ns: Option<f64>,
    /// Standard deviation of its logarithm over the rounds.
    pub spread: f64,
    /// Why there is none.
    pub refused: Option<String>,
}

/// Times of a suite.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timings {
    /// Parallel to the suite's programs.
    pub programs: Vec<Timed>,
    /// Share of wall time in which the benchmarks' thread ran.
    pub running: f64,
}

/// What the program reads to run each benchmark once, in order.
pub fn script(suite: &Suite) -> String {
    let line = |(index, program): (usize, &Program)| format!("{index} 1 {}\n", program.steps);
    suite.programs.iter().enumerate().map(line).collect()
}

/// Times a suite. `tell` is given how much is done, 0 … 1, and says whether to go on.
///
/// # Errors
/// If the JVM does not start, ends or hangs, or nothing could be timed.
pub fn measure(
    suite: &Suite,
    launch: &Launch,
    effort: Effort,
    tell: &mut dyn FnMut(f64) -> bool,
) -> Result<Timings, MeasureError> {
    let count = suite.programs.len();
    let mut refused: Vec<Option<String>> = vec![None; count];
    let mut medians: Vec<Vec<f64>> = vec![Vec::new(); count];
    let (mut cpu, mut wall) = (0.0, 0.0);
    let total = f64::from(effort.rounds) * count as f64 * 2.0;
    let mut done = 0.0;
    for round in 0..effort.rounds {
        let mut jvm = Jvm::start(launch)?;
        let mut batches = vec![1; count];
        for (index, program) in suite.programs.iter().enumerate() {
            done += 1.0;
            if refused[index].is_some() {
                continue;
            }
            match warm(&mut jvm, index, program, effort, launch.interpreted)? {
                Ok(batch) => batches[index] = batch,
                Err(why) => refused[index] = Some(why),
            }
            if round == 0 && refused[index].is_none() && !launch.interpreted {
                refused[index] = left_out(&mut jvm, index, program, batches[index])?;
            }
            if !tell(done / total) {
                return Err(MeasureError::Interrupted);
            }
        }
        let mut samples: Vec<Vec<f64>> = vec![Vec::new(); count];
        for sample in 0..effort.samples {
            for (index, program) in suite.programs.iter().enumerate() {
                if refused[index].is_some() {
                    continue;
                }
                let calls = batches[index];
                match jvm.run(index, &program.name, calls, program.steps)? {
                    Ok((ns, real)) => {
                        samples[index].push(ns / f64::from(calls) / f64::from(program.steps));
                        cpu += ns;
                        wall += real;
                    }
                    Err(why) => refused[index] = Some(why),
                }
            }
            let share = f64::from(sample + 1) / f64::from(effort.samples);
            if !tell((done + count as f64 * share) / total) {
                return Err(MeasureError::Interrupted);
            }
        }
        done += count as f64;
        for (all, samples) in medians.iter_mut().zip(&samples) {
            all.extend(median(samples));
        }
    }
    let programs: Vec<Timed> = medians
        .iter()
        .zip(refused)
        .map(|(medians, refused)| timed(medians, refused))
        .collect();
    if programs.iter().all(|p| p.ns.is_none()) {
        let first = programs.into_iter().find_map(|p| p.refused);
        return Err(MeasureError::Nothing {
            first: first.unwrap_or_else(|| "there is none".to_owned()),
        });
    }
    Ok(Timings {
        programs,
        running: if wall > 0.0 { cpu / wall } else { 1.0 },
    })
}

fn timed(medians: &[f64], refused: Option<String>) -> Timed {
    let ns = median(medians).filter(|ns| *ns > 0.0);
    let logs: Vec<f64> = medians
        .iter()
        .filter(|m| **m > 0.0)
        .map(|m| m.ln())
        .collect();
    let mean = logs.iter().sum::<f64>() / logs.len().max(1) as f64;
    let squares = logs.iter().fold(0.0, |sum, l| sum + (l - mean).powi(2));
    let spread = (squares / logs.len().saturating_sub(1).max(1) as f64).sqrt();
    let refused = refused.or_else(|| {
        ns.is_none()
            .then(|| "its time is less than the clock shows".to_owned())
    });
    Timed {
        ns: ns.filter(|_| refused.is_none()),
        spread,
        refused,
    }
}

/// Runs a benchmark until its times agree; how many calls make a sample.
fn warm(
    jvm: &mut Jvm,
    index: usize,
    program: &Program,
    effort: Effort,
    interpreted: bool,
) -> Result<Result<u32, String>, MeasureError> {
    let (mut calls, mut spent) = (1u32, 0.0);
    let mut last: Vec<f64> = Vec::new();
    let (least, most) = if interpreted {
        (effort.sample, effort.sample)
    } else {
        effort.warm
    };
    loop {
        let ns = match jvm.run(index, &program.name, calls, program.steps)? {
            Ok((ns, _)) => ns.max(1.0),
            Err(why) => return Ok(Err(why)),
        };
        spent += ns;
        last.push(ns / f64::from(calls));
        let recent = &last[last.len().saturating_sub(AGREEING)..];
        let low = recent.iter().copied().fold(f64::INFINITY, f64::min);
        let high = recent.iter().copied().fold(0.0, f64::max);
        let agree = recent.len() == AGREEING && high <= low * (1.0 + AGREEMENT);
        if ns >= effort.sample / 2.0 && spent >= least && (agree || spent >= most) {
            // The last batches say how long a call takes now.
            let call = median(recent).unwrap_or(1.0).max(1e-3);
            return Ok(Ok((effort.sample / call).ceil().clamp(1.0, 1e9) as u32));
        }
        if ns < effort.sample / 2.0 {
            calls = calls.saturating_mul(2).min(1 << 30);
            if calls == 1 << 30 {
                return Ok(Err("the compiler left the work out".to_owned()));
            }
        }
    }
}

/// Whether four times the steps take hardly longer, whenever it is looked at: a compiler that has just finished makes what comes later faster.
fn left_out(
    jvm: &mut Jvm,
    index: usize,
    program: &Program,
    calls: u32,
) -> Result<Option<String>, MeasureError> {
    let mut growth = 0.0;
    for _ in 0..LOOKS {
        let (mut few, mut many) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..3 {
            for (least, steps, calls) in [
                (&mut few, program.steps, calls.div_ceil(2)),
                (&mut many, program.steps * 4, calls.div_ceil(4)),
            ] {
                match jvm.run(index, &program.name, calls, steps)? {
                    Ok((ns, _)) => *least = least.min(ns / f64::from(calls)),
                    Err(why) => return Ok(Some(why)),
                }
            }
        }
        growth = many / few;
        if growth >= LEAST_GROWTH {
            return Ok(None);
        }
    }
    Ok(Some(format!(
        "the compiler left the work out: four times the steps take {growth:.2} times as long"
    )))
}

/// A running JVM.
struct Jvm {
    child: Child,
    to: Option<ChildStdin>,
    from: Receiver<String>,
    errors: PathBuf,
}

/// CPU and wall time in ns, or why there is none.
type Reply = Result<(f64, f64), String>;

impl Jvm {
    fn start(launch: &Launch) -> Result<Self, MeasureError> {
        let errors = launch.folder.join("errors.txt");
        let io = |action, path: &Path| {
            let path = path.to_owned();
            move |source| MeasureError::Io {
                action,
                path,
                source,
            }
        };
        let log = File::create(&errors).map_err(io("write", &errors))?;
        let mut child = Command::new(&launch.java)
            .args(&launch.flags)
            .arg("-cp")
            .arg(&launch.folder)
            .arg(SUITE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(io("start", &launch.java))?;
        let to = child.stdin.take();
        let (send, from) = channel();
        if let Some(out) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(out).lines().map_while(Result::ok) {
                    if send.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        Ok(Self {
            child,
            to,
            from,
            errors,
        })
    }

    fn run(
        &mut self,
        index: usize,
        name: &str,
        calls: u32,
        steps: u32,
    ) -> Result<Reply, MeasureError> {
        let line = format!("{index} {calls} {steps}\n");
        let written = match &mut self.to {
            Some(to) => to.write_all(line.as_bytes()).and_then(|()| to.flush()),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        let begun = Instant::now();
        let left = Duration::from_secs(PATIENCE);
        while written.is_ok() {
            let left = left.saturating_sub(begun.elapsed());
            match self.from.recv_timeout(left) {
                // The JVM may write lines of its own, such as warnings.
                Ok(line) => {
                    if let Some(reply) = reply(&line) {
                        return Ok(reply);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(MeasureError::Hangs {
                        during: name.to_owned(),
                        seconds: PATIENCE,
                    });
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let text = std::fs::read_to_string(&self.errors).unwrap_or_default();
        let said: Vec<&str> = text
            .lines()
            .filter(|l| !l.trim().is_empty())
            .take(3)
            .collect();
        Err(MeasureError::Ended {
            during: name.to_owned(),
            said: said.join("; "),
        })
    }
}

/// Two numbers, or an exception of the benchmark.
fn reply(line: &str) -> Option<Reply> {
    if let Some((cpu, wall)) = line.split_once(' ')
        && let (Ok(cpu), Ok(wall)) = (cpu.parse(), wall.parse())
    {
        return Some(Ok((cpu, wall)));
    }
    let thrown = line.split(':').next().unwrap_or_default();
    let is_name = !thrown.is_empty()
        && thrown
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'));
    (is_name && (thrown.ends_with("Error") || thrown.ends_with("Exception")))
        .then(|| Err(format!("it threw {line}")))
}

impl Drop for Jvm {
    fn drop(&mut self) {
        self.to.take();
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_told_from_what_a_jvm_says() {
        assert_eq!(reply("12 34"), Some(Ok((12.0, 34.0))));
        assert_eq!(reply("OpenJDK 64-Bit Server VM warning: sharing"), None);
        let thrown = reply("java.lang.NoSuchMethodError: 'int java.lang.String.f()'");
        assert!(matches!(thrown, Some(Err(why)) if why.contains("NoSuchMethodError")));
    }

    #[test]
    fn the_time_is_the_median_and_the_spread_that_of_logarithms() {
        let found = timed(&[1.0, 1.0_f64.exp(), 2.0_f64.exp()], None);
        assert!((found.ns.unwrap() - 1.0_f64.exp()).abs() < 1e-12);
        assert!((found.spread - 1.0).abs() < 1e-12);
        assert_eq!(
            timed(&[], Some("why".into())).refused.as_deref(),
            Some("why")
        );
        assert!(timed(&[0.0], None).refused.is_some());
    }
}
