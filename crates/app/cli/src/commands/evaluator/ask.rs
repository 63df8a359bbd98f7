//! Asks a predictor about one input.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pricetag_evaluate::emit;
use pricetag_evaluator::{Answer, AnswerStatus, Evaluator};
use pricetag_runner::Ended;
use pricetag_runner::supervise::{Cancel, Ending, Launch, run};

use super::shown;
use crate::failure::{Failure, io};

/// What lets Java 18 to 23 keep a program from acting.
const ALLOW: &str = "-Djava.security.manager=allow";

/// Whether a file is an archive.
pub fn is_predictor(path: &Path) -> bool {
    let mut start = [0; 2];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"PK"
}

/// What a predictor says of itself.
pub fn evaluator(path: &Path) -> Result<Evaluator, Failure> {
    let doing = format!("opening predictor {}", shown(path));
    let bytes = std::fs::read(path).map_err(io("read", path))?;
    let json = emit::json_of(&bytes).map_err(|e| {
        Failure::new(e.to_string())
            .doing(&doing)
            .advice("make one with `pricetag evaluator build DATASET`")
    })?;
    serde_json::from_str(&json).map_err(|e| {
        Failure::new(format!("what it says of itself is damaged: {e}"))
            .doing(&doing)
            .advice("build it again")
    })
}

/// What a predictor is asked.
pub struct Question<'q> {
    /// The program's arguments.
    pub arguments: &'q [String],
    /// Where the program would run.
    pub cwd: Option<&'q Path>,
    /// How long it may take.
    pub timeout: Option<Duration>,
}

impl Question<'_> {
    /// Asks; the answer, and how the process ended.
    pub fn ask(&self, predictor: &Path, evaluator: &Evaluator) -> Result<(Answer, Ended), Failure> {
        let options = &evaluator.subject.options;
        let (answer, ended) = self.try_with(predictor, options)?;
        let refused = answer
            .reason
            .as_ref()
            .is_some_and(|why| why.contains(ALLOW));
        if answer.status == AnswerStatus::Unknown && refused {
            let mut options = options.clone();
            options.push(ALLOW.to_owned());
            return self.try_with(predictor, &options);
        }
        Ok((answer, ended))
    }

    /// Runs the archive with options of the JVM.
    pub fn try_with(
        &self,
        predictor: &Path,
        options: &[String],
    ) -> Result<(Answer, Ended), Failure> {
        let here = std::env::current_dir().map_err(io("find", Path::new(".")))?;
        let jar = here.join(predictor);
        let mut args = options.to_vec();
        args.extend(["-jar".to_owned(), shown(&jar)]);
        args.extend(self.arguments.iter().cloned());
        let launch = Launch {
            program: PathBuf::from("java"),
            args,
            cwd: self.cwd.map(Path::to_path_buf),
            ..Launch::default()
        };
        let ended = run(&launch, self.timeout, false, &Cancel::default())?;
        // One input that gets no answer takes none from the others.
        let answer = if let Ending::TimedOut(limit) = ended.ending {
            Answer::unknown(format!("no answer within {} s", limit.as_secs_f64()))
        } else {
            Answer::parse(&ended.stdout.text()).unwrap_or_else(|e| {
                let said = ended.stderr.text();
                let last = said.lines().last().unwrap_or_default();
                Answer::unknown(format!("{e} ({last})"))
            })
        };
        Ok((answer, ended))
    }
}
