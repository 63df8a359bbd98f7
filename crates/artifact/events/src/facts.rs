//! Static facts: classes, methods, and the kinds of invocation that occur.

use std::collections::HashMap;

macro_rules! id {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// A class or interface; index into [`Dictionary::classes`].
    ClassId
);
id!(
    /// A method; index into [`Dictionary::methods`].
    MethodId
);
id!(
    /// A kind of invocation; index into [`Dictionary::kinds`]. One event is one symbol.
    Symbol
);

/// A thread, by whatever number the recorder gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ThreadId(pub u64);

/// A class or interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Class {
    /// Its name, as `a/b/C`. Two classes may share one if two loaders made them.
    pub name: String,
    /// Whether it is an interface.
    pub interface: bool,
    /// What it extends; none for roots, and for interfaces.
    pub superclass: Option<ClassId>,
    /// What it implements, or an interface extends, directly.
    pub interfaces: Vec<ClassId>,
    /// Size of the class file, bytes.
    pub bytes: Option<u32>,
}

/// A property of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// It has no receiver.
    Static,
    /// It has no bytecode but native code.
    Native,
    /// It is an instance initialiser.
    Constructor,
    /// The compiler made it to call another of the same name.
    Bridge,
    /// The compiler made it.
    Synthetic,
    /// It has no code.
    Abstract,
}

impl Flag {
    /// Every flag with its name in text.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("static", Self::Static),
        ("native", Self::Native),
        ("constructor", Self::Constructor),
        ("bridge", Self::Bridge),
        ("synthetic", Self::Synthetic),
        ("abstract", Self::Abstract),
    ];
}

/// Properties of a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flags(u8);

impl Flags {
    /// Those with these bits; bits that mean nothing are dropped.
    pub fn from_bits(bits: u8) -> Self {
        Self(bits & 0x3f)
    }

    /// As bits: the place of each flag in [`Flag`].
    pub fn bits(self) -> u8 {
        self.0
    }

    /// With one more.
    #[must_use]
    pub fn with(self, flag: Flag) -> Self {
        Self(self.0 | 1 << flag as u8)
    }

    /// Whether it is among them.
    pub fn has(self, flag: Flag) -> bool {
        self.0 & 1 << flag as u8 != 0
    }
}

/// A method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Method {
    /// The class that declares it.
    pub class: ClassId,
    /// Its name.
    pub name: String,
    /// Its descriptor, as `(I)V`; empty if unknown.
    pub descriptor: String,
    /// What it is.
    pub flags: Flags,
    /// Size of its bytecode, bytes.
    pub bytes: Option<u32>,
    /// Size of its bytecode, instructions.
    pub instructions: Option<u32>,
}

/// A kind of invocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind {
    /// The dynamic class of the receiver; of a static method the class that declares it.
    pub receiver: ClassId,
    /// What is invoked.
    pub method: MethodId,
}

/// What the numbers of events mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dictionary {
    /// Classes by [`ClassId`].
    pub classes: Vec<Class>,
    /// Methods by [`MethodId`].
    pub methods: Vec<Method>,
    /// Kinds of invocation by [`Symbol`].
    pub kinds: Vec<Kind>,
    /// Names of threads.
    pub threads: HashMap<ThreadId, String>,
}

impl Dictionary {
    /// The class that declares the method of an event, or none if the symbol is unknown.
    pub fn method_class(&self, symbol: Symbol) -> Option<ClassId> {
        let kind = self.kinds.get(symbol.index())?;
        Some(self.methods.get(kind.method.index())?.class)
    }

    /// A method in words, `a/b/C.name(I)V`.
    pub fn method_name(&self, id: MethodId) -> String {
        let Some(method) = self.methods.get(id.index()) else {
            return format!("method {}", id.0);
        };
        let class = self.class_name(method.class);
        format!("{class}.{}{}", method.name, method.descriptor)
    }

    /// A class in words.
    pub fn class_name(&self, id: ClassId) -> String {
        self.classes
            .get(id.index())
            .map_or_else(|| format!("class {}", id.0), |class| class.name.clone())
    }
}
