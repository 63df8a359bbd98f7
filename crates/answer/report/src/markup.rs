//! The page while it is written: markup is a literal of this crate, everything else is text.
//!
//! Labels are file names, class names come from class files, units from `meta.json` or a model: all may hold anything, `<script>` included.
//! There is no way to add a string to [`Markup`] other than by [`Markup::put`], whose template is a literal and whose values are escaped. The page's
//! policy names its style and its script by their digests, so that even markup that found another way in would run nothing.

use std::fmt::{Display, Write as _};
use std::io::Write as _;

use flate2::{Compression, GzBuilder};
use pricetag_finding::table::printable_lines;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Data of a page that are no longer than this stand in it as they are; longer ones are packed.
const PLAIN: usize = 200_000;

/// The body of a page, and the rules of style that its figures need: a policy by digests forbids `style` attributes.
#[derive(Debug, Default)]
pub(crate) struct Markup {
    body: String,
    rules: String,
    classes: usize,
}

/// A measure of style that depends on the data.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Measure {
    /// Width, in percent.
    Width(f64),
    /// Share of a row, in any unit.
    Grow(f64),
}

/// Says whose page it is.
const GENERATOR: &str = "<meta name=\"generator\" content=\"Pricetag\">\n";
/// Begins the policy of a page; earlier versions said no more of themselves.
const POLICY: &str = "content=\"default-src 'none'; style-src 'sha256-";

/// Whether a file that begins so is a page that this crate wrote.
pub fn is_page(head: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&head[..head.len().min(1000)]);
    head.contains(GENERATOR) || head.contains(POLICY)
}

impl Markup {
    /// Adds markup, each `{}` of which stands for the next of the values, as text.
    ///
    /// # Panics
    /// If there are not as many values as places, which is an error of this crate.
    pub(crate) fn put(&mut self, template: &'static str, values: &[&dyn Display]) {
        let mut values = values.iter();
        for (index, literal) in template.split("{}").enumerate() {
            if index > 0 {
                let value = values.next().expect("a value for each place of a template");
                html(&mut self.body, &value.to_string());
            }
            self.body.push_str(literal);
        }
        assert!(
            values.next().is_none(),
            "a place for each value of a template"
        );
    }

    /// The name of a class that has this measure; one that is no finite number is zero.
    pub(crate) fn measure(&mut self, measure: Measure) -> String {
        let (property, value, unit) = match measure {
            Measure::Width(value) => ("width", value, "%"),
            Measure::Grow(value) => ("flex-grow", value, ""),
        };
        let value = if value.is_finite() { value } else { 0.0 };
        let class = format!("m{}", self.classes);
        self.classes += 1;
        let _ = writeln!(self.rules, ".{class} {{ {property}: {value:.4}{unit} }}");
        class
    }

    /// Adds a picture, as an image: what is in one runs no script.
    pub(crate) fn picture(&mut self, title: &str, svg: &str) {
        self.put("<figure><img alt=\"{}\" src=\"", &[&title]);
        address(&mut self.body, svg);
        self.put(
            "\" loading=\"lazy\"><figcaption>{}</figcaption></figure>\n",
            &[&title],
        );
    }

    /// Adds a drawing (SVG) as an image: browsers run nothing of it, and it can reach nothing.
    pub(crate) fn image(&mut self, described: &str, drawing: &str) {
        self.put(
            "<img alt=\"{}\" src=\"data:image/svg+xml;base64,",
            &[&described],
        );
        base64(&mut self.body, drawing.as_bytes());
        self.put("\">", &[]);
    }

    /// The whole page: title, styles, what was added, data that the script reads from the element `data`, bytes that it reads from the elements `part0` and
    /// so on, script.
    pub(crate) fn page(
        self,
        title: &str,
        styles: &[&'static str],
        data: Value,
        parts: &[Vec<u8>],
        script: &str,
    ) -> String {
        let style = format!("\n{}{}", styles.concat(), self.rules);
        let mut page = Self {
            body: String::with_capacity(1 << 20),
            ..Self::default()
        };
        page.put(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
            &[],
        );
        page.put(GENERATOR, &[]);
        page.put(
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
            &[],
        );
        // Before anything that it governs.
        page.put(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-",
            &[],
        );
        page.body.push_str(&digest(&style));
        page.put("'; script-src 'sha256-", &[]);
        page.body.push_str(&digest(script));
        page.put(
            "'; img-src data:; base-uri 'none'; form-action 'none'\">\n",
            &[],
        );
        page.put(
            "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>",
            &[&title],
        );
        page.body.push_str(&style);
        page.put("</style>\n</head>\n<body>\n", &[]);
        page.body.push_str(&self.body);
        let json = harmless(data).to_string();
        if json.len() <= PLAIN {
            page.put("<script type=\"application/json\" id=\"data\">", &[]);
            json_in_script(&mut page.body, &json);
        } else {
            page.put("<script type=\"application/gzip\" id=\"data\">", &[]);
            base64(&mut page.body, &gzip(json.as_bytes()));
        }
        for (number, part) in parts.iter().enumerate() {
            page.put(
                "</script>\n<script type=\"application/octet-stream\" id=\"part{}\">",
                &[&number],
            );
            base64(&mut page.body, part);
        }
        page.put("</script>\n<script>", &[]);
        page.body.push_str(script);
        page.put("</script>\n</body>\n</html>\n", &[]);
        page.body
    }
}

/// Escapes text for element content and quoted attributes. Characters that drive terminals or turn the order of text are shown as U+FFFD.
fn html(out: &mut String, text: &str) {
    for c in printable_lines(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

/// A picture as the address of an image: percent-encoded, so that neither markup nor quotes of it reach the page.
fn address(out: &mut String, svg: &str) {
    out.reserve(svg.len() + svg.len() / 4);
    out.push_str("data:image/svg+xml;charset=utf-8,");
    for byte in svg.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b" =/:;,.-_()".contains(&byte) => {
                out.push(byte as char);
            }
            byte => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
}

/// Data whose texts turn nothing round and drive nothing.
fn harmless(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(printable_lines(&text)),
        Value::Array(values) => values.into_iter().map(harmless).collect(),
        Value::Object(map) => {
            let entries = map.into_iter();
            let entries = entries.map(|(key, value)| (printable_lines(&key), harmless(value)));
            Value::Object(entries.collect())
        }
        other => other,
    }
}

/// Escapes JSON for a `<script>` element: no `<`, `>` or `&` stays, so neither `</script>` nor `<!--` can occur. The JSON
/// is the same, since these characters stand only in strings, where `\u` escapes are equivalent.
fn json_in_script(out: &mut String, json: &str) {
    out.reserve(json.len() + json.len() / 32);
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
}

/// SHA-256 in base 64, as a policy names what may run.
fn digest(text: &str) -> String {
    let mut out = String::new();
    base64(&mut out, &Sha256::digest(text.as_bytes()));
    out
}

/// Bytes in base 64 (RFC 4648, section 4).
fn base64(out: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.reserve(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, at| {
            bits << 8 | u32::from(three.get(at).copied().unwrap_or(0))
        });
        for digit in 0..4 {
            if digit <= three.len() {
                out.push(char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
}

/// The same bytes for the same data: no time of writing is in it.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzBuilder::new().write(Vec::new(), Compression::best());
    // Writing into memory does not fail.
    let _ = packed.write_all(bytes);
    packed.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_text_and_templates_are_markup() {
        let mut page = Markup::default();
        page.put(
            "<b title=\"{}\">{}</b>",
            &[&"<b a='\"'>&\u{1}\u{202e}", &1.5],
        );
        assert_eq!(
            page.body,
            "<b title=\"&lt;b a=&#39;&quot;&#39;&gt;&amp;\u{fffd}\u{fffd}\">1.5</b>"
        );
    }

    #[test]
    fn escaped_json_is_the_same_json() {
        let value = serde_json::json!(["</script><!--", "a&b\u{2028}", {"<": 1}]);
        let mut text = String::new();
        json_in_script(&mut text, &value.to_string());
        assert!(!text.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }

    #[test]
    fn digests_are_those_of_openssl() {
        // printf 'abc' | openssl dgst -sha256 -binary | base64
        assert_eq!(
            digest("abc"),
            "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
        );
    }
}
