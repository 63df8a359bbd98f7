//! What minor collections find and change, against numbers derived by hand.

use pricetag_miniml::{Mode, Options, Row, run};

/// The last item, with a minor heap of so many bytes.
fn last(source: &str, minor_heap: u64) -> Row {
    let options = Options {
        mode: Mode::Extended,
        minor_heap,
        ..Options::default()
    };
    let run = run(source, &options).unwrap_or_else(|e| panic!("{e:?}"));
    assert_eq!(run.stop, None);
    run.rows.last().expect("there is an item").clone()
}

#[test]
fn where_collections_run_no_branch_is_known_by_heart() {
    let source = "let rec low n s l = if n = 0 then l else let t = (s * 1597 + 51749) mod 244944 in\n\
        if t mod 64 < 32 then low (n - 1) t (t :: l) else low (n - 1) t (0 :: l)\n;;\nlow 4000 7 []";
    let of = |minor_heap: u64| {
        let last = last(source, minor_heap);
        let of = |kind: &str| last.counts.get(kind).copied().unwrap_or(0);
        (last.collections, of("mispredict"), of("mispredict-more"))
    };
    // 4,000 cells of 24 bytes.
    assert_eq!(of(96_000), (0, 0, 0));
    let (collections, some, many) = of(95_999);
    assert_eq!((collections, some), (1, 0));
    assert!((1600..2400).contains(&many), "{many}");
}

/// In words, three to a cell of a list: what earlier items keep alive when the first collection runs.
#[test]
fn what_was_alive_before_the_first_collection_is_known() {
    let of = |input: &str| {
        let source = format!(
            "let rec up n l = if n = 0 then l else up (n - 1) (n :: l)\n{input}\n;;\nup 1000 []"
        );
        let last = last(&source, 8000);
        // 24,000 bytes in minor heaps of 333 cells each.
        assert_eq!((last.collections, last.promoted), (3, 3 * 999));
        assert_eq!(last.promoted_blocks, 3 * 333);
        last.live
    };
    let none = of("let x = 1");
    assert_eq!(of("let x = up 500 []") - none, 1500);
    assert_eq!(of("let x = List.tl (up 500 [])") - none, 1497);
    // Nothing refers to the list any more.
    assert_eq!(of("let x = List.length (up 500 [])") - none, 0);
}
