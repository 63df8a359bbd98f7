//! What came of trying a predictor on inputs that it was not made from.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::{Answer, AnswerStatus, Tier};

/// One input, answered and run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// The input.
    pub label: String,
    /// What the predictor said.
    pub answer: Answer,
    /// CPU time of the whole process that evaluates, start of the JVM included, ns.
    pub evaluation_cpu: f64,
    /// Its wall time, ns.
    pub evaluation_wall: f64,
    /// CPU time of the program, ns, if it was measured.
    pub run_cpu: Option<f64>,
    /// Its wall time, ns.
    pub run_wall: Option<f64>,
    /// The cost that was predicted, as measured.
    pub measured: Option<f64>,
    /// Values that differ: feature, as evaluated, as counted in the unmodified program.
    pub wrong: Vec<(String, f64, f64)>,
    /// Why the program's own run gives nothing to compare with.
    pub failed: Option<String>,
}

/// All trials of a predictor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Version of this finding.
    pub schema: u32,
    /// Name of the cost.
    pub target: String,
    /// One per input.
    pub trials: Vec<Trial>,
}

impl Check {
    /// Trials with an answer that claims to be right, and is compared with a run.
    fn claimed(&self) -> impl Iterator<Item = &Trial> {
        let claims = |t: &&Trial| t.answer.status == AnswerStatus::Ok && t.failed.is_none();
        self.trials.iter().filter(claims)
    }

    /// Trials whose answer claims to be right and rests on a wrong value.
    pub fn silently_wrong(&self) -> impl Iterator<Item = &Trial> {
        self.claimed().filter(|t| !t.wrong.is_empty())
    }

    /// As a person reads it.
    pub fn to_text(&self) -> String {
        let count = |status| {
            self.trials
                .iter()
                .filter(|t| t.answer.status == status)
                .count()
        };
        let (ok, flagged, unknown) = (
            count(AnswerStatus::Ok),
            count(AnswerStatus::Unvalidated),
            count(AnswerStatus::Unknown),
        );
        let mut text = format!(
            "{} inputs: {ok} answered, {flagged} answered with the flag `unvalidated`, {unknown} unknown\n",
            self.trials.len()
        );
        let counted = |t: &&Trial| t.answer.tier != Some(Tier::Inputs);
        let compared = self.claimed().filter(counted).count();
        let wrong = self.silently_wrong().count();
        let claimed = self.claimed().count();
        if claimed > 0 && self.claimed().all(|t| t.answer.features.is_empty()) {
            text.push_str("values: none; the formula is one number for all inputs\n");
        } else if claimed > 0 && compared == 0 && wrong == 0 {
            text.push_str("values: none is counted; the answers follow from the inputs alone\n");
        } else if compared > 0 && wrong == 0 {
            let most = (300.0 / compared as f64).min(100.0);
            let _ = writeln!(
                text,
                "values: as counted in the unmodified program in all {compared} of the unflagged; among inputs like these at most {most:.1} % are wrong, at 95 %"
            );
        } else {
            let _ = writeln!(
                text,
                "values: wrong in {wrong} of {compared} unflagged answers"
            );
        }
        for trial in self.trials.iter().filter(|t| !t.wrong.is_empty()).take(10) {
            for (feature, evaluated, counted) in &trial.wrong {
                let label = &trial.label;
                let _ = writeln!(
                    text,
                    "  {label}: {feature} is {evaluated}, counted {counted}"
                );
            }
        }
        self.errors(&mut text);
        self.costs(&mut text);
        let mut reasons = std::collections::BTreeMap::new();
        for trial in &self.trials {
            if let Some(reason) = trial.failed.as_ref().or(trial.answer.reason.as_ref()) {
                *reasons.entry(reason.as_str()).or_insert(0) += 1;
            }
        }
        for (reason, times) in reasons {
            let _ = writeln!(text, "  {times}×: {reason}");
        }
        text
    }

    fn errors(&self, text: &mut String) {
        let mut errors = Vec::new();
        let mut within = 0;
        for trial in self.claimed() {
            let (Some(value), Some(measured)) = (trial.answer.value, trial.measured) else {
                continue;
            };
            errors.push((value - measured).abs() / measured);
            let (low, high) = (trial.answer.low, trial.answer.high);
            within += usize::from(
                low.is_some_and(|l| l <= measured) && high.is_some_and(|h| measured <= h),
            );
        }
        if let (Some(median), Some(p90)) = (quantile(&mut errors, 0.5), quantile(&mut errors, 0.9))
        {
            let _ = writeln!(
                text,
                "error of `{}`: median {:.1} %, 90th percentile {:.1} %; within the interval {within} of {}",
                self.target,
                100.0 * median,
                100.0 * p90,
                errors.len()
            );
            let level = self.claimed().find_map(|t| t.answer.level);
            if let Some(level) = level.filter(|&level| surely_less(within, errors.len(), level)) {
                let _ = writeln!(
                    text,
                    "warning: the interval should hold {:.0} %, and held {:.0} %: it is too narrow for these inputs, or times differ more here than where the model was learnt",
                    100.0 * level,
                    100.0 * within as f64 / errors.len() as f64
                );
            }
        }
    }

    fn costs(&self, text: &mut String) {
        let shares = |evaluation: fn(&Trial) -> f64, run: fn(&Trial) -> Option<f64>| {
            let answered = self.trials.iter().filter(|t| t.answer.value.is_some());
            let shares =
                answered.filter_map(|t| Some(evaluation(t) / run(t).filter(|r| *r > 0.0)?));
            shares.collect::<Vec<f64>>()
        };
        for (name, mut shares) in [
            ("CPU time", shares(|t| t.evaluation_cpu, |t| t.run_cpu)),
            ("wall time", shares(|t| t.evaluation_wall, |t| t.run_wall)),
            (
                "wall time without the start of the JVM that evaluates",
                shares(|t| t.answer.took_ns as f64, |t| t.run_wall),
            ),
        ] {
            if let (Some(median), Some(p90)) =
                (quantile(&mut shares, 0.5), quantile(&mut shares, 0.9))
            {
                let _ = writeln!(
                    text,
                    "evaluation ÷ run, {name}: median {:.1} %, 90th percentile {:.1} %",
                    100.0 * median,
                    100.0 * p90
                );
            }
        }
    }
}

/// Whether so few of a number of trials would come true in less than one of twenty cases, if each did with this probability.
fn surely_less(came_true: usize, trials: usize, probability: f64) -> bool {
    let mut chance = (1.0 - probability).powi(trials as i32);
    let mut sum = chance;
    for k in 0..came_true {
        chance *= (trials - k) as f64 / (k + 1) as f64 * probability / (1.0 - probability);
        sum += chance;
    }
    sum < 0.05
}

/// The value below which this part of the values lies, the nearest; none of none.
fn quantile(values: &mut [f64], part: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    values.get((part * last as f64).round() as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Binomial tails from a table: P(X ≤ 5 | 12, 6/7) = 0.0006, P(X ≤ 8 | 10, 6/7) = 0.43, P(X ≤ 0 | 1, 0.5) = 0.5.
    #[test]
    fn too_few_are_told_from_bad_luck() {
        assert!(surely_less(5, 12, 6.0 / 7.0));
        assert!(!surely_less(8, 10, 6.0 / 7.0));
        assert!(!surely_less(0, 1, 0.5));
        assert!(surely_less(0, 5, 0.5) && !surely_less(0, 4, 0.5));
    }

    fn trial(tier: Tier, features: &[&str], value: f64) -> Trial {
        let features = features.iter().map(|name| format!("\"{name}\": 1.0"));
        let features = features.collect::<Vec<_>>().join(",");
        let tier = serde_json::to_string(&tier).unwrap();
        let answer = format!(
            r#"{{"schema": 1, "status": "ok", "value": {value}, "low": {value}, "high": {value}, "level": 0.9, "tier": {tier}, "features": {{{features}}}}}"#
        );
        Trial {
            label: "a".to_owned(),
            answer: serde_json::from_str(&answer).unwrap(),
            evaluation_cpu: 1.0,
            evaluation_wall: 1.0,
            run_cpu: Some(1.0),
            run_wall: Some(1.0),
            measured: Some(2.0),
            wrong: Vec::new(),
            failed: None,
        }
    }

    #[test]
    fn values_that_nobody_counted_are_not_called_right() {
        let said = |trial: Trial| {
            let trials = vec![trial; 3];
            let check = Check {
                schema: 1,
                target: "wall".to_owned(),
                trials,
            };
            check.to_text()
        };
        let constant = said(trial(Tier::Inputs, &[], 1.0));
        assert!(constant.contains("one number for all inputs"), "{constant}");
        let inputs = said(trial(Tier::Inputs, &["input.bytes"], 1.0));
        assert!(inputs.contains("from the inputs alone"), "{inputs}");
        let counted = said(trial(Tier::Prefix, &["n"], 1.0));
        assert!(counted.contains("in all 3 of the unflagged"), "{counted}");
        assert!(
            counted.contains("should hold 90 %, and held 0 %"),
            "{counted}"
        );
    }
}
