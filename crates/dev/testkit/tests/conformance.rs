//! The conformance suite: counts derived from probes equal what single-stepping sees, instruction by instruction, and what
//! the comments of each program say. `PRICETAG_CONFORMANCE=Part` restricts it to programs whose name contains `Part`.

use std::fmt::Write as _;

use pricetag_testkit::{Agent, Suite};

/// Differences shown per program.
const SHOWN: usize = 12;

#[test]
fn derived_counts_equal_single_stepping() {
    let part = std::env::var("PRICETAG_CONFORMANCE").unwrap_or_default();
    let suite = Suite::conformance(&part).expect("the conformance programs compile");
    let agent = Agent::locate().expect("the agent builds");
    let verdicts = suite.check_all(&agent, 2);

    let (mut instructions, mut comments, mut failed, mut report) = (0, 0, 0, String::new());
    for (name, verdict) in &verdicts {
        instructions += verdict.instructions;
        comments += verdict.comments;
        if verdict.differences.is_empty() {
            continue;
        }
        failed += 1;
        let _ = writeln!(report, "{name}: {} differences", verdict.differences.len());
        for difference in verdict.differences.iter().take(SHOWN) {
            let _ = writeln!(report, "    {difference}");
        }
    }
    println!(
        "{} programs, {instructions} instructions and {comments} comments compared, {failed} programs differ",
        verdicts.len()
    );
    assert_eq!(
        verdicts.len(),
        suite.programs.len(),
        "every program was checked"
    );
    assert!(
        !part.is_empty() || verdicts.len() >= 40,
        "the suite has shrunk to {} programs",
        verdicts.len()
    );
    assert!(
        failed == 0,
        "{failed} of {} programs differ\n{report}",
        verdicts.len()
    );
}
