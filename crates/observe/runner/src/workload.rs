//! Workloads: the inputs a subject is run on, and what is known of each before the run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use pricetag_dataset::InputValue;
use pricetag_dataset::secrets::{HIDDEN, names_secret, without_secrets};
use pricetag_file::raw;
use serde::{Deserialize, Serialize};

use crate::error::RunnerError;
use crate::find::{self, FindError};
use crate::template::{Bindings, filled};

/// One input: what the placeholders stand for, and its input features.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// Unique and stable: the input's path or the table's row.
    pub label: String,
    /// Placeholder values.
    pub bindings: Bindings,
    /// Known before the run.
    pub inputs: BTreeMap<String, InputValue>,
}

impl Case {
    /// As it is kept on disk: without the values of columns that are named as secrets are.
    pub(crate) fn kept(&self) -> Self {
        let mut kept = self.clone();
        for (name, value) in &mut kept.bindings {
            if names_secret(name) {
                HIDDEN.clone_into(value);
            }
        }
        kept
    }
}

/// All inputs, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// At least one.
    pub cases: Vec<Case>,
}

impl Workload {
    /// The command as it stands, run once.
    pub fn single() -> Self {
        let case = Case {
            label: "run".to_owned(),
            ..Case::default()
        };
        Self { cases: vec![case] }
    }

    /// The command as it stands, run once. What fills the placeholders of a recorded command is its input, of which the same is known before the
    /// run as of the inputs of that recording; nothing where the commands differ elsewhere, but for secrets, which are not kept, and options of the
    /// JVM. What is read from `stdin`, recorded and now, is an input, too.
    pub fn like(
        recorded: &[String],
        command: &[String],
        stdin: [Option<&str>; 2],
        files_base: &Path,
    ) -> Self {
        let mut workload = Self::single();
        let command = without_secrets(command);
        let [recorded, command] = [recorded, &command].map(|words| without_jvm_options(words));
        if recorded.len() != command.len() || stdin[0].is_some() != stdin[1].is_some() {
            return workload;
        }
        let words = recorded
            .into_iter()
            .zip(command)
            .chain(stdin[0].zip(stdin[1]));
        let mut inputs = BTreeMap::new();
        for (template, word) in words.filter(|(template, word)| template != word) {
            let known = filled(template, word)
                .is_some_and(|(name, value)| is_input(name, value, files_base, &mut inputs));
            if !known {
                return workload;
            }
        }
        workload.cases[0].inputs = inputs;
        workload
    }

    /// One observation per file that matches `pattern` relative to `base`, sorted by name, whatever its name is ([`raw`]); where the pattern is the
    /// name of a file, such as `a[1].txt`, that file. Paths are made absolute when the subject runs in another directory.
    pub fn from_glob(
        pattern: &str,
        base: &Path,
        subject_cwd: Option<&Path>,
    ) -> Result<Self, RunnerError> {
        let absolute = Path::new(pattern).is_absolute();
        let itself = base.join(pattern);
        let matches = if itself.is_file() {
            vec![itself]
        } else {
            find::files(pattern, base).map_err(|error| match error {
                FindError::Pattern(why) => RunnerError::BadPattern {
                    pattern: pattern.to_owned(),
                    why: why.to_string(),
                },
                FindError::Folder(path, source) => RunnerError::io("read", &path)(source),
            })?
        };
        let mut cases = Vec::new();
        for path in matches {
            let shown = if absolute {
                path.as_path()
            } else {
                path.strip_prefix(base).unwrap_or(&path)
            };
            let label = raw::text(shown.as_os_str());
            let value = if subject_cwd.is_some() {
                raw::text(path.as_os_str())
            } else {
                label.clone()
            };
            let mut inputs = BTreeMap::new();
            describe_file("input", &path, &mut inputs)?;
            cases.push(Case {
                label,
                bindings: Bindings::from([(String::new(), value)]),
                inputs,
            });
        }
        if cases.is_empty() {
            return Err(RunnerError::NoInputs {
                pattern: pattern.to_owned(),
                cwd: base.to_owned(),
                folders: find::folders(pattern, base),
            });
        }
        cases.sort_by(|a, b| a.label.cmp(&b.label));
        Ok(Self { cases })
    }

    /// One observation per row of a CSV table. Numeric columns become input features, columns of existing files
    /// (relative to `files_base`) also yield `name.bytes` and `name.lines`, other text columns become categories. Text where most of a
    /// column is numbers is an error, as in tables to import. Columns that are named as secrets are ([`names_secret`]) fill their placeholders and are no features.
    pub fn from_table(table: &Path, files_base: &Path) -> Result<Self, RunnerError> {
        let bad = |why: String| RunnerError::BadWorkload {
            table: table.to_owned(),
            why,
        };
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_path(table)
            .map_err(|e| bad(e.to_string()))?;
        let names: Vec<String> = reader
            .headers()
            .map_err(|e| bad(e.to_string()))?
            .iter()
            .map(str::to_owned)
            .collect();
        check_header(&names).map_err(bad)?;
        let (mut rows, mut lines) = (Vec::<Vec<String>>::new(), Vec::new());
        for row in reader.records() {
            let row = row.map_err(|e| bad(e.to_string()))?;
            lines.push(row.position().map_or(0, csv::Position::line));
            rows.push(row.iter().map(str::to_owned).collect());
        }
        if rows.is_empty() {
            return Err(RunnerError::EmptyWorkload {
                table: table.to_owned(),
            });
        }
        let columns = (0..names.len()).map(|c| {
            let values: Vec<&str> = rows.iter().map(|r| r[c].as_str()).collect();
            Column::of(&values, files_base).map_err(|stray| RunnerError::NotANumber {
                table: table.to_owned(),
                line: lines[stray.row],
                column: names[c].clone(),
                problem: stray.problem,
            })
        });
        let columns: Vec<Column> = columns.collect::<Result<_, _>>()?;
        let labels = labels(&columns, &rows);
        let mut cases = Vec::with_capacity(rows.len());
        for (row, label) in rows.iter().zip(labels) {
            let mut case = Case {
                label,
                ..Case::default()
            };
            for ((name, column), value) in names.iter().zip(&columns).zip(row) {
                if names.len() == 1 {
                    case.bindings.insert(String::new(), value.clone());
                }
                case.bindings.insert(name.clone(), value.clone());
                if names_secret(name) {
                    continue;
                }
                column.features(name, value, files_base, &mut case.inputs)?;
            }
            cases.push(case);
        }
        Ok(Self { cases })
    }
}

/// What the values of a table's column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Number,
    File,
    Text,
}

/// A value that is no number, in a column of numbers.
struct Stray {
    row: usize,
    problem: String,
}

impl Column {
    fn of(values: &[&str], base: &Path) -> Result<Self, Stray> {
        let numbers = values.iter().filter(|v| number(v).is_some()).count();
        let stray = values.iter().position(|v| number(v).is_none());
        let Some(row) = stray else {
            return Ok(Self::Number);
        };
        if values
            .iter()
            .all(|v| !v.is_empty() && base.join(v).is_file())
        {
            return Ok(Self::File);
        }
        if numbers * 2 > values.len() {
            let what = values[row];
            let rows = values.len();
            let problem = format!("`{what}` is not a number, but {numbers} of {rows} values are");
            return Err(Stray { row, problem });
        }
        Ok(Self::Text)
    }

    fn features(
        self,
        name: &str,
        value: &str,
        base: &Path,
        inputs: &mut BTreeMap<String, InputValue>,
    ) -> Result<(), RunnerError> {
        match self {
            Self::Number => {
                inputs.insert(
                    name.to_owned(),
                    InputValue::Number(number(value).unwrap_or_default()),
                );
            }
            Self::File => {
                inputs.insert(name.to_owned(), InputValue::Text(value.to_owned()));
                describe_file(name, &base.join(value), inputs)?;
            }
            Self::Text => {
                inputs.insert(name.to_owned(), InputValue::Text(value.to_owned()));
            }
        }
        Ok(())
    }
}

/// Notes what is known of an input before the run, as [`Workload::from_glob`] does of files without a name and [`Workload::from_table`] of named
/// values; whether it can be one.
fn is_input(
    name: &str,
    value: &str,
    base: &Path,
    inputs: &mut BTreeMap<String, InputValue>,
) -> bool {
    if name.is_empty() {
        let file = base.join(raw::name(value));
        return !file.is_file() || describe_file("input", &file, inputs).is_ok();
    }
    names_secret(name)
        || Column::of(&[value], base)
            .is_ok_and(|column| column.features(name, value, base, inputs).is_ok())
}

/// The words of a command but those that tune the JVM: `-Xmx1g`, `-XX:+UseSerialGC`.
fn without_jvm_options(words: &[String]) -> Vec<&str> {
    const WITH_VALUE: [&str; 5] = ["-cp", "-classpath", "--class-path", "-p", "--module-path"];
    let mut kept: Vec<&str> = Vec::new();
    let mut is_option = true;
    for (place, word) in words.iter().map(String::as_str).enumerate() {
        let is_value = kept.last().is_some_and(|last| WITH_VALUE.contains(last));
        is_option &= place == 0 || is_value || word.starts_with('-');
        if !(is_option && word.starts_with("-X")) {
            kept.push(word);
        }
    }
    kept
}

fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|v| v.is_finite())
}

fn check_header(names: &[String]) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for (index, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(format!("column {} has no name", index + 1));
        }
        if !seen.insert(name) {
            return Err(format!("column `{name}` occurs twice"));
        }
    }
    Ok(())
}

/// The first column of distinct files names the rows; otherwise their numbers do.
fn labels(columns: &[Column], rows: &[Vec<String>]) -> Vec<String> {
    let distinct =
        |c: usize| rows.iter().map(|r| &r[c]).collect::<BTreeSet<_>>().len() == rows.len();
    let naming = (0..columns.len()).find(|&c| columns[c] == Column::File && distinct(c));
    let numbered = |index: usize| format!("row {}", index + 1);
    rows.iter()
        .enumerate()
        .map(|(index, row)| naming.map_or_else(|| numbered(index), |c| row[c].clone()))
        .collect()
}

/// Adds `name.bytes` and `name.lines` of a file. A last line without line feed counts as a line.
fn describe_file(
    name: &str,
    path: &Path,
    inputs: &mut BTreeMap<String, InputValue>,
) -> Result<(), RunnerError> {
    let mut reader = BufReader::with_capacity(
        1 << 16,
        File::open(path).map_err(RunnerError::io("read", path))?,
    );
    let (mut bytes, mut lines, mut last) = (0u64, 0u64, b'\n');
    loop {
        let chunk = reader.fill_buf().map_err(RunnerError::io("read", path))?;
        let Some(&end) = chunk.last() else { break };
        last = end;
        bytes += chunk.len() as u64;
        lines += chunk.iter().map(|&b| u64::from(b == b'\n')).sum::<u64>();
        let consumed = chunk.len();
        reader.consume(consumed);
    }
    lines += u64::from(last != b'\n');
    inputs.insert(format!("{name}.bytes"), InputValue::Number(bytes as f64));
    inputs.insert(format!("{name}.lines"), InputValue::Number(lines as f64));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn input(case: &Case, name: &str) -> f64 {
        match case.inputs.get(name) {
            Some(InputValue::Number(n)) => *n,
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn columns_of_secrets_fill_placeholders_and_are_not_kept() {
        let dir = tempfile::tempdir().unwrap();
        let table = dir.path().join("t.csv");
        fs::write(&table, "n,api_key\n1,s3cret\n2,s4cret\n").unwrap();
        let w = Workload::from_table(&table, dir.path()).unwrap();
        assert_eq!(w.cases[1].bindings["api_key"], "s4cret");
        assert_eq!(w.cases[1].inputs.keys().collect::<Vec<_>>(), ["n"]);
        let kept = w.cases[1].kept();
        assert_eq!(
            (
                kept.bindings["api_key"].as_str(),
                kept.bindings["n"].as_str()
            ),
            ("***", "2")
        );
    }

    #[test]
    fn a_glob_yields_one_sorted_case_per_file() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("b.txt"), "one\ntwo").unwrap();
        fs::write(dir.path().join("a.txt"), "").unwrap();
        fs::create_dir(dir.path().join("c.txt")).unwrap();
        let w = Workload::from_glob("*.txt", dir.path(), None).unwrap();
        assert_eq!(
            w.cases.iter().map(|c| c.label.as_str()).collect::<Vec<_>>(),
            ["a.txt", "b.txt"]
        );
        assert_eq!(
            (
                input(&w.cases[0], "input.bytes"),
                input(&w.cases[0], "input.lines")
            ),
            (0.0, 0.0)
        );
        assert_eq!(
            (
                input(&w.cases[1], "input.bytes"),
                input(&w.cases[1], "input.lines")
            ),
            (7.0, 2.0)
        );
        assert_eq!(w.cases[1].bindings[""], "b.txt");
        let moved = Workload::from_glob("*.txt", dir.path(), Some(Path::new("/"))).unwrap();
        assert!(Path::new(&moved.cases[1].bindings[""]).is_absolute());
    }

    #[test]
    fn a_command_like_a_recorded_one_has_inputs_of_the_same_kind() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("new.txt"), "one\ntwo").unwrap();
        let words = |line: &str| -> Vec<String> { line.split(' ').map(str::to_owned).collect() };
        let like = |recorded: &str, command: &str| {
            let none = [None; 2];
            let found = Workload::like(&words(recorded), &words(command), none, dir.path());
            let [case] = &found.cases[..] else {
                panic!("one run");
            };
            case.clone()
        };
        let found = like("java App {}", "java App new.txt");
        assert_eq!(
            (input(&found, "input.bytes"), input(&found, "input.lines")),
            (7.0, 2.0)
        );
        let found = like(
            "java App --n={n} {mode} {f}",
            "java App --n=12 fast new.txt",
        );
        assert_eq!((input(&found, "n"), input(&found, "f.bytes")), (12.0, 7.0));
        assert_eq!(found.inputs["mode"], InputValue::Text("fast".to_owned()));
        for other in [
            "java App new.txt more",
            "java Other new.txt",
            "java App none.txt",
        ] {
            assert_eq!(like("java App {}", other).inputs.len(), 0, "{other}");
        }
        // What tunes the JVM and what is not kept makes no other command; an option of the program does.
        let found = like(
            "java -Xmx1g -cp a App --token=*** -X1 {}",
            "java -cp a -XX:+UseSerialGC App --token=geheim -X1 new.txt",
        );
        assert_eq!(input(&found, "input.lines"), 2.0);
        let found = like("java App -X1 {}", "java App -X2 new.txt");
        assert_eq!(found.inputs.len(), 0);
        // As in tables: a number is one even where a file is called so, and a secret is no input.
        fs::write(dir.path().join("12"), "text").unwrap();
        let found = like("java App {n} {password}", "java App 12 geheim");
        assert_eq!(input(&found, "n"), 12.0);
        assert_eq!(found.inputs.len(), 1);
        // A program may read its input.
        let command = words("java App");
        let from = |stdin| Workload::like(&command, &command, [Some("{}"), stdin], dir.path());
        let [case] = &from(Some("new.txt")).cases[..] else {
            panic!("one run");
        };
        assert_eq!(input(case, "input.bytes"), 7.0);
        assert_eq!(from(None).cases[0].inputs.len(), 0);
    }

    #[test]
    fn folders_that_link_to_themselves_are_searched_once() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("x.txt"), "1").unwrap();
        std::os::unix::fs::symlink(dir.path(), inner.join("up")).unwrap();
        std::os::unix::fs::symlink("..", dir.path().join("a/beside")).unwrap();
        let found = Workload::from_glob("**/*.txt", dir.path(), None).unwrap();
        assert_eq!(found.cases.len(), 1);
    }

    #[test]
    fn no_match_shows_pattern_and_directory() {
        let dir = tempfile::tempdir().unwrap();
        let bracket = dir.path().join("c[1].txt");
        fs::write(&bracket, "x").unwrap();
        let named = Workload::from_glob("c[1].txt", dir.path(), None).unwrap();
        assert_eq!(named.cases[0].label, "c[1].txt");
        fs::remove_file(&bracket).unwrap();
        let text = Workload::from_glob("none/*.x", dir.path(), None)
            .unwrap_err()
            .to_string();
        assert!(
            text.contains("none/*.x") && text.contains(&dir.path().display().to_string()),
            "{text}"
        );
    }

    #[test]
    fn a_directory_with_brackets_in_its_name_still_matches() {
        let dir = tempfile::tempdir().unwrap();
        let odd = dir.path().join("a[1]");
        fs::create_dir(&odd).unwrap();
        fs::write(odd.join("x"), "1\n").unwrap();
        assert_eq!(
            Workload::from_glob("*", &odd, None).unwrap().cases[0].label,
            "x"
        );
    }

    #[test]
    fn a_table_tells_numbers_files_and_categories_apart() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("f1"), "a\nb\n").unwrap();
        fs::write(dir.path().join("f2"), "abc").unwrap();
        let table = dir.path().join("w.csv");
        fs::write(&table, "n,file,mode\n1, f1 ,fast\n2.5,f2,7\n").unwrap();
        let w = Workload::from_table(&table, dir.path()).unwrap();
        assert_eq!(w.cases[0].label, "f1");
        assert_eq!(input(&w.cases[1], "n"), 2.5);
        assert_eq!(input(&w.cases[0], "file.lines"), 2.0);
        assert_eq!(input(&w.cases[1], "file.bytes"), 3.0);
        assert_eq!(w.cases[1].inputs["mode"], InputValue::Text("7".to_owned()));
        assert_eq!(w.cases[1].bindings["mode"], "7");
        assert!(!w.cases[0].bindings.contains_key(""));
    }

    #[test]
    fn bad_tables_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let table = dir.path().join("w.csv");
        for (text, why) in [
            ("a,b\n", "no rows"),
            ("a,a\n1,2\n", "twice"),
            ("a,\n1,2\n", "no name"),
            ("a,b\n1\n", "cannot be read"),
            (
                "n,m\n1,a\n\n2,b\nthree,c\n4,d\n",
                "line 5, column `n`: `three` is not a number, but 3 of 4 values are",
            ),
            (
                "n,m\n1,a\n2,b\n,c\n",
                "line 4, column `n`: `` is not a number",
            ),
        ] {
            fs::write(&table, text).unwrap();
            let error = Workload::from_table(&table, dir.path())
                .unwrap_err()
                .to_string();
            assert!(error.contains(why), "{text:?}: {error}");
        }
        assert!(Workload::from_table(&dir.path().join("missing"), dir.path()).is_err());
        // Half of a column may look like numbers by chance.
        fs::write(&table, "mode\nfast\n2\n").unwrap();
        let w = Workload::from_table(&table, dir.path()).unwrap();
        assert_eq!(w.cases[1].inputs["mode"], InputValue::Text("2".to_owned()));
    }

    #[test]
    fn rows_without_a_naming_column_are_numbered() {
        let dir = tempfile::tempdir().unwrap();
        let table = dir.path().join("w.csv");
        fs::write(&table, "n\n5\n5\n").unwrap();
        let w = Workload::from_table(&table, dir.path()).unwrap();
        assert_eq!(w.cases[1].label, "row 2");
        assert_eq!(w.cases[1].bindings[""], "5");
    }
}
