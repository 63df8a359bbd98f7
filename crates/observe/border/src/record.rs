//! Runs a program on its inputs and gathers the calls that crossed.

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pricetag_classfile::MemberRef;
use pricetag_runner::subject::Subject;
use pricetag_runner::supervise::{self, Cancel, Ending};
use pricetag_runner::workload::Case;
use pricetag_runner::{RecordOptions, RunnerError};
use pricetag_services::{Call, Constant, Recording, Required, SCHEMA, Service, Value};
use pricetag_trace::Pattern;
use serde::{Deserialize, Deserializer};

use crate::error::BorderError;
use crate::pattern::expression;
use crate::rewrite::Watch;
use crate::runtime::archive;
use crate::server::{Gathered, Server};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Options<'o> {
    /// How the program is run, on which inputs.
    pub run: &'o RecordOptions,
    /// The component.
    pub component: &'o [Pattern],
    /// Whether files and sockets of the JDK are required services.
    pub resources: bool,
}

/// A provided call as the JVM writes it.
#[derive(Debug, Deserialize)]
struct Line {
    n: u64,
    t: u64,
    m: usize,
    #[serde(default)]
    i: Option<u64>,
    a: Vec<Value>,
    #[serde(default)]
    q: Vec<Left>,
    #[serde(default)]
    more: u64,
    #[serde(default, deserialize_with = "present")]
    r: Option<Value>,
    #[serde(default)]
    x: u8,
}

/// A required one.
#[derive(Debug, Deserialize)]
struct Left {
    s: usize,
    c: String,
    a: Vec<Value>,
    #[serde(default, deserialize_with = "present")]
    r: Option<Value>,
    #[serde(default)]
    x: u8,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// What was gathered of all runs.
#[derive(Default)]
struct Calls {
    provided: BTreeMap<Service, usize>,
    required: BTreeMap<Service, usize>,
    /// By which name each was first called, where that is another.
    interfaces: BTreeMap<Service, Option<String>>,
    entered: Vec<Call>,
}

/// Runs the program once on each input.
///
/// # Errors
/// If it cannot be run, fails, or has no class that matches.
pub fn record(options: &Options<'_>, cancel: &Cancel) -> Result<Recording, BorderError> {
    let subject = Subject::prepare(options.run, cancel)?;
    let place = PathBuf::from("a temporary folder");
    let folder = tempfile::Builder::new()
        .prefix("pricetag-")
        .tempdir()
        .map_err(io("create", &place))?;
    let jar = folder.path().join("border.jar");
    archive(&jar).map_err(io("write", &jar))?;
    let gathered = Arc::new(Mutex::new(Gathered {
        watch: Watch {
            component: options.component.to_vec(),
            resources: options.resources,
            ..Watch::default()
        },
        notes: Vec::new(),
    }));
    let mut calls = Calls::default();
    let cases = &options.run.workload.cases;
    for (run, case) in cases.iter().enumerate() {
        let log = folder.path().join("calls.jsonl");
        run_once(options, &subject, case, folder.path(), &gathered, cancel)?;
        let gathered = gathered.lock().unwrap_or_else(PoisonError::into_inner);
        calls.read(&log, run, &gathered.watch)?;
        std::fs::remove_file(&log).ok();
    }
    let gathered = Arc::into_inner(gathered).map_or_else(Gathered::default, |gathered| {
        gathered
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    });
    let texts = |patterns: &[Pattern]| -> Vec<String> {
        patterns.iter().map(|p| p.as_str().to_owned()).collect()
    };
    if gathered.watch.classes.is_empty() {
        return Err(BorderError::Nothing {
            pattern: texts(options.component).join(", "),
        });
    }
    Ok(calls.recording(Recording {
        schema: SCHEMA,
        component: texts(options.component),
        command: options.run.command.clone(),
        inputs: cases.iter().map(|case| case.label.clone()).collect(),
        classes: gathered.watch.classes.iter().cloned().collect(),
        constants: constants(&gathered.watch),
        notes: gathered.notes,
        ..Recording::default()
    }))
}

fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> BorderError {
    let path = path.to_owned();
    move |source| BorderError::Io {
        action,
        path,
        source,
    }
}

fn run_once(
    options: &Options<'_>,
    subject: &Subject<'_>,
    case: &Case,
    folder: &Path,
    gathered: &Arc<Mutex<Gathered>>,
    cancel: &Cancel,
) -> Result<(), BorderError> {
    let random = || RandomState::new().build_hasher().finish();
    let word = format!("{:016x}{:016x}", random(), random());
    let listening = PathBuf::from("a port of the loopback interface");
    let server =
        Server::start(word.clone(), Arc::clone(gathered)).map_err(io("listen on", &listening))?;
    let settings = folder.join("settings");
    let resources = if options.resources { "resources" } else { "-" };
    let text = format!(
        "{}\n{word}\n{}\n{}\n{resources}\n",
        server.port,
        folder.join("calls.jsonl").display(),
        expression(options.component)
    );
    std::fs::write(&settings, text).map_err(io("write", &settings))?;
    let agent = format!(
        "-javaagent:{}={}",
        folder.join("border.jar").display(),
        settings.display()
    );
    let launch = subject.launch_with(None, &folder.join("crash.log"), case, &[&agent])?;
    let show = options.run.show_output;
    let ended = supervise::run(&launch, options.run.timeout, show, cancel);
    server.end();
    let ended = ended?;
    let failed = |why: String| BorderError::Failed {
        input: case.label.clone(),
        why,
    };
    match ended.ending {
        Ending::Exit(0) => Ok(()),
        Ending::Exit(code) => {
            let last = ended.stderr.last_lines(3);
            Err(failed(format!("exit code {code}: {last}")))
        }
        Ending::Signal(signal) => Err(failed(format!("killed by signal {signal}"))),
        Ending::TimedOut(after) => Err(failed(format!("no end after {after:?}"))),
        Ending::Cancelled => Err(RunnerError::Interrupted.into()),
    }
}

fn constants(watch: &Watch) -> Vec<Constant> {
    let mut constants: Vec<Constant> = watch
        .constants
        .iter()
        .map(|(bits, (compared, places))| Constant {
            value: f64::from_bits(*bits),
            compared: *compared,
            places: places.clone(),
        })
        .collect();
    constants.sort_by(|a, b| {
        b.compared
            .cmp(&a.compared)
            .then(a.value.total_cmp(&b.value))
    });
    constants
}

impl Calls {
    fn read(&mut self, log: &Path, run: usize, watch: &Watch) -> Result<(), BorderError> {
        let file = match std::fs::File::open(log) {
            Ok(file) => file,
            // No class of the component was loaded, or the JVM did not start the border.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(io("read", log)(error)),
        };
        for line in BufReader::new(file).lines() {
            let line = line.map_err(io("read", log))?;
            let line: Line = serde_json::from_str(&line).map_err(BorderError::Line)?;
            let Some(service) = watch.methods.get(line.m) else {
                continue;
            };
            let service = number(&mut self.provided, service.clone());
            let left = line.q.into_iter();
            let required = left.filter_map(|left| {
                let (service, interface) = required_service(watch.sites.get(left.s)?, left.c);
                let known = self.interfaces.entry(service.clone());
                known.or_insert(interface);
                Some(Required {
                    service: number(&mut self.required, service),
                    arguments: left.a,
                    result: left.r,
                    threw: left.x == 1,
                })
            });
            let required = required.collect();
            self.entered.push(Call {
                service,
                run,
                thread: line.t,
                number: line.n,
                within: line.i,
                arguments: line.a,
                result: line.r,
                threw: line.x == 1,
                required,
                further: line.more,
                executed: BTreeMap::new(),
                time: None,
            });
        }
        Ok(())
    }

    /// Services by name, whatever the order in which they were met.
    fn recording(mut self, head: Recording) -> Recording {
        let provided = places(&self.provided);
        let required = places(&self.required);
        for call in &mut self.entered {
            call.service = provided[call.service];
            for left in &mut call.required {
                left.service = required[left.service];
            }
        }
        Recording {
            provided: self.provided.into_keys().collect(),
            required: self
                .required
                .into_keys()
                .map(|service| Service {
                    interface: self.interfaces.get(&service).cloned().flatten(),
                    ..service
                })
                .collect(),
            calls: self.entered,
            ..head
        }
    }
}

fn number(known: &mut BTreeMap<Service, usize>, service: Service) -> usize {
    let next = known.len();
    *known.entry(service).or_insert(next)
}

fn places(known: &BTreeMap<Service, usize>) -> Vec<usize> {
    let mut places = vec![0; known.len()];
    for (place, number) in known.values().enumerate() {
        places[*number] = place;
    }
    places
}

/// The service that a call reaches, and what the caller names if that is another class: several callers may name one service differently.
fn required_service(site: &MemberRef, class: String) -> (Service, Option<String>) {
    let owner = site.owner.replace('/', ".");
    let parameters = pricetag_classfile::descriptor::split(&site.descriptor);
    let count = parameters.map_or(0, |(parameters, _)| parameters.len());
    let interface = (owner != class).then_some(owner);
    let service = Service {
        interface: None,
        class,
        method: site.name.clone(),
        descriptor: site.descriptor.clone(),
        parameters: (0..count).map(|i| format!("p{i}")).collect(),
    };
    (service, interface)
}
