//! Bounds that others state: Das and Hoffmann (TACAS 2017), recomputed from their prices, and degrees of RaML's example programs.

mod support;

use pricetag_bound::{Metric, Side};
use support::{prices, steps, text};

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
    assert_eq!(text(LISTS, "append", &prices(), Side::Upper, 1), "0.446 + 11.277·n");
    assert_eq!(text(LISTS, "append", &prices(), Side::Lower, 1), "0.446 + 11.277·n");
    assert_eq!(text(LISTS, "append", &Metric::Bytes, Side::Upper, 1), "24·n");
}

#[test]
fn append_of_two_at_a_time_costs_less_per_element() {
    println!("{}", text(LISTS, "append_two", &prices(), Side::Upper, 1));
    println!("{}", text(LISTS, "sort", &prices(), Side::Upper, 2));
    println!("{}", text(LISTS, "sieve", &prices(), Side::Upper, 2));
    println!("{}", text(LISTS, "sort", &steps(), Side::Upper, 2));
    println!("{}", text(LISTS, "sort", &Metric::Bytes, Side::Upper, 2));
}
