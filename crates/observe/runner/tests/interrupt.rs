//! Ending at once: alone in its process, since it ends every child there is.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use pricetag_runner::Cancel;
use pricetag_runner::supervise::{Ending, Launch, kill_all, run};

#[test]
fn killing_all_ends_children_that_ignore_signals_and_those_that_left_the_group() {
    let dir = tempfile::tempdir().expect("a directory");
    let pids = dir.path().join("pids");
    let script = format!(
        "trap '' TERM INT; setsid sleep 300 & echo $! >> {0}; sleep 300 & echo $! >> {0}; wait; wait",
        pids.display()
    );
    let launch = Launch {
        program: "/bin/sh".into(),
        args: vec!["-c".to_owned(), script],
        ..Launch::default()
    };
    let child = thread::spawn(move || run(&launch, None, false, &Cancel::default()));
    let begun = Instant::now();
    let both = || std::fs::read_to_string(&pids).is_ok_and(|text| text.lines().count() == 2);
    while !both() && begun.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(5));
    }
    kill_all();
    let ended = child.join().expect("joined").expect("started");
    assert_eq!(ended.ending, Ending::Signal(9));
    assert!(begun.elapsed() < Duration::from_secs(25));
    for pid in std::fs::read_to_string(&pids).expect("read").lines() {
        let gone = || {
            let state = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
            state.ok().is_none_or(|state| {
                let after = state.rsplit_once(')').map(|(_, rest)| rest.trim_start());
                after.is_none_or(|rest| rest.starts_with('Z'))
            })
        };
        while !gone() {
            assert!(
                begun.elapsed() < Duration::from_secs(25),
                "{pid} still runs"
            );
            thread::sleep(Duration::from_millis(5));
        }
    }
}
