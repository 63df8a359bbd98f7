//! Whether there are as many events as invocations: `calls_exact TRACE PLANS EVENTS NAME` compares them method by method, prints a row of a table and fails if any differ.
//!
//! A thread that was stopped at the end may have written an invocation down that it had not counted yet: so many may differ as there are threads beside the one that ended the program.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use pricetag_events::{Ending, Flag, Reader};
use pricetag_testkit::{Counts, MethodKey};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [trace, plans, events, name] = &arguments[..] else {
        return Err("usage: calls_exact TRACE PLANS EVENTS NAME".into());
    };
    let counts = Counts::from_trace(Path::new(trace), Path::new(plans))?;
    let mut reader = Reader::new(BufReader::new(File::open(events)?))?;
    let (mut by_kind, mut symbols) = (BTreeMap::new(), Vec::new());
    let (mut threads, mut left_out, mut bytes) = (BTreeSet::new(), 0, 0);
    for block in &mut reader {
        block.decode(&mut symbols)?;
        threads.insert(block.place.thread);
        left_out += block.place.left_out;
        bytes += block.packed_bytes();
        for symbol in &symbols {
            *by_kind.entry(*symbol).or_insert(0_u64) += 1;
        }
    }
    if !matches!(reader.ending(), Ending::Whole(_)) || left_out > 0 {
        return Err(format!("{events}: {}, {left_out} left out", reader.ending()).into());
    }
    let dictionary = reader.into_dictionary();
    let mut written: BTreeMap<MethodKey, u64> = BTreeMap::new();
    let (mut native, mut leaving) = (0, 0);
    for (symbol, count) in &by_kind {
        let kind = dictionary.kinds[symbol.index()];
        let method = &dictionary.methods[kind.method.index()];
        let key = MethodKey {
            class: dictionary.class_name(method.class),
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
        };
        if counts.invocations.contains_key(&key) {
            *written.entry(key).or_default() += count;
        } else if method.flags.has(Flag::Native) {
            native += count;
        } else {
            leaving += count;
        }
    }
    let invoked = counts.invocations.iter().filter(|(_, count)| **count > 0);
    let invoked: BTreeMap<&MethodKey, u64> = invoked.map(|(key, count)| (key, *count)).collect();
    let keys: BTreeSet<&MethodKey> = written.keys().chain(invoked.keys().copied()).collect();
    let mut differing = 0;
    let mut off_by = 0;
    for key in keys {
        let (events, counted) = (
            written.get(key).copied().unwrap_or(0),
            invoked.get(key).copied().unwrap_or(0),
        );
        if events != counted {
            differing += 1;
            off_by += events.abs_diff(counted);
            eprintln!("{key:?}: {events} events, {counted} invocations");
        }
    }
    let all: u64 = by_kind.values().sum();
    let counted: u64 = written.values().sum();
    println!(
        "| {name} | {} | {} | {counted} | {} | {differing} | {native} | {leaving} | {:.3} |",
        threads.len(),
        invoked.len(),
        invoked.values().sum::<u64>(),
        bytes as f64 / all.max(1) as f64,
    );
    for caveat in &counts.inexact {
        eprintln!("{name}: {caveat}");
    }
    if off_by >= threads.len() as u64 {
        return Err(format!("{name}: {differing} methods differ").into());
    }
    Ok(())
}
