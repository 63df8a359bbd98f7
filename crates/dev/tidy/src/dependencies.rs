//! The dependency rule: arrows between stages point one way, and the members are listed in dependency order.
//!
//! `base` ← `artifact` ← `subject` ← {`observe`, `learn`, `answer`} ← `app`; `dev` sees everything and nothing but tests
//! sees `dev`.

use crate::workspace::{Package, Workspace};

/// Stages, and the stages each may depend on.
const STAGES: [(&str, &[&str]); 8] = [
    ("base", &["base"]),
    ("artifact", &["base", "artifact"]),
    ("subject", &["base", "artifact", "subject"]),
    ("observe", &["base", "artifact", "subject", "observe"]),
    ("learn", &["base", "artifact", "learn"]),
    ("answer", &["base", "artifact", "subject", "answer"]),
    (
        "app",
        &[
            "base", "artifact", "subject", "observe", "learn", "answer", "app",
        ],
    ),
    (
        "dev",
        &[
            "base", "artifact", "subject", "observe", "learn", "answer", "app", "dev",
        ],
    ),
];

/// The only members the agent may link: it runs inside somebody else's process.
const AGENT_MEMBERS: [&str; 10] = [
    "pricetag-graph",
    "pricetag-quantity",
    "pricetag-classfile",
    "pricetag-probe-plan",
    "pricetag-profile",
    "pricetag-events",
    "pricetag-trace",
    "pricetag-flow",
    "pricetag-probe",
    "pricetag-instrument",
];

/// Crates that never belong into the agent: statistics, columns, command lines, logging, runtimes.
const AGENT_FORBIDDEN: [&str; 20] = [
    "arrow",
    "clap",
    "comfy-table",
    "csv",
    "env_logger",
    "faer",
    "glob",
    "indicatif",
    "log",
    "nalgebra",
    "ndarray",
    "parquet",
    "rand",
    "rayon",
    "regex",
    "serde_json",
    "statrs",
    "tokio",
    "tracing",
    "reqwest",
];

/// Arrows that point the wrong way.
pub fn arrows(workspace: &Workspace) -> Vec<String> {
    let mut wrong = Vec::new();
    for package in &workspace.packages {
        let Some((_, allowed)) = STAGES.iter().find(|(stage, _)| *stage == package.stage) else {
            wrong.push(format!(
                "{} is in no known stage: {:?}",
                package.name, package.stage
            ));
            continue;
        };
        for target in inside(workspace, &package.dependencies) {
            if !allowed.contains(&target.stage.as_str()) {
                wrong.push(arrow(package, target, "depends on"));
            }
        }
        for target in inside(workspace, &package.dev_dependencies) {
            if target.stage != "dev" && !allowed.contains(&target.stage.as_str()) {
                wrong.push(arrow(package, target, "tests depend on"));
            }
        }
    }
    wrong
}

/// Members that are listed before something they depend on.
pub fn order(workspace: &Workspace) -> Vec<String> {
    let mut wrong = Vec::new();
    for (place, package) in workspace.packages.iter().enumerate() {
        for target in inside(workspace, &package.dependencies) {
            if workspace.packages.iter().position(|p| p == target) >= Some(place) {
                wrong.push(format!(
                    "{} is listed before {}, which it needs",
                    package.name, target.name
                ));
            }
        }
    }
    wrong
}

/// What the agent and the report link although they must not.
pub fn lean(workspace: &Workspace) -> Vec<String> {
    let mut wrong = Vec::new();
    let linked = workspace.closure("pricetag-agent");
    for name in &linked {
        let foreign = name.starts_with("pricetag-") && !AGENT_MEMBERS.contains(&name.as_str());
        if foreign || AGENT_FORBIDDEN.contains(&name.as_str()) {
            wrong.push(format!("the agent links {name}"));
        }
    }
    if linked.is_empty() {
        wrong.push("the agent is missing from the graph".to_owned());
    }
    let report = workspace
        .packages
        .iter()
        .find(|p| p.name == "pricetag-report");
    for target in report
        .into_iter()
        .flat_map(|p| inside(workspace, &p.dependencies))
    {
        if !matches!(target.stage.as_str(), "base" | "artifact") {
            wrong.push(format!(
                "the report depends on {}, which is neither base nor artifact",
                target.name
            ));
        }
    }
    wrong
}

fn inside<'w>(
    workspace: &'w Workspace,
    names: &'w std::collections::BTreeSet<String>,
) -> impl Iterator<Item = &'w Package> {
    workspace
        .packages
        .iter()
        .filter(|p| names.contains(&p.name))
}

fn arrow(from: &Package, to: &Package, verb: &str) -> String {
    format!(
        "{} ({}) {verb} {} ({})",
        from.name, from.stage, to.name, to.stage
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(stage: &str, name: &str, dependencies: &[&str], dev: &[&str]) -> Package {
        let names = |list: &[&str]| list.iter().map(|n| format!("pricetag-{n}")).collect();
        Package {
            name: format!("pricetag-{name}"),
            stage: stage.to_owned(),
            dependencies: names(dependencies),
            dev_dependencies: names(dev),
        }
    }

    fn workspace(packages: Vec<Package>) -> Workspace {
        let links = packages
            .iter()
            .map(|p| (p.name.clone(), p.dependencies.clone()))
            .collect();
        Workspace {
            packages,
            links,
            ..Workspace::default()
        }
    }

    #[test]
    fn finds_arrows_that_point_right() {
        let workspace = workspace(vec![
            package("base", "graph", &["trace"], &["testkit"]),
            package("artifact", "trace", &["graph"], &[]),
            package("subject", "flow", &[], &[]),
            package("observe", "runner", &["regress"], &[]),
            package("learn", "regress", &["trace"], &["flow"]),
            package("answer", "report", &["regress", "flow"], &[]),
            package("dev", "testkit", &["regress", "runner"], &[]),
        ]);
        let found = arrows(&workspace);
        let expected = [
            "pricetag-graph (base) depends on pricetag-trace (artifact)",
            "pricetag-runner (observe) depends on pricetag-regress (learn)",
            "pricetag-regress (learn) tests depend on pricetag-flow (subject)",
            "pricetag-report (answer) depends on pricetag-regress (learn)",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn finds_members_out_of_order() {
        let workspace = workspace(vec![
            package("artifact", "trace", &["graph"], &[]),
            package("base", "graph", &[], &[]),
        ]);
        assert_eq!(
            order(&workspace),
            ["pricetag-trace is listed before pricetag-graph, which it needs"]
        );
    }

    #[test]
    fn finds_what_the_agent_and_the_report_must_not_link() {
        let mut workspace = workspace(vec![
            package("artifact", "dataset", &[], &[]),
            package("subject", "flow", &[], &[]),
            package("observe", "agent", &["flow", "dataset"], &[]),
            package("answer", "report", &["flow", "dataset"], &[]),
        ]);
        workspace
            .links
            .entry("pricetag-flow".to_owned())
            .or_default()
            .insert("parquet".to_owned());
        let expected = [
            "the agent links parquet",
            "the agent links pricetag-dataset",
            "the report depends on pricetag-flow, which is neither base nor artifact",
        ];
        assert_eq!(lean(&workspace), expected);
    }
}
