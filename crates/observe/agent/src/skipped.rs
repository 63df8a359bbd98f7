//! Methods, loops and blocks that are left uncounted on request, though their classes are counted.

use std::collections::BTreeSet;

use pricetag_classfile::ClassFile;
use pricetag_probe::{Values, Wanted};
use pricetag_probe_plan::{BlockId, ClassHash, ClassPlan, MethodOutcome, MethodPlan, Pc};
use pricetag_trace::{AgentOptions, ListedInClass, Mode, REMOVED, Region, UNLISTED};

/// Parts of the methods of a class: name, descriptor, and where the loop's header begins, if one is meant.
type Regions<'a> = BTreeSet<(&'a str, &'a str, Option<u16>)>;

/// What was asked for about the methods of one class.
#[derive(Debug)]
pub struct Skipped<'a> {
    keep: ListedInClass<'a>,
    skip: Regions<'a>,
    /// Counted, but no values are taken in them.
    without_values: Regions<'a>,
    values: Option<Values>,
    transitions: bool,
    strides: bool,
}

impl<'a> Skipped<'a> {
    /// What holds for a class, given its internal name and the hash of its bytes.
    pub fn of(options: &'a AgentOptions, class: &str, hash: ClassHash) -> Self {
        let (lengths, depths) = (options.lengths, options.depths);
        Self {
            keep: options.keep.in_class(class, hash),
            skip: regions(&options.skip, class),
            without_values: regions(&options.skip_values, class),
            values: (options.values > 0 && options.mode == Mode::Count)
                .then_some(Values { lengths, depths }),
            transitions: options.transitions && options.mode == Mode::Count,
            strides: options.strides && options.mode == Mode::Count,
        }
    }

    /// The plan of the class.
    pub fn plan(&self, class: &ClassFile<'_>, bytes: &[u8]) -> ClassPlan {
        let wanted = Wanted {
            left: Some(&|name, descriptor| self.reason(name, descriptor).map(str::to_owned)),
            no_loop: Some(&|name, descriptor, header| self.no_loop(name, descriptor, header)),
            listed: Some(&|name, descriptor| self.listed(name, descriptor)),
            values: self.values(),
            no_values: Some(&|name, descriptor| self.no_values(name, descriptor)),
            no_values_in_loop: Some(&|name, descriptor, header| {
                self.no_values_in_loop(name, descriptor, header)
            }),
            transitions: self.transitions(),
            strides: self.strides(),
        };
        pricetag_probe::plan_with(class, bytes, wanted)
    }

    /// Which values are taken.
    pub fn values(&self) -> Option<Values> {
        self.values
    }

    /// Whether changes of the outcome of branches are counted.
    pub fn transitions(&self) -> bool {
        self.transitions
    }

    /// Whether array reads that leave a cache line are counted.
    pub fn strides(&self) -> bool {
        self.strides
    }

    /// Whether no values are taken in a method.
    pub fn no_values(&self, name: &str, descriptor: &str) -> bool {
        self.without_values.contains(&(name, descriptor, None))
    }

    /// Whether no values are taken in a loop, given where its header begins.
    pub fn no_values_in_loop(&self, name: &str, descriptor: &str, header: Pc) -> bool {
        let place = (name, descriptor, Some(header.0));
        self.without_values.contains(&place)
    }

    /// Whether a loop has no probes, given where its header begins.
    pub fn no_loop(&self, name: &str, descriptor: &str, header: Pc) -> bool {
        self.skip.contains(&(name, descriptor, Some(header.0)))
    }

    /// Why a method is left; none if it is to be counted.
    pub fn reason(&self, name: &str, descriptor: &str) -> Option<&'static str> {
        if self.skip.contains(&(name, descriptor, None)) {
            return Some(REMOVED);
        }
        (!self.keep.names(name, descriptor)).then_some(UNLISTED)
    }

    /// The blocks of a method whose counts are asked for; none if those of all are.
    pub fn listed(&self, name: &str, descriptor: &str) -> Option<BTreeSet<BlockId>> {
        self.keep.blocks(name, descriptor)
    }

    /// Whether a stored plan leaves out just these methods, loops and blocks, and counts and takes beside them just what is wanted. Plans are stored by class, and other runs may
    /// want others.
    pub fn agrees(&self, plan: &ClassPlan) -> bool {
        self.agrees_on_methods(plan)
            && self.agrees_on_values(plan)
            && self.transitions == plan.transitions.is_some()
            && self.strides == plan.strides.is_some()
    }

    fn agrees_on_values(&self, plan: &ClassPlan) -> bool {
        let (wanted, planned) = match (self.values, &plan.values) {
            (Some(wanted), Some(planned)) => (wanted, planned),
            (wanted, planned) => return wanted.is_none() && planned.is_none(),
        };
        let name = |index: &u16| {
            let method = plan.methods.get(usize::from(*index))?;
            Some((method.name.as_str(), method.descriptor.as_str()))
        };
        let removed: BTreeSet<_> = planned.removed.iter().filter_map(name).collect();
        let methods = self.without_values.iter().filter(|r| r.2.is_none());
        let methods: BTreeSet<_> = methods.map(|r| (r.0, r.1)).collect();
        let counted = (0..)
            .zip(&plan.methods)
            .filter(|(_, m)| m.outcome == MethodOutcome::Counted);
        let loops = counted.flat_map(|(index, method)| {
            let without = |l: &u32| {
                let header = method.loop_header(*l);
                self.no_values_in_loop(&method.name, &method.descriptor, header)
            };
            let loops = (0..method.loops.len() as u32).filter(without);
            loops.map(move |l| (index, l)).collect::<Vec<_>>()
        });
        wanted.lengths == planned.lengths
            && wanted.depths == planned.depths
            && removed == methods
            && loops.eq(planned.removed_loops.iter().copied())
    }

    fn agrees_on_methods(&self, plan: &ClassPlan) -> bool {
        plan.methods.iter().all(|method| {
            let left = match &method.outcome {
                MethodOutcome::NoCode => return true,
                MethodOutcome::Left(reason) => {
                    [REMOVED, UNLISTED].into_iter().find(|r| r == reason)
                }
                MethodOutcome::Counted => None,
            };
            left == self.reason(&method.name, &method.descriptor)
                && self.agrees_on_loops(method)
                && (left.is_some() || self.agrees_on_blocks(method))
        })
    }

    fn agrees_on_loops(&self, method: &MethodPlan) -> bool {
        let removed =
            |l: &u32| self.no_loop(&method.name, &method.descriptor, method.loop_header(*l));
        let loops = 0..method.loops.len() as u32;
        loops
            .filter(removed)
            .eq(method.removed_loops.iter().copied())
    }
}

impl Skipped<'_> {
    fn agrees_on_blocks(&self, method: &MethodPlan) -> bool {
        if method.outcome != MethodOutcome::Counted {
            return true;
        }
        let wanted = self.listed(&method.name, &method.descriptor);
        let exists = |b: &BlockId| (b.0 as usize) < method.blocks.len();
        let wanted: Option<Vec<BlockId>> =
            wanted.map(|blocks| blocks.into_iter().filter(exists).collect());
        wanted == method.listed_blocks
    }
}

fn regions<'a>(all: &'a BTreeSet<Region>, class: &str) -> Regions<'a> {
    let of_class = all.iter().filter(|region| region.method.class == class);
    let named = of_class.map(|Region { method, header }| {
        let (name, descriptor) = (method.name.as_str(), method.descriptor.as_str());
        (name, descriptor, *header)
    });
    named.collect()
}
