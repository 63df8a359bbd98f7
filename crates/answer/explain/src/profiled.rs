//! What a profile adds to the lines of an explanation by method: own code and called code, what a method caused elsewhere,
//! and its time with all that it calls.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use pricetag_classfile::naming;
use pricetag_classfile::spelling::Spelling;
use pricetag_dataset::{Dataset, Status};
use pricetag_finding::{CallNode, CallTree, CostItem, FINDING_SCHEMA, Place, Spread};
use pricetag_profile::{Account, Accounts, Method, MethodId, Profile, ProfiledRun, Within};

/// A dataset's profile, cut to its scope and to the runs of observations that succeeded.
struct Profiled<'a> {
    profile: &'a Profile,
    accounts: Accounts<'a>,
    runs: Vec<&'a ProfiledRun>,
}

impl<'a> Profiled<'a> {
    fn of(dataset: &'a Dataset) -> Option<Self> {
        let profile = dataset.profile.as_ref()?;
        let succeeded: BTreeSet<&str> = dataset
            .observations
            .iter()
            .filter(|observation| observation.status == Status::Ok)
            .map(|observation| observation.label.as_str())
            .collect();
        let runs = profile.runs.iter();
        let runs: Vec<&ProfiledRun> = runs
            .filter(|run| run.rows.iter().any(|row| succeeded.contains(row.as_str())))
            .collect();
        (!runs.is_empty()).then(|| Self {
            profile,
            accounts: Accounts::of(profile, &Within::of(&dataset.meta.scope)),
            runs,
        })
    }

    fn method(&self, id: MethodId) -> &'a Method {
        &self.profile.methods[id.0 as usize]
    }

    /// Runs by what they ran.
    fn by_input(&self) -> BTreeMap<&'a Vec<String>, Vec<&'a ProfiledRun>> {
        let mut inputs: BTreeMap<&Vec<String>, Vec<&ProfiledRun>> = BTreeMap::new();
        for &run in &self.runs {
            inputs.entry(&run.rows).or_default().push(run);
        }
        inputs
    }

    /// Processor time of each stack, ns; its methods from the outermost, with semicolons between.
    fn stacks(&self, runs: impl Iterator<Item = &'a ProfiledRun> + Clone) -> BTreeMap<String, f64> {
        let mut stacks: BTreeMap<String, f64> = BTreeMap::new();
        for (&at, &ns) in &self.accounts.weights(runs) {
            let mut frames: Vec<String> = self
                .accounts
                .path(at)
                .map(|node| frame(self.method(self.profile.nodes[node.0 as usize].method)))
                .collect();
            frames.reverse();
            *stacks.entry(frames.join(";")).or_default() += ns;
        }
        stacks
    }
}

fn place(method: &Method) -> Place {
    Place {
        class: method.class.clone(),
        method: Some(method.name.clone()),
        descriptor: Some(method.descriptor.clone()),
        ..Place::default()
    }
}

/// Fills in how the cost of each method divides. `ran` is the share of the whole in which the program ran, which is what was sampled.
///
/// A line's share holds for all inputs, samples are of some: what a method takes itself is brought to its share, and so adds up to it.
pub(crate) fn spread(dataset: &Dataset, ran: f64, items: &mut [CostItem]) {
    let Some(found) = Profiled::of(dataset) else {
        return;
    };
    let by_method = found.accounts.by_method(found.runs.iter().copied());
    let inclusive = found.accounts.inclusive(found.runs.iter().copied());
    let total = by_method.total() / ran;
    if !(total > 0.0 && total.is_finite()) {
        return;
    }
    let mut spreads: HashMap<String, Spread> = HashMap::new();
    let ids: BTreeSet<MethodId> = by_method
        .methods
        .keys()
        .chain(inclusive.keys())
        .copied()
        .collect();
    for id in ids {
        let method = found.method(id);
        let name = if method.descriptor.is_empty() {
            // The JVM's log of compilations tells no parameters: the first line of that name has them.
            let bare = format!("{}.{}(", method.class.replace('/', "."), method.name);
            let line = items.iter().find_map(|item| {
                let place = item.place.as_ref()?;
                item.name.starts_with(&bare).then(|| identity(place))
            });
            line.unwrap_or(bare)
        } else {
            identity(&place(method))
        };
        let one = by_method.methods.get(&id).copied().unwrap_or_default();
        let spread = spreads.entry(name).or_default();
        spread.own += one.own / total;
        spread.interpreted += one.interpreted / total;
        spread.called += one.called / total;
        spread.runtime += one.runtime / total;
        spread.loading += one.loading / total;
        spread.compilation += one.compilation / total;
        spread.collection += one.collection / total;
        spread.inclusive += inclusive.get(&id).copied().unwrap_or(0.0) / total;
    }
    for item in &mut *items {
        let Some(place) = &item.place else { continue };
        item.spread = spreads.remove(&identity(place)).map(|mut spread| {
            let itself = spread.own + spread.interpreted + spread.called + spread.runtime;
            if itself > 0.0 {
                let more = item.share / itself;
                for part in [
                    &mut spread.own,
                    &mut spread.interpreted,
                    &mut spread.called,
                    &mut spread.runtime,
                ] {
                    *part *= more;
                }
                spread.inclusive = (spread.inclusive + item.share - itself).max(item.share);
            }
            spread
        });
    }
}

/// What tells a method from all others: a bridge differs from the method that it calls by its result alone.
fn identity(place: &Place) -> String {
    let part = |part: &Option<String>| part.clone().unwrap_or_default();
    let class = place.class.replace('/', ".");
    format!("{class}.{}{}", part(&place.method), part(&place.descriptor))
}

/// Lines that bear the same name get their results' types.
pub(crate) fn tell_apart(items: &mut [CostItem]) {
    let mut times: HashMap<String, u32> = HashMap::new();
    for item in items.iter().filter(|item| item.place.is_some()) {
        *times.entry(item.name.clone()).or_default() += 1;
    }
    for item in items {
        let result = item
            .place
            .as_ref()
            .filter(|_| times.get(&item.name).is_some_and(|n| *n > 1))
            .and_then(|place| place.descriptor.as_ref()?.split_once(')').map(|d| d.1))
            .map(naming::field_type);
        if let Some(result) = result {
            let result = result.rsplit('.').next().unwrap_or(&result);
            item.name = format!("{}: {result}", item.name);
        }
    }
}

/// The tree of calls of a dataset's sampled runs; nodes below this share of the whole are left out.
pub fn call_tree(dataset: &Dataset, least: f64) -> Option<CallTree> {
    let found = Profiled::of(dataset)?;
    let weights = found.accounts.weights(found.runs.iter().copied());
    let total: f64 = weights.values().sum();
    let mut root = Node::default();
    for (&at, &ns) in &weights {
        let mut path: Vec<MethodId> = found
            .accounts
            .path(at)
            .map(|node| found.profile.nodes[node.0 as usize].method)
            .collect();
        path.reverse();
        root.add(&path, ns);
    }
    let least = least * total;
    if total <= 0.0 {
        return None;
    }
    Some(CallTree {
        schema: FINDING_SCHEMA,
        cpu_ns: total,
        runs: found.runs.len() as u32,
        samples: samples(&found, |_| true),
        roots: root.children(&found, least),
    })
}

/// Who calls a method.
#[derive(Clone, Debug, PartialEq)]
pub struct Caller {
    /// The nearest method of the program below it; words for none.
    pub name: String,
    /// Its share of the method's time.
    pub share: f64,
    /// Samples that say so.
    pub samples: u32,
}

/// Who calls the methods of this name, of the program or not, by the nearest method of the program, dearest first.
///
/// The name is one that an explanation prints, or its end, or another spelling of it: `Sorter.sort(int[])`, `sort`, `Sorter#sort`.
pub fn callers(dataset: &Dataset, name: &str) -> Option<Vec<(String, Vec<Caller>)>> {
    let found = Profiled::of(dataset)?;
    let spelling = Spelling::of(name);
    // A bridge and the method that it calls bear the same name, and are one here.
    let mut out: BTreeMap<String, HashMap<String, (f64, u32)>> = BTreeMap::new();
    for (index, method) in found.profile.methods.iter().enumerate() {
        let full = place(method).method_name();
        let spelt =
            spelling.is_some_and(|s| s.means(&method.class, &method.name, &method.descriptor));
        if !(spelt || named(&full, name)) {
            continue;
        }
        let id = MethodId(index as u32);
        for (caller, weight) in found.accounts.callers(id, found.runs.iter().copied()) {
            let name = caller.map_or_else(
                || "(where the stack begins)".to_owned(),
                |caller| place(found.method(caller)).method_name(),
            );
            if caller.is_some_and(|caller| caller != id) && name == full {
                continue;
            }
            let of = out.entry(full.clone()).or_default();
            let (ns, samples) = of.entry(name).or_default();
            *ns += weight.ns;
            *samples += weight.samples;
        }
    }
    let shares = |of: HashMap<String, (f64, u32)>| {
        let total: f64 = of.values().map(|(ns, _)| ns).sum();
        let mut callers: Vec<Caller> = of
            .into_iter()
            .filter(|_| total > 0.0)
            .map(|(name, (ns, samples))| Caller {
                name,
                share: ns / total,
                samples,
            })
            .collect();
        callers.sort_by(|a, b| {
            b.share
                .total_cmp(&a.share)
                .then_with(|| a.name.cmp(&b.name))
        });
        callers
    };
    Some(
        out.into_iter()
            .map(|(name, of)| (name, shares(of)))
            .collect(),
    )
}

/// Whether a full name is meant by a shorter one: with or without package, class and parameters.
fn named(full: &str, wanted: &str) -> bool {
    let bare = full.split('(').next().unwrap_or(full);
    let wanted = wanted.replacen('#', ".", 1);
    [full, bare].into_iter().any(|name| {
        name.strip_suffix(wanted.as_str())
            .is_some_and(|before| before.is_empty() || before.ends_with(['.', '$']))
    })
}

/// Stacks of a dataset's sampled runs with their processor time in microseconds, one a line: `a.B.m;a.C.n 1234`, as Brendan
/// Gregg's `flamegraph.pl` and its descendants read them.
pub fn collapsed_stacks(dataset: &Dataset) -> Option<String> {
    let found = Profiled::of(dataset)?;
    let stacks = found.stacks(found.runs.iter().copied());
    let lines = stacks
        .into_iter()
        .map(|(stack, ns)| format!("{stack} {:.0}\n", ns / 1e3));
    Some(lines.collect())
}

/// A stack's frames, and what it weighs in two builds.
pub type Weighed = (Vec<String>, [u64; 2]);

/// Stacks of two builds, each from the outermost frame on, with their processor time before and after in microseconds: for a differential flame graph. Summed over
/// the inputs that were sampled in both, each a mean of its runs.
///
/// None if they have no such input in common.
pub fn differential_stacks(before: &Dataset, after: &Dataset) -> Option<Vec<Weighed>> {
    let sides = [Profiled::of(before)?, Profiled::of(after)?];
    let [old, new] = sides.each_ref().map(Profiled::by_input);
    let common: Vec<&Vec<String>> = old
        .keys()
        .filter(|key| new.contains_key(*key))
        .copied()
        .collect();
    if common.is_empty() {
        return None;
    }
    let mut stacks: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    for (side, (found, by_input)) in sides.iter().zip([&old, &new]).enumerate() {
        for runs in common.iter().map(|input| &by_input[*input]) {
            for (stack, ns) in found.stacks(runs.iter().copied()) {
                stacks.entry(stack).or_default()[side] += ns / runs.len() as f64;
            }
        }
    }
    let weighed = stacks.into_iter().map(|(stack, ns)| {
        let frames = stack.split(';').map(str::to_owned).collect();
        (frames, ns.map(|ns| (ns / 1e3).round_ties_even() as u64))
    });
    Some(weighed.collect())
}

fn frame(method: &Method) -> String {
    let name = format!("{}.{}", method.class.replace('/', "."), method.name);
    name.replace([';', ' ', '\n'], "_")
}

fn samples(found: &Profiled, wanted: impl Fn(Option<Account>) -> bool) -> u32 {
    let samples = found.runs.iter().flat_map(|run| &run.samples);
    samples
        .filter(|sample| {
            let charged = found.accounts.charged(sample);
            charged.is_some() && wanted(charged)
        })
        .map(|sample| sample.samples)
        .sum()
}

/// A call path of methods, whatever places their frames stood at.
#[derive(Default)]
struct Node {
    own: f64,
    all: f64,
    below: BTreeMap<MethodId, Node>,
}

impl Node {
    fn add(&mut self, path: &[MethodId], ns: f64) {
        let mut node = self;
        node.all += ns;
        for method in path {
            node = node.below.entry(*method).or_default();
            node.all += ns;
        }
        node.own += ns;
    }

    fn children(&self, found: &Profiled, least: f64) -> Vec<CallNode> {
        let mut out: Vec<CallNode> = self
            .below
            .iter()
            .filter(|(_, node)| node.all >= least)
            .map(|(id, node)| {
                let method = found.method(*id);
                CallNode {
                    name: place(method).method_name(),
                    own_code: method.own,
                    cpu_ns: node.all,
                    self_ns: node.own,
                    calls: node.children(found, least),
                }
            })
            .collect();
        out.sort_by(|a, b| {
            b.cpu_ns
                .total_cmp(&a.cpu_ns)
                .then_with(|| a.name.cmp(&b.name))
        });
        out
    }
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_method_may_be_named_by_its_end() {
        let full = "org.example.Sorter.sort(int[])";
        for wanted in [
            "sort",
            "Sorter.sort",
            "Sorter#sort",
            "Sorter#sort(int[])",
            full,
        ] {
            assert!(named(full, wanted), "{wanted}");
        }
        for wanted in ["ort", "Sorter", "Sorter#sorted", "Other#sort"] {
            assert!(!named(full, wanted), "{wanted}");
        }
    }
}
