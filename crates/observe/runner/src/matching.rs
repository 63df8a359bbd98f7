//! Which invocation of one run is which of another.
//!
//! Within a thread invocations come in a fixed order, but threads may be numbered differently from run to run. So
//! threads are paired by their whole sequence of arguments, first those with equal numbers. If that fails (workers that
//! share a queue), invocations of the scope are paired by arguments alone: the k-th with these arguments in one run is the
//! k-th in the other. That needs equal multisets of arguments that tell something. Otherwise the runs do not match.

use std::collections::BTreeMap;

use pricetag_trace::{Argument, Invocation};

/// For each invocation of `a`, its partner's index in `b`; none if the runs do not match.
pub fn pair(a: &[Invocation], b: &[Invocation]) -> Option<Vec<usize>> {
    if a.len() != b.len() {
        return None;
    }
    pair_threads(a, b).or_else(|| pair_arguments(a, b))
}

/// An invocation's scope and arguments as a comparable key.
fn key(invocation: &Invocation) -> Vec<u64> {
    let mut key = vec![u64::from(invocation.scope)];
    for argument in &invocation.arguments {
        match argument {
            Argument::Integer(v) => key.extend([0, *v as u64]),
            Argument::Real(v) => key.extend([1, v.to_bits()]),
            Argument::Size(v) => key.extend([2, *v]),
            Argument::Null => key.push(3),
            // A path may be that of a temporary file, which differs from run to run.
            Argument::Opaque | Argument::Path(_) => key.push(4),
            Argument::Text { length, .. } => key.extend([5, *length]),
        }
    }
    key
}

/// Indices of each thread's invocations in order, and their keys.
fn threads(run: &[Invocation]) -> BTreeMap<u32, (Vec<Vec<u64>>, Vec<usize>)> {
    let mut order: Vec<usize> = (0..run.len()).collect();
    order.sort_by_key(|&i| run[i].sequence);
    let mut threads: BTreeMap<u32, (Vec<Vec<u64>>, Vec<usize>)> = BTreeMap::new();
    for i in order {
        let entry = threads.entry(run[i].thread).or_default();
        entry.0.push(key(&run[i]));
        entry.1.push(i);
    }
    threads
}

fn pair_threads(a: &[Invocation], b: &[Invocation]) -> Option<Vec<usize>> {
    let mut partners = vec![0; a.len()];
    let mut open = threads(b);
    let ours = threads(a);
    let (same, moved): (Vec<_>, Vec<_>) = ours
        .iter()
        .partition(|(number, (keys, _))| open.get(number).is_some_and(|(other, _)| other == keys));
    for (number, (keys, places)) in same.into_iter().chain(moved) {
        let fits = |n: &u32| open.get(n).is_some_and(|(other, _)| other == keys);
        let chosen = if fits(number) {
            *number
        } else {
            *open.keys().find(|n| fits(n))?
        };
        let (_, theirs) = open.remove(&chosen)?;
        for (&mine, partner) in places.iter().zip(theirs) {
            partners[mine] = partner;
        }
    }
    Some(partners)
}

fn pair_arguments(a: &[Invocation], b: &[Invocation]) -> Option<Vec<usize>> {
    let telling = |i: &Invocation| {
        i.arguments
            .iter()
            .any(|x| !matches!(x, Argument::Opaque | Argument::Null | Argument::Path(_)))
    };
    if !a.iter().all(telling) {
        return None;
    }
    let queues = |run: &[Invocation]| {
        let mut order: Vec<usize> = (0..run.len()).collect();
        order.sort_by_key(|&i| run[i].sequence);
        let mut queues: BTreeMap<Vec<u64>, Vec<usize>> = BTreeMap::new();
        for i in order {
            queues.entry(key(&run[i])).or_default().push(i);
        }
        queues
    };
    let (ours, theirs) = (queues(a), queues(b));
    let mut partners = vec![0; a.len()];
    for (key, places) in &ours {
        let others = theirs.get(key).filter(|o| o.len() == places.len())?;
        for (&mine, &partner) in places.iter().zip(others) {
            partners[mine] = partner;
        }
    }
    Some(partners)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(sequence: u64, thread: u32, arguments: &[Argument]) -> Invocation {
        Invocation {
            scope: 0,
            sequence,
            thread,
            arguments: arguments.to_vec(),
            start_ns: 0,
            wall_ns: 0,
            cpu_ns: 0,
            allocated_bytes: 0,
            collections: 0,
            threw: false,
            counters: vec![],
            classes_loaded: 0,
        }
    }

    fn int(v: i64) -> [Argument; 1] {
        [Argument::Integer(v)]
    }

    #[test]
    fn one_thread_is_matched_by_order() {
        let run = |opaque: &[Argument]| (0..4).map(|i| call(i, 0, opaque)).collect::<Vec<_>>();
        assert_eq!(
            pair(&run(&[Argument::Opaque]), &run(&[Argument::Opaque])),
            Some(vec![0, 1, 2, 3])
        );
        assert_eq!(pair(&run(&[]), &run(&[])), Some(vec![0, 1, 2, 3]));
    }

    #[test]
    fn renumbered_threads_are_found_by_their_sequences() {
        let a = vec![
            call(0, 0, &int(1)),
            call(1, 1, &int(5)),
            call(2, 0, &int(2)),
            call(3, 1, &int(6)),
        ];
        let b = vec![
            call(0, 0, &int(5)),
            call(1, 0, &int(6)),
            call(2, 1, &int(1)),
            call(3, 1, &int(2)),
        ];
        assert_eq!(pair(&a, &b), Some(vec![2, 0, 3, 1]));
    }

    #[test]
    fn workers_sharing_a_queue_are_matched_by_arguments() {
        let a = vec![
            call(0, 0, &int(1)),
            call(1, 1, &int(2)),
            call(2, 0, &int(1)),
            call(3, 1, &int(3)),
        ];
        let b = vec![
            call(0, 0, &int(2)),
            call(1, 1, &int(1)),
            call(2, 1, &int(3)),
            call(3, 0, &int(1)),
        ];
        assert_eq!(pair(&a, &b), Some(vec![1, 0, 3, 2]));
    }

    #[test]
    fn different_runs_do_not_match() {
        let a = vec![call(0, 0, &int(1)), call(1, 0, &int(2))];
        assert_eq!(pair(&a, &a[..1]), None);
        let b = vec![call(0, 0, &int(1)), call(1, 0, &int(9))];
        assert_eq!(pair(&a, &b), None);
        let opaque = [Argument::Opaque];
        let c = vec![
            call(0, 0, &opaque),
            call(1, 1, &opaque),
            call(2, 1, &opaque),
        ];
        let d = vec![
            call(0, 0, &opaque),
            call(1, 0, &opaque),
            call(2, 0, &opaque),
        ];
        assert_eq!(
            pair(&c, &d),
            None,
            "opaque arguments cannot tell which is which"
        );
    }
}
