//! Texts to a file of events and back.

use std::io::{self, BufRead, Read, Write};

use super::{Static, Step, TextError, Which, read_dynamic, read_static, write_static, write_step};
use crate::extent::Extent;
use crate::reader::Reader;
use crate::stop::{Ending, Stop};
use crate::writer::Writer;

/// The file of events, in memory, that the two texts describe.
///
/// # Errors
/// If a text is not understood.
pub fn import(facts: &str, dynamic: impl BufRead) -> Result<Vec<u8>, TextError> {
    let facts = read_static(facts)?;
    let refused = |e: io::Error| {
        TextError::new(
            Which::Static,
            1,
            e.to_string(),
            "declare fewer classes and methods",
        )
    };
    let mut writer = Writer::new(Vec::new()).map_err(refused)?;
    declare(&facts, &mut writer).map_err(refused)?;
    let mut end = None;
    read_dynamic(&facts, dynamic, |step| {
        match step {
            Step::Thread(thread, name) => writer.thread(thread, &name),
            Step::Events(place, events) => writer.block(place, events),
            Step::End(ns) => {
                end = Some(ns);
                Ok(())
            }
        }
        .map_err(refused)
    })?;
    writer.finish(end).map_err(refused)
}

/// Symbols of events are declared in the order of their lines, which is that of the dictionary: two lines may declare one pair.
fn declare(facts: &Static, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
    for class in &facts.dictionary.classes {
        writer.class(class)?;
    }
    for method in &facts.dictionary.methods {
        writer.method(method)?;
    }
    for &kind in &facts.dictionary.kinds {
        writer.kind(kind)?;
    }
    Ok(())
}

/// Writes both texts of a file, which is read twice; says how it ended.
///
/// # Errors
/// If it is no file of events, or a text cannot be written.
pub fn export<R: Read>(
    mut open: impl FnMut() -> io::Result<R>,
    facts: &mut impl Write,
    dynamic: &mut impl Write,
) -> io::Result<Ending> {
    let (extent, dictionary) = Extent::scan(open()?).map_err(damaged)?;
    write_static(&dictionary, facts)?;
    let mut last = None;
    let mut names: Vec<_> = dictionary.threads.into_iter().collect();
    names.sort();
    for (thread, name) in names {
        write_step(&Step::Thread(thread, name), &mut last, dynamic)?;
    }
    let mut events = Vec::new();
    for block in Reader::new(open()?).map_err(damaged)? {
        block.decode(&mut events).map_err(damaged)?;
        write_step(&Step::Events(block.place, &events), &mut last, dynamic)?;
    }
    if let Ending::Whole(Some(end)) = extent.ending {
        write_step(&Step::End(end), &mut last, dynamic)?;
    }
    Ok(extent.ending)
}

fn damaged(stop: Stop) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, stop)
}
