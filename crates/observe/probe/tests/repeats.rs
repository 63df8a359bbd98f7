//! Checks that succeeded before on every way are no throw points; those that look alike still are.

#[path = "../../../subject/flow/tests/assembler/mod.rs"]
mod assembler;

use assembler::*;
use pricetag_classfile::{ClassFile, opcode as op};
use pricetag_probe_plan::MethodOutcome;

/// `T` as a class constant.
const CLASS: u8 = 2;

fn throw_points(method: &Method<'_>) -> Vec<u16> {
    let bytes = method.bytes();
    let class = ClassFile::parse(&bytes).unwrap();
    let plan = pricetag_probe::plan(&class, &bytes).methods.remove(0);
    assert_eq!(plan.outcome, MethodOutcome::Counted, "{plan}");
    plan.throw_points.iter().map(|t| t.pc.0).collect()
}

fn points(pieces: &[&[u8]]) -> Vec<u16> {
    throw_points(&static_method(&code(pieces)))
}

/// Five bytes: `aload_0; getfield; pop`.
fn get() -> Vec<u8> {
    code(&[&[op::ALOAD_0], &with(op::GETFIELD, FIELD), &[op::POP]])
}

#[test]
fn a_field_of_the_same_object_throws_once_until_it_is_another() {
    assert_eq!(points(&[&get(), &get(), &[op::RETURN]]), [1]);
    let other = [op::ALOAD_1, op::ASTORE_0];
    assert_eq!(
        points(&[&get(), &other, &get(), &get(), &[op::RETURN]]),
        [1, 8]
    );
    // The same object in another local.
    let copy = [op::ALOAD_0, op::ASTORE_1, op::ALOAD_1, op::ASTORE_0];
    assert_eq!(points(&[&get(), &copy, &get(), &[op::RETURN]]), [1]);
    // Writing checks more than reading.
    let put = code(&[&[op::ALOAD_0, op::ICONST_0], &with(op::PUTFIELD, FIELD)]);
    assert_eq!(points(&[&get(), &put, &put, &[op::RETURN]]), [1, 7]);
}

#[test]
fn what_one_way_has_checked_the_other_has_not() {
    let branch = code(&[&[op::ICONST_0], &jump(op::IFEQ, 8)]);
    assert_eq!(points(&[&branch, &get(), &get(), &[op::RETURN]]), [5, 10]);
    assert_eq!(
        points(&[&get(), &branch, &get(), &get(), &[op::RETURN]]),
        [1]
    );
    // Stored on one of the ways: another object behind it, and two stores in all.
    let store = code(&[
        &[op::ALOAD_2, op::ASTORE_0],
        &get(),
        &[op::ICONST_0],
        &jump(op::IFEQ, 5),
        &[op::ALOAD_1, op::ASTORE_0],
        &get(),
        &[op::RETURN],
    ]);
    assert_eq!(throw_points(&static_method(&store)), [3, 14]);
    // The store comes around the loop: a parameter, then what was stored.
    let around = code(&[
        &get(),
        &get(),
        &[op::ALOAD_1, op::ASTORE_0],
        &jump(op::GOTO, -12),
    ]);
    assert_eq!(throw_points(&static_method(&around)), [1]);
    let late = code(&[
        &get(),
        &[op::NOP],
        &get(),
        &[op::ALOAD_1, op::ASTORE_0],
        &jump(op::GOTO, -7),
    ]);
    assert_eq!(throw_points(&static_method(&late)), [1, 7]);
}

#[test]
fn a_handler_knows_only_what_its_block_knew_at_its_start() {
    let caught = code(&[
        &get(),
        &get(),
        &[op::RETURN, op::POP],
        &get(),
        &get(),
        &[op::RETURN],
    ]);
    let mut method = static_method(&caught);
    method.handlers = &[[0, 11, 11]];
    assert_eq!(throw_points(&method), [1, 13]);
}

#[test]
fn comparing_with_null_or_zero_counts_on_its_way_only() {
    let length = [op::ALOAD_0, op::ARRAYLENGTH, op::POP];
    let test = |opcode| code(&[&[op::ALOAD_0], &jump(opcode, 7)]);
    let both = |opcode| {
        points(&[
            &test(opcode),
            &length,
            &[op::RETURN],
            &length,
            &[op::RETURN],
        ])
    };
    assert_eq!(both(op::IFNULL), [9]);
    assert_eq!(both(op::IFNONNULL), [5]);
    let divide = [op::ICONST_1, op::ILOAD_0, op::IDIV, op::POP];
    let zero = code(&[&[op::ILOAD_0], &jump(op::IFEQ, 8)]);
    assert_eq!(
        points(&[
            &zero,
            &divide,
            &[op::RETURN],
            &divide,
            &divide,
            &[op::RETURN]
        ]),
        [11]
    );
}

#[test]
fn arrays_are_checked_for_each_index_and_casts_for_each_class() {
    let load = |index: u8| [op::ALOAD_0, index, op::IALOAD, op::POP];
    let store = [op::ALOAD_0, op::ILOAD_1, op::ICONST_0, op::IASTORE];
    let one = load(op::ILOAD_1);
    assert_eq!(points(&[&one, &store, &one, &[op::RETURN]]), [2]);
    let next = [op::IINC, 1, 1];
    assert_eq!(points(&[&one, &next, &one, &[op::RETURN]]), [2, 9]);
    let (zero, two, three) = (load(op::ICONST_0), load(op::ICONST_2), load(op::ICONST_3));
    assert_eq!(points(&[&two, &zero, &three, &two, &[op::RETURN]]), [2, 10]);
    let below = load(op::ICONST_M1);
    assert_eq!(points(&[&two, &below, &[op::RETURN]]), [2, 6]);
    let objects = [op::ALOAD_0, op::ICONST_0, op::ALOAD_1, op::AASTORE];
    assert_eq!(points(&[&objects, &objects, &[op::RETURN]]), [3, 7]);
    let cast = code(&[&[op::ALOAD_0], &with(op::CHECKCAST, CLASS), &[op::POP]]);
    let asked = code(&[&[op::ALOAD_0], &with(op::INSTANCEOF, CLASS), &[op::POP]]);
    assert_eq!(points(&[&cast, &cast, &asked, &[op::RETURN]]), [1, 11]);
    // What is not null has resolved the class.
    assert_eq!(points(&[&get(), &cast, &asked, &[op::RETURN]]), [1, 6]);
}

#[test]
fn statics_and_classes_fail_at_their_first_access_only() {
    let get = code(&[&with(op::GETSTATIC, STATIC), &[op::POP]]);
    let literal = [op::LDC, CLASS, op::POP];
    // In an instance method even a field of the own class may fail.
    let again = code(&[&get, &get, &literal, &literal, &[op::RETURN]]);
    assert_eq!(throw_points(&method(&again)), [0, 8]);
}
