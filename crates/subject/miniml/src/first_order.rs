//! Share-let normal form: each function of a program as first-order code without names for functions, with what it is charged.
//!
//! What Hoffmann, Das and Weng (POPL 2017, section 5) normalise to, for the analysis of bounds. A function that is no part of a recursive
//! definition is opened where it is called. A recursive one is copied for the functions that are passed to it (specialisation at call
//! sites) and takes what it captures as further parameters. Charges are those of paper mode (Das and Hoffmann 2017). Patterns become
//! questions about one constructor each. Natural numbers are data: a test for zero is a question, too.
//!
//! Limits: no `try`, no functions inside data or as the result of a recursive function, no function that is passed on changed.

mod apply;
mod branch;
mod distance;
mod expression;
mod lower;
mod matching;
mod natural;
mod operate;
mod shape;

use std::collections::BTreeMap;

use crate::construct::Construct;
use crate::core::{GlobalId, Lambda, Work};
use crate::diagnostic::Diagnostic;

/// A variable, unique in its [`Entry`].
pub type Var = u32;
/// A function, by its place in [`Entry::functions`].
pub type FunctionId = usize;

/// What a value is made of, as far as its size may be part of a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No size: a float, a string, a number inside data, a type variable.
    Opaque,
    /// A number, whose size is itself, or 0 below that.
    Number,
    /// Parts of a tuple or record.
    Tuple(Vec<Shape>),
    /// A list or a value of a variant type, by its place in [`Entry::data`].
    Data(usize),
}

/// A type whose values are trees of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    /// As OCaml writes it.
    pub name: String,
    /// Constructors with arguments.
    pub constructors: Vec<Constructor>,
    /// Names of those without.
    pub constants: Vec<String>,
}

/// A constructor with arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constructor {
    /// Its name.
    pub name: String,
    /// Its arguments in order: nothing where a value of the same type stands.
    pub fields: Vec<Option<Shape>>,
}

/// A variable or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atom {
    /// A variable.
    Var(Var),
    /// A number, or a constructor without arguments.
    Constant(i64),
}

/// Steps in order, and how they end.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// What is done.
    pub steps: Vec<Step>,
    /// The value; nothing where an exception is raised.
    pub value: Option<Atom>,
}

/// One step.
#[derive(Clone, Debug)]
pub enum Step {
    /// A construct runs so many times.
    Charge(Construct, u64),
    /// Bytes are allocated.
    Bytes(u64),
    /// A function of that name is called.
    Enter(String),
    /// Something whose cost hangs on what has no size here.
    Unsized(Unsized),
    /// A variable gets a value.
    Bind(Var, Right),
}

/// A step whose cost hangs on what has no size in a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsized {
    /// What it is, in words.
    pub what: String,
    /// Whether it takes a time without limit.
    pub time: bool,
    /// Whether it allocates bytes that are not counted.
    pub bytes: bool,
    /// The constructs that run so often.
    pub counted: &'static [Construct],
}

/// What a variable is bound to.
#[derive(Clone, Debug)]
pub enum Right {
    /// The same value.
    Same(Atom),
    /// A node, by its constructor's place.
    Build(usize, Vec<Atom>),
    /// A tuple or record.
    Tuple(Vec<Atom>),
    /// A part of one.
    Part(Var, usize),
    /// The sum of two numbers.
    Sum(Atom, Atom),
    /// A number that is no larger than the first; if there is a second, it is natural where that one is.
    AtMost(Atom, Option<Atom>),
    /// A number that is no larger than the first, unless the second is negative.
    Less(Atom, Atom),
    /// Anything.
    Unknown,
    /// A function's result.
    Call(FunctionId, Vec<Atom>),
    /// A question about a variable of data or a number.
    Case(Var, Vec<Arm>, Question),
    /// One of several blocks: what chooses has no size.
    Choice(Vec<Block>),
}

/// What a [`Right::Case`] asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Which constructor.
    Constructor,
    /// Whether a number is positive.
    Positive,
    /// Whether a number is 0: it is no question about sizes unless the number is known not to be negative.
    Zero,
}

/// What is done for one answer.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The constructor; nothing for those without arguments, and for numbers that are not positive.
    pub constructor: Option<usize>,
    /// Its arguments; of a number, the one before.
    pub fields: Vec<Var>,
    /// What is done.
    pub block: Block,
}

/// A recursive function, made for one caller.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in the program.
    pub name: String,
    /// Its parameters, what it captures among them.
    pub parameters: Vec<Var>,
    /// Stands for its result, whose shape it has.
    pub result: Var,
    /// What it does.
    pub body: Block,
}

/// A function of the program, by itself.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<Var>,
    /// What it does.
    pub body: Block,
    /// The recursive functions that are called.
    pub functions: Vec<Function>,
    /// The shape of each variable.
    pub shapes: Vec<Shape>,
    /// The types there are.
    pub data: Vec<Data>,
    /// Variables whose numbers are known not to be negative, if those of the parameters are not.
    pub natural: Vec<bool>,
}

impl Entry {
    /// Whether anything hangs on numbers among the arguments not being negative: something tests one for zero, or subtracts one, or divides by one.
    pub fn assumes_natural(&self) -> bool {
        fn tested(block: &Block) -> bool {
            block.steps.iter().any(|step| match step {
                Step::Bind(_, Right::Case(_, arms, question)) => {
                    *question == Question::Zero || arms.iter().any(|a| tested(&a.block))
                }
                Step::Bind(_, Right::Choice(blocks)) => blocks.iter().any(tested),
                Step::Bind(_, Right::Less(_, Atom::Var(_))) => true,
                _ => false,
            })
        }
        fn numbers(shape: &Shape) -> bool {
            match shape {
                Shape::Number => true,
                Shape::Tuple(parts) => parts.iter().any(numbers),
                _ => false,
            }
        }
        let given = self
            .parameters
            .iter()
            .any(|p| numbers(&self.shapes[*p as usize]));
        given && (tested(&self.body) || self.functions.iter().any(|f| tested(&f.body)))
    }
}

/// Why a function has no normal form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{construct}, in `{function}`")]
pub struct Refusal {
    /// The function in which it was met.
    pub function: String,
    /// What was met.
    pub construct: String,
}

/// A function that a program defines at top level.
#[derive(Clone, Debug)]
pub struct Defined {
    /// Its name.
    pub name: String,
    /// Its type.
    pub type_text: String,
    /// Its line, from 1.
    pub line: u32,
    /// Its normal form, or why it has none.
    pub entry: Result<Entry, Refusal>,
}

/// Whether a type as it is printed is that of functions: an arrow stands outside of parentheses.
fn is_function(type_text: &str) -> bool {
    let mut depth = 0_i32;
    type_text
        .bytes()
        .zip(type_text.bytes().skip(1))
        .any(|pair| {
            depth += i32::from(pair.0 == b'(') - i32::from(pair.0 == b')');
            depth == 0 && pair == (b'-', b'>')
        })
}

/// Each function that a program defines at top level, in order.
///
/// # Errors
/// If the program is not one of the language.
pub fn entries(source: &str) -> Result<Vec<Defined>, Vec<Diagnostic>> {
    crate::count::with_room(|| {
        let program = crate::count::analyse(source)?;
        let lines = crate::diagnostic::Lines::new("", source);
        let mut globals = BTreeMap::new();
        let mut found = Vec::new();
        for item in &program.items {
            let line = if item.library {
                0
            } else {
                lines.of(item.span.start).0
            };
            let mut define = |global: GlobalId, lambda: Option<&Lambda>| {
                let shown = item.shown.iter().find(|s| s.global == global);
                if let Some(shown) = shown
                    && !item.library
                    && (lambda.is_some() || is_function(&shown.type_text))
                {
                    let name = shown.name.clone().unwrap_or_default();
                    let parameters = lambda.map(|lambda| lambda.parameters.len());
                    found.push((name, shown.type_text.clone(), line, global, parameters));
                }
            };
            match &item.work {
                Work::LetRec(functions) => {
                    for (i, (global, lambda)) in functions.iter().enumerate() {
                        define(*global, Some(lambda));
                        globals.insert(*global, lower::Definition::Member(functions, i));
                    }
                }
                Work::Let(bindings, places) => {
                    for (variable, global) in places {
                        let value = bindings.iter().find_map(|b| match b.pattern {
                            crate::core::Pattern::Variable(v) if v == *variable => Some(&b.value),
                            _ => None,
                        });
                        let lambda = match value {
                            Some(crate::core::Expr::Lambda(lambda)) => Some(&**lambda),
                            _ => None,
                        };
                        define(*global, lambda);
                        globals.insert(
                            *global,
                            value.map_or(lower::Definition::Unknown, lower::Definition::Value),
                        );
                    }
                }
                _ => {}
            }
        }
        let names: BTreeMap<GlobalId, String> = program
            .items
            .iter()
            .flat_map(|i| &i.shown)
            .filter_map(|s| Some((s.global, s.name.clone()?)))
            .collect();
        Ok(found
            .into_iter()
            .map(|(name, type_text, line, global, parameters)| {
                let mut known = lower::Known::default();
                let entry = loop {
                    let Some(parameters) = parameters else {
                        break Err(Refusal {
                            function: name.clone(),
                            construct: "a function that is not written with its parameters, as in `let f x = …`".to_owned(),
                        });
                    };
                    let lower = lower::Lower::new(&program, &globals, &names, &known);
                    match lower.entry(&name, global, parameters) {
                        Ok((entry, found)) => {
                            if !known.learn(found) {
                                break Ok(entry);
                            }
                        }
                        // Perhaps it is too large with further parameters.
                        Err(_) if known.without_distances() => {}
                        Err(refusal) => break Err(refusal),
                    }
                };
                Defined {
                    name,
                    type_text,
                    line,
                    entry,
                }
            })
            .collect())
    })
}
