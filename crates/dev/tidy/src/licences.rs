//! Licences of everything that is linked, against the list in `deny.toml`.

use std::collections::BTreeSet;

use crate::workspace::Workspace;

/// The `allow` list of `deny.toml`.
pub fn allowed(deny: &str) -> BTreeSet<String> {
    let parsed: toml::Table = deny.parse().unwrap_or_default();
    let list = parsed
        .get("licenses")
        .and_then(|l| l.get("allow"))
        .and_then(|a| a.as_array());
    list.into_iter()
        .flatten()
        .filter_map(|l| l.as_str())
        .map(str::to_owned)
        .collect()
}

/// Packages whose licence is not on the list.
pub fn unlisted(workspace: &Workspace, allowed: &BTreeSet<String>) -> Vec<String> {
    let wrong = workspace
        .licences
        .iter()
        .filter(|(_, licence)| !acceptable(licence, allowed));
    wrong
        .map(|(package, licence)| format!("{package}: licence {licence:?} is not in deny.toml"))
        .collect()
}

/// Whether an SPDX expression can be met from the list: one of every `OR`, all of every `AND`. The old `A/B` means `OR`.
pub fn acceptable(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut tokens = spaced.split_whitespace().peekable();
    let mut parser = Parser {
        tokens: &mut tokens,
        allowed,
    };
    let result = parser.any();
    result && parser.tokens.next().is_none()
}

struct Parser<'a, I: Iterator<Item = &'a str>> {
    tokens: &'a mut std::iter::Peekable<I>,
    allowed: &'a BTreeSet<String>,
}

impl<'a, I: Iterator<Item = &'a str>> Parser<'a, I> {
    fn any(&mut self) -> bool {
        let mut result = self.all();
        while self.tokens.next_if_eq(&"OR").is_some() {
            result |= self.all();
        }
        result
    }

    fn all(&mut self) -> bool {
        let mut result = self.one();
        while self.tokens.next_if_eq(&"AND").is_some() {
            result &= self.one();
        }
        result
    }

    fn one(&mut self) -> bool {
        if self.tokens.next_if_eq(&"(").is_some() {
            let result = self.any();
            return self.tokens.next_if_eq(&")").is_some() && result;
        }
        let Some(name) = self.tokens.next() else {
            return false;
        };
        if self.tokens.next_if_eq(&"WITH").is_some() {
            let exception = self.tokens.next().unwrap_or_default();
            return self.allowed.contains(&format!("{name} WITH {exception}"));
        }
        self.allowed.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_licence_expressions() {
        let list = "[licenses]\nallow = ['MIT', 'Unicode-3.0', 'Apache-2.0 WITH LLVM-exception']";
        let allowed = allowed(list);
        for good in [
            "MIT",
            "GPL-3.0 OR MIT",
            "MIT/Apache-2.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(acceptable(good, &allowed), "{good}");
        }
        for bad in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "Apache-2.0",
            "(MIT",
            "MIT)",
        ] {
            assert!(!acceptable(bad, &allowed), "{bad}");
        }
    }
}
