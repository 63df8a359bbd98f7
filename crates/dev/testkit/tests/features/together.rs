//! Observations of all threads.

use pricetag_testkit::{Compiler, Machine, Testbed};
use pricetag_trace::Scope;

use super::{Subject, agree, arrivals, assert_split, passes, rows_on, subject};

fn observed(machine: &Machine) -> (Subject, pricetag_dataset::Dataset) {
    let subject = subject("Delegation", "4", Compiler::Javac(11));
    let scope: Scope = "Delegation#serve+threads".parse().expect("a scope");
    let (_, dataset) = rows_on(machine, &subject, Some(scope), 5, |_| {});
    (subject, dataset)
}

#[test]
fn a_row_is_what_all_threads_do_meanwhile() {
    let mut machines = Testbed::locate().runtimes().expect("the pinned runtimes");
    machines.push(Machine::system().expect("there is a JDK"));
    // With virtual threads and without.
    for machine in machines {
        println!("{}", machine.name);
        let (subject, dataset) = observed(&machine);
        assert_eq!(dataset.observations.len(), 4);
        agree(&subject, &dataset);
        let passed = |method: &str| {
            let name = format!("Delegation.{method} loop");
            let of = |row| passes(&dataset, row).into_iter();
            let counts = (0..4).map(|row| of(row).find(|(loop_, _)| loop_.starts_with(&name)));
            counts
                .map(|found| found.expect("a loop").1.0)
                .collect::<Vec<_>>()
        };
        // 1, 10, 100 and 1,000 times the argument, and four times the end of the loop.
        assert_eq!(passed("steps(int)"), [4.0, 1115.0, 2226.0, 3337.0]);
        // The worker is asked once an invocation, and waits again; in the last one it is sent home.
        assert_eq!(passed("worker()"), [2.0, 1.0, 1.0, 1.0]);
        for row in 0..4 {
            assert_split(&dataset, row, "Delegation");
            let caught = arrivals(&dataset, row).into_iter();
            let caught = caught.filter(|(handler, _)| handler.contains("parsed"));
            let classes: Vec<_> = caught.flat_map(|(_, (_, classes))| classes).collect();
            let number = "java.lang.NumberFormatException".to_owned();
            assert_eq!(classes, [(number, (row % 2) as f64)]);
            assert_eq!(dataset.observations[row].caveats, [""; 0]);
        }
    }
}
