//! The rules of `ARCHITECTURE.md` and `CONTRIBUTING.md`, on this repository.

use pricetag_tidy::{Workspace, dependencies, licences, sources, workspace};

fn none(rule: &str, violations: &[String]) {
    assert!(
        violations.is_empty(),
        "{rule}:\n  {}",
        violations.join("\n  ")
    );
}

fn metadata() -> Workspace {
    Workspace::read(&workspace::root()).expect("Cargo describes the workspace")
}

fn files() -> Vec<sources::TextFile> {
    sources::tracked(&workspace::root()).expect("Git lists the files")
}

#[test]
fn arrows_between_stages_point_one_way() {
    let workspace = metadata();
    assert!(
        workspace.packages.len() >= 20,
        "{} members found",
        workspace.packages.len()
    );
    none("the dependency rule", &dependencies::arrows(&workspace));
}

#[test]
fn members_are_listed_in_dependency_order() {
    none(
        "the order of members in Cargo.toml",
        &dependencies::order(&metadata()),
    );
}

#[test]
fn agent_and_report_stay_lean() {
    none(
        "what the agent and the report may link",
        &dependencies::lean(&metadata()),
    );
}

#[test]
fn licences_are_on_the_list() {
    let deny = workspace::read(&workspace::root().join("deny.toml")).expect("deny.toml is there");
    let allowed = licences::allowed(&deny);
    assert!(allowed.contains("MIT"), "deny.toml has no list of licences");
    none("licences", &licences::unlisted(&metadata(), &allowed));
}

#[test]
fn source_files_open_with_their_idea() {
    none("module headers", &sources::headers(&files()));
}

#[test]
fn names_say_what_files_hold() {
    none("file names", &sources::names(&files()));
}

#[test]
fn only_the_agent_is_unsafe() {
    none("unsafe code", &sources::unsafety(&files()));
}

#[test]
fn no_panic_crosses_the_border_to_a_jvm() {
    none("functions that a JVM calls", &sources::borders(&files()));
}

#[test]
fn files_are_short() {
    none("file length", &sources::lengths(&files()));
}

#[test]
fn nothing_names_a_registry_or_a_machine() {
    none("foreign words", &sources::foreign_words(&files()));
}

#[test]
fn entry_points_can_be_run() {
    use std::os::unix::fs::PermissionsExt;
    let root = workspace::root();
    let mut scripts = vec![root.join(".ci/run")];
    let listing = std::fs::read_dir(root.join("scripts")).expect("there are scripts");
    scripts.extend(listing.filter_map(|entry| entry.ok().map(|e| e.path())));
    // What ends in `.bash` is sourced by the others.
    scripts.retain(|script| script.extension().is_none_or(|e| e != "bash"));
    for script in scripts {
        let mode = std::fs::metadata(&script)
            .expect("it is a file")
            .permissions()
            .mode();
        assert!(mode & 0o111 != 0, "{} is not executable", script.display());
    }
}
