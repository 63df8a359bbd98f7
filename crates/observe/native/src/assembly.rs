//! Whether the construct a program is about is really in its machine code.
//!
//! A compiler folds, inlines and reduces: a training program for calls without a call prices something else, and nothing in the
//! timings says so. An [`Expectation`] names a function of the source and how often, at least, an instruction must stand in it:
//! the instruction by its kind ([`Kind`], translated for x86-64 and 64-bit ARM) or, after `=`, by a part of the line;
//! `!` before the kind says it must not be there at all.
//! Limits: on other architectures nothing is known and nothing is checked, which the caller can see ([`is_known`]).

/// Kinds of instructions that constructs leave behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A call of a function.
    Call,
    /// A jump backwards or into another function of the program: a loop or tail call.
    Jump,
    /// Integer multiplication.
    Multiply,
    /// Integer division.
    Divide,
    /// Integer addition or subtraction, address arithmetic included.
    Add,
    /// Floating-point addition.
    FloatAdd,
    /// Floating-point subtraction.
    FloatSub,
    /// Floating-point multiplication.
    FloatMultiply,
    /// Floating-point division.
    FloatDivide,
    /// Floating-point comparison.
    FloatCompare,
    /// Integer comparison or test.
    Compare,
    /// Allocation on the minor heap.
    Allocate,
    /// Call through a closure.
    Indirect,
}

const NAMES: [(&str, Kind); 13] = [
    ("call", Kind::Call),
    ("jump", Kind::Jump),
    ("multiply", Kind::Multiply),
    ("divide", Kind::Divide),
    ("add", Kind::Add),
    ("float-add", Kind::FloatAdd),
    ("float-sub", Kind::FloatSub),
    ("float-multiply", Kind::FloatMultiply),
    ("float-divide", Kind::FloatDivide),
    ("float-compare", Kind::FloatCompare),
    ("compare", Kind::Compare),
    ("allocate", Kind::Allocate),
    ("indirect", Kind::Indirect),
];

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// An instruction of a kind.
    Instruction(Kind),
    /// A part of the line.
    Text(String),
}

/// What a function's code must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Name in the source.
    pub function: String,
    /// How often, at least; none for not at all.
    pub at_least: Option<usize>,
    /// What.
    pub pattern: Pattern,
}

impl Expectation {
    /// `FUNCTION: 4 multiply`, `FUNCTION: 1 =caml_compare`, `FUNCTION: !call`.
    pub fn parse(text: &str) -> Option<Self> {
        let (function, rest) = text.split_once(':')?;
        let rest = rest.trim();
        let (at_least, what) = if let Some(what) = rest.strip_prefix('!') {
            (None, what)
        } else {
            let (count, what) = rest.split_once(' ')?;
            (Some(count.parse().ok()?), what.trim())
        };
        let pattern = match what.strip_prefix('=') {
            Some(part) => Pattern::Text(part.to_owned()),
            None => Pattern::Instruction(NAMES.iter().find(|(name, _)| *name == what)?.1),
        };
        Some(Self {
            function: function.trim().to_owned(),
            at_least,
            pattern,
        })
    }

    fn words(&self) -> String {
        match &self.pattern {
            Pattern::Text(part) => format!("`{part}`"),
            Pattern::Instruction(kind) => {
                let name = NAMES.iter().find(|(_, k)| k == kind).map_or("", |n| n.0);
                format!("{name} instructions")
            }
        }
    }
}

/// Whether the machine code of an architecture (in OCaml's words) can be read.
pub fn is_known(architecture: &str) -> bool {
    matches!(architecture, "amd64" | "arm64")
}

/// Checks the listing of a compilation unit; the first expectation that does not hold, in words.
pub fn check(
    listing: &str,
    architecture: &str,
    expectations: &[Expectation],
) -> Result<(), String> {
    if !is_known(architecture) {
        return Ok(());
    }
    for e in expectations {
        let body = function(listing, &e.function);
        if body.is_empty() {
            return Err(format!(
                "`{}` is not in the machine code: it was inlined or folded away",
                e.function
            ));
        }
        let found = body
            .iter()
            .filter(|line| matches(line, &e.pattern, architecture))
            .count();
        match e.at_least {
            Some(least) if found < least => {
                return Err(format!(
                    "`{}` has {found} {} in its machine code instead of at least {least}: folded, inlined or reduced",
                    e.function,
                    e.words()
                ));
            }
            None if found > 0 => {
                return Err(format!(
                    "`{}` has {found} {} in its machine code, which should have none",
                    e.function,
                    e.words()
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Instructions of all functions of that source name: `camlUnit__NAME_NUMBER` up to the next symbol.
fn function<'a>(listing: &'a str, name: &str) -> Vec<&'a str> {
    let mut out = Vec::new();
    let mut inside = false;
    for line in listing.lines() {
        if let Some(label) = line.strip_suffix(':').filter(|l| l.starts_with("caml")) {
            inside = is_symbol_of(label, name);
        } else if line.starts_with(".L") || line.starts_with("\t.L") {
            // a local label
        } else if inside {
            let code = line.trim();
            if !code.is_empty() && !code.starts_with('.') {
                out.push(code);
            }
        }
    }
    out
}

fn is_symbol_of(label: &str, name: &str) -> bool {
    // 4.x and early 5.x write camlUnit__name_12, 5.2 and later camlUnit.name_12.
    let local = label
        .split_once("__")
        .or_else(|| label.split_once('.'))
        .map_or(label, |(_, l)| l);
    local
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix('_'))
        .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}

fn matches(line: &str, pattern: &Pattern, architecture: &str) -> bool {
    let kind = match pattern {
        Pattern::Text(part) => return line.contains(part.as_str()),
        Pattern::Instruction(kind) => *kind,
    };
    let mut words = line.split_whitespace();
    let (op, rest) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let last = line.rsplit([',', ' ', '\t']).next().unwrap_or("");
    if architecture == "arm64" {
        return match kind {
            Kind::Call => op == "bl" || op == "blr",
            Kind::Jump => op == "b" || op == "br",
            Kind::Multiply => matches!(op, "mul" | "madd" | "msub"),
            Kind::Divide => op == "sdiv",
            Kind::Add => matches!(op, "add" | "sub") && !line.contains("sp"),
            Kind::FloatAdd => op == "fadd",
            Kind::FloatSub => op == "fsub",
            Kind::FloatMultiply => matches!(op, "fmul" | "fmadd" | "fnmul"),
            Kind::FloatDivide => op == "fdiv",
            Kind::FloatCompare => op == "fcmp",
            Kind::Compare => matches!(op, "cmp" | "tst" | "cbz" | "cbnz" | "tbz" | "tbnz"),
            Kind::Allocate => op == "sub" && rest.starts_with("x27"),
            Kind::Indirect => op == "blr" || op == "br",
        };
    }
    match kind {
        Kind::Call => op == "call",
        Kind::Jump => op == "jmp",
        Kind::Multiply => op == "imulq",
        Kind::Divide => op == "idivq",
        Kind::Add => matches!(op, "addq" | "subq" | "leaq" | "incq" | "decq") && last != "%rsp",
        Kind::FloatAdd => op == "addsd",
        Kind::FloatSub => op == "subsd",
        Kind::FloatMultiply => op == "mulsd",
        Kind::FloatDivide => op == "divsd",
        Kind::FloatCompare => matches!(op, "comisd" | "ucomisd" | "cmpsd"),
        Kind::Compare => op.starts_with("cmp") || op.starts_with("test"),
        Kind::Allocate => op == "subq" && last == "%r15",
        Kind::Indirect => (op == "call" || op == "jmp") && line.contains('*'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shape of what ocamlopt 4.13 writes.
    const LISTING: &str = "\t.text\ncamlP__loop_81:\n\t.cfi_startproc\n.L101:\n\tcmpq\t$1, %rax\n\tjne\t.L100\n\tret\n.L100:\n\timulq\t%rdi, %rbx\n\tincq\t%rbx\n\taddq\t$-2, %rax\n\tjmp\t.L101\ncamlP__loop_other_83:\n\tcall\tcaml_call_gc@PLT\n";

    #[test]
    fn what_is_there_is_found() {
        for (expectation, holds) in [
            ("loop: 1 multiply", true),
            ("loop: 2 multiply", false),
            ("loop: 1 jump", true),
            ("loop: !call", true),
            ("loop_other: 1 call", true),
            ("loop_other: !call", false),
            ("loop: 1 divide", false),
            ("loop: 1 =$-2", true),
            ("gone: 1 add", false),
        ] {
            let e = Expectation::parse(expectation).unwrap();
            assert_eq!(
                check(LISTING, "amd64", &[e]).is_ok(),
                holds,
                "{expectation}"
            );
        }
    }

    #[test]
    fn the_reason_names_function_and_instruction() {
        let e = Expectation::parse("loop: 3 divide").unwrap();
        let reason = check(LISTING, "amd64", &[e]).unwrap_err();
        assert!(
            reason.contains("`loop` has 0 divide instructions"),
            "{reason}"
        );
    }

    #[test]
    fn nonsense_is_no_expectation() {
        for text in ["", "f", "f: call", "f: x call", "f: 1 no-such-thing"] {
            assert!(Expectation::parse(text).is_none(), "{text}");
        }
    }
}
