//! One predictor for one model: counters, stops, guards and cuts put together, and tried on recorded inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pricetag_cost_model::CostModel;
use pricetag_dataset::{Dataset, Observation, ObservationId};
use pricetag_evaluate::cuts::Cuttable;
use pricetag_evaluate::stops::Stopping;
use pricetag_evaluate::survey::Candidates;
use pricetag_evaluate::{EvaluateError, Graph, MethodId, Places, Program, Reached, emit};
use pricetag_evaluator::{
    Answer, AnswerStatus, Counted, EVALUATOR_SCHEMA, Evaluator, Source, Validation, Wanted,
};

use super::ask::Question;
use super::survey::{Surveyed, arguments, median, spread};
use crate::analysis::write_whole;
use crate::console::Console;
use crate::failure::Failure;
use crate::scratch::Scratch;

/// Recorded inputs on which cuts are searched.
const SEARCHED: usize = 3;
/// Most recorded inputs that values are compared on.
const COMPARED: usize = 100;
/// Recorded inputs on which an evaluation's time is compared with a whole run's.
const WHOLE: usize = 5;
/// What makes a predictor go on to the program's end, as long as that takes (ms).
const TO_THE_END: [&str; 2] = ["-Dpricetag.goes-on=true", "-Dpricetag.limit=3600000"];
/// Trials of a search.
const TRIALS: usize = 40;

/// What all predictors of a program have in common.
pub struct Workshop<'w, 'p> {
    pub dataset: &'w Dataset,
    pub program: &'p Program,
    pub graph: &'w Graph<'p>,
    pub main: MethodId,
    pub stopping: &'w Stopping<'w, 'p>,
    pub reached: &'w Reached,
    pub candidates: &'w Candidates,
    pub surveyed: &'w Surveyed,
    pub budget: f64,
    pub console: &'w Console,
}

/// A predictor with its description.
pub struct Assembled {
    pub evaluator: Evaluator,
    pub jar: Vec<u8>,
}

/// What a comparison of values shows.
enum Compared {
    /// All are as recorded; how many, and the share of a run that the evaluation takes.
    Same(Validation, f64),
    /// One is not.
    Differs,
    /// No input had an answer, and why the first had none.
    Nothing(String),
}

impl Assembled {
    /// The archive, with the description as it is now.
    pub fn finished(&self) -> Result<Vec<u8>, Failure> {
        let json = serde_json::to_string(&self.evaluator);
        let json = json.map_err(|e| Failure::new(e.to_string()))?;
        let jar = emit::described(&self.jar, &json);
        jar.map_err(|e| Failure::new(e.to_string()).doing("writing the predictor"))
    }
}

impl Workshop<'_, '_> {
    /// Puts a predictor together.
    pub fn assemble(
        &self,
        model: &CostModel,
        emptied: &BTreeSet<MethodId>,
    ) -> Result<Assembled, Failure> {
        let mut places = Places {
            guards: self.reached.guards(self.graph),
            emptied: emptied.clone(),
            ..Places::default()
        };
        places
            .guards
            .retain(|guard| !emptied.contains(&guard.method));
        let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
        let mut features = Vec::new();
        for name in model.formula.features() {
            let candidate = self.candidates.list.iter().find(|c| c.name == name);
            let source = if let Some(candidate) = candidate {
                let counter = places.counters.len();
                places.counters.push(candidate.spot);
                let group = candidate.group.as_ref().ok().map(|group| {
                    *numbers.entry(*group).or_insert_with(|| {
                        places.groups.push(self.candidates.groups[*group].clone());
                        places.groups.len() - 1
                    })
                });
                Source::Counter(Counted { counter, group })
            } else if let Some(source) = self.surveyed.sources.get(name) {
                source.clone()
            } else {
                // The base price: one per run.
                Source::Constant(1.0)
            };
            features.push(Wanted {
                name: name.to_owned(),
                source,
                domain: model.domain.get(name).map(|d| (d.min, d.max)),
                share: self.surveyed.shares.get(name).copied().unwrap_or(0.0),
            });
        }
        let failed = |e: EvaluateError| Failure::new(e.to_string()).doing("writing the predictor");
        let rewritten = emit::rewrite(self.graph, &places).map_err(failed)?;
        let share = features.iter().map(|f| f.share).fold(0.0, f64::max);
        let assumed = match places.groups.as_slice() {
            [] => Vec::new(),
            _ => self
                .stopping
                .assumed(&emit::updates(&places.counters, self.graph)),
        };
        let evaluator = Evaluator {
            schema: EVALUATOR_SCHEMA,
            model: model.clone(),
            subject: self.program.subject.clone(),
            features,
            counters: places.counters.len(),
            groups: places.groups.len(),
            limit_ms: self.surveyed.limit_ms,
            guards: places.guards.len(),
            emptied: emptied.iter().map(|id| self.graph.shown(*id)).collect(),
            assumed: assumed.iter().map(|id| self.graph.shown(*id)).collect(),
            validation: None,
            redirected: rewritten.redirected,
            share,
            budget: self.budget,
            curve: Vec::new(),
            rejected: self.surveyed.rejected.clone(),
        };
        let mut assembled = Assembled {
            evaluator,
            jar: Vec::new(),
        };
        self.pack(&mut assembled, &places, &rewritten)?;
        Ok(assembled)
    }

    fn pack(
        &self,
        assembled: &mut Assembled,
        places: &Places,
        rewritten: &emit::Rewritten,
    ) -> Result<(), Failure> {
        let evaluator = &assembled.evaluator;
        let json = serde_json::to_string(evaluator).map_err(|e| Failure::new(e.to_string()))?;
        let table = evaluator.to_table();
        let jar = emit::pack(self.program, rewritten, &places.guards, &table, &json);
        assembled.jar =
            jar.map_err(|e| Failure::new(e.to_string()).doing("writing the predictor"))?;
        Ok(())
    }

    /// Cuts what the features of a model do not need, as far as trials show; checked on recorded inputs that the search did not use. None if
    /// nothing can be cut, or the check found a difference.
    pub fn cut(&self, model: &CostModel) -> Result<Option<Assembled>, Failure> {
        let plain = self.assemble(model, &BTreeSet::new())?;
        let spots = model.formula.features().into_iter().filter_map(|name| {
            let candidate = self.candidates.list.iter().find(|c| c.name == name)?;
            Some(candidate.spot)
        });
        let spots: Vec<_> = spots.collect();
        let updating = self.stopping.updating(&emit::updates(&spots, self.graph));
        let cuttable = Cuttable::of(self.graph, self.main, &updating);
        let scratch = Scratch::new()?;
        let path = scratch.path().join("trial.jar");
        let search = spread(self.dataset, SEARCHED);
        write_whole(&path, &plain.jar)?;
        let mut stacks = Vec::new();
        for observation in &search {
            let answer = self.run(&path, observation, &["-Dpricetag.sample=true"])?;
            if !self.agrees(&plain.evaluator, &answer, observation) {
                return Ok(None);
            }
            stacks.extend(answer.stacks);
        }
        let mut holds = |emptied: &BTreeSet<MethodId>| -> Result<bool, Failure> {
            let trial = self.assemble(model, emptied)?;
            write_whole(&path, &trial.jar)?;
            for observation in &search {
                let answer = self.run(&path, observation, &[])?;
                if !self.agrees(&trial.evaluator, &answer, observation) {
                    return Ok(false);
                }
            }
            Ok(true)
        };
        self.console
            .say("trying which methods the values do not need");
        let emptied = cuttable.search(&stacks, TRIALS, &mut holds)?;
        if emptied.is_empty() {
            return Ok(None);
        }
        let mut assembled = self.assemble(model, &emptied)?;
        write_whole(&path, &assembled.jar)?;
        let tried = (path.as_path(), &assembled.evaluator);
        let found = self.validate(&plain.jar, tried, &search)?;
        let Compared::Same(validation, share) = found else {
            return Ok(None);
        };
        assembled.evaluator.validation = Some(validation);
        assembled.evaluator.share = share;
        Ok(Some(assembled))
    }

    /// A predictor without cuts, its values compared on the recorded inputs.
    pub fn plain(&self, model: &CostModel) -> Result<Assembled, Failure> {
        let mut assembled = self.assemble(model, &BTreeSet::new())?;
        if assembled.evaluator.counters == 0 {
            return Ok(assembled);
        }
        self.console.say("comparing values on the recorded inputs");
        let scratch = Scratch::new()?;
        let path = scratch.path().join("trial.jar");
        write_whole(&path, &assembled.jar)?;
        let doing = "checking the predictor";
        let tried = (path.as_path(), &assembled.evaluator);
        let (validation, share) = match self.validate(&assembled.jar, tried, &[])? {
            Compared::Same(validation, share) => (validation, share),
            Compared::Differs => {
                let why = "the values of the predictor differ from those recorded";
                return Err(Failure::new(why).doing(doing).advice(
                    "does the program do the same twice? `--budget 0%` builds on inputs alone",
                ));
            }
            Compared::Nothing(reason) => {
                let why = format!("no recorded input could be compared: {reason}");
                return Err(Failure::new(why)
                    .doing(doing)
                    .advice("`--budget 0%` builds on inputs alone"));
            }
        };
        assembled.evaluator.validation = Some(validation);
        assembled.evaluator.share = share;
        Ok(assembled)
    }

    /// Compares the values of the predictor at `path` on recorded inputs that were not searched on, and its time with that of a whole run beside
    /// it, before and after in turn: a busy machine slows both. `plain` is the archive without cuts.
    fn validate(
        &self,
        plain: &[u8],
        (path, evaluator): (&Path, &Evaluator),
        searched: &[&Observation],
    ) -> Result<Compared, Failure> {
        let all = spread(self.dataset, COMPARED);
        let whole_path = path.with_extension("whole.jar");
        write_whole(&whole_path, plain)?;
        let mut shares = Vec::new();
        let (mut compared, mut flagged) = (0, 0);
        let mut reason = None;
        let each = all.len().div_ceil(WHOLE);
        for (number, observation) in all.into_iter().enumerate() {
            let ask = || self.run(path, observation, &[]);
            let (answer, whole) = if number.is_multiple_of(each) {
                let ask_whole = || self.run(&whole_path, observation, &TO_THE_END);
                let (answer, whole) = if (number / each).is_multiple_of(2) {
                    let answer = ask()?;
                    (answer, ask_whole()?)
                } else {
                    let whole = ask_whole()?;
                    (ask()?, whole)
                };
                (answer, Some(whole))
            } else {
                (ask()?, None)
            };
            let is_ok = |answer: &Answer| answer.status == AnswerStatus::Ok && answer.took_ns > 0;
            if let Some(whole) = whole.filter(|whole| is_ok(whole) && is_ok(&answer)) {
                shares.push(answer.took_ns as f64 / whole.took_ns as f64);
            }
            if searched.iter().any(|o| o.label == observation.label) {
                continue;
            }
            if answer.status != AnswerStatus::Ok {
                flagged += 1;
                reason = reason.or(answer.reason);
            } else if self.agrees(evaluator, &answer, observation) {
                compared += 1;
            } else {
                return Ok(Compared::Differs);
            }
        }
        let validation = Validation { compared, flagged };
        let nothing = |other: &str| {
            let why = reason.clone().unwrap_or_else(|| other.to_owned());
            Ok(Compared::Nothing(why))
        };
        match (compared, shares.is_empty()) {
            (0, _) => nothing("all were searched on"),
            (_, true) => nothing("no run to the end had an answer"),
            _ => Ok(Compared::Same(validation, median(&mut shares))),
        }
    }

    fn run(
        &self,
        jar: &Path,
        observation: &Observation,
        options: &[&str],
    ) -> Result<Answer, Failure> {
        let question = Question {
            arguments: &arguments(self.program, observation)?,
            cwd: None,
            timeout: None,
        };
        let mut all = self.program.subject.options.clone();
        all.extend(options.iter().map(|&option| option.to_owned()));
        question.try_with(jar, &all).map(|(answer, _)| answer)
    }

    /// Whether all values are as they were recorded.
    fn agrees(&self, evaluator: &Evaluator, answer: &Answer, observation: &Observation) -> bool {
        let row = self
            .dataset
            .observations
            .iter()
            .position(|o| o.label == observation.label);
        let row = row.map(|row| ObservationId(row as u32));
        let differs = |wanted: &Wanted| {
            if matches!(wanted.source, Source::Constant(_)) {
                return false;
            }
            let column = self.dataset.column(&wanted.name).unwrap_or_default();
            let cell = column.iter().find(|(at, _)| Some(*at) == row);
            let recorded = cell.map_or(0.0, |(_, value)| *value);
            answer.features.get(&wanted.name).copied().flatten() != Some(recorded)
        };
        answer.status == AnswerStatus::Ok && !evaluator.features.iter().any(differs)
    }
}
