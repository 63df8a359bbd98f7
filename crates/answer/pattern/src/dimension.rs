//! The three parts of an invocation, and one table that answers all questions about an event.

use pricetag_events::{Dictionary, Flag, Symbol};
use serde::Serialize;

use crate::hierarchy::Hierarchy;

/// A part of an invocation (Hwang & Huang, "Method Invocation Localities").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dimension {
    /// The dynamic class of the receiver.
    ReceiverClass,
    /// The class that declares the method.
    MethodClass,
    /// The method.
    Method,
}

impl Dimension {
    /// All, in the paper's order.
    pub const ALL: [Self; 3] = [Self::ReceiverClass, Self::MethodClass, Self::Method];

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::ReceiverClass => "receiver class",
            Self::MethodClass => "method class",
            Self::Method => "method",
        }
    }
}

/// What an event of one kind adds to sums: packed, so that one addition serves several.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// Receiver's class, method's class, method.
    ids: [u32; 3],
    /// Native (bits 0–15), distance known (16–31), distance (32–63).
    calls: u64,
    /// Size known (0–15), bytes (16–63).
    bytes: u64,
}

/// Events that [`Columns::split`] takes at once: their sums fit.
pub(crate) const MOST: usize = 1 << 15;

/// What events of one chunk add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) events: u64,
    pub(crate) natives: u64,
    /// Events whose classes are in one line of superclasses, and the sum of their distances.
    pub(crate) related: u64,
    pub(crate) distance: u64,
    /// Events of methods of known size, and the sum of these, bytes.
    pub(crate) sized: u64,
    pub(crate) bytes: u64,
}

impl Facts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.events += other.events;
        self.natives += other.natives;
        self.related += other.related;
        self.distance += other.distance;
        self.sized += other.sized;
        self.bytes += other.bytes;
    }
}

/// A row per kind of invocation.
pub(crate) struct Columns {
    rows: Vec<Row>,
}

impl Columns {
    pub(crate) fn new(dictionary: &Dictionary, hierarchy: &Hierarchy) -> Self {
        let row = |kind: &pricetag_events::Kind| {
            let method = dictionary.methods.get(kind.method.index());
            let class = method.map_or(kind.receiver, |m| m.class);
            let native = method.is_some_and(|m| m.flags.has(Flag::Native));
            let distance = hierarchy.distance(kind.receiver, class);
            // A field of 16 bits takes the sum of `MOST` of them.
            let distance = distance.map(|d| u64::from(d.min(0xffff)));
            let bytes = method.and_then(|m| m.bytes).map(u64::from);
            Row {
                ids: [kind.receiver.0, class.0, kind.method.0],
                calls: u64::from(native)
                    | u64::from(distance.is_some()) << 16
                    | distance.unwrap_or(0) << 32,
                bytes: u64::from(bytes.is_some()) | bytes.unwrap_or(0) << 16,
            }
        };
        Self {
            rows: dictionary.kinds.iter().map(row).collect(),
        }
    }

    /// The three ids of an event.
    pub(crate) fn ids(&self, symbol: u32) -> [u32; 3] {
        self.rows.get(symbol as usize).map_or([0; 3], |row| row.ids)
    }

    /// Replaces `columns` by the three parts of at most [`MOST`] events, and counts their kinds.
    pub(crate) fn split(
        &self,
        events: &[Symbol],
        counts: &mut [u64],
        columns: &mut [Vec<u32>; 3],
    ) -> Facts {
        debug_assert!(events.len() <= MOST);
        let [receivers, classes, methods] = columns;
        for column in [&mut *receivers, &mut *classes, &mut *methods] {
            column.resize(events.len(), 0);
        }
        let (mut calls, mut bytes) = (0, 0);
        let ids = receivers.iter_mut().zip(classes).zip(methods);
        for (&Symbol(symbol), ((receiver, class), method)) in events.iter().zip(ids) {
            let row = &self.rows[symbol as usize];
            [*receiver, *class, *method] = row.ids;
            calls += row.calls;
            bytes += row.bytes;
            counts[symbol as usize] += 1;
        }
        Facts {
            events: events.len() as u64,
            natives: calls & 0xffff,
            related: calls >> 16 & 0xffff,
            distance: calls >> 32,
            sized: bytes & 0xffff,
            bytes: bytes >> 16,
        }
    }
}
