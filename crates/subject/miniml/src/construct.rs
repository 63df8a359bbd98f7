//! What is counted: the 36 constructs of Das and Hoffmann (TACAS 2017, section 5), and those their language has not.

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
}

impl Construct {
    /// Whether the paper has a price for it.
    #[must_use]
    pub fn is_of_paper(self) -> bool {
        (self as usize) < 36
    }
}
