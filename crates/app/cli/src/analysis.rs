//! Steps that several commands share: opening what is on disk, explaining.

use std::io::Read;
use std::path::{Path, PathBuf};

use pricetag_cost_model::CostModel;
use pricetag_dataset::{Dataset, DatasetError, FeatureKind, ImportOptions};
use pricetag_explain::{ExplainOptions, explain, listings, source_reader, summarize};
use pricetag_finding::figure::subject_name;
use pricetag_finding::{Explanation, Grouping, Inspection, Summary};
use pricetag_probe_plan::PlanStore;
use pricetag_report::figures::Figure;
use pricetag_report::{ReportInput, is_page, render};
use pricetag_study::{FitOptions, Level, Method, fit_stream};
use pricetag_tabulate::code_constants;

use crate::arguments::{Common, FitChoices, PaceArg, TableColumns};
use crate::commands::attach::FOLDER;
use crate::console::Console;
use crate::failure::{FEWER_FILES, Failure, io, too_many_files};
use crate::watch::cut_short;

/// Where a dataset keeps the plans of its classes, itself or in the folder of an agent that was attached.
pub const PLANS: &str = "plans";

/// Methods whose source or bytecode goes into a report.
const LISTINGS: usize = 25;

/// Opens a dataset.
pub fn open_dataset(dir: &Path) -> Result<Dataset, Failure> {
    let doing = || format!("opening dataset {}", dir.display());
    if let Some(dataset) = cut_short(dir).map_err(|f| f.doing(doing()))? {
        return Ok(dataset.with_turns());
    }
    let opened = pricetag_dataset::open(dir).map(Dataset::with_turns);
    opened.map_err(|e| {
        let advice = match &e {
            DatasetError::NotADataset { .. } => {
                "make one with `pricetag record` or `pricetag import`"
            }
            DatasetError::Io { source, .. } if too_many_files(source) => FEWER_FILES,
            DatasetError::TooLarge { .. } => return Failure::from(e).doing(doing()),
            _ => {
                "it is damaged or unreadable: restore it, or record or import it again with --force"
            }
        };
        Failure {
            advice: Some(advice.to_owned()),
            ..Failure::from(e)
        }
        .doing(doing())
    })
}

/// The option of a model's provenance that says how times were taken, if not evened out.
const PACE: &str = "pace";
const RAW: &str = "raw";

/// The dataset that is learnt from: times evened out unless that is not wanted.
pub fn paced(dataset: Dataset, pace: PaceArg) -> Dataset {
    match pace {
        PaceArg::Even => dataset.with_even_pace(),
        PaceArg::Raw => dataset,
    }
}

/// The plans of a dataset's classes, if it has some, all as they were written.
pub fn plans_of(dataset: &Path) -> Result<Option<PlanStore>, Failure> {
    let folders = [dataset.join(PLANS), dataset.join(FOLDER).join(PLANS)];
    let Some(folder) = folders.into_iter().find(|folder| folder.is_dir()) else {
        return Ok(None);
    };
    let opened = PlanStore::open(folder).and_then(|plans| plans.check().map(|()| plans));
    opened.map(Some).map_err(|e| {
        Failure::new(e.to_string())
            .doing("reading the plans of the classes")
            .advice("restore the file, or record again with --force")
    })
}

/// The dataset with the numbers that its program compares with, where a search for a formula is to be offered them.
pub fn with_constants(
    mut dataset: Dataset,
    dir: &Path,
    method: Method,
) -> Result<Dataset, Failure> {
    if method == Method::Gp
        && let Some(plans) = plans_of(dir)?
    {
        let doing = |e: String| Failure::new(e).doing("reading the constants of the code");
        dataset.constants = code_constants(&plans, &dataset).map_err(|e| doing(e.to_string()))?;
    }
    Ok(dataset)
}

/// Keeps with a model how its times were taken.
pub fn remember_pace(model: &mut CostModel, pace: PaceArg) {
    if pace == PaceArg::Raw {
        let options = &mut model.provenance.options;
        options.insert(PACE.to_owned(), RAW.to_owned());
    }
}

/// The dataset with times taken as a model's were.
pub fn as_learnt(model: &CostModel, dataset: Dataset) -> Dataset {
    let raw = model.provenance.options.get(PACE).is_some_and(|p| p == RAW);
    paced(dataset, if raw { PaceArg::Raw } else { PaceArg::Even })
}

/// Opens a dataset, or reads a foreign table as one.
pub fn open_dataset_or_table(
    path: &Path,
    target: Option<&str>,
    columns: &TableColumns,
) -> Result<Dataset, Failure> {
    if !path.is_file() {
        return open_dataset(path);
    }
    let target = target.ok_or_else(|| {
        let why = format!("{} is a table: which column is the cost?", path.display());
        Failure::usage(why).advice("name it with --target COLUMN")
    })?;
    import_table(path, target, columns)
}

/// Reads a table of another tool.
pub fn import_table(path: &Path, target: &str, columns: &TableColumns) -> Result<Dataset, Failure> {
    let options = ImportOptions {
        target: target.to_owned(),
        unit: columns.unit.clone(),
        costs: columns.costs.iter().cloned().collect(),
        group: columns.group.clone(),
        label: columns.label.clone(),
        inputs: columns.input_columns.iter().cloned().collect(),
        ignore: columns.ignore.iter().cloned().collect(),
        delimiter: columns.delimiter,
        missing: columns.missing,
    };
    // Errors of reading name the table themselves.
    pricetag_dataset::import(path, &options).map_err(|e| Failure::from(e).doing("reading a table"))
}

/// Opens a model.
pub fn open_model(path: &Path) -> Result<CostModel, Failure> {
    CostModel::load(path).map_err(|e| {
        let inside = path.join("model.json");
        let advice = if inside.is_file() {
            format!("name the model in it: {}", inside.display())
        } else {
            "make one with `pricetag fit DATASET -o MODEL.json`".to_owned()
        };
        Failure::from(e)
            .doing(format!("opening model {}", path.display()))
            .advice(advice)
    })
}

/// The dataset a model stands beside, unless another or a table is named, with times taken as the model's were. That it is not the one the model was learnt from is said.
pub fn dataset_of(
    model: &CostModel,
    path: &Path,
    named: Option<&PathBuf>,
    columns: &TableColumns,
    console: &Console,
) -> Result<Dataset, Failure> {
    let beside = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let dataset = match named {
        Some(table) if table.is_file() => {
            let learnt = || Some(model.unit.clone()).filter(|unit| unit != "1");
            let columns = TableColumns {
                unit: columns.unit.clone().or_else(learnt),
                ..columns.clone()
            };
            import_table(table, &model.target, &columns)?
        }
        Some(dir) => open_dataset(dir)?,
        None => open_dataset(beside).map_err(|f| {
            let what = if model.provenance.subject.is_empty() {
                "the model was learnt from a table: name it with --dataset TABLE"
            } else {
                "name the dataset or table with --dataset"
            };
            Failure {
                advice: Some(what.to_owned()),
                ..f
            }
        })?,
    };
    let mut dataset = as_learnt(model, dataset);
    let (learnt, here) = (&model.provenance.dataset, dataset.digest());
    if !learnt.is_empty() && *learnt != here {
        let start = |digest: &str| digest.chars().take(8).collect::<String>();
        let note = format!(
            "the model was learnt from another dataset ({}…) than this one ({}…): its prices, the counts of this one",
            start(learnt),
            start(&here)
        );
        console.say(&format!("warning: {note}"));
        dataset.meta.notes.push(note);
    }
    Ok(dataset)
}

/// The cost that is meant: the one named, or the usual one.
pub fn target(dataset: &Dataset, named: Option<&str>) -> String {
    named.map_or_else(|| dataset.usual_cost().cost, str::to_owned)
}

/// The kinds of features of all these levels.
pub fn kinds(levels: &[Level], dataset: &Dataset) -> Vec<FeatureKind> {
    let mut kinds: Vec<FeatureKind> = levels.iter().flat_map(|l| l.kinds(dataset)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Learns least squares from a Parquet file without holding its rows.
pub fn fit_streaming(
    table: &Path,
    choices: &FitChoices,
    columns: &TableColumns,
    common: &Common,
) -> Result<CostModel, Failure> {
    let target = choices.target.as_deref().ok_or_else(|| {
        Failure::usage("--stream reads a table: which column is the cost?")
            .advice("name it with --target COLUMN")
    })?;
    check_search(choices)?;
    if choices.only.is_some() {
        let why = "--stream does not hold the rows of which --only chooses features";
        return Err(Failure::usage(why).advice("leave columns out with --ignore"));
    }
    // What is no feature of a table that is held is none here.
    let named = columns.group.iter().chain(&columns.label);
    let others = columns.costs.iter().chain(&columns.ignore);
    let ignore: Vec<&str> = named.chain(others).map(String::as_str).collect();
    let mut options = options(target.to_owned(), choices, common);
    if choices.level.len() > 1 {
        options.kinds = Some(Vec::new());
    }
    let model = fit_stream(table, &ignore, &options).map_err(|e| {
        let doing = format!("learning `{target}` from {}", table.display());
        let failure = Failure::new(e.to_string()).doing(doing);
        if e.is_other_format() {
            return failure.advice(
                "--stream reads Parquet: leave it out, or make such a file with `pricetag import` and `pricetag export --format parquet`",
            );
        }
        failure
    })?;
    Ok(CostModel {
        unit: columns.unit.clone().unwrap_or(model.unit),
        ..model
    })
}

/// Refuses what only a search can follow.
pub fn check_search(choices: &FitChoices) -> Result<(), Failure> {
    let (tuning, method) = (&choices.tuning, choices.method);
    let option = match (tuning.time, &tuning.checkpoint) {
        (Some(_), _) => "--time",
        (_, Some(_)) => "--checkpoint",
        _ => return Ok(()),
    };
    if method == Method::Gp {
        return Ok(());
    }
    let why = format!("{option}: `{method}` searches for nothing; use --method gp");
    Err(Failure::usage(why).advice("leave the option out with other methods"))
}

/// What to fit, from the arguments.
pub fn options(target: String, choices: &FitChoices, common: &Common) -> FitOptions {
    FitOptions {
        target,
        method: choices.method,
        level: choices.level.first().copied().unwrap_or_default(),
        train: choices.train,
        seed: common.seed,
        intercept: choices.intercept,
        level_of_intervals: choices.confidence,
        refit: choices.refit,
        weighting: choices.weights.map(Into::into),
        sensitivity: choices.sensitivity,
        prefer: choices.prefer,
        tuning: (&choices.tuning).into(),
        pricetag: env!("CARGO_PKG_VERSION").to_owned(),
        ..FitOptions::default()
    }
}

/// Everything a report shows.
pub struct Account {
    /// The explanation by block, with listings.
    pub blocks: Explanation,
    /// The explanation by method.
    pub methods: Explanation,
    /// What is in the dataset.
    pub inspection: Inspection,
    /// The account in sentences.
    pub summary: Summary,
}

/// Explains a model and sums the run up.
pub fn account(
    model: &CostModel,
    dataset: &Dataset,
    inspection: Inspection,
    sources: &[PathBuf],
) -> Result<Account, Failure> {
    let by = |by| {
        explain(
            model,
            dataset,
            ExplainOptions {
                by,
                ..ExplainOptions::default()
            },
        )
    };
    let mut blocks = by(Grouping::Block)?;
    blocks.listings = listings(
        &blocks,
        dataset,
        LISTINGS,
        &mut source_reader(sources.to_vec()),
    )?;
    let methods = by(Grouping::Method)?;
    let summary = summarize(model, &inspection, &methods);
    Ok(Account {
        blocks,
        methods,
        inspection,
        summary,
    })
}

/// Writes the report, whole or not at all.
pub fn write_report(
    path: &Path,
    model: &CostModel,
    dataset: &Dataset,
    account: &Account,
) -> Result<(), Failure> {
    let title = format!(
        "What {} spends its time on",
        subject_name(&dataset.meta.subject)
    );
    let page = render(&ReportInput {
        title: &title,
        model,
        dataset,
        explanation: &account.blocks,
        methods: &account.methods,
        inspection: &account.inspection,
        summary: &account.summary,
    });
    write_whole(path, page.as_bytes())
}

/// Writes figures into a directory, which is created if need be; where they are.
pub fn write_figures(directory: &Path, figures: Vec<Figure>) -> Result<Vec<PathBuf>, Failure> {
    std::fs::create_dir_all(directory).map_err(io("create", directory))?;
    let mut written = Vec::new();
    for figure in figures {
        let path = directory.join(figure.name).with_extension("svg");
        write_whole(&path, figure.svg.as_bytes())?;
        written.push(path);
    }
    Ok(written)
}

/// Writes a file, whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    named(path)?;
    pricetag_file::write(path, bytes).map_err(io("write", path))
}

/// Says early that a file cannot be written, before hours of work.
pub fn check_writable(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        let why = format!("cannot write {}: it is a directory", path.display());
        return Err(Failure::new(why).advice("give the name of a file"));
    }
    named(path)?;
    pricetag_file::check_writable(path).map_err(io("write", path))
}

/// The same of a page, which takes the place of an earlier one and of nothing else.
pub fn check_page(path: &Path) -> Result<(), Failure> {
    check_replaces(path, "report", is_page)
}

/// The same of a model.
pub fn check_model(path: &Path) -> Result<(), Failure> {
    check_replaces(path, "model", |head| {
        let head = String::from_utf8_lossy(head);
        ["\"schema\"", "\"target\"", "\"method\""]
            .iter()
            .all(|member| head.contains(member))
    })
}

/// That a file takes the place of none but another of its kind, by what that begins with.
fn check_replaces(path: &Path, kind: &str, is: impl Fn(&[u8]) -> bool) -> Result<(), Failure> {
    check_writable(path)?;
    let mut head = Vec::new();
    let read = std::fs::metadata(path)
        .is_ok_and(|found| found.is_file() && found.len() > 0)
        .then(|| std::fs::File::open(path).and_then(|file| file.take(1000).read_to_end(&mut head)));
    if matches!(read, Some(Ok(_))) && !is(&head) {
        let why = format!("{} exists and is no {kind} of Pricetag", path.display());
        return Err(Failure::new(why).advice("name another file, or remove this one"));
    }
    Ok(())
}

fn named(path: &Path) -> Result<(), Failure> {
    let why = || Failure::usage(format!("{} is no file name", path.display()));
    path.file_name().map(drop).ok_or_else(why)
}
