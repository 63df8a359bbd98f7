//! The subject must not notice the agent, whatever either of them does.

mod support;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use pricetag_trace::{AgentOptions, Mode, Record, Start, TRACE_VERSION, Trace, TraceWriter};
use support::{Subject, execute};

const LOUD: &str = r#"
public class Loud {
    static int deep(int n) { if (n == 0) System.exit(7); return deep(n - 1) + 1; }
    public static void main(String[] args) throws Exception {
        System.out.println("out " + args[0]);
        System.err.println("err " + args[0]);
        switch (args[0]) {
            case "exit": deep(30); break;
            case "halt": Runtime.getRuntime().halt(9); break;
            case "throw": throw new RuntimeException("uncaught");
            case "hook": Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook"))); break;
            case "garbage": {
                try {
                    new ClassLoader() { Class<?> d(byte[] b) { return defineClass(null, b, 0, b.length); } }.d(new byte[] {1, 2, 3});
                } catch (ClassFormatError e) { System.out.println("refused"); }
                break;
            }
            case "strict": {
                ClassLoader own = new ClassLoader(null) {
                    @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                        if (name.equals("java.lang.Object")) return Object.class;
                        if (!name.equals("Plain")) throw new ClassNotFoundException(name);
                        try (java.io.InputStream in = Loud.class.getResourceAsStream("Plain.class")) {
                            byte[] b = in.readAllBytes();
                            return defineClass(name, b, 0, b.length);
                        } catch (java.io.IOException e) { throw new ClassNotFoundException(name); }
                    }
                };
                java.lang.reflect.Method answer = own.loadClass("Plain").getMethod("answer");
                answer.setAccessible(true);
                System.out.println(answer.invoke(null));
                break;
            }
            case "child": {
                String java = ProcessHandle.current().info().command().get();
                System.exit(new ProcessBuilder(java, args[1], "-cp", args[2], "Loud", "none").inheritIO().start().waitFor());
                break;
            }
            case "wait": System.out.flush(); Thread.sleep(60_000);
        }
    }
}
class Plain { public Plain() { } public static int answer() { int s = 0; for (int i = 0; i < 9; i++) s += i; return s; } }
"#;

#[test]
fn status_and_output_are_unchanged() {
    let subject = Subject::new("Loud.java", LOUD);
    for what in ["exit", "halt", "throw", "hook", "garbage", "strict"] {
        let plain = execute(subject.java(&["Loud", what]));
        for mode in [Mode::Count, Mode::Time, Mode::Step] {
            let observed = execute(subject.observed(&subject.options(mode), &["Loud", what]));
            assert_eq!(observed, plain, "{what} in mode {mode}");
        }
    }
}

#[test]
fn a_loader_that_does_not_find_the_helper_gets_its_classes_unchanged() {
    let subject = Subject::new("Loud.java", LOUD);
    let (outcome, trace) = subject.trace(&subject.options(Mode::Count), &["Loud", "strict"]);
    assert!(outcome.output.ends_with("36\n"), "{outcome:?}");
    let text = trace.to_string();
    assert!(
        text.contains("left Plain: its class loader does not find java.lang.Pricetag"),
        "{text}"
    );
}

#[test]
fn a_class_file_of_garbage_is_listed() {
    let subject = Subject::new("Loud.java", LOUD);
    let (_, trace) = subject.trace(&subject.options(Mode::Count), &["Loud", "garbage"]);
    assert!(
        trace
            .records
            .iter()
            .any(|record| matches!(record, Record::Left(_))),
        "{trace}"
    );
}

#[test]
fn misuse_is_one_line_and_the_subject_runs() {
    let subject = Subject::new("Loud.java", LOUD);
    let said = |file: &Path| {
        let outcome = execute(subject.with_file(file, &["Loud", "none"]));
        assert_eq!(
            (outcome.status, outcome.output.as_str()),
            (Some(0), "out none\n"),
            "{outcome:?}"
        );
        let lines: Vec<String> = outcome.error.lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 2, "{outcome:?}");
        assert!(
            lines[0].starts_with("pricetag: ")
                && lines[0].ends_with("; the program runs unobserved"),
            "{lines:?}"
        );
        lines[0].clone()
    };
    assert!(said(&subject.path("missing")).contains("cannot read agent options"));
    std::fs::write(subject.path("wrong"), "mode=fly\n").expect("written");
    assert!(said(&subject.path("wrong")).contains("line 1: mode"));
    let options = AgentOptions {
        plans: Some(subject.path("plans")),
        ..AgentOptions::new(Mode::Time, "/nowhere/a.trace")
    };
    options.write(&subject.path("unwritable")).expect("written");
    assert!(said(&subject.path("unwritable")).contains("cannot create trace /nowhere/a.trace"));
}

#[test]
fn a_killed_subject_leaves_a_readable_trace() {
    let subject = Subject::new("Loud.java", LOUD);
    let options = subject.options(Mode::Time);
    let mut command = subject.observed(&options, &["Loud", "wait"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("java starts");
    let mut line = [0; 9];
    std::io::Read::read_exact(child.stdout.as_mut().expect("a pipe"), &mut line)
        .expect("the subject speaks");
    std::thread::sleep(Duration::from_millis(20));
    child.kill().expect("killed");
    child.wait().expect("ended");
    let trace = Trace::read(&options.trace).expect("a trace");
    assert!(!trace.complete && trace.damage.is_none(), "{trace}");
    assert!(
        matches!(trace.records.first(), Some(Record::Start(start)) if start.pid == child.id()),
        "{trace}"
    );
}

#[test]
fn a_child_with_the_same_arguments_is_left_alone() {
    let subject = Subject::new("Loud.java", LOUD);
    let options = subject.options(Mode::Time);
    options.write(&subject.path("options")).expect("written");
    let agent = format!(
        "-agentpath:{}={}",
        support::agent().display(),
        subject.path("options").display()
    );
    let classes = subject.path("classes").display().to_string();
    let (outcome, _) = subject.trace(&options, &["Loud", "child", &agent, &classes]);
    assert_eq!(outcome.status, Some(0));
    assert_eq!(
        (outcome.output.as_str(), outcome.error.as_str()),
        ("out child\nout none\n", "err child\nerr none\n")
    );
}

#[test]
fn a_process_with_the_id_of_an_earlier_one_is_recorded() {
    let subject = Subject::new("Loud.java", LOUD);
    let options = subject.options(Mode::Time);
    let java = subject.observed(&options, &["Loud", "none"]);
    // The shell becomes the JVM once there is a trace with its id.
    let mut shell = Command::new("sh")
        .args(["-c", "read go && exec \"$0\" \"$@\""])
        .arg(java.get_program())
        .args(java.get_args())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell");
    let start = Start {
        version: TRACE_VERSION,
        pid: shell.id(),
        properties: Vec::new(),
        options: options.to_text(),
    };
    let mut stale = TraceWriter::create(&options.trace).expect("created");
    stale.write(&Record::Start(start)).expect("written");
    stale.finish().expect("closed");
    let mut go = shell.stdin.take().expect("a pipe");
    writeln!(go, "go").expect("the shell listens");
    assert!(shell.wait().expect("ended").success());
    let trace = Trace::read(&options.trace).expect("a trace");
    assert!(trace.complete, "{trace}");
}
