//! Charges against programs whose costs are known: samples drawn from the truth, prices learnt from them.

#[allow(dead_code, reason = "shared with tests that read more of it")]
mod simulation;

use pricetag_cost_model::{Charge, ChargeKind, Charges};
use pricetag_dataset::{Dataset, FeatureKind, Measured};
use pricetag_profile::{
    Beside, Compiled, Method, MethodId, Node, NodeId, Profile, ProfiledRun, Role, Sample, State,
};
use pricetag_study::{FitOptions, Method as By, fit};
use simulation::{Dice, Simulation, simulate};

/// Methods that the blocks belong to.
const METHODS: usize = 40;
/// ns that a sample stands for.
const PERIOD: f64 = 1e4;

struct Truth {
    dataset: Dataset,
    /// ns of each method over all rows.
    methods: Vec<f64>,
    compilation: f64,
}

/// A simulated program whose blocks are spread over methods, one block dearer than anybody would think, with samples of all
/// rows drawn from what it really costs.
fn truth(seed: u64) -> Truth {
    let simulation = Simulation {
        rows: 60,
        blocks: 200,
        departure: 1.0,
        base: 4e6,
        seed,
        ..Simulation::default()
    };
    let simulated = simulate(&simulation);
    let mut dataset = simulated.dataset;
    let mut dice = Dice::new(seed + 1);
    let mut block = 0;
    let mut of_method = vec![Vec::new(); METHODS];
    for (index, feature) in dataset.features.iter_mut().enumerate() {
        if feature.kind != FeatureKind::Block {
            continue;
        }
        let method = block % METHODS;
        let place = block / METHODS;
        feature.class = Some("app/Main".into());
        feature.method = Some(format!("m{method}"));
        feature.descriptor = Some("()V".into());
        feature.block = Some(place as u32);
        feature.pcs = Some((10 * place as u32, 10 * place as u32 + 10));
        of_method[method].push((index, place, simulated.block_prices[block]));
        block += 1;
    }
    let method = |number: usize| Method {
        class: "app/Main".into(),
        name: format!("m{number}"),
        descriptor: "()V".into(),
        own: true,
    };
    let mut profile = Profile {
        methods: (0..METHODS).map(method).collect(),
        ..Profile::default()
    };
    let mut methods = vec![0.0; METHODS];
    let places = block / METHODS;
    for number in 0..METHODS {
        for place in 0..places {
            profile.nodes.push(Node {
                parent: None,
                method: MethodId(number as u32),
                at: Some(10 * place as u32 + dice.below(10) as u32),
            });
        }
    }
    let compilation = simulation.base;
    for row in 0..simulation.rows {
        let mut run = ProfiledRun {
            rows: vec![dataset.observations[row].label.clone()],
            beside: vec![Beside {
                role: Role::C2,
                cpu_ns: compilation as u64,
            }],
            ..ProfiledRun::default()
        };
        for (number, blocks) in of_method.iter().enumerate() {
            for &(index, place, price) in blocks {
                let column = &dataset.columns[index];
                let count = column.iter().find(|(at, _)| at.0 as usize == row);
                let cost = price * count.map_or(0.0, |(_, count)| *count);
                methods[number] += cost;
                // A Poisson count by its normal approximation, or by trials where it is small.
                let mean = cost / PERIOD;
                let drawn = if mean > 30.0 {
                    (mean + mean.sqrt() * dice.normal()).round().max(0.0)
                } else {
                    poisson(mean, &mut dice)
                };
                if drawn > 0.0 {
                    run.samples.push(Sample {
                        node: NodeId((number * places + place) as u32),
                        state: State::Compiled,
                        samples: drawn as u32,
                        cpu_ns: (drawn * PERIOD) as u64,
                    });
                }
            }
        }
        profile.runs.push(run);
    }
    dataset.profile = Some(profile);
    Truth {
        dataset,
        methods,
        compilation: compilation * simulation.rows as f64,
    }
}

fn poisson(mean: f64, dice: &mut Dice) -> f64 {
    let (limit, mut product, mut count) = ((-mean).exp(), dice.uniform(), 0.0);
    while product > limit {
        product *= dice.uniform();
        count += 1.0;
    }
    count
}

fn charges(truth: &Truth, method: By) -> (Charges, f64) {
    let options = FitOptions {
        method,
        alternatives: false,
        ..FitOptions::default()
    };
    let model = fit(&truth.dataset, &options).unwrap();
    let error = model.evaluation.unwrap().median_error;
    (model.charges.unwrap(), error)
}

/// The account of a method by its number.
fn of_method(charges: &Charges, number: usize) -> &Charge {
    let name = format!("m{number}");
    let mut accounts = charges.accounts.iter();
    let is = |account: &&Charge| account.method.as_ref().is_some_and(|m| m.name == name);
    accounts.find(is).unwrap()
}

#[test]
fn shares_are_the_true_ones_whatever_method_predicts() {
    for method in [By::Hier, By::Sampled, By::Poly] {
        let truth = truth(3);
        let (charges, _) = charges(&truth, method);
        let total: f64 = charges.accounts.iter().map(|account| account.cost).sum();
        let all = truth.methods.iter().sum::<f64>() + truth.compilation;
        let mut difference = 0.0;
        for (number, cost) in truth.methods.iter().enumerate() {
            difference += (of_method(&charges, number).cost / total - cost / all).abs();
        }
        let compilation = charges
            .accounts
            .iter()
            .find(|a| a.kind == ChargeKind::Compilation);
        difference += (compilation.unwrap().cost / total - truth.compilation / all).abs();
        assert!(difference < 0.05, "{method}: {difference}");
    }
}

/// The same program, which also waits three times as long as it runs.
#[test]
fn waiting_is_an_account_of_its_own() {
    let mut truth = truth(3);
    let (running, _) = charges(&truth, By::Auto);
    for row in &mut truth.dataset.observations {
        let ran = row.costs["wall"].clone();
        for wall in &mut row.costs.get_mut("wall").unwrap().repeats {
            *wall *= 4.0;
        }
        row.costs.insert("cpu".to_owned(), ran);
    }
    let (found, _) = charges(&truth, By::Auto);
    let all: f64 = found.accounts.iter().map(|account| account.cost).sum();
    let is = |account: &&Charge| account.kind == ChargeKind::Waiting;
    let waiting = found.accounts.iter().find(is).unwrap();
    assert!(
        (waiting.cost / all - 0.75).abs() < 1e-9,
        "{} of {all}",
        waiting.cost
    );
    for number in 0..METHODS {
        let [before, now] = [&running, &found].map(|charges| of_method(charges, number).cost);
        assert!(
            (now / before - 1.0).abs() < 0.02,
            "m{number}: {before}, {now}"
        );
    }
}

#[test]
fn intervals_hold_what_they_say() {
    let (mut inside, mut all) = (0, 0);
    for seed in 0..12 {
        let truth = truth(seed);
        let (charges, _) = charges(&truth, By::Sampled);
        let scale: f64 = charges
            .accounts
            .iter()
            .map(|account| account.cost)
            .sum::<f64>()
            / (truth.methods.iter().sum::<f64>() + truth.compilation);
        for (number, cost) in truth.methods.iter().enumerate() {
            let account = of_method(&charges, number);
            let (low, high) = account.factors;
            let truth = cost * scale;
            inside += u32::from(low * account.cost <= truth && truth <= high * account.cost);
            all += 1;
        }
    }
    let share = f64::from(inside) / f64::from(all);
    assert!((0.92..=0.995).contains(&share), "{inside} of {all}");
}

#[test]
fn prices_from_samples_predict() {
    let (charges, error) = charges(&truth(5), By::Sampled);
    assert!(error < 0.06, "{error}");
    assert!(charges.samples > 10_000 && charges.runs == 60);
}

#[test]
fn a_block_is_priced_by_where_its_samples_fell() {
    let truth = truth(7);
    let (charges, _) = charges(&truth, By::Sampled);
    let features = &truth.dataset.features;
    let simulated = simulate(&Simulation {
        rows: 60,
        blocks: 200,
        departure: 1.0,
        base: 4e6,
        seed: 7,
        ..Simulation::default()
    });
    let total = |index: usize| -> f64 { truth.dataset.columns[index].iter().map(|c| c.1).sum() };
    let blocks = features
        .iter()
        .enumerate()
        .filter(|(_, f)| f.kind == FeatureKind::Block);
    let (mut difference, mut all) = (0.0, 0.0);
    for ((index, feature), price) in blocks.zip(&simulated.block_prices) {
        let terms = charges.accounts.iter().flat_map(|account| &account.terms);
        let found: f64 = terms
            .filter(|(_, name)| *name == feature.name)
            .map(|(p, _)| p)
            .sum();
        difference += (found - price).abs() * total(index);
        all += price * total(index);
    }
    assert!(difference < 0.1 * all, "{}", difference / all);
}

#[test]
fn without_samples_the_method_says_so() {
    let mut truth = truth(2);
    truth.dataset.profile = None;
    let options = FitOptions {
        method: By::Sampled,
        ..FitOptions::default()
    };
    let error = fit(&truth.dataset, &options).unwrap_err().to_string();
    assert!(error.contains("no samples"), "{error}");
    let auto = fit(&truth.dataset, &FitOptions::default()).unwrap();
    assert!(auto.charges.is_none());
}

/// The JVM's log of compilations tells no parameters.
#[test]
fn what_was_compiled_is_no_method_besides() {
    let mut truth = truth(3);
    let profile = truth.dataset.profile.as_mut().unwrap();
    let logged = MethodId(profile.methods.len() as u32);
    profile.methods.push(Method {
        class: "app/Main".into(),
        name: "m7".into(),
        descriptor: String::new(),
        own: true,
    });
    for run in &mut profile.runs {
        run.compiled.push(Compiled {
            method: logged,
            compiler: Role::C2,
            cpu_ns: 1000,
        });
    }
    let (charges, _) = charges(&truth, By::Auto);
    let of_the_name = |account: &&Charge| account.method.as_ref().is_some_and(|m| m.name == "m7");
    assert_eq!(charges.accounts.iter().filter(of_the_name).count(), 1);
}

/// By the clocks of timed runs compilers take half as much again as sampled runs saw.
#[test]
fn clocks_divide_the_threads() {
    let mut truth = truth(3);
    let compiled = |charges: &Charges| {
        let all: f64 = charges.accounts.iter().map(|account| account.cost).sum();
        let is = |account: &&Charge| account.kind == ChargeKind::Compilation;
        charges.accounts.iter().find(is).unwrap().cost / all
    };
    let by_clocks = 1.5 * compiled(&charges(&truth, By::Auto).0);
    truth.dataset.meta.scope = "main".to_owned();
    for row in &mut truth.dataset.observations {
        let all = row.costs["wall"].clone();
        let java = Measured {
            repeats: all
                .repeats
                .iter()
                .map(|ns| ns * (1.0 - by_clocks))
                .collect(),
        };
        row.costs.insert("cpu".to_owned(), all.clone());
        row.costs.insert("queued".to_owned(), all);
        row.costs.insert("thread_cpu".to_owned(), java);
    }
    let units = &mut truth.dataset.meta.cost_units;
    for cost in ["cpu", "thread_cpu", "queued"] {
        units.insert(cost.to_owned(), "ns".to_owned());
    }
    let of = |target: &str| {
        let options = FitOptions {
            target: target.to_owned(),
            alternatives: false,
            ..FitOptions::default()
        };
        fit(&truth.dataset, &options).unwrap().charges
    };
    let charges = of("cpu").unwrap();
    let found = compiled(&charges);
    assert!((found - by_clocks).abs() < 1e-9, "{found} {by_clocks}");
    // Samples say nothing of times in which nothing ran, or of some threads alone.
    assert!(of("queued").is_none() && of("thread_cpu").is_none());
}
