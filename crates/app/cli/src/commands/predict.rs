//! `pricetag predict`: what inputs will cost.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;
use std::process::ExitCode;

use pricetag_cost_model::CostModel;
use pricetag_dataset::Dataset;
use pricetag_finding::Predictions;
use pricetag_predict::{predict_csv, predict_dataset};
use pricetag_runner::{Determinism, RecordOptions, Timing};
use pricetag_trace::Scope;

use crate::analysis::{open_dataset, open_model};
use crate::arguments::{Common, PredictArgs};
use crate::console::Console;
use crate::failure::{Failure, io};
use crate::watch::{find_agent, main_reason, watch, workload};

pub fn run(args: &PredictArgs, common: &Common, console: &Console) -> Result<ExitCode, Failure> {
    let model = open_model(&args.model)?;
    let predictions: Predictions = if let Some(dir) = &args.dataset {
        predict_dataset(&model, &open_dataset(dir)?)?
    } else if let Some(table) = &args.features {
        let file = File::open(table).map_err(io("read", table))?;
        predict_csv(&model, file)
            .map_err(|e| Failure::from(e).doing(format!("predicting {}", table.display())))?
    } else {
        let scope = model
            .provenance
            .scope
            .parse::<Scope>()
            .unwrap_or(Scope::Main);
        let needed = Needed::of(&model, scope);
        predict_dataset(&model, &counted(args, needed, common, console)?)?
    };
    console.result(&predictions, || predictions.to_text(console.width))?;
    Ok(ExitCode::SUCCESS)
}

/// What has to be recorded to predict by a model.
struct Needed {
    scope: Scope,
    /// How many first values of variables.
    values: u16,
    /// Whether lengths are among them.
    lengths: bool,
}

impl Needed {
    fn of(model: &CostModel, scope: Scope) -> Self {
        let number = |name: &str| name.rsplit_once('#')?.1.parse::<u16>().ok();
        let names = || model.domain.keys();
        Self {
            scope,
            values: names().filter_map(|name| number(name)).max().unwrap_or(0),
            lengths: names().any(|name| name.contains(".length#")),
        }
    }
}

/// Counts the subject's runs without timing them.
fn counted(
    args: &PredictArgs,
    needed: Needed,
    common: &Common,
    console: &Console,
) -> Result<Dataset, Failure> {
    let scratch = std::env::temp_dir().join(format!("pricetag-predict-{}", std::process::id()));
    let result = count_into(&scratch, args, needed, common, console);
    std::fs::remove_dir_all(&scratch).ok();
    result
}

fn count_into(
    scratch: &Path,
    args: &PredictArgs,
    needed: Needed,
    common: &Common,
    console: &Console,
) -> Result<Dataset, Failure> {
    let options = RecordOptions {
        command: args.command.clone(),
        workload: workload(args.inputs.as_deref(), args.workload.as_deref(), None)?,
        stdin: args.stdin.clone(),
        env: BTreeMap::new(),
        cwd: None,
        timeout: args.timeout,
        scope: needed.scope,
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        methods: BTreeSet::new(),
        count_jdk: args.count_jdk,
        values: needed.values,
        lengths: needed.lengths,
        availability: false,
        repeat: 1,
        timing: Timing::Never,
        jit: true,
        gc: true,
        warmup: Some(0),
        determinism: Determinism::None,
        overhead: None,
        jobs: common.jobs,
        show_output: false,
        dir: scratch.to_owned(),
        resume: false,
        force: true,
        agent: find_agent(args.agent.as_deref())?,
        path: std::env::var("PATH").ok(),
        java_tool_options: std::env::var("JAVA_TOOL_OPTIONS").ok(),
    };
    let (dataset, recorded) = watch(&options, None, console)?;
    if recorded.interrupted {
        return Err(Failure::new("interrupted"));
    }
    if let Some((reason, times)) = main_reason(&dataset.observations) {
        let all = dataset.observations.len();
        let why = format!("{times} of {all} runs failed because: {reason}");
        if times == all {
            return Err(Failure::new(why).doing(format!("counting `{}`", args.command.join(" "))));
        }
        console.say(&format!("note: {why}"));
    }
    Ok(dataset)
}
