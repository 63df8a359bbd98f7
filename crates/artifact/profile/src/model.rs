//! The profile as data.

use serde::{Deserialize, Serialize};

/// A method seen on a stack; index into [`Profile::methods`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct MethodId(pub u32);

/// A node of the tree of calls; index into [`Profile::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// What samplers saw of some runs of one subject.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    /// Methods that stood on a stack.
    pub methods: Vec<Method>,
    /// The tree of calls. A parent stands before its children.
    pub nodes: Vec<Node>,
    /// Sampled runs, in the order of the workload.
    pub runs: Vec<ProfiledRun>,
    /// What limits trust in the whole, in words: stacks that could not be walked, a sampler that was not there.
    pub notes: Vec<String>,
}

/// A method.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Method {
    /// Internal name of its class, `a/B`; of a hidden class that of the class file it was made from.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Whether it belongs to the program, that is, whether a counting run would count it.
    pub own: bool,
}

/// One call path: a frame of a method that stands at one place of its code, above another frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Node {
    /// Whence the method was called; none where the stack begins.
    pub parent: Option<NodeId>,
    /// The method.
    pub method: MethodId,
    /// Offset in its bytecode at which the frame stood; none where the JVM does not tell, as of native methods.
    pub at: Option<u32>,
}

/// One process, or the part of it that scopes cover.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProfiledRun {
    /// Labels of the observations that the run covers: one where an observation is a process, those of all its invocations
    /// where it is a call.
    pub rows: Vec<String>,
    /// Processor time by stack and state.
    pub samples: Vec<Sample>,
    /// Bytes allocated by stack, an estimate from a sample of allocations.
    pub allocated: Vec<Allocated>,
    /// Processor time that belongs to no stack of Java.
    pub beside: Vec<Beside>,
    /// Processor time of compilers by the method compiled, where the JVM tells.
    pub compiled: Vec<Compiled>,
    /// Processor time of the whole process, ns; of the scopes alone where only they are covered.
    pub cpu_ns: u64,
    /// From the entry of `main` to the end of the program, ns.
    pub wall_ns: u64,
}

/// Processor time at a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sample {
    /// The innermost frame.
    pub node: NodeId,
    /// What the thread was executing there.
    pub state: State,
    /// Samples taken.
    pub samples: u32,
    /// Processor time, ns: their part of what their thread used.
    pub cpu_ns: u64,
}

/// What a thread executes at a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Compiled code of the innermost method.
    Compiled,
    /// The interpreter, on behalf of the innermost method.
    Interpreted,
    /// The JVM's own code, called by the innermost method: slow paths of allocation and locks, exceptions.
    Runtime,
    /// The JVM's own code at an instruction that calls it only to be linked: a call, a field, a constant, a cast.
    Linking,
    /// Native code of a library, the kernel included.
    Native,
}

/// Allocation at a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Allocated {
    /// The innermost frame.
    pub node: NodeId,
    /// Allocations sampled.
    pub samples: u32,
    /// Bytes that they stand for.
    pub bytes: u64,
}

/// Processor time of what is no stack of Java.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Beside {
    /// Whose.
    pub role: Role,
    /// Processor time, ns.
    pub cpu_ns: u64,
}

/// Threads of the JVM, and what could not be attributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The first compiler's threads.
    C1,
    /// The second compiler's threads.
    C2,
    /// Threads of the garbage collector.
    Collector,
    /// The JVM's start, before the program's `main`, and its end.
    Startup,
    /// Other threads of the JVM.
    Jvm,
    /// Threads that are not Java's and not the JVM's: a native library's.
    NativeThreads,
    /// Java's threads where the stack could not be walked.
    Unwalked,
    /// What the process used and no sample covers: threads that ended between two samples.
    Unsampled,
}

/// Work of a compiler on one method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Compiled {
    /// The method compiled, inlined ones included.
    pub method: MethodId,
    /// [`Role::C1`] or [`Role::C2`].
    pub compiler: Role,
    /// Processor time, ns.
    pub cpu_ns: u64,
}

impl Role {
    /// Every role with its name on disk.
    pub const NAMES: [(&'static str, Self); 8] = [
        ("c1", Self::C1),
        ("c2", Self::C2),
        ("collector", Self::Collector),
        ("startup", Self::Startup),
        ("jvm", Self::Jvm),
        ("native-threads", Self::NativeThreads),
        ("unwalked", Self::Unwalked),
        ("unsampled", Self::Unsampled),
    ];
}

impl State {
    /// Every state with its name on disk.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("compiled", Self::Compiled),
        ("interpreted", Self::Interpreted),
        ("runtime", Self::Runtime),
        ("linking", Self::Linking),
        ("native", Self::Native),
    ];
}

/// Processor time of some stacks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Weight {
    /// The time, ns.
    pub ns: f64,
    /// Samples that it is the sum of.
    pub samples: u32,
}

impl Weight {
    /// Adds some more.
    pub(crate) fn add(&mut self, ns: f64, samples: u32) {
        self.ns += ns;
        self.samples += samples;
    }
}
