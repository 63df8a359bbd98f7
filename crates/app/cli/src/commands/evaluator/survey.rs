//! A program run once with marks over some recorded inputs: what each feature costs to know.

use std::collections::BTreeMap;
use std::time::Duration;

use pricetag_dataset::{Dataset, FeatureKind, Measured, Observation, Status};
use pricetag_evaluate::survey::Candidates;
use pricetag_evaluate::{EvaluateError, Graph, Places, Program, emit};
use pricetag_evaluator::{Source, survey_table, template};
use pricetag_runner::template::expand;

use super::ask::Question;
use crate::analysis::write_whole;
use crate::console::Console;
use crate::failure::Failure;
use crate::scratch::Scratch;

/// An evaluation may take so many times the longest run of the survey.
const TIMES_LONGEST: f64 = 10.0;
/// And so much more, in ms.
const GRACE_MS: f64 = 2000.0;
/// How long a run of the survey may take, unless the user says.
const PATIENCE: Duration = Duration::from_mins(10);

/// What features cost, and why some cost a whole run.
pub struct Surveyed {
    /// Shares of a run.
    pub shares: BTreeMap<String, f64>,
    /// Where the values of inputs come from.
    pub sources: BTreeMap<String, Source>,
    /// Features that are final at the end only, and why.
    pub rejected: Vec<(String, String)>,
    /// How long an evaluation may take.
    pub limit_ms: u64,
}

/// The arguments of a recorded run.
pub fn arguments(program: &Program, observation: &Observation) -> Result<Vec<String>, Failure> {
    let bindings = template::bindings(observation);
    let words = program.subject.arguments.iter();
    let words = words.map(|word| expand(word, &bindings));
    Ok(words.collect::<Result<_, _>>()?)
}

/// Runs the program with marks.
pub fn survey(
    dataset: &Dataset,
    program: &Program,
    (graph, candidates): (&Graph<'_>, &Candidates),
    (inputs, limit): (usize, Option<Duration>),
    console: &Console,
) -> Result<Surveyed, Failure> {
    let failed = |e: EvaluateError| Failure::new(e.to_string()).doing("surveying the program");
    let places = Places {
        groups: candidates.groups.clone(),
        ..Places::default()
    };
    let rewritten = emit::rewrite(graph, &places).map_err(failed)?;
    let patience = limit.unwrap_or(PATIENCE).as_millis() as u64;
    let table = survey_table(&program.subject.main, candidates.groups.len(), patience);
    let jar = emit::pack(program, &rewritten, &[], &table, "{}").map_err(failed)?;
    let scratch = Scratch::new()?;
    let path = scratch.path().join("survey.jar");
    write_whole(&path, &jar)?;
    let mut marks: Vec<Vec<f64>> = vec![Vec::new(); candidates.groups.len()];
    let (mut longest, mut reasons) = (None, Vec::new());
    let chosen = spread(dataset, inputs);
    let mut options = program.subject.options.clone();
    options.push("-Dpricetag.survey=true".to_owned());
    for observation in &chosen {
        let question = Question {
            arguments: &arguments(program, observation)?,
            cwd: None,
            timeout: None,
        };
        console.say(&format!("surveying {}", observation.label));
        let (answer, _) = question.try_with(&path, &options)?;
        if let Some(reason) = answer.reason {
            reasons.push(format!("{}: {reason}", observation.label));
            continue;
        }
        let end = answer.took_ns as f64;
        longest = Some(end.max(longest.unwrap_or(0.0)));
        for (group, mark) in marks.iter_mut().zip(&answer.marks) {
            group.push(mark.map_or(1.0, |at| at as f64 / end));
        }
    }
    let Some(longest) = longest else {
        let why = format!(
            "none of {} recorded inputs ran to its end under guard: {}",
            chosen.len(),
            reasons.join("; ")
        );
        let advice = "an option of the program may leave out what it does beside computing";
        return Err(Failure::new(why)
            .doing("surveying the program")
            .advice(advice));
    };
    let default = (TIMES_LONGEST * longest / 1e6 + GRACE_MS) as u64;
    let mut surveyed = Surveyed {
        shares: BTreeMap::new(),
        sources: BTreeMap::new(),
        rejected: Vec::new(),
        limit_ms: limit.map_or(default, |limit| limit.as_millis() as u64),
    };
    surveyed.price(dataset, program, candidates, &mut marks);
    Ok(surveyed)
}

impl Surveyed {
    fn price(
        &mut self,
        dataset: &Dataset,
        program: &Program,
        candidates: &Candidates,
        marks: &mut [Vec<f64>],
    ) {
        let inputs = dataset
            .features
            .iter()
            .filter(|f| f.kind == FeatureKind::Input);
        for feature in inputs {
            if let Some(source) = template::known(&feature.name, &program.subject.arguments) {
                self.shares.insert(feature.name.clone(), 0.0);
                self.sources.insert(feature.name.clone(), source);
            }
        }
        for candidate in &candidates.list {
            let share = match &candidate.group {
                Ok(group) => median(&mut marks[*group]),
                Err(why) => {
                    self.rejected
                        .push((candidate.name.clone(), why.to_string()));
                    1.0
                }
            };
            self.shares.insert(candidate.name.clone(), share);
        }
    }
}

/// So many successful observations, from the cheapest to the most expensive.
pub fn spread(dataset: &Dataset, number: usize) -> Vec<&Observation> {
    let ok = dataset
        .observations
        .iter()
        .filter(|o| o.status == Status::Ok);
    let mut ok: Vec<&Observation> = ok.collect();
    let cost = |o: &Observation| o.costs.values().find_map(Measured::value).unwrap_or(0.0);
    ok.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    let number = number.min(ok.len());
    let places = (0..number).map(|i| (2 * i + 1) * ok.len() / (2 * number));
    places.map(|place| ok[place]).collect()
}

/// The middle value; that of a whole run if there is none.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 1.0,
        n if n % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}
