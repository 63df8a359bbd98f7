//! Wall time of MARS on a table: `bench_mars DATA.csv DEGREE NK THRESHOLD REPEATS`.
//!
//! The table has the target first, the weights second and the variables after them. Prints the least time in seconds
//! without and with the weights, and what was found. `scripts/bench-learning/mars.sh` runs earth beside it.

use std::time::Instant;

use pricetag_estimator::{Checked, Column, Design, Values};
use pricetag_regress::mars::{Mars, MarsModel};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, path, degree, places, threshold, repeats] = arguments.as_slice() else {
        eprintln!("usage: bench_mars DATA.csv DEGREE NK THRESHOLD REPEATS");
        std::process::exit(2);
    };
    let options = Mars {
        degree: degree.parse().expect("a degree"),
        max_terms: Some(places.parse().expect("a number of places")),
        threshold: threshold.parse().expect("a threshold"),
        ..Mars::default()
    };
    let repeats: u32 = repeats.parse().expect("a number of repeats");
    let weighted = read(path).check().expect("a finite table");
    let equal = weighted
        .clone()
        .reweighted(vec![1.0; weighted.rows()])
        .expect("equal weights");
    for (what, design) in [("unweighted", &equal), ("weighted", &weighted)] {
        let (seconds, model) = time(&options, design, repeats);
        println!(
            "{what} {seconds:.6} {} {} {:.9}",
            model.forward.len(),
            model.terms.len(),
            model.grsq
        );
    }
}

fn time(options: &Mars, design: &Checked<Design>, repeats: u32) -> (f64, MarsModel) {
    let mut best = f64::INFINITY;
    let mut last = None;
    for _ in 0..repeats.max(1) {
        let start = Instant::now();
        let model = options.model(design).expect("fits");
        best = best.min(start.elapsed().as_secs_f64());
        last = Some(model);
    }
    (best, last.expect("at least one repeat"))
}

fn read(path: &str) -> Design {
    let text = std::fs::read_to_string(path).expect("a readable table");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let rows: Vec<Vec<f64>> = lines
        .map(|l| l.split(',').map(|v| v.parse().expect("a number")).collect())
        .collect();
    let column = |j: usize| rows.iter().map(|r| r[j]).collect::<Vec<f64>>();
    let columns = (2..names.len())
        .map(|j| Column {
            name: names[j].to_owned(),
            values: Values::Dense(column(j)),
        })
        .collect();
    let mut design = Design::new(columns, column(0));
    design.weights = column(1);
    design
}
