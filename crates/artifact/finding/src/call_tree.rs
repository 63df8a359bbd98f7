//! The tree of calls that samples saw.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::figure::{brief, percent, quantity};
use crate::table::printable;

/// Where processor time went, by call path.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallTree {
    /// [`crate::FINDING_SCHEMA`].
    pub schema: u32,
    /// Processor time on stacks of Java, ns.
    pub cpu_ns: f64,
    /// Sampled runs.
    pub runs: u32,
    /// Samples.
    pub samples: u32,
    /// Where stacks begin, dearest first.
    pub roots: Vec<CallNode>,
}

/// A method as it was called from the one above it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallNode {
    /// The method.
    pub name: String,
    /// Whether it belongs to the program.
    pub own_code: bool,
    /// Processor time with all it calls, ns.
    pub cpu_ns: f64,
    /// Of that, in the method itself, ns.
    pub self_ns: f64,
    /// What it calls, dearest first.
    pub calls: Vec<CallNode>,
}

impl CallTree {
    /// Lays the tree out: share with callees, share of the method itself, the method indented by its depth. A chain of
    /// methods that only call each other stays at one depth.
    pub fn to_text(&self, limit: usize) -> String {
        let mut text = format!(
            "{} of processor time on {} stacks of {} runs\n\n{:>7} {:>7}  call path\n",
            quantity(self.cpu_ns, "ns"),
            self.samples,
            self.runs,
            "with",
            "self"
        );
        let mut left = limit;
        for root in &self.roots {
            self.node(&mut text, root, 0, &mut left);
        }
        if left == 0 {
            text.push_str("… more: --limit\n");
        }
        text
    }

    fn node(&self, text: &mut String, node: &CallNode, depth: usize, left: &mut usize) {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let _ = writeln!(
            text,
            "{:>7} {:>7}  {}{}",
            percent(node.cpu_ns / self.cpu_ns),
            if node.self_ns > 0.0 {
                percent(node.self_ns / self.cpu_ns)
            } else {
                String::new()
            },
            " ".repeat(depth.min(40)),
            brief(&printable(&node.name))
        );
        let single = node.calls.len() == 1 && node.self_ns <= 0.0;
        for call in &node.calls {
            self.node(text, call, depth + usize::from(!single), left);
        }
    }
}
