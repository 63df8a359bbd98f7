//! Damaged classes and foreign plans: an answer or a refusal, never a panic.

use crate::workshop::plan;
use pricetag_classfile::ClassFile;
use pricetag_instrument::{RewriteError, ScopeProbe, Wiring, add_thread_fields, rewrite};
use pricetag_probe_plan::{Pc, Uninitialised};
use proptest::prelude::*;
use std::sync::OnceLock;

fn corpus() -> &'static [Vec<u8>] {
    static CORPUS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let mut classes: Vec<Vec<u8>> =
            pricetag_testkit::jdk::classes("/java.base/java/util/[A-F].*")
                .into_iter()
                .map(|c| c.1)
                .collect();
        classes.retain(|bytes| bytes.len() < 5000);
        classes
    })
}

fn scopes() -> Vec<ScopeProbe> {
    ["get", "add", "toString", "compare", "<init>"]
        .iter()
        .zip(1..)
        .map(|(method, id)| ScopeProbe {
            id,
            method: (*method).to_owned(),
            descriptor: None,
        })
        .collect()
}

#[test]
fn a_plan_for_another_class_is_refused() {
    let (first, second) = (&corpus()[0], &corpus()[1]);
    let wiring = Wiring {
        class_index: 0,
        scopes: &[],
        caught: false,
        ..Wiring::default()
    };
    let refused = rewrite(first, Some(&plan(second)), &wiring);
    assert!(
        matches!(refused, Err(RewriteError::ForeignPlan { .. })),
        "{refused:?}"
    );
}

#[test]
fn what_is_not_asked_for_is_not_touched() {
    for bytes in corpus() {
        let rewritten = rewrite(
            bytes,
            None,
            &Wiring {
                class_index: 0,
                scopes: &[],
                caught: false,
                ..Wiring::default()
            },
        )
        .expect("a class");
        assert_eq!(rewritten.bytes, *bytes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn arbitrary_bytes_are_refused(tail in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61];
        bytes.extend(&tail);
        let wiring = Wiring { class_index: 0, scopes: &scopes(), caught: false, ..Wiring::default() };
        let _ = (rewrite(&bytes, None, &wiring), rewrite(&tail, None, &wiring), add_thread_fields(&bytes));
    }

    /// What comes out of a damaged class is a class again, and methods that were left are as they were.
    #[test]
    fn damaged_classes_do_no_harm(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = which.get(corpus()).clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Ok(class) = ClassFile::parse(&bytes) {
            let plan = pricetag_probe::plan(&class, &bytes);
            for plan in [None, Some(&plan)] {
                let rewritten = rewrite(&bytes, plan, &Wiring { class_index: 7, scopes: &scopes(), caught: false, ..Wiring::default() });
                let rewritten = rewritten.expect("a readable class and its plan");
                let after = ClassFile::parse(&rewritten.bytes).expect("still a class");
                for (left, _) in &rewritten.left {
                    let method = usize::from(*left);
                    let changed = rewritten.methods.iter().any(|m| m.index == *left);
                    let code = |c: &ClassFile<'_>| {
                        c.methods()[method].attributes.iter().map(|a| a.bytes.to_vec()).collect::<Vec<_>>()
                    };
                    // A method that cannot be counted may still be a scope.
                    prop_assert!(changed || code(&class) == code(&after));
                }
            }
        }
    }

    /// A plan with wrong numbers in it makes the rewriter leave methods, not fail.
    #[test]
    fn damaged_plans_do_no_harm(which in any::<prop::sample::Index>(), seed in any::<u64>()) {
        let bytes = which.get(corpus());
        let mut plan = plan(bytes);
        let mut state = seed | 1;
        let mut random = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32 % below.max(1)
        };
        for method in &mut plan.methods {
            for edge in &mut method.edges {
                if random(4) == 0 {
                    std::mem::swap(&mut edge.from, &mut edge.to);
                }
            }
            for block in &mut method.blocks {
                block.start.0 = block.start.0.wrapping_add(random(3) as u16);
                if random(5) == 0 {
                    block.instructions.clear();
                }
            }
            for point in &mut method.throw_points {
                point.pc.0 = random(200) as u16;
                point.counter.0 = random(u32::MAX);
            }
            if !method.uninitialised.is_empty() {
                let (first, second) = (random(50), random(50));
                method.uninitialised = Uninitialised::of([
                    (Pc(0), first),
                    (Pc((first + second) as u16), first + second + random(9)),
                ]);
            }
        }
        let rewritten = rewrite(bytes, Some(&plan), &Wiring { class_index: u32::MAX, scopes: &[], caught: false, ..Wiring::default() }).expect("a class");
        prop_assert!(ClassFile::parse(&rewritten.bytes).is_ok());
    }
}
