//! The line that a predictor prints.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a predictor says of one input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Version of the line.
    pub schema: u32,
    /// Whether there is an answer, and whether to trust it.
    pub status: AnswerStatus,
    /// Name of the cost.
    #[serde(default)]
    pub target: String,
    /// Its unit.
    #[serde(default)]
    pub unit: String,
    /// The predicted cost; none if it is unknown.
    #[serde(default)]
    pub value: Option<f64>,
    /// Lower end of the interval.
    #[serde(default)]
    pub low: Option<f64>,
    /// Upper end.
    #[serde(default)]
    pub high: Option<f64>,
    /// Nominal coverage of the interval.
    #[serde(default)]
    pub level: Option<f64>,
    /// How the features became known.
    #[serde(default)]
    pub tier: Option<Tier>,
    /// Why it is unknown or unvalidated.
    #[serde(default)]
    pub reason: Option<String>,
    /// Whether the program opened files for writing, which led nowhere.
    #[serde(default)]
    pub redirected: bool,
    /// Time of the evaluation inside the JVM, in ns.
    #[serde(default)]
    pub took_ns: u64,
    /// The features of the formula.
    #[serde(default)]
    pub features: BTreeMap<String, Option<f64>>,
    /// Features outside of their range in training.
    #[serde(default)]
    pub outside: Vec<String>,
    /// Of a survey: when each group was final, in ns; none if it was not before the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Option<u64>>,
    /// If asked for: what the main thread was seen doing, methods of the program innermost first, and how often.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stacks: Vec<(String, u64)>,
}

/// Whether there is an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerStatus {
    /// There is, by code that training runs had reached.
    Ok,
    /// There is, but code ran that no training run had reached.
    Unvalidated,
    /// There is none.
    Unknown,
}

/// How features became known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// From arguments and files, without running the program.
    Inputs,
    /// From the beginning of a run.
    Prefix,
    /// From a run to its end.
    Run,
}

/// What a predictor printed is no answer.
#[derive(Debug, thiserror::Error)]
#[error("the predictor printed no answer but `{line}`: {source}")]
pub struct AnswerError {
    /// What it printed, shortened.
    pub line: String,
    /// What is wrong with it.
    pub source: serde_json::Error,
}

impl Answer {
    /// No answer, and why.
    pub fn unknown(reason: String) -> Self {
        Self {
            schema: 1,
            status: AnswerStatus::Unknown,
            target: String::new(),
            unit: String::new(),
            value: None,
            low: None,
            high: None,
            level: None,
            tier: None,
            reason: Some(reason),
            redirected: false,
            took_ns: 0,
            features: BTreeMap::new(),
            outside: Vec::new(),
            marks: Vec::new(),
            stacks: Vec::new(),
        }
    }

    /// Reads the last line of what a predictor printed.
    ///
    /// # Errors
    /// If it is no answer.
    pub fn parse(output: &str) -> Result<Self, AnswerError> {
        let line = output.trim_end().lines().next_back().unwrap_or_default();
        serde_json::from_str(line).map_err(|source| AnswerError {
            line: line.chars().take(200).collect(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_and_others_are_told() {
        let line = r#"{"schema":1,"status":"unvalidated","target":"cpu","unit":"ns","value":12.5,"low":10,"high":15,"level":0.95,"tier":"prefix","reason":"it ran code","redirected":false,"took_ns":7,"features":{"a":3.0},"outside":["a"]}"#;
        let answer = Answer::parse(&format!("noise\n{line}\n")).unwrap();
        assert_eq!(answer.status, AnswerStatus::Unvalidated);
        assert_eq!(
            (answer.value, answer.tier),
            (Some(12.5), Some(Tier::Prefix))
        );
        assert_eq!(answer.features["a"], Some(3.0));
        for other in ["", "Exception in thread", "{}"] {
            let error = Answer::parse(other).unwrap_err();
            assert!(error.to_string().contains("printed no answer"), "{error}");
        }
    }
}
