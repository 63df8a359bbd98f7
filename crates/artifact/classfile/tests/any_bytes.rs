//! Whatever the bytes, the reader answers or refuses; it never panics.

use pricetag_classfile::frame::initial_locals;
use pricetag_classfile::{ClassFile, instruction, text};
use proptest::prelude::*;
use std::sync::OnceLock;

/// Asks a class file everything.
fn ask_everything(bytes: &[u8]) {
    let Ok(class) = ClassFile::parse(bytes) else {
        return;
    };
    let pool = class.constants();
    let _ = (
        class.source_file(),
        class.bootstrap_method(0),
        class.access(),
    );
    for index in 0..=pool.count() {
        let _ = (
            pool.loadable(index),
            pool.member_ref(index),
            pool.invoke_dynamic(index),
            pool.class_name(index),
        );
    }
    for method in class.methods() {
        let _ = text::method(&class, method);
        let Ok(Some(code)) = method.code(pool) else {
            continue;
        };
        let _ = (code.instructions(), code.line_numbers(pool));
        let (name, descriptor) = (method.name(pool), method.descriptor(pool));
        let locals = initial_locals(method.access, &name, &descriptor, &class.name(), |_| {
            Ok::<u16, ()>(1)
        });
        if let Ok(Some(locals)) = locals
            && let Ok(frames) = code.frames(pool, &locals)
        {
            assert_eq!(frames.iter().count(), frames.len());
        }
    }
}

fn corpus() -> &'static [Vec<u8>] {
    static CORPUS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    CORPUS.get_or_init(|| {
        let mut classes: Vec<Vec<u8>> =
            pricetag_testkit::jdk::classes("/java.base/java/util/[A-F].*")
                .into_iter()
                .map(|c| c.1)
                .collect();
        classes.retain(|bytes| bytes.len() < 6000);
        classes
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn arbitrary_bytes_are_refused(tail in prop::collection::vec(any::<u8>(), 0..400)) {
        ask_everything(&tail);
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61];
        bytes.extend(&tail);
        ask_everything(&bytes);
        let _ = instruction::decode(&tail);
    }

    #[test]
    fn damaged_classes_do_no_harm(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
    ) {
        let mut bytes = which.get(corpus()).clone();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        ask_everything(&bytes);
    }
}

#[test]
fn a_long_at_the_last_index_is_refused() {
    // The pool's length is one more than the largest index; a long takes two.
    let refused = |length: u8| {
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61, 0, length, 5];
        bytes.extend([0; 8]); // the constant
        bytes.extend([0; 14]); // no name, members or attributes
        let refused = ClassFile::parse(&bytes).map(|_| ()).unwrap_err();
        refused.to_string()
    };
    assert_eq!(
        refused(2),
        "no index is left for the second half of a long or double at offset 10"
    );
    // With room for both the pool is read, and the next thing is missing.
    assert_eq!(refused(3), "constant 0 is not a class");
}
