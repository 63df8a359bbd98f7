//! What an instrumented archive writes: the counters of one run, as `Counters.java` puts them down.
//!
//! Big endian, texts as `DataOutput.writeUTF` makes them. Head: `PTCOUNT` and version 2, digest of the archive, name of the run (the same in
//! all files of one process), name of the file (another in each of them: two class loaders may count the same, copies are the same).
//! Then records, each with a tag:
//!
//! | tag | holds |
//! |---|---|
//! | `T` | a thread that was alive: name, whether it was running (byte), number of frames, per frame class, method and line, the innermost first |
//! | `C` | a class: its index, number of pairs, per pair counter (4 bytes) and count (8 bytes) |
//! | `N` | something that makes the counts inexact, in words |
//! | `E` | the end, with the CRC-32 of all between the head and the tag |
//!
//! The head is written when counting begins, everything else at the end of the run: a file without `E` is of a JVM that
//! halted or was killed; one without a whole head ran out of room, or was killed at once. Behind `E` only `N` follows.

use pricetag_classfile::pool::decode_modified_utf8;

use crate::error::ArchiveError;

const MAGIC: &[u8] = b"PTCOUNT\x02";

/// The counters of one run and one archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountsFile {
    /// Digest of the archive.
    pub digest: String,
    /// Name of the run.
    pub run: String,
    /// Name of the file among those of the run; a copy has it, too.
    pub file: String,
    /// Threads that were alive at the end.
    pub threads: Vec<LiveThread>,
    /// Classes that ran, with their counters that are not zero.
    pub classes: Vec<(u32, Vec<(u32, u64)>)>,
    /// What makes the counts inexact.
    pub notes: Vec<String>,
    /// Whether the counters were written at all.
    pub complete: bool,
}

/// A thread that was alive when the counters were read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveThread {
    /// Its name.
    pub name: String,
    /// Whether it was running code at that moment.
    pub running: bool,
    /// Its frames, the innermost first.
    pub frames: Vec<ActiveFrame>,
}

/// A frame as Java shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveFrame {
    /// Dotted name of the class.
    pub class: String,
    /// Name of the method.
    pub method: String,
    /// Line, negative if it is not known.
    pub line: i32,
}

impl CountsFile {
    /// Reads a file's bytes.
    ///
    /// # Errors
    /// If it is no such file, or damaged; [`ArchiveError::CutOff`] if it is a part of one that is too short to say whose.
    pub fn parse(bytes: &[u8]) -> Result<Self, ArchiveError> {
        let not = |reason: &str| ArchiveError::NotCounts {
            reason: reason.to_owned(),
        };
        if bytes.len() < MAGIC.len() && MAGIC.starts_with(bytes) {
            return Err(ArchiveError::CutOff);
        }
        let rest = bytes
            .strip_prefix(MAGIC)
            .ok_or_else(|| not("it does not begin like one"))?;
        let mut reader = Reader { rest };
        let mut file = Self {
            digest: reader.text().ok_or(ArchiveError::CutOff)?,
            run: reader.text().ok_or(ArchiveError::CutOff)?,
            file: reader.text().ok_or(ArchiveError::CutOff)?,
            ..Self::default()
        };
        let body = reader.rest;
        while !reader.rest.is_empty() {
            let read = body.len() - reader.rest.len();
            match reader.record(&mut file) {
                Some(Read::Record) => {}
                Some(Read::End(sum)) if !file.complete && crc32fast::hash(&body[..read]) == sum => {
                    file.complete = true;
                }
                Some(Read::End(_)) => return Err(not("its checksum does not hold")),
                None if file.complete => return Err(not("it is damaged behind its end")),
                // Cut off while it was written.
                None => return Ok(file.cut()),
            }
        }
        Ok(file)
    }

    /// Without counts, which are not all there.
    fn cut(self) -> Self {
        Self {
            digest: self.digest,
            run: self.run,
            file: self.file,
            ..Self::default()
        }
    }
}

enum Read {
    Record,
    End(u32),
}

/// Takes from the front.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk::<N>()?;
        self.rest = rest;
        Some(*taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_be_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::from(u16::from_be_bytes(self.take()?));
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(decode_modified_utf8(text).into_owned())
    }

    fn record(&mut self, file: &mut CountsFile) -> Option<Read> {
        let [tag] = self.take()?;
        match tag {
            b'T' => {
                let name = self.text()?;
                let [running] = self.take()?;
                let frames = (0..self.u32()?)
                    .map(|_| self.frame())
                    .collect::<Option<_>>()?;
                file.threads.push(LiveThread {
                    name,
                    running: running != 0,
                    frames,
                });
            }
            b'C' => {
                let class = self.u32()?;
                let pairs = (0..self.u32()?)
                    .map(|_| Some((self.u32()?, self.take().map(u64::from_be_bytes)?)))
                    .collect::<Option<_>>()?;
                file.classes.push((class, pairs));
            }
            b'N' => {
                let note = self.text()?;
                file.notes.push(note);
            }
            b'E' => return self.u32().map(Read::End),
            _ => return None,
        }
        Some(Read::Record)
    }

    fn frame(&mut self) -> Option<ActiveFrame> {
        Some(ActiveFrame {
            class: self.text()?,
            method: self.text()?,
            line: i32::from_be_bytes(self.take()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(to: &mut Vec<u8>, text: &str) {
        to.extend((text.len() as u16).to_be_bytes());
        to.extend(text.bytes());
    }

    fn example() -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        text(&mut bytes, "0f");
        text(&mut bytes, "17-4");
        text(&mut bytes, "18-5");
        let start = bytes.len();
        bytes.push(b'C');
        for number in [3_u32, 1, 7] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend(9_u64.to_be_bytes());
        let sum = crc32fast::hash(&bytes[start..]);
        bytes.push(b'E');
        bytes.extend(sum.to_be_bytes());
        bytes
    }

    #[test]
    fn a_complete_file() {
        let mut bytes = example();
        bytes.push(b'N');
        text(&mut bytes, "late");
        let file = CountsFile::parse(&bytes).expect("counts");
        let names = [&file.digest, &file.run, &file.file];
        assert_eq!(names, ["0f", "17-4", "18-5"]);
        assert_eq!(file.classes, [(3, vec![(7, 9)])]);
        assert_eq!(file.notes, ["late"]);
        assert!(file.complete);
    }

    #[test]
    fn no_part_of_a_file_passes_for_all_of_it() {
        let bytes = example();
        let head = MAGIC.len() + 4 + 6 + 6;
        for length in 0..bytes.len() {
            match CountsFile::parse(&bytes[..length]) {
                Ok(file) => assert!(
                    length >= head
                        && !file.complete
                        && (file.classes.is_empty() || length == bytes.len() - 5)
                ),
                Err(ArchiveError::CutOff) => assert!(length < head, "{length}"),
                Err(error) => panic!("{length}: {error}"),
            }
        }
        for other in [&b"{}"[..], b"PTCOUNT\x01", b"PTX"] {
            let error = CountsFile::parse(other).expect_err("no counts");
            assert!(matches!(error, ArchiveError::NotCounts { .. }), "{error}");
        }
        for at in head..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            let complete = CountsFile::parse(&damaged).is_ok_and(|file| file.complete);
            assert!(!complete, "byte {at}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = CountsFile::parse(&[MAGIC, &[0, 0, 0, 0, 0, 0], &bytes].concat());
            let _ = CountsFile::parse(&bytes);
        }
    }
}
