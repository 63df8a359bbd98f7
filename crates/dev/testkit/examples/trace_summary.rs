//! What a trace says about classes: `trace_summary TRACE` prints how many were counted, how many methods or classes were left
//! and for which reasons, and everything that makes counts inexact.

use pricetag_trace::{Record, TraceReader};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let path: PathBuf = std::env::args_os()
        .nth(1)
        .ok_or("usage: trace_summary TRACE")?
        .into();
    let mut reader = TraceReader::open(&path)?;
    let (mut counted, mut ended) = (0_u64, false);
    let (mut left, mut inexact) = (BTreeMap::<String, u64>::new(), BTreeMap::new());
    while let Some(record) = reader.next_record()? {
        match record {
            Record::Class(_) => counted += 1,
            Record::Left(one) => {
                let what = if one.method.is_some() {
                    "method"
                } else {
                    "class"
                };
                eprintln!(
                    "{}.{}: {}",
                    one.class,
                    one.method.unwrap_or_default(),
                    one.reason
                );
                *left
                    .entry(format!("left {what}: {}", one.reason))
                    .or_default() += 1;
            }
            Record::Inexact(text) => *inexact.entry(format!("inexact: {text}")).or_default() += 1,
            Record::End => ended = true,
            _ => {}
        }
    }
    println!("{counted} counted classes");
    for (text, times) in left.iter().chain(&inexact) {
        println!("{times} {text}");
    }
    if !ended {
        println!("1 trace ends early");
    }
    Ok(())
}
