//! Whole searches: what is found, and that nothing but the data and the seed decides it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pricetag_cost_model::Formula;
use pricetag_estimator::{
    Checked, Column, Design, Estimator, Values, conformance, relative_weights,
};
use pricetag_evolve::{
    Checkpoint, CheckpointError, Control, End, EvolveError, GeneticProgramming, Limits, Selection,
};
use pricetag_regress::Mars;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// What a cost is, by the values of a row.
type Truth<'a> = &'a dyn Fn(&[f64]) -> f64;

fn small(generations: u32) -> GeneticProgramming {
    GeneticProgramming {
        limits: Limits {
            generations,
            population: 60,
            ..Limits::default()
        },
        ..GeneticProgramming::default()
    }
}

/// 300 rows, relative weights, multiplicative noise; n log-uniform when alone, uniform columns otherwise.
fn design(columns: usize, noise: f64, seed: u64, truth: Truth) -> Checked<Design> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let rows: Vec<Vec<f64>> = (0..300)
        .map(|_| {
            let mut one = || -> f64 {
                let u = random.random_range(0.0..1.0);
                if columns == 1 {
                    f64::powf(10.0, 0.4 + 5.6 * u).round()
                } else {
                    f64::round(1000.0 * u)
                }
            };
            (0..columns).map(|_| one()).collect()
        })
        .collect();
    let y = rows
        .iter()
        .map(|row| truth(row) * (1.0 + noise * random.random_range(-1.7..1.7)))
        .collect();
    let column = |j: usize| Column {
        name: format!("x{}", j + 1),
        values: Values::Dense(rows.iter().map(|r| r[j]).collect()),
    };
    let mut design = Design::new((0..columns).map(column).collect(), y);
    design.weights = relative_weights(&design.target);
    design.check().unwrap()
}

fn comparisons(formula: &Formula, found: &mut Vec<f64>) {
    if let Formula::Compare(_, _, limit) = formula {
        found.push(match **limit {
            Formula::Constant(c) => c,
            _ => f64::NAN,
        });
    }
    formula.parts().iter().for_each(|p| comparisons(p, found));
}

/// Largest relative error of the formula against the truth over fresh rows, leaving out the worst 5 %.
fn error(formula: &Formula, columns: usize, truth: Truth) -> f64 {
    let fresh = design(columns, 0.0, 99_999, truth);
    let dense: Vec<Vec<f64>> = fresh
        .columns
        .iter()
        .map(|c| c.values.to_dense(300))
        .collect();
    let mut errors: Vec<f64> = (0..300)
        .map(|row| {
            let value = |name: &str| Some(dense[name[1..].parse::<usize>().ok()? - 1][row]);
            let predicted = formula.evaluate(&value).unwrap();
            ((predicted - fresh.target[row]) / fresh.target[row]).abs()
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    errors[285]
}

#[test]
fn simple_shapes_are_found_with_and_without_noise() {
    let idle = |x: &[f64]| 0.45 * x[0] + 1e-9;
    let shapes: [(usize, Truth); 4] = [
        (1, &|x| x[0]),
        (1, &|x| x[0] * x[0]),
        (1, &|x| x[0] * x[0].log2()),
        (5, &idle),
    ];
    for (index, (columns, truth)) in shapes.into_iter().enumerate() {
        for (noise, seed) in [(0.0, 1), (0.0, 2), (0.02, 3), (0.02, 4)] {
            let found = small(3).fit(&design(columns, noise, seed, truth)).unwrap();
            let worst = error(&found.formula, columns, truth);
            let most = if noise > 0.0 { 0.02 } else { 0.01 };
            assert!(
                worst < most,
                "{index} {noise}: {worst} {}",
                found.formula.text()
            );
            assert!(
                found.formula.features().len() == 1,
                "{}",
                found.formula.text()
            );
        }
    }
}

#[test]
fn cases_are_found_with_the_exact_threshold() {
    let jump = |x: &[f64]| {
        if x[0] > 200_000.0 {
            3.0 * x[0] + 50.0
        } else {
            1000.0
        }
    };
    let extra = |x: &[f64]| {
        20.0 * x[0] + 5.0 * x[1] + 30_285.9 + if x[2] > 500.0 { 12.0 * x[0] } else { 0.0 }
    };
    let targets: [(usize, Truth, f64); 2] = [(1, &jump, 200_000.0), (3, &extra, 500.0)];
    for (columns, truth, threshold) in targets {
        for (noise, seed) in [(0.0, 1), (0.0, 2), (0.02, 3), (0.02, 4)] {
            let gp = GeneticProgramming {
                constants: vec![200_000.0, 500.0, 30_285.9],
                ..small(10)
            };
            let found = gp
                .fit(&design(columns, noise, seed, truth))
                .unwrap()
                .formula;
            let mut all = Vec::new();
            comparisons(&found, &mut all);
            assert!(
                !all.is_empty() && all.iter().all(|c| *c == threshold),
                "{}",
                found.text()
            );
            assert!(error(&found, columns, truth) < 0.02, "{}", found.text());
            if noise == 0.0 && columns == 1 {
                assert_eq!(found.text(), "if(x1 > 200000, 50 + 3·x1, 1000)");
            }
        }
    }
}

/// Krogmann, Kuperberg & Reussner 2010, section 4.1.2: eleven files; those larger than 200 000 bytes are passed on whole.
fn large_files() -> Checked<Design> {
    let sizes = [
        1_024.0,
        180.0,
        25_600.0,
        199_000.0,
        250_000.0,
        1_048_576.0,
        77_312.0,
        201_000.0,
        640_000.0,
        150_000.0,
        3_300_000.0,
    ];
    let column = |name: &str, values: Vec<f64>| Column {
        name: name.into(),
        values: Values::Dense(values),
    };
    let passed = sizes
        .iter()
        .map(|s| if *s > 200_000.0 { *s } else { 0.0 })
        .collect();
    let types = vec![1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0];
    let columns = vec![column("size", sizes.to_vec()), column("compressed", types)];
    let mut design = Design::new(columns, passed);
    design.weights = relative_weights(&design.target);
    design.check().unwrap()
}

#[test]
fn the_case_split_of_the_paper() {
    for selection in [Selection::Pareto, Selection::Paper] {
        for seed in 1..=5 {
            let gp = GeneticProgramming {
                seed,
                selection,
                constants: vec![200_000.0, 1024.0, 8192.0],
                ..small(50)
            };
            let found = gp.evolve(&large_files(), Control::default(), None).unwrap();
            assert_eq!(found.end, End::Exact);
            assert_eq!(found.delivered.formula.text(), "if(size > 200000, size, 0)");
        }
    }
}

#[test]
fn random_first_generations_find_the_case_split_too() {
    let gp = GeneticProgramming {
        constants: vec![200_000.0, 1024.0],
        shapes: false,
        mars: false,
        ..small(300)
    };
    let found = gp.fit(&large_files()).unwrap().formula;
    // Either way round: if(size < 200000, 0, size).
    let mut all = Vec::new();
    comparisons(&found, &mut all);
    assert_eq!(
        (all.as_slice(), found.text().len()),
        (&[200_000.0][..], 26),
        "{}",
        found.text()
    );
}

#[test]
fn without_offered_constants_the_roundest_threshold_of_the_gap_is_taken() {
    let found = small(10).fit(&large_files()).unwrap();
    assert_eq!(found.formula.text(), "if(size > 200000, size, 0)");
}

/// A cost with no simple formula, so that searches go on.
fn hard() -> Checked<Design> {
    design(3, 0.01, 5, &|x| {
        500.0 + 3.0 * (x[0] + 1.0).powf(1.3) + (x[1] / 40.0).sin() * 200.0 + (x[0] * x[2]).sqrt()
    })
}

#[test]
fn conforms() {
    let found = conformance::violations(&small(3));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_resumed_search_ends_at_the_same_bytes() {
    let straight = small(8).evolve(&hard(), Control::default(), None).unwrap();
    let first = small(3).evolve(&hard(), Control::default(), None).unwrap();
    assert_eq!((first.generations, first.end), (3, End::Generations));
    let stored = Checkpoint::from_bytes(&first.checkpoint.to_bytes()).unwrap();
    assert_eq!(stored, first.checkpoint);
    let second = small(8)
        .evolve(&hard(), Control::default(), Some(&stored))
        .unwrap();
    assert_eq!(second.checkpoint.to_bytes(), straight.checkpoint.to_bytes());
    assert_eq!(format!("{second:?}"), format!("{straight:?}"));
}

#[test]
fn an_interrupted_search_continues_where_it_was() {
    let straight = small(6).evolve(&hard(), Control::default(), None).unwrap();
    let flag = AtomicBool::new(false);
    let mut seen = Vec::new();
    let mut progress = |p: &pricetag_evolve::Progress| {
        seen.push((p.generation, p.error(), p.formula()));
        if p.generation == 2 {
            flag.store(true, Ordering::Relaxed);
        }
    };
    let control = Control {
        interrupt: Some(&flag),
        progress: Some(&mut progress),
        ..Control::default()
    };
    let cut = small(6).evolve(&hard(), control, None).unwrap();
    assert_eq!((cut.end, cut.generations), (End::Interrupted, 2));
    assert_eq!(seen.iter().map(|s| s.0).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(seen.iter().all(|s| s.1.is_finite() && !s.2.is_empty()));
    assert!(
        cut.fitted
            .notes
            .iter()
            .any(|n| n.message.contains("interruption"))
    );
    let rest = small(6)
        .evolve(&hard(), Control::default(), Some(&cut.checkpoint))
        .unwrap();
    assert_eq!(rest.checkpoint, straight.checkpoint);
}

#[test]
fn the_clock_is_the_callers() {
    let ticks = std::sync::atomic::AtomicU64::new(0);
    let clock = || Duration::from_micros(ticks.fetch_add(1, Ordering::Relaxed));
    let control = Control {
        time: Some((Duration::from_millis(60), &clock)),
        ..Control::default()
    };
    let found = small(1000).evolve(&hard(), control, None).unwrap();
    assert_eq!(found.end, End::Time);
    assert!(found.generations > 0 && found.delivered.error < 0.5);
}

/// However little time there is, it is kept: every look at the clock takes a microsecond, and none is ignored for long.
#[test]
fn the_time_allowed_is_for_everything() {
    for allowed in [0, 1, 10, 100, 1000, 10_000] {
        let ticks = std::sync::atomic::AtomicU64::new(0);
        let clock = || Duration::from_micros(ticks.fetch_add(1, Ordering::Relaxed));
        let search = || {
            let control = Control {
                time: Some((Duration::from_micros(allowed), &clock)),
                ..Control::default()
            };
            small(1000).evolve(&hard(), control, None)
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let found = pool.unwrap().install(search).unwrap();
        assert_eq!(found.end, End::Time, "{allowed} µs");
        assert!(found.delivered.error.is_finite());
        let looked = ticks.load(Ordering::Relaxed);
        // Loops within loops notice one after another.
        assert!(
            looked <= allowed + 60,
            "{allowed} µs allowed, {looked} taken"
        );
    }
}

#[test]
fn one_thread_or_three() {
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| small(5).evolve(&hard(), Control::default(), None).unwrap())
    };
    assert_eq!(format!("{:?}", with(1)), format!("{:?}", with(3)));
}

#[test]
fn seeds_matter_and_repeat() {
    let with = |seed: u64| {
        let gp = GeneticProgramming { seed, ..small(5) };
        gp.evolve(&hard(), Control::default(), None).unwrap()
    };
    assert_eq!(format!("{:?}", with(1)), format!("{:?}", with(1)));
    assert_ne!(with(1).checkpoint, with(2).checkpoint);
}

#[test]
fn foreign_checkpoints_are_refused() {
    let made = small(2).evolve(&hard(), Control::default(), None).unwrap();
    let bytes = made.checkpoint.to_bytes();
    for cut in [0, 5, 20, bytes.len() - 1] {
        assert!(Checkpoint::from_bytes(&bytes[..cut]).is_err());
    }
    let mut changed = bytes.clone();
    changed[40] ^= 1;
    assert_eq!(
        Checkpoint::from_bytes(&changed),
        Err(CheckpointError::Damaged)
    );
    let other = small(2).evolve(&large_files(), Control::default(), Some(&made.checkpoint));
    assert_eq!(other, Err(EvolveError::Checkpoint(CheckpointError::Other)));
    let seed = GeneticProgramming {
        seed: 9,
        ..small(2)
    };
    assert!(
        seed.evolve(&hard(), Control::default(), Some(&made.checkpoint))
            .is_err()
    );
}

/// Relative error of predictions, as the search measures it.
fn relative_error(predicted: &[f64], design: &Design) -> f64 {
    let rows = 0..design.rows();
    let sum = |f: &dyn Fn(usize) -> f64| {
        rows.clone()
            .map(|i| design.weights[i] * f(i).powi(2))
            .sum::<f64>()
    };
    (sum(&|i| design.target[i] - predicted[i]) / sum(&|i| design.target[i])).sqrt()
}

#[test]
fn the_front_is_never_below_mars() {
    for seed in 1..=4 {
        let kinks = design(3, 0.02, seed, &|x| {
            100.0
                + 3.0 * (x[0] - 300.0).max(0.0)
                + 2.0 * (700.0 - x[1]).max(0.0)
                + 0.01 * x[0] * x[2]
        });
        let gp = small(2).evolve(&kinks, Control::default(), None).unwrap();
        let best = gp.front.last().unwrap().error;
        for degree in [1, 2] {
            let mars = Mars {
                degree,
                ..Mars::default()
            }
            .fit(&kinks)
            .unwrap();
            let theirs = relative_error(&mars.predict(&kinks).unwrap(), &kinks);
            assert!(
                best <= theirs * (1.0 + 1e-9),
                "seed {seed}, degree {degree}: {best} {theirs}"
            );
        }
    }
}

#[test]
fn reported_errors_are_those_of_the_printed_formulas() {
    let gp = small(6).evolve(&hard(), Control::default(), None).unwrap();
    assert!(gp.front.len() > 3);
    for pair in gp.front.windows(2) {
        assert!(pair[0].complexity < pair[1].complexity && pair[0].error > pair[1].error);
    }
    for candidate in gp.front.iter().chain([&gp.delivered]) {
        let mut fitted = gp.fitted.clone();
        fitted.formula = candidate.formula.clone();
        let predicted = fitted.predict(&hard()).unwrap();
        assert!(predicted.iter().all(|p| p.is_finite()));
        let error = relative_error(&predicted, &hard());
        assert!(
            (error - candidate.error).abs() < 1e-6 * (1e-3 + error),
            "{error} {candidate:?}"
        );
    }
}

#[test]
fn zeros_constants_and_wild_ranges() {
    let one = |values: Vec<f64>, target: Vec<f64>| {
        let column = Column {
            name: "n".into(),
            values: Values::Dense(values),
        };
        let mut design = Design::new(vec![column], target);
        design.weights = relative_weights(&design.target);
        small(2)
            .fit(&design.check().unwrap())
            .unwrap()
            .formula
            .text()
    };
    assert_eq!(one(vec![0.0, 1.0, 2.0, 5.0], vec![0.0; 4]), "0");
    assert_eq!(one(vec![3.0; 4], vec![7.0; 4]), "7");
    assert_eq!(
        one(vec![0.0, 1.0, 4.0, 9.0], vec![0.0, 2.0, 8.0, 18.0]),
        "2·n"
    );
    let wild: Vec<f64> = (0..12).map(|i| 10_f64.powi(i)).collect();
    let costs = wild.iter().map(|n| 3.0 * n * n).collect();
    assert_eq!(one(wild, costs), "3·n^2");
}

#[test]
fn parameters_are_checked() {
    let none = GeneticProgramming {
        limits: Limits {
            population: 0,
            ..Limits::default()
        },
        ..GeneticProgramming::default()
    };
    assert!(
        none.fit(&hard())
            .unwrap_err()
            .to_string()
            .contains("population")
    );
    let bad = GeneticProgramming {
        constants: vec![f64::NAN],
        ..GeneticProgramming::default()
    };
    assert!(
        bad.fit(&hard())
            .unwrap_err()
            .to_string()
            .contains("constants")
    );
}
