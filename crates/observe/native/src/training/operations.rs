//! Arithmetic, comparisons and boolean operations, from templates.

use super::program;
use crate::program::Program;

/// A binary operation: name, construct, operator, whether on floats, instruction.
type Operation = (&'static str, &'static str, &'static str, bool, &'static str);

const ARITHMETIC: [Operation; 9] = [
    ("int_add", "IntAdd", "+", false, "add"),
    ("int_sub", "IntSub", "-", false, "add"),
    ("int_mult", "IntMult", "*", false, "multiply"),
    ("int_div", "IntDiv", "/", false, "divide"),
    ("int_mod", "IntMod", "mod", false, "divide"),
    ("float_add", "FloatAdd", "+.", true, "float-add"),
    ("float_sub", "FloatSub", "-.", true, "float-sub"),
    ("float_mult", "FloatMult", "*.", true, "float-multiply"),
    ("float_div", "FloatDiv", "/.", true, "float-divide"),
];

/// A comparison that holds between rising (or equal) numbers: name, construct, operator, numbers.
const COMPARISONS: [(&str, &str, &str, [i32; 5]); 6] = [
    ("lt", "LT", "<", [1, 2, 3, 4, 5]),
    ("le", "LE", "<=", [1, 2, 3, 4, 5]),
    ("gt", "GT", ">", [9, 8, 7, 6, 5]),
    ("ge", "GE", ">=", [9, 8, 7, 6, 5]),
    ("eq", "Eq", "=", [3, 3, 3, 3, 3]),
    ("ne", "Eq", "<>", [1, 2, 1, 2, 1]),
];

pub(super) fn programs() -> Vec<Program> {
    let mut out = Vec::new();
    for operation in ARITHMETIC {
        out.push(chain(operation));
        out.push(apart(operation));
        if matches!(operation.0, "int_div" | "int_mod" | "int_mult") {
            out.extend([3, 8].map(|by| by_constant(operation, by)));
        }
    }
    for comparison in COMPARISONS {
        out.push(compare(comparison, false));
        out.push(compare(comparison, true));
    }
    out.extend([kept(false), kept(true)]);
    out.extend(negations());
    out.extend(booleans());
    out
}

/// Each operation waits for the one before.
fn chain((name, construct, op, float, instruction): Operation) -> Program {
    let (a, b) = if float {
        ("1.5", "1.0000001")
    } else {
        ("123456789", "7")
    };
    // Divisions would soon have nothing left to divide: every iteration begins anew, but depends on the last.
    let again = if op == "/" { "(a + 999999999)" } else { "a" };
    let source = format!(
        "let rec loop n a b = if n = 0 then a else loop (n - 1) ({again} {op} b {op} b {op} b {op} b) b\n\
         let input n = n\nlet run n = loop n {a} {b}\n"
    );
    let asm = format!("loop: 4 {instruction}");
    program(
        &format!("{name}_chain"),
        construct,
        source,
        &[&asm, "loop: 1 jump"],
    )
}

/// Four operations that do not wait for each other.
fn apart((name, construct, op, float, instruction): Operation) -> Program {
    let asm = format!("loop: 4 {instruction}");
    let source = if float {
        format!(
            "let rec loop n r a b c d e = if n = 0 then r else\n  let x = a {op} e in let y = b {op} e in let z = c {op} e in let w = d {op} e in\n  \
             loop (n - 1) (if x < y then n else if z < w then n else r) a b c d e\n\
             let input n = n\nlet run n = loop n 0 9.5 7.25 6.5 3.75 1.125\n"
        )
    } else {
        format!(
            "let rec loop n a b c d e = if n = 0 then a + b + c + d else\n  loop (n - 1) (n {op} e) ((n + 1) {op} e) ((n + 2) {op} e) ((n + 3) {op} e) e\n\
             let input n = n\nlet run n = loop n 987654321 87654321 7654321 654321 3\n"
        )
    };
    program(
        &format!("{name}_apart"),
        construct,
        source,
        &[&asm, "loop: 1 jump"],
    )
}

/// The second operand is a constant, which the compiler makes use of.
fn by_constant((name, construct, op, _, _): Operation, by: u32) -> Program {
    let source = format!(
        "let rec loop n a b = if n = 0 then a + b else loop (n - 1) ((n + a) {op} {by}) ((n + 1) {op} {by})\n\
         let input n = n\nlet run n = loop n 1 2\n"
    );
    program(
        &format!("{name}_by_{by}"),
        construct,
        source,
        &["loop: 2 add", "loop: 1 jump", "loop: !=idivq"],
    )
}

/// Four comparisons an iteration, the same way every time.
fn compare((name, construct, op, numbers): (&str, &str, &str, [i32; 5]), float: bool) -> Program {
    let numbers = numbers.map(|x| {
        if float {
            format!("{x}.")
        } else {
            x.to_string()
        }
    });
    let (prefix, ty, instruction) = if float {
        ("Float", "float", "float-compare")
    } else {
        ("Int", "int", "compare")
    };
    let source = format!(
        "let rec loop n r (a : {ty}) (b : {ty}) (c : {ty}) (d : {ty}) (e : {ty}) =\n  if n = 0 then r else\n  loop (n - 1) \
         (if a {op} b then if b {op} c then if c {op} d then if d {op} e then r else 1 else 2 else 3 else 4) a b c d e\n\
         let input n = n\nlet run n = loop n 0 {}\n",
        numbers.join(" ")
    );
    let asm = format!("loop: 4 {instruction}");
    program(
        &format!("{ty}_{name}"),
        &format!("{prefix}Cond{construct}"),
        source,
        &[&asm, "loop: 1 jump", "loop: !=caml_c_call"],
    )
}

fn negations() -> Vec<Program> {
    let int = "let rec loop n a b c d = if n = 0 then a + b else loop (n - 1) (- b) (- c) (- d) (- a)\n\
               let input n = n\nlet run n = loop n 1 2 3 4\n";
    let float = "let rec loop n r a b = if n = 0 then r else\n  let x = -. a in let y = -. b in\n  \
                 loop (n - 1) (if x < y then n else r) a b\n\
                 let input n = n\nlet run n = loop n 0 1.5 2.5\n";
    let boxed = "let rec loop n a = if n = 0 then a else loop (n - 1) (-. a)\n\
                 let input n = n\nlet run n = loop n 1.5\n";
    vec![
        program(
            "int_uminus",
            "IntUMinus",
            int.into(),
            &["loop: 1 jump", "loop: 4 =sub"],
        ),
        program(
            "float_uminus",
            "FloatUMinus",
            float.into(),
            &["loop: 2 =xor", "loop: 1 jump"],
        ),
        program(
            "float_uminus_boxed",
            "FloatUMinus",
            boxed.into(),
            &["loop: 1 =xor", "loop: 1 allocate"],
        ),
    ]
}

/// Comparisons whose result is kept instead of branched on.
fn kept(float: bool) -> Program {
    let (ty, dot, instruction) = if float {
        ("float", ".", "float-compare")
    } else {
        ("int", "", "compare")
    };
    let source = format!(
        "let rec loop n r (a : {ty}) (b : {ty}) =\n  if n = 0 then r else\n  let x = a < b in let y = b < a in let z = a = b in\n  \
         loop (n - 1) ((x, y, z) :: []) a b\nlet input n = n\nlet run n = loop n [] 1{dot} 2{dot}\n"
    );
    let asm = format!("loop: 3 {instruction}");
    program(
        &format!("kept_{ty}"),
        &format!("comparisons of {ty}"),
        source,
        &[&asm, "loop: 1 allocate"],
    )
}

fn booleans() -> Vec<Program> {
    let flat = |test: &str, values: &str| {
        format!(
            "let rec loop n r a b c d e = if n = 0 then r else\n  loop (n - 1) (if {test} then r + 1 else r) a b c d e\n\
             let input n = n\nlet run n = loop n 0 {values}\n"
        )
    };
    let not = "let rec loop n a b c d = if n = 0 then a && b else loop (n - 1) (not b) (not c) (not d) (not a)\n\
               let input n = n\nlet run n = loop n true false true false\n";
    let asm = ["loop: 5 compare", "loop: 1 jump"];
    vec![
        program(
            "bool_and",
            "BoolAnd",
            flat("a && b && c && d && e", "true true true true true"),
            &asm,
        ),
        program(
            "bool_or",
            "BoolOr",
            flat("a || b || c || d || e", "false false false false true"),
            &asm,
        ),
        program(
            "bool_mixed",
            "BoolAnd",
            flat("(a && b) || (c && d) || e", "true false true false true"),
            &asm,
        ),
        program(
            "bool_if",
            "base",
            flat("a", "true false true false true"),
            &["loop: 2 compare", "loop: 1 jump"],
        ),
        program(
            "bool_not",
            "BoolNot",
            not.into(),
            &["loop: 4 =sub", "loop: 1 jump"],
        ),
    ]
}
