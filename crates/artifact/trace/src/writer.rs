//! Appends records to a trace.
//!
//! Records gather in a buffer that goes to the file in one piece when it exceeds [`BLOCK_BYTES`] and on
//! [`TraceWriter::flush`]; a process killed at any moment leaves a readable prefix. After an error (the disk is
//! full, a record too long) nothing more is written, so that the file never continues behind a hole. Nor is anything written behind [`Record::End`]:
//! threads of a JVM may outlive the end of the run.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::frame::{FRAME_BYTES, MAGIC, MAX_PAYLOAD, TraceError, checksum, kind};
use crate::record::{Record, TRACE_VERSION};

/// Size at which the buffer goes to the file.
pub const BLOCK_BYTES: usize = 256 * 1024;

/// Writes a trace.
#[derive(Debug)]
pub struct TraceWriter<W: Write> {
    sink: W,
    path: PathBuf,
    buffer: Vec<u8>,
    /// Where records are encoded.
    payload: Vec<u8>,
    /// Longest payload, which a reader takes.
    longest: usize,
    failed: bool,
    ended: bool,
}

impl TraceWriter<File> {
    /// Creates the file and writes the header. Refuses to replace an existing file that is not empty.
    pub fn create(path: &Path) -> Result<Self, TraceError> {
        let io = |action, source| TraceError::Io {
            action,
            path: path.to_path_buf(),
            source,
        };
        let file = File::options()
            .append(true)
            .create(true)
            .open(path)
            .map_err(|error| io("create", error))?;
        if file.metadata().map_err(|error| io("create", error))?.len() > 0 {
            return Err(io("create", std::io::ErrorKind::AlreadyExists.into()));
        }
        let mut writer = Self::new(file, path);
        writer.flush()?;
        Ok(writer)
    }
}

impl<W: Write> TraceWriter<W> {
    /// Starts a trace on any sink; `path` appears in errors only.
    pub fn new(sink: W, path: &Path) -> Self {
        let mut buffer = Vec::with_capacity(BLOCK_BYTES / 4);
        buffer.extend_from_slice(&MAGIC);
        buffer.extend_from_slice(&TRACE_VERSION.to_le_bytes());
        Self {
            sink,
            path: path.to_path_buf(),
            buffer,
            payload: Vec::new(),
            longest: MAX_PAYLOAD as usize,
            failed: false,
            ended: false,
        }
    }

    /// Appends one record; it is in the file after the next [`flush`](Self::flush). Drops it behind [`Record::End`].
    pub fn write(&mut self, record: &Record) -> Result<(), TraceError> {
        if self.ended {
            return Ok(());
        }
        let at = self.buffer.len();
        let payload = self.encode(record).inspect_err(|_| {
            let _ = self.stop();
        })?;
        self.ended = matches!(record, Record::End);
        let kind = kind(record);
        self.buffer.reserve(FRAME_BYTES + payload.len());
        self.buffer.push(kind);
        self.buffer
            .extend_from_slice(&(payload.len() as u32).to_le_bytes());
        self.buffer
            .extend_from_slice(&checksum(kind, &payload).to_le_bytes());
        self.buffer.extend_from_slice(&payload);
        debug_assert_eq!(self.buffer.len(), at + FRAME_BYTES + payload.len());
        self.payload = payload;
        if self.buffer.len() >= BLOCK_BYTES {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn encode(&mut self, record: &Record) -> Result<Vec<u8>, TraceError> {
        let mut payload = std::mem::take(&mut self.payload);
        payload.clear();
        payload.shrink_to(BLOCK_BYTES);
        let payload = postcard::to_extend(record, payload).map_err(|error| TraceError::Encode {
            path: self.path.clone(),
            message: error.to_string(),
        })?;
        if payload.len() > self.longest {
            return Err(TraceError::TooLarge {
                path: self.path.clone(),
                bytes: payload.len(),
            });
        }
        Ok(payload)
    }

    /// Hands everything written so far to the sink.
    pub fn flush(&mut self) -> Result<(), TraceError> {
        if self.failed {
            self.buffer.clear();
            return Ok(());
        }
        let written = self
            .sink
            .write_all(&self.buffer)
            .and_then(|()| self.sink.flush());
        self.buffer.clear();
        written.map_err(|source| {
            self.failed = true;
            TraceError::Io {
                action: "write",
                path: self.path.clone(),
                source,
            }
        })
    }

    /// Writes nothing more after what was written so far, as after a write error: the reader sees a cut trace.
    pub fn stop(&mut self) -> Result<(), TraceError> {
        let flushed = self.flush();
        self.failed = true;
        flushed
    }

    /// Flushes and returns the sink.
    pub fn finish(mut self) -> Result<W, TraceError> {
        self.flush()?;
        Ok(self.sink)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Trace;

    #[test]
    fn a_trace_that_lacks_a_record_has_no_end() {
        let path = Path::new("a.trace");
        let mut writer = TraceWriter {
            longest: 16,
            ..TraceWriter::new(Vec::new(), path)
        };
        let said = |text: &str| Record::Inexact(text.to_owned());
        writer.write(&said("short")).expect("it fits");
        let refused = writer.write(&said(&"long".repeat(9)));
        assert!(matches!(refused, Err(TraceError::TooLarge { .. })));
        writer.write(&said("behind")).expect("dropped");
        writer.write(&Record::End).expect("dropped");
        let trace = Trace::from_bytes(&writer.finish().expect("a sink"), path).expect("a prefix");
        assert_eq!(trace.records, [said("short")]);
        assert!(!trace.complete);
    }
}
