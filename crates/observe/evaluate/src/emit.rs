//! Puts counters, stops and guards into the classes of a program and packs them with the Java code that runs them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read as _, Write as _};

use pricetag_classfile::opcode;
use pricetag_dataset::{Feature, FeatureKind};
use pricetag_instrument::insert::{Argument, Change, Insertion, Place, change};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::effects::redirection;
use crate::error::EvaluateError;
use crate::graph::{Graph, MethodId};
use crate::guards::{Guard, side};
use crate::program::Program;
use crate::runtime::{HOOKS, MAIN, RUNTIME_CLASSES};
use crate::stops::{Stops, Updates};

/// Where our files lie in a predictor.
pub const FOLDER: &str = "META-INF/pricetag/";
/// The JSON of the evaluator.
pub const JSON: &str = "META-INF/pricetag/predictor.json";

/// Most that is read of it, bytes.
const LARGEST_JSON: u64 = 1 << 30;

/// Where something is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The method.
    pub method: MethodId,
    /// Where in it.
    pub place: Place,
}

/// Kinds of features that can be counted by themselves.
pub const COUNTABLE: [FeatureKind; 3] =
    [FeatureKind::Method, FeatureKind::Loop, FeatureKind::Branch];

impl Spot {
    /// Where a feature is counted; none if it is of another kind.
    ///
    /// # Errors
    /// If the program has no such place.
    pub fn of(feature: &Feature, graph: &Graph<'_>) -> Result<Option<Self>, EvaluateError> {
        let missing = || EvaluateError::Missing {
            what: feature.name.clone(),
        };
        let part = |text: &Option<String>| text.clone().ok_or_else(missing);
        if !COUNTABLE.contains(&feature.kind) {
            return Ok(None);
        }
        let (class, name) = (part(&feature.class)?, part(&feature.method)?);
        let id = graph.find(&class, &name, &part(&feature.descriptor)?);
        let method = id.ok_or_else(missing)?;
        let flow = graph.method(method).flow.as_ref().ok_or_else(missing)?;
        let (start, end) = feature.pcs.ok_or_else(missing)?;
        let place = match feature.kind {
            FeatureKind::Method => Place::Entry,
            FeatureKind::Loop => {
                flow.cfg.instructions.index_of(start).ok_or_else(missing)?;
                Place::Before(start as u16)
            }
            _ => {
                let Some(taken) = side(feature) else {
                    return Ok(None);
                };
                let mut instructions = flow.cfg.instructions.iter();
                let branch =
                    instructions.find(|i| i.end() == end && opcode::is_conditional(i.opcode));
                let pc = branch.ok_or_else(missing)?.pc;
                if taken {
                    Place::Taken(pc)
                } else {
                    Place::NotTaken(pc)
                }
            }
        };
        // On the taken side nothing is put in where monitors are held.
        let monitors = flow
            .cfg
            .instructions
            .iter()
            .any(|i| i.opcode == opcode::MONITORENTER);
        Ok(
            Some(Self { method, place })
                .filter(|_| !(monitors && matches!(place, Place::Taken(_)))),
        )
    }
}

/// What is counted, as places of the graph.
pub fn updates<'s>(spots: impl IntoIterator<Item = &'s Spot>, graph: &Graph<'_>) -> Updates {
    let mut updates = Updates::default();
    for spot in spots {
        let index = match spot.place {
            Place::Entry => {
                updates.entries.insert(spot.method);
                continue;
            }
            Place::Before(pc) | Place::Taken(pc) | Place::NotTaken(pc) => {
                let flow = graph.method(spot.method).flow.as_ref();
                flow.and_then(|flow| flow.cfg.instructions.index_of(u32::from(pc)))
            }
        };
        updates.at.entry(spot.method).or_default().extend(index);
    }
    updates
}

/// Guards of a predictor.
pub type Guards = Vec<Guard>;

/// What is put into a program.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Counters, by number.
    pub counters: Vec<Spot>,
    /// Where each group of them is final.
    pub groups: Vec<Stops>,
    /// Code that no training run reached.
    pub guards: Guards,
    /// Methods that return at once.
    pub emptied: BTreeSet<MethodId>,
}

/// A rewritten program.
#[derive(Clone, Debug, Default)]
pub struct Rewritten {
    /// Changed classes, by internal name.
    pub classes: BTreeMap<String, Vec<u8>>,
    /// Places where files are opened for writing, which lead nowhere.
    pub redirected: usize,
    /// Methods that are without guards, with the reason.
    pub unguarded: Vec<(String, String)>,
}

/// Rewrites the classes of a program.
///
/// # Errors
/// If a method that has to be changed cannot be.
pub fn rewrite(graph: &Graph<'_>, places: &Places) -> Result<Rewritten, EvaluateError> {
    let call = |place, name: &str, number: usize| Insertion {
        place,
        owner: HOOKS.to_owned(),
        name: name.to_owned(),
        descriptor: "(I)V".to_owned(),
        argument: Argument::Number(number as i32),
    };
    let mut rewritten = Rewritten::default();
    let mut guards: BTreeMap<MethodId, Vec<Insertion>> = BTreeMap::new();
    let mut needed: BTreeMap<MethodId, Vec<Insertion>> = BTreeMap::new();
    for (number, guard) in places.guards.iter().enumerate() {
        let list = guards.entry(guard.method).or_default();
        list.push(call(guard.place, "unseen", number));
    }
    for (number, spot) in places.counters.iter().enumerate() {
        let list = needed.entry(spot.method).or_default();
        list.push(call(spot.place, "count", number));
    }
    for (number, stops) in places.groups.iter().enumerate() {
        for &(method, index) in stops {
            let flow = graph.method(method).flow.as_ref();
            let pc = flow
                .and_then(|flow| flow.cfg.instructions.get(index))
                .map(|i| i.pc);
            let stop = pc.map(|pc| call(Place::Before(pc), "last", number));
            needed.entry(method).or_default().extend(stop);
        }
    }
    let mut by_class: BTreeMap<usize, BTreeMap<u16, MethodId>> = BTreeMap::new();
    for id in graph.ids() {
        let method = graph.method(id);
        let file = &graph.classes[method.class].file;
        for instruction in method
            .flow
            .iter()
            .flat_map(|flow| flow.cfg.instructions.iter())
        {
            if let Some(insertion) = redirection(file, instruction) {
                rewritten.redirected += 1;
                guards.entry(id).or_default().push(insertion);
            }
        }
        let changed = guards.contains_key(&id) || needed.contains_key(&id);
        if changed || places.emptied.contains(&id) {
            by_class
                .entry(method.class)
                .or_default()
                .insert(method.index, id);
        }
    }
    let none = Vec::new();
    for (class, methods) in by_class {
        let file = &graph.classes[class].file;
        let with = |left: &BTreeSet<u16>| -> BTreeMap<u16, Change> {
            let changes = methods.iter().map(|(&index, id)| {
                if places.emptied.contains(id) {
                    return (index, Change::Emptied);
                }
                let guards = guards.get(id).filter(|_| !left.contains(&index));
                let calls = guards.unwrap_or(&none).iter();
                let calls = calls.chain(needed.get(id).unwrap_or(&none));
                (index, Change::Calls(calls.cloned().collect()))
            });
            changes.collect()
        };
        let failed = |reason: String| EvaluateError::Rewrite {
            method: file.name(),
            reason,
        };
        let mut result =
            change(file.bytes(), &with(&BTreeSet::new())).map_err(|e| failed(e.to_string()))?;
        if !result.left.is_empty() {
            let left: BTreeSet<u16> = result.left.iter().map(|(index, _)| *index).collect();
            let reasons = std::mem::take(&mut result.left);
            result = change(file.bytes(), &with(&left)).map_err(|e| failed(e.to_string()))?;
            for (index, reason) in &result.left {
                let id = methods[index];
                if needed.contains_key(&id) || places.emptied.contains(&id) {
                    return Err(EvaluateError::Rewrite {
                        method: graph.shown(id),
                        reason: reason.clone(),
                    });
                }
            }
            let told = reasons
                .into_iter()
                .map(|(i, why)| (graph.shown(methods[&i]), why));
            rewritten.unguarded.extend(told);
        }
        rewritten.classes.insert(file.name(), result.bytes);
    }
    Ok(rewritten)
}

/// Packs a rewritten program with the Java code that runs it, and with what that reads.
///
/// # Errors
/// If the archive cannot be written.
pub fn pack(
    program: &Program,
    rewritten: &Rewritten,
    guards: &[Guard],
    table: &str,
    json: &str,
) -> Result<Vec<u8>, EvaluateError> {
    let wrong = |reason: String| EvaluateError::Pack { reason };
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let mut put = |name: &str, bytes: &[u8]| -> Result<(), EvaluateError> {
        writer
            .start_file(name, entry_options())
            .map_err(|e| wrong(e.to_string()))?;
        writer.write_all(bytes).map_err(|e| wrong(e.to_string()))
    };
    let manifest = format!("Manifest-Version: 1.0\r\nMain-Class: {MAIN}\r\n\r\n");
    put("META-INF/MANIFEST.MF", manifest.as_bytes())?;
    put(&format!("{FOLDER}predictor.txt"), table.as_bytes())?;
    put(JSON, json.as_bytes())?;
    let unseen: Vec<&str> = guards.iter().map(|guard| guard.shown.as_str()).collect();
    put(&format!("{FOLDER}unseen.txt"), unseen.join("\n").as_bytes())?;
    for (name, bytes) in RUNTIME_CLASSES {
        put(&format!("{name}.class"), bytes)?;
    }
    for (name, bytes) in &program.entries {
        if name.starts_with("pricetag/predictor/") {
            return Err(wrong(format!("the program is a predictor itself ({name})")));
        }
        let class = name.strip_suffix(".class");
        let changed = class.and_then(|class| rewritten.classes.get(class));
        put(name, changed.unwrap_or(bytes))?;
    }
    let packed = writer.finish().map_err(|e| wrong(e.to_string()))?;
    Ok(packed.into_inner())
}

/// A predictor with another description of itself.
///
/// # Errors
/// If the archive cannot be read or written.
pub fn described(archive: &[u8], json: &str) -> Result<Vec<u8>, EvaluateError> {
    let wrong = |e: zip::result::ZipError| EvaluateError::Pack {
        reason: e.to_string(),
    };
    let mut reader = ZipArchive::new(Cursor::new(archive)).map_err(wrong)?;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for index in 0..reader.len() {
        let entry = reader.by_index_raw(index).map_err(wrong)?;
        if entry.name_raw() == JSON.as_bytes() {
            continue;
        }
        writer.raw_copy_file(entry).map_err(wrong)?;
    }
    writer.start_file(JSON, entry_options()).map_err(wrong)?;
    let written = writer.write_all(json.as_bytes());
    written.map_err(|e| EvaluateError::Pack {
        reason: e.to_string(),
    })?;
    Ok(writer.finish().map_err(wrong)?.into_inner())
}

fn entry_options() -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644)
}

/// The JSON in a predictor.
///
/// # Errors
/// If it is none.
pub fn json_of(archive: &[u8]) -> Result<String, EvaluateError> {
    let none = |reason: String| EvaluateError::NoPredictor { reason };
    let mut reader = ZipArchive::new(Cursor::new(archive)).map_err(|e| none(e.to_string()))?;
    let entry = reader.by_name(JSON).map_err(|e| none(e.to_string()))?;
    let mut text = String::new();
    entry
        .take(LARGEST_JSON)
        .read_to_string(&mut text)
        .map_err(|e| none(e.to_string()))?;
    Ok(text)
}
