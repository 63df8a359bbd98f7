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
    PolyCond "PolyCond" StringCond "StringCond" PolyWord "PolyWord" StringWord "StringWord" Raise "raise" Try "try" Assign "assign" Loop "loop" Primitive "primitive"
    CallKnown "call-known" CallUnknown "call-unknown" CallApply "call-apply" ReturnOwn "return-own" TailKnown "tail-known" TailSelf "tail-self"
    TailUnknown "tail-unknown" TailApply "tail-apply"
    AddInt "int-add" AddIntChain "int-add-chain" MulInt "int-mul" MulIntChain "int-mul-chain" UntagChain "untag-chain" MulIntConst "int-mul-const" DivInt "int-div"
    DivIntChain "int-div-chain" DivIntConst "int-div-const" DivIntPow2 "int-div-pow2" DivIntConstChain "int-div-const-chain" DivIntPow2Chain "int-div-pow2-chain" ModInt "int-mod"
    ModIntChain "int-mod-chain" ModIntConst "int-mod-const" ModIntPow2 "int-mod-pow2" ModIntConstChain "int-mod-const-chain" ModIntPow2Chain "int-mod-pow2-chain"
    AddFloat "float-add" AddFloatChain "float-add-chain" MulFloat "float-mul" MulFloatChain "float-mul-chain"
    DivFloat "float-div" DivFloatChain "float-div-chain" ConvertFloat "float-convert" ConvertChain "float-convert-chain" SqrtChain "float-sqrt-chain" SqrtFloat "float-sqrt" BoxChain "box-chain"
    BlockChain "block-chain" FloatLine "float-line" FloatDivLine "float-div-line" BoxLine "box-line" DividerBusy "divider-busy" FloatDividerBusy "float-divider-busy"
    CallFloat "float-call"
    BranchInt "branch-int" BranchFloat "branch-float" BranchTag "branch-tag" Mispredict "mispredict" MispredictMore "mispredict-more" MispredictReturn "mispredict-return" Switch "switch" CompareInt "compare-int"
    CompareFloat "compare-float" ComparePoly "compare-poly" CompareString "compare-string"
    Load "load" LoadChain "load-chain" ClosureChain "closure-chain" Store "store" Iterate "iterate" Cons "cons" Block "block" BlockField "block-field" BoxFloat "box-float" AllocClosure "closure-alloc"
    Captured "closure-captured" Partial "partial" HandlerPush "handler" RaiseExn "raise-exn" CallPrimitive "call-primitive"
    SetInt "set-int" SetFloat "set-float" SetPointer "set-pointer" CallArray "call-array" CopiedWord "copied-word" CallFormat "call-format" CallHash "call-hash"
    ComparedWord "compared-word" ComparedText "compared-text" CallNumber "call-number" AllocatedWord "allocated-word" CallDecimal "call-decimal"
}

impl Construct {
    /// Whether it is counted in extended mode.
    #[must_use]
    pub fn is_extended(self) -> bool {
        self as usize > Self::Primitive as usize
    }

    /// The construct as its throughput is charged, where it is a latency.
    #[must_use]
    pub fn throughput(self) -> Self {
        match self {
            Self::MulIntChain => Self::MulInt,
            Self::DivIntChain => Self::DivInt,
            Self::ModIntChain => Self::ModInt,
            Self::AddFloatChain => Self::AddFloat,
            Self::MulFloatChain => Self::MulFloat,
            Self::DivFloatChain => Self::DivFloat,
            Self::LoadChain => Self::Load,
            other => other,
        }
    }

    /// Its latency, where it is charged as throughput and waits for something.
    #[must_use]
    pub fn latency(self) -> Option<Self> {
        Some(match self {
            Self::AddInt => Self::AddIntChain,
            Self::MulInt | Self::MulIntChain => Self::MulIntChain,
            Self::DivInt | Self::DivIntChain => Self::DivIntChain,
            Self::ModInt | Self::ModIntChain => Self::ModIntChain,
            Self::DivIntConst => Self::DivIntConstChain,
            Self::DivIntPow2 => Self::DivIntPow2Chain,
            Self::ModIntConst => Self::ModIntConstChain,
            Self::ModIntPow2 => Self::ModIntPow2Chain,
            Self::AddFloat | Self::AddFloatChain => Self::AddFloatChain,
            Self::MulFloat | Self::MulFloatChain => Self::MulFloatChain,
            Self::DivFloat | Self::DivFloatChain => Self::DivFloatChain,
            Self::ConvertFloat => Self::ConvertChain,
            Self::SqrtFloat => Self::SqrtChain,
            Self::Load | Self::LoadChain => Self::LoadChain,
            _ => return None,
        })
    }

    /// The latency of an operation on floats where it waits for a register and not for an operand.
    #[must_use]
    pub fn in_line(self) -> Option<Self> {
        Some(match self {
            Self::AddFloatChain | Self::MulFloatChain | Self::ConvertChain => Self::FloatLine,
            Self::DivFloatChain | Self::SqrtChain => Self::FloatDivLine,
            Self::BoxChain => Self::BoxLine,
            _ => return None,
        })
    }

    /// About how many instructions the compiler makes of it.
    #[must_use]
    pub fn instructions(self) -> u64 {
        match self {
            Self::ComparePoly | Self::CompareString | Self::CallFloat | Self::CallPrimitive => 40,
            Self::CallArray | Self::CallHash | Self::CallFormat => 40,
            Self::CallNumber | Self::CallDecimal => 40,
            Self::SetPointer => 20,
            Self::ComparedWord => 12,
            Self::CallApply | Self::TailApply => 14,
            Self::DivInt | Self::ModInt => 12,
            Self::DivIntConst | Self::ModIntConst => 8,
            Self::CallUnknown
            | Self::TailUnknown
            | Self::Block
            | Self::Cons
            | Self::AllocClosure => 5,
            Self::CallKnown
            | Self::TailKnown
            | Self::DivIntPow2
            | Self::ModIntPow2
            | Self::BoxFloat => 4,
            Self::MulInt | Self::TailSelf | Self::Switch => 3,
            Self::AddInt | Self::Load | Self::BlockField | Self::Captured => 1,
            _ => 2,
        }
    }

    /// The unit that it keeps busy until it is done, so that no other can begin there.
    #[must_use]
    pub fn busy(self) -> Option<Self> {
        Some(match self {
            Self::DivInt | Self::ModInt => Self::DividerBusy,
            Self::DivFloat | Self::SqrtFloat => Self::FloatDividerBusy,
            _ => return None,
        })
    }

    /// Whether the paper has a price for it.
    #[must_use]
    pub fn is_of_paper(self) -> bool {
        (self as usize) < 36
    }
}
