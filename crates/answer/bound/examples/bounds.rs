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
        std::fs::read_dir(path)
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| p.extension().is_some_and(|e| e == "ml"))
            .collect()
    } else {
        vec![path.to_owned()]
    };
    files.sort();
    let (mut bounded, mut slowest, mut loose) = (0, 0.0_f64, vec![]);
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
            let result = defined
                .entry
                .map_err(Into::into)
                .and_then(|e| bound(&e, &support::prices(), Side::Upper, degree));
            let time = begun.elapsed().as_secs_f64();
            slowest = slowest.max(time);
            match result {
                Ok(bound) => {
                    bounded += 1;
                    let tight = if path.is_dir() {
                        tightness(&source, &bound)
                    } else {
                        None
                    };
                    loose.extend(tight);
                    let tight = tight.map_or(String::new(), |t| format!("bound ÷ cost {t:.3}, "));
                    println!(
                        "{stem} {}: {}   [{tight}{} constraints, {:.0} ms]",
                        defined.name,
                        bound.polynomial.text(Side::Upper),
                        bound.constraints,
                        time * 1e3
                    );
                }
                Err(why) => println!("{stem} {}: — {why}   [{:.0} ms]", defined.name, time * 1e3),
            }
        }
    }
    loose.sort_by(f64::total_cmp);
    if let Some(median) = loose.get(loose.len() / 2) {
        let within = |x: f64| loose.iter().filter(|t| **t <= x).count();
        println!(
            "bound ÷ cost on the programs' own inputs, {} programs: median {median:.3}, at most 1.01 in {}, 1.5 in {}, 2 in {}, largest {:.1}",
            loose.len(),
            within(1.01),
            within(1.5),
            within(2.0),
            loose[loose.len() - 1]
        );
    }
    println!(
        "{bounded} bounds in {} programs, slowest {slowest:.2} s",
        files.len()
    );
}

/// The bound of `run` over its cost on the program's own input, at the largest of some sizes that is printed in full.
fn tightness(source: &str, bound: &pricetag_bound::Bound) -> Option<f64> {
    let entry = support::entry(source, "run");
    let mut last = None;
    for n in [10, 20, 40, 80] {
        let program = format!("{source}\nlet argument = input {n}\n");
        let options = pricetag_miniml::Options {
            values: true,
            ..pricetag_miniml::Options::default()
        };
        let run = pricetag_miniml::run(&program, &options).ok()?;
        let text = run.rows.last()?.values.first()?.clone();
        let shape = &entry.shapes[entry.parameters[0] as usize];
        let Some(value) = support::read::read(&entry, shape, &mut text.as_str()) else {
            break;
        };
        let whole = support::Value::Tuple(vec![value]);
        let sizes: Vec<u64> = bound
            .polynomial
            .sizes
            .iter()
            .map(|s| support::measure(&[&whole], &s.path))
            .collect();
        let cost = support::costs(
            source,
            "run",
            &[vec![format!("(input {n})")]],
            &support::prices(),
        )[0]?;
        let real = num_rational::BigRational::new(cost.into(), 1_000_000.into());
        let exact = bound.polynomial.at(&sizes);
        assert!(exact >= real, "{source}: at {n} {exact} < {real}");
        last = num_traits::ToPrimitive::to_f64(&(exact / real));
    }
    last
}
