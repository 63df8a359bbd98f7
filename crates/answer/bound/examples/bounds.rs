//! Bounds of one program's functions, or how many control programs have one and how tight it is.
//!
//!     cargo run -p pricetag-bound --example bounds -- FILE.ml [DEGREE]
//!     cargo run -p pricetag-bound --example bounds -- FOLDER [DEGREE]      # the function `run` of each program

#[path = "../tests/support/mod.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod support;

use std::path::Path;
use std::time::Instant;

use pricetag_bound::{Side, bound};
use pricetag_miniml::first_order::entries;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a program or a folder");
    let degree = arguments.next().map_or(3, |d| d.parse().expect("a degree"));
    let path = Path::new(&path);
    let mut files: Vec<_> = if path.is_dir() {
        std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "ml")).collect()
    } else {
        vec![path.to_owned()]
    };
    files.sort();
    let (mut bounded, mut slowest) = (0, 0.0_f64);
    for file in &files {
        let source = std::fs::read_to_string(file).unwrap();
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        let all = match entries(&source) {
            Ok(all) => all,
            Err(errors) => {
                println!("{stem}: {errors:?}");
                continue;
            }
        };
        for defined in all {
            if path.is_dir() && defined.name != "run" {
                continue;
            }
            let begun = Instant::now();
            let result = defined.entry.map_err(Into::into).and_then(|e| bound(&e, &support::prices(), Side::Upper, degree));
            let time = begun.elapsed().as_secs_f64();
            slowest = slowest.max(time);
            match result {
                Ok(bound) => {
                    bounded += 1;
                    println!("{stem} {}: {}   [{} constraints, {:.0} ms]", defined.name, bound.polynomial.text(Side::Upper), bound.constraints, time * 1e3);
                }
                Err(why) => println!("{stem} {}: — {why}   [{:.0} ms]", defined.name, time * 1e3),
            }
        }
    }
    println!("{bounded} bounds in {} programs, slowest {slowest:.2} s", files.len());
}
