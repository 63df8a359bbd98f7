//! First values of variables as features: `org.example.Searcher.hitsPerPage#1`, `org.example.Sorter.sort(int[]).i#2`.
//!
//! A value that was never given is missing, which is not 0: the row has no cell for it. So is one that is not a number or
//! infinite, which the row says by name, telling these apart. A field is left out if a method that assigns it had its probes removed, since what was seen
//! need not be its first values; that is listed, too.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use pricetag_classfile::naming;
use pricetag_dataset::{DatasetBuilder, Feature, FeatureId, FeatureKind};
use pricetag_probe_plan::{ClassPlan, ValueKind, VariablePlace};
use pricetag_trace::{Record, Trace, ValuePlace, VariableValues, VersionValue};

use crate::numberless::Numberless;

/// Values by invocation, and by none for the whole run.
pub(crate) type ByInvocation = BTreeMap<Option<u64>, Vec<VariableValues>>;

/// All values of a trace.
pub(crate) fn of(trace: &Trace) -> ByInvocation {
    let (mut all, mut places) = (ByInvocation::new(), BTreeMap::new());
    let mut given: BTreeMap<u64, BTreeMap<u32, Vec<VersionValue>>> = BTreeMap::new();
    for record in &trace.records {
        match record {
            Record::Values(values) => {
                let known = all.entry(values.invocation).or_default();
                known.extend(values.variables.iter().cloned());
            }
            Record::Variable(variable) => {
                places.insert(variable.number, &variable.place);
            }
            Record::Given(part) => {
                let versions = given.entry(part.invocation).or_default();
                for (number, value) in &part.values {
                    let versions = versions.entry(*number).or_default();
                    versions.push(VersionValue::of(*value));
                }
            }
            _ => {}
        }
    }
    for (invocation, variables) in given {
        let known = all.entry(Some(invocation)).or_default();
        known.extend(variables.into_iter().filter_map(|(number, versions)| {
            let place = (*places.get(&number)?).clone();
            Some(VariableValues { place, versions })
        }));
        known.sort_by(|a, b| a.place.cmp(&b.place));
    }
    all
}

/// What is known of the classes of a run.
#[derive(Default)]
pub(crate) struct Fields {
    classes: BTreeMap<String, Rc<ClassPlan>>,
    /// Class, name and descriptor of fields whose first values may not have been seen.
    incomplete: BTreeSet<(String, String, String)>,
}

impl Fields {
    pub(crate) fn add(&mut self, plan: &Rc<ClassPlan>) {
        if plan.values.is_some() {
            self.classes.insert(plan.name.clone(), Rc::clone(plan));
        }
    }

    /// Finds the fields that were not seen everywhere, once all classes are known. `left` has class, and name with descriptor, of methods
    /// that turned out not to bear their probes, although these were planned.
    pub(crate) fn complete(&mut self, left: &BTreeSet<(&str, &str)>) {
        let plans = self
            .classes
            .values()
            .filter_map(|plan| plan.values.as_ref());
        let planned = plans.flat_map(|values| &values.unseen);
        let classes = self.classes.values();
        let unseen = planned.chain(classes.flat_map(|plan| unborne(plan, left)));
        let found = unseen.filter_map(|place| match place {
            VariablePlace::Field {
                owner,
                name,
                descriptor,
            } => Some((
                self.declaring(owner, name, descriptor),
                name.clone(),
                descriptor.clone(),
            )),
            VariablePlace::Local { .. } => None,
        });
        self.incomplete = found.collect();
    }

    /// The class that declares a field, looked up from a class upwards.
    fn declaring(&self, owner: &str, name: &str, descriptor: &str) -> String {
        let mut class = owner;
        for _ in 0..=self.classes.len() {
            let Some(plan) = self.classes.get(class) else {
                break;
            };
            let mut fields = plan.values.iter().flat_map(|values| &values.fields);
            if fields.any(|f| f.0 == name && f.1 == descriptor) {
                return class.to_owned();
            }
            match &plan.super_name {
                Some(parent) => class = parent,
                None => break,
            }
        }
        owner.to_owned()
    }

    /// Notes on the fields left out, one a line.
    pub(crate) fn left(&self) -> impl Iterator<Item = String> {
        self.incomplete.iter().map(|(class, name, _)| {
            let class = naming::class(class);
            format!("{class}.{name}: its values are left out, since a method that assigns it was not probed")
        })
    }

    /// The feature of a field's version; none if it is left out.
    fn feature(&self, class: &str, name: &str, descriptor: &str) -> Option<Feature> {
        let key = (class.to_owned(), name.to_owned(), descriptor.to_owned());
        if self.incomplete.contains(&key) {
            return None;
        }
        let what = suffix(ValueKind::of(descriptor, true));
        let fields = self.classes.get(class).and_then(|p| p.values.as_ref());
        let fields = fields.map_or(&[][..], |values| &values.fields);
        // Class files may declare a name twice, with different types.
        let mut shown = format!("{}.{name}{what}", naming::class(class));
        if fields.iter().filter(|field| field.0 == name).count() > 1 {
            shown = format!("{shown} ({})", naming::field_type(descriptor));
        }
        Some(Feature {
            name: shown,
            kind: FeatureKind::Value,
            unit: "1".to_owned(),
            class: Some(class.to_owned()),
            descriptor: Some(descriptor.to_owned()),
            source_file: self.classes.get(class).and_then(|p| p.source_file.clone()),
            ..Feature::default()
        })
    }
}

/// What follows a variable's name if its length or size is taken.
fn suffix(kind: Option<ValueKind>) -> String {
    let measure = kind.and_then(ValueKind::measure);
    measure.map_or_else(String::new, |what| format!(".{what}"))
}

/// What the methods among `left` were to tell of.
fn unborne<'p>(
    plan: &'p ClassPlan,
    left: &BTreeSet<(&str, &str)>,
) -> impl Iterator<Item = &'p VariablePlace> {
    let methods = (0..).zip(&plan.methods).filter(|(_, method)| {
        let name = format!("{}{}", method.name, method.descriptor);
        left.contains(&(plan.name.as_str(), name.as_str()))
    });
    let values = plan.values.iter();
    let methods: Vec<u16> = methods.map(|(index, _)| index).collect();
    values.flat_map(move |values| {
        let assigned = methods
            .clone()
            .into_iter()
            .flat_map(|method| values.of_method(method));
        assigned.map(|a| &values.variables[a.variable.0 as usize].place)
    })
}

/// The features of a class's local variables, without the number of the version; none for fields.
pub(crate) fn locals(plan: &ClassPlan, methods: &[String]) -> Vec<Option<Feature>> {
    let Some(values) = &plan.values else {
        return Vec::new();
    };
    let features = values.variables.iter().map(|variable| {
        let VariablePlace::Local {
            method,
            name,
            slot,
            line,
        } = &variable.place
        else {
            return None;
        };
        let index = usize::from(*method);
        let method = &plan.methods[index];
        let line = line.map(u32::from);
        let shown = match (name, line) {
            (Some(name), _) => name.clone(),
            (None, Some(line)) => format!("local {slot} at line {line}"),
            (None, None) => format!("local {slot}"),
        };
        let what = suffix(Some(variable.kind));
        Some(Feature {
            name: format!("{}.{shown}{what}", methods[index]),
            kind: FeatureKind::Value,
            unit: "1".to_owned(),
            class: Some(plan.name.clone()),
            method: Some(method.name.clone()),
            descriptor: Some(method.descriptor.clone()),
            lines: line.zip(line),
            source_file: plan.source_file.clone(),
            ..Feature::default()
        })
    });
    let mut features: Vec<Option<Feature>> = features.collect();
    tell_apart(&mut features);
    features
}

/// A feature per method for the depth of its recursion.
pub(crate) fn depths(plan: &ClassPlan, methods: &[String]) -> Vec<Feature> {
    let features = plan
        .methods
        .iter()
        .zip(methods)
        .map(|(method, shown)| Feature {
            name: shown.clone(),
            kind: FeatureKind::Value,
            unit: "1".to_owned(),
            class: Some(plan.name.clone()),
            method: Some(method.name.clone()),
            descriptor: Some(method.descriptor.clone()),
            source_file: plan.source_file.clone(),
            ..Feature::default()
        });
    features.collect()
}

/// Variables of one name in one method are told apart by line, and if that does not do, by number.
fn tell_apart(features: &mut [Option<Feature>]) {
    for pass in 0..2 {
        let mut uses: BTreeMap<String, u32> = BTreeMap::new();
        for feature in features.iter().flatten() {
            *uses.entry(feature.name.clone()).or_default() += 1;
        }
        let mut seen: BTreeMap<String, u32> = BTreeMap::new();
        for feature in features.iter_mut().flatten() {
            if uses[&feature.name] < 2 {
                continue;
            }
            let number = seen.entry(feature.name.clone()).or_default();
            *number += 1;
            match (pass, feature.lines) {
                (0, Some((line, _))) => feature.name = format!("{} at line {line}", feature.name),
                (0, None) => {}
                _ => feature.name = format!("{} ({number})", feature.name),
            }
        }
    }
}

/// Cells of one row.
#[derive(Default)]
pub(crate) struct Cells {
    pub(crate) values: Vec<(FeatureId, f64)>,
    /// Versions that were not known or not finite on a thread.
    pub(crate) unusable: Vec<Numberless>,
}

/// Turns the values of one run or invocation into cells. `locals` finds a local variable's feature and what is taken of it.
pub(crate) fn cells<'f>(
    variables: &[VariableValues],
    fields: &Fields,
    locals: impl Fn(&ValuePlace) -> Option<(&'f Feature, Option<ValueKind>)>,
    builder: &mut DatasetBuilder,
) -> Cells {
    let mut cells = Cells::default();
    for variable in variables {
        let found = match &variable.place {
            ValuePlace::Field {
                class,
                name,
                descriptor,
            } => fields
                .feature(class, name, descriptor)
                .map(|feature| (feature, ValueKind::of(descriptor, true))),
            place @ (ValuePlace::Local { .. } | ValuePlace::Depth { .. }) => {
                locals(place).map(|(feature, kind)| (feature.clone(), kind))
            }
        };
        let Some((feature, kind)) = found else {
            continue;
        };
        for (number, version) in (1..).zip(&variable.versions) {
            if !version.unusable.is_none() {
                cells.unusable.push(Numberless {
                    name: format!("{}#{number}", feature.name),
                    sized: kind.is_some_and(ValueKind::is_reference),
                    threads: version.unusable,
                });
            }
            if version.threads == 0 {
                continue;
            }
            let (name, text) = match &variable.place {
                ValuePlace::Depth { .. } => (
                    format!("{} depth", feature.name),
                    "most frames of the method at once on one thread".to_owned(),
                ),
                _ => (
                    format!("{}#{number}", feature.name),
                    format!("value number {number} given to the variable"),
                ),
            };
            let id = builder.find(&name).unwrap_or_else(|| {
                builder.intern(Feature {
                    text: Some(text),
                    name,
                    ..feature.clone()
                })
            });
            cells.values.push((id, version.mean));
        }
    }
    cells
}
