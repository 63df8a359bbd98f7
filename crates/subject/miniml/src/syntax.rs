//! The syntax tree as the parser leaves it: names unresolved, nothing typed.

use std::rc::Rc;

/// Bytes `start..end` of the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// From here to the end of `other`.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start,
            end: other.end.max(self.end),
        }
    }
}

/// An identifier.
pub type Name = Rc<str>;

/// `M.N.x`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// `M`, `N`.
    pub modules: Vec<Name>,
    /// `x`.
    pub name: Name,
}

/// An expression and where it stands.
#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i64),
    Float(f64),
    Char(u8),
    String(Vec<u8>),
    Variable(Path),
    Constructor(Path, Option<Box<Expr>>),
    List(Vec<Expr>),
    Tuple(Vec<Expr>),
    Apply(Box<Expr>, Vec<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Fun(Vec<Pattern>, Box<Expr>),
    Function(Vec<Clause>),
    Let(Definition, Box<Expr>),
    Match(Box<Expr>, Vec<Clause>),
    Try(Box<Expr>, Vec<Clause>),
    If(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    Sequence(Vec<Expr>),
    Record(Vec<(Path, Expr)>),
    RecordWith(Box<Expr>, Vec<(Path, Expr)>),
    Field(Box<Expr>, Path),
    Annotate(Box<Expr>, TypeExpr),
    Open(Path, Box<Expr>),
}

/// `let [rec] … and …`.
#[derive(Clone, Debug)]
pub struct Definition {
    pub recursive: bool,
    pub bindings: Vec<Binding>,
}

/// `pattern = value`; parameters are already part of the value.
#[derive(Clone, Debug)]
pub struct Binding {
    pub pattern: Pattern,
    pub value: Expr,
}

/// `pattern when guard -> body`.
#[derive(Clone, Debug)]
pub struct Clause {
    pub pattern: Pattern,
    pub guard: Option<Expr>,
    pub body: Expr,
}

/// A pattern and where it stands.
#[derive(Clone, Debug)]
pub struct Pattern {
    pub kind: PatternKind,
    pub span: Span,
}

/// What a pattern is.
#[derive(Clone, Debug)]
pub enum PatternKind {
    Any,
    Variable(Name),
    Int(i64),
    Float(f64),
    Char(u8),
    CharRange(u8, u8),
    String(Vec<u8>),
    Constructor(Path, Option<Box<Pattern>>),
    List(Vec<Pattern>),
    Tuple(Vec<Pattern>),
    Record(Vec<(Path, Pattern)>),
    Or(Box<Pattern>, Box<Pattern>),
    Alias(Box<Pattern>, Name),
    Annotate(Box<Pattern>, TypeExpr),
}

/// A type as written.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    pub kind: TypeExprKind,
    pub span: Span,
}

/// What a written type is.
#[derive(Clone, Debug)]
pub enum TypeExprKind {
    Any,
    Variable(Name),
    Arrow(Box<TypeExpr>, Box<TypeExpr>),
    Tuple(Vec<TypeExpr>),
    Constructor(Path, Vec<TypeExpr>),
}

/// A constructor in a declaration.
#[derive(Clone, Debug)]
pub struct Variant {
    pub name: Name,
    pub arguments: Vec<TypeExpr>,
    pub span: Span,
}

/// One type of a `type … and …`.
#[derive(Clone, Debug)]
pub struct TypeDeclaration {
    pub name: Name,
    pub parameters: Vec<Name>,
    pub body: TypeBody,
    pub span: Span,
}

/// The right side of a type declaration.
#[derive(Clone, Debug)]
pub enum TypeBody {
    Variants(Vec<Variant>),
    Record(Vec<(Name, TypeExpr)>),
    Alias(TypeExpr),
}

/// Something at top level or in a module.
#[derive(Clone, Debug)]
pub struct Item {
    pub kind: ItemKind,
    pub span: Span,
}

/// What an item is.
#[derive(Clone, Debug)]
pub enum ItemKind {
    Let(Definition),
    Expression(Expr),
    Types(Vec<TypeDeclaration>),
    Exception(Variant),
    Module(Name, Vec<Item>),
    Open(Path),
    /// Of the library only: `external name : type = "operator"`.
    External(Name, TypeExpr, String),
}
