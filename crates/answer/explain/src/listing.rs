//! Annotated source, where it is found, and annotated bytecode, where it is not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use pricetag_dataset::{Dataset, FeatureId, FeatureKind};
use pricetag_finding::{Explanation, Grouping, Listing, ListingLine, Place};

use crate::attribution::Columns;
use crate::explain::ExplainError;
use crate::group::place;

/// Source lines shown around a method.
const CONTEXT: u32 = 2;
/// Lines of one listing; what goes beyond is cut and says so.
const MAX_LINES: usize = 1000;

/// Annotates the `limit` most expensive methods of an explanation by block. `source` gives the text of a source file by
/// its path below a source root, such as `org/example/Sorter.java`.
pub fn listings(
    explanation: &Explanation,
    dataset: &Dataset,
    limit: usize,
    source: &mut dyn FnMut(&str) -> Option<String>,
) -> Result<Vec<Listing>, ExplainError> {
    if explanation.by != Grouping::Block {
        return Err(ExplainError::NotByBlock(explanation.by.noun()));
    }
    let mut methods = methods(explanation, dataset);
    methods.sort_by(|a, b| {
        b.cost
            .total_cmp(&a.cost)
            .then_with(|| a.title.cmp(&b.title))
    });
    methods.truncate(limit);
    let mut files: BTreeMap<String, Option<String>> = BTreeMap::new();
    Ok(methods
        .into_iter()
        .filter_map(|method| {
            let path = method.blocks.first()?.place.source_path();
            let text = path.as_ref().and_then(|path| {
                files
                    .entry(path.clone())
                    .or_insert_with(|| source(path))
                    .clone()
            });
            let lines = text.and_then(|text| source_lines(&text, &method, explanation.whole()));
            let path = path.filter(|_| lines.is_some());
            let lines = lines.or_else(|| bytecode_lines(method.blocks, explanation.whole()))?;
            Some(Listing {
                title: method.title,
                path,
                cost: method.cost,
                sample: explanation.sample,
                lines,
            })
        })
        .collect())
}

/// A method with everything that was counted or priced in it.
struct Method<'a> {
    title: String,
    cost: f64,
    blocks: Vec<Block<'a>>,
    /// Executions by line; empty if lines were not recorded.
    lines: BTreeMap<u32, f64>,
}

/// A block, or another feature with a place in a method.
struct Block<'a> {
    name: &'a str,
    place: Place,
    text: Option<&'a str>,
    count: f64,
    cost: f64,
}

/// Methods in which something is priced, with all their blocks: those without a price belong into a listing too.
fn methods<'a>(explanation: &'a Explanation, dataset: &'a Dataset) -> Vec<Method<'a>> {
    let columns = Columns::of(dataset);
    let mut methods: BTreeMap<String, Method> = BTreeMap::new();
    let mut seen = BTreeSet::new();
    for item in &explanation.items {
        let Some(place) = item.place.as_ref().filter(|place| place.method.is_some()) else {
            continue;
        };
        let title = place.method_name();
        let method = methods.entry(title.clone()).or_insert_with(|| Method {
            title,
            cost: 0.0,
            blocks: Vec::new(),
            lines: BTreeMap::new(),
        });
        method.cost += item.cost;
        method.blocks.push(Block {
            name: &item.name,
            place: place.clone(),
            text: item.text.as_deref(),
            count: item.count,
            cost: item.cost,
        });
        seen.insert(item.name.as_str());
    }
    for (index, feature) in dataset.features.iter().enumerate() {
        let is_block = feature.kind == FeatureKind::Block && !seen.contains(feature.name.as_str());
        if !is_block && feature.kind != FeatureKind::Line {
            continue;
        }
        let Some(place) = place(feature) else {
            continue;
        };
        if let Some(method) = methods.get_mut(&place.method_name()) {
            let count = columns
                .column(FeatureId(index as u32))
                .iter()
                .map(|(_, value)| value)
                .sum();
            if let (false, Some((line, _))) = (is_block, place.lines) {
                method.lines.insert(line, count);
                continue;
            }
            let text = feature.text.as_deref();
            method.blocks.push(Block {
                name: &feature.name,
                place,
                text,
                count,
                cost: 0.0,
            });
        }
    }
    methods.into_values().collect()
}

/// Reads source files below the given roots, the first that has it. Paths that lead out of a root are not followed.
pub fn source_reader(roots: Vec<PathBuf>) -> impl FnMut(&str) -> Option<String> {
    move |path| {
        let path = Path::new(path);
        if !path
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
        {
            return None;
        }
        roots.iter().find_map(|root| {
            let bytes = std::fs::read(root.join(path)).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        })
    }
}

/// Lines of a source file around a method; none if its blocks have no line numbers or the file is too short for them. Where lines were not
/// recorded a line has the largest count of its blocks' entries.
fn source_lines(text: &str, method: &Method, total: f64) -> Option<Vec<ListingLine>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for block in &method.blocks {
        for (line, part) in block.place.by_line() {
            let sum = sums.entry(line).or_default();
            sum.0 = sum.0.max(block.count);
            sum.1 += block.cost * part;
        }
    }
    if !method.lines.is_empty() {
        for (line, sum) in &mut sums {
            sum.0 = method.lines.get(line).copied().unwrap_or(0.0);
        }
    }
    let (&first, &last) = (sums.keys().next()?, sums.keys().next_back()?);
    if first == 0 || last as usize > lines.len() {
        return None;
    }
    let shown = first.saturating_sub(CONTEXT).max(1)..=(last + CONTEXT).min(lines.len() as u32);
    Some(
        shown
            .take(MAX_LINES)
            .map(|number| {
                let sum = sums.get(&number);
                ListingLine {
                    number: Some(number),
                    text: lines[number as usize - 1].to_owned(),
                    count: sum.map(|sum| sum.0),
                    cost: sum.map(|sum| sum.1),
                    share: sum.map(|sum| share(sum.1, total)),
                }
            })
            .collect(),
    )
}

/// The disassembly of a method's blocks, figures on the first instruction of each; none if there is no text.
fn bytecode_lines(mut blocks: Vec<Block>, total: f64) -> Option<Vec<ListingLine>> {
    blocks.retain(|block| block.place.block.is_some());
    blocks.sort_by(|a, b| {
        (a.place.pcs, a.place.block, a.name).cmp(&(b.place.pcs, b.place.block, b.name))
    });
    let mut lines = Vec::new();
    for block in blocks {
        for (index, text) in block.text.iter().flat_map(|text| text.lines()).enumerate() {
            let figure = |value: f64| (index == 0).then_some(value);
            lines.push(ListingLine {
                number: None,
                text: text.to_owned(),
                count: figure(block.count),
                cost: figure(block.cost),
                share: figure(share(block.cost, total)),
            });
        }
    }
    if lines.len() > MAX_LINES {
        let rest = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
        lines.push(ListingLine {
            text: format!("… {rest} more lines"),
            ..ListingLine::default()
        });
    }
    (!lines.is_empty()).then_some(lines)
}

fn share(cost: f64, total: f64) -> f64 {
    if total == 0.0 { 0.0 } else { cost / total }
}
