//! Joins profiles of several runs into one tree of calls.

use std::collections::HashMap;

use crate::model::{Method, MethodId, Node, NodeId, Profile, ProfiledRun};

/// Profiles that grow together: equal methods and equal call paths are kept once.
#[derive(Debug, Default)]
pub struct Merged {
    profile: Profile,
    methods: HashMap<Method, MethodId>,
    nodes: HashMap<Node, NodeId>,
}

impl Merged {
    /// The number of a method.
    pub fn method(&mut self, method: &Method) -> MethodId {
        if let Some(&id) = self.methods.get(method) {
            return id;
        }
        let id = MethodId(self.profile.methods.len() as u32);
        self.profile.methods.push(method.clone());
        self.methods.insert(method.clone(), id);
        id
    }

    /// Takes up another profile's runs and notes.
    pub fn add(&mut self, other: &Profile) {
        let methods: Vec<MethodId> = other.methods.iter().map(|m| self.method(m)).collect();
        let mut nodes: Vec<NodeId> = Vec::with_capacity(other.nodes.len());
        for node in &other.nodes {
            let node = Node {
                parent: node.parent.map(|parent| nodes[parent.0 as usize]),
                method: methods[node.method.0 as usize],
                at: node.at,
            };
            let next = NodeId(self.profile.nodes.len() as u32);
            let id = *self.nodes.entry(node).or_insert(next);
            if id == next {
                self.profile.nodes.push(node);
            }
            nodes.push(id);
        }
        for run in &other.runs {
            let mut run: ProfiledRun = run.clone();
            for sample in &mut run.samples {
                sample.node = nodes[sample.node.0 as usize];
            }
            for allocated in &mut run.allocated {
                allocated.node = nodes[allocated.node.0 as usize];
            }
            for compiled in &mut run.compiled {
                compiled.method = methods[compiled.method.0 as usize];
            }
            run.samples.sort_unstable();
            run.allocated.sort_unstable();
            run.compiled.sort_unstable();
            self.profile.runs.push(run);
        }
        for note in &other.notes {
            if !self.profile.notes.contains(note) {
                self.profile.notes.push(note.clone());
            }
        }
    }

    /// The whole.
    pub fn finish(self) -> Profile {
        self.profile
    }
}

impl Profile {
    /// Whether every number points where it should, and parents stand before their children.
    ///
    /// # Errors
    /// What does not, in words.
    pub fn check(&self) -> Result<(), String> {
        let (methods, nodes) = (self.methods.len(), self.nodes.len());
        for (index, node) in self.nodes.iter().enumerate() {
            if node.method.0 as usize >= methods {
                return Err(format!(
                    "call path {index} names method {}, there are {methods}",
                    node.method.0
                ));
            }
            if node.parent.is_some_and(|parent| parent.0 as usize >= index) {
                return Err(format!("call path {index} stands before its parent"));
            }
        }
        for run in &self.runs {
            let samples = run.samples.iter().map(|sample| sample.node);
            let all = samples.chain(run.allocated.iter().map(|place| place.node));
            if let Some(node) = all.into_iter().find(|node| node.0 as usize >= nodes) {
                return Err(format!(
                    "a sample names call path {}, there are {nodes}",
                    node.0
                ));
            }
            let mut compiled = run.compiled.iter().map(|compiled| compiled.method);
            if let Some(method) = compiled.find(|method| method.0 as usize >= methods) {
                return Err(format!(
                    "a compilation names method {}, there are {methods}",
                    method.0
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Sample, State};

    fn one(path: &[&str], at: u32, ns: u64) -> Profile {
        let method = |name: &&str| Method {
            class: "A".to_owned(),
            name: (*name).to_owned(),
            ..Method::default()
        };
        let nodes = (0..path.len() as u32).map(|i| Node {
            parent: i.checked_sub(1).map(NodeId),
            method: MethodId(i),
            at: Some(at),
        });
        Profile {
            methods: path.iter().map(method).collect(),
            nodes: nodes.collect(),
            runs: vec![ProfiledRun {
                samples: vec![Sample {
                    node: NodeId(path.len() as u32 - 1),
                    state: State::Compiled,
                    samples: 1,
                    cpu_ns: ns,
                }],
                ..ProfiledRun::default()
            }],
            notes: vec!["cut".to_owned()],
        }
    }

    #[test]
    fn equal_paths_are_kept_once() {
        let mut merged = Merged::default();
        for profile in [
            one(&["m", "n"], 3, 5),
            one(&["m", "k"], 3, 7),
            one(&["m", "n"], 3, 9),
        ] {
            merged.add(&profile);
        }
        let found = merged.finish();
        assert_eq!(found.check(), Ok(()));
        assert_eq!(
            (found.methods.len(), found.nodes.len(), found.runs.len()),
            (3, 3, 3)
        );
        let at: Vec<u32> = found.runs.iter().map(|run| run.samples[0].node.0).collect();
        assert_eq!(at, [1, 2, 1]);
        assert_eq!(found.notes, ["cut"]);
    }

    #[test]
    fn numbers_that_point_nowhere_are_told() {
        let mut profile = one(&["m", "n"], 0, 1);
        profile.nodes[0].parent = Some(NodeId(1));
        assert!(profile.check().unwrap_err().contains("before its parent"));
        let mut profile = one(&["m", "n"], 0, 1);
        profile.runs[0].samples[0].node = NodeId(2);
        assert!(profile.check().unwrap_err().contains("call path 2"));
    }
}
