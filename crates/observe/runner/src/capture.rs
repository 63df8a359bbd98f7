//! Bounded capture of a stream: the first and last bytes are kept, the middle is counted and dropped.

use std::collections::VecDeque;
use std::io::{Read, Write};

/// Bytes kept from the beginning, and again from the end.
pub const KEPT: usize = 32 * 1024;

/// What is left of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Captured {
    /// Adds bytes in order.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = (KEPT - self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        let rest = &rest[rest.len().saturating_sub(KEPT)..];
        let excess = (self.tail.len() + rest.len()).saturating_sub(KEPT);
        self.tail.drain(..excess);
        self.tail.extend(rest);
    }

    /// Length of the whole stream, bytes.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The kept text; a line says how much is missing in the middle.
    pub fn text(&self) -> String {
        let dropped = self.total - (self.head.len() + self.tail.len()) as u64;
        let mut bytes = self.head.clone();
        if dropped > 0 {
            bytes.extend_from_slice(format!("\n[… {dropped} bytes dropped …]\n").as_bytes());
        }
        bytes.extend(&self.tail);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The last non-empty lines, at most `lines` of them, each cut to 300 characters.
    pub fn last_lines(&self, lines: usize) -> String {
        let text = self.text();
        let kept: Vec<String> = text
            .lines()
            .filter(|l| !l.trim().is_empty())
            .map(|l| l.trim_end().chars().take(300).collect())
            .collect();
        kept[kept.len().saturating_sub(lines)..].join("\n")
    }
}

/// Reads a stream to its end, keeping its ends; `echo` receives all of it.
pub fn drain(
    mut stream: impl Read,
    mut echo: Option<Box<dyn Write + Send>>,
    mut sink: impl FnMut(&[u8]),
) {
    let mut buffer = vec![0u8; 1 << 16];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return,
            Ok(n) => {
                sink(&buffer[..n]);
                if let Some(out) = &mut echo
                    && out.write_all(&buffer[..n]).is_err()
                {
                    echo = None;
                }
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_streams_are_kept_whole() {
        let mut c = Captured::default();
        c.push(b"one\n");
        c.push(b"two\n");
        assert_eq!(c.text(), "one\ntwo\n");
        assert_eq!(c.last_lines(1), "two");
    }

    #[test]
    fn long_streams_keep_both_ends_in_bounded_memory() {
        let mut c = Captured::default();
        let mut all = Vec::new();
        for i in 0..40_000u32 {
            let line = format!("line {i}\n");
            all.extend_from_slice(line.as_bytes());
            c.push(line.as_bytes());
        }
        c.push(&vec![b'x'; 3 * KEPT]);
        all.extend(std::iter::repeat_n(b'x', 3 * KEPT));
        assert_eq!(c.total(), all.len() as u64);
        assert_eq!(c.head, all[..KEPT]);
        assert!(c.tail.iter().eq(all[all.len() - KEPT..].iter()));
        assert!(c.text().contains("bytes dropped"));
    }
}
