//! Certificates that somebody changed are refused: the checker looks.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use num_rational::BigRational;
use pricetag_bound::check::{Prices, check};
use pricetag_bound::{Certificate, Choice, Metric, Side, Sum, bound};
use pricetag_miniml::Construct;
use pricetag_miniml::first_order::Entry;
use support::{entry, steps};

const SORT: &str = "
let rec insert (x : int) l = match l with [] -> [x] | y :: r -> if x <= y then x :: l else y :: insert x r
let rec sort l = match l with [] -> [] | x :: r -> insert x (sort r)
";

fn accepted(entry: &Entry, certificate: &Certificate) -> bool {
    let priced = |c: Construct| {
        let Metric::Time(prices) = steps() else {
            unreachable!()
        };
        i64::from(prices.contains_key(c.name())) * 1_000_000
    };
    let prices = Prices {
        construct: &priced,
        byte: 0,
        call: &|_| 0,
        meets: &|_| false,
    };
    check(entry, &prices, certificate).is_ok()
}

/// All sums of a certificate.
fn sums(certificate: &mut Certificate) -> Vec<&mut Sum> {
    fn of(choices: &mut [Choice]) -> impl Iterator<Item = &mut Sum> {
        choices.iter_mut().filter_map(|c| match c {
            Choice::Meet(sum) => Some(sum),
            Choice::Call(_) => None,
        })
    }
    let mut sums: Vec<&mut Sum> = of(&mut certificate.choices).collect();
    for derivation in &mut certificate.derivations {
        for claim in &mut derivation.claims {
            sums.push(&mut claim.before);
            sums.extend(of(&mut claim.choices));
        }
    }
    sums
}

#[test]
fn a_smaller_number_is_refused() {
    let entry = entry(SORT, "sort");
    let good = bound(&entry, &steps(), Side::Upper, 2).unwrap().certificate;
    assert!(accepted(&entry, &good));
    let less = BigRational::new(999_999.into(), 1_000_000.into());
    for i in 0..good.bound.len() {
        let mut bad = good.clone();
        bad.bound[i].1 *= &less;
        assert!(!accepted(&entry, &bad), "factor {i} of the bound");
    }
    let (mut refused, mut all) = (0, 0);
    for i in 0..sums(&mut good.clone()).len() {
        for j in 0..sums(&mut good.clone())[i].len() {
            let mut bad = good.clone();
            sums(&mut bad)[i][j].1 *= &less;
            all += 1;
            refused += u32::from(!accepted(&entry, &bad));
        }
    }
    // The smallest bound leaves nothing to spare on the way to it.
    assert_eq!(refused, all);
    assert!(all > 10, "{all}");
}

#[test]
fn costs_that_are_not_paid_are_noticed() {
    let entry = entry(SORT, "sort");
    let good = bound(&entry, &steps(), Side::Upper, 2).unwrap().certificate;
    let mut free = good.clone();
    free.derivations.iter_mut().for_each(|d| d.costly = false);
    assert!(!accepted(&entry, &free));
    let mut twice = good.clone();
    twice.derivations.iter_mut().for_each(|d| d.costly = true);
    assert!(!accepted(&entry, &twice));
    let mut negative = good.clone();
    negative.bound[0].1 = -negative.bound[0].1.clone();
    assert!(!accepted(&entry, &negative));
    let mut short = good;
    short.derivations.truncate(1);
    assert!(!accepted(&entry, &short));
}
