//! Derived counts against the single-stepping oracle, per instruction, on a few programs of this crate's own.
//!
//! The large suite is `pricetag-testkit`'s; these are the cases an agent gets wrong first.

mod support;

use std::collections::BTreeMap;

use pricetag_testkit::Counts;
use pricetag_trace::Mode;
use support::{Subject, counted_classes, execute};

/// Name of the case, and the body of `main` with the members before it.
const CASES: [(&str, &str, &str); 12] = [
    (
        "exception in the middle of a block",
        "static int f(int[] a, int i) { int x = 1; x += a[i]; x *= 3; return x; }",
        "for (int i = 0; i < 5; i++) try { f(new int[3], i); } catch (ArrayIndexOutOfBoundsException e) { sum++; }",
    ),
    (
        "constructors that throw before and in super",
        "static int check(int n) { if (n % 2 == 0) throw new IllegalStateException(); return n; }
         static class A { int a; A(int n) { a = check(n / 2); } }
         static class B extends A { int b = 4; B(int n) { super(check(n) + 1); b++; } }",
        "for (int i = 0; i < 8; i++) try { sum += new B(i).b; } catch (IllegalStateException e) { sum--; }",
    ),
    (
        "nested try and finally",
        "static int f(int n) { try { try { if (n == 1) throw new RuntimeException(); if (n == 2) return 5; } finally { sum++; } }
         catch (RuntimeException e) { if (n > 0) return -1; } finally { sum += 10; } return 0; }",
        "for (int i = 0; i < 4; i++) sum += f(i);",
    ),
    (
        "threads in one method",
        "static int f(int n) { int s = 0; for (int i = 0; i < n; i++) if (i % 3 == 0) s++; return s; }",
        "Thread[] t = new Thread[4]; for (int i = 0; i < 4; i++) { t[i] = new Thread(() -> { for (int k = 0; k < 50; k++) f(k); }); t[i].start(); }
         for (Thread x : t) x.join();",
    ),
    (
        "a daemon that sleeps at the end",
        "static void nap() { sum++; try { Thread.sleep(60_000); } catch (InterruptedException e) { sum--; } sum += 5; }",
        "java.util.concurrent.CountDownLatch l = new java.util.concurrent.CountDownLatch(1);
         Thread d = new Thread(() -> { l.countDown(); nap(); }); d.setDaemon(true); d.start(); l.await();
         d.join(1000);",
    ),
    ("exit deep in the stack", "static int f(int n) { int s = n; if (n == 0) System.exit(6); s += f(n - 1); return s; }", "f(20);"),
    ("halt", "static int f(int n) { if (n == 0) Runtime.getRuntime().halt(5); return 1 + f(n - 1); }", "f(10);"),
    ("recursion", "static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }", "ack(2, 3);"),
    (
        "lambdas and streams",
        "static int twice(int n) { return n * 2; } static java.util.function.IntUnaryOperator twiced = n -> twice(n);",
        "sum += java.util.stream.IntStream.range(0, 20).filter(i -> i % 3 == 1).map(Case.twiced).sum();
         java.util.List.of(3, 1, 2).forEach(i -> sum += i); for (int i = 0; i < 3; i++) { int k = i; Runnable r = () -> sum += k; r.run(); }",
    ),
    (
        "synchronized",
        "static synchronized int f(int n) { if (n == 3) throw new RuntimeException(); return n; }
         static int g(Object o, int n) { synchronized (o) { if (n == 2) return 1; sum += 10 / (n - 1); } return 0; }",
        "for (int i = 0; i < 5; i++) try { f(i); g(i == 4 ? null : Case.class, i); } catch (RuntimeException e) { sum++; }",
    ),
    (
        "a static initialiser that fails",
        "static class Bad { static int x = 1; static { for (int i = 0; i < 3; i++) x += i; if (x > 0) throw new RuntimeException(); } static int f() { return x; } }",
        "for (int i = 0; i < 3; i++) try { sum += Bad.f(); } catch (Throwable e) { sum++; }",
    ),
    (
        "an uncaught exception",
        "static void f(int n) { if (n == 0) throw new IllegalStateException(\"end\"); f(n - 1); }",
        "f(5);",
    ),
];

/// Counts that are not zero, by method and pc.
fn flat(counts: &Counts) -> BTreeMap<(String, u16), u64> {
    let methods = counts
        .methods
        .iter()
        .filter(|(method, _)| !method.class.contains("$$Lambda"));
    let all = methods.flat_map(|(method, pcs)| {
        pcs.iter()
            .map(move |(&pc, &count)| ((method.to_string(), pc), count))
    });
    all.filter(|(_, count)| *count > 0).collect()
}

/// How often a method was entered.
fn entered(counts: &Counts, class: &str, name: &str, descriptor: &str) -> u64 {
    let key = pricetag_testkit::MethodKey {
        class: class.into(),
        name: name.into(),
        descriptor: descriptor.into(),
    };
    let pcs = counts.methods.get(&key);
    pcs.and_then(|pcs| pcs.get(&0)).copied().unwrap_or(0)
}

#[test]
fn counts_equal_steps() {
    // All in one compilation: starting the compiler is what takes longest.
    let class = |(number, (_, members, body)): (usize, &(&str, &str, &str))| {
        let main = format!("public static void main(String[] args) throws Exception {{ {body} }}");
        format!("class Case{number} {{ static int sum; {members}\n{main} }}\n")
            .replace("Case.", &format!("Case{number}."))
    };
    let subject = Subject::new(
        "Cases.java",
        &CASES.iter().enumerate().map(class).collect::<String>(),
    );
    for (number, (name, ..)) in CASES.into_iter().enumerate() {
        let main = format!("Case{number}");
        let plain = execute(subject.java(&[&main]));
        let (count, step) = (subject.options(Mode::Count), subject.options(Mode::Step));
        let (counted_run, trace) = subject.trace(&count, &[&main]);
        let stepped_run = execute(subject.observed(&step, &[&main]));
        assert_eq!(counted_run, plain, "{name}");
        assert_eq!(stepped_run, plain, "{name}");
        let counted = Counts::from_trace(&count.trace, &subject.path("plans")).expect(name);
        let stepped = Counts::from_steps(&step.trace).expect(name);
        assert!(
            counted.imbalances.is_empty() && counted.inexact.is_empty(),
            "{name}: {counted:?}\n{trace}"
        );
        assert_eq!(flat(&counted), flat(&stepped), "{name}");
        assert!(!flat(&counted).is_empty(), "{name}");
    }
}

#[test]
fn classes_of_the_jdk_are_counted_when_asked() {
    let source = "import java.util.*; public class Jdk { public static void main(String[] a) {
        Map<String, Integer> map = new TreeMap<>(); for (int i = 0; i < 50; i++) map.put(\"k\" + i, i); System.out.println(map.size()); } }";
    let subject = Subject::new("Jdk.java", source);
    let mut options = subject.options(Mode::Count);
    options.count_jdk = true;
    options.include = ["Jdk", "java.util.TreeMap"]
        .map(|pattern| pattern.parse().expect("a pattern"))
        .to_vec();
    let (outcome, _) = subject.trace(&options, &["Jdk"]);
    assert_eq!(
        (outcome.output.as_str(), outcome.error.as_str()),
        ("50\n", "")
    );
    let counts = Counts::from_trace(&options.trace, &subject.path("plans")).expect("counts");
    let put = entered(
        &counts,
        "java/util/TreeMap",
        "put",
        "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;",
    );
    assert!(
        put == 50 && entered(&counts, "Jdk", "main", "([Ljava/lang/String;)V") == 1,
        "{counts:?}"
    );
}

#[test]
fn threads_that_end_beside_the_end_are_counted_once() {
    let source = "import java.util.concurrent.CountDownLatch; public class Ends {
        static volatile int sink; static void once(int n) { sink = n; }
        public static void main(String[] a) throws Exception {
            CountDownLatch go = new CountDownLatch(1), done = new CountDownLatch(60);
            for (int i = 0; i < 60; i++) {
                Thread t = new Thread(() -> { try { go.await(); } catch (InterruptedException e) { } once(1); done.countDown(); });
                t.setDaemon(true); t.start();
            }
            go.countDown(); done.await();
        } }";
    let subject = Subject::new("Ends.java", source);
    for _ in 0..4 {
        let options = subject.options(Mode::Count);
        let (outcome, trace) = subject.trace(&options, &["Ends"]);
        assert_eq!((outcome.status, outcome.error.as_str()), (Some(0), ""));
        let counts = Counts::from_trace(&options.trace, &subject.path("plans")).expect("counts");
        assert_eq!(entered(&counts, "Ends", "once", "(I)V"), 60, "{trace}");
    }
}

const APART: &str = r#"
public class Apart {
    public static void main(String[] args) throws Exception {
        java.lang.reflect.Field field = Thread.class.getDeclaredField("$pricetag");
        field.setAccessible(true);
        for (long[] chunk : (long[][]) field.get(Thread.currentThread())) if (chunk != null) System.out.println(chunk.length);
    }
}
"#;

/// Collectors that copy put the chunks of two threads side by side.
#[test]
fn a_cache_line_lies_behind_the_counters_of_a_thread() {
    const COUNTERS_OF_A_LINE: usize = 64 / size_of::<u64>();
    let subject = Subject::new("Apart.java", APART);
    let opened = ["--add-opens", "java.base/java.lang=ALL-UNNAMED", "Apart"];
    let (outcome, trace) = subject.trace(&subject.options(Mode::Count), &opened);
    let classes = counted_classes(&trace, &subject.path("plans"));
    let [(plan, _)] = &classes[..] else {
        panic!("one class: {outcome:?}");
    };
    let length: usize = outcome.output.trim().parse().expect("one chunk");
    assert!(
        length >= plan.counters as usize + COUNTERS_OF_A_LINE,
        "{length}"
    );
}
