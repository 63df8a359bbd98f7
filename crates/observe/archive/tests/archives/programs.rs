//! Programs count by themselves what they count under the agent, instruction by instruction: the conformance programs, and a library.
//!
//! All programs of a compiler are in one archive; what their comments say is checked, too. They run on one pinned runtime; if everything is
//! wanted, on all of them, and in other languages than Java, too. `PRICETAG_CONFORMANCE=Part` restricts them to programs whose name contains `Part`.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use pricetag_archive::Options;
use pricetag_testkit::compare::compare;
use pricetag_testkit::suite::in_full;
use pricetag_testkit::testbed::class_path;
use pricetag_testkit::{
    Agent, Compiler, Counts, Difference, Launch, Machine, Program, Report, Suite, Testbed, Verdict,
    classes,
};
use pricetag_trace::Pattern;

use crate::support::{
    Counting, Line, agrees_with_agent, archive, changed, entries, executed, tool,
};

/// Programs that are left out, and why.
const APART: [(&str, &str); 1] = [(
    "HaltDeep",
    "a JVM that halts writes no counts, and its file says so: `a_jvm_that_halts_leaves_a_file_that_says_so`",
)];

/// Programs with class loaders of their own. The JVM asks these for the counters, too, and they read instrumented classes: a caveat
/// names them, and `loadClass` runs more often.
const LOADERS: [&str; 4] = [
    "ClassUnloading",
    "LinkageErrors",
    "OptResolvedBefore",
    "TwoLoaders",
];

/// The pinned runtime of everyday tests.
const EVERYDAY: u16 = 21;

/// A program with what is different by itself.
fn by_itself(program: &Program) -> Program {
    let mut program = program.clone();
    if LOADERS.contains(&program.name.as_str()) {
        program.varies.push("loadClass".to_owned());
        program.inexact = Some("its class loader is asked for the counters".to_owned());
    }
    program
}

/// The programs of a compiler in an archive that counts.
struct Offline<'s> {
    suite: &'s Suite,
    counting: Counting,
    /// The archive and the libraries that the programs need.
    class_path: OsString,
}

impl<'s> Offline<'s> {
    fn new(suite: &'s Suite) -> Self {
        let mut paths: Vec<PathBuf> = std::env::split_paths(&suite.class_path).collect();
        let counting = Counting::new(&changed(&archive(&entries(&paths[0], ""))).bytes);
        paths[0].clone_from(&counting.jar);
        Self {
            suite,
            counting,
            class_path: class_path(&paths).expect("a class path"),
        }
    }

    /// Runs a program under the agent and from the archive.
    fn check(&self, agent: &Agent, machine: &Machine, program: &Program) -> Verdict {
        let launch = self.suite.launch(machine, program);
        let (under, mut agents) = match agent.count(&launch) {
            Ok(counted) => counted,
            Err(error) => return Verdict::failed(error),
        };
        let scratch = tempfile::tempdir().unwrap();
        let counts = scratch.path().join("counts");
        let mut launch = Launch::new(program, machine, &self.class_path);
        launch.after = vec![format!("-Dpricetag.counts={}", counts.display()).into()];
        let alone = match agent.plain(&launch) {
            Ok(outcome) => outcome,
            Err(error) => return Verdict::failed(error),
        };
        if alone.status != Some(program.exit) || !counts.exists() {
            let (status, error) = (alone.status, alone.error);
            return Verdict::failed(format!("status {status:?}, and it said {error}"));
        }
        let mut found = match self.counting.derive(&counts) {
            Ok(counts) => self.own(program, counts),
            Err(error) => return Verdict::failed(error),
        };
        found.said = alone.said();
        agents.methods = executed(&agents);
        // Classes that a program makes while it runs are in no archive.
        let methods = &self.suite.classes.methods;
        let compiled = |class: &str| methods.keys().any(|method| method.class == class);
        agents.methods.retain(|method, _| compiled(&method.class));
        let program = by_itself(program);
        let mut verdict = compare(&program, &self.suite.classes, &found, &agents);
        if (alone.status, &alone.output) != (under.status, &under.output)
            || alone.error.contains("pricetag")
        {
            let words = format!("by itself it says {alone:?}, under the agent {under:?}");
            verdict.differences.push(Difference::Other(words));
        }
        verdict
    }

    /// What an archive counted of one of its programs. Classes in which nothing counts have no plan.
    fn own(&self, program: &Program, mut counts: Counts) -> Counts {
        counts.methods = executed(&counts);
        let own = |class: &str| classes::belongs(class, &program.name);
        counts.methods.retain(|method, _| own(&method.class));
        counts.imbalances.retain(|method, _| own(&method.class));
        counts.listed.retain(|name, _| own(name));
        for method in self.suite.classes.methods.keys() {
            if let Some(reason) = counts.listed.get(&method.to_string()) {
                counts.left.insert(method.clone(), reason.clone());
            }
        }
        counts
    }
}

/// Holds programs of a compiler against the agent, all or those that are named: "stepped" is what ran under the agent.
fn check(compiler: Compiler, machines: &[Machine], named: &[&str]) {
    let part = std::env::var("PRICETAG_CONFORMANCE").unwrap_or_default();
    let mut suite = Suite::compile(compiler, &Testbed::locate(), &part).expect("they compile");
    suite.retain(|program| APART.iter().all(|(name, _)| *name != program.name));
    suite.retain(|program| named.is_empty() || named.contains(&program.name.as_str()));
    let least = match named.len() {
        _ if !part.is_empty() => 0,
        0 => least(compiler),
        named => named,
    };
    let agent = Agent::locate().expect("the agent builds");
    let offline = Offline::new(&suite);
    for machine in machines {
        let verdicts = suite.each(machine, |program| {
            let verdict = offline.check(&agent, machine, program);
            vec![(machine.name.clone(), verdict)]
        });
        let what = format!("{} by itself on {}", compiler.name(), machine.name);
        Report { verdicts }.assert_agreement(&what, least);
    }
}

/// As many programs of a compiler there are at least.
fn least(compiler: Compiler) -> usize {
    match compiler {
        Compiler::Javac(_) | Compiler::Javac21 | Compiler::Eclipse => 80,
        Compiler::Bytecode => 11,
        _ => 2,
    }
}

/// What compiles for a machine.
fn java(machine: &Machine) -> Compiler {
    match machine.feature {
        ..17 => Compiler::Javac(11),
        17..21 => Compiler::Javac(17),
        _ => Compiler::Javac21,
    }
}

/// The pinned runtime of every day, or all.
fn machines() -> Vec<Machine> {
    let runtimes = Testbed::locate().runtimes();
    let mut machines = runtimes.expect("the pinned runtimes");
    if !in_full() && machines.len() > 1 {
        machines.retain(|machine| machine.feature == EVERYDAY);
    }
    machines
}

#[test]
fn java_programs_count_by_themselves_as_under_the_agent() {
    for machine in machines() {
        check(java(&machine), &[machine], &[]);
    }
}

#[test]
fn generated_bytecode_counts_by_itself_as_under_the_agent() {
    check(Compiler::Bytecode, &machines(), &[]);
}

/// If everything is wanted: their compilers take their time.
#[test]
fn programs_of_other_languages_count_by_themselves_as_under_the_agent() {
    for compiler in [Compiler::Kotlin, Compiler::Scala, Compiler::Groovy] {
        if in_full() {
            check(compiler, &machines(), &[]);
        }
    }
}

/// Programs that end while frames are open.
const ENDS: [&str; 11] = [
    "BlockedAtExit",
    "BlockedInMethod",
    "DaemonSleeps",
    "ExitDeep",
    "ExitFromThread",
    "ExitInClinit",
    "ExitInInterfaceInit",
    "RunningAtExit",
    "RunningInLoops",
    "ShutdownHook",
    "UncaughtThread",
];

/// The interpreter and compiled code show some frames in other lines. If everything is wanted.
#[test]
fn frames_that_are_open_at_the_end_are_found_however_code_runs() {
    let ways = ["interpreter", "C1", "C2", "compiled before the first call"];
    for machine in machines() {
        let mut configurations = machine.configurations();
        configurations.retain(|c| ways.iter().any(|way| c.name.ends_with(way)));
        assert_eq!(configurations.len(), ways.len());
        if in_full() && machine.feature == EVERYDAY {
            check(java(&machine), &configurations, &ENDS);
        }
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
    let source = scratch.path().join("Driver.java");
    fs::write(&source, DRIVER).unwrap();
    let [jar, folder, source] = [&library, scratch.path(), &source].map(|p| p.to_str().unwrap());
    tool("javac", &["-cp", jar, "-d", folder, source]);
    let options = Options {
        include: vec![Pattern::new("org.objectweb.asm.**").unwrap()],
        ..Options::default()
    };
    let class_path = format!("{{jar}}:{folder}");
    let line = Line {
        machine: &Machine::system().expect("there is a JDK"),
        arguments: &["-cp", &class_path, "Driver", jar],
        readers: &[],
    };
    let agreement = agrees_with_agent(&fs::read(&library).unwrap(), &options, &line);
    let methods = &agreement.executed;
    let sum: u64 = methods.values().flat_map(|counts| counts.values()).sum();
    assert!(
        methods.len() > 100 && sum > 10_000_000,
        "{} methods, {sum}",
        methods.len()
    );
}
