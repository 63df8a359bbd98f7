//! Which invocations are written down, and where to.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Every invocation of counted methods is written to a file, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// The file; it is replaced.
    pub file: PathBuf,
    /// Which of them.
    pub which: CallChoice,
}

/// Which invocations are written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallChoice {
    /// Which of each thread's.
    pub window: Window,
    /// Whether calls that leave the counted code are among them.
    pub leaving: bool,
}

impl From<Window> for CallChoice {
    fn from(window: Window) -> Self {
        Self {
            window,
            leaving: false,
        }
    }
}

impl fmt::Display for CallChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.leaving, self.window) {
            (false, window) => window.fmt(f),
            (true, Window::All) => f.write_str(LEAVING),
            (true, window) => write!(f, "{LEAVING},{window}"),
        }
    }
}

/// The word for calls that leave.
const LEAVING: &str = "leaving";

impl FromStr for CallChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (mut window, mut leaving) = (None, false);
        for word in text.split(',') {
            let repeated = match word {
                LEAVING => std::mem::replace(&mut leaving, true),
                _ => window.replace(word.parse()?).is_some(),
            };
            if repeated {
                return Err(format!(
                    "{text:?} says twice which; it takes one of all, first=10M, 1M/100M, and leaving, with a comma between"
                ));
            }
        }
        Ok(Self {
            window: window.unwrap_or_default(),
            leaving,
        })
    }
}

/// Which of a thread's invocations are written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Window {
    /// All.
    #[default]
    All,
    /// The first ones of each thread.
    First(u64),
    /// So many out of each so many of each thread; both are above 0, the first is below the second.
    Each(u64, u64),
}

impl Window {
    /// Whether the invocation at a position, counted from 0, is written down; and of how many from there on the same holds at least.
    pub fn at(self, position: u64) -> (bool, u64) {
        match self {
            Self::All => (true, u64::MAX),
            Self::First(most) => match most.checked_sub(position) {
                Some(left) if left > 0 => (true, left),
                _ => (false, u64::MAX),
            },
            Self::Each(kept, of) => {
                let within = position % of;
                match kept.checked_sub(within) {
                    Some(left) if left > 0 => (true, left),
                    _ => (false, of - within),
                }
            }
        }
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::First(most) => write!(f, "first={most}"),
            Self::Each(kept, of) => write!(f, "{kept}/{of}"),
        }
    }
}

impl FromStr for Window {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || format!("{text:?} is none of all, first=10M, 1M/100M, leaving");
        if text == "all" {
            return Ok(Self::All);
        }
        if let Some(most) = text.strip_prefix("first=") {
            return number(most).map(Self::First).ok_or_else(wrong);
        }
        let (kept, of) = text.split_once('/').ok_or_else(wrong)?;
        match (number(kept), number(of)) {
            (Some(kept), Some(of)) if kept < of => Ok(Self::Each(kept, of)),
            (Some(_), Some(_)) => Err(format!(
                "{text:?}: the first number must be below the second, or leave both out for all"
            )),
            _ => Err(wrong()),
        }
    }
}

/// A number above 0, in thousands (`k`), millions (`M`) or thousand millions (`G`) if it ends so.
fn number(text: &str) -> Option<u64> {
    let (digits, factor) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1_000),
        b'M' => (&text[..text.len() - 1], 1_000_000),
        b'G' => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let number: u64 = digits.parse().ok()?;
    number.checked_mul(factor).filter(|&number| number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read_as_they_are_written() {
        for (text, window) in [
            ("all", Window::All),
            ("first=10M", Window::First(10_000_000)),
            ("1k/100k", Window::Each(1_000, 100_000)),
            ("first=7", Window::First(7)),
        ] {
            assert_eq!(text.parse(), Ok(window), "{text}");
            assert_eq!(window.to_string().parse(), Ok(window));
        }
        for text in [
            "",
            "first=",
            "first=0",
            "5/5",
            "0/5",
            "5",
            "1M/",
            "all/2",
            "1T/2T",
            "99999999999999999999G/1",
        ] {
            assert!(text.parse::<Window>().is_err(), "{text}");
        }
    }

    #[test]
    fn leaving_goes_with_any_window() {
        for (text, window, leaving) in [
            ("leaving", Window::All, true),
            ("leaving,first=10M", Window::First(10_000_000), true),
            ("1/3,leaving", Window::Each(1, 3), true),
            ("all,leaving", Window::All, true),
            ("first=3", Window::First(3), false),
        ] {
            let choice = CallChoice { window, leaving };
            assert_eq!(text.parse(), Ok(choice), "{text}");
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        for text in ["leaving,leaving", "all,first=3", "leaving,", "", "left"] {
            assert!(text.parse::<CallChoice>().is_err(), "{text}");
        }
    }

    /// Against what the words say, event by event.
    #[test]
    fn runs_agree_with_single_events() {
        let says = |window: Window, n: u64| match window {
            Window::All => true,
            Window::First(most) => n < most,
            Window::Each(kept, of) => n % of < kept,
        };
        for window in [
            Window::All,
            Window::First(5),
            Window::Each(2, 7),
            Window::Each(1, 2),
        ] {
            for position in 0..30 {
                let (kept, run) = window.at(position);
                assert!(run > 0);
                for n in position..position.saturating_add(run).min(40) {
                    assert_eq!(says(window, n), kept, "{window} at {n}");
                }
            }
        }
    }
}
