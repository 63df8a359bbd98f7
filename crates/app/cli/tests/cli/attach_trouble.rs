//! `record --attach` where something is in the way: folders, users, Ctrl-C, an upgrade, what earlier recordings left, options that say something else.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::attach_server::{
    Server, compile, counted, request, serve, serve_by, serve_counted, wait_for,
};
use crate::support::{Desk, program};
use pricetag_dataset::{FeatureKind, open};
use pricetag_runner::attach::{Attached, prepare};
use pricetag_trace::{AgentOptions, Mode};
use rustix::process::{Pid, Signal, geteuid, kill_process};

/// The user that owns nothing.
const NOBODY: u32 = 65534;

/// A recording of the server, short unless more options say otherwise.
fn line(server: &Server, output: &str, more: &str) -> String {
    let pid = server.0.id();
    format!("record --attach {pid} -o {output} --include Server {more}")
}

const SHORT: &str = "--every 0.3 --for 0.6";

fn start(desk: &Desk, line: &str) -> Child {
    let mut command = desk.command(line);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits for the end of a recording: its exit code, and what it said.
fn end(recording: Child) -> (Option<i32>, String) {
    let output = recording.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

fn send(pid: u32, signal: Signal) {
    let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

fn snapshots(desk: &Desk, output: &str) -> usize {
    let files = fs::read_dir(desk.path(output).join(".agent"));
    let files = files.into_iter().flatten().flatten();
    files
        .filter(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            name.contains(".snapshot-") || name.contains(".taken-")
        })
        .count()
}

/// The agent where the test may replace it, and every user find it.
fn own_agent(desk: &Desk) -> PathBuf {
    let own = desk.path("libpricetag_agent.so");
    fs::copy(program().with_file_name("libpricetag_agent.so"), &own).unwrap();
    own
}

/// Whether requests go uncounted.
fn is_left_alone(desk: &Desk, server: &Server) -> bool {
    let attached = Attached::find(server.0.id()).unwrap();
    (0..3).for_each(|_| request(desk, 20));
    counted(&attached) == 0
}

#[test]
fn a_jvm_whose_working_directory_takes_no_file_is_recorded() {
    let desk = Desk::new(&[]);
    let mut java = Command::new("java");
    java.current_dir("/proc");
    let server = serve_by(&desk, java);
    let ran = desk.run(&line(&server, "data", SHORT));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn root_records_the_jvm_of_another_user() {
    let desk = Desk::new(&[]);
    if !geteuid().is_root() {
        // Root's own process.
        let ran = desk.run("record --attach 1 -o data");
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.stderr.contains("or as root"), "{}", ran.stderr);
        return;
    }
    let permit = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode));
    permit(&desk.path("."), 0o777).unwrap();
    let agent = own_agent(&desk);
    let mut java = Command::new("java");
    java.uid(NOBODY).gid(NOBODY).current_dir(desk.path("."));
    let server = serve_by(&desk, java);
    let record = |output: &str| {
        let more = format!("--agent {} {SHORT}", agent.display());
        desk.run(&line(&server, output, &more))
    };
    fs::create_dir(desk.path("closed")).unwrap();
    permit(&desk.path("closed"), 0o700).unwrap();
    let barred = record("closed/data");
    assert_eq!(barred.code, 1, "{}", barred.stderr);
    for part in ["user 65534", "no access to", "chmod o+rx", "closed"] {
        assert!(barred.stderr.contains(part), "{}", barred.stderr);
    }
    for output in ["data", "more"] {
        let ran = record(output);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert!(is_left_alone(&desk, &server));
        let folder = fs::metadata(desk.path(output).join(".agent")).unwrap();
        assert_eq!((folder.uid(), folder.gid()), (NOBODY, NOBODY));
    }
}

#[test]
fn of_two_that_come_at_the_same_time_one_records() {
    let desk = Desk::new(&[]);
    let server = serve(&desk, &[]);
    let both =
        ["one", "other"].map(|output| start(&desk, &line(&server, output, "--every 1 --for 3")));
    let mut ends = both.map(end);
    ends.sort();
    let [(done, _), (refused, why)] = &ends;
    assert_eq!((*done, *refused), (Some(0), Some(1)), "{ends:?}");
    assert!(why.contains("another recording of process"), "{why}");
    assert!(is_left_alone(&desk, &server));
}

#[test]
fn two_programs_are_not_recorded_into_one_folder() {
    let [one, other] = [Desk::new(&[]), Desk::new(&[])];
    let servers = [&one, &other].map(|desk| serve(desk, &[]));
    let first = start(&one, &line(&servers[0], "data", "--every 1 --for 10"));
    wait_for("snapshots", || snapshots(&one, "data") > 0);
    let output = one.path("data").display().to_string();
    let second = other.run(&line(&servers[1], &output, SHORT));
    assert_eq!(second.code, 1, "{}", second.stderr);
    let why = "is being recorded into by another process";
    assert!(second.stderr.contains(why), "{}", second.stderr);
    assert_eq!(end(first).0, Some(0));
}

#[test]
fn ctrl_c_while_the_agent_comes_leaves_no_counters() {
    let desk = Desk::new(&[]);
    let server = serve(&desk, &[]);
    // From now on the JVM listens.
    let first = desk.run(&line(&server, "first", SHORT));
    assert_eq!(first.code, 0, "{}", first.stderr);
    send(server.0.id(), Signal::STOP);
    let recording = start(&desk, &line(&server, "second", "--every 1"));
    wait_for("options", || desk.path("second/.agent/options").exists());
    std::thread::sleep(Duration::from_millis(300));
    send(recording.id(), Signal::INT);
    std::thread::sleep(Duration::from_millis(300));
    send(server.0.id(), Signal::CONT);
    let (code, said) = end(recording);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("before there was an interval"), "{said}");
    assert!(is_left_alone(&desk, &server));
}

#[test]
fn what_was_counted_until_ctrl_c_is_an_interval() {
    let desk = Desk::new(&[]);
    let server = serve(&desk, &[]);
    let recording = start(&desk, &line(&server, "data", "--every 10m"));
    wait_for("snapshot", || snapshots(&desk, "data") > 0);
    std::thread::sleep(Duration::from_millis(300));
    (0..7).for_each(|_| request(&desk, 20));
    std::thread::sleep(Duration::from_secs(1));
    send(recording.id(), Signal::INT);
    let (code, said) = end(recording);
    assert_eq!(code, Some(0), "{said}");
    let dataset = open(&desk.path("data")).unwrap();
    assert_eq!(dataset.observations.len(), 1);
    let mut features = dataset.features.iter().zip(&dataset.columns);
    let work = features
        .find(|(f, _)| f.kind == FeatureKind::Method && f.method.as_deref() == Some("work"));
    let (_, column) = work.unwrap();
    assert_eq!(column.iter().map(|(_, value)| value).sum::<f64>(), 7.0);
    assert_eq!(snapshots(&desk, "data"), 0);
    assert!(is_left_alone(&desk, &server));
}

#[test]
fn an_agent_whose_library_was_replaced_is_neither_doubled_nor_forgotten() {
    let desk = Desk::new(&[]);
    let agent = own_agent(&desk);
    let server = serve(&desk, &[]);
    let more = format!("--agent {} --every 1 --for 3", agent.display());
    let recording = start(&desk, &line(&server, "first", &more));
    wait_for("snapshot", || snapshots(&desk, "first") > 0);
    // As an upgrade does.
    fs::copy(&agent, desk.path("new")).unwrap();
    fs::rename(desk.path("new"), &agent).unwrap();
    let (code, said) = end(recording);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("note: counters stay in process"), "{said}");
    let refused = desk.run(&line(&server, "second", &more));
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    for part in ["another installation", "start the program again"] {
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
    let maps = fs::read_to_string(format!("/proc/{}/maps", server.0.id())).unwrap();
    let second = maps
        .lines()
        .any(|line| line.ends_with("libpricetag_agent.so"));
    assert!(!second, "{maps}");
}

#[test]
fn every_dataset_has_its_plans_and_a_trace_that_is_gone_is_told() {
    let desk = Desk::new(&[]);
    let server = serve(&desk, &[]);
    for output in ["first", "second"] {
        let ran = desk.run(&line(&server, output, SHORT));
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let plans = fs::read_dir(desk.path(output).join(".agent/plans"));
        assert!(plans.unwrap().count() > 0, "{output}");
    }
    fs::remove_dir_all(desk.path("first")).unwrap();
    let ran = desk.run(&line(&server, "third", SHORT));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    for part in ["which is gone", "start the program again"] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
}

#[test]
fn a_program_that_has_not_begun_is_told_at_once() {
    let desk = Desk::new(&[]);
    let source = "public class Slow {
        static {
            try {
                new java.io.File(\"loaded\").createNewFile();
                Thread.sleep(120_000);
            } catch (Exception e) { throw new IllegalStateException(e); }
        }
        public static void main(String[] arguments) { }
    }";
    fs::write(desk.path("Slow.java"), source).unwrap();
    compile(&desk, &desk.path("Slow.java"));
    let options = AgentOptions::new(Mode::Count, "%p.trace");
    let agent = program().with_file_name("libpricetag_agent.so");
    let folder = desk.path("data/.agent");
    let options = prepare(std::process::id(), &agent, &folder, &options).unwrap();
    let slow = Command::new("java")
        .args(options.split(' '))
        .args(["-cp", "classes", "Slow"])
        .current_dir(desk.path("."))
        .spawn();
    let slow = Server(slow.unwrap());
    wait_for("class", || desk.path("loaded").exists());
    let begun = Instant::now();
    let ran = desk.run(&format!(
        "record --attach {} -o data --every 60",
        slow.0.id()
    ));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let why = "has not entered its main method";
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
    assert!(begun.elapsed() < Duration::from_secs(50));
    assert_eq!(snapshots(&desk, "data"), 0);
}

#[test]
fn an_agent_that_counts_something_else_is_not_taken_for_what_is_asked_for() {
    let desk = Desk::new(&[]);
    let server = serve_counted(&desk, "");
    let pid = server.0.id();
    for other in [
        "--include Server$*",
        "--exclude Server",
        "--features strides",
    ] {
        let ran = desk.run(&format!("record --attach {pid} -o data {SHORT} {other}"));
        assert_eq!(ran.code, 2, "{other}: {}", ran.stderr);
        let counts = "an agent that counts --include Server:";
        assert!(ran.stderr.contains(counts), "{}", ran.stderr);
    }
    let ran = desk.run(&line(&server, "data", SHORT));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn a_table_of_categories_that_is_wrong_is_told_before_the_program_is_touched() {
    let desk = Desk::new(&[("table.toml", "nonsense")]);
    let server = serve(&desk, &[]);
    let ran = desk.run(&line(&server, "data", "--categories in/table.toml"));
    assert_ne!(ran.code, 0);
    assert!(ran.stderr.contains("table.toml"), "{}", ran.stderr);
    let maps = fs::read_to_string(format!("/proc/{}/maps", server.0.id())).unwrap();
    assert!(!maps.contains("libpricetag_agent.so"), "{maps}");
}

#[test]
fn options_of_runs_are_refused_but_not_those_of_the_settings_file() {
    let desk = Desk::new(&[]);
    for option in [
        "--inputs x",
        "--workload x",
        "--stdin x",
        "--env A=b",
        "--cwd .",
        "--timeout 5",
        "--scope A#b",
        "--check-determinism all",
        "--repeat 3",
        "--timing same",
        "--overhead 5%",
        "--warmup 1",
        "--jit on",
        "--gc off",
        "--resume",
        "--show-output",
    ] {
        let ran = desk.run(&format!("record --attach 1 -o data {option}"));
        assert_eq!(ran.code, 2, "{option}");
        let why = "cannot be used with";
        assert!(ran.stderr.contains(why), "{option}: {}", ran.stderr);
    }
    let ran = desk.run("record --attach 1 -o data --for 5");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("--every 10 s"), "{}", ran.stderr);
    fs::write(
        desk.path("pricetag.toml"),
        "[record]\nrepeat = 5\nscope = 'A#b'",
    )
    .unwrap();
    let own = std::process::id();
    let ran = desk.run(&format!("record --attach {own} -o data"));
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let why = "no Java virtual machine";
    assert!(ran.stderr.contains(why), "{}", ran.stderr);
}
