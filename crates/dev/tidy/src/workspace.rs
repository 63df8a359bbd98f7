//! The workspace as Cargo sees it: members in the order of the root manifest, their dependencies, the resolved graph.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Why the workspace could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TidyError {
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A command failed.
    #[error("{command}: {reason}")]
    Command {
        /// Which.
        command: &'static str,
        /// What it said.
        reason: String,
    },
}

/// A member of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Package {
    /// `pricetag-graph`.
    pub name: String,
    /// `base`, from `crates/base/graph`.
    pub stage: String,
    /// Names of ordinary and build dependencies, inside and outside the workspace.
    pub dependencies: BTreeSet<String>,
    /// Names of dependencies of tests only.
    pub dev_dependencies: BTreeSet<String>,
}

/// The workspace.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// Members, in the order of the root manifest.
    pub packages: Vec<Package>,
    /// Package and version to licence expression, for everything in the resolved graph.
    pub licences: BTreeMap<String, String>,
    /// For every package in the resolved graph, the names of the packages it links in an ordinary build.
    pub links: BTreeMap<String, BTreeSet<String>>,
}

/// The root of the repository.
pub fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(3)
        .unwrap_or(manifest)
        .to_path_buf()
}

/// Reads a text file.
///
/// # Errors
/// If it cannot be read.
pub fn read(path: &Path) -> Result<String, TidyError> {
    std::fs::read_to_string(path).map_err(|source| TidyError::Io {
        path: path.to_path_buf(),
        source,
    })
}

impl Workspace {
    /// Reads the workspace at `root` for the platform this runs on; asks no network.
    ///
    /// # Errors
    /// If the root manifest cannot be read or Cargo fails.
    pub fn read(root: &Path) -> Result<Self, TidyError> {
        let host = host()?;
        let output = Command::new(env!("CARGO"))
            .args([
                "metadata",
                "--format-version",
                "1",
                "--offline",
                "--filter-platform",
                &host,
            ])
            .current_dir(root)
            .output()
            .map_err(|e| TidyError::Command {
                command: "cargo metadata",
                reason: e.to_string(),
            })?;
        let failed = |reason: String| TidyError::Command {
            command: "cargo metadata",
            reason,
        };
        if !output.status.success() {
            return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let metadata: Value =
            serde_json::from_slice(&output.stdout).map_err(|e| failed(e.to_string()))?;
        let order = members(&read(&root.join("Cargo.toml"))?);
        Ok(Self::from_metadata(&metadata, &order))
    }

    fn from_metadata(metadata: &Value, order: &[String]) -> Self {
        let mut workspace = Self::default();
        let members: BTreeSet<&str> = strings(&metadata["workspace_members"]).collect();
        let mut names = BTreeMap::new();
        let mut found = Vec::new();
        for package in array(&metadata["packages"]) {
            let (id, name) = (text(&package["id"]), text(&package["name"]));
            names.insert(id, name);
            if members.contains(id) {
                found.push(member(package));
            }
        }
        let place =
            |p: &(String, Package)| order.iter().position(|m| *m == p.0).unwrap_or(usize::MAX);
        found.sort_by_key(place);
        workspace.packages = found.into_iter().map(|(_, package)| package).collect();
        let mut resolved = BTreeSet::new();
        for node in array(&metadata["resolve"]["nodes"]) {
            let id = text(&node["id"]);
            resolved.insert(id);
            let links = array(&node["deps"])
                .filter(|dep| array(&dep["dep_kinds"]).any(|kind| kind["kind"].is_null()));
            let links = links
                .filter_map(|dep| names.get(text(&dep["pkg"])))
                .map(|&n| n.to_owned());
            let name = names.get(id).copied().unwrap_or(id).to_owned();
            workspace.links.entry(name).or_default().extend(links);
        }
        for package in array(&metadata["packages"]) {
            if resolved.contains(text(&package["id"])) {
                let label = format!("{} {}", text(&package["name"]), text(&package["version"]));
                workspace
                    .licences
                    .insert(label, text(&package["license"]).to_owned());
            }
        }
        workspace
    }

    /// Everything that is linked into `package`, itself left out.
    pub fn closure(&self, package: &str) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut pending = vec![package.to_owned()];
        while let Some(name) = pending.pop() {
            for link in self.links.get(&name).into_iter().flatten() {
                if seen.insert(link.clone()) {
                    pending.push(link.clone());
                }
            }
        }
        seen
    }
}

/// The `members` list of the root manifest.
pub fn members(manifest: &str) -> Vec<String> {
    let parsed: toml::Table = manifest.parse().unwrap_or_default();
    let list = parsed
        .get("workspace")
        .and_then(|w| w.get("members"))
        .and_then(|m| m.as_array());
    list.into_iter()
        .flatten()
        .filter_map(|m| m.as_str())
        .map(str::to_owned)
        .collect()
}

fn member(package: &Value) -> (String, Package) {
    let manifest = Path::new(text(&package["manifest_path"]));
    let mut parts = manifest
        .iter()
        .rev()
        .skip(1)
        .filter_map(|part| part.to_str());
    let (folder, stage) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let names = |dev: bool| {
        array(&package["dependencies"])
            .filter(move |d| (d["kind"] == "dev") == dev)
            .map(|d| text(&d["name"]).to_owned())
            .collect()
    };
    let member = Package {
        name: text(&package["name"]).to_owned(),
        stage: stage.to_owned(),
        dependencies: names(false),
        dev_dependencies: names(true),
    };
    (format!("crates/{stage}/{folder}"), member)
}

fn host() -> Result<String, TidyError> {
    let failed = |reason: String| TidyError::Command {
        command: "rustc -vV",
        reason,
    };
    let output = Command::new("rustc")
        .arg("-vV")
        .output()
        .map_err(|e| failed(e.to_string()))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = said.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned)
        .ok_or_else(|| failed(format!("no host in {said:?}")))
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    array(value).filter_map(Value::as_str)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
