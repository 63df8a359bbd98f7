//! What is wrong with a program, where, and what to write instead.

use ariadne::{CharSet, Config, IndexType, Label, Report, ReportKind, Source};

use crate::syntax::Span;

/// One thing wrong with a program.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Diagnostic {
    /// Where.
    pub span: Span,
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte in characters, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub advice: Option<String>,
}

impl Diagnostic {
    /// A message at a place; [`place`](Self::place) fills in line and column.
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            line: 0,
            column: 0,
            message: message.into(),
            advice: None,
        }
    }

    /// Says what to write instead.
    pub(crate) fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }

    /// Finds line and column in the source.
    pub(crate) fn place(&mut self, source: &str) {
        let before = source.get(..self.span.start as usize).unwrap_or(source);
        self.line = before.matches('\n').count() as u32 + 1;
        let line = before.rsplit('\n').next().unwrap_or(before);
        self.column = line.chars().count() as u32 + 1;
    }
}

/// Diagnostics as a person reads them: the source line with a mark below the place.
#[must_use]
pub fn render(diagnostics: &[Diagnostic], file: &str, source: &str, color: bool) -> String {
    let config = Config::default()
        .with_index_type(IndexType::Byte)
        .with_char_set(CharSet::Unicode)
        .with_color(color);
    let mut out = Vec::new();
    for d in diagnostics {
        let range = d.span.start as usize..d.span.end as usize;
        let mut report = Report::build(ReportKind::Error, (file, range.clone()))
            .with_config(config)
            .with_message(&d.message)
            .with_label(Label::new((file, range)).with_message("here"));
        if let Some(advice) = &d.advice {
            report = report.with_help(advice);
        }
        // Writing into memory cannot fail; a report that could would still have its message below.
        if report
            .finish()
            .write((file, Source::from(source)), &mut out)
            .is_err()
        {
            out.extend_from_slice(format!("{file}:{}: {}\n", d.line, d.message).as_bytes());
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Where lines of a source begin.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    /// The name of the file.
    pub file: String,
    starts: Vec<u32>,
}

impl Lines {
    pub(crate) fn new(file: &str, source: &str) -> Self {
        let ends = source.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(i, _)| i as u32 + 1));
        Self {
            file: file.to_owned(),
            starts: starts.collect(),
        }
    }

    /// Line from 1 and column from 0, in bytes.
    pub(crate) fn of(&self, byte: u32) -> (u32, u32) {
        let line = self.starts.partition_point(|s| *s <= byte);
        (line as u32, byte - self.starts[line - 1])
    }
}
