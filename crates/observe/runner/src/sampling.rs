//! Sampled runs: which inputs, at what cost, and what they say together.
//!
//! What a compiler's thread used, tick by tick, is the agent's; which method it compiled at that time stands in the JVM's
//! log. The two meet here by the system's monotonic clock.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use pricetag_profile::{Compiled, Merged, Method, Profile, Role};
use pricetag_quantity::counted;
use pricetag_trace::{Compiling, Record, Sampled, Scope};

use crate::assemble::Row;
use crate::journal::{Journal, RunId, RunKind};
use crate::options::{Determinism, RecordOptions, Timing};

/// How many inputs are sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Samples {
    /// As many as take a quarter of the time of the other runs, at least 6.
    #[default]
    Auto,
    /// None.
    Off,
    /// Every one.
    All,
    /// So many, spread over the workload.
    Some(usize),
}

/// Inputs that are sampled however long a run takes.
const FEWEST: usize = 6;
/// Share of the other runs' time that sampled runs may take.
const SHARE: f64 = 0.25;

impl fmt::Display for Samples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Off => f.write_str("off"),
            Self::All => f.write_str("all"),
            Self::Some(n) => write!(f, "{n}"),
        }
    }
}

impl FromStr for Samples {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "off" => Ok(Self::Off),
            "all" => Ok(Self::All),
            _ => text
                .parse()
                .map(Self::Some)
                .map_err(|_| format!("`{text}` is none of auto, off, all or a number of inputs")),
        }
    }
}

/// The runs to sample, given how long the others took, ns.
pub(crate) fn runs(options: &RecordOptions, spent: &[(RunKind, u64)]) -> Vec<RunId> {
    let cases = options.workload.cases.len();
    let chosen = match options.samples {
        Samples::Off => 0,
        // Nobody asks where the time goes that is not measured.
        _ if options.timing == Timing::Never => 0,
        Samples::All => cases,
        Samples::Some(n) => n.min(cases),
        Samples::Auto => {
            let all: u64 = spent.iter().map(|(_, ns)| ns).sum();
            let timed = spent
                .iter()
                .filter(|(kind, _)| matches!(kind, RunKind::Time(_)));
            let (count, ns) = timed.fold((0u64, 0u64), |(n, sum), (_, ns)| (n + 1, sum + ns));
            let each = if count > 0 {
                ns as f64 / count as f64
            } else {
                all as f64 / spent.len().max(1) as f64
            };
            let affordable = if each > 0.0 {
                SHARE * all as f64 / each
            } else {
                0.0
            };
            (affordable as usize).max(FEWEST).min(cases)
        }
    };
    let sampled = Determinism::Some(chosen).chosen(cases).into_iter();
    sampled
        .map(|case| RunId {
            case,
            kind: RunKind::Sample,
        })
        .collect()
}

/// Options of a JVM with the optimising compiler, by which its tables say of compiled code where calls, loops' polls and exceptions stand, and not what it guesses of the instructions
/// between. It guesses as soon as an agent is told of compiled methods, and names for most of a loop in an inlined method the method into which it is inlined. So an instruction
/// belongs to the next place that is certain, which may lie a little behind it.
pub(crate) const PLACES: [&str; 2] = ["-XX:+UnlockDiagnosticVMOptions", "-XX:-DebugNonSafepoints"];

/// Options of the JVM by which it logs what it compiles; none where the file's name could be misread.
pub(crate) fn compilation_log(file: &Path) -> Vec<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
    let Some(name) = file.to_str().filter(|name| name.chars().all(plain)) else {
        return Vec::new();
    };
    // Its time is the monotonic clock's.
    vec![format!(
        "-Xlog:jit+compilation=debug:file={name}:timenanos,tid:filesize=0"
    )]
}

/// What the sampled runs of a recording say; none without one.
pub(crate) fn profile(
    options: &RecordOptions,
    journal: &Journal,
    rows: &[Row],
    notes: &mut Vec<String>,
) -> Option<Profile> {
    let mut merged = Merged::default();
    let (mut runs, mut failed) = (0, Vec::new());
    for (case, input) in options.workload.cases.iter().enumerate() {
        let id = RunId {
            case,
            kind: RunKind::Sample,
        };
        let Some(note) = journal.finished(id, &input.label) else {
            continue;
        };
        if let Some(why) = note.failure {
            failed.push(format!("{}: {why}", input.label));
            continue;
        }
        let Ok(trace) = journal.whole(id) else {
            failed.push(format!("{}: its trace is damaged", input.label));
            continue;
        };
        let sampled = trace.records.into_iter().find_map(|record| match record {
            Record::Sampled(sampled) => Some(sampled),
            _ => None,
        });
        let Some(sampled) = sampled.filter(|s| s.profile.check().is_ok()) else {
            failed.push(format!("{}: nothing was sampled", input.label));
            continue;
        };
        let covered = covered(options, rows, &input.label);
        if covered.is_empty() {
            continue;
        }
        let log = std::fs::read_to_string(journal.compilations(id)).unwrap_or_default();
        merged.add(&of_run(sampled, &covered, &log));
        runs += 1;
    }
    if let Some(first) = failed.first() {
        notes.push(format!(
            "{} could not be sampled; the first: {first}",
            counted(failed.len(), "input")
        ));
    }
    let profile = merged.finish();
    notes.extend(profile.notes.iter().cloned());
    (runs > 0).then_some(profile)
}

/// Labels of the observations that the run of an input covers.
fn covered(options: &RecordOptions, rows: &[Row], input: &str) -> Vec<String> {
    let labels = rows.iter().map(|row| &row.observation.label);
    let single = options.workload.cases.len() == 1;
    let of_input = |label: &&String| match options.scope {
        Scope::Main => *label == input,
        Scope::Method(_) => {
            single
                || label
                    .strip_prefix(input)
                    .is_some_and(|l| l.starts_with(" #"))
        }
    };
    labels.filter(of_input).cloned().collect()
}

/// One run's profile, with what its compilers compiled.
fn of_run(sampled: Sampled, covered: &[String], log: &str) -> Profile {
    let Sampled {
        mut profile,
        compiling,
    } = sampled;
    let compiled = compiled(&mut profile.methods, &compiling, log);
    for run in &mut profile.runs {
        run.rows = covered.to_vec();
        run.compiled.clone_from(&compiled);
    }
    profile
}

/// A compilation as the JVM logs its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Begun {
    at_ns: u64,
    class: String,
    method: String,
}

/// A class's name without what follows in the names of classes that the JDK spins for lambdas: a number in the log, what it implements in a
/// profile.
fn stem(class: &str) -> &str {
    const LAMBDA: &str = "$$Lambda";
    class
        .find(LAMBDA)
        .map_or(class, |at| &class[..at + LAMBDA.len()])
}

/// Compilations by thread, in their order.
fn begun(log: &str) -> HashMap<i32, Vec<Begun>> {
    let mut found: HashMap<i32, Vec<Begun>> = HashMap::new();
    for line in log.lines() {
        if let Some((thread, begun)) = parse(line) {
            found.entry(thread).or_default().push(begun);
        }
    }
    found
}

/// `[81234567ns][4711]   12  !  3  a.b.C::m (60 bytes)`.
fn parse(line: &str) -> Option<(i32, Begun)> {
    let (time, rest) = line.strip_prefix('[')?.split_once("ns]")?;
    let (thread, rest) = rest.strip_prefix('[')?.split_once(']')?;
    if rest.contains("made not entrant") || rest.contains("made zombie") {
        return None;
    }
    let name = rest.split_whitespace().find(|word| word.contains("::"))?;
    let (class, method) = name.rsplit_once("::")?;
    Some((
        thread.trim().parse().ok()?,
        Begun {
            at_ns: time.trim().parse().ok()?,
            class: class.replace('.', "/"),
            method: method.to_owned(),
        },
    ))
}

/// Time of compilers by method: each tick goes to what its thread had begun to compile last.
fn compiled(methods: &mut Vec<Method>, ticks: &[Compiling], log: &str) -> Vec<Compiled> {
    let begun = begun(log);
    let mut numbers: HashMap<(String, String), usize> = HashMap::new();
    for (index, method) in methods.iter().enumerate() {
        // The log does not tell overloads apart: their time stands with the first.
        let name = (stem(&method.class).to_owned(), method.name.clone());
        numbers.entry(name).or_insert(index);
    }
    let mut found: BTreeMap<(usize, Role), u64> = BTreeMap::new();
    for tick in ticks {
        let of_thread = begun.get(&tick.thread).map_or(&[][..], Vec::as_slice);
        let after = of_thread.partition_point(|begun| begun.at_ns <= tick.at_ns);
        let Some(begun) = after.checked_sub(1).map(|at| &of_thread[at]) else {
            continue;
        };
        let class = stem(&begun.class);
        let name = (class.to_owned(), begun.method.clone());
        let index = *numbers.entry(name).or_insert_with(|| {
            methods.push(Method {
                class: class.to_owned(),
                name: begun.method.clone(),
                ..Method::default()
            });
            methods.len() - 1
        });
        *found.entry((index, tick.compiler)).or_default() += tick.cpu_ns;
    }
    // A class with one method of the program on a stack is the program's, its other methods too.
    let own: std::collections::BTreeSet<String> = methods
        .iter()
        .filter(|method| method.own)
        .map(|method| method.class.clone())
        .collect();
    for method in methods
        .iter_mut()
        .filter(|method| own.contains(&method.class))
    {
        method.own = true;
    }
    let of = |((index, compiler), cpu_ns): ((usize, Role), u64)| Compiled {
        method: pricetag_profile::MethodId(index as u32),
        compiler,
        cpu_ns,
    };
    found.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_time_goes_to_what_they_had_begun() {
        let log = "[100ns][7]    1       3       app.Main::work (60 bytes)\n\
                   [150ns][8]    2   !   4       java.lang.String::hashCode (60 bytes)\n\
                   nonsense\n\
                   [180ns][7]    1       3       app.Main::work (60 bytes)   made not entrant\n\
                   [200ns][7]    3 %     3       app.Main::main @ 14 (33 bytes)\n";
        let tick = |at_ns, thread, cpu_ns| Compiling {
            at_ns,
            thread,
            compiler: if thread == 7 { Role::C1 } else { Role::C2 },
            cpu_ns,
        };
        let mut methods = vec![Method {
            class: "app/Main".to_owned(),
            name: "main".to_owned(),
            descriptor: "([Ljava/lang/String;)V".to_owned(),
            own: true,
        }];
        let ticks = [
            tick(90, 7, 1),
            tick(190, 7, 10),
            tick(199, 8, 100),
            tick(300, 7, 1000),
        ];
        let found = compiled(&mut methods, &ticks, log);
        let named: Vec<(&str, bool, Role, u64)> = found
            .iter()
            .map(|c| {
                let method = &methods[c.method.0 as usize];
                (method.name.as_str(), method.own, c.compiler, c.cpu_ns)
            })
            .collect();
        assert_eq!(
            named,
            [
                ("main", true, Role::C1, 1000),
                ("work", true, Role::C1, 10),
                ("hashCode", false, Role::C2, 100)
            ]
        );
    }

    #[test]
    fn a_lambda_is_found_under_its_number() {
        let log = "[100ns][7]    1       3       app.Main$$Lambda$14/0x0000000800c01000::apply (60 bytes)\n";
        let mut methods = vec![Method {
            class: "app/Main$$Lambda$Function".to_owned(),
            name: "apply".to_owned(),
            own: true,
            ..Method::default()
        }];
        let tick = Compiling {
            at_ns: 200,
            thread: 7,
            compiler: Role::C1,
            cpu_ns: 5,
        };
        let found = compiled(&mut methods, &[tick], log);
        assert_eq!(methods.len(), 1);
        assert_eq!((found[0].method.0, found[0].cpu_ns), (0, 5));
    }

    #[test]
    fn a_log_is_not_asked_for_where_its_name_could_be_misread() {
        assert_eq!(compilation_log(Path::new("/a b/c")).len(), 0);
        assert_eq!(compilation_log(Path::new("/a:b")).len(), 0);
        assert!(compilation_log(Path::new("/a/b-1.c"))[0].contains("file=/a/b-1.c:timenanos,tid"));
    }

    #[test]
    fn a_number_of_inputs_or_a_word() {
        for text in ["auto", "off", "all", "7"] {
            assert_eq!(text.parse::<Samples>().unwrap().to_string(), text);
        }
        assert!("some".parse::<Samples>().is_err());
    }
}
