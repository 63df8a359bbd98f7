//! The tables and figures of `docs/evaluation.md` from stored models:
//! `cargo run -p pricetag-report --example evaluation -- RESULTS DIRECTORY` reads `RESULTS/PROGRAM/{best,sparse,few}.json` with the
//! texts that `pricetag fit` printed and the seconds it took beside them, and writes `tables.md` and figures into DIRECTORY.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use pricetag_cost_model::{CostModel, Evaluation, Screening};
use pricetag_finding::figure::brief;
use pricetag_report::figures::{Figure, by_lambda, by_training_size};

/// What Mantis (2010, sections 6.1 and 6.2) reports of a program.
struct Paper {
    /// How the programs here begin.
    program: &'static str,
    /// Error with 10 % for training.
    error: &'static str,
    /// Error of the black box.
    black_box: &'static str,
    /// Features: all, useful, selected.
    features: &'static str,
    /// How the error depends on the share learnt from.
    training: &'static str,
    /// How it depends on λ.
    lambda: &'static str,
}

const PAPERS: [Paper; 2] = [
    Paper {
        program: "lucene",
        error: "6.1–7 %",
        black_box: "> 38 %",
        features: "126, 2–4 selected",
        training: "6.1–7 % at 10 %; stable, still accurate with 5 % and less",
        lambda: "within 7 % with 2–4 features for λ up to 0.07",
    },
    Paper {
        program: "maxima",
        error: "5.5 %",
        black_box: "> 35 %",
        features: "5,516, 182 useful, 2 selected",
        training: "5.5 % at 10 %; stable, still accurate with 5 % and less",
        lambda: "similar models for λ up to 0.11",
    },
];
/// A program the paper does not have.
const UNKNOWN: Paper = Paper {
    program: "",
    error: "–",
    black_box: "–",
    features: "–",
    training: "–",
    lambda: "–",
};
/// Shares of the observations in the table of training sizes.
const SHARES: [f64; 7] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4];
/// Terms of a formula that are shown.
const TERMS: usize = 8;

/// The models of one program.
struct Program {
    name: String,
    best: Option<Learnt>,
    sparse: Option<Learnt>,
    few: Option<Learnt>,
    /// By how much counting slowed it down, in words.
    overhead: String,
    /// Error and coverage of several splits, as shares.
    splits: Vec<(f64, f64)>,
}

/// Which model of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    /// What `fit` chooses.
    Best,
    /// Mantis' sparse polynomial.
    Sparse,
    /// A sum of five features at most.
    Few,
}

struct Learnt {
    model: CostModel,
    seconds: Option<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [results, to] = arguments.as_slice() else {
        return Err("usage: evaluation RESULTS DIRECTORY".into());
    };
    let programs = read(results)?;
    fs::create_dir_all(to)?;
    let mut text = String::new();
    errors(&mut text, &programs)?;
    luck(&mut text, &programs)?;
    features(&mut text, &programs)?;
    training(&mut text, &programs)?;
    lambdas(&mut text, &programs)?;
    formulas(&mut text, &programs)?;
    fs::write(to.join("tables.md"), text)?;
    for (name, which) in [("best", Which::Best), ("sparse", Which::Sparse)] {
        let models: Vec<(&str, &CostModel)> = programs
            .iter()
            .filter_map(|p| Some((p.name.as_str(), &learnt(p, which)?.model)))
            .collect();
        write_figure(to, name, by_training_size(&models)?)?;
        if which == Which::Sparse {
            write_figure(to, "lasso", by_lambda(&models)?)?;
        }
    }
    Ok(())
}

fn learnt(program: &Program, which: Which) -> Option<&Learnt> {
    match which {
        Which::Best => program.best.as_ref(),
        Which::Sparse => program.sparse.as_ref(),
        Which::Few => program.few.as_ref(),
    }
}

fn write_figure(to: &Path, which: &str, figure: Option<Figure>) -> std::io::Result<()> {
    match figure {
        Some(figure) => fs::write(to.join(format!("{which}-{}.svg", figure.name)), figure.svg),
        None => Ok(()),
    }
}

fn read(results: &Path) -> Result<Vec<Program>, Box<dyn Error>> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(results)? {
        folders.push(entry?.path());
    }
    folders.sort();
    let open = |folder: &Path, which: &str| -> Result<Option<Learnt>, Box<dyn Error>> {
        let file = folder.join(format!("{which}.json"));
        if !file.exists() {
            return Ok(None);
        }
        let seconds = fs::read_to_string(folder.join(format!("{which}.seconds")))
            .ok()
            .and_then(|s| s.trim().parse().ok());
        Ok(Some(Learnt {
            model: CostModel::load(&file)?,
            seconds,
        }))
    };
    let mut programs = Vec::new();
    for folder in folders.iter().filter(|f| f.is_dir()) {
        programs.push(Program {
            name: folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            best: open(folder, "best")?,
            sparse: open(folder, "sparse")?,
            few: open(folder, "few")?,
            overhead: fs::read_to_string(folder.join("overhead.txt"))
                .map_or_else(|_| "–".to_owned(), |text| text.trim().to_owned()),
            splits: read_splits(&folder.join("splits.txt"))?,
        });
    }
    Ok(programs)
}

/// Lines of seed, error and coverage, in per cent; none without the file.
fn read_splits(file: &Path) -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut splits = Vec::new();
    for line in text.lines() {
        let figures: Vec<f64> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [_, error, coverage] = figures.as_slice() else {
            return Err(format!("{}: three figures wanted: {line}", file.display()).into());
        };
        splits.push((error / 100.0, coverage / 100.0));
    }
    Ok(splits)
}

fn percent(value: f64) -> String {
    if value >= 1.0 {
        format!("{:.0} %", 100.0 * value)
    } else {
        format!("{:.1} %", 100.0 * value)
    }
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), percent)
}

/// What the paper says of a program, by the beginning of its name.
fn paper(name: &str) -> &'static Paper {
    let known = PAPERS.iter().find(|p| name.starts_with(p.program));
    known.unwrap_or(&UNKNOWN)
}

/// How much the repeats of one input differ, which no model gets below.
fn noise(model: &CostModel) -> String {
    optional(model.evaluation.as_ref().and_then(|e| e.noise_floor))
}

fn errors(text: &mut String, programs: &[Program]) -> std::fmt::Result {
    writeln!(
        text,
        "| program | observations | learnt from | **error** | 90th percentile | sparse polynomial | five features | paper | inputs only, best | inputs only, cubic | paper | noise | intervals (95 %) held | overhead of counting |"
    )?;
    writeln!(
        text,
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
    )?;
    for program in programs {
        let Some(Learnt { model, .. }) = &program.best else {
            continue;
        };
        let Some(found) = &model.evaluation else {
            continue;
        };
        let error = |e: Option<&Evaluation>| optional(e.map(|e| e.median_error));
        let cubic = model
            .alternatives
            .iter()
            .find(|e| e.name.contains("cubic by least squares"));
        let judged = |which| learnt(program, which).and_then(|s| s.model.evaluation.as_ref());
        let Paper {
            error: ours,
            black_box: theirs,
            ..
        } = paper(&program.name);
        writeln!(
            text,
            "| {} | {} | {} | **{}** ({}) | {} | {} | {} | {ours} | {} | {} | {theirs} | {} | {} | {} |",
            program.name,
            found.train_rows + found.test_rows,
            found.train_rows,
            percent(found.median_error),
            model.method,
            percent(found.p90_error),
            error(judged(Which::Sparse)),
            error(judged(Which::Few)),
            error(model.baseline.as_ref()),
            error(cubic),
            noise(model),
            optional(model.interval.as_ref().and_then(|i| i.coverage)),
            program.overhead,
        )?;
    }
    writeln!(text)
}

/// How much one split's figures owe to its luck.
fn luck(text: &mut String, programs: &[Program]) -> std::fmt::Result {
    writeln!(
        text,
        "| program | splits | **error**, median | least | largest | intervals (95 %) held, mean | least | largest |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|---|---|")?;
    for program in programs.iter().filter(|p| !p.splits.is_empty()) {
        let (mut errors, mut held): (Vec<f64>, Vec<f64>) = program.splits.iter().copied().unzip();
        errors.sort_by(f64::total_cmp);
        held.sort_by(f64::total_cmp);
        let n = errors.len();
        writeln!(
            text,
            "| {} | {n} | **{}** | {} | {} | {} | {} | {} |",
            program.name,
            percent(f64::midpoint(errors[(n - 1) / 2], errors[n / 2])),
            percent(errors[0]),
            percent(errors[n - 1]),
            percent(held.iter().sum::<f64>() / n as f64),
            percent(held[0]),
            percent(held[n - 1]),
        )?;
    }
    writeln!(text)
}

fn features(text: &mut String, programs: &[Program]) -> std::fmt::Result {
    writeln!(
        text,
        "| program | model | features offered | never vary | in fixed proportion | useful | in the formula | paper | time to fit |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|---|---|---|")?;
    for program in programs {
        for (what, which) in [
            ("all blocks", Which::Best),
            ("sparse", Which::Sparse),
            ("five features", Which::Few),
        ] {
            let Some(Learnt { model, seconds }) = learnt(program, which) else {
                continue;
            };
            let Screening {
                offered,
                constant,
                redundant,
                useful,
                selected,
            } = model.screening.unwrap_or_default();
            let time = seconds.map_or_else(|| "–".to_owned(), |s| format!("{s:.1} s"));
            let theirs = match which {
                Which::Best => "–",
                Which::Sparse | Which::Few => paper(&program.name).features,
            };
            writeln!(
                text,
                "| {} | {what}: {} | {offered} | {constant} | {redundant} | {useful} | {selected} | {theirs} | {time} |",
                program.name, model.method
            )?;
        }
    }
    writeln!(text)
}

/// Median over the splits of one share.
fn at_share(model: &CostModel, share: f64) -> Option<f64> {
    let points = &model.sensitivity.as_ref()?.training;
    let mut errors: Vec<f64> = points
        .iter()
        .filter(|p| (p.fraction - share).abs() < 1e-9 && p.median_error.is_finite())
        .map(|p| p.median_error)
        .collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied()
}

fn training(text: &mut String, programs: &[Program]) -> std::fmt::Result {
    let shares: Vec<String> = SHARES
        .iter()
        .map(|s| format!("{:.0} %", 100.0 * s))
        .collect();
    writeln!(
        text,
        "| program | model | {} | noise | paper |",
        shares.join(" | ")
    )?;
    writeln!(text, "|---|---|{}---|---|", "---|".repeat(SHARES.len()))?;
    for program in programs {
        for which in [Which::Best, Which::Sparse] {
            let Some(Learnt { model, .. }) = learnt(program, which) else {
                continue;
            };
            let cells: Vec<String> = SHARES
                .iter()
                .map(|&s| optional(at_share(model, s)))
                .collect();
            if cells.iter().all(|cell| cell == "–") {
                continue;
            }
            writeln!(
                text,
                "| {} | {} | {} | {} | {} |",
                program.name,
                model.method,
                cells.join(" | "),
                noise(model),
                paper(&program.name).training
            )?;
        }
    }
    writeln!(text)
}

fn lambdas(text: &mut String, programs: &[Program]) -> std::fmt::Result {
    writeln!(
        text,
        "| program | least error | features there | error with ≤ 5 features | within a tenth of the least error from | to | noise | paper |"
    )?;
    writeln!(text, "|---|---|---|---|---|---|---|---|")?;
    for program in programs {
        let model = learnt(program, Which::Sparse).map(|s| &s.model);
        let Some(points) = model
            .and_then(|m| Some(&m.sensitivity.as_ref()?.lambda))
            .filter(|p| !p.is_empty())
        else {
            continue;
        };
        let least = points
            .iter()
            .min_by(|a, b| a.median_error.total_cmp(&b.median_error));
        let Some(least) = least else { continue };
        let few = points
            .iter()
            .filter(|p| p.features <= 5)
            .map(|p| p.median_error)
            .fold(f64::INFINITY, f64::min);
        let near = points
            .iter()
            .filter(|p| p.median_error <= 1.1 * least.median_error);
        let (low, high) = near.fold((f64::INFINITY, 0.0_f64), |(l, h), p| {
            (l.min(p.lambda), h.max(p.lambda))
        });
        let largest = points.iter().fold(0.0_f64, |m, p| m.max(p.lambda));
        writeln!(
            text,
            "| {} | {} | {} | {} | {:.2} % of the largest λ | {:.2} % | {} | {} |",
            program.name,
            percent(least.median_error),
            least.features,
            percent(few),
            100.0 * low / largest,
            100.0 * high / largest,
            model.map_or_else(String::new, noise),
            paper(&program.name).lambda
        )?;
    }
    writeln!(text)
}

fn formulas(text: &mut String, programs: &[Program]) -> std::fmt::Result {
    writeln!(text, "Formulas of the models with five features:\n")?;
    for program in programs {
        let few = learnt(program, Which::Few);
        let Some(Learnt { model, .. }) = few.or(learnt(program, Which::Sparse)) else {
            continue;
        };
        writeln!(
            text,
            "### {}\n\n| term ({}) | share |\n|---|---|",
            program.name, model.unit
        )?;
        for term in model.terms.iter().take(TERMS) {
            writeln!(
                text,
                "| {} | {} |",
                brief(&term.text).replace('|', "\\|"),
                percent(term.share)
            )?;
        }
        if model.terms.len() > TERMS {
            writeln!(text, "| {} more | |", model.terms.len() - TERMS)?;
        }
        writeln!(text)?;
    }
    Ok(())
}
