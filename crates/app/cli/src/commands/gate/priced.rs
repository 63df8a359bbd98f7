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

    /// The baseline with what its methods cost.
    pub fn of_methods(&self, baseline: Baseline, dataset: Dataset) -> Result<Baseline, Failure> {
        match self {
            Self::Named(model, name) => with_prices(baseline, model, name, dataset),
            Self::Found(model) => {
                let bare = baseline.clone();
                let priced = with_prices(baseline, model, MINED, dataset);
                // One of another program prices nothing.
                Ok(priced.ok().filter(has_prices).unwrap_or(bare))
            }
            Self::Missing => Ok(baseline),
        }
    }

    /// Says where they come from, or how to get some.
    pub fn tell(&self, baseline: &Baseline, console: &Console) {
        let how = "`pricetag mine` with the same --inputs and command learns them, and `--prices pricetag-data/model.json` takes them";
        match self {
            Self::Named(..) => {}
            Self::Found(_) if has_prices(baseline) => {
                console.say(&format!(
                    "prices: of {MINED}, which is here; --prices names others"
                ));
            }
            Self::Found(_) => console.say(&format!(
                "no prices: {MINED} knows no method of this program. {how}"
            )),
            Self::Missing => console.say(&format!(
                "no prices: what a change is worth in time cannot be told. {how}"
            )),
        }
    }
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
