//! Class files: the reader and the rewriter.

use std::collections::BTreeSet;

use pricetag_classfile::frame::initial_locals;
use pricetag_classfile::splice::{Edit, splice};
use pricetag_classfile::{ClassFile, Code, ConstantPool, Member, instruction, text};
use pricetag_instrument::{
    Rewritten, ScopeProbe, Wiring, add_thread_fields, rewrite, rewrite_timed,
};
use pricetag_probe::Wanted;
use pricetag_probe_plan::{BlockId, ClassPlan, MethodOutcome};

use crate::encoding::encode;
use crate::everything;

/// Whatever the bytes, the reader answers or refuses. What it accepts it can write back byte for byte, and decoded
/// instructions encode to the code they came from.
///
/// # Panics
/// If that does not hold.
pub fn class_reader(bytes: &[u8]) {
    if let Ok(instructions) = instruction::decode(bytes) {
        assert_eq!(
            encode(&instructions, bytes),
            bytes,
            "code decodes to something else"
        );
    }
    let Ok(class) = ClassFile::parse(bytes) else {
        return;
    };
    ask_outline(&class);
    for method in class.methods() {
        ask_method(&class, method);
    }
    assert_eq!(splice(bytes, &[]), bytes);
    assert_eq!(
        splice(bytes, &same_again(&class)),
        bytes,
        "attributes are not where they say"
    );
}

fn ask_outline(class: &ClassFile<'_>) {
    let pool = class.constants();
    let _ = (
        class.source_file(),
        class.bootstrap_method(0),
        class.bootstrap_method(1),
    );
    assert_eq!(
        class.field_table().end.max(class.bytes().len()),
        class.bytes().len()
    );
    for index in 0..=pool.count() {
        let _ = (
            pool.loadable(index),
            pool.member_ref(index),
            pool.invoke_dynamic(index),
        );
        let _ = (
            pool.class_name(index),
            pool.method_handle(index),
            pool.utf8(index),
        );
    }
}

fn ask_method(class: &ClassFile<'_>, method: &Member<'_>) {
    let pool = class.constants();
    let _ = text::method(class, method);
    let Ok(Some(code)) = method.code(pool) else {
        return;
    };
    let _ = code.line_numbers(pool);
    if let Ok(instructions) = code.instructions() {
        assert_eq!(
            encode(&instructions, code.bytes),
            code.bytes,
            "code decodes to something else"
        );
    }
    ask_frames(class, method, &code, pool);
}

fn ask_frames(
    class: &ClassFile<'_>,
    method: &Member<'_>,
    code: &Code<'_>,
    pool: &ConstantPool<'_>,
) {
    let (name, descriptor) = (method.name(pool), method.descriptor(pool));
    let locals = initial_locals(method.access, &name, &descriptor, &class.name(), |_| {
        Ok::<u16, ()>(1)
    });
    if let Ok(Some(locals)) = locals
        && let Ok(frames) = code.frames(pool, &locals)
    {
        assert_eq!(frames.iter().count(), frames.len());
        for (index, frame) in frames.iter().enumerate() {
            assert!(frames.find(frame.pc).is_some_and(|at| at <= index));
        }
    }
}

/// Every attribute replaced by itself.
fn same_again(class: &ClassFile<'_>) -> Vec<Edit> {
    let members = class.fields().iter().chain(class.methods());
    let tables = members.map(|m| m.attributes).chain([class.attributes()]);
    tables
        .flat_map(|attributes| {
            assert_eq!(attributes.iter().count(), usize::from(attributes.count()));
            attributes.iter()
        })
        .map(|attribute| Edit {
            range: attribute.range(),
            bytes: class.bytes()[attribute.range()].to_vec(),
        })
        .collect()
}

/// A class that can be read can be planned and rewritten; the result can be read again, has the same members, and says
/// of every method whether it was changed. Plans survive being stored.
///
/// # Panics
/// If that does not hold.
pub fn rewriter(bytes: &[u8]) {
    let _ = add_thread_fields(bytes);
    let Ok(class) = ClassFile::parse(bytes) else {
        return;
    };
    let plan = pricetag_probe::plan(&class, bytes);
    let more = everything::wanted();
    let without = Wanted {
        no_loop: Some(&|_, _, header| header.0 % 2 == 0),
        no_values_in_loop: Some(&|_, _, _| true),
        listed: Some(&|name, _| {
            let some = (name.len() % 2 == 0).then(|| (0..64).step_by(3).map(BlockId));
            some.map(Iterator::collect)
        }),
        ..more
    };
    let more = pricetag_probe::plan_with(&class, bytes, more);
    let without = pricetag_probe::plan_with(&class, bytes, without);
    for plan in [&plan, &more, &without] {
        let stored = plan.to_bytes().expect("a plan is stored");
        assert_eq!(ClassPlan::from_bytes(&stored).as_ref(), Ok(plan));
    }
    let scopes = scopes(&class);
    for (plan, scopes, caught) in [
        (Some(&plan), &[][..], false),
        (Some(&more), &[][..], true),
        (Some(&plan), &scopes, true),
        (Some(&without), &scopes, true),
        (None, &scopes, false),
    ] {
        let asked = plan.map(everything::asked).unwrap_or_default();
        let wiring = Wiring {
            class_index: 70_000,
            scopes,
            caught,
            callers: caught.then_some(everything::CALLERS),
            calls: true,
            asked: &asked,
        };
        let rewritten = rewrite(bytes, plan, &wiring).expect("a readable class and its plan");
        is_whole(&class, plan, &rewritten);
    }
    let timed = rewrite_timed(bytes, &plan, 0, &|_| true).expect("a readable class and its plan");
    ClassFile::parse(&timed.bytes).expect("still a class");
    let zeros = vec![0; plan.counters.max(without.counters) as usize];
    for method in plan
        .methods
        .iter()
        .filter(|m| m.outcome == MethodOutcome::Counted)
    {
        let counts = method.derive(&zeros, &[]).expect("nothing ran");
        assert!(counts.blocks.iter().all(|count| *count == Some(0)));
    }
    for method in without.methods.iter().filter(|m| !m.loops.is_empty()) {
        if method.outcome == MethodOutcome::Counted {
            let counts = method.derive(&zeros, &[]).expect("nothing ran");
            assert!(counts.blocks.iter().flatten().all(|count| *count == 0));
        }
    }
}

/// A scope on every second method.
fn scopes(class: &ClassFile<'_>) -> Vec<ScopeProbe> {
    let pool = class.constants();
    let chosen = class.methods().iter().step_by(2).take(8);
    chosen
        .zip(1..)
        .map(|(method, id)| ScopeProbe {
            id,
            method: method.name(pool),
            descriptor: Some(method.descriptor(pool)),
        })
        .collect()
}

fn is_whole(before: &ClassFile<'_>, plan: Option<&ClassPlan>, rewritten: &Rewritten) {
    let after = ClassFile::parse(&rewritten.bytes).expect("still a class");
    assert_eq!(after.methods().len(), before.methods().len());
    assert_eq!(after.fields().len(), before.fields().len());
    let changed: BTreeSet<u16> = rewritten.methods.iter().map(|m| m.index).collect();
    let left: BTreeSet<u16> = rewritten.left.iter().map(|(index, _)| *index).collect();
    for (index, method) in after.methods().iter().enumerate() {
        let number = index as u16;
        let counted = plan.is_some_and(|p| p.methods[index].outcome == MethodOutcome::Counted);
        assert!(
            !counted || changed.contains(&number) || left.contains(&number),
            "a method was forgotten"
        );
        if changed.contains(&number) {
            let code = method
                .code(after.constants())
                .expect("readable")
                .expect("code");
            code.instructions().expect("the new code decodes");
        }
    }
    for method in &rewritten.methods {
        assert!(method.pcs.is_sorted_by(|a, b| a.0 < b.0), "places ascend");
    }
}
