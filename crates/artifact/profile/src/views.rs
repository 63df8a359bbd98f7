//! What a profile says by method: own time, what it called, what it caused.
//!
//! A sample is charged to the innermost frame of the program: what runs in a library below it runs on its behalf. Class
//! loading is told apart first, since it happens once, wherever the class is needed first.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Method, MethodId, NodeId, Profile, ProfiledRun, Role, Sample, State, Weight};

/// Classes whose frames mean that a class is being loaded or a call site linked. A trailing `/` stands for a package.
const LOADING: [&str; 5] = [
    "java/lang/ClassLoader",
    "java/security/SecureClassLoader",
    "java/net/URLClassLoader",
    "java/lang/invoke/MethodHandleNatives",
    "jdk/internal/loader/",
];

/// Classes with which the launcher begins, before it calls `main`.
const LAUNCHER: &str = "sun/launcher/";

/// Whom a stack is charged to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Account {
    /// The innermost method of the program.
    Method(MethodId),
    /// Loading and linking on behalf of that method, or of none.
    Loading(Option<MethodId>),
    /// Java code with no frame of the program below it.
    Outside,
}

/// Which part of a run is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Within {
    /// Class and method of the scope; the whole process if none.
    pub scope: Option<(String, String)>,
}

impl Within {
    /// From a scope as datasets have it: `main`, `a.B#m`, `a.B#m(int)V`, `a.B#m+threads`.
    pub fn of(scope: &str) -> Self {
        let scope = scope.split_once('#').map(|(class, method)| {
            let end = method.find(['(', '+']).unwrap_or(method.len());
            (class.replace('.', "/"), method[..end].to_owned())
        });
        Self { scope }
    }

    fn starts_at(&self, method: &Method) -> bool {
        self.scope
            .as_ref()
            .is_some_and(|(class, name)| method.class == *class && method.name == *name)
    }
}

/// What is known of every node of a profile's tree.
#[derive(Clone, Debug)]
pub struct Accounts<'a> {
    profile: &'a Profile,
    nodes: Vec<Account>,
    /// The innermost frame of the program at or below each node.
    frames: Vec<Option<NodeId>>,
    inside: Vec<bool>,
    /// Whether only a part of the process is looked at.
    scoped: bool,
}

/// Processor time by what is done with it, ns; samples and bytes beside.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The method's own compiled code.
    pub own: f64,
    /// Its own code in the interpreter.
    pub interpreted: f64,
    /// Code that it calls and that is not the program's: the JDK, native libraries.
    pub called: f64,
    /// The JVM on its behalf: slow paths of allocation, locks and exceptions.
    pub runtime: f64,
    /// Class loading that it set off.
    pub loading: f64,
    /// Compilers at work on it.
    pub compilation: f64,
    /// The collector's time, by the bytes that it allocated.
    pub collection: f64,
    /// Bytes that it allocated, with what it called.
    pub bytes: f64,
    /// Samples behind `own` to `runtime`.
    pub samples: u32,
    /// Sum of the squares of these samples' weights, ns²: their variance if samples come at random.
    pub squares: f64,
    /// Allocations sampled behind `bytes`.
    pub allocations: u32,
}

impl Spread {
    /// Time on the stack of the method itself: without loading, compilation and collection, ns.
    pub fn running(&self) -> f64 {
        self.own + self.interpreted + self.called + self.runtime
    }

    /// The same with what it caused, ns.
    pub fn total(&self) -> f64 {
        self.running() + self.loading + self.compilation + self.collection
    }

    /// Standard error of `running` by the sampling alone, ns.
    pub fn error(&self) -> f64 {
        self.squares.sqrt()
    }

    fn add(&mut self, sample: &Sample, leaf: bool) {
        let ns = sample.cpu_ns as f64;
        let place = match (sample.state, leaf) {
            (State::Runtime, _) => &mut self.runtime,
            (State::Compiled, true) => &mut self.own,
            (State::Interpreted, true) => &mut self.interpreted,
            _ => &mut self.called,
        };
        *place += ns;
        self.samples += sample.samples;
        self.squares += squares(sample);
    }
}

/// Sum of the squares of a sample's weights, taken as equal, ns².
fn squares(sample: &Sample) -> f64 {
    (sample.cpu_ns as f64).powi(2) / f64::from(sample.samples.max(1))
}

/// Processor time of one activity that is no method's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Activity {
    /// ns.
    pub cpu_ns: f64,
    /// Sum of the squares of the weights of its samples, ns²; 0 where it is measured as a whole.
    pub squares: f64,
    /// Its samples; 0 where it is measured as a whole.
    pub samples: u32,
}

/// Where the processor time of some runs went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ByMethod {
    /// Methods of the program.
    pub methods: BTreeMap<MethodId, Spread>,
    /// Class loading, all of it; that on behalf of a method stands in its [`Spread::loading`] as well.
    pub loading: Activity,
    /// Java code with no frame of the program below it.
    pub outside: Activity,
    /// Threads of the JVM, and what could not be attributed.
    pub beside: BTreeMap<Role, f64>,
    /// What compilers did for methods that are not the program's, ns.
    pub compiled_elsewhere: f64,
    /// Bytes allocated with no frame of the program below.
    pub bytes_outside: f64,
}

impl ByMethod {
    /// All processor time, ns.
    pub fn total(&self) -> f64 {
        let methods: f64 = self.methods.values().map(Spread::running).sum();
        let beside: f64 = self.beside.values().sum();
        methods + beside + self.loading.cpu_ns + self.outside.cpu_ns
    }
}

impl<'a> Accounts<'a> {
    /// Looks at every node once.
    pub fn of(profile: &'a Profile, within: &Within) -> Self {
        let mut nodes = Vec::with_capacity(profile.nodes.len());
        let mut inside: Vec<bool> = Vec::with_capacity(profile.nodes.len());
        let mut frames: Vec<Option<NodeId>> = Vec::with_capacity(profile.nodes.len());
        let mut launched: Vec<bool> = Vec::new();
        for (index, node) in profile.nodes.iter().enumerate() {
            let method = &profile.methods[node.method.0 as usize];
            let above = node.parent.map(|parent| parent.0 as usize);
            let caller = above.map_or(Account::Outside, |parent| nodes[parent]);
            nodes.push(if method.own {
                Account::Method(node.method)
            } else if is_loading(method) {
                match caller {
                    Account::Method(method) => Account::Loading(Some(method)),
                    Account::Outside => Account::Loading(None),
                    loading @ Account::Loading(_) => loading,
                }
            } else {
                caller
            });
            frames.push(if method.own {
                Some(NodeId(index as u32))
            } else {
                above.and_then(|parent| frames[parent])
            });
            inside.push(if within.scope.is_some() {
                within.starts_at(method) || above.is_some_and(|parent| inside[parent])
            } else {
                // What the launcher does before `main` is no part of the program's time.
                launched.push(match above {
                    Some(parent) => launched[parent],
                    None => method.class.starts_with(LAUNCHER),
                });
                !launched[index] || frames[index].is_some()
            });
        }
        Self {
            profile,
            nodes,
            frames,
            inside,
            scoped: within.scope.is_some(),
        }
    }

    /// Whom a node is charged to; none where it lies outside the scope.
    pub fn account(&self, node: NodeId) -> Option<Account> {
        let at = node.0 as usize;
        self.inside[at].then(|| self.nodes[at])
    }

    /// Whom a sample is charged to: what is linked is linked once, wherever it is needed first, as classes are.
    pub fn charged(&self, sample: &Sample) -> Option<Account> {
        match (self.account(sample.node)?, sample.state) {
            (Account::Method(method), State::Linking) => Some(Account::Loading(Some(method))),
            (Account::Outside, State::Linking) => Some(Account::Loading(None)),
            (account, _) => Some(account),
        }
    }

    /// Sums runs up by method. Where a scope is looked at, threads of the JVM are left out: whom they worked for is not known.
    pub fn by_method<'r>(&self, runs: impl IntoIterator<Item = &'r ProfiledRun>) -> ByMethod {
        let mut found = ByMethod::default();
        for run in runs {
            self.add(run, &mut found);
        }
        let bytes: f64 = found.bytes_outside
            + found
                .methods
                .values()
                .map(|method| method.bytes)
                .sum::<f64>();
        let collector = found.beside.get(&Role::Collector).copied().unwrap_or(0.0);
        if bytes > 0.0 {
            for method in found.methods.values_mut() {
                method.collection = collector * method.bytes / bytes;
            }
        }
        found
    }

    /// Time charged to each method of the program by where its frame stood in its bytecode, ns.
    pub fn by_place<'r>(
        &self,
        runs: impl IntoIterator<Item = &'r ProfiledRun>,
    ) -> BTreeMap<(MethodId, Option<u32>), f64> {
        let mut found = BTreeMap::new();
        let samples = runs.into_iter().flat_map(|run| &run.samples);
        for sample in samples.filter(|sample| sample.state != State::Linking) {
            if let Some(at) = self.place(sample.node) {
                *found.entry(at).or_default() += sample.cpu_ns as f64;
            }
        }
        found
    }

    /// Bytes allocated by method and place, in the same way.
    pub fn bytes_by_place<'r>(
        &self,
        runs: impl IntoIterator<Item = &'r ProfiledRun>,
    ) -> BTreeMap<(MethodId, Option<u32>), f64> {
        let mut found = BTreeMap::new();
        for place in runs.into_iter().flat_map(|run| &run.allocated) {
            if let Some(at) = self.place(place.node) {
                *found.entry(at).or_default() += place.bytes as f64;
            }
        }
        found
    }

    /// The method of the program that a node is charged to, and where its frame stood.
    fn place(&self, node: NodeId) -> Option<(MethodId, Option<u32>)> {
        let frame = self.frames[node.0 as usize]?;
        match self.account(node)? {
            Account::Method(method) => Some((method, self.profile.nodes[frame.0 as usize].at)),
            _ => None,
        }
    }

    fn add(&self, run: &ProfiledRun, found: &mut ByMethod) {
        for sample in &run.samples {
            let activity = match self.charged(sample) {
                None => continue,
                Some(Account::Method(method)) => {
                    let leaf = self.profile.nodes[sample.node.0 as usize].method == method;
                    found.methods.entry(method).or_default().add(sample, leaf);
                    continue;
                }
                Some(Account::Loading(method)) => {
                    if let Some(method) = method {
                        found.methods.entry(method).or_default().loading += sample.cpu_ns as f64;
                    }
                    &mut found.loading
                }
                Some(Account::Outside) => &mut found.outside,
            };
            activity.cpu_ns += sample.cpu_ns as f64;
            activity.samples += sample.samples;
            activity.squares += squares(sample);
        }
        for place in &run.allocated {
            match self.account(place.node) {
                None => {}
                Some(Account::Method(method) | Account::Loading(Some(method))) => {
                    let spread = found.methods.entry(method).or_default();
                    spread.bytes += place.bytes as f64;
                    spread.allocations += place.samples;
                }
                Some(_) => found.bytes_outside += place.bytes as f64,
            }
        }
        if self.scoped {
            return;
        }
        for beside in &run.beside {
            *found.beside.entry(beside.role).or_default() += beside.cpu_ns as f64;
        }
        for compiled in &run.compiled {
            let ns = compiled.cpu_ns as f64;
            if self.profile.methods[compiled.method.0 as usize].own {
                found
                    .methods
                    .entry(compiled.method)
                    .or_default()
                    .compilation += ns;
            } else {
                found.compiled_elsewhere += ns;
            }
        }
    }

    /// Time with a method of the program anywhere on the stack, by method, ns: its own and that of all it called.
    pub fn inclusive<'r>(
        &self,
        runs: impl IntoIterator<Item = &'r ProfiledRun>,
    ) -> BTreeMap<MethodId, f64> {
        let weights = self.weights(runs);
        let mut found: BTreeMap<MethodId, f64> = BTreeMap::new();
        for (node, ns) in weights {
            let methods: BTreeSet<MethodId> = self
                .path(node)
                .filter(|at| self.inside[at.0 as usize])
                .map(|at| self.profile.nodes[at.0 as usize].method)
                .filter(|method| self.profile.methods[method.0 as usize].own)
                .collect();
            for method in methods {
                *found.entry(method).or_default() += ns;
            }
        }
        found
    }

    /// Who called a method of the program, by the nearest other method of the program below it, and the time of the method
    /// with all that it called on these stacks, ns, and their number; none for stacks that begin with it. Largest first.
    pub fn callers<'r>(
        &self,
        method: MethodId,
        runs: impl IntoIterator<Item = &'r ProfiledRun>,
    ) -> Vec<(Option<MethodId>, Weight)> {
        let mut found: BTreeMap<Option<MethodId>, Weight> = BTreeMap::new();
        let mut nodes: BTreeMap<NodeId, Weight> = BTreeMap::new();
        for sample in runs.into_iter().flat_map(|run| &run.samples) {
            if self.inside[sample.node.0 as usize] {
                let weight = nodes.entry(sample.node).or_default();
                weight.add(sample.cpu_ns as f64, sample.samples);
            }
        }
        for (node, weight) in nodes {
            // The outermost frame of the method, so that recursion counts once.
            let path: Vec<MethodId> = self
                .path(node)
                .map(|at| self.profile.nodes[at.0 as usize].method)
                .collect();
            let Some(outermost) = path.iter().rposition(|&at| at == method) else {
                continue;
            };
            let mut below = path[outermost + 1..].iter();
            let caller = below.find(|at| self.profile.methods[at.0 as usize].own);
            let all = found.entry(caller.copied()).or_default();
            all.add(weight.ns, weight.samples);
        }
        let mut found: Vec<_> = found.into_iter().collect();
        found.sort_by(|a, b| b.1.ns.total_cmp(&a.1.ns).then_with(|| a.0.cmp(&b.0)));
        found
    }

    /// Processor time at each node inside the scope, ns.
    pub fn weights<'r>(
        &self,
        runs: impl IntoIterator<Item = &'r ProfiledRun>,
    ) -> BTreeMap<NodeId, f64> {
        let mut weights: BTreeMap<NodeId, f64> = BTreeMap::new();
        for sample in runs.into_iter().flat_map(|run| &run.samples) {
            if self.inside[sample.node.0 as usize] {
                *weights.entry(sample.node).or_default() += sample.cpu_ns as f64;
            }
        }
        weights
    }

    /// A node and those it was called from, innermost first.
    pub fn path(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(node), |at| self.profile.nodes[at.0 as usize].parent)
    }
}

fn is_loading(method: &Method) -> bool {
    LOADING.iter().any(|class| match class.strip_suffix('/') {
        Some(_) => method.class.starts_with(class),
        None => method.class == *class,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Allocated, Beside, Compiled, Node};

    fn method(class: &str, name: &str) -> Method {
        Method {
            class: class.to_owned(),
            name: name.to_owned(),
            descriptor: "()V".to_owned(),
            own: class.starts_with("app/"),
        }
    }

    /// main → work → String.hashCode; main → work → loadClass → own hook; JDK alone.
    fn profile() -> Profile {
        let node = |parent: Option<u32>, method| Node {
            parent: parent.map(NodeId),
            method: MethodId(method),
            at: None,
        };
        let sample = |node, state, samples, cpu_ns| Sample {
            node: NodeId(node),
            state,
            samples,
            cpu_ns,
        };
        Profile {
            methods: vec![
                method("app/Main", "main"),
                method("app/Main", "work"),
                method("java/lang/String", "hashCode"),
                method("jdk/internal/loader/BuiltinClassLoader", "loadClass"),
            ],
            nodes: vec![
                node(None, 0),
                node(Some(0), 1),
                node(Some(1), 2),
                node(Some(1), 3),
                node(Some(3), 2),
                node(None, 2),
                node(Some(1), 1),
            ],
            runs: vec![ProfiledRun {
                samples: vec![
                    sample(0, State::Interpreted, 1, 10),
                    sample(1, State::Compiled, 4, 400),
                    sample(2, State::Compiled, 1, 50),
                    sample(2, State::Runtime, 1, 7),
                    sample(4, State::Interpreted, 2, 30),
                    sample(5, State::Compiled, 1, 3),
                    sample(6, State::Compiled, 1, 100),
                ],
                allocated: vec![
                    Allocated {
                        node: NodeId(2),
                        samples: 3,
                        bytes: 300,
                    },
                    Allocated {
                        node: NodeId(5),
                        samples: 1,
                        bytes: 100,
                    },
                ],
                beside: vec![
                    Beside {
                        role: Role::Collector,
                        cpu_ns: 80,
                    },
                    Beside {
                        role: Role::C2,
                        cpu_ns: 200,
                    },
                ],
                compiled: vec![
                    Compiled {
                        method: MethodId(1),
                        compiler: Role::C2,
                        cpu_ns: 150,
                    },
                    Compiled {
                        method: MethodId(2),
                        compiler: Role::C2,
                        cpu_ns: 50,
                    },
                ],
                cpu_ns: 880,
                ..ProfiledRun::default()
            }],
            notes: Vec::new(),
        }
    }

    #[test]
    fn samples_go_to_the_innermost_method_of_the_program() {
        let profile = profile();
        let accounts = Accounts::of(&profile, &Within::default());
        let found = accounts.by_method(&profile.runs);
        let work = found.methods[&MethodId(1)];
        assert_eq!((work.own, work.called, work.runtime), (500.0, 50.0, 7.0));
        assert_eq!((work.loading, work.samples), (30.0, 7));
        assert_eq!((work.compilation, work.collection), (150.0, 60.0));
        assert_eq!(work.squares, 160_000.0 / 4.0 + 2500.0 + 49.0 + 10_000.0);
        assert_eq!(found.methods[&MethodId(0)].interpreted, 10.0);
        assert_eq!((found.loading.cpu_ns, found.outside.cpu_ns), (30.0, 3.0));
        assert_eq!(found.compiled_elsewhere, 50.0);
        assert_eq!(found.total(), 880.0);
    }

    #[test]
    fn what_is_linked_at_an_instruction_is_loading_that_its_method_caused() {
        let mut profile = profile();
        let samples = &mut profile.runs[0].samples;
        samples.push(Sample {
            state: State::Linking,
            cpu_ns: 9,
            ..samples[1]
        });
        let accounts = Accounts::of(&profile, &Within::default());
        let found = accounts.by_method(&profile.runs);
        let work = found.methods[&MethodId(1)];
        assert_eq!((work.running(), work.loading), (557.0, 39.0));
        assert_eq!((found.loading.cpu_ns, found.total()), (39.0, 889.0));
        let places = accounts.by_place(&profile.runs);
        assert_eq!(places[&(MethodId(1), None)], 557.0);
        assert_eq!(accounts.inclusive(&profile.runs)[&MethodId(1)], 596.0);
    }

    #[test]
    fn inclusive_time_counts_recursion_once() {
        let profile = profile();
        let accounts = Accounts::of(&profile, &Within::default());
        let found = accounts.inclusive(&profile.runs);
        assert_eq!(found[&MethodId(0)], 597.0);
        assert_eq!(found[&MethodId(1)], 587.0);
        assert_eq!(found.len(), 2);
        let callers = accounts.callers(MethodId(1), &profile.runs);
        let [(Some(MethodId(0)), weight)] = callers[..] else {
            panic!("{callers:?}")
        };
        assert_eq!(weight.ns, 587.0);
        assert!(weight.samples > 0);
    }

    #[test]
    fn a_scope_leaves_out_what_is_not_below_it() {
        let profile = profile();
        let within = Within::of("app.Main#work+threads");
        let found = Accounts::of(&profile, &within).by_method(&profile.runs);
        assert_eq!(found.methods.keys().collect::<Vec<_>>(), [&MethodId(1)]);
        assert!(found.beside.is_empty() && found.outside.cpu_ns == 0.0);
        assert_eq!(found.total(), 587.0);
    }

    #[test]
    fn what_the_launcher_does_before_main_is_left_out() {
        let mut profile = profile();
        // The stack that begins with JDK code begins with the launcher.
        profile
            .methods
            .push(method("sun/launcher/LauncherHelper", "checkAndLoadMain"));
        profile.nodes[5].method = MethodId(4);
        let found = Accounts::of(&profile, &Within::default()).by_method(&profile.runs);
        assert_eq!((found.outside.cpu_ns, found.total()), (0.0, 877.0));
        assert_eq!(found.beside.len(), 2);
    }

    #[test]
    fn a_scope_is_read_as_datasets_write_it() {
        let scope = |text: &str| Within::of(text).scope;
        let named = Some(("a/B$C".to_owned(), "m".to_owned()));
        assert_eq!(scope("main"), None);
        for text in ["a.B$C#m", "a.B$C#m(int)V", "a.B$C#m+threads"] {
            assert_eq!(scope(text), named, "{text}");
        }
    }
}
