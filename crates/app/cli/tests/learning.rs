//! Every method of `fit` from the command line, on the tables of the guides: their makers' formulas are the truth.

#[allow(dead_code, reason = "tables need no subject")]
mod support;

use support::Desk;

/// A guide's table copied into the working directory.
fn desk(table: &str) -> Desk {
    let desk = Desk::new(&[]);
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../docs/learning")
        .join(table);
    std::fs::copy(&source, desk.path(table)).unwrap();
    desk
}

/// `images.py`: (150000 + 38·width·height + 0.9·bytes) ± 3 %. What can say a product is within noise, what cannot is far off.
#[test]
fn every_method_learns_a_strangers_table() {
    let desk = desk("images.csv");
    let error = |arguments: &str| {
        let model = desk.json(&format!("fit images.csv --target ns --json {arguments}"));
        model["evaluation"]["median_error"].as_f64().unwrap()
    };
    for products in [
        "--method poly",
        "--method greedy",
        "--method mars",
        "--method gp --generations 20",
        "--method auto",
    ] {
        let error = error(products);
        assert!(error < 0.06, "{products}: {error}");
    }
    for linear in [
        "nnls",
        "wls",
        "l1",
        "huber",
        "normalised",
        "step",
        "solve",
        "lasso",
        "nnls --filter vif=10",
    ] {
        let error = error(&format!("--method {linear}"));
        assert!((0.1..0.7).contains(&error), "{linear}: {error}");
    }
}

#[test]
fn a_formula_of_the_users_own_gets_its_constants() {
    let desk = desk("images.csv");
    let model = desk.json(
        "fit images.csv --target ns --json --method nls --formula k*(width*height)^e+c --start e=1",
    );
    let text = model["text"].as_str().unwrap();
    assert!(
        model["evaluation"]["median_error"].as_f64().unwrap() < 0.03,
        "{text}"
    );
    let wrong = desk.run("fit images.csv --target ns --method nls --formula k*(width");
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
    assert!(wrong.stderr.contains('^'), "{}", wrong.stderr);
    let missing = desk.run("fit images.csv --target ns --method nls");
    assert_eq!(missing.code, 1);
    assert!(
        missing.stderr.contains("formula is needed"),
        "{}",
        missing.stderr
    );
}

/// Krogmann et al. 2010, section 4.1.2: large files are stored.
#[test]
fn a_search_finds_the_case_is_stored_and_continues() {
    let desk = desk("uploads.csv");
    let line = "fit uploads.csv --target stored --json --train 100% --method gp --constants 200000,1024 --checkpoint search";
    let model = desk.json(line);
    assert_eq!(model["text"], "if(size > 200000, size, 0)");
    assert!(desk.path("search").is_file());
    assert_eq!(desk.json(line)["formula"], model["formula"]);
    let other = desk.run(&format!("{line} --seed 9"));
    assert_eq!(other.code, 1);
    assert!(other.stderr.contains("checkpoint"), "{}", other.stderr);
}

#[test]
fn rows_that_stream_give_the_same_summary() {
    let desk = desk("images.csv");
    desk.run("import images.csv --target ns -o images");
    let exported = desk.run("export images --format parquet -o images.parquet");
    assert_eq!(exported.code, 0, "{}", exported.stderr);
    let options = "--method ols --intercept --train 100% --json";
    let held = desk.json(&format!("fit images.csv --target ns {options}"));
    let streamed = desk.json(&format!(
        "fit images.parquet --target ns --stream {options}"
    ));
    let rows = |model: &serde_json::Value| {
        let mut all: Vec<(String, f64)> = model["summary"]["coefficients"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|row| {
                let estimate = row["estimate"][0].as_f64()?;
                Some((row["name"].as_str().unwrap().to_owned(), estimate))
            })
            .collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    };
    let (held, streamed) = (rows(&held), rows(&streamed));
    assert_eq!(held.len(), streamed.len(), "{held:?} {streamed:?}");
    for (a, b) in held.iter().zip(&streamed) {
        assert_eq!(a.0, b.0);
        assert!((a.1 - b.1).abs() <= 1e-8 * a.1.abs(), "{a:?} {b:?}");
    }
    let refused = desk.run("fit images.parquet --target ns --stream --method nnls");
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("`ols` and `wls` only"),
        "{}",
        refused.stderr
    );
}

#[test]
fn figures_are_written_for_what_the_model_knows() {
    let desk = desk("images.csv");
    desk.run("import images.csv --target ns -o images");
    desk.json("fit images --json --method nnls --sensitivity -o images/model.json");
    let report = desk.run("report images/model.json -o report.html --figures figures");
    assert_eq!(report.code, 0, "{}", report.stderr);
    for name in [
        "predicted",
        "residuals",
        "prices",
        "training-size",
        "lambda",
        "path",
    ] {
        let svg = std::fs::read_to_string(desk.path(&format!("figures/{name}.svg"))).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("<circle") | svg.contains("<polyline"));
    }
    let page = std::fs::read_to_string(desk.path("report.html")).unwrap();
    assert_eq!(page.matches("src=\"data:image/svg+xml").count(), 6);
}
