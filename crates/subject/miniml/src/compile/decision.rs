//! What a match costs natively: the tests and loads on the way to each clause of the decision tree that the compiler makes of it
//! (Le Fessant and Maranget 2001), estimated from the patterns: a place is tested once, wherever this clause or one before it asks.

use std::collections::BTreeMap;

use crate::core::Pattern;

/// Branches, jumps through tables, and loads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub branches: usize,
    pub switches: usize,
    pub loads: usize,
}

/// From this many different constructors on, a table is used.
const TABLE: usize = 4;

/// What a pattern asks at a place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Head {
    Int(i64),
    Range(i64, i64),
    Tag(u8),
    Text(Vec<u8>),
    Exception(u32),
    Several,
}

type Path = Vec<usize>;

/// The places a pattern asks at or reads.
#[derive(Default)]
struct Places {
    heads: BTreeMap<Path, Head>,
    reads: Vec<Path>,
}

fn places(pattern: &Pattern, path: &mut Path, out: &mut Places) {
    let mut parts = |parts: &mut dyn Iterator<Item = (usize, &Pattern)>, path: &mut Path| {
        for (i, part) in parts {
            path.push(i);
            places(part, path, out);
            path.pop();
        }
    };
    let head = match pattern {
        Pattern::Any => return,
        Pattern::Variable(_) => return out.reads.push(path.clone()),
        Pattern::Alias(inner, _) => {
            out.reads.push(path.clone());
            return places(inner, path, out);
        }
        Pattern::Tuple(p) => return parts(&mut p.iter().enumerate(), path),
        Pattern::Record(fields, _) => return parts(&mut fields.iter().map(|(i, p)| (*i, p)), path),
        Pattern::Construct {
            tag,
            sole,
            arguments,
        } => {
            parts(&mut arguments.iter().enumerate(), path);
            if *sole {
                return;
            }
            Head::Tag(*tag)
        }
        Pattern::Exception(id, arguments) => {
            parts(
                &mut arguments.iter().enumerate().map(|(i, p)| (i + 1, p)),
                path,
            );
            Head::Exception(*id)
        }
        Pattern::Array(p) => {
            parts(&mut p.iter().enumerate(), path);
            Head::Int(p.len() as i64)
        }
        Pattern::Int(n) => Head::Int(*n),
        Pattern::IntRange(a, b) => Head::Range(*a, *b),
        Pattern::Float(x) => Head::Text(x.to_be_bytes().to_vec()),
        Pattern::String(s) => Head::Text(s.clone()),
        Pattern::Or(..) => Head::Several,
    };
    out.reads.push(path.clone());
    out.heads.insert(path.clone(), head);
}

/// The cost of reaching each clause; the parts of a ghost tuple are in registers.
pub(super) fn costs(patterns: &[&Pattern], ghost: bool) -> Vec<Cost> {
    let all: Vec<Places> = patterns
        .iter()
        .map(|p| {
            let mut out = Places::default();
            places(p, &mut vec![], &mut out);
            out
        })
        .collect();
    let mut distinct: BTreeMap<&Path, Vec<&Head>> = BTreeMap::new();
    for (path, head) in all.iter().flat_map(|p| &p.heads) {
        let heads = distinct.entry(path).or_default();
        if !heads.contains(&head) {
            heads.push(head);
        }
    }
    (0..all.len())
        .map(|i| cost(&all, i, &distinct, ghost))
        .collect()
}

fn cost(all: &[Places], i: usize, distinct: &BTreeMap<&Path, Vec<&Head>>, ghost: bool) -> Cost {
    let mut cost = Cost::default();
    let registers = usize::from(ghost);
    let mut read: Vec<&Path> = all[i]
        .reads
        .iter()
        .filter(|p| p.len() > registers)
        .collect();
    for (path, heads) in distinct {
        let own = all[i].heads.get(*path);
        // A clause that asks nothing here is reached through the tests of those before it, where they have come that far.
        let earlier = || {
            all[..i]
                .iter()
                .any(|e| e.heads.contains_key(*path) && agrees(e, &all[i], path))
        };
        if own.is_none() && !earlier() {
            continue;
        }
        if path.len() > registers {
            read.push(path);
        }
        let position = own
            .and_then(|h| heads.iter().position(|x| *x == h))
            .unwrap_or(heads.len());
        if heads.len() >= TABLE {
            cost.switches += 1;
        } else {
            cost.branches += (position + 1).min(heads.len().max(2) - 1).max(1);
        }
    }
    read.sort();
    read.dedup();
    cost.loads = read.len();
    cost
}

/// Whether two clauses may ask the same above a place.
fn agrees(a: &Places, b: &Places, path: &Path) -> bool {
    (0..path.len()).all(
        |n| match (a.heads.get(&path[..n]), b.heads.get(&path[..n])) {
            (Some(x), Some(y)) => x == y,
            _ => true,
        },
    )
}
