//! Derivatives against finite differences, simplified formulas against the ones they came from.

use std::cell::Cell;

use pricetag_cost_model::{Comparison, Formula};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

fn parse(text: &str) -> Formula {
    Formula::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

fn simple(text: &str) -> String {
    parse(text).simplified().text()
}

#[test]
fn simplified_texts() {
    for (text, expected) in [
        ("2 + 3*4", "14"),
        ("a + 0", "a"),
        ("1*a*1", "a"),
        ("0*a + b", "b"),
        ("a + a", "2·a"),
        ("a*b + 2*b*a", "3·a·b"),
        ("a - a", "0"),
        ("3*(a + 2) + a - 6", "4·a"),
        ("0.1*a + 0.2*a - 0.3*a", "0"),
        ("a/a*b", "b"),
        ("a*a*a", "a^3"),
        ("a^2*a^-1", "a"),
        ("a/2", "0.5·a"),
        ("a/(b/2)", "2·a/b"),
        ("a*b/(a*b)", "1"),
        ("(2*a)^3", "8·a^3"),
        ("sqrt(4*a)", "2·sqrt(a)"),
        ("sqrt(a^2)", "sqrt(a^2)"), // not a
        ("sqrt(a)^2", "a"),
        ("sqrt(a)*sqrt(a)", "a"),
        ("a^0", "1"),
        ("1^a", "1"),
        ("2^0.5", "1.41421"),
        ("log(exp(a)) + exp(log(b))", "a + b"),
        ("log(1) + exp(0) + sin(0) + arctan(0)", "1"),
        ("1/0", "1/0"),
        ("log(0*a)", "log(0)"),
        ("min(a, a) + max(2, 3)", "a + 3"),
        ("if(2 > 1, a, b)", "a"),
        ("if(a > 3, b, b)", "b"),
        (
            "if(a > 3, if(a > 3, b, 1), if(3 < a, 2, a))",
            "if(a > 3, b, a)",
        ),
        (
            "if(3*a > 600000, 3*a + 50, 1000)",
            "if(a > 200000, 3·a + 50, 1000)",
        ),
        ("if(-2*a >= 8, 1, 2)", "if(a <= -4, 1, 2)"),
        ("if(a - 5 > 0, 1, 2)", "if(a > 5, 1, 2)"),
        ("if(3*a > 1, 1, 2)", "if(3·a > 1, 1, 2)"), // 1/3 is not a float
        ("7 + 2*a + b*log(b)", "2·a + b·log(b) + 7"),
    ] {
        assert_eq!(simple(text), expected, "{text}");
    }
}

#[test]
fn rounding_and_linear_parts() {
    let formula = parse("3.14159265*a + 123456789.4 + 200000*b*a + 1e-7");
    assert_eq!(
        formula.rounded(3).source(),
        "3.14·a + 123000000 + 200000·b·a + 1e-7"
    );
    let linear = parse("3*(a + 2) + b*log(b) - b")
        .simplified()
        .with_linear_part();
    assert_eq!(linear.text(), "6 + 3·a - b + b·log(b)");
    assert!(
        matches!(&linear, Formula::Sum(parts) if matches!(&parts[0], Formula::Linear { terms, .. } if terms.len() == 2))
    );
    assert_eq!(
        parse("2*b + 1").with_linear_part(),
        Formula::Linear {
            intercept: 1.0,
            terms: vec![(2.0, "b".into())]
        }
    );
}

#[test]
fn derivative_texts() {
    for (text, expected) in [
        ("3*a^2 + b", "6·a"),
        ("a*log(a)", "log(a) + 1"),
        ("exp(2*a)", "2·exp(2·a)"),
        ("1/a", "-1/a^2"),
        ("b^3", "0"),
        ("(a > 3)*b", "0"),
        ("if(a > 3, 2*a, a^2)", "if(a > 3, 2, 2·a)"),
        ("max(a, b)", "if(a >= b, 1, 0)"),
        ("arctan(a)", "1/(a^2 + 1)"),
    ] {
        assert_eq!(
            parse(text).derivative("a").simplified().text(),
            expected,
            "{text}"
        );
    }
    let linear = Formula::Linear {
        intercept: 1.0,
        terms: vec![(2.0, "a".into()), (0.5, "a".into())],
    };
    assert_eq!(linear.derivative("a"), Formula::Constant(2.5));
    // The power rule at an empty input: 0^k is 0 for every k > 0.
    let at_zero = parse("n^k")
        .derivative("k")
        .evaluate(&|name| Some(if name == "n" { 0.0 } else { 1.5 }));
    assert_eq!(at_zero, Ok(0.0));
}

fn formulas(
    constants: impl Strategy<Value = f64> + Clone + 'static,
) -> impl Strategy<Value = Formula> {
    let name = || prop::sample::select(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]);
    let leaf = prop_oneof![
        constants.clone().prop_map(Formula::Constant),
        name().prop_map(Formula::Feature),
        (
            constants.clone(),
            prop::collection::vec((constants, name()), 0..3)
        )
            .prop_map(|(intercept, terms)| Formula::Linear { intercept, terms }),
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
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

fn value(formula: &Formula, a: f64, b: f64) -> f64 {
    let given = |name: &str| match name {
        "a" => Some(a),
        "b" => Some(b),
        _ => Some(2.5),
    };
    formula.evaluate(&given).unwrap()
}

/// Largest magnitude among the values of all parts; NaN if one has none.
fn magnitude(formula: &Formula, a: f64, b: f64) -> f64 {
    let own = value(formula, a, b).abs();
    let parts = formula
        .parts()
        .into_iter()
        .map(|part| magnitude(part, a, b));
    parts.fold(own, |m, x| if x.is_nan() || x > m { x } else { m })
}

fn runner(cases: u32) -> TestRunner {
    TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(cases)
    })
}

#[test]
fn derivatives_agree_with_finite_differences() {
    let compared = Cell::new(0);
    let strategy = (formulas(-2.0..3.0_f64), 0.3..4.0_f64, 0.3..4.0_f64);
    runner(3000)
        .run(&strategy, |(formula, a, b)| {
            let difference =
                |h: f64| (value(&formula, a + h, b) - value(&formula, a - h, b)) / (2.0 * h);
            // Richardson's extrapolation, twice; where the two disagree there is a kink, a pole or too much rounding.
            let extrapolated = |h: f64| (4.0 * difference(h / 2.0) - difference(h)) / 3.0;
            let (coarse, fine) = (extrapolated(1e-3), extrapolated(5e-4));
            let size = magnitude(&formula, a, b);
            let near = |x: f64, y: f64, tolerance: f64| {
                (x - y).abs() <= tolerance * (1.0 + x.abs().max(y.abs()))
            };
            if !(coarse.is_finite() && size < 1e4 && near(coarse, fine, 1e-7)) {
                return Ok(());
            }
            let derivative = formula.derivative("a");
            let exact = value(&derivative, a, b);
            prop_assert!(
                near(exact, fine, 1e-5),
                "{}: {exact}, differences {fine}",
                derivative.source()
            );
            compared.set(compared.get() + usize::from(exact != 0.0));
            Ok(())
        })
        .unwrap();
    assert!(compared.get() > 300, "only {} comparisons", compared.get());
}

#[test]
fn simplified_formulas_have_the_same_value() {
    let (compared, shorter) = (Cell::new(0), Cell::new(0));
    let constant = prop_oneof![-3.0..3.0_f64, (-8..=8_i32).prop_map(f64::from), Just(0.5)];
    let strategy = (formulas(constant), 0.3..4.0_f64, -4.0..4.0_f64);
    runner(3000)
        .run(&strategy, |(formula, a, b)| {
            let simple = formula.simplified();
            prop_assert!(simple.is_finite());
            let (before, after) = (value(&formula, a, b), value(&simple, a, b));
            let size = magnitude(&formula, a, b);
            // Infinite parts may cancel, and huge ones hide rounding.
            if !before.is_finite() || size.is_nan() || size > 1e6 {
                return Ok(());
            }
            prop_assert!(
                (before - after).abs() <= 1e-8 * (1.0 + size),
                "{}: {before}\n{}: {after}",
                formula.source(),
                simple.source()
            );
            prop_assert_eq!(simple.simplified(), simple.clone(), "not simple yet");
            compared.set(compared.get() + 1);
            shorter.set(shorter.get() + usize::from(simple.size() < formula.size()));
            Ok(())
        })
        .unwrap();
    assert!(
        compared.get() > 1000 && shorter.get() > 500,
        "{compared:?} {shorter:?}"
    );
}
