//! The thread that wakes, reads clocks and asks for stacks.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use pricetag_profile::{Role, State};
use pricetag_trace::Compiling;

use super::threads::{self, Whose};
use super::walk::{self, Answer, From, NO_JAVA, When};
use super::{PERIOD, Sampling, code};
use crate::clock;
use crate::session::lock;

/// Looks from one listing of the threads to the next.
const LISTED_EVERY: u64 = 16;
/// Listings after which a thread keeps the name it has: the JVM names one a moment after it has begun.
const NAMED_AFTER: u32 = 8;
/// Threads that are looked at in one wake, so that a thousand do not keep the sampler busy.
const AT_ONCE: usize = 128;
/// Least processor time that is worth a stack.
const LEAST: u64 = PERIOD.as_nanos() as u64 / 2;
/// Processor time after which a thread is asked even if it sleeps whenever it is looked at.
const OVERDUE: u64 = 8 * PERIOD.as_nanos() as u64;
/// After so long without an answer a thread is not waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// Ticks of compilers that are kept: a quarter of an hour of both.
const MOST_TICKS: usize = 2_000_000;

/// What the sampler knows when it stops, beside the tree.
#[derive(Default)]
pub struct Outcome {
    /// Processor time of threads without stacks, ns.
    pub beside: BTreeMap<Role, u64>,
    /// When compilers used how much.
    pub compiling: Vec<Compiling>,
    /// The agent's own processor time, ns.
    pub own_ns: u64,
    /// What limits trust.
    pub notes: Vec<String>,
}

struct Thread {
    whose: Whose,
    /// Its clock when it was last accounted, ns.
    accounted: u64,
    listings: u32,
    /// The slot in which it will tell its stack, and since when.
    asked: Option<(usize, Instant)>,
    /// Whether it fell asleep when it was asked last.
    waited: bool,
    seen: u64,
}

/// Samples until it is told to stop.
pub fn run(sampling: &'static Sampling) -> Outcome {
    sampling.sampler.store(clock::thread(), Ordering::Release);
    let mut sampler = Sampler {
        sampling,
        threads: HashMap::new(),
        order: Vec::new(),
        next: 0,
        outcome: Outcome::default(),
        random: 0x9E37_79B9_7F4A_7C15,
        replaced: false,
        handling: 0,
        agent: 0,
    };
    sampler.list(0, true);
    let mut looks = 0;
    while !sampling.stop.load(Ordering::Acquire) {
        std::thread::sleep(sampler.period());
        looks += 1;
        sampler.look(looks);
    }
    sampler.finish()
}

struct Sampler {
    sampling: &'static Sampling,
    threads: HashMap<i32, Thread>,
    order: Vec<i32>,
    next: usize,
    outcome: Outcome,
    random: u64,
    /// Whether the program has put its own handler in the place of ours.
    replaced: bool,
    /// Processor time of handlers, ns.
    handling: u64,
    /// What the agent's threads had used when sampling began, ns.
    agent: u64,
}

impl Sampler {
    /// The time to the next look: a fifth more or less, against running in step with the program.
    fn period(&mut self) -> Duration {
        // Marsaglia's xorshift (2003).
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let share = (self.random >> 11) as f64 / (1u64 << 53) as f64;
        PERIOD.mul_f64(0.8 + 0.4 * share)
    }

    fn look(&mut self, looks: u64) {
        self.answers();
        if looks.is_multiple_of(LISTED_EVERY) {
            self.list(looks, false);
            if !self.replaced && self.sampling.without.is_none() && !walk::is_installed() {
                self.replaced = true;
                self.outcome.notes.push(
                    "the program handles SIGPROF itself: stacks are not sampled from then on"
                        .to_owned(),
                );
            }
        }
        for thread in std::mem::take(&mut *lock(&self.sampling.begun)) {
            self.meet(thread, looks, 0);
        }
        let count = self.order.len();
        for _ in 0..count.min(AT_ONCE) {
            self.next = (self.next + 1) % count;
            self.account(self.order[self.next]);
        }
    }

    /// Meets threads that began, forgets those that ended.
    fn list(&mut self, looks: u64, first: bool) {
        for thread in threads::all() {
            let before = if first {
                threads::used(thread).unwrap_or(0)
            } else {
                0
            };
            self.meet(thread, looks, before);
        }
        self.threads.retain(|_, thread| {
            let gone = thread.seen != looks;
            // A slot that a dead thread was asked in must not be lost.
            !(gone && thread.asked.is_none_or(|(slot, _)| walk::give_up(slot)))
        });
        self.order = self.threads.keys().copied().collect();
        self.order.sort_unstable();
    }

    fn meet(&mut self, number: i32, looks: u64, before: u64) {
        let known = self.threads.get_mut(&number);
        if let Some(thread) = known {
            thread.seen = looks;
            if thread.whose == Whose::Program && thread.listings < NAMED_AFTER {
                thread.listings += 1;
                thread.whose = threads::whose(number);
            }
            return;
        }
        let whose = threads::whose(number);
        if whose == Whose::Agent {
            self.agent += before;
        }
        let met = Thread {
            whose,
            accounted: before,
            listings: 0,
            asked: None,
            waited: false,
            seen: looks,
        };
        self.threads.insert(number, met);
        if let Err(at) = self.order.binary_search(&number) {
            self.order.insert(at, number);
        }
    }

    /// Reads a thread's clock, and asks for its stack where that is worth it.
    fn account(&mut self, number: i32) {
        let Some(thread) = self.threads.get_mut(&number) else {
            return;
        };
        let Some(used) = threads::used(number) else {
            return;
        };
        let delta = used.saturating_sub(thread.accounted);
        match thread.whose {
            Whose::Agent => {}
            Whose::Jvm(role) => {
                thread.accounted = used;
                *self.outcome.beside.entry(role).or_default() += delta;
                let ticks = &mut self.outcome.compiling;
                if delta > 0 && matches!(role, Role::C1 | Role::C2) && ticks.len() < MOST_TICKS {
                    ticks.push(Compiling {
                        at_ns: clock::monotonic(),
                        thread: number,
                        compiler: role,
                        cpu_ns: delta,
                    });
                }
            }
            Whose::Program if delta < LEAST || thread.asked.is_some() => {}
            Whose::Program if self.replaced || self.sampling.without.is_some() => {
                thread.accounted = used;
                *self.outcome.beside.entry(Role::Unwalked).or_default() += delta;
            }
            // One that sleeps would tell what it waits for, not what it has done: it is asked when it goes on.
            Whose::Program if delta < OVERDUE && !threads::is_runnable(number) => {}
            Whose::Program => {
                // What works in short spells would hardly ever be met at work: it is taken as it can be had.
                let when = if thread.waited || delta >= OVERDUE {
                    When::AtOnce
                } else {
                    When::Later
                };
                thread.asked = walk::ask(number, when).map(|slot| (slot, Instant::now()));
            }
        }
    }

    /// Takes up stacks that threads have told.
    fn answers(&mut self) {
        for thread in self.threads.values_mut() {
            let Some((slot, since)) = thread.asked else {
                continue;
            };
            let Some(answer) = walk::answer(slot) else {
                if since.elapsed() > PATIENCE && walk::give_up(slot) {
                    thread.asked = None;
                }
                continue;
            };
            thread.asked = None;
            let stack = match answer {
                Answer::Told(stack) => stack,
                Answer::Waited(asking) => {
                    thread.waited = true;
                    thread.accounted += asking;
                    self.handling += asking;
                    continue;
                }
            };
            thread.waited = false;
            let ns = stack
                .began
                .saturating_sub(thread.accounted + stack.first_ns);
            thread.accounted = stack.ended;
            self.handling += stack.ended.saturating_sub(stack.began) + stack.first_ns;
            if stack.frames.is_empty() {
                let role = match stack.count {
                    NO_JAVA => Role::NativeThreads,
                    _ => Role::Unwalked,
                };
                *self.outcome.beside.entry(role).or_default() += ns;
            } else {
                let native = stack.frames.first().is_some_and(|frame| frame.at < 0);
                let state = match code::state(stack.pc) {
                    // Other code than Java's below a method of Java is the JVM's, whichever library that calls; in the interpreter
                    // the instruction will tell whether it links.
                    State::Runtime | State::Native
                        if !native && stack.from == From::Interpreter =>
                    {
                        State::Linking
                    }
                    // What a collector wants done at assignments, for example: it stands at whatever instruction comes next.
                    State::Runtime | State::Native if !native && stack.from == From::Within => {
                        State::Native
                    }
                    State::Native if !native => State::Runtime,
                    state => state,
                };
                lock(&self.sampling.tree).sampled(&stack.frames, state, ns);
            }
        }
    }

    fn finish(mut self) -> Outcome {
        // Who was asked last may be about to answer.
        std::thread::sleep(PERIOD);
        self.answers();
        for number in self.order.clone() {
            if let Some(thread) = self.threads.get(&number) {
                match thread.whose {
                    Whose::Jvm(_) => self.account(number),
                    Whose::Agent => self.outcome.own_ns += threads::used(number).unwrap_or(0),
                    Whose::Program => {}
                }
            }
        }
        self.outcome.own_ns = self.outcome.own_ns.saturating_sub(self.agent) + self.handling;
        self.outcome
    }
}
