//! Programs count offline what they count under the agent, instruction by instruction.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use pricetag_archive::{Options, Program as Archived, instrument};
use pricetag_testkit::jvm::java_tool;
use pricetag_testkit::{
    Agent, Compiler, Counts, Launch, Machine, Program, Suite, Testbed, classes,
};
use pricetag_trace::{AgentOptions, Mode, Pattern};
use support::{archive, counts_at, derived, entries};

/// Programs of the conformance suite that run the same every time, frames left open at the end included.
const PROGRAMS: [&str; 22] = [
    "AbruptInvoke",
    "BigMethod",
    "ConstructorThrows",
    "CyclicInit",
    "ExitDeep",
    "ExitInClinit",
    "FinallyNested",
    "ForkJoin",
    "HugeMethod",
    "IntegerEdges",
    "Lambdas",
    "LoopThrows",
    "Loops",
    "NoLoss",
    "Rethrow",
    "ShutdownHook",
    "SwitchForms",
    "SynchronizedMethods",
    "ThreadPools",
    "ThreadsOneMethod",
    "TryWithResources",
    "UncaughtThread",
];

/// Counts of a program's own classes that are not zero.
fn own(counts: &Counts, program: &Program) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for (method, instructions) in &counts.methods {
        if !classes::belongs(&method.class, &program.name) {
            continue;
        }
        for (pc, count) in instructions.iter().filter(|(_, count)| **count > 0) {
            let name = format!("{}.{}{} {pc}", method.class, method.name, method.descriptor);
            all.insert(name, *count);
        }
    }
    all
}

/// Runs a program from an instrumented archive.
fn offline(agent: &Agent, launch: &Launch<'_>, instrumented: &[u8], scratch: &Path) -> Counts {
    let (jar, counts) = (scratch.join("out.jar"), scratch.join("counts"));
    fs::write(&jar, instrumented).unwrap();
    let mut launch = Launch::new(launch.program, launch.machine, jar.as_os_str());
    launch.after = vec![format!("-Dpricetag.counts={}", counts.display()).into()];
    let outcome = agent.plain(&launch).expect("it runs");
    let program = launch.program;
    assert_eq!(
        outcome.status,
        Some(program.exit),
        "{}: {}",
        program.name,
        outcome.error
    );
    assert!(!outcome.error.contains("pricetag"), "{}", outcome.error);
    derived(instrumented, &counts_at(&counts), scratch)
}

#[test]
fn conformance_programs_count_as_under_the_agent() {
    let mut suite =
        Suite::compile(Compiler::Javac(17), &Testbed::locate(), "").expect("it compiles");
    let directory = Path::new(&suite.class_path).to_path_buf();
    let jar = archive(&entries(&directory, ""));
    let instrumented = instrument(&jar, &Options::default()).expect("it can be instrumented");
    assert!(Archived::read(&instrumented.bytes).unwrap().classes() > 100);
    let agent = Agent::locate().expect("the agent builds");
    let machine = Machine::system().expect("there is a JDK");
    suite.retain(|program| PROGRAMS.contains(&program.name.as_str()));
    assert_eq!(suite.programs.len(), PROGRAMS.len());
    for program in &suite.programs {
        let launch = suite.launch(&machine, program);
        let (_, expected) = agent.count(&launch).expect("it counts");
        let scratch = tempfile::tempdir().unwrap();
        let found = offline(&agent, &launch, &instrumented.bytes, scratch.path());
        assert!(
            found.inexact.is_empty(),
            "{}: {:?}",
            program.name,
            found.inexact
        );
        assert!(
            found.imbalances.is_empty(),
            "{}: {:?}",
            program.name,
            found.imbalances
        );
        let (expected, found) = (own(&expected, program), own(&found, program));
        assert!(expected.len() > 5, "{}", program.name);
        let differing: Vec<_> = expected
            .iter()
            .filter(|(place, count)| found.get(*place) != Some(*count))
            .map(|(place, count)| format!("{place}: {count}, offline {:?}", found.get(place)))
            .collect();
        assert!(differing.is_empty(), "{}: {differing:#?}", program.name);
        assert_eq!(found.len(), expected.len(), "{}", program.name);
    }
}

/// Reads and writes all classes of a jar with the library in the jar, frames computed anew.
const DRIVER: &str = r#"
import java.util.*; import java.util.jar.*;
import org.objectweb.asm.*;
public class Driver {
    public static void main(String[] args) throws Exception {
        long size = 0;
        try (JarFile jar = new JarFile(args[0])) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                if (!entry.getName().endsWith(".class") || entry.getName().contains("module-info")) continue;
                ClassReader reader = new ClassReader(jar.getInputStream(entry));
                ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
                reader.accept(writer, 0);
                size += writer.toByteArray().length;
            }
        }
        System.out.println(size);
    }
}
"#;

#[test]
fn a_library_counts_as_under_the_agent() {
    let library = Testbed::locate()
        .file("asm-9.8.jar")
        .expect("the pinned library");
    let scratch = tempfile::tempdir().unwrap();
    let path = |name: &str| scratch.path().join(name);
    fs::write(path("Driver.java"), DRIVER).unwrap();
    let run = |tool: &str, arguments: &[&str]| {
        let output = Command::new(java_tool(tool))
            .args(arguments)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{tool} {arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let (jar, driver) = (text(&library), text(&path("Driver.java")));
    run(
        "javac",
        &["-cp", &jar, "-d", &text(scratch.path()), &driver],
    );

    let agent = Agent::locate().expect("the agent builds");
    let (trace, plans) = (path("agent.trace"), path("agent.plans"));
    let mut options = AgentOptions::new(Mode::Count, &trace);
    options.plans = Some(plans.clone());
    options.include = vec![Pattern::new("org.objectweb.asm.**").unwrap()];
    options.write(&path("options")).unwrap();
    let loaded = agent.option(&path("options"));
    let class_path = format!("{jar}:{}", text(scratch.path()));
    let expected = run("java", &[&loaded, "-cp", &class_path, "Driver", &jar]);

    let instrumented = instrument(&fs::read(&library).unwrap(), &Options::default()).unwrap();
    fs::write(path("out.jar"), &instrumented.bytes).unwrap();
    let property = format!("-Dpricetag.counts={}", text(&path("counts")));
    let class_path = format!("{}:{}", text(&path("out.jar")), text(scratch.path()));
    let found = run("java", &[&property, "-cp", &class_path, "Driver", &jar]);
    assert_eq!(found, expected);

    let agents = Counts::from_trace(&trace, &plans).expect("a trace");
    let counts = derived(
        &instrumented.bytes,
        &counts_at(&path("counts")),
        scratch.path(),
    );
    let executed = |counts: &Counts| -> BTreeMap<_, BTreeMap<u16, u64>> {
        let ran = counts.methods.iter().map(|(method, pcs)| {
            let ran = pcs.iter().filter(|(_, n)| **n > 0);
            (method.clone(), ran.map(|(pc, n)| (*pc, *n)).collect())
        });
        ran.filter(|(_, pcs): &(_, BTreeMap<u16, u64>)| !pcs.is_empty())
            .collect()
    };
    let (agents, offline) = (executed(&agents), executed(&counts));
    let sum: u64 = agents.values().flat_map(BTreeMap::values).sum();
    assert!(
        agents.len() > 100 && sum > 10_000_000,
        "{} methods, {sum}",
        agents.len()
    );
    assert!(
        agents == offline,
        "{} and {} methods",
        agents.len(),
        offline.len()
    );
    assert!(counts.inexact.is_empty() && counts.imbalances.is_empty());
}
