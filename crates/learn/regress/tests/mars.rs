//! MARS against frozen output of `earth` (`tests/golden/mars/make.R`), and against its definition.

mod frozen;

use std::collections::BTreeMap;

use frozen::{Frozen, number};
use pricetag_estimator::Design;
use pricetag_regress::Mars;
use pricetag_regress::mars::{Factor, MarsModel, Shape, Span};

/// The `earth` of R.
const EARTH: Frozen = Frozen("golden/mars");

/// One frozen answer: lines by first word, split into words.
struct Case {
    name: String,
    lines: BTreeMap<String, Vec<Vec<String>>>,
}

impl Case {
    fn all() -> Vec<Self> {
        let names = EARTH.cases("");
        names.into_iter().map(|n| Self::load(&n)).collect()
    }

    fn load(name: &str) -> Self {
        let mut lines: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
        for line in EARTH.lines(name) {
            let mut words = line.into_iter();
            let key = words.next().unwrap();
            lines.entry(key).or_default().push(words.collect());
        }
        Self {
            name: name.to_owned(),
            lines,
        }
    }

    fn of(&self, key: &str) -> &[Vec<String>] {
        self.lines.get(key).map_or(&[], Vec::as_slice)
    }

    fn number(&self, key: &str) -> f64 {
        number(&self.of(key)[0][0])
    }

    fn design(&self) -> Design {
        EARTH.design(&self.of("data")[0][0])
    }

    fn options(&self) -> Mars {
        let mut options = Mars::default();
        for words in self.of("option") {
            let value = number(&words[1]);
            let whole = value.abs() as u32;
            match words[0].as_str() {
                "degree" => options.degree = whole,
                "nk" => options.max_terms = Some(whole),
                "thresh" => options.threshold = value,
                "penalty" => options.penalty = Some(value),
                "nprune" => options.max_kept = Some(whole),
                "endspan" => options.end_span = Some(whole),
                "minspan" if value < 0.0 => options.min_span = Span::Knots(whole),
                "minspan" => options.min_span = Span::Rows(whole),
                "Adjust.endspan" => options.adjust_end_span = value,
                "newvar.penalty" => options.new_variable_penalty = value,
                "Auto.linpreds" => options.linear = value != 0.0,
                other => panic!("{other}"),
            }
        }
        options
    }
}

fn close(found: f64, expected: f64, tolerance: f64, scale: f64) -> bool {
    found == expected || (found - expected).abs() <= tolerance * expected.abs().max(scale)
}

/// `variable:direction:cut` as `earth` has it.
fn factor(text: &str) -> Factor {
    let parts: Vec<&str> = text.split(':').collect();
    let cut = number(parts[2]);
    Factor {
        variable: parts[0].parse().unwrap(),
        shape: match parts[1] {
            "2" => Shape::Linear,
            "1" => Shape::Above(cut),
            "-1" => Shape::Below(cut),
            other => panic!("{other}"),
        },
    }
}

/// Same factors in any order; knots are values of the data, so they are equal.
fn same_factors(found: &[Factor], expected: &[Factor]) -> bool {
    let sorted = |factors: &[Factor]| {
        let mut factors = factors.to_vec();
        factors.sort_by_key(|f| f.variable);
        factors
    };
    sorted(found) == sorted(expected)
}

/// Everything earth reports. `weight` is what the weights were divided by for earth.
fn compare(case: &Case, model: &MarsModel, weight: f64) -> Result<(), String> {
    let want = |what: &str, found: f64, expected: f64, tolerance: f64, scale: f64| {
        if close(found, expected, tolerance, scale) || expected.is_nan() && found == 0.0 {
            Ok(())
        } else {
            Err(format!("{what}: {found}, earth has {expected}"))
        }
    };
    let count = |what: &str, found: usize, expected: usize| {
        want(what, found as f64, expected as f64, 0.0, 0.0)
    };
    let terms = case.of("term");
    count(
        "terms of the forward pass",
        model.forward.len(),
        terms.len(),
    )?;
    let chosen = &model.subsets[model.chosen].terms;
    let mut at = 0;
    for (i, (term, words)) in model.forward.iter().zip(terms).enumerate() {
        let expected: Vec<Factor> = words[1..].iter().map(|w| factor(w)).collect();
        if !same_factors(&term.factors, &expected) {
            return Err(format!("term {i}: {:?}, earth has {words:?}", term.factors));
        }
        let kept = chosen.contains(&i);
        if kept == (words[0] == "NA") {
            return Err(format!("term {i} {words:?}: chosen {chosen:?}"));
        }
        if kept {
            let found = model.terms[at].coefficient;
            want(
                &format!("coefficient {i}"),
                found,
                number(&words[0]),
                1e-6,
                0.0,
            )?;
            at += 1;
        }
    }
    count("chosen terms", model.terms.len(), at)?;
    count("subsets", model.subsets.len(), case.of("subset").len())?;
    let total = number(&case.of("subset")[0][0]) * weight;
    for (found, words) in model.subsets.iter().zip(case.of("subset")) {
        let expected = number(&words[0]) * weight;
        want("subset", found.rss, expected, 1e-7, 1e-9 * total)?;
        want(
            "its GCV",
            found.gcv,
            number(&words[1]) * weight,
            1e-7,
            1e-9 * total,
        )?;
        let members: Vec<usize> = words[2..].iter().map(|w| w.parse().unwrap()).collect();
        if found.terms != members {
            return Err(format!("subset {:?}, earth has {members:?}", found.terms));
        }
    }
    want(
        "rss",
        model.rss,
        case.number("rss") * weight,
        1e-7,
        1e-9 * total,
    )?;
    want(
        "gcv",
        model.gcv,
        case.number("gcv") * weight,
        1e-7,
        1e-9 * total,
    )?;
    want("RSq", model.r_squared, case.number("rsq"), 1e-9, 1.0)?;
    want("GRSq", model.grsq, case.number("grsq"), 1e-9, 1.0)?;
    count(
        "importance",
        model.importance.len(),
        case.of("importance").len(),
    )?;
    for (found, words) in model.importance.iter().zip(case.of("importance")) {
        let e: Vec<f64> = words.iter().map(|w| number(w)).collect();
        want("variable", found.variable as f64, e[0], 0.0, 0.0)?;
        want("its subsets", f64::from(found.subsets), e[1], 0.0, 0.0)?;
        want("its GCV", found.gcv, e[2], 1e-6, 1e-6)?;
        want("its RSS", found.rss, e[3], 1e-6, 1e-6)?;
    }
    Ok(())
}

#[test]
fn models_are_those_of_earth() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for case in Case::all() {
        let design = case.design();
        let unequal = design.weights.iter().any(|w| *w != design.weights[0]);
        let mean = design.weights.iter().sum::<f64>() / design.rows() as f64;
        let weight = if unequal { mean } else { 1.0 };
        let found = case.options().model(&design.check().unwrap());
        let result = match (&found, case.of("error").is_empty()) {
            (Ok(model), true) => compare(&case, model, weight),
            (Err(_), false) => Ok(()),
            (Err(e), true) => Err(e.to_string()),
            (Ok(_), false) => Err(format!("earth refuses: {:?}", case.of("error"))),
        };
        compared += 1;
        if let Err(e) = result {
            wrong.push(format!("{}: {e}", case.name));
        }
    }
    assert!(compared >= 40, "{compared}");
    assert!(
        wrong.is_empty(),
        "{} of {compared}: {wrong:#?}",
        wrong.len()
    );
}
