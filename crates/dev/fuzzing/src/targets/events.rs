//! Files of events, whole and with their checksums put right, and the paper's two texts.

use pricetag_events::text::{export, import};
use pricetag_events::{Block, Ending, MAGIC, Reader, Symbol, VERSION, Writer};

/// Reading stops at the first damage; what was read is written and read again the same, and so are its texts.
///
/// # Panics
/// If that does not hold.
pub fn events(bytes: &[u8]) {
    one_file(bytes);
    one_file(&with_frames(bytes));
    if let Ok(text) = std::str::from_utf8(bytes) {
        let (facts, dynamic) = text.split_once("\n---\n").unwrap_or((text, ""));
        if let Ok(file) = import(facts, dynamic.as_bytes()) {
            texts(&file);
        }
    }
}

fn one_file(bytes: &[u8]) {
    let Ok(mut reader) = Reader::new(bytes) else {
        return;
    };
    let mut blocks: Vec<(Block, Vec<Symbol>)> = Vec::new();
    for block in reader.by_ref() {
        let mut events = Vec::new();
        if block.decode(&mut events).is_ok() {
            assert_eq!(events.len(), block.count as usize);
            blocks.push((block, events));
        }
    }
    assert_ne!(*reader.ending(), Ending::Open);
    let dictionary = reader.dictionary();
    let mut writer = Writer::new(Vec::new()).expect("memory");
    for class in &dictionary.classes {
        writer.class(class).expect("a class that was read");
    }
    for method in &dictionary.methods {
        writer.method(method).expect("a method that was read");
    }
    for &kind in &dictionary.kinds {
        writer.kind(kind).expect("a kind that was read");
    }
    // A hostile file may declare a kind twice; a writer does not.
    let distinct = dictionary
        .kinds
        .iter()
        .collect::<std::collections::HashSet<_>>();
    if distinct.len() < dictionary.kinds.len() {
        return;
    }
    for (block, events) in &blocks {
        // It refuses numbers of events beyond 2⁶⁴.
        if writer.block(block.place, events).is_err() {
            return;
        }
    }
    let written = writer.finish(None).expect("memory");
    let again: Vec<Vec<Symbol>> = Reader::new(written.as_slice())
        .expect("what was just written")
        .map(|block| {
            let mut events = Vec::new();
            block.decode(&mut events).expect("what was just written");
            events
        })
        .collect();
    let told =
        |(block, events): &&(Block, Vec<Symbol>)| block.place.left_out > 0 || !events.is_empty();
    assert!(
        again
            .iter()
            .eq(blocks.iter().filter(told).map(|(_, events)| events))
    );
}

fn texts(file: &[u8]) {
    let both = |file: &[u8]| {
        let (mut facts, mut dynamic) = (Vec::new(), Vec::new());
        export(|| Ok(file), &mut facts, &mut dynamic).expect("what was just written");
        [facts, dynamic].map(|text| String::from_utf8(text).expect("text"))
    };
    let [facts, dynamic] = both(file);
    let again = import(&facts, dynamic.as_bytes()).expect("what was exported");
    assert_eq!(both(&again), [facts, dynamic]);
}

/// `bytes` as frames with right checksums: kind, length (one byte), payload, and so on.
fn with_frames(bytes: &[u8]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend(VERSION.to_le_bytes());
    let mut rest = bytes;
    while let [kind, length, tail @ ..] = rest {
        let (payload, tail) = tail.split_at(tail.len().min(usize::from(*length)));
        let kind = kind % 5;
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&[kind]);
        checksum.update(payload);
        out.push(kind);
        out.extend((payload.len() as u32).to_le_bytes());
        out.extend(checksum.finalize().to_le_bytes());
        out.extend(payload);
        rest = tail;
    }
    out
}
