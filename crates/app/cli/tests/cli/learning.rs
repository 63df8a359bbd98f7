//! Every method of `fit` from the command line, on the tables of the guides: their makers' formulas are the truth.

use crate::support::Desk;

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

/// Weighted least squares of a line has a closed form: the slope is Σw(x−x̄)(y−ȳ) / Σw(x−x̄)², means weighted.
#[test]
fn weights_are_those_of_the_definition() {
    let desk = Desk::new(&[]);
    // The 5 % quantile is the smallest cost, so no weight is capped.
    let costs = [50, 50, 50, 170, 190, 310, 300, 420, 380, 560, 500, 700].map(f64::from);
    let rows: Vec<(f64, f64)> = (1..).map(f64::from).zip(costs).collect();
    let header = std::iter::once("n,ns".to_owned());
    let lines: Vec<String> = header
        .chain(rows.iter().map(|(x, y)| format!("{x},{y}")))
        .collect();
    std::fs::write(desk.path("line.csv"), lines.join("\n")).unwrap();
    for (name, power) in [("equal", 0.0), ("root", -1.0), ("relative", -2.0)] {
        let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
            rows.iter().map(|(x, y)| y.powf(power) * of(*x, *y)).sum()
        };
        let all = sum(&|_, _| 1.0);
        let (x0, y0) = (sum(&|x, _| x) / all, sum(&|_, y| y) / all);
        let slope = sum(&|x, y| (x - x0) * (y - y0)) / sum(&|x, _| (x - x0) * (x - x0));
        let model = desk.json(&format!(
            "fit line.csv --target ns --json --train 100% --method ols --intercept --weights {name}"
        ));
        let line = &model["formula"]["linear"];
        let (found, constant) = (line["terms"][0][0].as_f64(), line["intercept"].as_f64());
        assert!(
            (found.unwrap() / slope - 1.0).abs() < 1e-9,
            "{name}: {line}"
        );
        assert!(
            (constant.unwrap() / (y0 - slope * x0) - 1.0).abs() < 1e-9,
            "{name}: {line}"
        );
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
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("--formula"), "{}", missing.stderr);
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
        refused.stderr.contains("for ols and wls only"),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_streams_says_what_it_cannot_do_and_what_it_saw() {
    let desk = desk("images.csv");
    desk.run("import images.csv --target ns -o images");
    desk.run("export images --format parquet -o images.parquet");
    let start = "fit images.parquet --target ns --stream --method wls";
    for (options, said) in [
        ("--filter vif=10", "--filter"),
        ("--train 30%", "--train"),
        ("--sensitivity", "--sensitivity"),
        ("--level input", "--level"),
        ("--degree 3", "--degree"),
        ("--time 1s", "--time"),
    ] {
        let refused = desk.run(&format!("{start} {options}"));
        assert_ne!(refused.code, 0, "{options}");
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
    let model = |options: &str| desk.json(&format!("{start} --json {options}"));
    let price = |model: &serde_json::Value, name: &str| {
        let prices = model["prices"].as_array().unwrap();
        prices.iter().find(|p| p["bucket"] == name).unwrap().clone()
    };
    // The columns as they are: what varies, counted by hand.
    let csv = std::fs::read_to_string(desk.path("images.csv")).unwrap();
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let (wide, narrow) = (model("--confidence 99%"), model("--confidence 90%"));
    for name in ["bytes", "frames", "version"] {
        let at = header.iter().position(|h| *h == name).unwrap();
        let mut counts = std::collections::BTreeMap::<&str, u64>::new();
        for line in csv.lines().skip(1) {
            *counts.entry(line.split(',').nth(at).unwrap()).or_default() += 1;
        }
        let rows: u64 = counts.values().sum();
        let varying = rows - counts.values().max().unwrap();
        assert_eq!(price(&wide, name)["support"], varying, "{name}");
    }
    let width = |model| {
        let bounds = price(model, "bytes")["bounds"].clone();
        bounds[1].as_f64().unwrap() - bounds[0].as_f64().unwrap()
    };
    // Quantiles of Student's t with 233 degrees of freedom, from R's qt().
    let ratio = width(&wide) / width(&narrow);
    assert!((ratio - 2.597_094 / 1.651_420).abs() < 1e-5, "{ratio}");
    let notes = wide["diagnostics"].to_string();
    assert!(notes.contains("`version`"), "{notes}");
    assert!(notes.contains("`rows` = `height`"), "{notes}");
    let notes = model("--intercept")["diagnostics"].to_string();
    assert!(notes.contains("1 coefficient below zero"), "{notes}");
    let other = desk.run("fit images.csv --target ns --stream --method wls");
    assert_eq!(other.code, 1);
    let advice = "--stream reads Parquet";
    assert!(other.stderr.contains(advice), "{}", other.stderr);
}

#[test]
fn options_that_a_method_would_ignore_are_refused() {
    let desk = desk("images.csv");
    for (options, said) in [
        ("--method nnls --intercept", "--intercept"),
        ("--method solve --intercept", "--intercept"),
        ("--method mars --intercept", "always fits a constant"),
        ("--method hier --filter vif=10", "--filter"),
        (
            "--method nnls --lambda 1se",
            "use --method lasso, poly, greedy or log-poly",
        ),
        (
            "--method lasso --degree 3",
            "use --method poly, greedy, mars, log-poly or log-mars",
        ),
        ("--method wls --weights equal", "use --method ols"),
        ("--method normalised --weights root", "--weights"),
        ("--method nnls --constants 5", "use --method gp"),
        ("--method nnls --checkpoint f", "use --method gp"),
        ("--method lasso --formula k*width", "use --method nls"),
    ] {
        let refused = desk.run(&format!("fit images.csv --target ns {options}"));
        assert_ne!(refused.code, 0, "{options}");
        assert!(
            refused.stderr.contains(said),
            "{options}: {}",
            refused.stderr
        );
    }
}

#[test]
fn an_inspection_names_support_and_what_would_separate() {
    let desk = desk("images.csv");
    let text = desk.run("inspect images.csv --target ns").stdout;
    for said in [
        "columns that vary: 0 in one row, 0 in 2 to 4,",
        "least supported",
        "height + 1 more: add inputs in which `rows` differs from `height`",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let found = desk.json("inspect images.csv --target ns --json");
    let design = &found["design"];
    assert_eq!(design["support"]["one"], 0);
    let least = design["least_supported"].as_array().unwrap();
    let varying = |at: usize| least[at]["varying"].as_u64().unwrap();
    assert!((1..least.len()).all(|i| varying(i - 1) <= varying(i)));
    assert!(
        design["merged"][0]["advice"]
            .as_str()
            .unwrap()
            .contains("`rows`")
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

#[test]
fn a_model_of_a_table_is_reported_with_the_table() {
    let desk = desk("images.csv");
    desk.json("fit images.csv --target ns --json --method mars -o model.json");
    let alone = desk.run("report model.json -o report.html");
    assert_eq!(alone.code, 1);
    let advice = "name the dataset or table with --dataset";
    assert!(alone.stderr.contains(advice), "{}", alone.stderr);
    let report = desk.run("report model.json --dataset images.csv -o report.html");
    assert_eq!(report.code, 0, "{}", report.stderr);
    let page = std::fs::read_to_string(desk.path("report.html")).unwrap();
    assert!(page.contains("src=\"data:image/svg+xml"));
    let explained = desk.run("explain model.json --dataset images.csv --by bucket");
    assert_eq!(explained.code, 0, "{}", explained.stderr);
}
