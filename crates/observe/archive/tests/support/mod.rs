//! Archives made of files, and what ran from them.

use std::ffi::OsString;
use std::fs;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};

use pricetag_archive::{CountsFile, Program};
use pricetag_probe_plan::PlanStore;
use pricetag_testkit::Counts;
use pricetag_trace::TraceWriter;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// An archive of entries; names that begin with `=` are stored without compression.
pub fn archive(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let (name, method) = match name.strip_prefix('=') {
            Some(name) => (name, CompressionMethod::Stored),
            None => (name.as_str(), CompressionMethod::Deflated),
        };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::from_date_and_time(2001, 2, 3, 4, 5, 6).unwrap());
        if name.ends_with('/') {
            writer.add_directory(name, options).unwrap();
        } else {
            writer.start_file(name, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

/// All files below a directory, as entries below `prefix`, in the order of their names.
pub fn entries(directory: &Path, prefix: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(directory).unwrap().to_str().unwrap();
                found.push((format!("{prefix}{name}"), fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// The files of counts that lie at a path and at those numbered after it.
pub fn counts_at(path: &Path) -> Vec<CountsFile> {
    let mut paths = vec![path.to_path_buf()];
    let numbered = |n: u32| {
        let mut name = OsString::from(path);
        name.push(format!(".{n}"));
        PathBuf::from(name)
    };
    paths.extend((1..).map(numbered).take_while(|path| path.exists()));
    let read = |path: &PathBuf| CountsFile::parse(&fs::read(path).expect("counts")).unwrap();
    paths.iter().map(read).collect()
}

/// Counts per instruction of what an instrumented archive wrote.
pub fn derived(instrumented: &[u8], counts: &[CountsFile], scratch: &Path) -> Counts {
    let program = Program::read(instrumented).expect("an instrumented archive");
    let plans = scratch.join("plans");
    program
        .store_plans(&PlanStore::open(&plans).unwrap())
        .unwrap();
    let trace = program.trace(counts).expect("counts of this archive");
    let path = scratch.join("trace");
    let _ = fs::remove_file(&path);
    let mut writer = TraceWriter::create(&path).unwrap();
    for record in &trace.records {
        writer.write(record).unwrap();
    }
    writer.flush().unwrap();
    Counts::from_trace(&path, &plans).expect("a complete trace")
}
