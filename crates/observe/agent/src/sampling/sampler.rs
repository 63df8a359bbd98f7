//! The thread that wakes, reads clocks, and divides what threads have used among their stacks.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::Ordering;
use std::time::Duration;

use pricetag_profile::{Role, State};
use pricetag_trace::Compiling;

use super::threads::{self, Whose};
use super::walk::{From, NO_JAVA};
use super::watch::{self, Held, Stack};
use super::{PERIOD, Sampling, code};
use crate::clock;
use crate::session::lock;

/// Looks from one listing of the threads to the next.
const LISTED_EVERY: u64 = 16;
/// Listings after which a thread keeps the name it has: the JVM names one a moment after it has begun.
const NAMED_AFTER: u32 = 8;
/// Threads that are looked at in one wake, so that a thousand do not keep the sampler busy.
const AT_ONCE: usize = 128;
/// Weights of stacks among which a thread's time is divided at once: so many that their luck evens out, so few that a part of
/// the run in which fewer moments counted, on a busy machine, does not lose time to another.
const BATCH: u64 = 64;
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
    /// Its clock when it was last accounted, ns; of a thread with a watch, without the handler's time.
    accounted: u64,
    /// Its clock at the last look, ns.
    seen_at: u64,
    listings: u32,
    watch: Option<Held>,
    /// Stacks that the time since is divided among, with their weights, and the time at the last one.
    batch: Vec<(Place, u32)>,
    latest: u64,
    seen: u64,
}

/// Where the time of a sample goes.
#[derive(Clone, Copy)]
enum Place {
    /// A node of the tree.
    Node(u32, State),
    /// No stack.
    Beside(Role),
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
            if !self.replaced && self.sampling.without.is_none() && !watch::is_installed() {
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
        let gone: Vec<i32> = self
            .threads
            .iter()
            .filter(|(_, thread)| thread.seen != looks)
            .map(|(number, _)| *number)
            .collect();
        for number in gone {
            if let Some(mut thread) = self.threads.remove(&number) {
                self.divide(&mut thread);
                if let Some(watch) = thread.watch {
                    self.handling += watch.handling();
                    watch.release();
                }
            }
        }
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
            seen_at: before,
            listings: 0,
            watch: None,
            batch: Vec::new(),
            latest: before,
            seen: looks,
        };
        self.threads.insert(number, met);
        if let Err(at) = self.order.binary_search(&number) {
            self.order.insert(at, number);
        }
    }

    /// Reads a thread's clock, and has it watched if it works.
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
            Whose::Program if self.replaced || self.sampling.without.is_some() => {
                thread.accounted = used;
                *self.outcome.beside.entry(Role::Unwalked).or_default() += delta;
            }
            Whose::Program if used == thread.seen_at => {}
            Whose::Program => {
                thread.seen_at = used;
                if thread.watch.is_none() {
                    thread.watch = Held::new(number);
                }
                if let Some(watch) = &thread.watch {
                    watch.start();
                }
            }
        }
    }

    /// Takes up stacks that threads have told.
    fn answers(&mut self) {
        let mut told = Vec::new();
        watch::told(|stack| told.push(stack));
        for stack in told {
            let Some(mut thread) = self.threads.remove(&stack.thread) else {
                continue;
            };
            // It was taken for one of the program's until it had its name.
            if thread.whose != Whose::Program {
                self.threads.insert(stack.thread, thread);
                continue;
            }
            let place = self.place(&stack);
            thread.batch.push((place, stack.weight));
            thread.latest = thread.latest.max(stack.used);
            let weights: u64 = thread.batch.iter().map(|(_, w)| u64::from(*w)).sum();
            if weights >= BATCH {
                self.divide(&mut thread);
            }
            self.threads.insert(stack.thread, thread);
        }
    }

    /// Where the time of a stack goes.
    fn place(&self, stack: &Stack) -> Place {
        if stack.frames.is_empty() {
            return Place::Beside(match stack.count {
                NO_JAVA => Role::NativeThreads,
                _ => Role::Unwalked,
            });
        }
        let native = stack.frames.first().is_some_and(|frame| frame.at < 0);
        let state = match code::state(stack.pc) {
            // Other code than Java's below a method of Java is the JVM's, whichever library that calls; in the interpreter
            // the instruction will tell whether it links.
            State::Runtime | State::Native if !native && stack.from == From::Interpreter => {
                State::Linking
            }
            // What a collector wants done at assignments, for example: it stands at whatever instruction comes next.
            State::Runtime | State::Native if !native && stack.from == From::Within => {
                State::Native
            }
            State::Native if !native => State::Runtime,
            state => state,
        };
        match lock(&self.sampling.tree).intern(&stack.frames) {
            Some(node) => Place::Node(node, state),
            None => Place::Beside(Role::Unwalked),
        }
    }

    /// Divides what a thread has used up to its last stack among the stacks that stand for it.
    fn divide(&mut self, thread: &mut Thread) {
        let weights: u64 = thread.batch.iter().map(|(_, w)| u64::from(*w)).sum();
        if weights == 0 {
            return;
        }
        let used = thread.latest.saturating_sub(thread.accounted);
        // The effective size of a sample with weights (Kish 1965, section 11.7), for each stack.
        let squares: u64 = thread.batch.iter().map(|(_, w)| u64::from(w * w)).sum();
        let part = (weights * weights) as f64 / (squares * thread.batch.len() as u64) as f64;
        let mut tree = lock(&self.sampling.tree);
        for (place, weight) in thread.batch.drain(..) {
            let ns = (used as f64 * f64::from(weight) / weights as f64) as u64;
            match place {
                Place::Node(node, state) => tree.sampled(node, state, part, ns),
                Place::Beside(role) => *self.outcome.beside.entry(role).or_default() += ns,
            }
        }
        drop(tree);
        thread.accounted = thread.latest;
    }

    fn finish(mut self) -> Outcome {
        watch::stop();
        // Whose moment has come may be about to tell.
        std::thread::sleep(PERIOD);
        self.answers();
        for number in self.order.clone() {
            match self.threads.get(&number).map(|thread| thread.whose) {
                Some(Whose::Jvm(_)) => self.account(number),
                Some(Whose::Agent) => self.outcome.own_ns += threads::used(number).unwrap_or(0),
                _ => {}
            }
            if let Some(mut thread) = self.threads.remove(&number) {
                let handling = thread.watch.as_ref().map_or(0, Held::handling);
                self.handling += handling;
                if let (false, Some(used)) = (thread.batch.is_empty(), threads::used(number)) {
                    thread.latest = thread.latest.max(used.saturating_sub(handling));
                }
                self.divide(&mut thread);
                if let Some(watch) = thread.watch {
                    watch.leave();
                }
            }
        }
        self.outcome.own_ns = self.outcome.own_ns.saturating_sub(self.agent) + self.handling;
        self.outcome
    }
}
