//! Small programs, instrumented and run: counts, scope events, islands.

use crate::workshop::{Workshop, counters};
use pricetag_classfile::{ClassFile, opcode};
use pricetag_instrument::ScopeProbe;
use pricetag_probe_plan::{ClassPlan, MethodCounts, Node};
use std::fmt::Write;
use std::fs;

const SUBJECT: &str = include_str!("../java/Subject.java");

fn derive(plan: &ClassPlan, counters: &[u64], method: &str) -> MethodCounts {
    let method = plan
        .methods
        .iter()
        .find(|m| m.name == method)
        .expect("the method is planned");
    method
        .derive(counters, &[])
        .unwrap_or_else(|error| panic!("{}: {error}", method.name))
}

/// How often a method was called.
fn entries(plan: &ClassPlan, counters: &[u64], method: &str) -> u64 {
    let edges = &plan
        .methods
        .iter()
        .find(|m| m.name == method)
        .expect("the method is planned")
        .edges;
    let counts = derive(plan, counters, method).edges;
    edges
        .iter()
        .zip(counts)
        .filter(|(edge, _)| edge.from == Node::Entry)
        .map(|(_, count)| count)
        .sum::<Option<u64>>()
        .expect("all is counted")
}

fn check_subject(javac_options: &[&str]) {
    check_subject_of_version(javac_options, None);
}

/// Compiles, perhaps says another class-file version, instruments, runs, checks.
pub fn check_subject_of_version(javac_options: &[&str], major: Option<u16>) {
    let workshop = Workshop::new(&[("Subject", SUBJECT)], javac_options);
    if let Some(major) = major {
        let mut bytes = workshop.class("Subject");
        bytes[6..8].copy_from_slice(&major.to_be_bytes());
        fs::write(workshop.path("plain/Subject.class"), bytes).expect("writable");
    }
    let (plan, rewritten) = workshop.instrument("Subject", true, &[]);
    assert_eq!(rewritten.left, []);
    assert_eq!(rewritten.methods.len(), plan.methods.len());
    let output = workshop.run("Subject", plan.counters);
    assert_eq!(
        output.lines().next(),
        workshop.run_plain("Subject").lines().next()
    );
    let counters = counters(&output);
    let expected = [
        ("main", 1),
        ("guarded", 10),
        ("choose", 7),
        ("spin", 1),
        ("wide", 3),
        ("plain", 1),
        ("virtual", 1),
    ];
    for (method, calls) in expected {
        assert_eq!(entries(&plan, &counters, method), calls, "{method}");
    }
    for method in &plan.methods {
        let counts = method
            .derive(&counters, &[])
            .unwrap_or_else(|error| panic!("{}: {error}", method.name));
        for (block, throws) in counts
            .throws
            .iter()
            .enumerate()
            .filter_map(|(block, throws)| Some((block, throws.filter(|n| *n > 0)?)))
        {
            println!(
                "{}{} block {block}: {throws} throws",
                method.name, method.descriptor
            );
        }
    }
    // 10 constructions: 5 throw before super() returns, 2 (7, 9) after it.
    let constructors: Vec<_> = plan.methods.iter().filter(|m| m.name == "<init>").collect();
    let throws = |index: usize| {
        constructors[index]
            .derive(&counters, &[])
            .expect("balanced")
            .throws
            .iter()
            .flatten()
            .sum::<u64>()
    };
    assert_eq!((throws(0), throws(1)), (5 + 2, 2));
    // The loop of `spin` runs 100 times.
    let spin = derive(&plan, &counters, "spin");
    assert_eq!(spin.blocks.iter().max(), Some(&Some(100)));
    // Handlers of `guarded`: finally 7, NumberFormatException 5, IllegalStateException 2.
    let mut handlers = derive(&plan, &counters, "guarded").handlers;
    handlers.sort_unstable();
    assert_eq!(handlers, [2, 5, 7]);
}

#[test]
fn subject_is_counted_with_frames() {
    check_subject(&[]);
}

#[test]
fn subject_is_counted_with_debug_tables() {
    check_subject(&["-g"]);
}

fn scope(id: i32, method: &str) -> ScopeProbe {
    ScopeProbe {
        id,
        method: method.to_owned(),
        descriptor: None,
    }
}

const EVENTS: &[&str] = &[
    "enter 2 1,2.5,0.5,3,String,int[]",
    "exit 2",
    "enter 2 -1,0.0,0.0,0,Object,null",
    "exit 2 threw",
    "enter 2 1,0.0,0.0,0,null,null",
    "exit 2 threw",
    "enter 3 1",
    "exit 3",
    "enter 4 97",
    "enter 5 97",
    "exit 5",
    "exit 4",
];

fn check_scopes(workshop: &Workshop, counted: bool) {
    let mut scopes = vec![
        scope(2, "wide"),
        scope(3, "plain"),
        scope(4, "virtual"),
        scope(5, "virtual"),
    ];
    scopes.extend([scope(6, "<init>"), scope(7, "absent")]);
    let (plan, rewritten) = workshop.instrument("Subject", counted, &scopes);
    let refused: Vec<i32> = rewritten
        .refused_scopes
        .iter()
        .map(|scope| scope.0)
        .collect();
    // Both constructors are refused.
    assert_eq!(refused, [6, 6, 7], "{:?}", rewritten.refused_scopes);
    let output = workshop.run("Subject", plan.counters);
    let events: Vec<&str> = output
        .lines()
        .filter(|line| line.starts_with('e'))
        .collect();
    assert_eq!(events, EVENTS);
    if counted {
        assert_eq!(entries(&plan, &counters(&output), "wide"), 3);
    } else {
        assert!(counters(&output).iter().all(|count| *count == 0));
    }
}

#[test]
fn scopes_are_reported_with_and_without_counters() {
    let workshop = Workshop::new(&[("Subject", SUBJECT)], &[]);
    check_scopes(&workshop, true);
    check_scopes(&workshop, false);
}

/// Without this, that every other test passes the verifier would mean nothing.
#[test]
fn the_verifier_is_on() {
    let workshop = Workshop::new(&[("Subject", SUBJECT)], &[]);
    let (plan, mut rewritten) = workshop.instrument("Subject", true, &[]);
    let class = ClassFile::parse(&rewritten.bytes).expect("a class");
    let code = class
        .methods()
        .last()
        .expect("main")
        .code(class.constants());
    let max_stack = code.expect("code").expect("code").range.0 + 6;
    rewritten.bytes[max_stack..max_stack + 2].copy_from_slice(&[0, 5]);
    fs::write(workshop.path("counted/Subject.class"), &rewritten.bytes).expect("writable");
    let output = workshop
        .java("Subject", plan.counters)
        .output()
        .expect("java runs");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && messages.contains("VerifyError"),
        "{messages}"
    );
}

/// A loop over so many conditionals, all inside one `try` whose variables its handler does not know.
fn long_method(conditions: usize) -> String {
    let mut text = String::from(
        "public class Long { static int loop(int n) { int s = 0; while (n > 0) { try { int t = n;\n",
    );
    for i in 0..conditions {
        let _ = writeln!(
            text,
            "if ((t & {}) == 0) {{ s += {i}; if (s < 0) continue; }} else t ^= s;",
            1 << (i % 9)
        );
    }
    text.push_str("n -= 1 + 0 / n; if (t == 77777) return t; } catch (ArithmeticException e) { n--; } finally { s ^= 1; } }\n");
    text.push_str(
        "return s; } public static void main(String[] a) { System.out.println(loop(50)); } }",
    );
    text
}

#[test]
fn long_methods_get_islands_or_are_left() {
    let longer = long_method(1500).replace("class Long", "class Longer");
    let sources = [("Long", long_method(1080)), ("Longer", longer)];
    let workshop = Workshop::new(
        &sources
            .each_ref()
            .map(|(name, text)| (*name, text.as_str())),
        &[],
    );
    far_branches_go_through_islands(&workshop);
    a_method_that_grows_too_long_is_left(&workshop);
}

fn far_branches_go_through_islands(workshop: &Workshop) {
    let (plan, rewritten) = workshop.instrument("Long", true, &[]);
    assert_eq!(rewritten.left, []);
    let method = rewritten
        .methods
        .iter()
        .find(|m| plan.methods[usize::from(m.index)].name == "loop")
        .expect("changed");
    let class = ClassFile::parse(&rewritten.bytes).expect("a class");
    let code = class.methods()[usize::from(method.index)].code(class.constants());
    let instructions = code
        .expect("code")
        .expect("code")
        .instructions()
        .expect("instructions");
    let originals = |pc: u16| {
        method
            .pcs
            .binary_search_by_key(&u32::from(pc), |entry| entry.0)
            .is_ok()
    };
    let islands = instructions
        .iter()
        .filter(|i| i.opcode == opcode::GOTO_W && !originals(i.pc))
        .count();
    assert!(
        islands > 2,
        "only {islands} far jumps in {} instructions",
        instructions.len()
    );
    let output = workshop.run("Long", plan.counters);
    assert_eq!(
        output.lines().next(),
        workshop.run_plain("Long").lines().next()
    );
    let counts = derive(&plan, &counters(&output), "loop");
    assert_eq!(counts.throws.iter().flatten().sum::<u64>(), 0);
    assert_eq!(entries(&plan, &counters(&output), "loop"), 1);
}

fn a_method_that_grows_too_long_is_left(workshop: &Workshop) {
    let (plan, rewritten) = workshop.instrument("Longer", true, &[]);
    let planned_out = plan
        .methods
        .iter()
        .any(|m| matches!(m.outcome, pricetag_probe_plan::MethodOutcome::Left(_)));
    assert!(planned_out || rewritten.left.len() == 1);
    let output = workshop.run("Longer", plan.counters);
    assert_eq!(
        output.lines().next(),
        workshop.run_plain("Longer").lines().next()
    );
}
