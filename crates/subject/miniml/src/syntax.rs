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
    Apply(Box<Expr>, Vec<(Label, Expr)>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Fun(Vec<Parameter>, Box<Expr>),
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
    /// `` `A e ``.
    Tag(Name, Option<Box<Expr>>),
    Assert(Box<Expr>),
    Lazy(Box<Expr>),
    While(Box<Expr>, Box<Expr>),
    /// Variable, first, last, whether upwards, body.
    For(Name, Box<Expr>, Box<Expr>, bool, Box<Expr>),
    Array(Vec<Expr>),
    /// `a.(i)`, `s.[i]`: the function that reads.
    Index(Path, Box<Expr>, Box<Expr>),
    /// `a <- b`.
    Store(Box<Expr>, Box<Expr>),
    LetModule(Name, Box<ModuleExpr>, Box<Expr>),
    LetException(Variant, Box<Expr>),
}

/// How an argument or a parameter is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// By its place.
    #[default]
    None,
    /// `~name`.
    Named(Name),
    /// `?name`.
    Optional(Name),
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub label: Label,
    pub pattern: Pattern,
    /// What an optional one is if it is not given.
    pub default: Option<Expr>,
    /// `(type a)`: the names, and no parameter at all.
    pub types: Vec<Name>,
}

impl Parameter {
    /// One that is given by its place.
    #[must_use]
    pub fn plain(pattern: Pattern) -> Self {
        Self {
            label: Label::None,
            pattern,
            default: None,
            types: vec![],
        }
    }
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
    Tag(Name, Option<Box<Pattern>>),
    /// `#t`.
    Array(Vec<Pattern>),
    Lazy(Box<Pattern>),
    /// `exception p` in a `match`.
    Exception(Box<Pattern>),
    /// `M.(p)`.
    Open(Path, Box<Pattern>),
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
    Arrow(Label, Box<TypeExpr>, Box<TypeExpr>),
    Tuple(Vec<TypeExpr>),
    Constructor(Path, Vec<TypeExpr>),
    /// `'a 'b. t`.
    Poly(Vec<Name>, Box<TypeExpr>),
    /// `t as 'a`.
    Alias(Box<TypeExpr>, Name),
    /// `` [> `A | `B of t ] ``.
    Tags(Bound, Vec<(Name, Option<TypeExpr>)>, Vec<TypeExpr>),
}

/// Which tags a type of polymorphic variants has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// `[`: these.
    Exact,
    /// `[>`: at least these.
    Least,
    /// `[<`: at most these.
    Most,
}

/// A constructor in a declaration.
#[derive(Clone, Debug)]
pub struct Variant {
    pub name: Name,
    pub arguments: Vec<TypeExpr>,
    /// Fields of a record inside: its name, whether it changes, its type.
    pub record: Option<Vec<Field>>,
    pub span: Span,
}

/// A field of a record's declaration.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: Name,
    pub mutable: bool,
    pub ty: TypeExpr,
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
    Record(Vec<Field>),
    Alias(TypeExpr),
    /// Nothing is said of it.
    Abstract,
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
    /// `exception E = F`.
    SameException(Name, Path),
    Module(Name, ModuleExpr),
    ModuleType(Name, SignatureExpr),
    Open(ModuleExpr),
    Include(ModuleExpr),
    /// Of the library only: `external name : type = "operator"`.
    External(Name, TypeExpr, String),
}

/// A module as written.
#[derive(Clone, Debug)]
pub struct ModuleExpr {
    pub kind: ModuleKind,
    pub span: Span,
}

/// What a module is.
#[derive(Clone, Debug)]
pub enum ModuleKind {
    Path(Path),
    Struct(Vec<Item>),
    /// Parameter, its signature, body.
    Functor(Name, Option<Rc<SignatureExpr>>, Rc<ModuleExpr>),
    Apply(Box<ModuleExpr>, Box<ModuleExpr>),
    Constraint(Box<ModuleExpr>, Rc<SignatureExpr>),
}

/// A signature as written.
#[derive(Clone, Debug)]
pub struct SignatureExpr {
    pub kind: SignatureKind,
    pub span: Span,
}

/// What a signature is.
#[derive(Clone, Debug)]
pub enum SignatureKind {
    Path(Path),
    Sig(Vec<SignatureItem>),
    /// `S with type t = u`: parameters, path, type.
    With(Box<SignatureExpr>, Vec<(Vec<Name>, Path, TypeExpr)>),
    Functor,
}

/// An item of a signature.
#[derive(Clone, Debug)]
pub enum SignatureItem {
    Value(Name, TypeExpr),
    Types(Vec<TypeDeclaration>),
    Exception(Variant),
    Module(Name, SignatureExpr),
    ModuleType(Name, SignatureExpr),
    Include(SignatureExpr),
    Open(Path),
}
