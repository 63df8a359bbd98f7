//! Counted methods are compiled where the plain ones are: by either compiler, with whatever probes.

mod support;

use std::collections::BTreeSet;

use pricetag_trace::{AgentOptions, Mode, Pattern, Scope};
use support::{Subject, execute};

/// Monitors in every shape that javac makes: HotSpot compiles no method that it finds to hold one where something might throw past it.
const MONITORS: &str = r#"
public class Monitors {
    static final Object A = new Object(), B = new Object();
    static int[] n = new int[4];
    static int block(int i) { synchronized (A) { if (i % 3 == 0) n[0] += i; else n[1] -= 1; } return n[0]; }
    static int returns(int i) { synchronized (A) { if (i % 5 == 0) return n[0]; n[0] += i; return i; } }
    static void loops(int i) { for (int k = 0; k < i % 4; k++) synchronized (A) { n[k]++; } }
    static void loopBehindEnter(int i) { synchronized (A) { while (i-- % 4 != 0) { n[1]++; if (n[1] == 77) continue; n[2]--; } } }
    static void loopBehindExit(int i) { while (true) { synchronized (A) { n[3]++; } if (i-- % 3 == 0) break; } }
    static void waits(int i) throws InterruptedException { synchronized (A) { if (i < 0) A.wait(1); A.notifyAll(); } }
    static synchronized void whole(int i) { if (i % 2 == 0) n[0]++; }
    static void nested(int i) { synchronized (A) { synchronized (B) { if (i % 7 == 0) n[0]++; } n[1]++; } }
    static void last(int i) { synchronized (A) { try { if (i % 7 == 0) n[0]++; else n[1] /= i % 2; } finally { n[2]++; } } }
    static int caught(int i) {
        synchronized (A) {
            try { return 10 / (i % 3); }
            catch (ArithmeticException e) { n[3]++; if (i % 2 == 0) throw new IllegalStateException(e); }
        }
        return n[3];
    }
    static int switches(int i) {
        synchronized (A) { switch (i % 5) { case 0: return 1; case 1: n[0]++; case 2: n[1]++; break; case 3: throw new IllegalStateException(); default: } }
        return 0;
    }
    static long deep(int i) { synchronized (A) { return i == 0 ? 0 : 1 + deep(i - 1); } }
    Monitors(int i) { this(String.valueOf(i)); synchronized (this) { if (i > 3) n[0]++; } }
    Monitors(String s) { synchronized (s) { n[1] += s.length(); } }
    public static void main(String[] arguments) throws Exception {
        long sum = 0;
        for (int i = 0; i < 60; i++) {
            sum += block(i) + returns(i) + deep(i % 4);
            loops(i); loopBehindEnter(i); loopBehindExit(i); waits(i); whole(i); nested(i); new Monitors(i);
            try { last(i); } catch (ArithmeticException e) { sum++; }
            try { sum += caught(i) + switches(i); } catch (IllegalStateException e) { sum += 2; }
        }
        System.out.println("sum " + (sum + n[0] + n[1] + n[2] + n[3]));
    }
}
"#;

/// What was compiled and what was given up, by name; and what the program printed.
fn compilations(output: &str) -> (BTreeSet<&str>, BTreeSet<&str>, Vec<&str>) {
    let (mut compiled, mut skipped, mut printed) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for line in output.lines() {
        match line
            .split_whitespace()
            .find(|word| word.starts_with("Monitors::"))
        {
            Some(method) if line.contains("COMPILE SKIPPED") => skipped.insert(method),
            Some(method) => compiled.insert(method),
            None => {
                printed.extend(line.starts_with("sum ").then_some(line));
                false
            }
        };
    }
    (compiled, skipped, printed)
}

#[test]
fn methods_with_monitors_are_compiled_however_they_are_probed() {
    let subject = Subject::new("Monitors.java", MONITORS);
    let counting = || AgentOptions {
        include: vec!["Monitors".parse::<Pattern>().expect("a pattern")],
        ..subject.options(Mode::Count)
    };
    let everything = || AgentOptions {
        values: 5,
        lengths: true,
        depths: true,
        transitions: true,
        strides: true,
        caught: true,
        callers: true,
        invocations: true,
        scopes: vec!["Monitors#caught".parse::<Scope>().expect("a scope")],
        ..counting()
    };
    for compiler in ["-XX:TieredStopAtLevel=1", "-XX:-TieredCompilation"] {
        let arguments = [
            "-Xcomp",
            compiler,
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=compileonly,Monitors::*",
            "-XX:CompileCommand=dontinline,Monitors::*",
            "-XX:+PrintCompilation",
            "Monitors",
        ];
        let plain = execute(subject.java(&arguments));
        let (methods, skipped, sum) = compilations(&plain.output);
        assert!(methods.len() >= 14 && skipped.is_empty(), "{plain:?}");
        assert_eq!(sum.len(), 1, "{plain:?}");
        for options in [counting(), everything()] {
            let counted = execute(subject.observed(&options, &arguments));
            let found = compilations(&counted.output);
            assert_eq!(
                found,
                (methods.clone(), skipped.clone(), sum.clone()),
                "{options:?}: {}",
                counted.output
            );
        }
    }
}
