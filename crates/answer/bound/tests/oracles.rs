//! Bounds that others state: Das and Hoffmann (TACAS 2017), recomputed from their prices, and degrees of `RaML`'s example programs.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use pricetag_bound::{Metric, Side, bound};
use support::{entry, prices, steps, text};

const LISTS: &str = "
let rec append a b = match a with [] -> b | x :: r -> x :: append r b
let rec append_two a b = match a with [] -> b | x :: t -> (match t with [] -> x :: b | y :: r -> x :: y :: append_two r b)
let rec insert (x : int) l = match l with [] -> [x] | y :: r -> if x <= y then x :: y :: r else y :: insert x r
let rec sort l = match l with [] -> [] | x :: r -> insert x (sort r)
let rec drop p l = match l with [] -> [] | x :: r -> if x mod p = 0 then drop p r else x :: drop p r
let rec sieve l = match l with [] -> [] | p :: r -> p :: sieve (drop p r)
";

#[test]
fn append_costs_what_the_paper_says() {
    assert_eq!(
        text(LISTS, "append", &prices(), Side::Upper, 1),
        "0.446 + 11.277·n"
    );
    assert_eq!(
        text(LISTS, "append", &prices(), Side::Lower, 1),
        "0.446 + 11.277·n"
    );
}

#[test]
fn append_of_two_at_a_time_costs_less_per_element() {
    // 10.5245 per element: the text is rounded up, the exact factor is not.
    assert_eq!(
        text(LISTS, "append_two", &prices(), Side::Upper, 1),
        "0.446 + 10.525·n"
    );
    let bound = bound(&entry(LISTS, "append_two"), &prices(), Side::Upper, 1).unwrap();
    let factors: Vec<String> = bound
        .polynomial
        .terms
        .iter()
        .map(|t| t.factor.to_string())
        .collect();
    assert_eq!(factors, ["223/500", "21049/2000"]);
}

/// Prices in which a tail call costs what any call does: the oracles were computed without telling them apart.
fn without_tail_calls() -> Metric {
    let Metric::Time(mut prices) = prices() else {
        unreachable!()
    };
    let call = prices["FunApp"];
    prices.insert("TailApp".into(), call);
    Metric::Time(prices)
}

#[test]
fn insertion_sort_and_sieve_cost_what_their_binomials_say() {
    // 0.446 + 13.228·n + 11.658·C(n, 2), expanded.
    assert_eq!(
        text(LISTS, "sort", &without_tail_calls(), Side::Upper, 2),
        "0.446 + 7.399·n + 5.829·n²"
    );
    // The call of `insert` is a tail call: 1.505 - 0.156 less for each element.
    assert_eq!(
        text(LISTS, "sort", &prices(), Side::Upper, 2),
        "0.446 + 6.05·n + 5.829·n²"
    );
    // 0.446 + 13.228·n + 30.890·C(n, 2): what `drop` costs is largest where it keeps everything, by calls that are no tail calls.
    assert_eq!(
        text(LISTS, "sieve", &prices(), Side::Upper, 2),
        "0.446 − 2.217·n + 15.445·n²"
    );
}

#[test]
fn bytes_are_those_of_cells() {
    assert_eq!(
        text(LISTS, "append", &Metric::Bytes, Side::Upper, 1),
        "24·n"
    );
    // 24·n + 24·C(n, 2)
    assert_eq!(
        text(LISTS, "sort", &Metric::Bytes, Side::Upper, 2),
        "12·n + 12·n²"
    );
}

#[test]
fn a_linear_bound_of_a_quadratic_function_is_refused() {
    assert_eq!(
        text(LISTS, "sort", &steps(), Side::Upper, 1),
        "none to 1 sort"
    );
}

/// `RaML`'s recorded results that say the same of any cost model: degrees, and what has none.
#[test]
fn ticks_are_counted_as_raml_counts_them() {
    const TICKS: &str = "
let tick () = ()
let rec consume l = match l with [] -> () | _ :: r -> tick (); consume r
let rec both l = match l with [] -> () | x :: r -> (if x > 0 then (tick (); tick ()) else ()); both r
type nat = Zero | Succ of nat
let rec add a b = match a with Zero -> b | Succ m -> Succ (add m b)
let rec mul a b = match a with Zero -> Zero | Succ m -> add b (mul m b)
let rec power a b = match b with Zero -> Succ Zero | Succ m -> mul a (power a m)
";
    let ticks = Metric::Calls("tick".into());
    // One tick for each element, in the constant-resource mode: both sides are the same.
    assert_eq!(text(TICKS, "consume", &ticks, Side::Upper, 1), "n");
    assert_eq!(text(TICKS, "consume", &ticks, Side::Lower, 1), "n");
    assert_eq!(text(TICKS, "both", &ticks, Side::Upper, 1), "2·n");
    assert_eq!(text(TICKS, "both", &ticks, Side::Lower, 1), "0");
    // Cells of natural numbers: 4·M and 4·L·M of RaML's cells are M and L·M blocks of 16 bytes here.
    assert_eq!(text(TICKS, "add", &Metric::Bytes, Side::Upper, 2), "16·n");
    assert_eq!(text(TICKS, "mul", &Metric::Bytes, Side::Upper, 2), "16·n·m");
    assert_eq!(
        text(TICKS, "power", &Metric::Bytes, Side::Upper, 3),
        "none to 3 power"
    );
}
