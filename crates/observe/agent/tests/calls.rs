//! Writing invocations down when something goes wrong: a full disk, a process that is killed.

mod support;

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use pricetag_events::{Ending, Reader};
use pricetag_trace::{AgentOptions, CallChoice, Calls, Mode, Record, Trace};
use support::{Subject, execute};

const SOURCE: &str = "
public class Steps {
    static int step(int n) { return n + 1; }

    public static void main(String[] args) throws Exception {
        int n = 0;
        for (int i = 0; i < 3_000_000; i++) n = step(n);
        System.out.println(n);
        if (args.length > 0) Thread.sleep(60_000);
    }
}
";

fn options(subject: &Subject, file: PathBuf) -> AgentOptions {
    AgentOptions {
        calls: Some(Calls {
            file,
            which: CallChoice::default(),
        }),
        ..subject.options(Mode::Count)
    }
}

#[test]
fn a_full_disk_ends_the_recording_and_not_the_program() {
    let subject = Subject::new("Steps.java", SOURCE);
    let options = options(&subject, "/dev/full".into());
    let outcome = execute(subject.observed(&options, &["Steps"]));
    assert_eq!((outcome.status, &*outcome.output), (Some(0), "3000000\n"));
    let trace = Trace::read(&options.trace).expect("a trace");
    let caveats: Vec<&String> = trace
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Inexact(why) => Some(why),
            _ => None,
        })
        .collect();
    assert!(
        caveats.iter().any(|why| {
            why.contains("invocations could not be written") && why.contains("No space left")
        }),
        "{caveats:?}"
    );
}

#[test]
fn what_a_killed_process_wrote_can_be_read() {
    let subject = Subject::new("Steps.java", SOURCE);
    let file = subject.path("events");
    let options = options(&subject, file.clone());
    let mut command = subject.observed(&options, &["Steps", "wait"]);
    command.stdout(std::process::Stdio::null());
    let mut child = command.spawn().expect("java starts");
    let begun = Instant::now();
    // It has called three million times when some hundred blocks are there.
    while std::fs::metadata(&file).map_or(0, |data| data.len()) < 8_000 {
        assert!(
            begun.elapsed() < Duration::from_mins(1),
            "nothing is written"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let mut reader = Reader::new(File::open(&file).expect("the file")).expect("events");
    let mut events = Vec::new();
    let mut read = 0;
    for block in &mut reader {
        block.decode(&mut events).expect("whole");
        read += events.len();
    }
    assert!(
        matches!(reader.ending(), Ending::Cut(_)),
        "{:?}",
        reader.ending()
    );
    assert!((10_000..=3_000_001).contains(&read), "{read}");
}
