//! From the JVM's ids to names: the profile as it is recorded.

use std::collections::{BTreeMap, HashMap};

use pricetag_profile::{Allocated, Method, MethodId, Node, NodeId, Sample, State};

use super::tree::{NONE, Tree};
use crate::calls::name_of;
use crate::jvm::{Jni, jmethodID};
use crate::session::Session;
use crate::subject;

/// A tree with names.
#[derive(Default)]
pub struct Resolved {
    pub methods: Vec<Method>,
    pub nodes: Vec<Node>,
    pub samples: Vec<Sample>,
    pub allocated: Vec<Allocated>,
}

/// Names all methods of a tree. Of a class that was unloaded no name is known: its methods are called `?`.
pub fn resolve(session: &Session, jni: Jni, tree: &Tree) -> Resolved {
    let mut found = Resolved::default();
    let mut ids: HashMap<usize, MethodId> = HashMap::new();
    let mut numbers: HashMap<Method, MethodId> = HashMap::new();
    for node in &tree.nodes {
        let method = *ids.entry(node.frame.method).or_insert_with(|| {
            let method = name(session, jni, node.frame.method).unwrap_or_else(|| Method {
                class: "?".to_owned(),
                name: "?".to_owned(),
                ..Method::default()
            });
            *numbers.entry(method.clone()).or_insert_with(|| {
                found.methods.push(method);
                MethodId(found.methods.len() as u32 - 1)
            })
        });
        found.nodes.push(Node {
            parent: (node.parent != NONE).then_some(NodeId(node.parent)),
            method,
            at: u32::try_from(node.frame.at).ok(),
        });
    }
    let mut codes: HashMap<usize, Vec<u8>> = HashMap::new();
    let mut links = |node: u32, interpreted: bool| {
        let frame = &tree.nodes[node as usize].frame;
        let code = codes.entry(frame.method).or_insert_with(|| {
            let id = frame.method as jmethodID;
            session.jvmti.bytecodes(id).unwrap_or_default()
        });
        let at = usize::try_from(frame.at).ok();
        at.and_then(|at| code.get(at))
            .is_some_and(|&op| is_linked(op, interpreted))
    };
    let mut samples: BTreeMap<(u32, State), (f64, u64)> = BTreeMap::new();
    for (&(node, state), &(number, ns)) in &tree.samples {
        let state = match state {
            State::Runtime if links(node, false) => State::Linking,
            State::Linking if !links(node, true) => State::Runtime,
            state => state,
        };
        let sum = samples.entry((node, state)).or_default();
        *sum = (sum.0 + number, sum.1 + ns);
    }
    found.samples = samples
        .into_iter()
        .map(|((node, state), (samples, cpu_ns))| Sample {
            node: NodeId(node),
            state,
            samples: (samples.round() as u32).max(1),
            cpu_ns,
        })
        .collect();
    found.samples.sort_unstable();
    found.allocated = tree
        .allocated
        .iter()
        .map(|(&node, &(samples, bytes))| Allocated {
            node: NodeId(node),
            samples,
            bytes: bytes.round() as u64,
        })
        .collect();
    found.allocated.sort_unstable();
    found
}

/// Whether an instruction calls the JVM to be linked and for hardly anything else. The interpreter allocates by itself once the class is
/// there; compiled code calls the JVM when its piece of the heap is full.
fn is_linked(opcode: u8, interpreted: bool) -> bool {
    use pricetag_classfile::opcode as op;
    matches!(
        opcode,
        op::LDC..=op::LDC2_W
            | op::GETSTATIC..=op::INVOKEDYNAMIC
            | op::CHECKCAST
            | op::INSTANCEOF
    ) || interpreted && matches!(opcode, op::NEW | op::ANEWARRAY | op::MULTIANEWARRAY)
}

fn name(session: &Session, jni: Jni, id: usize) -> Option<Method> {
    let id = id as jmethodID;
    let (name, descriptor) = session.jvmti.method_name(id)?;
    let class = session.jvmti.declaring_class(id)?;
    let named = session.jvmti.class_name(class);
    let shown = name_of(session, jni, class);
    let loader = session.jvmti.class_loader(class);
    jni.delete_local(class);
    let plain = named?.plain;
    let own = loader.is_some_and(|loader| {
        let own = subject::selected(session, jni, loader, &plain);
        jni.delete_local(loader);
        own
    });
    Some(Method {
        class: shown.unwrap_or(plain),
        name,
        descriptor,
        own,
    })
}
