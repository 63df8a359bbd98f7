//! Prices of a baseline: those of a model that was named, or of the one that `mine` leaves where it is run.

use std::path::Path;

use pricetag_cost_model::CostModel;
use pricetag_dataset::Dataset;
use pricetag_explain::{ExplainOptions, explain};
use pricetag_finding::Grouping;
use pricetag_gate::{Baseline, Priced, prices};

use crate::analysis::{as_learnt, open_model};
use crate::console::Console;
use crate::failure::Failure;

/// Where `mine` leaves its model.
const MINED: &str = "pricetag-data/model.json";

/// How to get prices.
const HOW: &str = "`pricetag mine` with the same --inputs and command learns them, and `--prices pricetag-data/model.json` takes them";

/// Where prices come from.
pub enum Prices {
    /// A model that was named, and its name: it has to fit.
    Named(Box<CostModel>, String),
    /// The one of `mine`, which may be of another program.
    Found(Box<CostModel>),
    /// None.
    Missing,
}

impl Prices {
    /// Of the model that was named, or that is there.
    pub fn of(named: Option<&Path>, console: &Console) -> Result<Self, Failure> {
        if let Some(path) = named {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            return Ok(Self::Named(Box::new(open_model(path)?), name.into_owned()));
        }
        let path = Path::new(MINED);
        if !path.exists() {
            return Ok(Self::Missing);
        }
        Ok(match open_model(path) {
            Ok(model) => Self::Found(Box::new(model)),
            Err(failure) => {
                console.say(&format!("no prices from {MINED}: {}", failure.why));
                Self::Missing
            }
        })
    }

    /// The baseline with what its methods cost; and where that comes from, how to get it, or why there is none.
    pub fn of_methods(
        &self,
        baseline: Baseline,
        dataset: Dataset,
    ) -> Result<(Baseline, Option<String>), Failure> {
        match self {
            Self::Named(model, name) => Ok((with_prices(baseline, model, name, dataset)?, None)),
            Self::Found(model) => {
                let bare = baseline.clone();
                Ok(found(bare, with_prices(baseline, model, MINED, dataset)))
            }
            Self::Missing => {
                let told =
                    format!("no prices: what a change is worth in time cannot be told. {HOW}");
                Ok((baseline, Some(told)))
            }
        }
    }
}

/// What the model of `mine` says, which may be of another program or not fit this one: no reason to fail, but it is said.
fn found(bare: Baseline, priced: Result<Baseline, Failure>) -> (Baseline, Option<String>) {
    let (baseline, told) = match priced {
        Ok(priced) if has_prices(&priced) => (
            priced,
            format!("prices: of {MINED}, which is here; --prices names others"),
        ),
        Ok(_) => (
            bare,
            format!("no prices: {MINED} knows no method of this program. {HOW}"),
        ),
        Err(failure) => (
            bare,
            format!(
                "no prices: {MINED} prices nothing here: {}. {HOW}",
                failure.why
            ),
        ),
    };
    (baseline, Some(told))
}

fn has_prices(baseline: &Baseline) -> bool {
    let listed = baseline.methods.values().map(|m| m.price.is_some());
    let others = baseline.others.values().map(|m| m.price.is_some());
    listed.chain(others).any(|priced| priced)
}

/// Adds to the baseline what the model says that its methods cost.
fn with_prices(
    mut baseline: Baseline,
    model: &CostModel,
    name: &str,
    dataset: Dataset,
) -> Result<Baseline, Failure> {
    let learnt = as_learnt(model, dataset);
    let options = ExplainOptions {
        by: Grouping::Block,
        ..ExplainOptions::default()
    };
    let explanation = explain(model, &learnt, options)
        .map_err(|e| Failure::from(e).doing("asking the model for prices"))?;
    let prices = prices(&explanation, &learnt);
    for (method, price) in prices {
        if let Some(listed) = baseline.methods.get_mut(&method) {
            listed.price = Some(price);
        } else if let Some(other) = baseline.others.get_mut(&method) {
            other.price = Some(price);
        }
    }
    baseline.prices = Some(Priced {
        target: explanation.target,
        unit: explanation.unit,
        model: name.to_owned(),
    });
    Ok(baseline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_model_that_is_here_prices_nothing_is_told() {
        let failed = Err(Failure::new(
            "the model wants `input.rows`, which this has not",
        ));
        let (baseline, told) = found(Baseline::default(), failed);
        assert_eq!(baseline, Baseline::default());
        let told = told.unwrap();
        assert!(
            told.contains("the model wants `input.rows`, which this has not. `pricetag mine`"),
            "{told}"
        );
        let (_, told) = found(Baseline::default(), Ok(Baseline::default()));
        assert!(told.unwrap().contains("knows no method of this program"));
    }
}
