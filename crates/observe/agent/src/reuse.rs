//! Classes as an earlier run rewrote them, in a directory: one file per class and kind of rewriting, `0123…-4567….class`.
//!
//! Reading a plan and rewriting by it is the work of the agent's own thread, for which the thread that loads the class waits. What comes of it depends on the class and
//! on the options alone, but for the number of the class, a constant that is filled in. A file is postcard, then its XXH3-128, little endian. One that is damaged, or of
//! another version, is as good as none: the class is rewritten.

use std::path::PathBuf;
use std::sync::Arc;

use pricetag_instrument::SHARED_CLASSES;
use pricetag_probe_plan::{ClassHash, PLAN_VERSION, write_whole};
use pricetag_trace::{AgentOptions, Mode};
use serde::{Deserialize, Serialize};

use crate::classes::{ClassIndex, Counted, Methods};
use crate::session::Session;

const CHECKSUM: usize = 16;

/// Where rewritten classes are kept.
#[derive(Debug)]
pub struct Reuse {
    directory: PathBuf,
    /// Hash of what shapes rewriting.
    kind: ClassHash,
}

/// A class that has been rewritten so that it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// Its class file.
    pub bytes: Vec<u8>,
    /// Where in it the number of the class is.
    pub index_at: Option<usize>,
    /// What is counted.
    pub counted: Arc<Counted>,
    /// Methods that are left as they are or not fully observed, with the reason.
    pub left: Vec<(String, String)>,
}

/// The same as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    #[serde(borrow)]
    bytes: &'a [u8],
    index_at: Option<usize>,
    counted: Counted,
    #[serde(borrow)]
    methods: &'a [u8],
    left: Vec<(String, String)>,
}

impl Reuse {
    /// What the options ask for. Where methods are numbered through all classes, rewritten code is of no use to another run.
    pub fn of(options: &AgentOptions) -> Option<Self> {
        let directory = options.rewritten.clone()?;
        if options.mode != Mode::Count || options.by_caller() {
            return None;
        }
        let shaping = AgentOptions {
            trace: PathBuf::new(),
            progress: false,
            ..options.clone()
        };
        let version = env!("CARGO_PKG_VERSION");
        let kind = format!("{version} {PLAN_VERSION}\n{}", shaping.to_text());
        std::fs::create_dir_all(&directory).ok()?;
        Some(Self {
            directory,
            kind: ClassHash::of(kind.as_bytes()),
        })
    }

    fn path(&self, hash: ClassHash) -> PathBuf {
        self.directory.join(format!("{hash}-{}.class", self.kind))
    }

    /// A class, its number filled in; none if it is not kept, or its plan is not.
    pub fn find(&self, session: &Session, hash: ClassHash) -> Option<(ClassIndex, Rewritten)> {
        let stored = std::fs::read(self.path(hash)).ok()?;
        let mut rewritten = decode(&stored).filter(|found| found.counted.hash == hash)?;
        if !session.plans().ok()?.path(hash).exists() {
            return None;
        }
        let index = session.classes.index(hash);
        (index.0 < SHARED_CLASSES).then_some(())?;
        rewritten.number(index)?;
        Some((index, rewritten))
    }

    /// Keeps a class; a run that cannot goes on without.
    pub fn keep(&self, rewritten: &Rewritten) {
        if let Some(bytes) = encode(rewritten) {
            let _ = write_whole(&self.path(rewritten.counted.hash), &bytes);
        }
    }
}

impl Rewritten {
    /// Fills the number of the class in; none if there is no place for it.
    fn number(&mut self, index: ClassIndex) -> Option<()> {
        let Some(at) = self.index_at else {
            return Some(());
        };
        let place = self.bytes.get_mut(at..)?.first_chunk_mut()?;
        *place = index.0.to_be_bytes();
        Some(())
    }
}

fn encode(rewritten: &Rewritten) -> Option<Vec<u8>> {
    let stored = Stored {
        bytes: &rewritten.bytes,
        index_at: rewritten.index_at,
        counted: Counted::clone(&rewritten.counted),
        methods: &rewritten.counted.methods.encode().ok()?,
        left: rewritten.left.clone(),
    };
    let mut bytes = postcard::to_stdvec(&stored).ok()?;
    bytes.extend(ClassHash::of(&bytes).0.to_le_bytes());
    Some(bytes)
}

fn decode(bytes: &[u8]) -> Option<Rewritten> {
    let (body, checksum) = bytes.split_last_chunk::<CHECKSUM>()?;
    if ClassHash::of(body).0 != u128::from_le_bytes(*checksum) {
        return None;
    }
    let stored: Stored<'_> = postcard::from_bytes(body).ok()?;
    Some(Rewritten {
        bytes: stored.bytes.to_vec(),
        index_at: stored.index_at,
        counted: Arc::new(Counted {
            methods: Methods::encoded(stored.methods),
            ..stored.counted
        }),
        left: stored.left,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classes::CountedMethod;

    fn rewritten() -> Rewritten {
        Rewritten {
            bytes: vec![1, 2, 0, 0, 0, 7, 3],
            index_at: Some(2),
            counted: Arc::new(Counted {
                hash: ClassHash(5),
                name: "A".to_owned(),
                counters: 3,
                chunk: 4,
                variables: Vec::new(),
                depths: vec![(1, 3)],
                fields: vec![("f".to_owned(), "I".to_owned())],
                super_name: Some("B".to_owned()),
                methods: vec![CountedMethod {
                    name: "m".to_owned(),
                    descriptor: "()V".to_owned(),
                    pcs: vec![(9, 0), (12, 1)],
                    code_length: 20,
                    monitor_enters: vec![1],
                }]
                .into(),
                loops: 1,
                caller: None,
            }),
            left: vec![("n()V".to_owned(), "for a reason".to_owned())],
        }
    }

    #[test]
    fn what_is_kept_comes_back_with_another_number() {
        let mut found = decode(&encode(&rewritten()).unwrap()).unwrap();
        assert_eq!(found, rewritten());
        found.number(ClassIndex(0x0102_0304)).unwrap();
        assert_eq!(found.bytes, [1, 2, 1, 2, 3, 4, 3]);
        found.index_at = Some(4);
        assert!(found.number(ClassIndex(1)).is_none(), "beyond the end");
    }

    #[test]
    fn nothing_torn_or_altered_is_taken() {
        let whole = encode(&rewritten()).unwrap();
        for length in 0..whole.len() {
            assert!(decode(&whole[..length]).is_none(), "cut at {length}");
            let mut altered = whole.clone();
            altered[length] ^= 0x10;
            assert!(decode(&altered).is_none(), "altered at {length}");
        }
        let mut foreign = b"something else".to_vec();
        foreign.extend(ClassHash::of(&foreign).0.to_le_bytes());
        assert!(decode(&foreign).is_none());
    }
}
