//! Dependences of small methods, with the answer beside them.

#[path = "../../flow/tests/assembler/mod.rs"]
mod assembler;

use assembler::*;
use pricetag_classfile::{ClassFile, opcode as op};
use pricetag_dependence::{Exceptions, MethodDependence, Value};

fn with<T>(method: &Method<'_>, check: impl FnOnce(MethodDependence) -> T) -> T {
    analysed(method, Exceptions::Caught, check)
}

fn analysed<T>(
    method: &Method<'_>,
    exceptions: Exceptions,
    check: impl FnOnce(MethodDependence) -> T,
) -> T {
    let bytes = method.bytes();
    let class = ClassFile::parse(&bytes).unwrap();
    let found = MethodDependence::of(&class, &class.methods()[0], exceptions);
    check(found.unwrap().unwrap())
}

/// Offsets of what is closed over the instructions at `seeds`.
fn closure(method: &Method<'_>, seeds: &[u16]) -> Vec<u16> {
    with(method, |found| {
        let seeds = seeds.iter().map(|&pc| found.at(pc).unwrap());
        let closed = found.closure(seeds).instructions;
        closed
            .iter()
            .map(|&i| found.cfg().instructions[i].pc)
            .collect()
    })
}

/// `for (i = 0; i < 9; i++) s = other; ` with `other` set before.
fn counted_loop() -> Vec<u8> {
    code(&[
        &[op::ICONST_4, op::ISTORE_1], // 0, 1: other
        &[op::ICONST_0, op::ISTORE_0], // 2, 3: i
        &[op::ILOAD_0, op::BIPUSH, 9], // 4, 5
        &jump(op::IF_ICMPGE, 13),      // 7
        &[op::ILOAD_1],                // 10
        &with_constant(op::PUTSTATIC), // 11
        &[op::IINC, 0, 1],             // 14
        &jump(op::GOTO, -13),          // 17
        &[op::RETURN],                 // 20
    ])
}

fn with_constant(opcode: u8) -> [u8; 3] {
    assembler::with(opcode, STATIC)
}

#[test]
fn a_counter_needs_its_start_its_bound_and_its_branch() {
    let code = counted_loop();
    assert_eq!(closure(&static_method(&code), &[14]), [2, 3, 4, 5, 7, 14]);
}

#[test]
fn what_is_stored_needs_the_value_and_the_branch() {
    let code = counted_loop();
    assert_eq!(
        closure(&static_method(&code), &[11]),
        [0, 1, 2, 3, 4, 5, 7, 10, 11, 14]
    );
}

#[test]
fn each_copy_follows_its_own_value() {
    // swap: what is stored to 0 was pushed first.
    let code = [
        op::ICONST_1, // 0
        op::ICONST_2, // 1
        op::SWAP,     // 2
        op::ISTORE_0, // 3
        op::ISTORE_1, // 4
        op::RETURN,
    ];
    assert_eq!(closure(&static_method(&code), &[3]), [0, 2, 3]);
    assert_eq!(closure(&static_method(&code), &[4]), [1, 2, 4]);
}

#[test]
fn ways_that_meet_are_told_by_the_branch_and_both_values() {
    let code = code(&[
        &with_constant(op::GETSTATIC), // 0
        &jump(op::IFEQ, 7),            // 3
        &[op::ICONST_1],               // 6
        &jump(op::GOTO, 4),            // 7
        &[op::ICONST_2],               // 10
        &[op::ISTORE_0, op::RETURN],   // 11
    ]);
    // The two constants are needed, and each depends on the branch.
    assert_eq!(closure(&static_method(&code), &[11]), [0, 3, 6, 10, 11]);
}

#[test]
fn a_handler_needs_what_may_throw_into_it() {
    let bytes = code(&[
        &[op::ICONST_3, op::ISTORE_0],            // 0, 1
        &[op::ICONST_1, op::ILOAD_0],             // 2, 3
        &[op::IDIV, op::ISTORE_1],                // 4, 5
        &jump(op::GOTO, 6),                       // 6
        &[op::POP, op::ICONST_5, op::ISTORE_1],   // 9, 10, 11
        &[op::ILOAD_1, op::ISTORE_2, op::RETURN], // 12, 13
    ]);
    let method = Method {
        handlers: &[[2, 6, 9]],
        ..static_method(&bytes)
    };
    let bound = closure(&method, &[13]);
    for needed in [4, 5, 11, 0, 1] {
        assert!(bound.contains(&needed), "{needed} in {bound:?}");
    }
    assert!(!bound.contains(&9), "{bound:?}");
    with(&method, |found| {
        let pop = found.at(9).unwrap();
        let caught = found.values().value(found.values().operands(pop)[0]);
        let thrown_by = vec![found.at(4).unwrap()];
        assert_eq!(
            *caught,
            Value::Caught {
                handler: pop,
                thrown_by
            }
        );
    });
}

#[test]
fn what_stands_behind_an_exception_depends_on_it_if_asked() {
    let code = [
        op::ICONST_1, // 0
        op::ICONST_0, // 1
        op::IDIV,     // 2
        op::POP,      // 3
        op::ICONST_2, // 4
        op::ISTORE_0, // 5
        op::RETURN,
    ];
    let method = static_method(&code);
    assert_eq!(closure(&method, &[5]), [4, 5]);
    analysed(&method, Exceptions::All, |found| {
        let divides = found.at(2).unwrap() as u32;
        assert_eq!(found.control(found.at(5).unwrap()), [divides]);
        assert!(found.control(divides as usize).is_empty());
    });
}

#[test]
fn an_endless_loop_depends_on_how_it_is_entered() {
    let code = code(&[
        &with_constant(op::GETSTATIC), // 0
        &jump(op::IFEQ, 7),            // 3
        &[op::NOP],                    // 6
        &jump(op::GOTO, -1),           // 7: to 6
        &[op::RETURN],                 // 10
    ]);
    let branch = closure(&static_method(&code), &[6]);
    assert!(branch.contains(&3) && branch.contains(&0), "{branch:?}");
}

#[test]
fn parameters_that_are_needed_are_named() {
    // this.f = 1: slot 0.
    let code = code(&[
        &[op::ALOAD_0, op::ICONST_1],
        &assembler::with(op::PUTFIELD, FIELD),
        &[op::RETURN],
    ]);
    with(&method(&code), |found| {
        let store = found.at(2).unwrap();
        assert_eq!(found.closure([store]).parameters, [0]);
    });
}
