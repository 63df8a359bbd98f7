//! What both builds execute, as stacks for flame graphs: class, method, lines. Counts say what a block executes, not who called its method.

use std::collections::BTreeMap;

use pricetag_dataset::Dataset;

use crate::align;
use crate::code::{Block, methods};
use crate::compare::{CompareError, common};
use crate::counts::Counts;

/// A stack, and its instructions before and after, over the inputs that both sides have. The sums are exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executed {
    /// From the outermost frame on.
    pub frames: Vec<String>,
    /// Executed instructions before and after.
    pub instructions: [u64; 2],
}

/// All that is executed on either side, in the order of the frames.
///
/// # Errors
/// If they have no inputs in common, or one was not counted.
pub fn executed(before: &Dataset, after: &Dataset) -> Result<Vec<Executed>, CompareError> {
    let (rows, _) = common(before, after)?;
    let [old, new] = [before, after].map(methods);
    for (side, found) in [("the first dataset", &old), ("the second dataset", &new)] {
        if found.iter().all(|m| m.blocks.is_empty()) {
            return Err(CompareError::NotCounted(side));
        }
    }
    let counts = [
        Counts::of(before, rows.iter().map(|pair| pair.0)),
        Counts::of(after, rows.iter().map(|pair| pair.1)),
    ];
    let aligned = align::methods(&old, &new);
    let both = aligned.pairs.iter();
    let both = both.map(|&(i, j)| (Some(&old[i]), Some(&new[j])));
    let gone = aligned.gone.iter().map(|&i| (Some(&old[i]), None));
    let fresh = aligned.new.iter().map(|&j| (None, Some(&new[j])));
    let mut sums: BTreeMap<Vec<String>, [u64; 2]> = BTreeMap::new();
    for (old, new) in both.chain(gone).chain(fresh) {
        let Some(shown) = new.or(old) else { continue };
        let name = shown.place.method_name();
        let class = shown.place.class.replace('/', ".");
        let none: &[Block] = &[];
        let [old, new] = [old, new].map(|m| m.map_or(none, |m| &m.blocks[..]));
        for (i, j) in align::blocks(old, new) {
            let sides = [i.map(|i| &old[i]), j.map(|j| &new[j])];
            let ran = [0, 1].map(|side| {
                let block = sides[side]?;
                Some(counts[side].sum(block.column) * block.instructions)
            });
            // A block of both has the lines of the build after, so that what only moved cancels. Lines of the build before are told as such: they are others.
            let place = match sides {
                [_, Some(block)] => place(block),
                [Some(block), None] => format!("{} before", place(block)),
                [None, None] => continue,
            };
            let frames = vec![class.clone(), name.clone(), format!("{name} {place}")];
            let sum = sums.entry(frames).or_default();
            for (sum, ran) in sum.iter_mut().zip(ran) {
                *sum += ran.unwrap_or(0.0).round() as u64;
            }
        }
    }
    let ran = sums.into_iter().filter(|(_, sums)| *sums != [0, 0]);
    Ok(ran
        .map(|(frames, instructions)| Executed {
            frames,
            instructions,
        })
        .collect())
}

/// Where a block stands.
fn place(block: &Block) -> String {
    match block.lines {
        Some((first, last)) if first == last => format!("line {first}"),
        Some((first, last)) => format!("lines {first}–{last}"),
        None => format!("block {}", block.number),
    }
}
