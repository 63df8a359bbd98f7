//! What follows from how often each kind of invocation occurs: distances, sizes, native methods.
//!
//! Hwang & Huang, "Other Behaviors". The distance is the number of superclasses from the receiver's class up to the class that declares the method; sizes are
//! those of bytecode. Methods without a known size (native and abstract ones) are left out of sizes, and said.

use pricetag_events::{Dictionary, Flag, MethodId};
use serde::Serialize;

use crate::hierarchy::Hierarchy;
use crate::measures::{Share, mean};

/// How far the method's class is above the receiver's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distances {
    /// Mean over events whose classes are in one line of superclasses.
    pub mean: Option<f64>,
    /// Events by distance, from 0.
    pub distribution: Vec<Share>,
    /// Events whose method is declared in an interface that the receiver's class implements.
    pub in_interface: Share,
    /// Events whose method's class is not above the receiver's class.
    pub unrelated: Share,
}

/// Sizes of methods.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sizes {
    /// Methods of known size, and all.
    pub known: usize,
    /// All methods.
    pub methods: usize,
    /// Mean over methods, bytes.
    pub mean_bytes: Option<f64>,
    /// Mean over invocations, bytes: a method counts as often as it is invoked.
    pub mean_bytes_invoked: Option<f64>,
    /// Methods of up to 0, 1, 3, 7, 15, … bytes: size class *k* holds sizes of *k* binary digits.
    pub distribution: Vec<SizeClass>,
}

/// Methods of about one size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SizeClass {
    /// Smallest size, bytes.
    pub from: u64,
    /// Largest size, bytes.
    pub to: u64,
    /// Methods.
    pub methods: u64,
    /// Invocations of them.
    pub invocations: Share,
}

/// Native methods.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Natives {
    /// Native methods that are known, invoked or not.
    pub methods: u64,
    /// Invocations of them.
    pub invocations: Share,
    /// Those invoked, most frequent first.
    pub most: Vec<NativeMethod>,
}

/// A native method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NativeMethod {
    /// Its name.
    pub name: String,
    /// Invocations.
    pub invocations: Share,
}

/// Distances of events whose kinds occur `counts` times.
pub(crate) fn distances(
    dictionary: &Dictionary,
    hierarchy: &Hierarchy,
    counts: &[u64],
) -> Distances {
    let all = counts.iter().sum();
    let (mut by_distance, mut in_interface, mut unrelated) = (Vec::new(), 0, 0);
    let (mut sum, mut known) = (0.0, 0);
    for (kind, &count) in dictionary.kinds.iter().zip(counts) {
        let Some(method) = dictionary.methods.get(kind.method.index()) else {
            continue;
        };
        if let Some(distance) = hierarchy.distance(kind.receiver, method.class) {
            let at = distance as usize;
            if count > 0 && by_distance.len() <= at {
                by_distance.resize(at + 1, 0);
            }
            if let Some(slot) = by_distance.get_mut(at) {
                *slot += count;
            }
            sum += f64::from(distance) * count as f64;
            known += count;
        } else if hierarchy.is_subtype(kind.receiver, method.class) {
            in_interface += count;
        } else {
            unrelated += count;
        }
    }
    Distances {
        mean: mean(sum, known),
        distribution: by_distance.iter().map(|&n| Share::of(n, all)).collect(),
        in_interface: Share::of(in_interface, all),
        unrelated: Share::of(unrelated, all),
    }
}

/// Invocations by method.
pub(crate) fn by_method(dictionary: &Dictionary, counts: &[u64]) -> Vec<u64> {
    let mut invocations = vec![0; dictionary.methods.len()];
    for (kind, &count) in dictionary.kinds.iter().zip(counts) {
        if let Some(slot) = invocations.get_mut(kind.method.index()) {
            *slot += count;
        }
    }
    invocations
}

/// Sizes of methods that are invoked so often.
pub(crate) fn sizes(dictionary: &Dictionary, invocations: &[u64]) -> Sizes {
    let all = invocations.iter().sum();
    let mut classes: Vec<(u64, u64)> = Vec::new();
    let (mut known, mut invoked) = (0, 0);
    let (mut bytes, mut bytes_invoked) = (0.0, 0.0);
    for (method, &times) in dictionary.methods.iter().zip(invocations) {
        let Some(size) = method.bytes else {
            continue;
        };
        known += 1;
        invoked += times;
        bytes += f64::from(size);
        bytes_invoked += f64::from(size) * times as f64;
        let class = (u32::BITS - size.leading_zeros()) as usize;
        if classes.len() <= class {
            classes.resize(class + 1, (0, 0));
        }
        classes[class].0 += 1;
        classes[class].1 += times;
    }
    let size_class = |(digits, &(methods, times)): (usize, &(u64, u64))| SizeClass {
        from: if digits == 0 { 0 } else { 1 << (digits - 1) },
        to: (1 << digits) - 1,
        methods,
        invocations: Share::of(times, all),
    };
    Sizes {
        known,
        methods: dictionary.methods.len(),
        mean_bytes: mean(bytes, known as u64),
        mean_bytes_invoked: mean(bytes_invoked, invoked),
        distribution: classes.iter().enumerate().map(size_class).collect(),
    }
}

/// Native methods that are invoked so often.
pub(crate) fn natives(dictionary: &Dictionary, invocations: &[u64], top: usize) -> Natives {
    let all = invocations.iter().sum();
    let native = (0_u32..)
        .zip(dictionary.methods.iter().zip(invocations))
        .filter(|(_, (method, _))| method.flags.has(Flag::Native));
    let mut found: Vec<(u64, u32)> = native.map(|(id, (_, &times))| (times, id)).collect();
    let (methods, times) = (found.len() as u64, found.iter().map(|f| f.0).sum());
    found.retain(|f| f.0 > 0);
    found.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    found.truncate(top);
    Natives {
        methods,
        invocations: Share::of(times, all),
        most: found
            .iter()
            .map(|&(times, id)| NativeMethod {
                name: dictionary.method_name(MethodId(id)),
                invocations: Share::of(times, all),
            })
            .collect(),
    }
}
