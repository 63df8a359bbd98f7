//! Plans every class file under a directory and prints what came of it.
//!
//! ```text
//! jimage extract --dir classes --include 'regex:/java.base/.*' $JAVA_HOME/lib/modules
//! cargo run --release -p pricetag-probe --example plan_all -- classes
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pricetag_classfile::ClassFile;
use pricetag_probe_plan::{ClassPlan, MethodOutcome};

fn class_files(directory: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            class_files(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "class") {
            found.push(path);
        }
    }
    Ok(())
}

#[derive(Default)]
struct Totals {
    methods: usize,
    blocks: usize,
    edges: usize,
    edge_counters: usize,
    throw_points: usize,
    handlers: usize,
    loops: usize,
    irreducible: usize,
    left: BTreeMap<String, usize>,
}

impl Totals {
    fn add(&mut self, plan: &ClassPlan) {
        for method in &plan.methods {
            match &method.outcome {
                MethodOutcome::NoCode => continue,
                MethodOutcome::Left(reason) => {
                    println!(
                        "left {}.{}{}: {reason}",
                        plan.name, method.name, method.descriptor
                    );
                    *self.left.entry(reason.clone()).or_default() += 1;
                    continue;
                }
                MethodOutcome::Counted => {}
            }
            self.methods += 1;
            self.blocks += method.blocks.len();
            self.edges += method.edges.len();
            self.edge_counters += method.edges.iter().filter(|e| e.counter.is_some()).count();
            self.throw_points += method.throw_points.len();
            self.handlers += method.handlers.len();
            self.loops += method.loops.len();
            self.irreducible += method.loops.iter().filter(|l| !l.reducible).count();
            let zeros = vec![0; plan.counters as usize];
            if let Err(imbalance) = method.derive(&zeros, &[]) {
                println!(
                    "IMBALANCE {}.{}{}: {imbalance}",
                    plan.name, method.name, method.descriptor
                );
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("usage: plan_all DIRECTORY")?;
    let mut files = Vec::new();
    class_files(Path::new(&directory), &mut files)?;
    files.sort();
    let classes = files
        .iter()
        .map(std::fs::read)
        .collect::<Result<Vec<_>, _>>()?;
    let bytes: usize = classes.iter().map(Vec::len).sum();
    let start = Instant::now();
    let mut plans = Vec::with_capacity(classes.len());
    for (file, bytes) in files.iter().zip(&classes) {
        match ClassFile::parse(bytes) {
            Ok(class) => plans.push(pricetag_probe::plan(&class, bytes)),
            Err(error) => println!("unreadable {}: {error}", file.display()),
        }
    }
    let elapsed = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let mut stored = 0;
    for plan in &plans {
        let bytes = plan.to_bytes()?;
        stored += bytes.len();
        if ClassPlan::from_bytes(&bytes)? != *plan {
            println!("CODEC {} does not read back", plan.name);
        }
    }
    let coded = start.elapsed().as_secs_f64();
    let mut t = Totals::default();
    for plan in &plans {
        t.add(plan);
    }
    let per_100 = |n: usize| n as f64 * 100.0 / t.blocks.max(1) as f64;
    let megabytes = bytes as f64 / 1e6;
    println!(
        "{} classes, {megabytes:.1} MB, planned in {elapsed:.2} s, {:.0} MB/s",
        plans.len(),
        megabytes / elapsed
    );
    println!(
        "plans {:.1} MB, written and read back in {coded:.2} s",
        stored as f64 / 1e6
    );
    println!(
        "{} methods counted, {} left",
        t.methods,
        t.left.values().sum::<usize>()
    );
    println!(
        "{} blocks, {} edges, {} loops ({} irreducible)",
        t.blocks, t.edges, t.loops, t.irreducible
    );
    println!(
        "per 100 blocks: {:.1} edge counters, {:.1} throw points, {:.1} handlers",
        per_100(t.edge_counters),
        per_100(t.throw_points),
        per_100(t.handlers)
    );
    Ok(())
}
