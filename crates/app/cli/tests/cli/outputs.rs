//! Outputs that are no plain files, or that have no room.

use std::fmt::Write as _;

use crate::support::Desk;

/// A dataset of a table, without a JVM.
fn desk() -> Desk {
    let desk = Desk::new(&[]);
    let mut rows = "x,y,t\n".to_owned();
    for (x, y) in (1..=12).map(|x| (x, x * x % 7)) {
        writeln!(rows, "{x},{y},{}", 3 * x + 2 * y).unwrap();
    }
    std::fs::write(desk.path("t.csv"), rows).unwrap();
    let made = desk.run("import t.csv --target t -o data");
    assert_eq!(made.code, 0, "{}", made.stderr);
    assert_eq!(desk.run("fit data -o m.json").code, 0);
    desk
}

/// Every command that writes a file.
const WRITERS: [&str; 5] = [
    "fit data -o",
    "export data --format csv -o",
    "export data --format parquet -o",
    "export data --format lata-csv -o",
    "report m.json --dataset data -o",
];

#[test]
fn a_device_is_written_to_and_not_replaced() {
    let desk = desk();
    for writer in WRITERS {
        let link = desk.path("sink");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        let ran = desk.run(&format!("{writer} sink"));
        assert_eq!(ran.code, 0, "{writer}: {}", ran.stderr);
        assert!(link.symlink_metadata().unwrap().is_symlink(), "{writer}");
        std::fs::remove_file(&link).unwrap();
    }
    let csv = desk.run("export data --format csv -o /dev/stdout");
    assert!(
        csv.stdout.starts_with("label,group,status,t,x,y\n"),
        "{}",
        csv.stdout
    );
}

#[test]
fn a_full_disk_is_told_with_what_to_try() {
    let desk = desk();
    std::os::unix::fs::symlink("/dev/full", desk.path("full")).unwrap();
    for writer in WRITERS {
        let ran = desk.run(&format!("{writer} full"));
        assert_eq!(ran.code, 1, "{writer}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("No space left on device"),
            "{writer}: {}",
            ran.stderr
        );
        assert!(
            ran.stderr.contains("free some space"),
            "{writer}: {}",
            ran.stderr
        );
    }
}

#[test]
fn a_share_of_nothing_is_wrong_usage_and_damage_is_not_called_missing() {
    let desk = desk();
    let ran = desk.run("fit data -o n.json --train 0%");
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    std::fs::write(desk.path("data/counts.parquet"), "zz").unwrap();
    let ran = desk.run("inspect data");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("damaged"), "{}", ran.stderr);
}

#[test]
fn a_dash_is_standard_output_and_no_file_of_that_name() {
    let desk = desk();
    for format in ["csv", "parquet", "lata-csv"] {
        let line = format!("export data --format {format} -o");
        assert_eq!(desk.run(&format!("{line} file")).code, 0);
        let output = desk.command(&format!("{line} -")).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        let file = std::fs::read(desk.path("file")).unwrap();
        assert!(output.stdout == file && !file.is_empty(), "{format}");
        assert!(output.stderr.is_empty());
    }
    assert!(!desk.path("-").exists());
    let both = desk.run("export data --format csv -o - --json");
    assert_eq!(both.code, 2, "{}", both.stderr);
}

#[test]
fn listed_features_are_learnt_from_and_written_alone() {
    let desk = desk();
    let names = desk.run("inspect data --list features").stdout;
    assert_eq!(names, "x\ny\n");
    assert_eq!(desk.run("inspect data --list blocks").stdout, "");
    std::fs::write(desk.path("only"), "# the first\n\nx\n").unwrap();
    let model = desk.json("fit data --method ols --train 100% --only only -o x.json --json");
    let terms: Vec<&str> = model["summary"]["coefficients"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["name"].as_str().unwrap())
        .collect();
    assert_eq!(terms, ["x"]);
    assert_eq!(model["provenance"]["options"]["only"], "only");
    let csv = desk.run("export data --format csv --only only -o -").stdout;
    assert!(csv.starts_with("label,group,status,t,x\n"), "{csv}");
    std::fs::write(desk.path("only"), "z\n").unwrap();
    let odd = desk.run("fit data --only only");
    assert_eq!(odd.code, 1);
    assert!(odd.stderr.contains("`z`") && odd.stderr.contains("--list features"));
    std::fs::write(desk.path("only"), "\n").unwrap();
    assert_eq!(desk.run("fit data --only only").code, 2);
}

#[test]
fn a_table_explains_and_reports_as_its_dataset_does() {
    let desk = desk();
    let answers = ["data", "t.csv"].map(|dataset| {
        let explained = desk.run(&format!("explain m.json --json --dataset {dataset}"));
        assert_eq!(explained.code, 0, "{}", explained.stderr);
        let reported = desk.run(&format!("report m.json -o r.html --dataset {dataset}"));
        assert_eq!(reported.code, 0, "{}", reported.stderr);
        let page = std::fs::read_to_string(desk.path("r.html")).unwrap();
        (explained.stdout, page)
    });
    assert!(answers[0].0.contains("\"cost\""), "{}", answers[0].0);
    assert!(answers[0] == answers[1], "other answers, or another page");
    let odd = desk.run("explain m.json --dataset t.csv --ignore q");
    assert!(
        odd.code == 1 && odd.stderr.contains("`q`"),
        "{}",
        odd.stderr
    );
}
