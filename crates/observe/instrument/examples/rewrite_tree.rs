//! Instruments every class file under a directory into another: `rewrite_tree IN OUT`.
//!
//! Prints `class-index name counters` for each class, and what was left and why, on standard output.

use pricetag_classfile::ClassFile;
use pricetag_instrument::{Wiring, helper_class, rewrite};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let [from, to] = arguments.as_slice() else {
        return Err("usage: rewrite_tree IN OUT".into());
    };
    let mut files = Vec::new();
    find(from, &mut files)?;
    for (number, file) in files.iter().enumerate() {
        let bytes = fs::read(file)?;
        let class = ClassFile::parse(&bytes)?;
        let plan = pricetag_probe::plan(&class, &bytes);
        let wiring = Wiring {
            class_index: number as u32,
            scopes: &[],
            caught: false,
            ..Wiring::default()
        };
        let rewritten = rewrite(&bytes, Some(&plan), &wiring)?;
        println!("{number} {} {}", plan.name, plan.counters);
        for (method, reason) in &rewritten.left {
            let method = &plan.methods[usize::from(*method)];
            println!("  left {}{}: {reason}", method.name, method.descriptor);
        }
        for method in &plan.methods {
            if let pricetag_probe_plan::MethodOutcome::Left(reason) = &method.outcome {
                println!(
                    "  not planned {}{}: {reason}",
                    method.name, method.descriptor
                );
            }
        }
        write(&to.join(file.strip_prefix(from)?), &rewritten.bytes)?;
    }
    write(&to.join("java/lang/Pricetag.class"), &helper_class())?;
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(path.parent().ok_or("no parent")?)?;
    Ok(fs::write(path, bytes)?)
}

fn find(directory: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    let mut entries: Vec<PathBuf> = fs::read_dir(directory)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            find(&entry, files)?;
        } else if entry
            .extension()
            .is_some_and(|extension| extension == "class")
        {
            files.push(entry);
        }
    }
    Ok(())
}
