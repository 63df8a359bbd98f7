//! Commands of a page, as a user types them.

use std::process::Command;

use crate::support::{Desk, Ran, program, ran};

/// Runs a line in a shell that finds the program; once instead of three times with a clock. It must end with this exit code.
pub fn typed(desk: &Desk, line: &str, code: i32) -> Ran {
    let folder = program().parent().unwrap().display().to_string();
    let path = std::env::var("PATH").unwrap();
    let mut command = Command::new("bash");
    command
        .args(["-c", line])
        .current_dir(desk.path("."))
        .env("PATH", format!("{folder}:{path}"))
        .env("PRICETAG_CACHE", "none")
        .env("PRICETAG_REPEAT", "1");
    let ran = ran(command);
    assert_eq!(ran.code, code, "{line}: {}{}", ran.stdout, ran.stderr);
    ran
}
