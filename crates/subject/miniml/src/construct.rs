//! What is counted: the 36 constructs of Das and Hoffmann (TACAS 2017, section 5) and those their language has not, in paper mode; what
//! `ocamlopt` makes of a program, in extended mode.

use serde::Serialize;

macro_rules! constructs {
    ($($name:ident $text:literal)*) => {
        /// A counted construct.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[allow(missing_docs, reason = "named as in the paper")]
        pub enum Construct { $($name,)* }

        impl Construct {
            /// All, those of the paper first.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The paper's name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

constructs! {
    Base "base" FunApp "FunApp" TailApp "TailApp" FunDef "FunDef" Closure "closure" BoolNot "BoolNot"
    BoolAnd "BoolAnd" BoolOr "BoolOr" IntUMinus "IntUMinus" IntAdd "IntAdd" IntSub "IntSub" IntMult "IntMult"
    IntMod "IntMod" IntDiv "IntDiv" FloatUMinus "FloatUMinus" FloatAdd "FloatAdd" FloatSub "FloatSub"
    FloatMult "FloatMult" FloatDiv "FloatDiv" IntCondEq "IntCondEq" IntCondLT "IntCondLT" IntCondLE "IntCondLE"
    IntCondGT "IntCondGT" IntCondGE "IntCondGE" FloatCondEq "FloatCondEq" FloatCondLT "FloatCondLT"
    FloatCondLE "FloatCondLE" FloatCondGT "FloatCondGT" FloatCondGE "FloatCondGE" LetData "letdata"
    LetLambda "letlambda" LetRec "letrec" PatternMatch "patternMatch" TupleHead "tupleHead"
    TupleElem "tupleElem" TupleMatch "tupleMatch"
    PolyCond "PolyCond" StringCond "StringCond" Raise "raise" Try "try" Primitive "primitive"
    CallKnown "call-known" CallUnknown "call-unknown" CallApply "call-apply" TailKnown "tail-known" TailSelf "tail-self"
    TailUnknown "tail-unknown" TailApply "tail-apply"
    AddInt "int-add" MulInt "int-mul" MulIntChain "int-mul-chain" MulIntConst "int-mul-const" DivInt "int-div"
    DivIntChain "int-div-chain" DivIntConst "int-div-const" DivIntPow2 "int-div-pow2" ModInt "int-mod"
    ModIntChain "int-mod-chain" ModIntConst "int-mod-const" ModIntPow2 "int-mod-pow2"
    AddFloat "float-add" AddFloatChain "float-add-chain" MulFloat "float-mul" MulFloatChain "float-mul-chain"
    DivFloat "float-div" DivFloatChain "float-div-chain" ConvertFloat "float-convert" SqrtFloat "float-sqrt"
    CallFloat "float-call"
    BranchInt "branch-int" BranchFloat "branch-float" BranchTag "branch-tag" Switch "switch" CompareInt "compare-int"
    CompareFloat "compare-float" ComparePoly "compare-poly" CompareString "compare-string"
    Load "load" LoadChain "load-chain" Cons "cons" Block "block" BlockField "block-field" BoxFloat "box-float" AllocClosure "closure-alloc"
    Captured "closure-captured" Partial "partial" HandlerPush "handler" RaiseExn "raise-exn" CallPrimitive "call-primitive"
}

impl Construct {
    /// Whether it is counted in extended mode.
    #[must_use]
    pub fn is_extended(self) -> bool {
        self as usize > Self::Primitive as usize
    }

    /// Whether the paper has a price for it.
    #[must_use]
    pub fn is_of_paper(self) -> bool {
        (self as usize) < 36
    }
}
