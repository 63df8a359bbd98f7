//! A recording as a folder, a behaviour as a file.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use crate::behaviour::{Behaviour, SCHEMA};
use crate::recording::{Call, Recording};

const HEAD: &str = "services.json";
const CALLS: &str = "calls.jsonl";

/// Why something cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ServicesError {
    /// The file system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Its reason.
        source: std::io::Error,
    },
    /// The file holds something else.
    #[error("{}:{line}: {reason}", path.display())]
    Form {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
}

fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ServicesError {
    let path = path.to_owned();
    move |source| ServicesError::Io {
        action,
        path,
        source,
    }
}

fn form(path: &Path, line: usize, reason: &impl ToString) -> ServicesError {
    ServicesError::Form {
        path: path.to_owned(),
        line,
        reason: reason.to_string(),
    }
}

impl Recording {
    /// Writes the folder.
    pub fn save(&self, folder: &Path) -> Result<(), ServicesError> {
        fs::create_dir_all(folder).map_err(io("create", folder))?;
        let mut lines = Vec::new();
        let path = folder.join(CALLS);
        for call in &self.calls {
            serde_json::to_writer(&mut lines, call).map_err(|e| form(&path, 0, &e))?;
            lines.push(b'\n');
        }
        pricetag_file::write(&path, &lines).map_err(io("write", &path))?;
        let path = folder.join(HEAD);
        let mut head = serde_json::to_vec_pretty(self).map_err(|e| form(&path, 0, &e))?;
        head.push(b'\n');
        pricetag_file::write(&path, &head).map_err(io("write", &path))
    }

    /// Whether a folder holds a recording.
    pub fn is_at(folder: &Path) -> bool {
        folder.join(HEAD).is_file()
    }

    /// Reads the folder.
    pub fn open(folder: &Path) -> Result<Self, ServicesError> {
        let path = folder.join(HEAD);
        let text = fs::read_to_string(&path).map_err(io("read", &path))?;
        let mut recording: Self =
            serde_json::from_str(&text).map_err(|e| form(&path, e.line(), &e))?;
        if recording.schema != SCHEMA {
            let schema = recording.schema;
            return Err(form(
                &path,
                1,
                &format!("schema {schema} is not {SCHEMA}, which this version reads"),
            ));
        }
        let path = folder.join(CALLS);
        let file = fs::File::open(&path).map_err(io("read", &path))?;
        for (index, line) in BufReader::new(file).lines().enumerate() {
            let line = line.map_err(io("read", &path))?;
            let call: Call = serde_json::from_str(&line).map_err(|e| form(&path, index + 1, &e))?;
            let known = call.service < recording.provided.len()
                && call
                    .required
                    .iter()
                    .all(|r| r.service < recording.required.len());
            if !known {
                return Err(form(
                    &path,
                    index + 1,
                    &format!("the call is of a service that {HEAD} does not have"),
                ));
            }
            recording.calls.push(call);
        }
        Ok(recording)
    }
}

impl Behaviour {
    /// Writes the file.
    pub fn save(&self, path: &Path) -> Result<(), ServicesError> {
        let mut text = serde_json::to_vec_pretty(self).map_err(|e| form(path, 0, &e))?;
        text.push(b'\n');
        pricetag_file::write(path, &text).map_err(io("write", path))
    }

    /// Reads the file.
    pub fn open(path: &Path) -> Result<Self, ServicesError> {
        let text = fs::read_to_string(path).map_err(io("read", path))?;
        let behaviour: Self = serde_json::from_str(&text).map_err(|e| form(path, e.line(), &e))?;
        if behaviour.schema == SCHEMA {
            Ok(behaviour)
        } else {
            let schema = behaviour.schema;
            Err(form(
                path,
                1,
                &format!("schema {schema} is not {SCHEMA}, which this version reads"),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Required, Service, Value};

    #[test]
    fn a_recording_is_read_as_it_was_written_and_damage_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let call = Call {
            service: 0,
            run: 0,
            thread: 1,
            number: 1,
            within: None,
            arguments: vec![Value::Number(3.0), Value::Null],
            result: Some(Value::Null),
            threw: false,
            required: vec![Required {
                service: 0,
                arguments: Vec::new(),
                result: None,
                threw: true,
            }],
            further: 0,
            executed: [("iadd".to_owned(), 2.0)].into(),
            time: None,
        };
        let recording = Recording {
            schema: SCHEMA,
            provided: vec![Service::default()],
            required: vec![Service::default()],
            calls: vec![call],
            ..Recording::default()
        };
        recording.save(folder.path()).unwrap();
        assert_eq!(Recording::open(folder.path()).unwrap(), recording);
        let calls = folder.path().join(CALLS);
        let text = fs::read_to_string(&calls).unwrap();
        let foreign = text.replace("\"service\":0", "\"service\":7");
        for (damaged, line, why) in [
            (format!("{text}{{"), ":2:", "EOF"),
            (format!("{text}{foreign}"), ":2:", "does not have"),
        ] {
            fs::write(&calls, damaged).unwrap();
            let error = Recording::open(folder.path()).unwrap_err().to_string();
            assert!(error.contains(line) && error.contains(why), "{error}");
        }
    }
}
