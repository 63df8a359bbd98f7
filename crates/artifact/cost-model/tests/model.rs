//! Formulas evaluate, models survive JSON, damaged ones are refused with a reason.

use pricetag_cost_model::{
    CoefficientRow, Comparison, CostModel, Formula, FormulaError, Interval, LinearSummary,
    MODEL_SCHEMA, ModelError, Provenance,
};

fn model() -> CostModel {
    let formula = Formula::Linear {
        intercept: 5.0,
        terms: vec![(2.0, "a".into()), (0.5, "b c".into())],
    };
    CostModel {
        schema: MODEL_SCHEMA,
        target: "wall".into(),
        unit: "ns".into(),
        method: "ols".into(),
        text: formula.text(),
        formula,
        prices: Vec::new(),
        interval: Some(Interval {
            level: 0.95,
            lower: 0.5,
            upper: f64::INFINITY,
            coverage: None,
            scatter: None,
            method: "split".into(),
            leverage: None,
        }),
        domain: [].into(),
        evaluation: None,
        baseline: None,
        alternatives: Vec::new(),
        costs: None,
        unexplained: None,
        standings: Vec::new(),
        screening: None,
        preferred: None,
        charges: None,
        terms: Vec::new(),
        concise: None,
        sensitivity: None,
        summary: Some(LinearSummary {
            weighted: false,
            residual_quantiles: [0.0; 5],
            coefficients: vec![CoefficientRow {
                name: "a".into(),
                estimate: Some((2.0, f64::NAN, f64::NAN, f64::NAN)),
            }],
            sigma: f64::NAN,
            residual_df: 0,
            rank: 1,
            r_squared: 1.0,
            adjusted_r_squared: f64::NAN,
            f: Some((f64::INFINITY, 1, 0, f64::NAN)),
        }),
        diagnostics: Vec::new(),
        provenance: Provenance::default(),
    }
}

#[test]
fn formulas_evaluate_and_name_what_is_missing() {
    let values = |name: &str| match name {
        "a" => Some(3.0),
        "b c" => Some(4.0),
        _ => None,
    };
    let boxed = |f: Formula| Box::new(f);
    let a = || Formula::Feature("a".into());
    assert_eq!(model().formula.evaluate(&values), Ok(13.0));
    assert_eq!(model().text, "5 + 2·a + 0.5·`b c`");
    let nested = Formula::Max(
        boxed(Formula::Product(vec![a(), Formula::Log(boxed(a()))])),
        boxed(Formula::Quotient(
            boxed(a()),
            boxed(Formula::Power(boxed(a()), boxed(Formula::Constant(2.0)))),
        )),
    );
    assert_eq!(nested.evaluate(&values), Ok(3.0 * 3.0_f64.ln()));
    assert_eq!(nested.text(), "max(a·log(a), a/a^2)");
    assert_eq!(nested.features(), ["a"]);
    let missing = Formula::Sum(vec![Formula::Feature("z".into())]);
    assert_eq!(
        missing.evaluate(&values),
        Err(FormulaError::MissingFeature("z".into()))
    );
}

#[test]
fn json_keeps_numbers_that_json_lacks() {
    let text = model().to_json().unwrap();
    let back = CostModel::from_json(&text).unwrap();
    assert_eq!(back.to_json().unwrap(), text);
    let summary = back.summary.unwrap();
    assert!(summary.sigma.is_nan() && summary.coefficients[0].estimate.unwrap().1.is_nan());
    assert_eq!(back.interval.unwrap().upper, f64::INFINITY);
}

#[test]
fn other_schemas_and_other_files_are_refused() {
    let text = model()
        .to_json()
        .unwrap()
        .replace("\"schema\": 1", "\"schema\": 7");
    assert!(matches!(
        CostModel::from_json(&text),
        Err(ModelError::Schema { found: 7 })
    ));
    assert!(matches!(
        CostModel::from_json("PAR1"),
        Err(ModelError::Malformed(_))
    ));
    assert!(matches!(
        CostModel::from_json("{\"schema\": 1}"),
        Err(ModelError::Malformed(_))
    ));
    let mut broken = model();
    broken.formula = Formula::Constant(f64::NAN);
    assert!(matches!(
        broken.to_json(),
        Err(ModelError::NotFinite { .. })
    ));
    let missing = CostModel::load(std::path::Path::new("no/such/model.json")).unwrap_err();
    assert!(
        missing.to_string().contains("no/such/model.json"),
        "{missing}"
    );
}

#[test]
fn conditions_sines_and_comparisons_evaluate_and_read_well() {
    let a = || Box::new(Formula::Feature("a".into()));
    let c = |c: f64| Box::new(Formula::Constant(c));
    let krogmann = Formula::If {
        condition: Box::new(Formula::Compare(Comparison::Greater, a(), c(200_000.0))),
        then: Box::new(Formula::Sum(vec![
            Formula::Product(vec![Formula::Constant(3.0), *a()]),
            Formula::Constant(50.0),
        ])),
        otherwise: c(1000.0),
    };
    assert_eq!(krogmann.text(), "if(a > 200000, 3·a + 50, 1000)");
    let at = |f: &Formula, x: f64| f.evaluate(&|_| Some(x)).unwrap();
    assert_eq!(
        (at(&krogmann, 200_001.0), at(&krogmann, 200_000.0)),
        (600_053.0, 1000.0)
    );
    // The branch not taken is not asked for.
    let guarded = Formula::If {
        condition: c(0.0),
        then: a(),
        otherwise: c(7.0),
    };
    assert_eq!(guarded.evaluate(&|_| None), Ok(7.0));
    let step = Formula::Product(vec![
        Formula::Constant(-2.0),
        Formula::Compare(Comparison::LessOrEqual, a(), c(-5.0)),
        Formula::Sin(a()),
    ]);
    assert_eq!(step.text(), "-2·(a <= -5)·sin(a)");
    assert_eq!(at(&step, -5.0), -2.0 * (-5.0_f64).sin());
    assert_eq!(at(&step, f64::NAN).to_bits(), f64::NAN.to_bits());
    let difference = Formula::Sum(vec![
        *a(),
        Formula::Product(vec![Formula::Constant(-1.0), *a()]),
        Formula::Constant(-2.5),
    ]);
    assert_eq!(difference.text(), "a - a - 2.5");
    let json = serde_json::to_string(&krogmann).unwrap();
    assert_eq!(
        json,
        "{\"if\":{\"condition\":{\"compare\":[\">\",{\"feature\":\"a\"},{\"constant\":200000.0}]},\
         \"then\":{\"sum\":[{\"product\":[{\"constant\":3.0},{\"feature\":\"a\"}]},{\"constant\":50.0}]},\
         \"otherwise\":{\"constant\":1000.0}}}"
    );
    assert_eq!(serde_json::from_str::<Formula>(&json).unwrap(), krogmann);
}
