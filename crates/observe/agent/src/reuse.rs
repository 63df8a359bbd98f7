//! Classes as an earlier run rewrote them, in a directory.
//!
//! Reading a plan and rewriting by it is the work of the agent's own thread, for which the thread that loads the class waits. What comes of it depends on the class and
//! on the options alone, but for the number of the class, which is filled in. Taking it needs so little stack that the loading thread does it itself. What is damaged, or
//! of another version, is as good as none: the class is rewritten.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use pricetag_instrument::SHARED_CLASSES;
use pricetag_probe_plan::{ClassHash, CodecError, Envelope, PLAN_VERSION, Pack};
use pricetag_trace::{AgentOptions, Mode};
use serde::{Deserialize, Serialize, Serializer};

use crate::classes::{ClassIndex, Counted, Methods};
use crate::rewritten::Rewritten;
use crate::session::Session;

const CLASSES: Envelope = Envelope {
    magic: *b"PTCLASS\x01",
    version: PLAN_VERSION,
};

/// Where rewritten classes are kept.
#[derive(Debug)]
pub struct Reuse {
    pack: Pack,
    /// Hash of what shapes rewriting.
    kind: ClassHash,
    /// Whether so much is kept that no more is: programs may make classes that no other run makes.
    full: bool,
}

/// Every run opens all files, which takes some 10 us each, and may add one.
const FILES: usize = 1000;

/// A rewritten class as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    version: u32,
    key: u128,
    #[serde(borrow, serialize_with = "at_once")]
    bytes: &'a [u8],
    index_at: Cow<'a, [usize]>,
    counted: Cow<'a, Counted>,
    #[serde(borrow, serialize_with = "at_once")]
    methods: &'a [u8],
    left: Cow<'a, [(String, String)]>,
    #[serde(borrow, serialize_with = "at_once")]
    plan: &'a [u8],
}

/// Otherwise each byte would be written by itself.
fn at_once<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bytes(bytes)
}

impl Reuse {
    /// What the options ask for. Where methods are numbered through all classes, rewritten code is of no use to another run.
    pub fn of(options: &AgentOptions) -> Option<Self> {
        let directory = options.rewritten.clone()?;
        if options.mode != Mode::Count || options.by_caller() || options.calls.is_some() {
            return None;
        }
        // Which classes are counted, and where things are, says nothing of how.
        let shaping = AgentOptions {
            trace: PathBuf::new(),
            plans: None,
            rewritten: None,
            include: Vec::new(),
            exclude: Vec::new(),
            count_jdk: false,
            progress: false,
            ..options.clone()
        };
        let version = env!("CARGO_PKG_VERSION");
        let kind = format!("{version} {PLAN_VERSION}\n{}", shaping.to_text());
        let pack = Pack::open(directory, CLASSES, &["classes"]).ok()?;
        Some(Self {
            full: pack.files() >= FILES,
            // What is not used makes room some day.
            pack: pack.noting_use(),
            kind: ClassHash::of(kind.as_bytes()),
        })
    }

    /// By what a class is found.
    fn key(&self, hash: ClassHash) -> u128 {
        let both = [hash.0.to_le_bytes(), self.kind.0.to_le_bytes()];
        ClassHash::of(both.as_flattened()).0
    }

    /// A class, its number filled in; none if it is not kept, or counters are to be read by another plan. Its plan is stored if none is.
    pub fn find(&self, session: &Session, hash: ClassHash) -> Option<(ClassIndex, Rewritten)> {
        let found = self.pack.read(self.key(hash), decode).ok()?;
        let mut rewritten = found.filter(|found| found.counted.hash == hash)?;
        let plans = session.plans().ok()?;
        match plans.bytes(hash) {
            Some(stored) if *stored != *rewritten.plan => return None,
            Some(_) => {}
            None => plans.store_bytes(hash, &rewritten.plan).ok()?,
        }
        let index = session.classes.index(hash);
        rewritten.number(index)?;
        Some((index, rewritten))
    }

    /// Whether a class would be kept that is not yet, as far as can be told without reading it.
    pub fn lacks(&self, hash: ClassHash) -> bool {
        !self.full && !self.pack.has(self.key(hash))
    }

    /// Keeps a class unless its number is one that takes other code; a run that cannot goes on without.
    pub fn keep(&self, index: ClassIndex, rewritten: &Rewritten) {
        if self.full {
            return;
        }
        let key = self.key(rewritten.counted.hash);
        if let (Some(_), Some(bytes)) = (short(index), encode(key, rewritten)) {
            let _ = self.pack.add(key, &bytes);
        }
    }
}

impl Rewritten {
    /// Fills the number of the class in; none if it does not go there.
    fn number(&mut self, index: ClassIndex) -> Option<()> {
        let number = short(index)?.to_be_bytes();
        for &at in &self.index_at {
            *self.bytes.get_mut(at..)?.first_chunk_mut()? = number;
        }
        Some(())
    }
}

/// A number as rewritten code has it, if it is one of those between which only the number differs.
fn short(index: ClassIndex) -> Option<u16> {
    u16::try_from(index.0)
        .ok()
        .filter(|_| index.0 < SHARED_CLASSES)
}

fn encode(key: u128, rewritten: &Rewritten) -> Option<Vec<u8>> {
    let stored = Stored {
        version: CLASSES.version,
        key,
        bytes: &rewritten.bytes,
        index_at: Cow::Borrowed(&rewritten.index_at),
        counted: Cow::Borrowed(&rewritten.counted),
        methods: &rewritten.counted.methods.encode().ok()?,
        left: Cow::Borrowed(&rewritten.left),
        plan: &rewritten.plan,
    };
    CLASSES.seal(&stored).ok()
}

fn decode(bytes: &[u8]) -> Result<Rewritten, CodecError> {
    let stored: Stored<'_> = postcard::from_bytes(CLASSES.open(bytes)?)?;
    Ok(Rewritten {
        bytes: stored.bytes.to_vec(),
        index_at: stored.index_at.into_owned(),
        counted: Arc::new(Counted {
            methods: Methods::encoded(stored.methods),
            ..stored.counted.into_owned()
        }),
        left: stored.left.into_owned(),
        plan: stored.plan.into(),
    })
}

#[cfg(test)]
mod tests {
    use serde::ser::SerializeTuple;

    use super::*;
    use crate::classes::CountedMethod;

    fn rewritten() -> Rewritten {
        Rewritten {
            bytes: vec![1, 0, 7, 2, 0, 7, 3],
            index_at: vec![1, 4],
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
            plan: [9, 8, 7].into(),
        }
    }

    #[test]
    fn what_is_kept_comes_back_with_another_number() {
        let mut found = decode(&encode(7, &rewritten()).unwrap()).unwrap();
        assert_eq!(found, rewritten());
        found.number(ClassIndex(0x0809)).unwrap();
        assert_eq!(found.bytes, [1, 8, 9, 2, 8, 9, 3]);
        assert!(found.number(ClassIndex(SHARED_CLASSES)).is_none());
        found.index_at = vec![6];
        assert!(found.number(ClassIndex(1)).is_none(), "beyond the end");
    }

    #[test]
    fn nothing_torn_or_altered_is_taken() {
        let whole = encode(7, &rewritten()).unwrap();
        for length in 0..whole.len() {
            assert!(decode(&whole[..length]).is_err(), "cut at {length}");
            let mut altered = whole.clone();
            altered[length] ^= 0x10;
            assert!(decode(&altered).is_err(), "altered at {length}");
        }
        assert!(decode(&CLASSES.seal(&"something else").unwrap()).is_err());
    }

    /// Bytes that are a body by themselves.
    struct Raw(Vec<u8>);

    impl Serialize for Raw {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut body = serializer.serialize_tuple(self.0.len())?;
            for byte in &self.0 {
                body.serialize_element(byte)?;
            }
            body.end()
        }
    }

    #[test]
    fn nonsense_under_a_right_checksum_is_survived() {
        let whole = encode(7, &rewritten()).unwrap();
        let body = CLASSES.open(&whole).unwrap();
        let mut taken = 0;
        for at in 0..body.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut nonsense = body.to_vec();
                nonsense[at] = value;
                let sealed = CLASSES.seal(&Raw(nonsense)).unwrap();
                if let Ok(mut found) = decode(&sealed) {
                    let _ = found.number(ClassIndex(1));
                    taken += usize::from(found.counted.methods.len() <= 1);
                }
            }
        }
        assert!(taken > 0);
    }
}
