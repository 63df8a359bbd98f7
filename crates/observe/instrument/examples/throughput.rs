//! How many bytes of class files are planned and rewritten per second of CPU time, on one thread, and a hash of all plans and of all rewritten
//! classes, by which two versions of the planner can be compared.
//!
//! ```text
//! jimage extract --dir classes --include 'regex:/java.base/.*' $JAVA_HOME/lib/modules
//! cargo run --release -p pricetag-instrument --example throughput -- classes [ROUNDS] [STEP]
//! ```
//! With a step (`plan`, say) nothing else is done, for profiles; `hashes` prints every plan's. Figures are those of the fastest of several rounds; a round goes over all classes.

use pricetag_classfile::ClassFile;
use pricetag_instrument::{Wiring, rewrite};
use pricetag_probe_plan::{ClassHash, ClassPlan};
use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

const WIRING: Wiring<'_> = Wiring {
    class_index: 1000,
    scopes: &[],
    caught: false,
    callers: None,
    calls: false,
    asked: &[],
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments
        .next()
        .ok_or("usage: throughput DIRECTORY [ROUNDS]")?;
    let rounds: u32 = arguments.next().map_or(Ok(5), |rounds| rounds.parse())?;
    let only = arguments.next();
    let mut classes = Vec::new();
    read(Path::new(&directory), &mut classes)?;
    let megabytes = classes.iter().map(Vec::len).sum::<usize>() as f64 / 1e6;
    let plans: Vec<ClassPlan> = classes.iter().map(|bytes| plan(bytes)).collect();
    let stored: Vec<Vec<u8>> = plans
        .iter()
        .map(ClassPlan::to_bytes)
        .collect::<Result<_, _>>()?;
    let mut hashes = (Vec::new(), Vec::new());
    let hashed = if only.is_some() { 0 } else { classes.len() };
    for (bytes, plan) in classes.iter().zip(&plans).take(hashed) {
        hashes
            .0
            .extend(ClassHash::of(&plan.to_bytes()?).0.to_le_bytes());
        let rewritten = rewrite(bytes, Some(plan), &WIRING)?;
        let found = format!("{rewritten:?}");
        hashes
            .1
            .extend(ClassHash::of(found.as_bytes()).0.to_le_bytes());
    }
    println!(
        "{} classes, {megabytes:.1} MB; plans {}, rewritten classes {}",
        classes.len(),
        ClassHash::of(&hashes.0),
        ClassHash::of(&hashes.1)
    );
    if only.as_deref() == Some("hashes") {
        for (plan, bytes) in plans.iter().zip(&stored) {
            println!("{} {}", plan.name, ClassHash::of(bytes));
        }
    }
    let report = |what: &str, work: &dyn Fn(usize)| {
        if only.as_deref().is_some_and(|only| only != what) {
            return;
        }
        let fastest = (0..rounds)
            .map(|_| {
                let start = processor_time();
                (0..classes.len()).for_each(work);
                processor_time() - start
            })
            .fold(f64::INFINITY, f64::min);
        println!("{what:18} {:6.1} MB/s", megabytes / fastest);
    };
    report("parse", &|i| {
        black_box(ClassFile::parse(&classes[i]).is_ok());
    });
    report("plan", &|i| {
        black_box(plan(&classes[i]));
    });
    report("rewrite", &|i| {
        black_box(rewrite(&classes[i], Some(&plans[i]), &WIRING).is_ok());
    });
    report("plan and rewrite", &|i| {
        let plan = plan(&classes[i]);
        black_box(rewrite(&classes[i], Some(&plan), &WIRING).is_ok());
    });
    report("encode plan", &|i| {
        black_box(plans[i].to_bytes().is_ok());
    });
    report("decode plan", &|i| {
        black_box(ClassPlan::from_bytes(&stored[i]).is_ok());
    });
    Ok(())
}

/// Seconds that this thread has run; wall time where the kernel does not tell.
fn processor_time() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    ran.map_or_else(
        || START.get_or_init(Instant::now).elapsed().as_secs_f64(),
        |nanoseconds| nanoseconds / 1e9,
    )
}

fn plan(bytes: &[u8]) -> ClassPlan {
    let class = ClassFile::parse(bytes).expect("a class that was parsed before");
    pricetag_probe::plan(&class, bytes)
}

/// Every readable class file under a directory, in order of their paths.
fn read(directory: &Path, classes: &mut Vec<Vec<u8>>) -> std::io::Result<()> {
    let mut entries: Vec<_> = fs::read_dir(directory)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            read(&entry, classes)?;
        } else if entry.extension().is_some_and(|e| e == "class") {
            classes.extend(Some(fs::read(&entry)?).filter(|bytes| ClassFile::parse(bytes).is_ok()));
        }
    }
    Ok(())
}
