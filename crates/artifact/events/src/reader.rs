//! Reading a file, block by block, in bounded memory.

use std::io::Read;

use crate::block::{Block, Content, Place};
use crate::coding::{self, take_number};
use crate::facts::{Dictionary, ThreadId};
use crate::frame::{self, BLOCK, END, FACTS, MAGIC, MARK, MARKS, OLDEST, PARTS, VERSION};
use crate::parts::Parted;
use crate::records;
use crate::scoped::{self, Edge, LONGEST_MARK, Mark};
use crate::stop::{Ending, Stop};
use crate::writer::LONGEST_BLOCK;

/// What a file may ask for, so that a hostile one cannot take all memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a frame, packed and unpacked.
    pub frame: u32,
    /// Bytes of memory for the dictionary.
    pub dictionary: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            frame: 16 << 20,
            dictionary: 2 << 30,
        }
    }
}

/// Reads events: an iterator of blocks. What they mean is in [`Reader::dictionary`], which grows as reading goes on.
pub struct Reader<R: Read> {
    source: R,
    limits: Limits,
    room: u64,
    offset: u64,
    dictionary: Dictionary,
    ending: Ending,
    marks: Vec<Mark>,
    parted: Option<Parted>,
    payload: Vec<u8>,
}

impl<R: Read> Reader<R> {
    /// Begins to read; `source` should be buffered.
    ///
    /// # Errors
    /// If it is no file of events, or of a version that is not known.
    pub fn new(source: R) -> Result<Self, Stop> {
        Self::with_limits(source, Limits::default())
    }

    /// The same with other limits.
    ///
    /// # Errors
    /// The same.
    pub fn with_limits(mut source: R, limits: Limits) -> Result<Self, Stop> {
        let stop = |why: String| Stop { offset: 0, why };
        let mut head = Vec::new();
        source
            .by_ref()
            .take(MAGIC.len() as u64 + 4)
            .read_to_end(&mut head)
            .map_err(|e| stop(format!("it cannot be read: {e}")))?;
        let (magic, version) = head
            .split_at_checked(MAGIC.len())
            .ok_or_else(|| stop("this is no file of events: it is too short".to_owned()))?;
        if magic != MAGIC {
            return Err(stop("this is no file of events".to_owned()));
        }
        let version = <[u8; 4]>::try_from(version).map(u32::from_le_bytes);
        match version {
            Ok(OLDEST..=VERSION) => {}
            Ok(other) => {
                return Err(stop(format!(
                    "its format has version {other}, and {OLDEST} to {VERSION} are known: use the Pricetag that wrote it"
                )));
            }
            Err(_) => return Err(stop("the file ends within its head".to_owned())),
        }
        Ok(Self {
            source,
            limits,
            room: limits.dictionary,
            offset: head.len() as u64,
            dictionary: Dictionary::default(),
            ending: Ending::Open,
            marks: Vec::new(),
            parted: None,
            payload: Vec::new(),
        })
    }

    /// What is known so far.
    pub fn dictionary(&self) -> &Dictionary {
        &self.dictionary
    }

    /// The same, taken out.
    pub fn into_dictionary(self) -> Dictionary {
        self.dictionary
    }

    /// Where calls of a scope begin and end, as far as it was read.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// How the file ended, once the iterator has.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// First byte of what is not read yet.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Reads up to the next block.
    fn advance(&mut self) -> Result<Option<Block>, Stop> {
        loop {
            if let Some(block) = self.parted.as_mut().and_then(Iterator::next) {
                return Ok(Some(block));
            }
            let offset = self.offset;
            let mut payload = std::mem::take(&mut self.payload);
            let kind = frame::next(&mut self.source, self.limits.frame, offset, &mut payload)?;
            let stop = |why: &str| Stop {
                offset,
                why: why.to_owned(),
            };
            let Some(kind) = kind else {
                return Err(stop(
                    "the file ends without its last frame: the run was killed, or is going on",
                ));
            };
            self.offset += (frame::HEAD + payload.len()) as u64;
            match kind {
                FACTS => self.facts(&payload).map_err(|why| Stop { offset, why })?,
                BLOCK => {
                    let block = self.block(&payload, offset);
                    self.payload = payload;
                    return block
                        .map(Some)
                        .ok_or_else(|| stop("the head of a block is damaged"));
                }
                PARTS => {
                    let kinds = self.dictionary.kinds.len() as u32;
                    let parted = Parted::read(&payload, self.limits.frame, kinds, offset);
                    self.parted = Some(parted.ok_or_else(|| stop("a parted block is damaged"))?);
                }
                END => {
                    let end = take_number(&mut payload.as_slice());
                    let end = end.ok_or_else(|| stop("the last frame is damaged"))?;
                    if self.source.read(&mut [0]).is_ok_and(|more| more > 0) {
                        return Err(Stop {
                            offset: self.offset,
                            why: "something follows the last frame, which is none of this file's"
                                .to_owned(),
                        });
                    }
                    self.ending = Ending::Whole(end.checked_sub(1));
                    return Ok(None);
                }
                MARK | MARKS => {
                    let read = match kind {
                        MARK => mark(&payload).map(|mark| vec![mark]),
                        _ => marks(&payload, self.limits.frame),
                    };
                    let read = read.ok_or_else(|| stop("a mark is damaged"))?;
                    self.room = self
                        .room
                        .checked_sub((read.len() * size_of::<Mark>()) as u64)
                        .ok_or_else(|| stop("the marks take more memory than is allowed"))?;
                    self.marks.extend(read);
                }
                _later => {}
            }
            self.payload = payload;
        }
    }

    fn facts(&mut self, payload: &[u8]) -> Result<(), String> {
        let mut packed = payload;
        let length = take_number(&mut packed).ok_or("the head of facts is damaged")?;
        if length > u64::from(self.limits.frame) {
            return Err(format!("facts claim {length} bytes"));
        }
        let bytes =
            zstd::bulk::decompress(packed, length as usize).map_err(|e| format!("facts: {e}"))?;
        records::read(&mut bytes.as_slice(), &mut self.dictionary, &mut self.room)?;
        Ok(())
    }

    fn block(&self, payload: &[u8], offset: u64) -> Option<Block> {
        let mut rest = payload;
        let thread = ThreadId(take_number(&mut rest)?);
        let start_ns = take_number(&mut rest)?.checked_sub(1);
        let first = take_number(&mut rest)?;
        let left_out = take_number(&mut rest)?;
        let count = take_number(&mut rest)?;
        let unpacked = take_number(&mut rest)?;
        let longest = count.saturating_mul(coding::LONGEST as u64);
        let sound = count <= LONGEST_BLOCK as u64
            && unpacked <= longest
            && left_out <= first
            && first.checked_add(count).is_some();
        sound.then(|| Block {
            place: Place {
                thread,
                start_ns,
                left_out,
            },
            first,
            count: count as u32,
            offset,
            content: Content::Packed {
                bytes: rest.to_vec(),
                unpacked: unpacked as u32,
                kinds: self.dictionary.kinds.len() as u32,
            },
        })
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Block;

    fn next(&mut self) -> Option<Block> {
        if self.ending != Ending::Open {
            return None;
        }
        match self.advance() {
            Ok(block) => block,
            Err(stop) => {
                self.ending = Ending::Cut(stop);
                None
            }
        }
    }
}

/// The mark of a frame of its own, as version 1 has them.
fn mark(payload: &[u8]) -> Option<Mark> {
    let mut rest = payload;
    Some(Mark {
        thread: ThreadId(take_number(&mut rest)?),
        call: take_number(&mut rest)?,
        edge: Edge::of(take_number(&mut rest)?)?,
        at: take_number(&mut rest)?,
    })
}

/// The marks of a frame.
fn marks(payload: &[u8], longest: u32) -> Option<Vec<Mark>> {
    let mut rest = payload;
    let thread = ThreadId(take_number(&mut rest)?);
    let count = take_number(&mut rest).filter(|&count| count <= LONGEST_BLOCK as u64)?;
    let unpacked = take_number(&mut rest)?;
    if unpacked > u64::from(longest).min(count * LONGEST_MARK as u64) {
        return None;
    }
    let bytes = zstd::bulk::decompress(rest, unpacked as usize).ok()?;
    scoped::decode(&bytes, thread, count as usize)
}
