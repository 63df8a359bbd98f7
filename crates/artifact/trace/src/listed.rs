//! What is to be counted of the selected classes: everything, the methods of a list, or its blocks.
//!
//! Methods are named as in class files, blocks as datasets name them: `org.example.Search.best(int[]) block 3 (Search.java:6-7)`, with
//! ` @01234567` in front of `block` for a class whose name another one has, too. Types of `java.lang` are shortened there, so that it is not the name that is
//! turned into a descriptor, but the descriptor into a name; where two methods of a class look alike, the descriptor itself stands there.
//!
//! Limits: file and lines are for people and tell blocks apart in nothing; a name without hash means the block in all classes of that name.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use pricetag_classfile::naming;
use pricetag_probe_plan::{BlockId, ClassHash};
use serde::{Deserialize, Serialize};

use crate::skip::MethodName;

/// Key of a listed method among the agent's options.
pub(crate) const KEEP: &str = "keep";
/// Key of a listed block.
pub(crate) const KEEP_BLOCK: &str = "keep-block";
/// What stands between a method and the number of its block.
const BLOCK: &str = " block ";
/// Digits of a class's hash that tell it from others of its name.
const DIGITS: usize = 8;

/// One basic block of one method.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct BlockName {
    /// Internal name of the class: `org/example/Search`.
    pub class: String,
    /// Name of the method.
    pub method: String,
    /// Its parameters as in Java, `(int[], String)`, or its descriptor.
    pub parameters: String,
    /// The first digits of the class's hash, if they tell it from another one.
    pub hash: Option<String>,
    /// Which block.
    pub block: BlockId,
    /// File and lines, `Search.java:6-7`.
    pub place: Option<String>,
}

/// Why a text names no block.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no block; write package.Class.method(int) block 3")]
pub struct BlockNameError(String);

impl BlockName {
    /// Whether it is in a class, given internal name and hash.
    pub(crate) fn is_in(&self, class: &str, hash: ClassHash) -> bool {
        let digits = self.hash.as_ref();
        self.class == class && digits.is_none_or(|d| hash.to_string().starts_with(d.as_str()))
    }

    /// Whether it is in a method of its class.
    pub(crate) fn is_of(&self, name: &str, descriptor: &str) -> bool {
        let parameters = || naming::parameters(descriptor);
        self.method == name && (self.parameters == descriptor || self.parameters == parameters())
    }

    fn split(text: &str) -> Option<Self> {
        let (code, rest) = text.rsplit_once(BLOCK)?;
        let (number, place) = match rest.split_once(" (") {
            Some((number, place)) => (number, Some(place.strip_suffix(')')?)),
            None => (rest, None),
        };
        let digits = number.bytes().all(|b| b.is_ascii_digit());
        let block = number.parse().ok().filter(|_| digits)?;
        let is_hash = |h: &str| {
            h.len() == DIGITS && h.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        };
        let (code, hash) = match code.rsplit_once(" @").filter(|(_, hash)| is_hash(hash)) {
            Some((code, hash)) => (code, Some(hash.to_owned())),
            None => (code, None),
        };
        let (owner, parameters) = code.split_at(code.rfind('(')?);
        let (class, method) = owner.rsplit_once('.')?;
        let (_, result) = parameters.split_once(')')?;
        let whole = !class.is_empty() && !method.is_empty() && !result.starts_with(' ');
        whole.then(|| Self {
            class: class.replace('.', "/"),
            method: method.to_owned(),
            parameters: parameters.to_owned(),
            hash,
            block: BlockId(block),
            place: place.map(str::to_owned),
        })
    }
}

impl fmt::Display for BlockName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = naming::class(&self.class);
        write!(f, "{class}.{}{}", self.method, self.parameters)?;
        if let Some(hash) = &self.hash {
            write!(f, " @{hash}")?;
        }
        write!(f, "{BLOCK}{}", self.block.0)?;
        let place = self.place.as_ref();
        place.map_or(Ok(()), |place| write!(f, " ({place})"))
    }
}

impl FromStr for BlockName {
    type Err = BlockNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::split(text).ok_or_else(|| BlockNameError(text.to_owned()))
    }
}

impl From<BlockName> for String {
    fn from(block: BlockName) -> Self {
        block.to_string()
    }
}

impl TryFrom<String> for BlockName {
    type Error = BlockNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

/// What is to be counted of the selected classes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Listed {
    /// All of their methods.
    #[default]
    Everything,
    /// These methods.
    Methods(BTreeSet<MethodName>),
    /// These blocks, and of their methods only as much as their counts need.
    Blocks(BTreeSet<BlockName>),
}

impl Listed {
    /// Everything if nothing is named; none if methods are and blocks are, too.
    pub fn of(
        methods: impl IntoIterator<Item = MethodName>,
        blocks: impl IntoIterator<Item = BlockName>,
    ) -> Option<Self> {
        let (methods, blocks) = (BTreeSet::from_iter(methods), BTreeSet::from_iter(blocks));
        match (methods.is_empty(), blocks.is_empty()) {
            (true, true) => Some(Self::Everything),
            (false, true) => Some(Self::Methods(methods)),
            (true, false) => Some(Self::Blocks(blocks)),
            (false, false) => None,
        }
    }

    /// The methods on the list.
    pub fn methods(&self) -> impl Iterator<Item = &MethodName> {
        let methods = match self {
            Self::Methods(methods) => Some(methods),
            Self::Everything | Self::Blocks(_) => None,
        };
        methods.into_iter().flatten()
    }

    /// The blocks on the list.
    pub fn blocks(&self) -> impl Iterator<Item = &BlockName> {
        let blocks = match self {
            Self::Blocks(blocks) => Some(blocks),
            Self::Everything | Self::Methods(_) => None,
        };
        blocks.into_iter().flatten()
    }

    /// Every name on the list with its key among the agent's options.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&'static str, String)> {
        let methods = self.methods().map(|m| (KEEP, m.to_string()));
        methods.chain(self.blocks().map(|b| (KEEP_BLOCK, b.to_string())))
    }

    /// Whether anything of a class is to be counted, given its internal name.
    pub fn names_class(&self, class: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Methods(methods) => methods.iter().any(|m| m.class == class),
            Self::Blocks(blocks) => blocks.iter().any(|b| b.class == class),
        }
    }

    /// What it says of one class.
    pub fn in_class(&self, class: &str, hash: ClassHash) -> ListedInClass<'_> {
        match self {
            Self::Everything => ListedInClass::Everything,
            Self::Methods(methods) => {
                ListedInClass::Methods(methods.iter().filter(|m| m.class == class).collect())
            }
            Self::Blocks(blocks) => {
                ListedInClass::Blocks(blocks.iter().filter(|b| b.is_in(class, hash)).collect())
            }
        }
    }
}

/// What a list says of one class.
#[derive(Clone, Debug)]
pub enum ListedInClass<'l> {
    /// All of its methods are counted.
    Everything,
    /// These are.
    Methods(Vec<&'l MethodName>),
    /// Those with these blocks are.
    Blocks(Vec<&'l BlockName>),
}

impl ListedInClass<'_> {
    /// Whether anything of a method is counted.
    pub fn names(&self, name: &str, descriptor: &str) -> bool {
        match self {
            Self::Everything => true,
            Self::Methods(methods) => {
                let is = |m: &&MethodName| m.name == name && m.descriptor == descriptor;
                methods.iter().any(is)
            }
            Self::Blocks(blocks) => blocks.iter().any(|b| b.is_of(name, descriptor)),
        }
    }

    /// The blocks of a method whose counts are asked for; none if those of all are.
    pub fn blocks(&self, name: &str, descriptor: &str) -> Option<BTreeSet<BlockId>> {
        let Self::Blocks(blocks) = self else {
            return None;
        };
        let here = blocks.iter().filter(|b| b.is_of(name, descriptor));
        Some(here.map(|b| b.block).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentOptions, Mode};

    const NAMES: [&str; 7] = [
        "a.b.C$D.<init>(String, int[][]) block 0 (C.java:7)",
        "Main.a block 3 with blanks() block 12",
        "a.Ops.compareTo(Ljava/lang/Object;)I block 2 (Ops.kt:3-9)",
        "a.Ops.compareTo(a.Ops) @0123cdef block 2 (Ops.kt:3-9)",
        "a.Ops.empty() block 1 (a file (1).java:4)",
        "Sp ace.(paren)() block 0",
        "Plain.block 0(int) block 2 (block 1.java:3)",
    ];

    fn block(text: &str) -> BlockName {
        text.parse().expect(text)
    }

    #[test]
    fn names_of_blocks_survive_the_options_file() {
        let mut options = AgentOptions::new(Mode::Time, "t");
        options.keep = Listed::Blocks(NAMES.map(block).into());
        let again: AgentOptions = options.to_text().parse().expect("options");
        assert_eq!(again, options);
        let shown: BTreeSet<String> = options.keep.blocks().map(BlockName::to_string).collect();
        assert_eq!(shown, NAMES.map(str::to_owned).into());
        let both = options.to_text() + "keep=a/B.c()V\n";
        let refused = both.parse::<AgentOptions>().expect_err("two lists");
        assert!(refused.to_string().contains("exclude each other"));
    }

    #[test]
    fn methods_may_have_any_name_that_a_jvm_takes() {
        for name in [
            "Plain.(paren)()V",
            "Sp ace.a) (b(I[[Lx/Y;)[J",
            "pk g/Cls.called from y()V",
            "A.=1+1()D",
            "A.new\nline()V",
        ] {
            let method: MethodName = name.parse().expect(name);
            assert_eq!(method.to_string(), name);
            assert!(
                method.descriptor.starts_with('(') && method.descriptor.matches('(').count() == 1,
                "{name}"
            );
        }
    }

    #[test]
    fn a_block_is_found_by_what_its_method_looks_like() {
        let listed = Listed::Blocks(NAMES.map(block).into());
        assert!(listed.names_class("a/b/C$D") && !listed.names_class("a/b/C"));
        let of = |hash, class, name, descriptor| {
            let found = listed.in_class(class, ClassHash(hash));
            let named = found.names(name, descriptor);
            let blocks = found.blocks(name, descriptor).expect("blocks are listed");
            assert_eq!(named, !blocks.is_empty());
            blocks.into_iter().map(|b| b.0).collect::<Vec<u32>>()
        };
        let constructor = "(Ljava/lang/String;[[I)V";
        assert_eq!(of(1, "a/b/C$D", "<init>", constructor), [0]);
        assert_eq!(of(1, "a/b/C$D", "<init>", "()V"), [0; 0]);
        assert_eq!(of(1, "Main", "a block 3 with blanks", "()J"), [12]);
        assert_eq!(of(1, "a/Ops", "compareTo", "(Ljava/lang/Object;)I"), [2]);
        // Only the class with that hash.
        let hash = 0x0123_cdef << 96;
        assert_eq!(of(1, "a/Ops", "compareTo", "(La/Ops;)I"), [0; 0]);
        assert_eq!(of(hash, "a/Ops", "compareTo", "(La/Ops;)I"), [2]);
        let all = Listed::Everything;
        let all = all.in_class("a/Ops", ClassHash(1));
        assert!(all.names("m", "()V") && all.blocks("m", "()V").is_none());
    }

    #[test]
    fn what_is_no_block() {
        for text in [
            "",
            "C.m()",
            "C.m() block ",
            "C.m() block -1",
            "C.m() block +1",
            "C.m() block 4294967296",
            "C.m() block 1 (C.java",
            "C.m() loop 0 at block 1",
            "m() block 1",
            ".m() block 1",
            "C.() block 1",
            "C.m block 1",
        ] {
            assert!(text.parse::<BlockName>().is_err(), "{text}");
        }
    }
}
