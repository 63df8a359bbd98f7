//! Records in the files of a directory, one after another, found by key.
//!
//! Whoever adds records does so in one call of the operating system each, to the end of a file of its own: a file per record would cost ten times as much. A file
//! that ends within a record, because somebody was killed or is still at it, loses that record alone.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::codec::CodecError;
use crate::envelope::{Envelope, Head};

/// A directory of records of one kind.
#[derive(Debug)]
pub struct Pack {
    directory: PathBuf,
    envelope: Envelope,
    /// Files that are read end so; the first is what new ones get.
    extensions: &'static [&'static str],
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    files: Vec<Indexed>,
    numbers: BTreeMap<PathBuf, usize>,
    /// Where records with a key are, oldest first.
    places: BTreeMap<u128, Vec<Place>>,
    /// The file that was read last, and its number.
    open: Option<(usize, File)>,
    /// The file that is written, and its number.
    own: Option<(usize, File)>,
}

/// How far a file is known.
#[derive(Debug)]
struct Indexed {
    path: PathBuf,
    /// Length of the records that were found one after another.
    until: u64,
    /// Where something begins that is none of ours, and why.
    unreadable: Option<(u64, CodecError)>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    file: usize,
    at: u64,
    length: u64,
}

/// Why records could not be kept or found.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// "read", "write", …
        action: &'static str,
        /// Of which file or directory.
        path: PathBuf,
        /// Its reason.
        source: io::Error,
    },
    /// What is in a file cannot be read.
    #[error("{}, from byte {at}: {source}", path.display())]
    Codec {
        /// Which file.
        path: PathBuf,
        /// Where in it.
        at: u64,
        /// What is wrong.
        source: CodecError,
    },
}

impl Pack {
    /// Opens the directory, creating it if need be. Files in it belong if their names have one of `extensions`; those that are written get the first.
    ///
    /// # Errors
    /// If it cannot be created or listed, or a file in it cannot be read.
    pub fn open(
        directory: impl Into<PathBuf>,
        envelope: Envelope,
        extensions: &'static [&'static str],
    ) -> Result<Self, StoreError> {
        let directory = directory.into();
        fs::create_dir_all(&directory).map_err(failed("create", &directory))?;
        let pack = Self {
            directory,
            envelope,
            extensions,
            state: Mutex::default(),
        };
        pack.refresh()?;
        Ok(pack)
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Looks at what others have added since.
    ///
    /// # Errors
    /// If the directory cannot be listed, or a file in it cannot be read.
    pub fn refresh(&self) -> Result<(), StoreError> {
        let mut paths = Vec::new();
        let listing = failed("list", &self.directory);
        for entry in fs::read_dir(&self.directory).map_err(&listing)? {
            let path = entry.map_err(&listing)?.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if extension.is_some_and(|found| self.extensions.contains(&found)) {
                paths.push(path);
            }
        }
        // Later files have higher numbers.
        paths.sort();
        let mut state = self.state();
        for path in paths {
            let file = state.number(path);
            if state.own.as_ref().is_none_or(|(own, _)| *own != file) {
                self.index(&mut state, file)?;
            }
        }
        Ok(())
    }

    /// Whether there is a record with this key, readable or not, as far as is known.
    pub fn holds(&self, key: u128) -> bool {
        self.state().places.contains_key(&key)
    }

    /// All keys that are known, ascending.
    pub fn keys(&self) -> Vec<u128> {
        self.state().places.keys().copied().collect()
    }

    /// The newest record with this key that is whole and can be decoded; none if none is known.
    ///
    /// # Errors
    /// If there are some, and none of them can be read: why the newest cannot. If there is none, but a file has bytes that are no record.
    pub fn read<T>(
        &self,
        key: u128,
        decode: impl Fn(&[u8]) -> Result<T, CodecError>,
    ) -> Result<Option<T>, StoreError> {
        let mut state = self.state();
        let places = state.places.get(&key).cloned().unwrap_or_default();
        let mut newest = None;
        for &place in places.iter().rev() {
            let found = state.bytes(place).and_then(|bytes| {
                decode(&bytes).map_err(|source| StoreError::Codec {
                    path: state.files[place.file].path.clone(),
                    at: place.at,
                    source,
                })
            });
            match found {
                Ok(found) => return Ok(Some(found)),
                Err(error) => newest = newest.or(Some(error)),
            }
        }
        let unreadable = || {
            state.files.iter().find_map(|file| {
                let (at, source) = file.unreadable.clone()?;
                let path = file.path.clone();
                Some(StoreError::Codec { path, at, source })
            })
        };
        newest.or_else(unreadable).map_or(Ok(None), Err)
    }

    /// Adds a record, unless the newest with its key has the same bytes.
    ///
    /// # Errors
    /// If it cannot be written whole; then it is as if nothing had been.
    pub fn add(&self, key: u128, record: &[u8]) -> Result<(), StoreError> {
        let mut state = self.state();
        let newest = state.places.get(&key).and_then(|places| places.last());
        if let Some(&newest) = newest
            && newest.length == record.len() as u64
            && state.bytes(newest).is_ok_and(|bytes| bytes == record)
        {
            return Ok(());
        }
        let (file, mut own) = match state.own.take() {
            Some(own) => own,
            None => self.begin(&mut state)?,
        };
        let (path, at) = (state.files[file].path.clone(), state.files[file].until);
        if let Err(source) = own.write_all(record) {
            // Part of it may be there. If that cannot be undone, the file is left as it is.
            if own.set_len(at).is_ok() {
                state.own = Some((file, own));
            }
            return Err(failed("write", &path)(source));
        }
        state.own = Some((file, own));
        state.add(Ok(key), file, record.len() as u64);
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new file of our own, numbered after those that are there.
    fn begin(&self, state: &mut State) -> Result<(usize, File), StoreError> {
        let number = |path: &PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
        let last = state.numbers.keys().filter_map(number).max();
        let mut next = last.unwrap_or(0) + 1;
        loop {
            let name = format!("{next:06}.{}", self.extensions[0]);
            let path = self.directory.join(name);
            let mut options = OpenOptions::new();
            match options.append(true).create_new(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => next += 1,
                file => {
                    return Ok((
                        state.number(path.clone()),
                        file.map_err(failed("create", &path))?,
                    ));
                }
            }
        }
    }

    /// Finds the records of a file behind those that are known.
    fn index(&self, state: &mut State, number: usize) -> Result<(), StoreError> {
        let path = state.files[number].path.clone();
        let reading = failed("read", &path);
        let length = fs::metadata(&path).map_err(&reading)?.len();
        if length == state.files[number].until {
            return Ok(());
        }
        let file = File::open(&path).map_err(&reading)?;
        state.files[number].unreadable = None;
        let mut head = [0; Envelope::HEAD];
        while state.files[number].until < length {
            let at = state.files[number].until;
            let there = (length - at).min(head.len() as u64) as usize;
            match file.read_exact_at(&mut head[..there], at) {
                // Its writer ran out of room and took back what was there.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                read => read.map_err(&reading)?,
            }
            match self.envelope.head(&head[..there], length - at) {
                Ok(Head { length, key }) => state.add(key, number, length),
                Err(error) => {
                    state.files[number].unreadable = Some((at, error));
                    break;
                }
            }
        }
        Ok(())
    }
}

impl State {
    /// The number of a file.
    fn number(&mut self, path: PathBuf) -> usize {
        if let Some(&number) = self.numbers.get(&path) {
            return number;
        }
        let number = self.files.len();
        self.numbers.insert(path.clone(), number);
        self.files.push(Indexed {
            path,
            until: 0,
            unreadable: None,
        });
        number
    }

    /// Notes a record behind those of a file that are known, or one that has no key that could be read.
    fn add(&mut self, key: Result<u128, CodecError>, file: usize, length: u64) {
        let at = self.files[file].until;
        match key {
            Ok(key) => {
                let places = self.places.entry(key).or_default();
                places.push(Place { file, at, length });
            }
            Err(error) => self.files[file].unreadable = Some((at, error)),
        }
        self.files[file].until = at + length;
    }

    fn bytes(&mut self, place: Place) -> Result<Vec<u8>, StoreError> {
        let path = &self.files[place.file].path;
        let reading = failed("read", path);
        let file = match self.open.take() {
            Some((number, file)) if number == place.file => file,
            _ => File::open(path).map_err(&reading)?,
        };
        let mut bytes = vec![0; usize::try_from(place.length).unwrap_or(usize::MAX)];
        let read = file.read_exact_at(&mut bytes, place.at);
        self.open = Some((place.file, file));
        read.map(|()| bytes).map_err(reading)
    }
}

fn failed<'a>(action: &'static str, path: &'a Path) -> impl Fn(io::Error) -> StoreError + 'a {
    move |source| StoreError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}
