//! Which recurrent sequences matter: those that cover most events or, with prices, most time.
//!
//! A sequence that nearly always (nine times in ten) stands within one longer sequence, or within its own loop, is a fragment of that and is not told.
//! What several sequences share, or one contains several times, is told beside them; so shares of nested patterns overlap.

use pricetag_events::Dictionary;
use serde::Serialize;

use super::grammar::{Grammar, NODE, Node, Rule};
use super::shape::{Shape, shape};
use super::steps::{Step, steps};
use crate::measures::Share;

/// A recurrent sequence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recurrent {
    /// Events in its occurrences.
    pub covered: Share,
    /// Occurrences.
    pub occurrences: u64,
    /// Events of an occurrence, on average.
    pub mean_events: f64,
    /// Time of all occurrences by the prices given, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns: Option<f64>,
    /// The same divided by that of all events.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns_share: Option<f64>,
    /// What it consists of.
    pub steps: Vec<Step>,
    /// The same as what [`super::Finder`] looks for; none if it is too long.
    #[serde(skip)]
    pub shape: Option<Shape>,
    /// Its first occurrence.
    pub example: Example,
    /// Of the events in its occurrences, how many are in each slice of time; empty if there is one slice.
    pub slices: Vec<Share>,
}

/// A place in the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Example {
    /// The thread.
    pub thread: u64,
    /// Number of the first event in the thread, from 0.
    pub event: u64,
    /// Events there.
    pub events: u32,
}

/// Part of a node's occurrences that makes it a fragment.
const FRAGMENT: f64 = 0.9;

/// The `top` sequences among `events`; `ns` is the price of all events.
pub(crate) fn rank(
    grammar: &Grammar,
    dictionary: &Dictionary,
    events: u64,
    ns: Option<f64>,
    top: usize,
) -> Vec<Recurrent> {
    let fragments = fragments(&grammar.nodes);
    let told = |&id: &usize| !fragments[id] && recurs(&grammar.nodes[id]);
    let mut ids: Vec<usize> = (0..grammar.nodes.len()).filter(told).collect();
    let weight = |id: usize| match ns {
        Some(_) => grammar.nodes[id].ns,
        None => grammar.nodes[id].events as f64,
    };
    ids.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)).then(a.cmp(&b)));
    ids.truncate(top);
    let tell = |id: usize| {
        let node = &grammar.nodes[id];
        let slices = grammar.by_slice(id);
        let slices = if slices.len() > 1 { slices } else { &[] };
        let (thread, event, length) = node.example;
        Recurrent {
            covered: Share::of(node.events, events),
            occurrences: node.count,
            mean_events: node.events as f64 / node.count as f64,
            ns: ns.map(|_| node.ns),
            ns_share: ns.filter(|&ns| ns > 0.0).map(|ns| node.ns / ns),
            steps: steps(NODE | id as u32, &grammar.nodes, dictionary),
            shape: shape(NODE | id as u32, &grammar.nodes),
            example: Example {
                thread: thread.0,
                event,
                events: length,
            },
            slices: slices
                .iter()
                .map(|&part| Share::of(part, node.events))
                .collect(),
        }
    };
    ids.into_iter().map(tell).collect()
}

/// A loop recurs in itself.
fn recurs(node: &Node) -> bool {
    node.count >= 2 || matches!(node.rule, Rule::Loop(_))
}

/// Which nodes stand nearly always within one other.
fn fragments(nodes: &[Node]) -> Vec<bool> {
    let mut fragments = vec![false; nodes.len()];
    for parent in nodes {
        let (parts, times) = match parent.rule {
            Rule::Pair(a, b) => ([Some(a), Some(b)], parent.count),
            Rule::Loop(a) => ([Some(a), None], parent.turns),
        };
        for token in parts
            .into_iter()
            .flatten()
            .filter(|token| token & NODE != 0)
        {
            let part = (token & !NODE) as usize;
            if times as f64 >= FRAGMENT * nodes[part].count as f64 {
                fragments[part] = true;
            }
        }
    }
    fragments
}
