//! Buckets, rank, support, splits: known answers.

use std::collections::BTreeSet;

use pricetag_estimator::{
    Checked, Column, Design, Diagnosis, Qr, R_TOLERANCE, Values, folds_by_group, relative_weights,
    split_by_group,
};

fn design(columns: &[(&str, &[f64])]) -> Checked<Design> {
    let rows = columns[0].1.len();
    let columns = columns
        .iter()
        .enumerate()
        .map(|(i, (name, values))| Column {
            name: (*name).to_owned(),
            // Both representations must behave alike.
            values: if i % 2 == 0 {
                Values::Dense(values.to_vec())
            } else {
                Values::Sparse(
                    values
                        .iter()
                        .enumerate()
                        .filter(|v| *v.1 != 0.0)
                        .map(|(i, v)| (i as u32, *v))
                        .collect(),
                )
            },
        })
        .collect();
    Design::new(columns, vec![1.0; rows]).check().unwrap()
}

/// Lata's modular exponentiation: block 1 (loop head) and block 3 (loop end) run equally often, block 2 only for odd
/// exponents' bits; block 4 runs twice per block 1.
#[test]
fn proportional_columns_are_one_bucket() {
    let d = design(&[
        ("bb1", &[8.0, 16.0, 24.0, 32.0]),
        ("bb2", &[3.0, 9.0, 11.0, 20.0]),
        ("bb3", &[8.0, 16.0, 24.0, 32.0]),
        ("bb4", &[16.0, 32.0, 48.0, 64.0]),
        ("never", &[0.0; 4]),
    ]);
    let found = Diagnosis::of(&d);
    assert_eq!(found.buckets.buckets.len(), 2);
    assert_eq!(found.buckets.buckets[0].members, [0, 2, 3]);
    assert_eq!(found.buckets.buckets[0].ratios, [1.0, 1.0, 2.0]);
    assert_eq!(found.buckets.buckets[0].name(&d), "bb1 + 2 more");
    assert_eq!(found.buckets.empty, [4]);
    assert_eq!(found.rank, 2);
    assert!(
        found
            .messages
            .iter()
            .any(|m| m.message.contains("`bb1`, `bb3`, `bb4`")),
        "{:?}",
        found.messages
    );
}

#[test]
fn sums_of_columns_are_named() {
    let d = design(&[
        ("taken", &[1.0, 4.0, 2.0, 7.0, 5.0]),
        ("not taken", &[3.0, 1.0, 8.0, 2.0, 6.0]),
        ("branch", &[4.0, 5.0, 10.0, 9.0, 11.0]),
        ("main", &[1.0; 5]),
    ]);
    let found = Diagnosis::of(&d);
    assert_eq!((found.rank, found.constant.as_slice()), (3, &[3][..]));
    assert_eq!(found.support[3].non_zero, 5);
    assert_eq!(found.support[3].varying, 0);
    assert!(
        found
            .messages
            .iter()
            .any(|m| m.message.contains("`branch` = `taken` + `not taken`")),
        "{:?}",
        found.messages
    );
}

#[test]
fn nothing_varies_is_an_error() {
    let found = Diagnosis::of(&design(&[("a", &[2.0; 3]), ("b", &[5.0; 3])]));
    assert_eq!(
        found.messages[0].message,
        "no feature varies between the observations"
    );
}

#[test]
fn reduction_by_chunks_finds_the_same_rank_and_solution() {
    let n = 9000;
    let value = |i: usize, j: usize| ((i * (2 * j + 3) + j * j) % 101) as f64 - 20.0;
    let mut columns: Vec<Vec<f64>> = (0..4)
        .map(|j| (0..n).map(|i| value(i, j)).collect())
        .collect();
    columns.insert(2, (0..n).map(|i| 2.0 * value(i, 0) - value(i, 1)).collect());
    let target: Vec<f64> = (0..n)
        .map(|i| value(i, 0) + 3.0 * value(i, 1) + 0.5 * value(i, 2))
        .collect();
    let qr = Qr::new(columns, target, R_TOLERANCE);
    assert_eq!((qr.rank, qr.pivot.as_slice()), (4, &[0, 1, 3, 4, 2][..]));
    for (found, expected) in qr.solve().iter().zip([1.0, 3.0, 0.5, 0.0]) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    let relation = qr.dependence(0);
    assert!((relation[0] - 2.0).abs() < 1e-12 && (relation[1] + 1.0).abs() < 1e-12);
}

#[test]
fn a_relation_is_written_as_people_write_it() {
    let found = Diagnosis::of(&design(&[
        ("a", &[9.0, 4.0, 7.0, 6.0, 12.0]),
        ("b", &[1.0, 2.0, 5.0, 3.0, 4.0]),
        ("c", &[3.0, 1.0, 4.0, 1.0, 5.0]),
        ("sum", &[9.0 - 2.0 + 1.5, 0.5, -1.0, 0.5, 6.5]),
    ]));
    let text: Vec<&str> = found.messages.iter().map(|m| m.message.as_str()).collect();
    let expected = "in every observation `sum` = `a` - 2·`b` + 0.5·`c`";
    assert!(text.contains(&expected), "{text:?}");
}

#[test]
fn splits_keep_groups_together_and_depend_on_the_seed_only() {
    let groups: Vec<String> = (0..40).map(|i| format!("g{}", i / 4)).collect();
    let split = split_by_group(&groups, 0.3, 7);
    assert_eq!((split.train.len(), split.test.len()), (12, 28));
    let names = |rows: &[usize]| {
        rows.iter()
            .map(|&r| groups[r].clone())
            .collect::<BTreeSet<_>>()
    };
    assert!(names(&split.train).is_disjoint(&names(&split.test)));
    assert_eq!(split, split_by_group(&groups, 0.3, 7));
    assert_ne!(split, split_by_group(&groups, 0.3, 8));
    let reversed: Vec<String> = groups.iter().rev().cloned().collect();
    let other = split_by_group(&reversed, 0.3, 7);
    assert_eq!(
        names(&split.train),
        other.train.iter().map(|&r| reversed[r].clone()).collect()
    );
    let folds = folds_by_group(&groups, 5, 1);
    let mut tested: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
    tested.sort_unstable();
    assert_eq!(tested, (0..40).collect::<Vec<_>>());
    assert!(
        folds
            .iter()
            .all(|f| names(&f.train).is_disjoint(&names(&f.test)))
    );
}

#[test]
fn weights_are_relative_and_floored() {
    let mut y = vec![100.0; 19];
    y.push(0.0);
    y.push(1000.0);
    let w = relative_weights(&y);
    assert!((w[0] - 1e-4).abs() < 1e-15 && (w[20] - 1e-6).abs() < 1e-15);
    assert!(
        w[19] <= 1e-4 + 1e-15,
        "a zero does not take all the weight: {}",
        w[19]
    );
}

#[test]
fn a_count_that_is_mostly_one_varies_where_it_is_zero() {
    let support = pricetag_estimator::Support::of(&[1.0, 0.0, 1.0, 1.0, 0.0]);
    assert_eq!((support.non_zero, support.varying), (3, 2));
}
