//! Numbers as people read them: three significant digits, a unit, no exponent where a prefix will do.
//!
//! The report's script formats numbers by the same rules (`report/src/page/figure.js`), so that a figure looks the same
//! on a terminal and on the page. Limits: units other than `ns` and `byte` are printed as they are, without prefixes.

use pricetag_dataset::command::launched;

/// Formats a cost in its base unit: `1.23 ms`, `4.50 MiB`, `17.0 joule`; a unit of `1` or none is left out.
pub fn quantity(value: f64, unit: &str) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    match unit {
        "ns" => scaled(value, &TIME),
        "byte" | "bytes" => scaled(value, &BYTES),
        "" | "1" => count(value),
        other => format!("{} {other}", count(value)),
    }
}

/// Formats an interval with both ends in the same unit, such as `1.20 ms … 1.40 ms`.
pub fn bounds((lower, upper): (f64, f64), unit: &str) -> String {
    format!("{} … {}", quantity(lower, unit), quantity(upper, unit))
}

/// Formats a count: whole numbers up to a million with thousands separators, larger ones as `12.3 M`.
pub fn count(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let size = value.abs();
    if size >= 1e6 {
        return scaled(value, &COUNTS);
    }
    if value == value.trunc() {
        return thousands(value);
    }
    if size != 0.0 && size < 1e-3 {
        return format!("{value:.2e}");
    }
    significant(value)
}

/// Formats a share or relative error: `0.0412` is `4.1 %`.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return "–".to_owned();
    }
    let value = share * 100.0;
    let size = value.abs();
    if size >= 99.95 {
        format!("{value:.0} %")
    } else if size >= 0.095 || size == 0.0 {
        format!("{value:.1} %")
    } else if size >= 0.0095 {
        format!("{value:.2} %")
    } else if value < 0.0 {
        "> -0.01 %".to_owned()
    } else {
        "< 0.01 %".to_owned()
    }
}

/// Shortens a long name to `width` characters: its parameters go first, then its middle, since the class and, more so, the block number tell.
pub fn shorten(name: &str, width: usize) -> String {
    if name.chars().count() <= width || width < 8 {
        return name.to_owned();
    }
    let name = without_parameters(name);
    let length = name.chars().count();
    if length <= width {
        return name;
    }
    let tail = (width - 1) * 3 / 5;
    let head = width - 1 - tail;
    let start: String = name.chars().take(head).collect();
    let end: String = name.chars().skip(length - tail).collect();
    format!("{start}…{end}")
}

/// A name with `(…)` for the parameters of its first method.
fn without_parameters(name: &str) -> String {
    let begin = name
        .find('(')
        .filter(|&at| name[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '>'));
    let list = begin.and_then(|begin| Some((begin + 1, begin + name[begin..].find(')')?)));
    match list {
        Some((from, to)) if to > from => format!("{}…{}", &name[..from], &name[to..]),
        _ => name.to_owned(),
    }
}

/// Leaves the packages out of every qualified name in a text, and the file out of a place that follows its own class:
/// `a.b.Sorter.sort(int[]) block 2 (Sorter.java:7-9)` becomes `Sorter.sort(int[]) block 2 (:7-9)`.
pub fn brief(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut class = "";
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        if end == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(end);
        let bare = without_package(word);
        let file = word.strip_suffix(".java").is_some_and(|stem| stem == class);
        if !(file && out.ends_with('(') && after.starts_with(':')) {
            out.push_str(bare);
        }
        // A member's class: types in a parameter list stand alone.
        if bare.starts_with(char::is_uppercase)
            && bare.contains('.')
            && word.strip_suffix(".java").is_none()
        {
            class = bare.split(['.', '$']).next().unwrap_or(bare);
        }
        rest = after;
    }
    out
}

/// What people call a subject: the main class or jar of a `java` command, else the program's name.
pub fn subject_name(command: &[String]) -> String {
    let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let Some((program, arguments)) = command.split_first() else {
        return "the subject".to_owned();
    };
    if base(program) != "java" {
        return base(program);
    }
    match launched(arguments) {
        Some(found) if found.class => without_package(found.program).to_owned(),
        Some(found) => base(found.program),
        None => base(program),
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '.')
}

/// A dotted name from its first capitalised segment on; the whole word when it has none.
fn without_package(word: &str) -> &str {
    let mut start = 0;
    for segment in word.split('.') {
        if segment.starts_with(char::is_uppercase) {
            return &word[start..];
        }
        start += segment.len() + 1;
    }
    word
}

const TIME: [(f64, &str); 4] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
const BYTES: [(f64, &str); 4] = [
    (1_073_741_824.0, "GiB"),
    (1_048_576.0, "MiB"),
    (1024.0, "KiB"),
    (1.0, "B"),
];
const COUNTS: [(f64, &str); 4] = [(1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")];

/// Picks the largest prefix that keeps the number at or above one (after rounding to three digits).
fn scaled(value: f64, prefixes: &[(f64, &str)]) -> String {
    let size = value.abs();
    let (factor, name) = prefixes
        .iter()
        .copied()
        .find(|&(factor, _)| size >= factor * 0.9995)
        .unwrap_or(prefixes[prefixes.len() - 1]);
    format!("{} {name}", significant(value / factor))
}

/// Three significant digits, thousands separated.
fn significant(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if size >= 1e15 {
        format!("{value:.2e}")
    } else if size >= 999.5 {
        thousands(value.round())
    } else if size >= 99.95 {
        format!("{value:.0}")
    } else if size >= 9.995 {
        format!("{value:.1}")
    } else if size >= 0.01 {
        format!("{value:.2}")
    } else if size >= 0.001 {
        format!("{value:.4}")
    } else {
        format!("{value:.1e}")
    }
}

/// A whole number with commas between groups of three digits.
fn thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    if value < 0.0 && digits != "0" {
        text.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brief_names_keep_what_tells_places_apart() {
        let long = "in a.b.Sorter.sort(java.lang.String, int[]) block 2 (Sorter.java:7-9) x 2.5 and c.Other.m() (Sorter.java:3)";
        let short =
            "in Sorter.sort(String, int[]) block 2 (:7-9) x 2.5 and Other.m() (Sorter.java:3)";
        assert_eq!(brief(long), short);
        assert_eq!(brief("size.bytes"), "size.bytes");
        assert_eq!(
            brief("a.b.Outer$Inner.m() (Outer.java:1)"),
            "Outer$Inner.m() (:1)"
        );
        assert_eq!(brief("é – ünï"), "é – ünï");
    }

    #[test]
    fn subjects_have_short_names() {
        let name = |command: &str| {
            subject_name(&command.split(' ').map(str::to_owned).collect::<Vec<_>>())
        };
        assert_eq!(name("/usr/bin/java -Xmx1g -cp a:b org.x.Main {}"), "Main");
        assert_eq!(name("java -jar lib/app.jar {}"), "app.jar");
        assert_eq!(name("java -p mods -m app/org.x.Main"), "org.x.Main");
        assert_eq!(name("javac -d out {}"), "javac");
        assert_eq!(name("java"), "java");
        assert_eq!(subject_name(&[]), "the subject");
    }

    #[test]
    fn times_take_the_largest_prefix_that_fits() {
        for (value, text) in [
            (0.0, "0 ns"),
            (0.25, "0.25 ns"),
            (999.4, "999 ns"),
            (999.6, "1.00 µs"),
            (1234.0, "1.23 µs"),
            (45_600_000.0, "45.6 ms"),
            (7.2e12, "7,200 s"),
        ] {
            assert_eq!(quantity(value, "ns"), text);
        }
    }

    #[test]
    fn bytes_counts_and_foreign_units() {
        assert_eq!(quantity(1536.0, "byte"), "1.50 KiB");
        assert_eq!(quantity(17.0, "joule"), "17 joule");
        assert_eq!(quantity(17.0, "1"), "17");
        assert_eq!(quantity(f64::NAN, "ns"), "–");
        assert_eq!(count(999_999.0), "999,999");
        assert_eq!(count(12_345_678.0), "12.3 M");
        assert_eq!(count(-1234.0), "-1,234");
        assert_eq!(count(0.0004), "4.00e-4");
        assert_eq!(bounds((1e6, 2e6), "ns"), "1.00 ms … 2.00 ms");
    }

    #[test]
    fn shares_keep_a_tenth_of_a_per_cent() {
        assert_eq!(percent(0.0412), "4.1 %");
        assert_eq!(percent(0.0), "0.0 %");
        assert_eq!(percent(0.0002), "0.02 %");
        assert_eq!(percent(0.000_01), "< 0.01 %");
        assert_eq!(percent(-0.000_01), "> -0.01 %");
        assert_eq!(percent(1.5), "150 %");
    }

    #[test]
    fn long_names_lose_their_middle_and_never_split_a_character() {
        assert_eq!(shorten("short", 10), "short");
        let name = "org.exämple.Sörter.sort(int[]) block 3";
        let short = shorten(name, 17);
        assert_eq!(short.chars().count(), 17);
        assert!(short.starts_with("org.exä") && short.ends_with("block 3"));
        let name = "Search.lambda$query$1(int[], Integer, Integer) block 0 turns (:10)";
        assert_eq!(
            shorten(name, 45),
            "Search.lambda$query$1(…) block 0 turns (:10)"
        );
        assert!(shorten(name, 25).ends_with(" 0 turns (:10)"));
        assert!(shorten("handler 0 at (a, b) and more", 20).starts_with("handler "));
    }
}
