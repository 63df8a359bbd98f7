//! The typed core: names resolved, constructors numbered, operators known with the type they work at.
//!
//! Costs are no part of it: a metric reads the core and the evaluator's counts.

use crate::syntax::Span;
use crate::types::Ty;

/// A local variable, unique in the program.
pub type VarId = u32;
/// A top-level variable.
pub type GlobalId = u32;
/// An exception's constructor.
pub type ExnId = u32;

macro_rules! operators {
    ($($name:ident)*) => {
        /// A built-in operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "each is the OCaml function of that name")]
        pub enum Operator { $($name,)* }

        impl Operator {
            /// The operation of a name.
            pub(crate) fn named(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($name) => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

operators! {
    IntNegate IntAdd IntSub IntMul IntDiv IntMod FloatNegate FloatAbs FloatAdd FloatSub FloatMul FloatDiv FloatPower FloatSqrt FloatExp FloatLog FloatSin FloatCos FloatFloor
    FloatCeil Equal NotEqual Less LessEqual Greater GreaterEqual Compare BoolNot FloatOfInt IntOfFloat CharCode CharOfCode
    StringLength StringGet StringConcat StringOfInt StringOfFloat IntOfString StringMake StringSub PrintString Raise
    IntAnd IntOr IntXor IntShiftLeft IntShiftRight IntShiftArithmetic Same NotSame Identity Ignore
    RefMake RefGet RefSet RefIncrement RefDecrement
    ArrayLength ArrayGet ArraySet ArrayUnsafeGet ArrayUnsafeSet ArrayMake ArraySub ArrayAppend ArrayConcat ArrayBlit ArrayFill
    BytesCreate BytesSet BytesUnsafeSet BytesUnsafeGet BytesBlit BytesFill BytesCopy
    FloatTan FloatAsin FloatAcos FloatAtan FloatAtanTwo FloatSinh FloatCosh FloatTanh FloatLogTen FloatRemainder FloatHypot FloatOfString
    FloatExpMinus FloatLogPlus FloatTruncate FloatRound
    Hash Digest Format PrintError Exit FormatOf Ready
}

impl Operator {
    /// Whether it makes, reads or changes an array.
    pub(crate) fn is_array(self) -> bool {
        matches!(
            self,
            Self::ArrayLength
                | Self::ArrayGet
                | Self::ArraySet
                | Self::ArrayUnsafeGet
                | Self::ArrayUnsafeSet
                | Self::ArrayMake
                | Self::ArraySub
                | Self::ArrayAppend
                | Self::ArrayConcat
                | Self::ArrayBlit
                | Self::ArrayFill
        )
    }

    /// Whether it makes, reads or changes bytes.
    pub(crate) fn is_bytes(self) -> bool {
        matches!(
            self,
            Self::BytesCreate
                | Self::BytesSet
                | Self::BytesUnsafeGet
                | Self::BytesUnsafeSet
                | Self::BytesBlit
                | Self::BytesFill
                | Self::BytesCopy
        )
    }
}

impl Operator {
    /// How many arguments it takes.
    pub(crate) fn arity(self) -> u32 {
        match self {
            Self::IntAdd
            | Self::IntSub
            | Self::IntMul
            | Self::IntDiv
            | Self::IntMod
            | Self::FloatAdd
            | Self::FloatSub
            | Self::FloatMul
            | Self::FloatDiv
            | Self::FloatPower
            | Self::Equal
            | Self::NotEqual
            | Self::Less
            | Self::LessEqual
            | Self::Greater
            | Self::GreaterEqual
            | Self::Compare
            | Self::StringGet
            | Self::StringConcat
            | Self::IntAnd
            | Self::IntOr
            | Self::IntXor
            | Self::IntShiftLeft
            | Self::IntShiftRight
            | Self::IntShiftArithmetic
            | Self::Same
            | Self::NotSame
            | Self::RefSet
            | Self::ArrayGet
            | Self::ArrayUnsafeGet
            | Self::ArrayMake
            | Self::ArrayAppend
            | Self::BytesUnsafeGet
            | Self::FloatAtanTwo
            | Self::FloatRemainder
            | Self::FloatHypot
            | Self::Format
            | Self::StringMake => 2,
            Self::StringSub
            | Self::ArraySet
            | Self::ArrayUnsafeSet
            | Self::ArraySub
            | Self::BytesSet
            | Self::BytesUnsafeSet => 3,
            Self::ArrayFill | Self::BytesFill => 4,
            Self::ArrayBlit | Self::BytesBlit => 5,
            _ => 1,
        }
    }

    /// Whether the result is a float computed in a register.
    pub(crate) fn gives_float(self) -> bool {
        matches!(
            self,
            Self::FloatNegate
                | Self::FloatAbs
                | Self::FloatAdd
                | Self::FloatSub
                | Self::FloatMul
                | Self::FloatDiv
                | Self::FloatPower
                | Self::FloatSqrt
                | Self::FloatExp
                | Self::FloatLog
                | Self::FloatSin
                | Self::FloatCos
                | Self::FloatFloor
                | Self::FloatCeil
                | Self::FloatOfInt
        ) || self.is_float_call()
    }

    /// Functions of the mathematics library that the compiler calls with floats in registers.
    pub(crate) fn is_float_call(self) -> bool {
        matches!(
            self,
            Self::FloatTan
                | Self::FloatAsin
                | Self::FloatAcos
                | Self::FloatAtan
                | Self::FloatAtanTwo
                | Self::FloatSinh
                | Self::FloatCosh
                | Self::FloatTanh
                | Self::FloatLogTen
                | Self::FloatRemainder
                | Self::FloatHypot
                | Self::FloatExpMinus
                | Self::FloatLogPlus
                | Self::FloatTruncate
                | Self::FloatRound
        )
    }
}

/// An expression.
#[derive(Clone, Debug)]
#[allow(
    missing_docs,
    reason = "the constructs of the language, under their names"
)]
pub enum Expr {
    /// An integer, a character, a boolean, `()`, or a constructor without arguments.
    Int(i64),
    Float(f64),
    String(Vec<u8>),
    Local(VarId),
    Global(GlobalId),
    Lambda(Box<Lambda>),
    Apply(Box<Expr>, Vec<Expr>),
    /// An operation with all its arguments, at the type of the first.
    Operate(Operator, Vec<Expr>, Ty),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    /// `head :: tail`.
    Cons(Box<Expr>, Box<Expr>),
    /// A constructor with arguments; also a record (tag 0, or [`FLAT`](crate::machine::FLAT)).
    Construct {
        tag: u8,
        arguments: Vec<Expr>,
        ty: Ty,
    },
    Tuple(Vec<Expr>),
    List(Vec<Expr>),
    Exception(ExnId, Vec<Expr>),
    /// Fields in order of declaration.
    RecordWith {
        base: Box<Expr>,
        size: usize,
        flat: bool,
        fields: Vec<(usize, Expr)>,
    },
    /// A field of a record, which may be one of floats only.
    Field(Box<Expr>, usize, bool),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    Match {
        value: Box<Expr>,
        clauses: Vec<Clause>,
        span: Span,
    },
    Try(Box<Expr>, Vec<Clause>),
    Let(Vec<Binding>, Box<Expr>),
    LetRec(Vec<(VarId, Lambda)>, Box<Expr>),
    Sequence(Vec<Expr>),
    /// An array, with the type of its elements.
    Array(Vec<Expr>, Ty),
    /// `record.field <- value`; the type of the value.
    SetField(Box<Expr>, usize, bool, Box<Expr>, Ty),
    While(Box<Expr>, Box<Expr>),
    /// Variable, first, last, whether upwards, body.
    For(VarId, Box<Expr>, Box<Expr>, bool, Box<Expr>),
    /// A reference that the compiler keeps in a register: its variable, what it holds first, whether that is a float.
    Mutable(VarId, Box<Expr>, bool, Box<Expr>),
    /// Such a reference's new value.
    Assign(VarId, Box<Expr>),
    AssertFailure(Span),
    /// `match value with clauses | exception handlers`.
    Attempt {
        value: Box<Expr>,
        clauses: Vec<Clause>,
        handlers: Vec<Clause>,
        span: Span,
    },
}

impl Expr {
    /// The expressions directly inside, functions' bodies included.
    pub(crate) fn children(&self) -> Vec<&Self> {
        match self {
            Self::Int(_)
            | Self::Float(_)
            | Self::String(_)
            | Self::Local(_)
            | Self::Global(_)
            | Self::AssertFailure(_) => vec![],
            Self::Lambda(lambda) => vec![&lambda.body],
            Self::Apply(f, parts) => std::iter::once(&**f).chain(parts).collect(),
            Self::Operate(_, parts, _)
            | Self::Construct {
                arguments: parts, ..
            }
            | Self::Tuple(parts)
            | Self::List(parts)
            | Self::Exception(_, parts)
            | Self::Array(parts, _)
            | Self::Sequence(parts) => parts.iter().collect(),
            Self::SetField(a, _, _, b, _) | Self::While(a, b) | Self::Mutable(_, a, _, b) => {
                vec![a, b]
            }
            Self::For(_, a, b, _, c) => vec![a, b, c],
            Self::Assign(_, a) => vec![a],
            Self::Attempt {
                value,
                clauses,
                handlers,
                ..
            } => {
                let all = clauses.iter().chain(handlers);
                let inner = all.flat_map(|c| c.guard.iter().chain([&c.body]));
                std::iter::once(&**value).chain(inner).collect()
            }
            Self::And(a, b) | Self::Or(a, b) | Self::Cons(a, b) => vec![a, b],
            Self::RecordWith { base, fields, .. } => std::iter::once(&**base)
                .chain(fields.iter().map(|(_, e)| e))
                .collect(),
            Self::Field(a, ..) => vec![a],
            Self::If(a, b, c) => vec![a, b, c],
            Self::Match { value, clauses, .. } | Self::Try(value, clauses) => {
                let inner = clauses.iter().flat_map(|c| c.guard.iter().chain([&c.body]));
                std::iter::once(&**value).chain(inner).collect()
            }
            Self::Let(bindings, body) => {
                bindings.iter().map(|b| &b.value).chain([&**body]).collect()
            }
            Self::LetRec(functions, body) => functions
                .iter()
                .map(|(_, l)| &l.body)
                .chain([&**body])
                .collect(),
        }
    }
}

impl Expr {
    /// The expressions directly inside, to be changed.
    pub(crate) fn children_mut(&mut self) -> Vec<&mut Self> {
        fn inner(clauses: &mut [Clause]) -> impl Iterator<Item = &mut Expr> {
            let parts = clauses.iter_mut();
            parts.flat_map(|c| c.guard.iter_mut().chain([&mut c.body]))
        }
        match self {
            Self::Int(_)
            | Self::Float(_)
            | Self::String(_)
            | Self::Local(_)
            | Self::Global(_)
            | Self::AssertFailure(_) => vec![],
            Self::Lambda(lambda) => vec![&mut lambda.body],
            Self::Apply(f, parts) => std::iter::once(&mut **f).chain(parts).collect(),
            Self::Operate(_, parts, _)
            | Self::Construct {
                arguments: parts, ..
            }
            | Self::Tuple(parts)
            | Self::List(parts)
            | Self::Exception(_, parts)
            | Self::Array(parts, _)
            | Self::Sequence(parts) => parts.iter_mut().collect(),
            Self::And(a, b)
            | Self::Or(a, b)
            | Self::Cons(a, b)
            | Self::SetField(a, _, _, b, _)
            | Self::While(a, b)
            | Self::Mutable(_, a, _, b) => vec![a, b],
            Self::RecordWith { base, fields, .. } => std::iter::once(&mut **base)
                .chain(fields.iter_mut().map(|(_, e)| e))
                .collect(),
            Self::Field(a, ..) | Self::Assign(_, a) => vec![a],
            Self::If(a, b, c) | Self::For(_, a, b, _, c) => vec![a, b, c],
            Self::Match { value, clauses, .. } | Self::Try(value, clauses) => {
                std::iter::once(&mut **value)
                    .chain(inner(clauses))
                    .collect()
            }
            Self::Attempt {
                value,
                clauses,
                handlers,
                ..
            } => std::iter::once(&mut **value)
                .chain(inner(clauses))
                .chain(inner(handlers))
                .collect(),
            Self::Let(bindings, body) => {
                let values = bindings.iter_mut().map(|b| &mut b.value);
                values.chain([&mut **body]).collect()
            }
            Self::LetRec(functions, body) => functions
                .iter_mut()
                .map(|(_, l)| &mut l.body)
                .chain([&mut **body])
                .collect(),
        }
    }
}

/// `pattern = value`.
#[derive(Clone, Debug)]
pub struct Binding {
    /// What the value is bound to.
    pub pattern: Pattern,
    /// The value.
    pub value: Expr,
    /// Where the pattern stands.
    pub span: Span,
}

/// A function of one or more arguments.
#[derive(Clone, Debug)]
pub struct Lambda {
    /// One pattern for each argument, and where the function of it begins.
    pub parameters: Vec<(Pattern, Span)>,
    /// Its body.
    pub body: Expr,
    /// Its type, an arrow.
    pub ty: Ty,
}

/// `pattern when guard -> body`.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What is matched.
    pub pattern: Pattern,
    /// What must also hold.
    pub guard: Option<Expr>,
    /// What is computed.
    pub body: Expr,
}

/// A pattern.
#[derive(Clone, Debug)]
#[allow(
    missing_docs,
    reason = "the patterns of the language, under their names"
)]
pub enum Pattern {
    Any,
    Variable(VarId),
    Int(i64),
    IntRange(i64, i64),
    Float(f64),
    String(Vec<u8>),
    /// A block; `sole` when its type has no other constructor.
    Construct {
        tag: u8,
        sole: bool,
        arguments: Vec<Pattern>,
    },
    Exception(ExnId, Vec<Pattern>),
    Tuple(Vec<Pattern>),
    /// Fields, and whether the record is one of floats only.
    Record(Vec<(usize, Pattern)>, bool),
    Or(Box<Pattern>, Box<Pattern>),
    Alias(Box<Pattern>, VarId),
    /// An array of so many elements.
    Array(Vec<Pattern>),
}

/// Something done at top level.
#[derive(Clone, Debug)]
pub struct Item {
    /// Where it stands.
    pub span: Span,
    /// What is computed.
    pub work: Work,
    /// What is shown afterwards: names, their places and types.
    pub shown: Vec<Shown>,
    /// Whether it belongs to the library.
    pub library: bool,
}

/// The computation of an item.
#[derive(Clone, Debug)]
pub enum Work {
    /// A declaration: nothing runs.
    Nothing,
    /// An expression whose value goes to a global.
    Expression(Expr, GlobalId),
    /// Bindings; the pattern's variables go to globals.
    Let(Vec<Binding>, Vec<(VarId, GlobalId)>),
    /// Functions that may call each other.
    LetRec(Vec<(GlobalId, Lambda)>),
}

/// A value that is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// Its name; nothing for an expression.
    pub name: Option<String>,
    /// Where its value is.
    pub global: GlobalId,
    /// Its type.
    pub ty: Ty,
    /// Its type as text.
    pub type_text: String,
}

/// A typed program, library included.
#[derive(Clone, Debug)]
pub struct Program {
    /// In order.
    pub items: Vec<Item>,
    /// Globals there are.
    pub globals: u32,
    /// Names of exceptions with the number and types of their arguments.
    pub exceptions: Vec<(String, Vec<Ty>)>,
    /// All types.
    pub types: crate::types::Types,
    /// Signature, as `ocamlc -i` prints it.
    pub signature: String,
}
