//! The formula language: what is read, what is refused and how, and that text and formula give each other back.

use std::collections::BTreeMap;

use pricetag_cost_model::{Comparison, Formula, Problem};
use proptest::prelude::*;

fn parse(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

fn value(text: &str) -> f64 {
    let values = BTreeMap::from([
        ("a", 3.0),
        ("b", 5.0),
        ("n-1", 7.0),
        ("log", 11.0),
        ("Ä.x$1#2", 13.0),
    ]);
    parse(text)
        .evaluate(&|name| values.get(name).copied())
        .unwrap()
}

#[test]
fn operators_bind_as_in_mathematics() {
    for (text, expected) in [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("2^3^2", 512.0),
        ("(2^3)^2", 64.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^-1", 0.5),
        ("2/4/2", 0.25),
        ("8/-2*3", -12.0),
        ("-8/2*3", -12.0),
        ("10 - 3 - 2", 5.0),
        ("10 - (3 - 2)", 9.0),
        ("1 - -1", 2.0),
        ("+4 − 1", 3.0),
        ("2**3 · 2 × 2 ÷ 4", 8.0),
        ("1e3 + .5 + 2.5E-1 + 7.", 1007.75),
        ("a < b", 1.0),
        ("a >= b", 0.0),
        ("1 + (a ≠ b)*2", 3.0),
        ("a + 2 == b", 1.0),
        ("(1 < 2) < 3", 1.0),
        ("if(a > 2, 10, 1/0)", 10.0),
        ("if(a ≤ 2, 1/0, if(b != 5, 1, 2))", 2.0),
        ("min(a, b) + max(a, b, 9)", 12.0),
        ("log(exp(2)) + ln(1) + log2(8) + log10(100)", 7.0),
        ("sqrt(16) + pow(2, 5) + sin(0) + cos(0) + arctan(0)", 37.0),
        ("`n-1` + `log` + log + Ä.x$1#2", 7.0 + 11.0 + 11.0 + 13.0),
    ] {
        let found = value(text);
        assert!(
            (found - expected).abs() < 1e-12,
            "{text}: {found}, not {expected}"
        );
    }
}

#[test]
fn the_tree_is_the_one_written() {
    let a = || Formula::Feature("a".into());
    let c = Formula::Constant;
    assert_eq!(
        parse("k1*(a*log(a)) + k2 - 3"),
        Formula::Sum(vec![
            Formula::Product(vec![
                Formula::Feature("k1".into()),
                Formula::Product(vec![a(), Formula::Log(Box::new(a()))]),
            ]),
            Formula::Feature("k2".into()),
            c(-3.0),
        ])
    );
    assert_eq!(
        parse("2·a - (a <= 3)*sqrt(a)"),
        Formula::Sum(vec![
            Formula::Product(vec![c(2.0), a()]),
            Formula::Product(vec![
                c(-1.0),
                Formula::Compare(Comparison::LessOrEqual, Box::new(a()), Box::new(c(3.0))),
                Formula::Power(Box::new(a()), Box::new(c(0.5))),
            ]),
        ])
    );
}

#[test]
fn mistakes_are_shown_where_they_are() {
    for (text, message) in [
        (
            "",
            "expected a number, a name or `(`, found the end at position 1",
        ),
        (
            "k1*(a*",
            "expected a number, a name or `(`, found the end at position 7",
        ),
        (
            "k1*(a",
            "expected `)` or an operator, found the end at position 6",
        ),
        (
            "2 a",
            "expected an operator or the end, found the name `a` at position 3",
        ),
        (
            "a)",
            "expected an operator or the end, found `)` at position 2",
        ),
        (
            "sum(a)",
            "there is no function `sum`; there are if, min, max,",
        ),
        (
            "1 + log(a, b)",
            "`log` takes one argument, 2 given at position 5",
        ),
        (
            "min(a)",
            "`min` takes two or more arguments, 1 given at position 1",
        ),
        (
            "if(a, b)",
            "`if` takes three arguments, 2 given at position 1",
        ),
        (
            "a = 3",
            "'=' means nothing in a formula; equality is `==` at position 3",
        ),
        (
            "ä + `open",
            "the name in backquotes does not end at position 5",
        ),
        (
            "1e999",
            "`1e999` is not a number that can be represented at position 1",
        ),
        (
            "1.2.3",
            "expected an operator or the end, found the number 0.3 at position 4",
        ),
        ("3e+", "`3e+` is not a number"),
        (
            "a < b < 3",
            "comparisons do not chain; use parentheses or `if` at position 7",
        ),
        ("5 + … (3 more)", "this is a shortened text"),
    ] {
        let found = Formula::parse(text).unwrap_err().to_string();
        assert!(found.contains(message), "{text:?}: {found}");
    }
    let error = Formula::parse("ä·(b +)").unwrap_err();
    assert_eq!(error.position, 6);
    assert_eq!(
        error.to_string(),
        "expected a number, a name or `(`, found `)` at position 7\n  ä·(b +)\n        ^"
    );
}

#[test]
fn deep_texts_are_refused_and_the_deepest_accepted_fits_into_json() {
    let nested = |levels: usize| format!("{}a{}", "log(".repeat(levels), ")".repeat(levels));
    let chain = |levels: usize| vec!["a"; levels].join("/");
    let ifs = |levels: usize| format!("{}a{}", "if(a, ".repeat(levels), ", a)".repeat(levels));
    let minus = |levels: usize| format!("{}a", "-(1 ".repeat(levels)); // never closed
    for text in [
        nested(100_000),
        chain(100_000),
        ifs(100_000),
        minus(100_000),
        "-".repeat(100_000),
        "(".repeat(100_000),
    ] {
        let error = Formula::parse(&text).unwrap_err();
        let depth = matches!(error.problem, Problem::Depth);
        assert!(depth || text.starts_with("-(1"), "{}", error.problem);
    }
    let wide = vec!["a"; 100_000].join(" + ");
    assert_eq!(parse(&wide).evaluate(&|_| Some(1.0)), Ok(100_000.0));
    for text in [
        nested(59),
        chain(60),
        ifs(59),
        format!("{}a", "2^".repeat(59)),
    ] {
        let formula = parse(&text);
        let json = format!(
            "{{\"formula\":{}}}",
            serde_json::to_string(&formula).unwrap()
        );
        let back: BTreeMap<String, Formula> = serde_json::from_str(&json).unwrap();
        assert_eq!(back["formula"], formula);
    }
}

#[test]
fn a_negative_constant_is_subtracted_for_people_alone() {
    let line = |intercept, coefficient| Formula::Linear {
        intercept,
        terms: vec![(coefficient, "n".to_owned())],
    };
    assert_eq!(line(-118.0, 1.0).text(), "n - 118");
    assert_eq!(line(-118.0, 1.0).source(), "-118 + n");
    assert_eq!(line(-118.0, -2.0).text(), "-118 - 2·n");
    assert_eq!(line(118.0, -1.0).text(), "118 - n");
    let within = Formula::Product(vec![Formula::Constant(3.0), line(-0.5, 2.0)]);
    assert_eq!(within.text(), "3·(2·n - 0.5)");
}

fn constants() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(-0.0),
        Just(1.0),
        Just(-1.0),
        Just(0.5),
        Just(-3.0),
        -1e3..1e3_f64,
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
    ]
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("a".to_owned()),
        Just("b".to_owned()),
        Just("log".to_owned()),
        Just("if".to_owned()),
        Just("x`y".to_owned()),
        Just("`".to_owned()),
        Just(String::new()),
        Just("3a".to_owned()),
        "\\PC{0,4}",
    ]
}

fn formulas() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        constants().prop_map(Formula::Constant),
        names().prop_map(Formula::Feature),
        (
            constants(),
            prop::collection::vec((constants(), names()), 0..16)
        )
            .prop_map(|(intercept, terms)| Formula::Linear { intercept, terms }),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let how = prop::sample::select(vec![
            Comparison::Less,
            Comparison::LessOrEqual,
            Comparison::Greater,
            Comparison::GreaterOrEqual,
            Comparison::Equal,
            Comparison::NotEqual,
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Formula::Sum),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Formula::Product),
            (boxed(), boxed()).prop_map(|(a, b)| Formula::Quotient(a, b)),
            (boxed(), boxed()).prop_map(|(a, b)| Formula::Power(a, b)),
            boxed().prop_map(Formula::Log),
            boxed().prop_map(Formula::Exp),
            boxed().prop_map(Formula::Sin),
            boxed().prop_map(Formula::Arctan),
            (boxed(), boxed()).prop_map(|(a, b)| Formula::Min(a, b)),
            (boxed(), boxed()).prop_map(|(a, b)| Formula::Max(a, b)),
            (how, boxed(), boxed()).prop_map(|(how, a, b)| Formula::Compare(how, a, b)),
            (boxed(), boxed(), boxed()).prop_map(|(condition, then, otherwise)| Formula::If {
                condition,
                then,
                otherwise
            }),
        ]
    })
}

/// A value for every name, the same each time.
#[expect(clippy::unnecessary_wraps, reason = "what `evaluate` asks for")]
fn given(name: &str) -> Option<f64> {
    let sum: u32 = name.bytes().map(u32::from).sum();
    Some(f64::from(sum % 17) - 4.5)
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(400)
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn text_of_a_formula_gives_the_formula_back(formula in formulas()) {
        let source = formula.source();
        let back = Formula::parse(&source).map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(&back.source(), &source, "the text changed");
        let (before, after) = (formula.evaluate(&given).unwrap(), back.evaluate(&given).unwrap());
        prop_assert!(before == after || before.is_nan() && after.is_nan(), "{source}: {before} and {after}");
        prop_assert_eq!(Formula::parse(&back.source()).unwrap(), back, "{}", source);
        // The rounded text can be read too, unless it is a shortened one.
        let text = formula.text();
        prop_assert!(text.contains('…') || Formula::parse(&text).is_ok(), "{text}");
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[-+*/^()<>=!,.0-9eab`if minlog…≤·]{0,40}", other in any::<String>()) {
        for text in [text, other] {
            if let Err(error) = Formula::parse(&text) {
                prop_assert!(error.position <= text.chars().count());
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }

    #[test]
    fn what_was_written_is_kept(text in "(a|b|2)([-+*/^](a|b|3|\\(a-b\\)|-b|-2|log\\(b\\)|-\\(a\\*b\\)|\\(-2\\*a\\))){0,6}") {
        let formula = parse(&text);
        let source = formula.source();
        let back = parse(&source);
        let (before, after) = (formula.evaluate(&given).unwrap(), back.evaluate(&given).unwrap());
        prop_assert!(before == after || before.is_nan() && after.is_nan(), "{text} -> {source}: {before} and {after}");
        prop_assert_eq!(back.source(), source);
    }
}
