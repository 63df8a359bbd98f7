//! Hierarchical prices averaged with those of the parts alone, in shares that predict unseen training rows best.
//!
//! Two estimates with different errors (Breiman 1996, stacked regressions). Both are carried back to the single features
//! before they are averaged, so predictions of the average are the average of predictions: the share is chosen, and the
//! interval made, from folds of either that are fitted once. The average of two price lists is a price list.

use crate::cross_validation::CrossValidated;
use crate::fit::FitError;
use crate::learner::{Learned, Learner};
use crate::notes::note;
use crate::study::{Choice, Study, relative_error};

/// Shares that are tried: so many steps to the parts alone.
const SHARES: u32 = 10;
/// A further step must lower the error by this share of it.
const GAIN: f64 = 1e-3;

impl Learned {
    /// Takes a share of every price from another list over the same buckets. How uncertain the average is, neither says:
    /// standard errors are left to the folds, and the observations' weight against the prior is that of the rest.
    #[must_use]
    pub fn mixed(mut self, other: &Self, share: f64) -> Self {
        let mix = |mine: &mut f64, theirs: f64| *mine = (1.0 - share) * *mine + share * theirs;
        for (mine, theirs) in self.prices.iter_mut().zip(&other.prices) {
            mix(mine, *theirs);
        }
        let both = self.priors.iter_mut().zip(&other.priors);
        let coefficients = self.coefficients.iter_mut().zip(&other.coefficients);
        let coefficients = coefficients.flat_map(|(mine, theirs)| {
            mine.std_error = None;
            mine.evidence = mine.evidence.map(|e| (1.0 - share) * e);
            [
                (&mut mine.estimate, &theirs.estimate),
                (&mut mine.prior, &theirs.prior),
            ]
        });
        for (mine, theirs) in both.chain(coefficients) {
            if let (Some(mine), Some(theirs)) = (mine, theirs) {
                mix(mine, *theirs);
            }
        }
        self.notes.push(note(format!(
            "{:.0} % of every price is what its parts cost when nothing departs from that; errors of such prices are from the folds",
            100.0 * share
        )));
        self
    }
}

impl Study<'_> {
    /// The choice with the share of the parts alone that predicts best; `alone` prices these, and predicts rows that it has
    /// not seen as it does here.
    pub fn blend<'b>(
        &self,
        choice: Choice<'b>,
        alone: Learner<'b>,
        parts_alone: CrossValidated,
    ) -> Result<Choice<'b>, FitError> {
        let Choice {
            learner,
            learned,
            unseen,
        } = choice;
        let mixed = |share: f64| -> Vec<(f64, f64)> {
            let both = unseen.pairs.iter().zip(&parts_alone.pairs);
            both.map(|((m, p), (_, q))| (*m, (1.0 - share) * p + share * q))
                .collect()
        };
        let mut best = (0.0, relative_error(&unseen.pairs));
        for step in 1..=SHARES {
            let share = f64::from(step) / f64::from(SHARES);
            // The parts alone are not spoilt by rows that the other list does not predict.
            let error = match step {
                SHARES => relative_error(&parts_alone.pairs),
                _ => relative_error(&mixed(share)),
            };
            // On a tie the smaller share wins.
            if error < best.1 * (1.0 - GAIN) {
                best = (share, error);
            }
        }
        let share = best.0;
        if share == 0.0 {
            return Ok(Choice {
                learner,
                learned,
                unseen,
            });
        }
        let parts = alone.main().learn(&self.split.train, None)?;
        if share >= 1.0 {
            return Ok(Choice {
                learner: alone,
                learned: parts,
                unseen: parts_alone,
            });
        }
        Ok(Choice {
            unseen: CrossValidated {
                pairs: mixed(share),
                folds: unseen.folds.mixed(&parts_alone.folds, share),
                rows: unseen.rows,
            },
            learner: learner.blended(share),
            learned: learned.mixed(&parts, share),
        })
    }
}

#[cfg(test)]
mod tests {
    use pricetag_cost_model::CostModel;
    use pricetag_dataset::Dataset;

    use super::*;
    use crate::method::Method;
    use crate::options::FitOptions;
    use crate::simulation::{Simulation, simulate};
    use crate::world::World;

    /// A program whose blocks cost nearly what their parts do, a tenth of its measurements disturbed.
    fn disturbed(seed: u64) -> Dataset {
        let mut data = simulate(&Simulation {
            rows: 60,
            blocks: 80,
            departure: 0.15,
            noise: 0.05,
            seed,
            ..Simulation::default()
        })
        .dataset;
        for row in data.observations.iter_mut().step_by(10) {
            for cost in row.costs.values_mut() {
                cost.repeats.iter_mut().for_each(|r| *r *= 2.0);
            }
        }
        data
    }

    fn options() -> FitOptions {
        FitOptions {
            method: Method::Hier,
            alternatives: false,
            ..FitOptions::default()
        }
    }

    fn close(found: f64, expected: f64) {
        let scale = found.abs().max(expected.abs()).max(1e-12);
        assert!(
            (found - expected).abs() <= 1e-9 * scale,
            "{found} {expected}"
        );
    }

    #[test]
    fn half_a_blend_is_the_mean_of_both_fits() {
        let (dataset, options, world) = (disturbed(1), options(), World::default());
        let study = Study::new(&dataset, &options, &world).unwrap();
        let rows = &study.split.train;
        let learner = study.learner(Method::Hier).main();
        let learn = |share: f64| learner.blended(share).learn(rows, None).unwrap();
        let (own, half, alone) = (learn(0.0), learn(0.5), learn(1.0));
        let distinct = own.prices.iter().zip(&alone.prices);
        assert!(distinct.filter(|(a, b)| (*a - *b).abs() > 1e-3).count() > 50);
        for ((half, own), alone) in half.prices.iter().zip(&own.prices).zip(&alone.prices) {
            close(*half, 0.5 * (own + alone));
        }
        let all: Vec<usize> = (0..study.design.rows()).collect();
        let of = |l: &Learned| l.predict(&study.design, &all);
        for ((half, own), alone) in of(&half).into_iter().zip(of(&own)).zip(of(&alone)) {
            close(half, 0.5 * (own + alone));
        }
        let both = half.coefficients.iter().zip(&own.coefficients);
        for ((half, own), alone) in both.zip(&alone.coefficients) {
            close(
                half.estimate.unwrap(),
                0.5 * (own.estimate.unwrap() + alone.estimate.unwrap()),
            );
            assert_eq!(half.evidence, own.evidence.map(|e| 0.5 * e));
            assert_eq!((half.std_error, alone.std_error), (None, None));
        }
        // Parts alone weigh no row down, whoever asks: the disturbed rows pull.
        assert!(own.shrinkage.is_some() && alone.shrinkage.is_none());
    }

    #[test]
    fn what_is_judged_is_what_is_delivered() {
        let blended = (1..=12).filter(|&seed| is_delivered_as_judged(&disturbed(seed)));
        assert!(
            blended.count() >= 2,
            "hardly any program has a share of both"
        );
    }

    /// Whether both fits have a share, after checking that what is delivered then is what was judged.
    fn is_delivered_as_judged(dataset: &Dataset) -> bool {
        let (options, world) = (options(), World::default());
        let study = Study::new(dataset, &options, &world).unwrap();
        let Choice {
            learner,
            learned,
            unseen,
        } = study.choice(Method::Hier).unwrap();
        if learner.blend <= 0.0 || learner.blend >= 1.0 {
            return false;
        }
        // The judged pairs are predictions of the learner that is delivered, fold by fold …
        let again = study
            .cross_validate(&learner, &learned, &study.split.train)
            .pairs;
        assert_eq!(again.len(), study.split.train.len());
        for ((measured, found), (same, expected)) in unseen.pairs.iter().zip(&again) {
            assert_eq!(measured, same);
            close(*found, *expected);
        }
        // … the prices are what it learns from the training rows, and the model and its interval have both.
        let learnt = learner.main().learn(&study.split.train, None).unwrap();
        assert_eq!(learnt.prices, learned.prices);
        let model: CostModel = crate::fit(dataset, &options).unwrap();
        let interval = crate::interval::interval(&again, options.level_of_intervals).unwrap();
        let found = model.interval.as_ref().unwrap();
        close(found.lower, interval.lower);
        close(found.upper, interval.upper);
        // Neither list says how uncertain their average is; the folds do.
        assert!(learned.coefficients.iter().all(|c| c.std_error.is_none()));
        assert!(model.prices.iter().any(|p| p.bounds.is_some()));
        let share = format!("{:.0} % of every price", 100.0 * learner.blend);
        assert!(
            model
                .diagnostics
                .iter()
                .any(|d| d.message.starts_with(&share))
        );
        true
    }
}
