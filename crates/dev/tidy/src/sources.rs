//! Rules for source files and other tracked text: opening lines, names, length, `unsafe`, and words that must not appear.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workspace::TidyError;

/// Lines after which a source file has to be split.
pub const LONGEST: usize = 600;

/// A tracked text file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// Path from the root of the repository.
    pub path: String,
    /// Its text.
    pub text: String,
}

impl TextFile {
    fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|e| e == "rs")
    }

    fn in_crate(&self, folder: &str) -> bool {
        self.path.starts_with(&format!("crates/{folder}/"))
    }
}

/// All tracked files that are UTF-8 text, in the order of their paths.
///
/// # Errors
/// If Git cannot list them.
pub fn tracked(root: &Path) -> Result<Vec<TextFile>, TidyError> {
    let failed = |reason: String| TidyError::Command {
        command: "git ls-files",
        reason,
    };
    let output = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root)
        .output()
        .map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    let listing = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut files = Vec::new();
    for path in listing.split('\0').filter(|p| !p.is_empty()) {
        // A file that was deleted but not committed yet, or is no text, has nothing to check.
        if let Ok(text) = std::fs::read_to_string(root.join(path)) {
            files.push(TextFile {
                path: path.to_owned(),
                text,
            });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// Rust files that do not open with what they are about.
pub fn headers(files: &[TextFile]) -> Vec<String> {
    let rust = files.iter().filter(|f| f.is_rust());
    let wrong = rust.filter(|f| {
        f.text
            .lines()
            .next()
            .is_none_or(|l| l.strip_prefix("//! ").is_none_or(str::is_empty))
    });
    wrong
        .map(|f| format!("{} does not open with a `//!` line", f.path))
        .collect()
}

/// Files named for nothing in particular.
pub fn names(files: &[TextFile]) -> Vec<String> {
    let vague = |stem: &str| {
        stem.split(['_', '-']).any(|word| {
            matches!(
                word,
                "util" | "utils" | "common" | "helper" | "helpers" | "manager" | "misc"
            )
        })
    };
    let stem = |f: &TextFile| {
        let path = PathBuf::from(&f.path);
        path.file_stem()
            .map(|s| s.to_string_lossy().to_lowercase())
            .unwrap_or_default()
    };
    let wrong = files.iter().filter(|f| vague(&stem(f)));
    wrong
        .map(|f| format!("{}: a name that says what it holds, please", f.path))
        .collect()
}

/// `unsafe` outside the agent, and in the agent without a `SAFETY:` comment close above.
pub fn unsafety(files: &[TextFile]) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in files
        .iter()
        .filter(|f| f.is_rust() && !f.in_crate("dev/tidy"))
    {
        let lines: Vec<&str> = file.text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if !["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"]
                .iter()
                .any(|u| code.contains(u))
            {
                continue;
            }
            if !file.in_crate("observe/agent") {
                wrong.push(format!(
                    "{}:{}: unsafe outside the agent",
                    file.path,
                    number + 1
                ));
            } else if code.contains("unsafe {") {
                let above = &lines[number.saturating_sub(8)..=number];
                if !above.iter().any(|l| l.contains("SAFETY:")) {
                    wrong.push(format!(
                        "{}:{}: unsafe without SAFETY:",
                        file.path,
                        number + 1
                    ));
                }
            }
        }
    }
    wrong
}

/// Functions that a JVM calls and that hold no panic back: a panic that unwinds across the border ends the program that is observed.
/// Callbacks of collections may do next to nothing, and are left as they are.
pub fn borders(files: &[TextFile]) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in files.iter().filter(|f| f.in_crate("observe/agent")) {
        let mut lines = file.text.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            let Some((_, name)) = line.split_once("extern \"system\" fn ") else {
                continue;
            };
            let does_nothing = line.ends_with("{}");
            if name.starts_with("collection_") || line.starts_with("type ") || does_nothing {
                continue;
            }
            // rustfmt ends a function of the file's own level with a brace at the beginning of a line.
            let mut body = lines.by_ref().take_while(|(_, line)| *line != "}");
            if !body.any(|(_, line)| line.contains("guarded(") || line.contains("catch_unwind(")) {
                wrong.push(format!(
                    "{}:{}: a panic would cross the border",
                    file.path,
                    number + 1
                ));
            }
        }
    }
    wrong
}

/// Rust files that are too long.
pub fn lengths(files: &[TextFile]) -> Vec<String> {
    let length = |f: &TextFile| f.text.lines().count();
    let long = files.iter().filter(|f| f.is_rust() && length(f) > LONGEST);
    long.map(|f| format!("{} has {} lines: split it", f.path, length(f)))
        .collect()
}

/// Words that must not appear: hosts of package registries, and paths of one machine.
pub fn foreign_words(files: &[TextFile]) -> Vec<String> {
    // Written in pieces, so that this file does not contain them.
    let words = [
        ["crates", ".io"],
        ["maven", ".org"],
        ["maven.", "apache.org"],
        ["pypi", ".org"],
        ["npmjs", ".org"],
        ["npmjs", ".com"],
        ["proxy.", "golang.org"],
        ["deb.", "debian.org"],
        ["/ho", "me/"],
        ["/ro", "ot/"],
        ["/wo", "rk/"],
    ]
    .map(|parts| parts.concat());
    let mut wrong = Vec::new();
    // Cargo writes where each package comes from into the lock file.
    for file in files.iter().filter(|f| f.path != "Cargo.lock") {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(word) = words.iter().find(|w| mentions(line, w)) {
                wrong.push(format!("{}:{}: {word}", file.path, number + 1));
            }
        }
    }
    wrong
}

/// Whether a line contains a word; one that begins with a slash is a path of this machine only at the start of a path.
fn mentions(line: &str, word: &str) -> bool {
    let within = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | ')');
    line.match_indices(word).any(|(at, _)| {
        !word.starts_with('/') || !line[..at].chars().next_back().is_some_and(within)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn finds_missing_headers_and_vague_names() {
        let files = [
            file("crates/base/graph/src/lib.rs", "//! Graphs.\n"),
            file("crates/base/graph/src/path.rs", "use x;\n"),
            file("crates/base/graph/src/empty.rs", ""),
            file("crates/base/graph/src/string_utils.rs", "//! \n"),
            file("docs/common.md", "text"),
        ];
        assert_eq!(headers(&files).len(), 3);
        assert_eq!(names(&files).len(), 2);
    }

    #[test]
    fn finds_unsafe_code() {
        let block = "fn f() {\n    // SAFETY: it is.\n    unsafe { g() }\n}\n";
        let bare = "fn f() {\n    unsafe { g() }\n}\n";
        assert!(unsafety(&[file("crates/observe/agent/src/a.rs", block)]).is_empty());
        assert_eq!(
            unsafety(&[file("crates/observe/agent/src/a.rs", bare)]).len(),
            1
        );
        assert_eq!(
            unsafety(&[file("crates/observe/runner/src/a.rs", block)]).len(),
            1
        );
        assert!(
            unsafety(&[file(
                "crates/observe/runner/src/a.rs",
                "// unsafe { is a word\n"
            )])
            .is_empty()
        );
    }

    #[test]
    fn finds_functions_that_let_panics_out() {
        let border = |body: &str| {
            let text = format!(
                "type Other = unsafe extern \"system\" fn(i32);\n\nunsafe extern \"system\" fn event(n: i32) {{\n    {body}\n}}\n\nfn after() {{\n    guarded(n);\n}}\n"
            );
            borders(&[file("crates/observe/agent/src/a.rs", &text)])
        };
        assert_eq!(border("guarded(n, |n| work(n));"), [""; 0]);
        assert_eq!(border("let _ = catch_unwind(|| work(n));"), [""; 0]);
        let found = border("work(n);");
        assert_eq!(
            found,
            ["crates/observe/agent/src/a.rs:3: a panic would cross the border"]
        );
    }

    #[test]
    fn finds_long_files() {
        let lines = |count: usize| file("crates/base/graph/src/long.rs", &"\n".repeat(count));
        assert_eq!(lengths(&[lines(LONGEST + 1)]).len(), 1);
        assert!(lengths(&[lines(LONGEST)]).is_empty());
    }

    #[test]
    fn finds_foreign_words() {
        let path = ["/wo", "rk/main"].concat();
        assert_eq!(
            foreign_words(&[file("a.sh", &format!("cd {path}"))]).len(),
            1
        );
        assert_eq!(
            foreign_words(&[file("a.sh", &format!("cd=\"{path}\""))]).len(),
            1
        );
        assert!(foreign_words(&[file("a.sh", &format!("ls .cache{path}"))]).is_empty());
        let host = ["https://crates", ".io/x"].concat();
        assert_eq!(foreign_words(&[file("README.md", &host)]).len(), 1);
        assert!(foreign_words(&[file("Cargo.lock", &host), file("a.md", "/homely")]).is_empty());
    }
}
