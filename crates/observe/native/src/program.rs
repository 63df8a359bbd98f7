//! A program that is measured: definitions, an `input` of a size, a `run` that is timed, and what to look for in its code.
//!
//! A file opens with one comment of `key: value` lines:
//! `what` in a sentence, `family`, `sizes` (numbers, or `FIRST..LAST/HOW MANY`), `pair` (programs that compute the same),
//! and any number of `asm` lines: `FUNCTION: AT-LEAST PATTERN` (see [`crate::assembly`]). The definitions follow; they must hold
//! `input : int -> 'a` and `run : 'a -> 'b`. What is measured and counted is the application `run (input n)`, without the making of the input.

use crate::assembly::Expectation;
use crate::error::NativeError;

/// A program to be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Unique: letters, digits and `_`.
    pub name: String,
    /// What it computes.
    pub what: String,
    /// `lists`, `trees`, …; for generated programs the construct they are about.
    pub family: String,
    /// Programs of one pair compute the same in different ways.
    pub pair: Option<String>,
    /// Sizes it is measured at, ascending.
    pub sizes: Vec<u32>,
    /// What its machine code must hold.
    pub expectations: Vec<Expectation>,
    /// The definitions.
    pub source: String,
    /// Lines of its file before them, so that places can be told.
    pub before: u32,
}

impl Program {
    /// Reads a program file.
    pub fn parse(name: &str, text: &str) -> Result<Self, NativeError> {
        let fail = |reason: String| NativeError::Header {
            program: name.to_owned(),
            reason,
        };
        if !plain(name) {
            return Err(fail(
                "a program's name, that of its file without `.ml`, has letters, digits and `_` only".into(),
            ));
        }
        let body = text
            .strip_prefix("(*")
            .and_then(|t| t.split_once("*)"))
            .ok_or_else(|| fail("does not open with a comment of `key: value` lines".into()))?;
        let mut program = Self {
            name: name.to_owned(),
            what: String::new(),
            family: String::new(),
            pair: None,
            sizes: vec![],
            expectations: vec![],
            source: body.1.trim().to_owned() + "\n",
            before: 0,
        };
        let header = text.len() - body.1.trim_start().len();
        program.before = text[..header].matches('\n').count() as u32;
        for line in body.0.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let (key, value) = line
                .split_once(':')
                .ok_or_else(|| fail(format!("`{line}` is no `key: value`")))?;
            let value = value.trim();
            match key.trim() {
                "what" => value.clone_into(&mut program.what),
                "family" => value.clone_into(&mut program.family),
                "pair" => program.pair = Some(value.to_owned()),
                "sizes" => {
                    program.sizes =
                        sizes(value).ok_or_else(|| fail(format!("`{value}` are no sizes")))?;
                }
                "asm" => program.expectations.push(
                    Expectation::parse(value)
                        .ok_or_else(|| fail(format!("`{value}` is no expectation")))?,
                ),
                other => return Err(fail(format!("unknown key `{other}`"))),
            }
        }
        if program.sizes.is_empty() {
            return Err(fail("no `sizes`".into()));
        }
        for needed in ["input", "run"] {
            let identifier = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
            if !program
                .source
                .split(|c| !identifier(c))
                .any(|w| w == needed)
            {
                return Err(fail(format!(
                    "no `{needed}`: the definitions must hold `input : int -> 'a` and `run : 'a -> 'b`"
                )));
            }
        }
        Ok(program)
    }

    /// The subset program whose last item is the measured application at a size.
    pub fn call(&self, size: u32) -> String {
        format!(
            "{}\nlet argument_ = input {size}\nlet result_ = run argument_\n",
            self.source
        )
    }

    /// Identifies the source: FNV-1a, 64 bits.
    pub fn fingerprint(&self) -> String {
        let hash = self.source.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }
}

/// Whether a name can be part of a module's.
fn plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// `1 2 3`, or `1000..20000/20` for numbers evenly apart.
fn sizes(text: &str) -> Option<Vec<u32>> {
    if let Some((first, rest)) = text.split_once("..") {
        let (last, count) = rest.split_once('/')?;
        let (first, last, count): (u32, u32, u32) = (
            first.trim().parse().ok()?,
            last.trim().parse().ok()?,
            count.trim().parse().ok()?,
        );
        if count < 2 || last < first {
            return None;
        }
        return Some(spaced(first, last, count));
    }
    let sizes: Vec<u32> = text
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    sizes.windows(2).all(|w| w[0] < w[1]).then_some(sizes)
}

/// Sizes evenly apart.
pub(crate) fn spaced(first: u32, last: u32, count: u32) -> Vec<u32> {
    let mut sizes: Vec<u32> = (0..count)
        .map(|i| {
            first + (u64::from(last - first) * u64::from(i) / u64::from((count - 1).max(1))) as u32
        })
        .collect();
    sizes.dedup();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read() {
        let text = "(* what: appends\n   family: lists\n   pair: append\n   sizes: 10..20/3\n   asm: run: 1 call *)\nlet input n = n\nlet run n = n\n";
        let p = Program::parse("append", text).unwrap();
        assert_eq!((p.what.as_str(), p.family.as_str()), ("appends", "lists"));
        assert_eq!(
            (p.pair.as_deref(), p.sizes),
            (Some("append"), vec![10, 15, 20])
        );
        assert_eq!(p.expectations.len(), 1);
        assert!(p.source.starts_with("let input"));
        assert_eq!(p.before, 5);
    }

    #[test]
    fn wrong_files_say_why() {
        for (text, reason) in [
            ("let x = 1", "comment"),
            ("(* sizes: 3 2 *)", "no sizes"),
            ("(* what: x *)", "no `sizes`"),
            ("(* size: 3 *)", "unknown key"),
            ("(* what *)", "key: value"),
            ("(* sizes: 3 *) let run n = n", "no `input`"),
            ("(* sizes: 3 *) let input n = n", "no `run`"),
        ] {
            let error = Program::parse("p", text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn a_name_that_cannot_be_a_module_is_refused() {
        let text = "(* sizes: 3 *) let input n = n let run n = n";
        assert!(Program::parse("my_sort2", text).is_ok());
        for name in ["my-sort", "a b", "größe", ""] {
            let error = Program::parse(name, text).unwrap_err().to_string();
            assert!(error.contains("letters, digits"), "{name}: {error}");
        }
    }
}
