//! Puts foreign text into a page without letting it become markup.
//!
//! Labels are file names and class names come from class files: both may hold anything, `<script>` included.

use std::fmt::Write as _;

/// Escapes text for element content and quoted attributes. Control characters other than tab and newline, which HTML
/// forbids, are replaced by U+FFFD.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A picture as the address of an image: percent-encoded, so that neither markup nor quotes of it reach the page.
pub fn svg_address(svg: &str) -> String {
    let mut out = String::with_capacity(svg.len() + svg.len() / 4);
    out.push_str("data:image/svg+xml;charset=utf-8,");
    for byte in svg.bytes() {
        match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b' '
            | b'='
            | b'/'
            | b':'
            | b';'
            | b','
            | b'.'
            | b'-'
            | b'_'
            | b'('
            | b')' => out.push(byte as char),
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Escapes JSON for a `<script>` element: no `<`, `>` or `&` stays, so neither `</script>` nor `<!--` can occur. The JSON
/// is the same, since these characters stand only in strings, where `\u` escapes are equivalent.
pub fn json_in_script(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 32);
    for c in json.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text() {
        assert_eq!(
            html("<b a='\"'>&\u{1}"),
            "&lt;b a=&#39;&quot;&#39;&gt;&amp;\u{fffd}"
        );
    }

    #[test]
    fn escaped_json_is_the_same_json() {
        let value = serde_json::json!(["</script><!--", "a&b\u{2028}", {"<": 1}]);
        let text = json_in_script(&value.to_string());
        assert!(!text.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }
}
