//! The search: generations of variation and selection, from a first generation of simple shapes.
//!
//! Every offspring has its own stream of random numbers, keyed by seed, generation and position, and sees only the
//! generation before; so the number of threads does not matter, and a search continued from a checkpoint takes the same
//! course. The world (clock, interruption, display) enters through [`Control`] and is asked only whether to stop: what is
//! found until then is the same as in a search without it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::evaluate::Scratch;
use crate::individual::Individual;
use crate::problem::Problem;
use crate::select::{Merit, Selection, survivors};
use crate::vary::Variation;
use crate::{mars, shapes, tune};

/// Sizes and ends of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Generations after the first.
    pub generations: u32,
    /// Candidates per generation.
    pub population: u32,
    /// Generations without a better formula after which the search ends; none to use all generations.
    pub stagnation: Option<u32>,
    /// Largest complexity of an offspring.
    pub complexity: u32,
    /// Most terms in a sum that variation makes.
    pub terms: u32,
    /// Deepest random tree.
    pub depth: u32,
}

impl Default for Limits {
    /// 1500 generations of 200, as Krogmann et al. have it, unless nothing improves for 100.
    fn default() -> Self {
        Self {
            generations: 1500,
            population: 200,
            stagnation: Some(100),
            complexity: 80,
            terms: 8,
            depth: 5,
        }
    }
}

/// What a search is made of, apart from the data.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Seed of all random choices.
    pub seed: u64,
    /// Who survives.
    pub selection: Selection,
    /// Sizes and ends.
    pub limits: Limits,
    /// Whether the first generation holds simple shapes of cost; if not, it is random.
    pub shapes: bool,
    /// Whether the first generation holds what MARS finds.
    pub mars: bool,
}

/// What is shown while searching.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Complete generations after the first.
    pub generation: u32,
    /// Of how many.
    pub generations: u32,
    /// The candidate that would be delivered now.
    pub best: &'a Individual,
    /// The data it was fitted to.
    pub problem: &'a Problem,
}

impl Progress<'_> {
    /// Relative error of the best candidate, root mean square.
    pub fn error(&self) -> f64 {
        self.best.error.sqrt()
    }

    /// The formula of the best candidate in one line.
    pub fn formula(&self) -> String {
        crate::convert::formula(self.best, self.problem).text()
    }
}

/// The world outside: nothing, by default.
#[derive(Default)]
pub struct Control<'a> {
    /// Set from another thread, ends the search; the last complete generation counts.
    pub interrupt: Option<&'a AtomicBool>,
    /// A span of time, and the clock it is measured by.
    pub time: Option<(Duration, &'a (dyn Fn() -> Duration + Sync))>,
    /// Told about each generation.
    pub progress: Option<&'a mut dyn FnMut(&Progress)>,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A formula fits exactly.
    Exact,
    /// All generations are done.
    Generations,
    /// Nothing improved for a while.
    Stagnation,
    /// The time is up.
    Time,
    /// Interrupted from outside.
    Interrupted,
}

/// A search between two generations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Complete generations after the first; none before the first is complete.
    pub generation: Option<u32>,
    /// Generation of the last improvement.
    pub improved: u32,
    /// What the improvement was measured by.
    pub record: f64,
    /// Candidates fitted so far.
    pub evaluations: u64,
    /// The candidates, best standing first.
    pub population: Vec<Individual>,
}

/// A running search.
pub struct Search<'a> {
    problem: &'a Problem,
    settings: &'a Settings,
    /// Where it stands.
    pub state: State,
    stop: Stop<'a>,
}

/// When to stop because of the world.
pub struct Stop<'a> {
    interrupt: Option<&'a AtomicBool>,
    end: Option<(Duration, &'a (dyn Fn() -> Duration + Sync))>,
}

/// Part of a span of time that is left for the last touches: at least this, but never more than half of the span.
const FINISHING: Duration = Duration::from_millis(20);
/// The same as a share of a long span: one in so many.
const FINISHING_SHARE: u32 = 10;

impl<'a> Stop<'a> {
    /// The stops of a search, and of the last touches after it, under a control; the time begins now.
    pub fn of(control: &Control<'a>) -> (Self, Self) {
        let ending = |share: fn(Duration) -> Duration| {
            control
                .time
                .map(|(span, clock)| (clock() + share(span), clock))
        };
        let search = Self {
            interrupt: control.interrupt,
            end: ending(|span| {
                span.saturating_sub((span / FINISHING_SHARE).max(FINISHING).min(span / 2))
            }),
        };
        let finishing = Self {
            interrupt: None,
            end: ending(|span| span),
        };
        (search, finishing)
    }

    /// Whether to stop.
    pub fn is_over(&self) -> bool {
        self.reason().is_some()
    }

    fn reason(&self) -> Option<End> {
        if self
            .interrupt
            .is_some_and(|flag| flag.load(Ordering::Relaxed))
        {
            return Some(End::Interrupted);
        }
        let (end, clock) = self.end?;
        (clock() >= end).then_some(End::Time)
    }
}

impl<'a> Search<'a> {
    /// A search that begins, or continues from `state`.
    pub fn new(
        problem: &'a Problem,
        settings: &'a Settings,
        stop: Stop<'a>,
        state: Option<State>,
    ) -> Self {
        let fresh = State {
            generation: None,
            improved: 0,
            record: f64::INFINITY,
            evaluations: 0,
            population: Vec::new(),
        };
        Self {
            problem,
            settings,
            state: state.unwrap_or(fresh),
            stop,
        }
    }

    /// Searches until an end.
    pub fn run(&mut self, mut progress: Option<&mut dyn FnMut(&Progress)>) -> End {
        if self.state.generation.is_none()
            && let Some(end) = self.first_generation()
        {
            return end;
        }
        loop {
            let generation = self.state.generation.unwrap_or(0);
            self.note_improvement(generation);
            if let (Some(show), Some(best)) = (&mut progress, self.best()) {
                show(&Progress {
                    generation,
                    generations: self.settings.limits.generations,
                    best,
                    problem: self.problem,
                });
            }
            if self.state.population.iter().any(Individual::is_exact) {
                return End::Exact;
            }
            let limits = &self.settings.limits;
            if generation >= limits.generations {
                return End::Generations;
            }
            if limits
                .stagnation
                .is_some_and(|most| generation - self.state.improved >= most)
            {
                return End::Stagnation;
            }
            if let Some(end) = self.next_generation(generation + 1) {
                return end;
            }
        }
    }

    /// The candidate to deliver: shortest description; or the fittest, unless one is exact.
    pub fn best(&self) -> Option<&Individual> {
        match self.settings.selection {
            Selection::Paper => {
                let exact = self.state.population.iter().find(|one| one.is_exact());
                exact.or(self.state.population.first())
            }
            Selection::Pareto => self.state.population.iter().min_by(|a, b| {
                let length = |i: &Individual| shapes::round(i.description_length(self.problem));
                length(a)
                    .total_cmp(&length(b))
                    .then(a.complexity.cmp(&b.complexity))
            }),
        }
    }

    fn note_improvement(&mut self, generation: u32) {
        let selection = self.settings.selection;
        let merit = self.best().map_or(f64::INFINITY, |best| match selection {
            Selection::Paper => Merit::of(best, selection, self.problem).first,
            Selection::Pareto => best.description_length(self.problem),
        });
        // A search that merely polishes digits stands still.
        if self.state.record.is_infinite()
            || merit < self.state.record - 1e-3 * self.state.record.abs().min(1.0)
        {
            self.state.record = merit;
            self.state.improved = generation;
        }
    }

    fn first_generation(&mut self) -> Option<End> {
        let stop = || self.stop.is_over();
        let mut scratch = Scratch::until(&stop);
        let mut all: Vec<Individual> = Vec::new();
        if self.settings.shapes {
            all = shapes::seeds(self.problem, &mut scratch);
        }
        let exact = all.iter().any(Individual::is_exact);
        if self.settings.mars && !exact && !stop() {
            let columns = shapes::by_relevance(self.problem, &mut scratch);
            all.extend(mars::seeds(self.problem, &columns, &stop));
        }
        // One that is certainly fitted, however little time there is.
        let mut constant = Individual::new(Vec::new(), true);
        constant.fit(self.problem, &mut scratch);
        all.push(constant);
        let random = (self.settings.limits.population as usize).saturating_sub(all.len());
        if !exact && !stop() {
            all.extend((0..random).map(|i| self.variation(0, i as u64).individual()));
        }
        for one in all.iter_mut().filter(|one| one.error.is_infinite()) {
            if scratch.is_over() {
                break;
            }
            one.fit(self.problem, &mut scratch);
        }
        let stopped = self.stop.reason();
        if stopped.is_some() && all.iter().any(|one| one.error.is_finite()) {
            all.retain(|one| one.error.is_finite());
        }
        self.state.evaluations += all.len() as u64;
        self.select(&all);
        if stopped.is_none() {
            self.state.generation = Some(0);
        }
        stopped
    }

    fn next_generation(&mut self, generation: u32) -> Option<End> {
        let count = self.settings.limits.population;
        let stop = || self.stop.is_over();
        let offspring: Vec<Option<Individual>> = (0..count)
            .into_par_iter()
            .map_init(
                || Scratch::until(&stop),
                |scratch, i| self.offspring(generation, i, scratch),
            )
            .collect();
        if let Some(end) = self.stop.reason() {
            return Some(end);
        }
        self.state.evaluations += u64::from(count);
        let mut all = self.state.population.clone();
        all.extend(offspring.into_iter().flatten());
        let front = self.select(&all);
        self.polish(front);
        self.state.generation = Some(generation);
        None
    }

    /// Keeps the survivors in order of their standing; returns how many are on the first front.
    fn select(&mut self, all: &[Individual]) -> usize {
        let selection = self.settings.selection;
        let merits: Vec<Merit> = all
            .iter()
            .map(|i| Merit::of(i, selection, self.problem))
            .collect();
        let mut kept = survivors(&merits, self.settings.limits.population as usize);
        kept.sort_by(|a, b| a.1.compare(&b.1).then(a.0.cmp(&b.0)));
        self.state.population = kept.iter().map(|(i, _)| all[*i].clone()).collect();
        kept.iter().filter(|(_, s)| s.rank == 0).count()
    }

    /// Local optimisation of those on the first front that had none.
    fn polish(&mut self, front: usize) {
        let (problem, population) = (self.problem, &self.state.population);
        let stop = || self.stop.is_over();
        let polished: Vec<Option<Individual>> = population[..front.min(population.len())]
            .par_iter()
            .map_init(
                || Scratch::until(&stop),
                |scratch, one| {
                    if one.polished || self.stop.reason().is_some() {
                        return None;
                    }
                    let mut better = one.clone();
                    tune::thresholds(&mut better, problem, scratch);
                    tune::constants(&mut better, problem, scratch, 20);
                    if self.settings.selection == Selection::Pareto {
                        better = shapes::prune(&better, problem, scratch);
                    }
                    better.polished = true;
                    Some(better)
                },
            )
            .collect();
        if polished.iter().all(Option::is_none) || self.stop.reason().is_some() {
            return;
        }
        let mut all = self.state.population.clone();
        for (one, better) in all.iter_mut().zip(&polished) {
            one.polished |= better.is_some();
        }
        all.extend(polished.into_iter().flatten());
        self.select(&all);
    }

    fn variation(&self, generation: u32, index: u64) -> Variation<'_> {
        let key =
            mix(mix(self.settings.seed).wrapping_add(u64::from(generation))).wrapping_add(index);
        Variation {
            problem: self.problem,
            terms: self.settings.limits.terms as usize,
            depth: self.settings.limits.depth,
            random: Pcg64Mcg::seed_from_u64(mix(key)),
        }
    }

    /// One fitted child; none if it is too complex, not finite, or the search is to stop.
    fn offspring(&self, generation: u32, index: u32, scratch: &mut Scratch) -> Option<Individual> {
        if self.stop.reason().is_some() || self.state.population.is_empty() {
            return None;
        }
        let mut vary = self.variation(generation, u64::from(index));
        let population = &self.state.population;
        // The population is in order of standing: the smallest of a few indices wins the tournament.
        let mut parent = || {
            let draws = (0..3).map(|_| vary.random.random_range(0..population.len()));
            &population[draws.min().unwrap_or(0)]
        };
        let (one, two) = (parent(), parent());
        let mut child = match vary.random.random_range(0..20) {
            0..=8 => vary.crossover(one, two),
            9..=18 => vary.mutation(one),
            _ => vary.individual(),
        };
        if child.complexity > self.settings.limits.complexity {
            return None;
        }
        child.fit(self.problem, scratch)?;
        if vary.random.random_range(0..10) < 3 {
            tune::constants(&mut child, self.problem, scratch, 4);
        }
        Some(child)
    }
}

/// A bijection of 64 bits that spreads neighbours (the finaliser of `SplitMix64`: Steele, Lea & Flood 2014).
fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
