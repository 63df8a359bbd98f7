//! Class patterns as regular expressions of Java, for the part that runs in the JVM.

use pricetag_trace::Pattern;

/// A regular expression that matches the dotted names that one of the patterns matches.
pub fn expression(patterns: &[Pattern]) -> String {
    let parts: Vec<String> = patterns.iter().map(|p| one(p.as_str())).collect();
    parts.join("|")
}

fn one(pattern: &str) -> String {
    if !pattern.contains('*') {
        return format!("{}(?:[.$].*)?", quoted(pattern));
    }
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find('*') {
        let (text, tail) = rest.split_at(at);
        out.push_str(&quoted(text));
        let stars = tail.bytes().take_while(|b| *b == b'*').count();
        let begins = if text.is_empty() {
            rest.len() == pattern.len() || out.ends_with("\\.)?")
        } else {
            text.ends_with('.')
        };
        rest = &tail[stars..];
        match stars {
            1 => out.push_str("[^.]*"),
            _ if begins && rest.starts_with('.') => {
                out.push_str("(?:.*\\.)?");
                rest = &rest[1..];
            }
            _ => out.push_str(".*"),
        }
    }
    out + &quoted(rest)
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if !c.is_alphanumeric() && c != '_' {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_become_expressions() {
        for (pattern, expected) in [
            ("org.shop.**", r"org\.shop\..*"),
            ("org.shop.*", r"org\.shop\.[^.]*"),
            ("org.shop.Cart", r"org\.shop\.Cart(?:[.$].*)?"),
            ("**.Cart", r"(?:.*\.)?Cart"),
            ("org.**.Ca*", r"org\.(?:.*\.)?Ca[^.]*"),
            ("**", ".*"),
            ("a$b", r"a\$b(?:[.$].*)?"),
        ] {
            assert_eq!(one(pattern), expected, "{pattern}");
        }
    }
}
