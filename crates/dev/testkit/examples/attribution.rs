//! One row of the table of docs/attribution.md: an explanation by method beside two passes of an independent profiler.
//!
//! `attribution PROGRAM FOLDER [SCOPE]` reads `explained.json` (`pricetag explain --json`) and the collapsed stacks `a-*.collapsed`
//! and `b-*.collapsed` of async-profiler with thread names. A sample of the profiler belongs to the innermost frame of the
//! program, to class loading if a frame above that loads or links classes, to the compilers or the collector by its thread.
//! With a scope, `a.B#m`, only what runs below that method is compared.
//! `attribution --header` prints the head of the table.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

use serde_json::Value;

const COMPILATION: &str = "(compilation)";
const COLLECTION: &str = "(collection)";
const LOADING: &str = "(loading)";
const OTHER: &str = "(other)";

type Shares = BTreeMap<String, f64>;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [header] if header == "--header" => {
            println!(
                "| program | samples of a pass | methods: ours to the profiler | two passes | ratio | ten hottest: largest difference | two passes | hottest the same | compilation | collection | loading |"
            );
            println!("|---|---|---|---|---|---|---|---|---|---|---|");
            Ok(())
        }
        [program, folder] => row(program, Path::new(folder), None),
        [program, folder, scope] => row(program, Path::new(folder), Some(scope)),
        _ => Err("attribution PROGRAM FOLDER [SCOPE], or attribution --header".into()),
    }
}

fn row(program: &str, folder: &Path, scope: Option<&str>) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(folder.join("explained.json"))?;
    let (own, classes) = explained(&serde_json::from_str(&text)?);
    let frame = scope.map(|scope| scope.replace('.', "/").replace('#', "."));
    let (a, samples) = profiled(folder, "a-", &classes, frame.as_deref())?;
    let (b, _) = profiled(folder, "b-", &classes, frame.as_deref())?;
    let program = match scope.and_then(|scope| scope.rsplit_once('.')) {
        Some((_, short)) => format!("{program}, `{short}`"),
        None => program.to_owned(),
    };
    let ours = f64::midpoint(distance(&own, &a), distance(&own, &b));
    let theirs = distance(&a, &b);
    let mean: Shares = names(&a, &b)
        .map(|name| {
            (
                name.to_owned(),
                f64::midpoint(share(&a, name), share(&b, name)),
            )
        })
        .collect();
    let mut hottest: Vec<(&String, f64)> = mean
        .iter()
        .filter(|(name, _)| !name.starts_with('('))
        .map(|(name, share)| (name, *share))
        .collect();
    hottest.sort_by(|x, y| y.1.total_cmp(&x.1));
    hottest.truncate(10);
    let largest = |x: &Shares, y: &Shares| {
        let differences = hottest
            .iter()
            .map(|(n, _)| (share(x, n) - share(y, n)).abs());
        differences.fold(0.0, f64::max)
    };
    let first = own
        .iter()
        .filter(|(name, _)| !name.starts_with('('))
        .max_by(|x, y| x.1.total_cmp(y.1));
    let same = match (first, hottest.first()) {
        (Some((name, _)), Some((hot, _))) if name == *hot => "yes",
        (_, Some((_, share))) if *share < 0.1 => "no (below 10 %)",
        _ => "**no**",
    };
    let line = |name: &str| {
        format!(
            "{} / {}",
            points(share(&own, name)),
            points(share(&mean, name))
        )
    };
    println!(
        "| {program} | {samples} | {} | {} | {:.2} | {} | {} | {same} | {} | {} | {} |",
        points(ours),
        points(theirs),
        ours / theirs,
        points(largest(&own, &mean)),
        points(largest(&a, &b)),
        line(COMPILATION),
        line(COLLECTION),
        line(LOADING)
    );
    for (name, share_of) in hottest.iter().take(10) {
        eprintln!(
            "  {:>5} {:>5}  {name}",
            points(share(&own, name)),
            points(*share_of)
        );
    }
    eprintln!(
        "  {:>5} {:>5}  {OTHER}",
        points(share(&own, OTHER)),
        points(share(&mean, OTHER))
    );
    Ok(())
}

fn points(share: f64) -> String {
    format!("{:.1}", 100.0 * share)
}

fn share(of: &Shares, name: &str) -> f64 {
    of.get(name).copied().unwrap_or(0.0)
}

fn names<'a>(a: &'a Shares, b: &'a Shares) -> impl Iterator<Item = &'a str> {
    let all: BTreeSet<&str> = a.keys().chain(b.keys()).map(String::as_str).collect();
    all.into_iter()
}

/// Sum of the absolute differences at methods of the program.
fn distance(a: &Shares, b: &Shares) -> f64 {
    let methods = names(a, b).filter(|name| !name.starts_with('('));
    methods
        .map(|name| (share(a, name) - share(b, name)).abs())
        .sum()
}

/// Shares by method without parameters, as the profiler's stacks have no others; and the classes of the program.
fn explained(found: &Value) -> (Shares, BTreeSet<String>) {
    let (mut shares, mut classes) = (Shares::new(), BTreeSet::new());
    for item in found["items"].as_array().into_iter().flatten() {
        let place = &item["place"];
        let name = match (place["class"].as_str(), place["method"].as_str()) {
            (Some(class), Some(method)) => {
                classes.insert(class.to_owned());
                format!("{class}.{method}")
            }
            _ => match item["name"].as_str() {
                Some("JIT compilation") => COMPILATION.to_owned(),
                Some("garbage collection") => COLLECTION.to_owned(),
                Some("class loading and linking") => LOADING.to_owned(),
                _ => OTHER.to_owned(),
            },
        };
        *shares.entry(name).or_default() += item["share"].as_f64().unwrap_or(0.0);
    }
    (shares, classes)
}

fn profiled(
    folder: &Path,
    prefix: &str,
    classes: &BTreeSet<String>,
    scope: Option<&str>,
) -> Result<(Shares, u64), Box<dyn Error>> {
    let (mut shares, mut all) = (Shares::new(), 0);
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with(prefix) {
            continue;
        }
        for line in std::fs::read_to_string(entry.path())?.lines() {
            let Some((stack, samples)) = line.rsplit_once(' ') else {
                continue;
            };
            let (samples, frames): (u64, Vec<&str>) =
                (samples.parse()?, stack.split(';').collect());
            let inside = match scope {
                None => Some(&frames[..]),
                // Before the scope's frame stands the thread, which it replaces.
                Some(scope) => frames
                    .iter()
                    .position(|f| *f == scope)
                    .map(|at| &frames[at - 1..]),
            };
            if let Some(name) = inside.and_then(|frames| account(frames, classes)) {
                *shares.entry(name).or_default() += samples as f64;
                all += samples;
            }
        }
    }
    for share in shares.values_mut() {
        *share /= all.max(1) as f64;
    }
    Ok((shares, all))
}

/// Whom a stack of the profiler belongs to; none before the program's `main`.
fn account(frames: &[&str], classes: &BTreeSet<String>) -> Option<String> {
    let (thread, frames) = frames.split_first()?;
    let begins = |names: &[&str]| names.iter().any(|name| thread.starts_with(name));
    if begins(&["[C1 Comp", "[C2 Comp"]) {
        return Some(COMPILATION.to_owned());
    }
    if begins(&["[GC ", "[G1 ", "[ParGC"]) {
        return Some(COLLECTION.to_owned());
    }
    let class = |frame: &str| {
        let (class, _) = frame.rsplit_once('.')?;
        classes.contains(class).then_some(())
    };
    let innermost = frames.iter().rposition(|frame| class(frame).is_some());
    let launcher = frames
        .iter()
        .any(|frame| frame.starts_with("sun/launcher/"));
    if innermost.is_none() && launcher {
        return None;
    }
    let above = innermost.map_or(0, |at| at + 1);
    if frames[above..].iter().any(|frame| loads(frame)) {
        return Some(LOADING.to_owned());
    }
    if let Some(at) = innermost {
        return Some(frames[at].to_owned());
    }
    // The JVM's start, the launcher, and the profiler's own threads.
    let java = frames
        .iter()
        .any(|frame| frame.contains('/') && frame.contains('.'));
    let vm = begins(&[
        "[VM ",
        "[Signal",
        "[Service",
        "[Monitor",
        "[Notification",
        "[Common",
        "[Finalizer",
        "[Reference",
    ]);
    (java || vm).then(|| OTHER.to_owned())
}

/// Whether a frame loads or links classes.
fn loads(frame: &str) -> bool {
    const JAVA: [&str; 5] = [
        "java/lang/ClassLoader.",
        "java/security/SecureClassLoader.",
        "java/net/URLClassLoader.",
        "java/lang/invoke/MethodHandleNatives.",
        "jdk/internal/loader/",
    ];
    const NATIVE: [&str; 7] = [
        "SystemDictionary::",
        "ClassFileParser",
        "LinkResolver::",
        "InstanceKlass::link",
        "ClassLoader::",
        "KlassFactory::",
        "ConstantPool::klass_at",
    ];
    JAVA.iter()
        .chain(&NATIVE)
        .any(|name| frame.starts_with(name))
}
