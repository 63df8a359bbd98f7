//! Sizes of collections where the JDK that answers is counted itself: what the agent asks is not among its counts, nor among its values.

mod support;

use std::collections::BTreeMap;

use pricetag_trace::{AgentOptions, Mode, Record, Trace, ValuePlace};
use support::{Subject, counted_classes};

const LISTS: &str = r"
import java.util.*;
import java.util.concurrent.*;
public class Lists {
    static Collection<Integer> kept;
    static int serve(Collection<Integer> given) {
        kept = given;
        Map<Integer, Integer> map = new ConcurrentHashMap<>();
        for (int i : given) map.put(i, i);
        map = new ConcurrentHashMap<>(map);
        kept = new HashSet<>(given);
        return kept.size();
    }
    public static void main(String[] args) {
        int all = 0;
        for (int n = 0; n < 4; n++) all += serve(new ArrayList<>(Collections.nCopies(n, 7)));
        System.out.println(all);
    }
}
";

/// Invocations by class and method, of the methods that are in balance.
fn calls(options: &AgentOptions, trace: &Trace) -> BTreeMap<String, u64> {
    let plans = options.plans.as_deref().expect("plans");
    let mut calls = BTreeMap::new();
    for (plan, values) in counted_classes(trace, plans) {
        for method in &plan.methods {
            if let Ok(counts) = method.derive(&values, &[]) {
                let name = format!("{}.{}{}", plan.name, method.name, method.descriptor);
                calls.insert(name, method.invocations(&counts).expect("known"));
            }
        }
    }
    calls
}

/// The first values of the fields of `Lists`.
fn kept(trace: &Trace) -> Vec<f64> {
    let mut means = Vec::new();
    for record in &trace.records {
        let Record::Values(values) = record else {
            continue;
        };
        for variable in &values.variables {
            if matches!(&variable.place, ValuePlace::Field { class, .. } if class == "Lists") {
                means.extend(variable.versions.iter().map(|version| version.mean));
            }
        }
    }
    means
}

#[test]
fn the_jdk_is_counted_as_if_nobody_had_asked_it() {
    let subject = Subject::new("Lists.java", LISTS);
    let run = |lengths: bool| {
        let mut options = subject.options(Mode::Count);
        options.count_jdk = true;
        options.include = [
            "Lists",
            "java.util.*",
            "java.util.concurrent.ConcurrentHashMap",
        ]
        .map(|pattern| pattern.parse().expect("a pattern"))
        .to_vec();
        options.values = 5;
        options.lengths = lengths;
        let (outcome, trace) = subject.trace(&options, &["Lists"]);
        assert_eq!(outcome.output, "3\n");
        (calls(&options, &trace), kept(&trace))
    };
    let (plain, none) = run(false);
    let (asked, sizes) = run(true);
    assert_eq!(none, []);
    assert_eq!(sizes, [0.0, 0.0, 1.0, 1.0, 2.0]);
    let of_maps = "java/util/concurrent/ConcurrentHashMap.size()I";
    for size in [
        "java/util/HashSet.size()I",
        "java/util/ArrayList.size()I",
        of_maps,
    ] {
        assert_eq!(asked.get(size), plain.get(size), "{size}");
    }
    assert_eq!(plain["java/util/HashSet.size()I"], 4);
    assert_eq!(plain["Lists.serve(Ljava/util/Collection;)I"], 4);
}
