//! Early features are preferred, few terms are enough: known answers, and what both cost is said.

mod exact;
#[allow(dead_code, reason = "dice alone")]
mod simulation;

use pricetag_cost_model::CostModel;
use pricetag_dataset::{Dataset, FeatureKind};
use pricetag_study::{
    Filter, FitError, FitOptions, Method, Parsimony, Prefer, Tuning, Weighting, fit,
};
use simulation::Dice;

/// 120 runs: the header's size (known at 2 %) nearly says how many records there are (known at 90 %); each record costs
/// 40, each of the lines (30 %) 7. `twin` counts what `records` counts, at 60 %.
fn runs() -> Dataset {
    let mut dice = Dice::new(7);
    let mut columns: [Vec<f64>; 4] = Default::default();
    let mut cost = Vec::new();
    for _ in 0..120 {
        let records = (100.0 + 5000.0 * dice.uniform()).round();
        let size = (records * (1.0 + 0.01 * dice.normal())).round();
        let lines = (100.0 + 4000.0 * dice.uniform()).round();
        for (column, value) in columns.iter_mut().zip([records, size, lines, records]) {
            column.push(value);
        }
        cost.push(3000.0 + 40.0 * records + 7.0 * lines);
    }
    let names = ["records", "size", "lines", "twin"];
    let table: Vec<(&str, FeatureKind, Vec<f64>)> = names
        .into_iter()
        .zip(columns)
        .map(|(name, column)| (name, FeatureKind::Loop, column))
        .collect();
    let mut dataset = exact::dataset(&table, &cost);
    for (feature, share) in dataset.features.iter_mut().zip([0.9, 0.02, 0.3, 0.6]) {
        feature.available = Some(share);
    }
    dataset
}

fn options(method: Method, prefer: Option<Prefer>) -> FitOptions {
    FitOptions {
        method,
        prefer,
        level: pricetag_study::Level::Loop,
        ..FitOptions::default()
    }
}

fn names(model: &CostModel) -> Vec<&str> {
    let mut names = model.formula.features();
    names.sort_unstable();
    names
}

#[test]
fn an_early_feature_stands_for_a_late_one_at_a_small_price_in_error() {
    let plain = fit(&runs(), &options(Method::Poly, None)).unwrap();
    assert!(names(&plain).contains(&"records") && plain.preferred.is_none());
    for method in [Method::Poly, Method::Auto] {
        let mut asked = options(method, Some(Prefer::Cheap));
        // The largest λ within one standard error is where the preference shows: the smallest one takes all.
        asked.tuning.parsimony = Parsimony::OneStandardError;
        asked.tuning.lambda = pricetag_study::Lambda::OneStandardError;
        let model = fit(&runs(), &asked).unwrap();
        assert_eq!(names(&model), ["lines", "size"], "{method}");
        let preferred = model.preferred.unwrap();
        assert_eq!(
            (preferred.after, preferred.features[0].feature.as_str()),
            (0.3, "lines")
        );
        assert!(preferred.after_without >= 0.6, "{preferred:?}");
        let error = model.evaluation.unwrap().median_error;
        let least = &model.alternatives[0];
        assert!(
            least.name.starts_with("poly, least error"),
            "{}",
            least.name
        );
        assert!(least.median_error < error && error < 0.02, "{error}");
    }
}

#[test]
fn of_a_bucket_the_cheapest_member_has_the_price() {
    let model = fit(&runs(), &options(Method::Lasso, Some(Prefer::Cheap))).unwrap();
    let bucket = model.prices.iter().find(|p| p.members.len() == 2).unwrap();
    assert_eq!(bucket.members, ["twin", "records"]);
    let plain = fit(&runs(), &options(Method::Lasso, None)).unwrap();
    let bucket = plain.prices.iter().find(|p| p.members.len() == 2).unwrap();
    assert_eq!(bucket.members, ["records", "twin"]);
}

/// A cold count that is final late, in fixed proportion to a loop that is final early.
#[test]
fn an_early_member_leads_a_bucket_with_a_cold_count_in_it() {
    let mut dice = Dice::new(3);
    let passes: Vec<f64> = (0..60)
        .map(|_| (10.0 + 90.0 * dice.uniform()).round())
        .collect();
    let cost: Vec<f64> = passes.iter().map(|n| 50.0 + 7.0 * n).collect();
    let loaded = passes.iter().map(|n| 2.0 * n).collect();
    let mut dataset = exact::dataset(
        &[
            ("classes loaded", FeatureKind::Cold, loaded),
            ("passes", FeatureKind::Loop, passes),
        ],
        &cost,
    );
    for feature in &mut dataset.features {
        feature.available = Some(if feature.name == "passes" { 0.1 } else { 0.9 });
    }
    let members = |prefer| {
        let model = fit(&dataset, &options(Method::Lasso, prefer)).unwrap();
        let bucket = model.prices.iter().find(|p| p.members.len() == 2).unwrap();
        bucket.members.clone()
    };
    assert_eq!(members(Some(Prefer::Cheap)), ["passes", "classes loaded"]);
    assert_eq!(members(None), ["classes loaded", "passes"]);
}

#[test]
fn picked_terms_are_early_ones_too() {
    let few = |prefer| {
        let mut asked = options(Method::Poly, prefer);
        asked.tuning.terms = Some(2);
        asked.tuning.degree = Some(1);
        fit(&runs(), &asked).unwrap()
    };
    assert_eq!(names(&few(None)), ["lines", "records"]);
    assert_eq!(names(&few(Some(Prefer::Cheap))), ["lines", "size"]);
    let mut asked = options(Method::Greedy, Some(Prefer::Cheap));
    asked.tuning.degree = Some(1);
    let model = fit(&runs(), &asked).unwrap();
    assert!(names(&model).contains(&"size"), "{:?}", names(&model));
    let plain = fit(&runs(), &options(Method::Greedy, None)).unwrap();
    assert!(!names(&plain).contains(&"size"), "{:?}", names(&plain));
}

/// The same rows on both sides: what the formula would need without the preference is learnt from all rows as well.
#[test]
fn a_refitted_formula_is_compared_with_a_refitted_one() {
    let refitted = |train| {
        let mut asked = options(Method::Lasso, Some(Prefer::Cheap));
        (asked.refit, asked.train) = (true, train);
        fit(&runs(), &asked).unwrap().preferred.unwrap()
    };
    // Hardly any rows to judge by, and the first half: all rows are learnt from in the end.
    assert_eq!(refitted(0.05), refitted(0.5));
}

#[test]
fn what_cannot_be_followed_is_refused() {
    let refused = |dataset: &Dataset, options: &FitOptions| match fit(dataset, options) {
        Err(FitError::Unsuitable { option, .. }) => option,
        other => panic!("{other:?}"),
    };
    let cheap = Some(Prefer::Cheap);
    assert_eq!(refused(&runs(), &options(Method::Hier, cheap)), "--prefer");
    let mut unknown = runs();
    unknown.features.iter_mut().for_each(|f| f.available = None);
    assert_eq!(refused(&unknown, &options(Method::Poly, cheap)), "--prefer");
    let mut filtered = options(Method::Lasso, cheap);
    filtered.tuning.filter = Some(Filter::Correlation(0.9));
    assert_eq!(refused(&runs(), &filtered), "--prefer");
    // `auto` compares other methods where terms are few: none of them knows the price of a knot.
    let mut knots = options(Method::Auto, None);
    knots.tuning.penalty = Some(3.0);
    knots.tuning.terms = Some(5);
    assert_eq!(refused(&runs(), &knots), "--penalty");
    let mut equal = options(Method::Normalised, None);
    equal.weighting = Some(Weighting::Equal);
    assert_eq!(refused(&runs(), &equal), "--weights");
    let few = |terms| Tuning {
        terms: Some(terms),
        ..Tuning::default()
    };
    let mut none = options(Method::Poly, None);
    none.tuning = few(0);
    assert_eq!(refused(&runs(), &none), "--terms");
    none.method = Method::Mars;
    none.tuning = few(3);
    assert_eq!(refused(&runs(), &none), "--terms");
}

#[test]
fn a_formula_has_no_more_terms_than_asked_for_and_none_below_zero() {
    let mut asked = options(Method::Poly, None);
    for most in [1, 2, 3] {
        asked.tuning.terms = Some(most);
        let model = fit(&runs(), &asked).unwrap();
        let constant = model.terms.iter().filter(|t| t.text.parse::<f64>().is_ok());
        assert!(
            model.terms.len() - constant.count() <= most,
            "{:?}",
            model.terms
        );
        assert!(
            model.terms.iter().all(|t| t.share >= 0.0),
            "{:?}",
            model.terms
        );
    }
    let said = |model: &CostModel| {
        let mut notes = model.diagnostics.iter();
        notes.any(|d| d.message.contains("terms are enough"))
    };
    asked.tuning.terms = None;
    asked.tuning.parsimony = Parsimony::OneStandardError;
    let model = fit(&runs(), &asked).unwrap();
    assert!(said(&model), "{:?}", model.diagnostics);
    assert_eq!(names(&model), ["lines", "records"]);
    assert!(model.evaluation.unwrap().median_error < 1e-6);
}
