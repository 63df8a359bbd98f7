//! The estimator: from a checked design to a formula, and to the whole front of formulas.

use pricetag_cost_model::{Diagnostic, Formula, Severity};
use pricetag_estimator::{Checked, Design, Estimator, EstimatorError, Fitted};

use crate::checkpoint::{Checkpoint, CheckpointError};
use crate::convert;
use crate::evaluate::Scratch;
use crate::finish::finish;
use crate::individual::Individual;
use crate::problem::Problem;
use crate::search::{Control, End, Limits, Search, Settings, Stop};
use crate::select::{Merit, Selection, survivors};

const METHOD: &str = "gp";

/// Genetic programming; errors are weighted by the design's weights.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneticProgramming {
    /// Seed of all random choices.
    pub seed: u64,
    /// Constants offered from outside, such as those found in the subject's code; in units of the table.
    pub constants: Vec<f64>,
    /// Sizes and ends of the search.
    pub limits: Limits,
    /// Who survives, and what is delivered.
    pub selection: Selection,
    /// Whether the first generation holds simple shapes of cost.
    pub shapes: bool,
    /// Whether the first generation holds what MARS finds.
    pub mars: bool,
}

impl Default for GeneticProgramming {
    fn default() -> Self {
        Self {
            seed: 1,
            constants: Vec::new(),
            limits: Limits::default(),
            selection: Selection::default(),
            shapes: true,
            mars: true,
        }
    }
}

/// One formula of the front.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The formula over column names.
    pub formula: Formula,
    /// Relative error on the rows it was fitted to: √(Σw(y − ŷ)²/Σw y²).
    pub error: f64,
    /// Sum of the weights of its operations ([`crate::Op::weight`]).
    pub complexity: u32,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Evolution {
    /// The formula to use, with notes.
    pub fitted: Fitted,
    /// The same as a candidate.
    pub delivered: Candidate,
    /// What no other candidate beats in both error and complexity, simplest first.
    pub front: Vec<Candidate>,
    /// Complete generations after the first.
    pub generations: u32,
    /// Candidates fitted.
    pub evaluations: u64,
    /// Why it ended.
    pub end: End,
    /// From where it can be continued.
    pub checkpoint: Checkpoint,
}

/// Why a search could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EvolveError {
    /// The design or the parameters.
    #[error(transparent)]
    Estimator(#[from] EstimatorError),
    /// The checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
}

impl Estimator for GeneticProgramming {
    fn name(&self) -> &'static str {
        METHOD
    }

    fn fit(&self, design: &Checked<Design>) -> Result<Fitted, EstimatorError> {
        match self.evolve(design, Control::default(), None) {
            Ok(evolution) => Ok(evolution.fitted),
            Err(EvolveError::Estimator(error)) => Err(error),
            Err(EvolveError::Checkpoint(error)) => Err(EstimatorError::Numerical {
                method: METHOD,
                reason: error.to_string(),
            }),
        }
    }
}

impl GeneticProgramming {
    /// Searches under the control of the world, from the beginning or from where a checkpoint stands.
    pub fn evolve(
        &self,
        design: &Checked<Design>,
        control: Control,
        resume: Option<&Checkpoint>,
    ) -> Result<Evolution, EvolveError> {
        self.check()?;
        let (stop, finishing) = Stop::of(&control);
        let problem = Problem::new(design, &self.constants);
        let settings = Settings {
            seed: self.seed,
            selection: self.selection,
            limits: self.limits,
            shapes: self.shapes,
            mars: self.mars,
        };
        let state = match resume {
            Some(checkpoint) => Some(checkpoint.state_for(&problem, &settings)?),
            None => None,
        };
        let mut search = Search::new(&problem, &settings, stop, state);
        let end = search.run(control.progress);
        let best = search
            .best()
            .cloned()
            .unwrap_or_else(|| Individual::new(Vec::new(), true));
        let over = || finishing.is_over();
        let mut scratch = Scratch::until(&over);
        let best = finish(&best, self.selection, &problem, &mut scratch);
        if !best.error.is_finite() {
            return Err(EstimatorError::Numerical {
                method: METHOD,
                reason: "no formula is finite on every row".into(),
            }
            .into());
        }
        let state = search.state;
        let delivered = candidate(&best, &problem);
        let mut population = state.population.clone();
        population.push(best);
        let fitted = Fitted {
            method: METHOD,
            formula: delivered.formula.clone(),
            coefficients: Vec::new(),
            intercept: 0.0,
            summary: None,
            notes: notes(end, state.generation.unwrap_or(0), self, &delivered),
        };
        Ok(Evolution {
            fitted,
            delivered,
            front: front(&population, &problem),
            generations: state.generation.unwrap_or(0),
            evaluations: state.evaluations,
            end,
            checkpoint: Checkpoint::new(&problem, &settings, state),
        })
    }

    fn check(&self) -> Result<(), EstimatorError> {
        let limits = &self.limits;
        let positive = [
            ("population", limits.population),
            ("terms", limits.terms),
            ("depth", limits.depth),
        ];
        let wrong = |parameter, value| EstimatorError::Parameter {
            method: METHOD,
            parameter,
            value,
        };
        if let Some((parameter, value)) = positive.into_iter().find(|p| p.1 == 0) {
            return Err(wrong(parameter, f64::from(value)));
        }
        match self.constants.iter().find(|c| !c.is_finite()) {
            Some(&bad) => Err(wrong("constants", bad)),
            None => Ok(()),
        }
    }
}

fn candidate(individual: &Individual, problem: &Problem) -> Candidate {
    Candidate {
        formula: convert::formula(individual, problem),
        error: individual.error.sqrt(),
        complexity: individual.complexity,
    }
}

fn front(population: &[Individual], problem: &Problem) -> Vec<Candidate> {
    let merits: Vec<Merit> = population
        .iter()
        .map(|one| Merit::of(one, Selection::Pareto, problem))
        .collect();
    let mut found: Vec<Candidate> = survivors(&merits, population.len())
        .iter()
        .filter(|(_, standing)| standing.rank == 0)
        .map(|(index, _)| candidate(&population[*index], problem))
        .collect();
    found.sort_by_key(|c| c.complexity);
    found
}

fn notes(
    end: End,
    generations: u32,
    gp: &GeneticProgramming,
    found: &Candidate,
) -> Vec<Diagnostic> {
    let reason = match end {
        End::Exact => "a formula fits exactly".to_owned(),
        End::Generations => "all generations were done".to_owned(),
        End::Stagnation => format!(
            "nothing improved for {} generations",
            gp.limits.stagnation.unwrap_or(0)
        ),
        End::Time => "the time was up".to_owned(),
        End::Interrupted => "it was interrupted".to_owned(),
    };
    let mut notes = vec![Diagnostic {
        severity: Severity::Note,
        message: format!(
            "The search of {generations} generations ended because {reason}; error on the training rows {:.2} %.",
            found.error * 100.0
        ),
        advice: None,
    }];
    if matches!(end, End::Time | End::Interrupted) {
        notes.push(Diagnostic {
            severity: Severity::Warning,
            message: "A search ended by time or interruption may give another formula next time."
                .into(),
            advice: Some("Limit the generations instead, or continue from the checkpoint.".into()),
        });
    }
    notes
}
