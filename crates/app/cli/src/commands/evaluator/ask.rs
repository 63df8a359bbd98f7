//! Asks a predictor about one input.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use pricetag_evaluate::emit;
use pricetag_evaluator::{Answer, Evaluator};
use pricetag_runner::Ended;
use pricetag_runner::supervise::{Cancel, Ending, Launch, run};

use super::shown;
use crate::failure::{Failure, io};

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
        self.try_with(predictor, &evaluator.subject.options)
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

/// Asks several questions, so many at a time; the answers in their order.
pub fn ask_all(
    questions: &[Question<'_>],
    predictor: &Path,
    evaluator: &Evaluator,
    jobs: usize,
) -> Result<Vec<(Answer, Ended)>, Failure> {
    let next = AtomicUsize::new(0);
    let answers: Mutex<Vec<_>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, questions.len().max(1)) {
            scope.spawn(|| {
                while let Some((number, question)) = {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    questions.get(number).map(|question| (number, question))
                } {
                    let answer = question.ask(predictor, evaluator);
                    let failed = answer.is_err();
                    if let Ok(mut answers) = answers.lock() {
                        answers.push((number, answer));
                    }
                    if failed {
                        break;
                    }
                }
            });
        }
    });
    let mut answers = answers.into_inner().unwrap_or_default();
    answers.sort_by_key(|(number, _)| *number);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
