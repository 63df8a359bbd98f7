//! Operations whose cost grows with what they are given, which has no size in a bound: refused by name where that cost is bounded, and only there.

#[allow(dead_code, reason = "other tests use more of it")]
mod support;

use pricetag_bound::{Metric, Side, bound};
use pricetag_miniml::Construct;
use pricetag_miniml::first_order::entries;
use support::{entry, prices, text};

/// A bound or why there is none.
fn told(source: &str, metric: &Metric, side: Side) -> String {
    match bound(&entry(source, "f"), metric, side, 3) {
        Ok(bound) => bound.polynomial.text(side),
        Err(why) => why.to_string(),
    }
}

#[test]
fn a_comparison_of_what_may_be_large_has_no_time() {
    for (arguments, what) in [
        ("(a : int list) b", "`int list`"),
        ("(a : int * string) b", "`int * string`"),
        ("a b", "values of any type"),
        ("(a : string) b", "`string`"),
        ("(a : int list list) b", "`int list list`"),
    ] {
        let source = format!("let f {arguments} = a = b");
        let told = told(&source, &prices(), Side::Upper);
        assert!(told.contains(&format!("a comparison of {what}")), "{told}");
    }
    let source = "let f (a : int list) b = a = b";
    assert_eq!(told(source, &Metric::Bytes, Side::Upper), "0");
    let counted = |c| told(source, &Metric::Count(c), Side::Upper);
    assert_eq!(counted(Construct::PolyCond), "1");
    assert!(counted(Construct::PolyWord).contains("a comparison of `int list`"));
    // Texts inside are compared word by word, too: neither count has a bound.
    for arguments in ["(a : int * string) b", "a b", "(a : string list) b"] {
        let source = format!("let f {arguments} = a = b");
        for construct in [Construct::PolyWord, Construct::StringWord] {
            let told = told(&source, &Metric::Count(construct), Side::Upper);
            assert!(told.contains("a comparison of "), "{source}: {told}");
        }
    }
    let texts = "let f (a : string) b = a = b";
    let counted = |c| told(texts, &Metric::Count(c), Side::Upper);
    assert!(counted(Construct::StringWord).contains("a comparison of `string`"));
    assert_eq!(counted(Construct::PolyWord), "0");
    // It takes a nanosecond at least.
    assert_eq!(told(source, &prices(), Side::Lower), "1");
}

/// A nanosecond for the comparison and for each value that it may look at beyond the two.
#[test]
fn a_comparison_of_what_is_never_large_has_one() {
    for (declared, arguments, most, least) in [
        ("", "(a : int * int) b", "3", "1"),
        ("", "(a : (int * int) * (int * int)) b", "7", "1"),
        ("", "(a : int option) b", "2", "1"),
        (
            "type t = { x : int; y : int * bool }\n",
            "(a : t) b",
            "5",
            "1",
        ),
        (
            "type s = A | B of int | C of int * int * int\n",
            "(a : s) b",
            "4",
            "1",
        ),
        ("", "(a : int) b", "0.382", "0.382"),
    ] {
        let source = format!("{declared}let f {arguments} = a = b");
        assert_eq!(told(&source, &prices(), Side::Upper), most, "{source}");
        assert_eq!(told(&source, &prices(), Side::Lower), least, "{source}");
    }
    // A text is looked at no further than a constant goes.
    let source = "let f (a : string) = a = \"a constant of some twenty bytes\"";
    assert_eq!(told(source, &prices(), Side::Upper), "4");
    // The library's own are those of where they are used.
    assert_eq!(
        text(
            "let f (l : (int * int) list) = List.mem (1, 2) l",
            "f",
            &prices(),
            Side::Upper,
            1
        ),
        text(
            "let rec mem x l = match l with [] -> false | a :: r -> compare a x = 0 || mem x r\nlet f (l : (int * int) list) = mem (1, 2) l",
            "f",
            &prices(),
            Side::Upper,
            1
        )
    );
}

#[test]
fn texts_that_are_made_have_no_bytes() {
    for (body, what, time) in [
        ("(a : string) b = a ^ b", "`^`", true),
        ("n = String.make n 'x'", "`String.make`", true),
        ("s n = String.sub s 0 n", "`String.sub`", true),
        ("n = string_of_int n", "`string_of_int`", false),
    ] {
        let source = format!("let f {body}");
        let of = |metric: &Metric| told(&source, metric, Side::Upper);
        assert!(
            of(&Metric::Bytes).contains(what),
            "{source}: {}",
            of(&Metric::Bytes)
        );
        assert_eq!(
            of(&prices()).contains(what),
            time,
            "{source}: {}",
            of(&prices())
        );
    }
    let printed = told("let f s = print_string s", &prices(), Side::Upper);
    assert!(printed.contains("printing a text"), "{printed}");
    assert_eq!(
        told("let f s = print_string s", &Metric::Bytes, Side::Upper),
        "0"
    );
}

/// Functions of the library's `List`, called with functions that take a constant time and with lists of numbers.
const LIST: [(&str, bool); 62] = [
    ("List.length l", true),
    ("List.cons n l", true),
    ("List.hd l", true),
    ("List.tl l", true),
    ("List.nth l n", true),
    ("List.nth_opt l n", true),
    ("List.append l m", true),
    ("List.rev_append l m", true),
    ("List.rev l", true),
    ("List.init n (fun i -> i)", true),
    ("List.concat ll", true),
    ("List.flatten ll", true),
    ("List.concat_map (fun x -> [x; x]) l", true),
    ("List.map (fun x -> x + 1) l", true),
    ("List.mapi (fun i x -> i + x) l", true),
    ("List.rev_map (fun x -> x + 1) l", true),
    (
        "List.filter_map (fun x -> if x > 0 then Some x else None) l",
        true,
    ),
    ("List.fold_left_map (fun a x -> (a + x, x)) 0 l", true),
    ("List.iter (fun x -> ()) l", true),
    ("List.iteri (fun i x -> ()) l", true),
    ("List.fold_left (fun a x -> a + x) 0 l", true),
    ("List.fold_right (fun x a -> a + x) l 0", true),
    ("List.map2 (fun x y -> x + y) l m", true),
    ("List.rev_map2 (fun x y -> x + y) l m", true),
    ("List.iter2 (fun x y -> ()) l m", true),
    ("List.fold_left2 (fun a x y -> a + x + y) 0 l m", true),
    ("List.fold_right2 (fun x y a -> a + x + y) l m 0", true),
    ("List.for_all (fun x -> x > 0) l", true),
    ("List.exists (fun x -> x > 0) l", true),
    ("List.for_all2 (fun x y -> x > y) l m", true),
    ("List.exists2 (fun x y -> x > y) l m", true),
    ("List.mem n l", true),
    ("List.memq n l", true),
    ("List.find (fun x -> x > 0) l", true),
    ("List.find_opt (fun x -> x > 0) l", true),
    (
        "List.find_map (fun x -> if x > 0 then Some x else None) l",
        true,
    ),
    ("List.filter (fun x -> x > 0) l", true),
    ("List.find_all (fun x -> x > 0) l", true),
    ("List.filteri (fun i x -> i > x) l", true),
    ("List.partition (fun x -> x > 0) l", true),
    (
        "List.partition_map (fun x -> if x > 0 then Either.Left x else Either.Right x) l",
        true,
    ),
    ("List.split p", true),
    ("List.combine l m", true),
    ("List.assoc n p", true),
    ("List.assoc_opt n p", true),
    ("List.assq n p", true),
    ("List.assq_opt n p", true),
    ("List.mem_assoc n p", true),
    ("List.mem_assq n p", true),
    ("List.remove_assoc n p", true),
    ("List.remove_assq n p", true),
    ("List.merge (fun (x : int) y -> compare x y) l m", true),
    ("List.sort (fun (x : int) y -> compare x y) l", false),
    ("List.stable_sort (fun (x : int) y -> compare x y) l", false),
    ("List.fast_sort (fun (x : int) y -> compare x y) l", false),
    ("List.sort_uniq (fun (x : int) y -> compare x y) l", false),
    ("List.equal (fun (x : int) y -> x = y) l m", true),
    ("List.compare (fun (x : int) y -> compare x y) l m", true),
    ("List.compare_lengths l m", true),
    ("List.compare_length_with l n", true),
    ("List.to_seq l", false),
    ("List.of_seq (List.to_seq l)", false),
];

#[test]
fn the_list_functions_that_have_bounds_are_those_of_the_page() {
    let mut wrong = vec![];
    for (call, bounded) in LIST {
        let source = format!(
            "let f (l : int list) (m : int list) (p : (int * int) list) (ll : int list list) n = {call}"
        );
        let found = entries(&source).expect(call);
        let entry = &found[0].entry;
        let has = entry
            .as_ref()
            .is_ok_and(|e| bound(e, &prices(), Side::Upper, 3).is_ok());
        if has != bounded {
            wrong.push((call, has));
        }
    }
    assert_eq!(wrong, []);
    let with = LIST.iter().filter(|(_, bounded)| *bounded).count();
    let page = include_str!("../../../../docs/bounds.md");
    let told = format!("**{with} of the {} functions of `List`**", LIST.len());
    assert!(page.contains(&told), "{told}");
}
