//! Plans of methods that `javac` does not make.

#[path = "../../../subject/flow/tests/assembler/mod.rs"]
mod assembler;

use assembler::*;
use pricetag_classfile::{ClassFile, opcode as op};
use pricetag_probe_plan::{MethodOutcome, MethodPlan, Pc, Uninitialised};

fn plan(method: &Method<'_>) -> MethodPlan {
    let bytes = method.bytes();
    let class = ClassFile::parse(&bytes).unwrap();
    pricetag_probe::plan(&class, &bytes).methods.remove(0)
}

fn throw_points(method: &Method<'_>) -> Vec<u16> {
    let plan = plan(method);
    assert_eq!(plan.outcome, MethodOutcome::Counted, "{plan}");
    plan.throw_points.iter().map(|t| t.pc.0).collect()
}

fn reason(method: &Method<'_>) -> String {
    match plan(method).outcome {
        MethodOutcome::Left(reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn fields_of_this_do_not_throw_until_this_is_reassigned() {
    let get = with(op::GETFIELD, FIELD);
    let reassigned = code(&[
        &[op::ALOAD_0],
        &get,
        &[op::POP, op::ACONST_NULL, op::ASTORE_0, op::ALOAD_0],
        &get,
        &[op::POP, op::RETURN],
    ]);
    assert_eq!(throw_points(&method(&reassigned)), [8]);
    // In a static method local 0 is no `this`.
    assert_eq!(throw_points(&static_method(&reassigned)), [1, 8]);
}

#[test]
fn this_is_followed_through_dup_swap_and_joins() {
    let put = with(op::PUTFIELD, FIELD);
    let increment = code(&[
        &[op::ALOAD_0, op::DUP],
        &with(op::GETFIELD, FIELD),
        &[op::ICONST_1, op::IADD],
        &put,
        &[op::RETURN],
    ]);
    assert_eq!(throw_points(&method(&increment)), [0; 0]);
    let swapped = code(&[&[op::ICONST_0, op::ALOAD_0, op::SWAP], &put, &[op::RETURN]]);
    assert_eq!(throw_points(&method(&swapped)), [0; 0]);
    let other = code(&[
        &[
            op::ALOAD_0,
            op::ACONST_NULL,
            op::SWAP,
            op::POP,
            op::ICONST_0,
        ],
        &put,
        &[op::RETURN],
    ]);
    assert_eq!(throw_points(&method(&other)), [5]);
    let conditional = code(&[
        &[op::ALOAD_0, op::ICONST_0],
        &jump(op::IFEQ, 7),
        &[op::ICONST_1],
        &jump(op::GOTO, 4),
        &[op::ICONST_2],
        &put,
        &[op::RETURN],
    ]);
    assert_eq!(throw_points(&method(&conditional)), [0; 0]);
    // `this` on one way only.
    let either = code(&[
        &[op::ICONST_0],
        &jump(op::IFEQ, 7),
        &[op::ALOAD_0],
        &jump(op::GOTO, 4),
        &[op::ACONST_NULL],
        &with(op::GETFIELD, FIELD),
        &[op::POP, op::RETURN],
    ]);
    assert_eq!(throw_points(&method(&either)), [9]);
}

#[test]
fn accesses_that_the_jvm_refuses_are_throw_points() {
    let final_field = code(&[
        &[op::ALOAD_0, op::ICONST_0],
        &with(op::PUTFIELD, FINAL),
        &[op::RETURN],
    ]);
    assert_eq!(throw_points(&method(&final_field)), [2]);
    let in_constructor = code(&[&super_call(), &final_field]);
    assert_eq!(throw_points(&constructor(&in_constructor)), [0; 0]);
    let not_static = code(&[&with(op::GETSTATIC, FIELD), &[op::POP, op::RETURN]]);
    assert_eq!(throw_points(&static_method(&not_static)), [0]);
    let is_static = code(&[
        &[op::ALOAD_0],
        &with(op::GETFIELD, STATIC),
        &[op::POP, op::RETURN],
    ]);
    assert_eq!(throw_points(&method(&is_static)), [1]);
}

#[test]
fn own_statics_are_safe_in_static_methods_only() {
    let access = code(&[
        &with(op::GETSTATIC, STATIC),
        &with(op::PUTSTATIC, STATIC),
        &[op::RETURN],
    ]);
    assert_eq!(throw_points(&static_method(&access)), [0; 0]);
    assert_eq!(throw_points(&method(&access)), [0, 3]);
}

#[test]
fn a_throw_before_super_is_no_throw_point() {
    // if (0 == 0) super(); else throw null;
    let code = code(&[
        &[op::ICONST_0],
        &jump(op::IFEQ, 5),
        &[op::ACONST_NULL, op::ATHROW],
        &super_call(),
        &with(op::INVOKESTATIC, METHOD),
        &[op::RETURN],
    ]);
    let plan = plan(&constructor(&code));
    assert_eq!(plan.outcome, MethodOutcome::Counted);
    assert_eq!(plan.uninitialised, Uninitialised::of([(Pc(0), 10)]));
    assert_eq!(
        plan.throw_points.iter().map(|t| t.pc).collect::<Vec<_>>(),
        [Pc(10)]
    );
    assert_eq!(
        plan.uncounted_throws()
            .iter()
            .map(|b| b.0)
            .collect::<Vec<_>>(),
        [1, 2]
    );
}

/// Where a counted constructor has not initialised `this`.
fn uninitialised(method: &Method<'_>) -> Vec<(u16, u32)> {
    let plan = plan(method);
    assert_eq!(plan.outcome, MethodOutcome::Counted);
    let ranges = plan.uninitialised.ranges();
    ranges.iter().map(|r| (r.start.0, r.end)).collect()
}

#[test]
fn this_is_initialised_behind_each_call_that_does_it() {
    let covered_code = code(&[&super_call(), &[op::RETURN, op::ATHROW]]);
    let covered = Method {
        handlers: &[[0, 4, 5]],
        ..constructor(&covered_code)
    };
    // The handler runs before.
    assert_eq!(uninitialised(&covered), [(0, 4), (5, 6)]);
    let twice = code(&[
        &[op::ALOAD_0, op::ICONST_0],
        &jump(op::IFEQ, 7),
        &with(op::INVOKESPECIAL, OBJECT_INIT),
        &[op::RETURN],
        &with(op::INVOKESPECIAL, OWN_INIT),
        &[op::RETURN],
    ]);
    assert_eq!(uninitialised(&constructor(&twice)), [(0, 8), (9, 12)]);
    let backwards = code(&[
        &jump(op::GOTO, 4),
        &[op::RETURN],
        &super_call(),
        &jump(op::GOTO, -5),
    ]);
    assert_eq!(uninitialised(&constructor(&backwards)), [(0, 3), (4, 8)]);
    let never = code(&[&jump(op::GOTO, 0)]);
    assert_eq!(uninitialised(&constructor(&never)), [(0, 3)]);
}

#[test]
fn a_constructor_initialised_on_one_way_only_says_why() {
    let code = code(&[
        &[op::ICONST_0],
        &jump(op::IFEQ, 7),
        &super_call(),
        &[op::RETURN],
    ]);
    assert!(reason(&constructor(&code)).contains("initialised"));
}

#[test]
fn code_that_cannot_be_analysed_says_why() {
    let subroutine = code(&[&jump(op::JSR, 4), &[op::RETURN, op::ASTORE_1, op::RET, 2]]);
    assert_eq!(
        reason(&method(&subroutine)),
        "subroutines of old class files: no address is known for the ret at 5"
    );
    assert!(reason(&method(&[op::NOP])).starts_with("control runs past the end"));
    assert_eq!(
        reason(&method(&[
            op::POP,
            op::ALOAD_0,
            op::GETFIELD,
            0,
            FIELD,
            op::POP,
            op::RETURN
        ])),
        "operand stack does not fit at 0"
    );
    assert!(reason(&method(&[0xfe])).contains("unknown opcode"));
}

#[test]
fn a_method_that_surely_grows_too_large_is_left() {
    let access = code(&[&[op::ACONST_NULL], &with(op::GETFIELD, FIELD), &[op::POP]]);
    let mut large = access.repeat(8_000);
    large.push(op::RETURN);
    let reason = reason(&static_method(&large));
    assert!(
        reason.starts_with("instrumented code would be at least "),
        "{reason}"
    );
    assert!(
        reason.ends_with("the class-file format allows 65535"),
        "{reason}"
    );
}

#[test]
fn dead_code_is_not_counted() {
    let plan = plan(&static_method(&[
        op::RETURN,
        op::ICONST_0,
        op::POP,
        op::RETURN,
    ]));
    assert_eq!(
        (plan.blocks.len(), plan.blocks[0].instructions.len()),
        (1, 1)
    );
    let behind_a_jump = code(&[&jump(op::GOTO, 4), &[op::RETURN], &[op::RETURN]]);
    assert_eq!(self::plan(&static_method(&behind_a_jump)).blocks.len(), 2);
}

#[test]
fn returns_of_methods_with_monitors_may_throw() {
    let locked = code(&[&[
        op::ALOAD_0,
        op::DUP,
        op::MONITORENTER,
        op::MONITOREXIT,
        op::RETURN,
    ]]);
    assert_eq!(throw_points(&method(&locked)), [2, 3, 4]);
    assert!(plan(&method(&locked)).edges[1].counter.is_none());
    assert!(plan(&method(&locked)).edges[0].counter.is_some());
}

#[test]
fn division_by_a_constant_does_not_throw() {
    let divide = |divisor: u8| code(&[&[op::ICONST_5, divisor, op::IDIV, op::POP, op::RETURN]]);
    assert_eq!(throw_points(&static_method(&divide(op::ICONST_3))), [0; 0]);
    assert_eq!(throw_points(&static_method(&divide(op::ICONST_M1))), [0; 0]);
    assert_eq!(throw_points(&static_method(&divide(op::ICONST_0))), [2]);
    assert_eq!(throw_points(&static_method(&divide(op::ILOAD_0))), [2]);
    let long = |divisor: u8| code(&[&[op::LCONST_1, divisor, op::LREM, op::POP2, op::RETURN]]);
    assert_eq!(throw_points(&static_method(&long(op::LCONST_1))), [0; 0]);
    assert_eq!(throw_points(&static_method(&long(op::LCONST_0))), [2]);
    // The constant was pushed in another block.
    let joined = code(&[
        &[op::ICONST_5, op::ICONST_0],
        &jump(op::IFEQ, 7),
        &[op::ICONST_3],
        &jump(op::GOTO, 4),
        &[op::ICONST_2],
        &[op::IDIV, op::POP, op::RETURN],
    ]);
    assert_eq!(throw_points(&static_method(&joined)), [10]);
}

#[test]
fn array_initialisers_throw_only_where_they_allocate() {
    const INT: u8 = 10;
    const DOUBLE: u8 = 7;
    let store = |length: u8, index: u8| {
        code(&[&[
            length,
            op::NEWARRAY,
            INT,
            op::DUP,
            index,
            op::ICONST_5,
            op::IASTORE,
            op::POP,
            op::RETURN,
        ]])
    };
    assert_eq!(
        throw_points(&static_method(&store(op::ICONST_2, op::ICONST_1))),
        [1]
    );
    assert_eq!(
        throw_points(&static_method(&store(op::ICONST_2, op::ICONST_2))),
        [1, 6]
    );
    assert_eq!(
        throw_points(&static_method(&store(op::ICONST_2, op::ICONST_M1))),
        [1, 6]
    );
    assert_eq!(
        throw_points(&static_method(&store(op::ICONST_M1, op::ICONST_0))),
        [1, 6]
    );
    assert_eq!(
        throw_points(&static_method(&store(op::ILOAD_0, op::ICONST_0))),
        [1, 6]
    );
    assert_eq!(
        throw_points(&static_method(&store(op::ICONST_2, op::ILOAD_0))),
        [1, 6]
    );
    let wide = code(&[&[
        op::ICONST_1,
        op::NEWARRAY,
        DOUBLE,
        op::DUP,
        op::ICONST_0,
        op::DCONST_1,
        op::DASTORE,
        op::ARRAYLENGTH,
        op::POP,
        op::RETURN,
    ]]);
    assert_eq!(throw_points(&static_method(&wide)), [1]);
    // A reference into an `Object[]` (constant 4) fits; into a `T[]` (constant 2) only if it is a `T`.
    let references = |class: u8| {
        code(&[
            &[op::ICONST_1],
            &with(op::ANEWARRAY, class),
            &[
                op::DUP,
                op::ICONST_0,
                op::ALOAD_0,
                op::AASTORE,
                op::POP,
                op::RETURN,
            ],
        ])
    };
    assert_eq!(throw_points(&method(&references(4))), [1]);
    assert_eq!(throw_points(&method(&references(2))), [1, 7]);
}

fn compared(code: &[u8]) -> Vec<(u16, f64)> {
    let plan = plan(&static_method(code));
    assert_eq!(plan.outcome, MethodOutcome::Counted, "{plan}");
    let found = plan.comparisons.iter();
    found.map(|c| (c.pc.0, c.literal.value())).collect()
}

/// `a < b` of what two pieces of code push, then a return on either way.
fn comparison(one: &[u8], other: &[u8], compare: &[u8]) -> Vec<u8> {
    let branch = if compare == [op::IF_ICMPLT] {
        jump(op::IF_ICMPLT, 4).to_vec()
    } else {
        code(&[compare, &jump(op::IFLT, 4)])
    };
    code(&[one, other, &branch, &[op::RETURN, op::RETURN]])
}

#[test]
fn a_number_is_seen_on_either_side_of_a_comparison_by_order() {
    let size = [op::ICONST_3, op::NEWARRAY, 10, op::ARRAYLENGTH];
    let limit = [op::SIPUSH, 0x01, 0x90];
    let int = [op::IF_ICMPLT];
    assert_eq!(compared(&comparison(&size, &limit, &int)), [(7, 400.0)]);
    assert_eq!(compared(&comparison(&limit, &size, &int)), [(7, 400.0)]);
    let least = [op::BIPUSH, 0x80];
    assert_eq!(compared(&comparison(&size, &least, &int)), [(6, -128.0)]);
    // Both sides unknown, both sides known.
    assert_eq!(compared(&comparison(&size, &size, &int)), []);
    assert_eq!(compared(&comparison(&limit, &least, &int)), []);
}

#[test]
fn wide_numbers_and_fractions_are_seen() {
    let long = [op::ICONST_2, op::I2L];
    // 1 << 9: what is computed is not followed.
    let shifted = [op::LCONST_1, op::BIPUSH, 9, op::LSHL];
    assert_eq!(compared(&comparison(&long, &shifted, &[op::LCMP])), []);
    let float = [op::ICONST_5, op::I2F];
    let two = [op::FCONST_2];
    assert_eq!(
        compared(&comparison(&float, &two, &[op::FCMPL])),
        [(3, 2.0)]
    );
    assert_eq!(
        compared(&comparison(&two, &float, &[op::FCMPG])),
        [(3, 2.0)]
    );
}

#[test]
fn equality_small_numbers_and_other_blocks_say_nothing() {
    let size = [op::ICONST_3, op::NEWARRAY, 10, op::ARRAYLENGTH];
    let ends = [op::RETURN, op::RETURN];
    let equal = code(&[&size, &[op::BIPUSH, 64], &jump(op::IF_ICMPEQ, 4), &ends]);
    assert_eq!(compared(&equal), []);
    let small = [op::ICONST_M1, op::ICONST_0, op::ICONST_1];
    for number in small {
        assert_eq!(
            compared(&comparison(&size, &[number], &[op::IF_ICMPLT])),
            []
        );
    }
    let float = [op::ICONST_5, op::I2F];
    let same = [op::FCONST_2, op::FCMPL];
    assert_eq!(
        compared(&code(&[&float, &same, &jump(op::IFNE, 4), &ends])),
        []
    );
    // The number is pushed before a jump into the block that compares.
    let apart = code(&[
        &size,
        &[op::BIPUSH, 64],
        &jump(op::GOTO, 3),
        &jump(op::IF_ICMPLT, 4),
        &ends,
    ]);
    assert_eq!(compared(&apart), []);
}
