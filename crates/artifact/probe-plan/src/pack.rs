//! Records in the files of a directory, one after another, found by key.
//!
//! Whoever adds records does so in one call of the operating system each, to the end of a file of its own: a file per record would cost ten times as much. A file
//! that ends within a record, because somebody was killed or is still at it, loses that record alone; so does one that is altered in a record, unless the length that it
//! announces then happens to end where another begins.
//!
//! Of several records with a key the one counts that was added last to the file that was begun last.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::envelope::{Envelope, Head};
use crate::error::CodecError;

/// Files that are longer are not added to: whoever makes room removes whole files.
const FULL: u64 = 16 << 20;

/// A directory of records of one kind.
#[derive(Debug)]
pub struct Pack {
    directory: PathBuf,
    envelope: Envelope,
    /// Files that are read end so, those with later ones before; the first is what new ones get.
    extensions: &'static [&'static str],
    /// Whether files of which a record is read are modified then, as far as others can see.
    notes_use: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    files: Vec<Indexed>,
    numbers: BTreeMap<PathBuf, usize>,
    /// Where records with a key are, oldest first.
    places: BTreeMap<u128, Vec<Place>>,
    /// The file that was read last, and its number.
    open: Option<(usize, Arc<File>)>,
    /// The file that is written, and its number.
    own: Option<(usize, File)>,
}

/// How far a file is known.
#[derive(Debug)]
struct Indexed {
    path: PathBuf,
    /// Where what is not known yet begins.
    until: u64,
    /// Where something begins that is none of ours, and why.
    unreadable: Option<(u64, CodecError)>,
    /// Whether it is noted that it is used.
    used: bool,
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
    /// Opens the directory, creating it if need be. Files in it belong if their names have one of `extensions`; those that are written get the first, and are newer
    /// than those with another.
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
            notes_use: false,
            state: Mutex::default(),
        };
        pack.refresh()?;
        Ok(pack)
    }

    /// From now on the time at which a file was last modified is that at which a record of it was last used.
    #[must_use]
    pub fn noting_use(self) -> Self {
        Self {
            notes_use: true,
            ..self
        }
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
            let mut kinds = self.extensions.iter().rev();
            if let Some(kind) = kinds.position(|&kind| Some(kind) == extension)
                // A pipe would never end.
                && fs::metadata(&path).is_ok_and(|found| found.is_file())
            {
                paths.push((kind, number(&path), path));
            }
        }
        paths.sort();
        let mut state = self.state();
        for (.., path) in paths {
            let file = state.number(path);
            if state.own.as_ref().is_none_or(|(own, _)| *own != file) {
                self.index(&mut state, file)?;
            }
        }
        Ok(())
    }

    /// Number of files.
    pub fn files(&self) -> usize {
        self.state().files.len()
    }

    /// All keys that are known, ascending; their records may be damaged.
    pub fn keys(&self) -> Vec<u128> {
        self.state().places.keys().copied().collect()
    }

    /// Whether a record with this key is known; it may be damaged.
    pub fn has(&self, key: u128) -> bool {
        self.state().places.contains_key(&key)
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
        let places = self.state().places.get(&key).cloned();
        let mut newest = None;
        for &place in places.iter().flatten().rev() {
            // Others need not wait for the file to be read.
            let (path, opened) = self.state().reader(place, self.notes_use);
            let bytes = opened.and_then(|file| place.bytes(&file));
            let found = match bytes.map_err(failed("read", &path)) {
                // The file is another one by now.
                Ok(bytes) if self.envelope.key(&bytes).is_ok_and(|found| found != key) => continue,
                Ok(bytes) => decode(&bytes).map_err(|source| StoreError::Codec {
                    path,
                    at: place.at,
                    source,
                }),
                Err(error) => Err(error),
            };
            match found {
                Ok(found) => return Ok(Some(found)),
                Err(error) => newest = newest.or(Some(error)),
            }
        }
        newest
            .or_else(|| self.state().unreadable())
            .map_or(Ok(None), Err)
    }

    /// That all records are as they were written, of whatever version. A file that ends within one is no damage: somebody was killed.
    ///
    /// # Errors
    /// If one is not, which is the first; if a file cannot be read.
    pub fn check(&self) -> Result<(), StoreError> {
        let paths: Vec<PathBuf> = self.state().files.iter().map(|f| f.path.clone()).collect();
        for path in paths {
            let reading = failed("read", &path);
            let file = File::open(&path).map_err(&reading)?;
            let length = file.metadata().map_err(&reading)?.len();
            let mut at = 0;
            while at < length {
                let head = head(&file, at, length).map_err(&reading)?;
                let place = match self.envelope.head(&head, length - at) {
                    Err(CodecError::Length { .. }) => break,
                    Err(source) => Err(source),
                    Ok(Head { length, .. }) => Ok(Place {
                        file: 0,
                        at,
                        length,
                    }),
                };
                let whole = match place {
                    Ok(place) => {
                        let bytes = place.bytes(&file).map_err(&reading)?;
                        self.envelope.check(&bytes).map(|()| place.length)
                    }
                    Err(source) => Err(source),
                };
                at += whole.map_err(|source| StoreError::Codec {
                    path: path.clone(),
                    at,
                    source,
                })?;
            }
        }
        Ok(())
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
            && let (_, Ok(file)) = state.reader(newest, self.notes_use)
            && newest.bytes(&file).is_ok_and(|bytes| bytes == record)
        {
            return Ok(());
        }
        let (file, mut own) = match state.own.take() {
            Some(own) if state.files[own.0].until < FULL => own,
            _ => self.begin(&mut state)?,
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
        let last = state.numbers.keys().filter_map(|path| number(path)).max();
        let mut next = last.map_or(1, |last| last.saturating_add(1));
        loop {
            let name = format!("{next:06}.{}", self.extensions[0]);
            let path = self.directory.join(name);
            let mut options = OpenOptions::new();
            match options.append(true).create_new(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    next = next.wrapping_add(1);
                }
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
    fn index(&self, state: &mut State, file: usize) -> Result<(), StoreError> {
        let path = state.files[file].path.clone();
        match File::open(&path).and_then(|opened| self.index_open(state, file, &opened)) {
            // Others may remove files, and take back what they had no room for.
            Err(error)
                if [io::ErrorKind::NotFound, io::ErrorKind::UnexpectedEof]
                    .contains(&error.kind()) =>
            {
                Ok(())
            }
            indexed => indexed.map_err(failed("read", &path)),
        }
    }

    fn index_open(&self, state: &mut State, number: usize, file: &File) -> io::Result<()> {
        let length = file.metadata()?.len();
        let known = &mut state.files[number];
        // What was torn may be whole by now, or gone.
        known.unreadable.take_if(|(at, _)| *at >= known.until);
        let mut before = None;
        while state.files[number].until < length {
            let at = state.files[number].until;
            match self.envelope.head(&head(file, at, length)?, length - at) {
                Ok(Head { length, key }) => {
                    state.add(key, number, length);
                    before = Some(at);
                }
                Err(error) => {
                    // It may be the length of the one before that is wrong.
                    let suspect = match before {
                        Some(before) if !self.is_whole(file, before, length)? => before,
                        _ => at,
                    };
                    state.files[number].note(at, error);
                    let Some(next) = self.next_whole(file, suspect + 1, length)? else {
                        break;
                    };
                    state.files[number].until = next;
                }
            }
        }
        Ok(())
    }

    /// Where the first whole record begins that begins there or later, in a file of this length.
    fn next_whole(&self, file: &File, from: u64, length: u64) -> io::Result<Option<u64>> {
        const STEP: u64 = 1 << 16;
        let magic = self.envelope.magic;
        let mut bytes = Vec::new();
        for start in (from..length).step_by(STEP as usize) {
            // Those that begin in this step may end beyond it.
            let there = (length - start).min(STEP + magic.len() as u64 - 1);
            bytes.resize(there as usize, 0);
            file.read_exact_at(&mut bytes, start)?;
            for (offset, found) in bytes.windows(magic.len()).enumerate() {
                let at = start + offset as u64;
                if found == magic && self.is_whole(file, at, length)? {
                    return Ok(Some(at));
                }
            }
        }
        Ok(None)
    }

    /// Whether a whole record begins there.
    fn is_whole(&self, file: &File, at: u64, length: u64) -> io::Result<bool> {
        let Ok(head) = self.envelope.head(&head(file, at, length)?, length - at) else {
            return Ok(false);
        };
        let length = head.length;
        let bytes = Place {
            file: 0,
            at,
            length,
        }
        .bytes(file)?;
        Ok(self.envelope.check(&bytes).is_ok())
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
            used: false,
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
            Err(error) => self.files[file].note(at, error),
        }
        self.files[file].until = at + length;
    }

    /// The file of a place, and where it is.
    fn reader(&mut self, place: Place, note_use: bool) -> (PathBuf, io::Result<Arc<File>>) {
        let known = &mut self.files[place.file];
        let path = known.path.clone();
        let file = match self.open.take() {
            Some((number, file)) if number == place.file => file,
            _ => match File::open(&path) {
                Ok(file) => Arc::new(file),
                Err(error) => return (path, Err(error)),
            },
        };
        if note_use && !known.used {
            // One that is not ours to modify is used all the same.
            let _ = file.set_modified(SystemTime::now());
            known.used = true;
        }
        self.open = Some((place.file, Arc::clone(&file)));
        (path, Ok(file))
    }

    /// What the missing may have become of: damage rather than another version.
    fn unreadable(&self) -> Option<StoreError> {
        let noted = self.files.iter().filter_map(|file| {
            let (at, source) = file.unreadable.clone()?;
            let path = file.path.clone();
            Some((source.is_version(), StoreError::Codec { path, at, source }))
        });
        let first = noted.min_by_key(|(is_version, _)| *is_version);
        first.map(|(_, error)| error)
    }
}

impl Indexed {
    /// Notes what is none of ours: the first damage, or the first of another version.
    fn note(&mut self, at: u64, error: CodecError) {
        let known = self.unreadable.as_ref();
        if known.is_none_or(|(_, known)| known.is_version() && !error.is_version()) {
            self.unreadable = Some((at, error));
        }
    }
}

impl Place {
    fn bytes(self, file: &File) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.length).unwrap_or(usize::MAX)];
        file.read_exact_at(&mut bytes, self.at)?;
        Ok(bytes)
    }
}

/// The first bytes of what begins there, as many as tell what it is or as there are, in a file of this length.
fn head(file: &File, at: u64, length: u64) -> io::Result<Vec<u8>> {
    let there = (length - at).min(Envelope::HEAD as u64);
    let mut bytes = vec![0; there as usize];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}

/// The number by which a file is called: later ones have higher numbers.
fn number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.parse().ok()
}

fn failed<'a>(action: &'static str, path: &'a Path) -> impl Fn(io::Error) -> StoreError + 'a {
    move |source| StoreError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}
