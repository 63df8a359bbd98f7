//! Everything against its definition, written down naively, on random sequences; and what must not change the answer.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use pricetag_pattern::{Measures, Patterns, Settings};
use proptest::prelude::*;
use support::{Program, patterns};

/// Sequences of threads: loops within loops over small alphabets, and noise.
fn sequence(kinds: u32) -> impl Strategy<Value = Vec<u32>> {
    let leaf = prop::collection::vec(0..kinds, 0..5);
    let nested = leaf.prop_recursive(3, 60, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            (inner, 1..12_usize).prop_map(|(part, times)| part.repeat(times)),
        ]
    });
    nested.prop_map(|mut events| {
        events.truncate(300);
        events
    })
}

fn distinct(window: &[u32]) -> usize {
    window.iter().collect::<BTreeSet<_>>().len()
}

/// Mean over all windows; a window longer than the sequence is all of it.
fn locality(threads: &[Vec<u32>], window: usize) -> Option<f64> {
    let mut ratios = Vec::new();
    for ids in threads.iter().filter(|ids| !ids.is_empty()) {
        let window = window.min(ids.len());
        ratios.extend(
            ids.windows(window)
                .map(|w| distinct(w) as f64 / window as f64),
        );
    }
    (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64)
}

/// Events predicted, and events in an instance, where an event is predicted if `same` as the one `n` before.
fn counts(threads: &[Vec<u32>], n: usize, same: impl Fn(u32, u32) -> bool) -> (u64, u64) {
    let (mut predicted, mut members) = (0, 0);
    for ids in threads {
        let mut member = vec![false; ids.len()];
        for at in n..ids.len() {
            if same(ids[at - n], ids[at]) {
                predicted += 1;
                member[at - n..=at].fill(true);
            }
        }
        members += member.iter().filter(|&&m| m).count() as u64;
    }
    (predicted, members)
}

fn extends(mut class: u32, ancestor: u32) -> Option<u32> {
    let mut steps = 0;
    while class != ancestor {
        class = Program::parent(class)?;
        steps += 1;
    }
    Some(steps)
}

fn near(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-9,
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn check(program: &Program, threads: &[Vec<u32>], windows: [usize; 3], found: &Measures) {
    for (place, measures) in found.dimensions.iter().enumerate() {
        let ids = |events: &Vec<u32>| events.iter().map(|&e| program.ids(e)[place]).collect();
        let threads: Vec<Vec<u32>> = threads.iter().map(ids).collect();
        let expected = locality(&threads, windows[place]);
        assert!(
            near(measures.locality, expected),
            "{:?} {expected:?}",
            measures.locality
        );
        for found in &measures.loops {
            let expected = counts(&threads, found.length as usize, |a, b| a == b);
            let pattern = found.pattern;
            let found_counts = (pattern.predicted.events, pattern.members.events);
            assert_eq!(
                found_counts, expected,
                "loop-{} of {threads:?}",
                found.length
            );
        }
        if let Some(found) = measures.hierarchy_consecutive {
            let related = |a, b| extends(a, b).or_else(|| extends(b, a)).is_some();
            let expected = counts(&threads, 1, related);
            assert_eq!((found.predicted.events, found.members.events), expected);
        }
    }
    let events = threads.iter().flatten();
    let distances: Vec<u32> = events
        .filter_map(|&e| extends(program.ids(e)[0], program.ids(e)[1]))
        .collect();
    let mean = f64::from(distances.iter().sum::<u32>()) / distances.len() as f64;
    assert!(near(
        found.mean_distance,
        (!distances.is_empty()).then_some(mean)
    ));
}

fn check_neighbours(program: &Program, threads: &[Vec<u32>], found: &Patterns) {
    for (place, neighbours) in found.neighbours.iter().enumerate() {
        let mut after: BTreeMap<u32, BTreeMap<u32, u64>> = BTreeMap::new();
        for pair in threads.iter().flat_map(|events| events.windows(2)) {
            let [a, b] = [pair[0], pair[1]].map(|e| program.ids(e)[place]);
            *after.entry(a).or_default().entry(b).or_default() += 1;
        }
        for ranked in &neighbours.ranked {
            let Some(counts) = after.get(&ranked.id) else {
                assert_eq!(ranked.after.different, 0);
                continue;
            };
            let all: u64 = counts.values().sum();
            let p = |count: &u64| *count as f64 / all as f64;
            let entropy: f64 = counts.values().map(|c| -p(c) * p(c).log2()).sum();
            assert_eq!(ranked.after.different, counts.len());
            assert!((ranked.after.entropy_bits - entropy).abs() < 1e-9);
            let most = counts.values().max().unwrap();
            assert_eq!(ranked.after.most[0].count, *most);
            assert!((ranked.after.most[0].probability - p(most)).abs() < 1e-9);
        }
    }
}

fn settings(window: u32) -> Settings {
    Settings {
        window: std::num::NonZeroU32::new(window),
        per_thread: true,
        slices: 3,
        ..Settings::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12_000))]

    #[test]
    fn a_naive_reference_agrees(
        classes in 1..6_u32,
        kinds in 1..9_u32,
        threads in prop::collection::vec(sequence(64), 0..3),
        window in 0..40_u32,
        cut in 1..200_usize,
    ) {
        let program = Program::new(classes, kinds);
        let kinds = program.kinds.len() as u32;
        let threads: Vec<Vec<u32>> = threads.into_iter().map(|t| t.into_iter().map(|e| e % kinds).collect()).collect();
        let mut blocks = Vec::new();
        for (thread, events) in threads.iter().enumerate() {
            blocks.extend(events.chunks(cut).map(|part| (thread as u64, part.to_vec())));
        }
        // Threads take turns.
        blocks.sort_by_key(|(thread, events)| (events.len() % 7, *thread));
        let mut threads = threads;
        for (thread, sequence) in threads.iter_mut().enumerate() {
            let own = blocks.iter().filter(|(id, _)| *id == thread as u64);
            *sequence = own.flat_map(|(_, events)| events.clone()).collect();
        }
        let found = patterns(&program.file(&blocks), settings(window));
        let rule = [classes, classes, 2 * classes];
        let windows = rule.map(|all| if window == 0 { all } else { window } as usize);
        check(&program, &threads, windows, &found.whole);
        check_neighbours(&program, &threads, &found);
        for thread in &found.threads {
            let own = [threads[thread.thread as usize].clone()];
            check(&program, &own, windows, &thread.measures);
        }
        let sum = |of: fn(&Measures) -> u64| -> (u64, u64) {
            (found.slices.iter().map(|s| of(&s.measures)).sum(), of(&found.whole))
        };
        for (parts, whole) in [
            sum(|m| m.events),
            sum(|m| m.dimensions[0].windows),
            sum(|m| m.dimensions[2].loops[5].pattern.members.events),
            sum(|m| m.dimensions[1].hierarchy_consecutive.unwrap().members.events),
        ] {
            prop_assert_eq!(parts, whole);
        }
    }
}

#[test]
fn a_loop_is_all_of_its_sequence() {
    let program = Program::new(101, 400);
    for n in [1, 2, 3, 31, 32, 33, 63, 64] {
        let events: Vec<u32> = (0..n * 1000).map(|i| i % n).collect();
        let found = patterns(&program.file(&[(0, events)]), Settings::default());
        let pattern = found.whole.dimensions[2].loops[n as usize - 1].pattern;
        assert_eq!(pattern.predicted.events, u64::from(n) * 999, "{n}");
        assert_eq!(pattern.members.share, 1.0);
        let recurrent = &found.recurrent[0];
        assert!(recurrent.covered.share > 0.99, "{n}: {recurrent:?}");
        assert_eq!(recurrent.example.event, 0);
    }
}

#[test]
fn names_and_numbers_do_not_matter() {
    let program = Program::new(7, 20);
    let kinds = program.kinds.len() as u32;
    let events: Vec<u32> = (0..5000_u32).map(|i| (i * i / 7 + i % 3) % kinds).collect();
    // The same program with its classes and methods declared in another order.
    let other = Program::new(7, 20);
    let order: Vec<u32> = (0..kinds).map(|k| (k * 3 + 1) % kinds).collect();
    let mut turned = Program {
        classes: 7,
        kinds: vec![(0, 0); kinds as usize],
    };
    for (kind, &new) in order.iter().enumerate() {
        turned.kinds[new as usize] = other.kinds[kind];
    }
    let again: Vec<u32> = events.iter().map(|&e| order[e as usize]).collect();
    let [a, b] = [(&program, events), (&turned, again)]
        .map(|(program, events)| patterns(&program.file(&[(0, events)]), Settings::default()));
    assert_eq!(a.whole, b.whole);
    assert_eq!(a.distances, b.distances);
    assert_eq!(a.sizes, b.sizes);
    assert_eq!(a.neighbours, b.neighbours);
}

#[test]
fn nothing_and_next_to_nothing() {
    let program = Program::new(3, 4);
    for blocks in [
        vec![],
        vec![(0, vec![])],
        vec![(0, vec![1])],
        vec![(0, vec![1]), (5, vec![2])],
    ] {
        let found = patterns(&program.file(&blocks), settings(9));
        let text = found.to_string();
        assert!(
            text.lines().all(|line| line.chars().count() <= 100),
            "{text}"
        );
        assert!(serde_json::to_string(&found).is_ok());
        assert_eq!(found.recurrent, []);
    }
}

#[test]
fn a_cut_file_is_analysed_up_to_there() {
    let program = Program::new(3, 4);
    let file = program.file(&[(0, vec![0, 1, 0, 1]), (0, vec![2, 3])]);
    let found = patterns(&file[..file.len() - 12], Settings::default());
    assert_eq!(found.recorded.events, 4);
    assert!(found.notes[0].contains("cut"), "{:?}", found.notes);
}
