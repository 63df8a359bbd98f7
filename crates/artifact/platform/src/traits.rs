//! What follows from the facts of a platform: how code is executed, which collector runs, which release it is.
//!
//! Facts are those that datasets keep ([`Facts`]); the options are HotSpot's. Limits: options of an argument file are not seen, and a JVM that
//! chooses its collector by the machine is asked, where a list is measured, and guessed as HotSpot does where a dataset says nothing.

use std::collections::BTreeMap;

/// A platform by names: `cpu`, `cores`, `arch`, `jvm_version`, `java`, `flags`, ….
pub type Facts = BTreeMap<String, String>;

/// What executes bytecode in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Nothing is compiled.
    Interpreter,
    /// The first compiler alone.
    C1,
    /// The optimising compiler.
    C2,
}

impl Mode {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Interpreter => "interpreted",
            Self::C1 => "C1 only",
            Self::C2 => "compiled",
        }
    }

    /// The options that put a HotSpot JVM into this mode.
    pub fn options(self) -> &'static str {
        match self {
            Self::Interpreter => "-Xint",
            Self::C1 => "-XX:TieredStopAtLevel=1",
            Self::C2 => "-XX:+TieredCompilation",
        }
    }
}

/// How a platform executes code, by its fact `mode` or its flags; the last option wins, as in HotSpot.
pub fn mode(facts: &Facts) -> Mode {
    let mut mode = Mode::C2;
    for flag in words(facts) {
        match flag {
            "-Xint" | "-XX:-UseCompiler" => return Mode::Interpreter,
            "-Xmixed" | "-Xcomp" => mode = Mode::C2,
            _ => match flag.strip_prefix("-XX:TieredStopAtLevel=") {
                Some("0") => mode = Mode::Interpreter,
                Some("1" | "2" | "3") => mode = Mode::C1,
                Some(_) => mode = Mode::C2,
                None => {}
            },
        }
    }
    mode
}

/// A garbage collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Collector {
    /// Serial.
    Serial,
    /// Parallel.
    Parallel,
    /// G1.
    G1,
    /// Any other.
    Other,
}

impl Collector {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Serial => "serial collector",
            Self::Parallel => "parallel collector",
            Self::G1 => "G1",
            Self::Other => "another collector",
        }
    }
}

/// The collector, by flags; without one by HotSpot's rule: G1 on two cores and 1,792 MB or more, else serial.
pub fn collector(facts: &Facts) -> Collector {
    let mut found = None;
    for flag in words(facts) {
        found = match flag {
            "-XX:+UseSerialGC" => Some(Collector::Serial),
            "-XX:+UseParallelGC" => Some(Collector::Parallel),
            "-XX:+UseG1GC" => Some(Collector::G1),
            "-XX:+UseZGC" | "-XX:+UseShenandoahGC" | "-XX:+UseEpsilonGC" => Some(Collector::Other),
            _ => found,
        };
    }
    let number = |name: &str| facts.get(name)?.parse::<u64>().ok();
    found.unwrap_or_else(|| {
        let cores = number("cores").unwrap_or(2);
        let memory = number("memory_bytes").unwrap_or(u64::MAX);
        if cores >= 2 && memory >= 1792 << 20 {
            Collector::G1
        } else {
            Collector::Serial
        }
    })
}

/// Feature release of the JDK: 8, 11, 17, ….
pub fn java_release(facts: &Facts) -> Option<u32> {
    let text = facts.get("java").or_else(|| facts.get("jvm_version"))?;
    let mut numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|n| n.parse().ok());
    match numbers.next()? {
        1 => numbers.next(),
        release => Some(release),
    }
}

/// Whether times of the two may be taken for those of one platform; else what differs, in words.
pub fn same_platform(a: &Facts, b: &Facts) -> Result<(), String> {
    let text = |facts: &Facts, name: &str| facts.get(name).cloned().unwrap_or_default();
    for name in ["arch", "cpu", "jvm_version"] {
        let (a, b) = (text(a, name), text(b, name));
        if a != b && !a.is_empty() && !b.is_empty() {
            return Err(format!("{name} is {a} in one and {b} in the other"));
        }
    }
    let (x, y) = (mode(a), mode(b));
    if x != y {
        return Err(format!("one is {}, the other {}", x.words(), y.words()));
    }
    let (x, y) = (collector(a), collector(b));
    if x != y {
        return Err(format!(
            "one has the {}, the other {}",
            x.words(),
            y.words()
        ));
    }
    Ok(())
}

fn words(facts: &Facts) -> impl Iterator<Item = &str> {
    facts
        .get("flags")
        .map_or("", String::as_str)
        .split_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(text: &str) -> Facts {
        Facts::from([("flags".to_owned(), text.to_owned())])
    }

    #[test]
    fn the_last_option_wins_as_in_hotspot() {
        for (text, expected) in [
            ("", Mode::C2),
            ("-Xmx64m -Xint", Mode::Interpreter),
            ("-XX:TieredStopAtLevel=1", Mode::C1),
            ("-XX:TieredStopAtLevel=1 -XX:TieredStopAtLevel=4", Mode::C2),
        ] {
            assert_eq!(mode(&flags(text)), expected, "{text}");
        }
        let text = "-XX:+UseParallelGC -XX:+UseSerialGC";
        assert_eq!(collector(&flags(text)), Collector::Serial);
        assert_eq!(collector(&flags("-Xint")), Collector::G1);
        let mut small = flags("");
        small.insert("cores".into(), "1".into());
        assert_eq!(collector(&small), Collector::Serial);
    }

    #[test]
    fn releases_are_read_in_both_notations() {
        for (text, expected) in [("1.8.0_202", 8), ("17.0.15", 17), ("25-ea", 25)] {
            let facts = Facts::from([("java".to_owned(), text.to_owned())]);
            assert_eq!(java_release(&facts), Some(expected), "{text}");
        }
        assert_eq!(java_release(&Facts::new()), None);
    }

    #[test]
    fn what_differs_is_named() {
        let mut a = flags("");
        a.insert("cpu".into(), "A".into());
        let mut b = a.clone();
        assert_eq!(same_platform(&a, &b), Ok(()));
        b.insert("cpu".into(), "B".into());
        assert_eq!(
            same_platform(&a, &b),
            Err("cpu is A in one and B in the other".into())
        );
    }
}
