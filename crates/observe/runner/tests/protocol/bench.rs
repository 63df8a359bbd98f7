//! A scripted JVM, its inputs and the traces it leaves.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pricetag_probe_plan::ClassHash;
use pricetag_runner::{
    Cancel, Determinism, Ended, RecordOptions, Recorded, RunnerError, Silent, Timing, Workload,
    record,
};
use pricetag_trace::{
    Argument, ClassCounters, Invocation, ProcessCosts, Record, Start, TRACE_VERSION, TraceWriter,
};

/// Understands `-version`; tells the CPU time that it pretends to have used; without the agent runs, and otherwise leaves the trace of its mode, or of its mode for that input, and obeys the input's text.
pub const JAVA: &str = r#"#!/bin/sh
case "$*" in *-version*) echo '    java.version = 17.0.1' >&2; exit 0;; esac
for arg in "$@"; do
  case "$arg" in -agentpath:*) file="${arg#*=}";; esac
  last="$arg"
done
here=$(dirname "$0")
if [ -z "$file" ]; then
  echo "bare $last" >> "$here/log"
  case "$(cat "$last" 2>/dev/null)" in
    fail) exit 1;;
    fail-bare) echo 'X: alone' >&2; exit 9;;
    slow) echo begins >> "$here/spans"; sleep 0.2; echo ends >> "$here/spans";;
  esac
  cat "$here/time.cpu"; exit 0
fi
trace=$(sed -n 's/^trace=//p' "$file")
mode=$(sed -n 's/^mode=//p' "$file")
if [ "$mode" = count ] && grep -q '^skip=' "$file"; then skip=-skip; else skip=; fi
mode="$mode$skip"
if [ -d "$here/plans$skip" ]; then
  plans=$(sed -n 's/^plans=//p' "$file"); mkdir -p "$plans"; cp "$here/plans$skip/"* "$plans"
fi
echo "$mode $last" >> "$here/log"
[ "$mode" = time ] && grep -q '^rewritten=' "$file" && echo "$last" >> "$here/beforehand"
case "$*" in *TieredStopAtLevel=1*) echo "$last" >> "$here/first-tier";; esac
word=$(cat "$last" 2>/dev/null)
case "$word" in
  fail) echo 'Exception in thread "main" X: boom' >&2; exit 1;;
  hang) sleep 600;;
  fail-count-once) [ "$mode" = count ] && [ ! -e "$here/failed" ] && { touch "$here/failed"; exit 9; };;
  fail-count) [ "$mode" = count ] && exit 9;;
  flaky-time) [ "$mode" = time ] && exit 9;;
  cut) head -c 60 "$here/$mode.trace" > "$trace"; exit 0;;
  cut-once) [ -e "$here/was-cut" ] || { touch "$here/was-cut"; head -c 60 "$here/$mode.trace" > "$trace"; exit 0; };;
  two-jvms) echo 'Picked up JAVA_TOOL_OPTIONS: a' >&2; echo 'Picked up JAVA_TOOL_OPTIONS: a' >&2;;
  silent) exit 0;;
  lingers) [ "$mode" = time ] && sleep 2.2;;
  slow) echo begins >> "$here/spans"; sleep 0.2; echo ends >> "$here/spans";;
  unobserved) echo 'pricetag: cannot create trace x: not today; the program runs unobserved' >&2; exit 0;;
esac
own="$here/$mode-$(basename "$last").trace"
if [ -e "$own" ]; then cp "$own" "$trace"; else cp "$here/$mode.trace" "$trace"; fi
case "$word" in
  fail-late) echo 'Exception in thread "main" X: late' >&2; exit 1;;
  crash-late) kill -SEGV $$;;
esac
cat "$here/$mode.cpu" 2>/dev/null
exit 0
"#;

pub struct Bench {
    pub dir: tempfile::TempDir,
}

pub fn start() -> Record {
    Record::Start(Start {
        version: TRACE_VERSION,
        pid: 1,
        properties: vec![],
        options: String::new(),
    })
}

pub fn process(wall: u64) -> Record {
    Record::Process(ProcessCosts {
        wall_ns: wall,
        main_wall_ns: Some(wall - 1),
        cpu_ns: 2 * wall,
        allocated_bytes: 77,
        ..ProcessCosts::default()
    })
}

pub fn counters(n: u64) -> ClassCounters {
    ClassCounters {
        hash: ClassHash(1),
        counts: vec![(0, n)],
    }
}

pub fn call(sequence: u64, argument: i64, wall: u64, count: u64) -> Record {
    let arguments = vec![Argument::Integer(argument), Argument::Size(4)];
    call_with(sequence, arguments, wall, count)
}

pub fn call_with(sequence: u64, arguments: Vec<Argument>, wall: u64, count: u64) -> Record {
    Record::Invocation(Invocation {
        scope: 0,
        sequence,
        thread: 0,
        arguments,
        start_ns: 0,
        wall_ns: wall,
        cpu_ns: wall,
        allocated_bytes: 8,
        collections: 0,
        threw: false,
        counters: if count > 0 {
            vec![counters(count)]
        } else {
            vec![]
        },
        classes_loaded: 0,
    })
}

/// Writes an executable through another process: a file that this process had open for writing could be inherited by
/// a child that another test forks at that moment, and could then not be executed ("text file busy").
pub fn script(path: &Path, text: &str) {
    let mut install = std::process::Command::new("install")
        .args(["-m", "755", "/dev/stdin"])
        .arg(path)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    install
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    assert!(install.wait().unwrap().success());
}

impl Bench {
    pub fn new(inputs: &[(&str, &str)]) -> Self {
        let bench = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(bench.path("in")).unwrap();
        for (name, text) in inputs {
            fs::write(bench.path("in").join(name), text).unwrap();
        }
        let java = bench.path("java");
        script(&java, JAVA);
        fs::write(bench.path("agent.so"), "").unwrap();
        bench.trace("count", vec![process(1500), Record::Counters(counters(3))]);
        bench.trace("time", vec![process(1000)]);
        bench
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn trace(&self, mode: &str, records: Vec<Record>) {
        let path = self.path(&format!("{mode}.trace"));
        fs::remove_file(&path).ok();
        let mut writer = TraceWriter::create(&path).unwrap();
        let costs = records.iter().find_map(|record| match record {
            Record::Process(costs) => Some(costs.cpu_ns),
            _ => None,
        });
        if let Some(cpu_ns) = costs {
            fs::write(self.path(&format!("{mode}.cpu")), cpu_ns.to_string()).unwrap();
        }
        let records = [start()].into_iter().chain(records);
        for record in records.chain([Record::End]) {
            writer.write(&record).unwrap();
        }
        writer.finish().unwrap();
    }

    pub fn options(&self) -> RecordOptions {
        let command = [
            &*self.path("java").display().to_string(),
            "-jar",
            "app.jar",
            "{}",
        ];
        let inputs = Workload::from_glob("in/*", self.dir.path(), Some(Path::new("/"))).unwrap();
        RecordOptions {
            cwd: Some("/".into()),
            timeout: Some(Duration::from_secs(20)),
            categories: "fine".to_owned(),
            repeat: 2,
            timing: Timing::Separate,
            determinism: Determinism::Some(1),
            jobs: 2,
            agent: self.path("agent.so"),
            cpu: pretended,
            path: Some("/usr/bin:/bin".to_owned()),
            ..RecordOptions::counting(command.map(str::to_owned).into(), inputs, self.path("data"))
        }
    }

    pub fn log(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("log")).unwrap_or_default();
        text.lines()
            .map(|l| l.replace(&self.path("in").display().to_string(), ""))
            .collect()
    }
}

/// What the scripted JVM says it has used.
fn pretended(run: &Ended) -> Duration {
    Duration::from_nanos(run.stdout.text().trim().parse().unwrap_or_default())
}

pub fn go(options: &RecordOptions) -> Result<Recorded, RunnerError> {
    record(options, &Silent, &Cancel::default())
}
