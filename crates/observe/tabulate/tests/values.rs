//! Values of variables: which become cells, under which names, and how two runs are compared.

use std::collections::BTreeMap;

use pricetag_dataset::{DatasetBuilder, Feature, FeatureKind};
use pricetag_probe_plan::{
    AssignmentPlan, ClassHash, ClassPlan, MethodPlan, PLAN_VERSION, Pc, PlanStore, ValueKind,
    ValuesPlan, VariableIndex, VariablePlace, VariablePlan,
};
use pricetag_tabulate::{TabulateOptions, Tabulated, Tabulator, compare};
use pricetag_trace::{
    ClassLoaded, Left, Record, Trace, Unusable, ValuePlace, Values, VariableValues, VersionValue,
};

const HASH: ClassHash = ClassHash(0xa);
const CLASS: &str = "p/C";

fn method(name: &str) -> MethodPlan {
    MethodPlan {
        name: name.to_owned(),
        descriptor: "()V".to_owned(),
        access: 1,
        code_bytes: 10,
        blocks: vec![],
        edges: vec![],
        throw_points: vec![],
        handlers: vec![],
        loops: vec![],
        ..MethodPlan::default()
    }
}

/// `f` assigns the first of the fields, `g` all of them.
fn class(fields: &[(&str, &str)]) -> ClassPlan {
    let variables = fields.iter().map(|(name, descriptor)| VariablePlan {
        place: VariablePlace::Field {
            owner: CLASS.to_owned(),
            name: (*name).to_owned(),
            descriptor: (*descriptor).to_owned(),
        },
        kind: ValueKind::of(descriptor, true).unwrap(),
    });
    let assignment = |method, variable| AssignmentPlan {
        method,
        pc: Pc(variable as u16),
        variable: VariableIndex(variable),
    };
    let all = 0..fields.len() as u32;
    let owned = |(name, descriptor): &(&str, &str)| ((*name).to_owned(), (*descriptor).to_owned());
    ClassPlan {
        version: PLAN_VERSION,
        hash: HASH,
        name: CLASS.to_owned(),
        super_name: Some("java/lang/Object".to_owned()),
        interfaces: vec![],
        source_file: None,
        access: 1,
        major: 65,
        bytes: 100,
        counters: 0,
        methods: vec![method("f"), method("g")],
        values: Some(ValuesPlan {
            variables: variables.collect(),
            assignments: [assignment(0, 0)]
                .into_iter()
                .chain(all.map(|variable| assignment(1, variable)))
                .collect(),
            fields: fields.iter().map(owned).collect(),
            ..ValuesPlan::default()
        }),
        transitions: None,
        strides: None,
    }
}

/// The row of a run that gave field number `n` the value `n`, and its cells by name.
fn row(fields: &[(&str, &str)], more: Vec<Record>) -> (Tabulated, BTreeMap<String, f64>) {
    let dir = tempfile::tempdir().unwrap();
    let store = PlanStore::open(dir.path()).unwrap();
    store.store(&class(fields)).unwrap();
    let variables = (0..).zip(fields).map(|(n, (name, descriptor))| {
        let place = ValuePlace::Field {
            class: CLASS.to_owned(),
            name: (*name).to_owned(),
            descriptor: (*descriptor).to_owned(),
        };
        let version = VersionValue {
            mean: f64::from(n),
            threads: 1,
            unusable: Unusable::default(),
        };
        VariableValues {
            place,
            versions: vec![version],
        }
    });
    let mut records = vec![
        Record::Class(ClassLoaded {
            hash: HASH,
            name: CLASS.to_owned(),
            loaders: 1,
        }),
        Record::Values(Values {
            invocation: None,
            variables: variables.collect(),
        }),
    ];
    records.extend(more);
    records.push(Record::End);
    let trace = Trace {
        records,
        complete: true,
        damage: None,
    };
    let mut builder = DatasetBuilder::default();
    let mut tabulator = Tabulator::new(store, TabulateOptions::default());
    let row = tabulator.process(&trace, &mut builder).unwrap();
    let features = builder.features();
    let cells = row
        .counts
        .iter()
        .map(|(id, value)| (&features[id.0 as usize], *value));
    let values = cells.filter(|(feature, _)| feature.kind == FeatureKind::Value);
    let values = values
        .map(|(feature, value)| (feature.name.clone(), value))
        .collect();
    (row, values)
}

fn cells(all: &[(&str, f64)]) -> BTreeMap<String, f64> {
    all.iter()
        .map(|(name, value)| ((*name).to_owned(), *value))
        .collect()
}

#[test]
fn fields_of_one_name_are_told_apart_by_type() {
    let (_, values) = row(&[("x", "I"), ("x", "J"), ("y", "D")], vec![]);
    let expected = cells(&[
        ("p.C.x (int)#1", 0.0),
        ("p.C.x (long)#1", 1.0),
        ("p.C.y#1", 2.0),
    ]);
    assert_eq!(values, expected);
}

#[test]
fn a_field_is_left_out_if_a_method_that_assigns_it_bears_no_probes() {
    let fields = [("x", "I"), ("y", "I")];
    let (whole, values) = row(&fields, vec![]);
    assert_eq!(values, cells(&[("p.C.x#1", 0.0), ("p.C.y#1", 1.0)]));
    assert_eq!(whole.left, [""; 0]);
    let left = Record::Left(Left {
        class: CLASS.to_owned(),
        method: Some("f()V".to_owned()),
        reason: "too large".to_owned(),
    });
    let (partial, values) = row(&fields, vec![left]);
    assert_eq!(values, cells(&[("p.C.y#1", 1.0)]));
    assert!(partial.left[1].starts_with("p.C.x: "), "{:?}", partial.left);
    assert_eq!(partial.left.len(), 2);
}

/// Of six values without a number five are named, each with its reason; a double has no size, whatever it is called.
#[test]
fn values_without_a_number_are_named() {
    let place = |name: &str, descriptor: &str| ValuePlace::Field {
        class: CLASS.to_owned(),
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
    };
    let version = |nan, infinite, minus_infinite| VersionValue {
        mean: 0.0,
        threads: 0,
        unusable: Unusable {
            nan,
            infinite,
            minus_infinite,
        },
    };
    let of = |places: Vec<(ValuePlace, Vec<VersionValue>)>| {
        let variables = places
            .into_iter()
            .map(|(place, versions)| VariableValues { place, versions });
        let record = Record::Values(Values {
            invocation: None,
            variables: variables.collect(),
        });
        let (found, values) = row(&[("n", "I")], vec![record]);
        assert_eq!(values, cells(&[("p.C.n#1", 0.0)]));
        found.caveats
    };
    let (ratio, list) = (place("size", "D"), place("list", "Ljava/util/List;"));
    let one = of(vec![(ratio.clone(), vec![version(2, 1, 0)])]);
    assert_eq!(
        one,
        [
            "1 value is missing, as far as no other thread has a finite one: `p.C.size#1` (not a number on 2 threads, infinite on 1 thread)"
        ]
    );
    let six = of(vec![
        (
            ratio,
            vec![
                version(0, 1, 0),
                version(1, 0, 0),
                version(1, 0, 0),
                version(0, 0, 1),
            ],
        ),
        (list, vec![version(1, 0, 0); 2]),
    ]);
    assert_eq!(six.len(), 1, "{six:?}");
    assert!(six[0].starts_with("6 values are missing"), "{six:?}");
    assert!(
        six[0].ends_with(
            "`p.C.size#1` (infinite), `p.C.size#2` (not a number), `p.C.size#3` (not a number), `p.C.size#4` (negative infinite), `p.C.list.size#1` (a size that only the program's own code could tell) and 1 more"
        ),
        "{six:?}"
    );
}

#[test]
fn a_missing_value_differs_from_zero() {
    let mut builder = DatasetBuilder::default();
    let [value, count] = [
        ("p.C.x#1", FeatureKind::Value),
        ("block", FeatureKind::Block),
    ]
    .map(|(name, kind)| {
        builder.intern(Feature {
            name: name.to_owned(),
            kind,
            ..Feature::default()
        })
    });
    let run = |counts| Tabulated {
        counts,
        ..Tabulated::default()
    };
    let zeros = run(vec![(value, 0.0), (count, 0.0)]);
    let difference = compare(&zeros, &run(vec![]), &builder);
    assert_eq!(difference.features, [value]);
    let caveat = difference.caveat.unwrap();
    assert!(caveat.ends_with("`p.C.x#1` (0 and missing)"), "{caveat}");
    assert_eq!(compare(&zeros, &zeros, &builder).features, []);
}
