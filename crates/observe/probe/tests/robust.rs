//! Damaged class files: planning never panics, and whatever it counts is derivable.

use pricetag_classfile::ClassFile;
use pricetag_probe_plan::{Imbalance, MethodOutcome};
use proptest::prelude::*;

const CLASSES: [&[u8]; 3] = [
    include_bytes!("subjects/Loops.class"),
    include_bytes!("subjects/Objects.class"),
    include_bytes!("subjects/Objects$Inner.class"),
];

fn plan_is_sound(bytes: &[u8]) {
    let Ok(class) = ClassFile::parse(bytes) else {
        return;
    };
    let plan = pricetag_probe::plan(&class, bytes);
    let zeros = vec![0; plan.counters as usize];
    let mut next = 0;
    for method in &plan.methods {
        if method.outcome != MethodOutcome::Counted {
            assert!(method.blocks.is_empty() && method.edges.is_empty());
            continue;
        }
        // All counts follow from the counters, and nothing contradicts nothing.
        let derived: Result<_, Imbalance> = method.derive(&zeros, &[]);
        assert!(derived.is_ok(), "{method}{derived:?}");
        // Counters are dense and in order.
        let edges = method.edges.iter().filter_map(|e| e.counter);
        let points = method.throw_points.iter().map(|t| t.counter);
        let handlers = method.handlers.iter().map(|h| h.counter);
        for counter in edges.chain(points).chain(handlers) {
            assert_eq!(counter.0, next);
            next += 1;
        }
    }
    assert_eq!(next, plan.counters);
    assert_eq!(
        pricetag_probe_plan::ClassPlan::from_bytes(&plan.to_bytes().unwrap()).unwrap(),
        plan
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn damaged_classes_are_planned_or_refused(
        class in 0usize..3,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    ) {
        let mut bytes = CLASSES[class].to_vec();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        plan_is_sound(&bytes);
    }
}
