//! Reads a trace up to its first damage.
//!
//! Memory is bounded by the file: a frame that claims more bytes than are left is damage, not an allocation. Frames of
//! a kind this version does not know are skipped if their checksum holds.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use crate::frame::{
    FRAME_BYTES, HEADER_BYTES, LAST_KIND, MAGIC, MAX_PAYLOAD, RETIRED, TraceError, checksum, kind,
};
use crate::record::{Record, TRACE_VERSION};

/// A trace in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Every record before the damage, [`Record::End`] included.
    pub records: Vec<Record>,
    /// Whether the run ended in order: the last record is [`Record::End`] and nothing follows.
    pub complete: bool,
    /// Where and why reading stopped, if not behind the last record.
    pub damage: Option<Damage>,
}

/// Where and why reading stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Offset of the damaged frame in the file, in bytes.
    pub offset: u64,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.reason, self.offset)
    }
}

impl Trace {
    /// Reads a file. Damage is a result, not an error: an error means that there is no trace at all.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        Self::collect(TraceReader::open(path)?)
    }

    /// Reads a trace that is already in memory; `path` appears in errors only.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, TraceError> {
        Self::collect(TraceReader::new(bytes, bytes.len() as u64, path)?)
    }

    fn collect<R: Read>(mut reader: TraceReader<R>) -> Result<Self, TraceError> {
        let mut records = Vec::new();
        while let Some(record) = reader.next_record()? {
            records.push(record);
        }
        let complete = reader.damage().is_none() && matches!(records.last(), Some(Record::End));
        Ok(Self {
            records,
            complete,
            damage: reader.damage,
        })
    }

    /// Why the trace is not complete, in words; none if it is.
    pub fn incomplete_reason(&self) -> Option<String> {
        match &self.damage {
            Some(damage) => Some(damage.to_string()),
            None if self.complete => None,
            None => {
                Some("the trace has no end record: the process was killed or crashed".to_owned())
            }
        }
    }
}

/// Reads record by record.
#[derive(Debug)]
pub struct TraceReader<R: Read> {
    source: R,
    path: PathBuf,
    offset: u64,
    length: u64,
    payload: Vec<u8>,
    damage: Option<Damage>,
    ended: bool,
}

impl TraceReader<BufReader<File>> {
    /// Opens a file and checks its header.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let io = |source| TraceError::Io {
            action: "open",
            path: path.to_path_buf(),
            source,
        };
        let file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        Self::new(BufReader::with_capacity(1 << 16, file), length, path)
    }
}

impl<R: Read> TraceReader<R> {
    /// Checks the header of a source of `length` bytes.
    pub fn new(mut source: R, length: u64, path: &Path) -> Result<Self, TraceError> {
        let mut header = [0u8; HEADER_BYTES];
        let got = read_up_to(&mut source, &mut header).map_err(|error| TraceError::Io {
            action: "read",
            path: path.to_path_buf(),
            source: error,
        })?;
        if got < HEADER_BYTES || header[..8] != MAGIC {
            return Err(TraceError::NotATrace {
                path: path.to_path_buf(),
            });
        }
        let version = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
        if version != TRACE_VERSION {
            return Err(TraceError::Version {
                path: path.to_path_buf(),
                found: version,
                expected: TRACE_VERSION,
            });
        }
        Ok(Self {
            source,
            path: path.to_path_buf(),
            offset: HEADER_BYTES as u64,
            length,
            payload: Vec::new(),
            damage: None,
            ended: false,
        })
    }

    /// The next record; none at the end or at the first damage.
    pub fn next_record(&mut self) -> Result<Option<Record>, TraceError> {
        while self.damage.is_none() {
            let at = self.offset;
            match self.frame() {
                Ok(Step::End) => return Ok(None),
                Ok(Step::Unknown) => {}
                Ok(Step::Record(record)) => {
                    self.ended = record == Record::End;
                    return Ok(Some(record));
                }
                Err(Stop::Damage(reason)) => self.damage = Some(Damage { offset: at, reason }),
                Err(Stop::Io(source)) => {
                    return Err(TraceError::Io {
                        action: "read",
                        path: self.path.clone(),
                        source,
                    });
                }
            }
        }
        Ok(None)
    }

    /// Where and why reading stopped early.
    pub fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }

    fn frame(&mut self) -> Result<Step, Stop> {
        let mut head = [0u8; FRAME_BYTES];
        let got = read_up_to(&mut self.source, &mut head).map_err(Stop::Io)?;
        if got == 0 {
            return Ok(Step::End);
        }
        if self.ended {
            return Err(Stop::Damage("bytes follow the end record".to_owned()));
        }
        if got < FRAME_BYTES {
            return Err(Stop::Damage("the last frame is cut short".to_owned()));
        }
        let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
        let expected = u32::from_le_bytes([head[5], head[6], head[7], head[8]]);
        let left = self.length.saturating_sub(self.offset + FRAME_BYTES as u64);
        if length > MAX_PAYLOAD || u64::from(length) > left {
            return Err(Stop::Damage(format!(
                "a frame claims {length} bytes where {left} are left"
            )));
        }
        self.payload.resize(length as usize, 0);
        let got = read_up_to(&mut self.source, &mut self.payload).map_err(Stop::Io)?;
        if got < length as usize {
            return Err(Stop::Damage("the last frame is cut short".to_owned()));
        }
        if checksum(head[0], &self.payload) != expected {
            return Err(Stop::Damage("a frame's checksum is wrong".to_owned()));
        }
        self.offset += FRAME_BYTES as u64 + u64::from(length);
        if head[0] > LAST_KIND || head[0] == RETIRED {
            return Ok(Step::Unknown);
        }
        match postcard::from_bytes::<Record>(&self.payload) {
            Ok(record) if kind(&record) == head[0] => Ok(Step::Record(record)),
            Ok(_) => Err(Stop::Damage(
                "a frame's kind and its record disagree".to_owned(),
            )),
            Err(error) => Err(Stop::Damage(format!("a record cannot be decoded: {error}"))),
        }
    }
}

enum Step {
    End,
    Unknown,
    Record(Record),
}

enum Stop {
    Damage(String),
    Io(std::io::Error),
}

/// Fills the buffer as far as the source goes.
fn read_up_to(source: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match source.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(n) => got += n,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}
