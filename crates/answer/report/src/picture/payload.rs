//! The data of the page: a description as JSON, and parts of packed bytes that are read when they are looked at.

use pricetag_classfile::naming;
use serde_json::{Value, json};

use super::calls::{CHUNK, Kept};
use super::marks::{BINS, Marks};
use super::pyramid::Level;
use super::{Picture, PictureFacts, PictureMark};
use crate::strings::number;

/// Calls a bin should have at least where single calls are in the page, too.
const COARSE: u64 = 64;

/// The description, and the parts that it names by number.
pub(super) fn payload(picture: Picture, facts: &PictureFacts) -> (Value, Vec<Vec<u8>>) {
    let mut parts = Vec::new();
    let total = picture.at;
    let kept = picture.calls.finish();
    let whole = kept.range == (0..total);
    let most = if whole { total / COARSE } else { u64::MAX };
    let axes = picture.pyramids.map(|pyramid| {
        pyramid.map(|pyramid| {
            let (_, length) = pyramid.range();
            let levels = pyramid.levels(most);
            json!({ "length": length, "levels": levels.into_iter().map(|l| level(l, &mut parts)).collect::<Vec<_>>() })
        })
    });
    let marks: Vec<Value> = picture
        .marks
        .into_iter()
        .zip(&picture.wanted)
        .map(|(marks, wanted)| mark(marks, wanted, &mut parts))
        .collect();
    let calls = calls(kept, &mut parts);
    let dictionary = &picture.dictionary;
    let ids = |find: &dyn Fn(usize) -> Value| -> Value {
        (0..dictionary.kinds.len()).map(find).collect()
    };
    let data = json!({
        "input": facts.input,
        "total": total,
        "time": picture.clock.range().map(|(from, to)| to - from),
        "untimed": picture.untimed,
        "classes": dictionary.classes.iter().map(|class| {
            json!([class.name, class.superclass.map_or(-1, |id| i64::from(id.0)), u8::from(class.interface)])
        }).collect::<Vec<_>>(),
        "methods": dictionary.methods.iter().map(|method| {
            // How analyses name it is its class, and this.
            let raw = format!("{}{}", method.name, method.descriptor);
            json!([method.class.0, raw, format!("{}{}", method.name, naming::parameters(&method.descriptor))])
        }).collect::<Vec<_>>(),
        "receivers": ids(&|kind| dictionary.kinds[kind].receiver.0.into()),
        "invoked": ids(&|kind| dictionary.kinds[kind].method.0.into()),
        "counts": picture.counts,
        "firsts": ids(&|kind| match picture.first[kind] {
            u64::MAX => Value::Null,
            first => first.into(),
        }),
        "prices": facts.prices.as_ref().map(|prices| prices.iter().map(|&p| number(p)).collect::<Vec<_>>()),
        "threads": picture.strands.iter().map(|strand| {
            let name = dictionary.threads.get(&strand.id);
            json!([strand.id.0.to_string(), name, strand.lane, strand.events, strand.left_out])
        }).collect::<Vec<_>>(),
        "lanes": picture.lanes,
        "axes": axes,
        "calls": calls,
        "marks": marks,
        "markBins": BINS,
        "markWidths": picture.axes.map(|axis| axis.map(|axis| axis.width())),
        "gaps": picture.gaps.iter().map(|gap| json!([gap.thread, gap.at, gap.events, gap.ns])).collect::<Vec<_>>(),
        "gapsUntold": picture.gaps_untold,
        "analysis": facts.analysis,
    });
    (data, parts)
}

fn part(bytes: Vec<u8>, parts: &mut Vec<Vec<u8>>) -> usize {
    parts.push(bytes);
    parts.len() - 1
}

fn level(level: Level, parts: &mut Vec<Vec<u8>>) -> Value {
    let tiles = level.tiles.into_iter();
    let tiles = tiles.map(|(first, bins, bytes)| {
        json!([first, bins, part(super::pack::deflate(&bytes), parts)])
    });
    json!({ "width": level.width, "tiles": tiles.collect::<Vec<_>>() })
}

fn mark(marks: Marks, wanted: &PictureMark, parts: &mut Vec<Vec<u8>>) -> Value {
    let (count, events) = (marks.count, marks.events);
    let (bytes, whole) = marks.pack();
    json!({
        "count": count,
        "events": events,
        "kinds": wanted.kinds.iter().map(|kind| kind.0).collect::<Vec<_>>(),
        "part": part(bytes, parts),
        "whole": whole,
    })
}

fn calls(kept: Kept, parts: &mut Vec<Vec<u8>>) -> Value {
    let chunks = kept.chunks.into_iter();
    let chunks: Vec<usize> = chunks.map(|chunk| part(chunk, parts)).collect();
    json!({
        "from": kept.range.start,
        "to": kept.range.end,
        "cut": kept.cut,
        "size": CHUNK,
        "planes": kept.planes,
        "chunks": chunks,
        "runs": part(kept.runs, parts),
    })
}
