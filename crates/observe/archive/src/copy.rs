//! An archive, copied with its classes rewritten.
//!
//! Entries that do not change are copied as they are compressed; entries keep their order, names, times and ways of compression, and ours
//! come last, so that the same input makes the same bytes. What stands before the entries (the script that starts an executable jar) stays there.
//! Nothing is ever unpacked to disk.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use pricetag_classfile::ClassFile;
use pricetag_probe::Wanted;
use pricetag_probe_plan::{ClassHash, ClassPlan};
use pricetag_trace::{Left, Listed, Pattern, UNLISTED};
use zip::write::{FileOptionExtension, FileOptions, SimpleFileOptions};
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use crate::class;
use crate::error::ArchiveError;
use crate::layout::{Kind, OURS, Role, escapes};
use crate::module;
use crate::program;
use crate::runtime::{self, Sizes};

/// Largest class that is read, bytes.
const LARGEST_CLASS: u64 = 64 << 20;
/// Largest nested archive that is read, bytes.
const LARGEST_LIBRARY: u64 = 1 << 30;

type Reader<'a> = ZipArchive<Cursor<&'a [u8]>>;
type Writer = ZipWriter<Cursor<Vec<u8>>>;

/// What to do with an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Classes to count; all when empty.
    pub include: Vec<Pattern>,
    /// Classes not to count; wins over `include`.
    pub exclude: Vec<Pattern>,
    /// What to count of the classes above.
    pub listed: Listed,
    /// Whether signatures are dropped; otherwise a signed archive is an error, and a signed library in one is left as it is.
    pub strip_signatures: bool,
}

impl Options {
    fn selects(&self, class: &str) -> bool {
        let dotted = class.replace('/', ".");
        (self.include.is_empty() || self.include.iter().any(|p| p.matches(&dotted)))
            && !self.exclude.iter().any(|p| p.matches(&dotted))
            && self.listed.names_class(class)
    }
}

/// What became of an archive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The new archive.
    pub bytes: Vec<u8>,
    /// Number of classes that count.
    pub classes: usize,
    /// Number of methods that count.
    pub methods: usize,
    /// What is as it was although it was to be counted.
    pub left: Vec<Left>,
    /// What else there is to know.
    pub notes: Vec<String>,
}

/// Instruments an archive.
///
/// # Errors
/// If it is no archive, is damaged, signed (unless signatures are to be stripped), or instrumented already. A class that cannot be
/// instrumented is no error: it is kept and listed.
pub fn instrument(archive: &[u8], options: &Options) -> Result<Outcome, ArchiveError> {
    let mut reader = open(archive)?;
    let names = names(&mut reader)?;
    if names.iter().any(|name| name.starts_with(OURS)) {
        return Err(ArchiveError::Instrumented);
    }
    let kind = Kind::of(names.iter().map(String::as_str));
    if let Some(signature) = signature(&names).filter(|_| !options.strip_signatures) {
        return Err(ArchiveError::Signed { signature });
    }
    let mut rewriter = Rewriter::new(options, digest(archive, options));
    let mut writer = writer(archive, &mut reader)?;
    rewriter.archive(&mut reader, &names, kind, "", &mut writer)?;
    rewriter.finish(kind, writer)
}

/// Names what counts depend on: the archive, and what of it is counted.
fn digest(archive: &[u8], options: &Options) -> String {
    let mut named = ClassHash::of(archive).to_string();
    for (sign, patterns) in [('+', &options.include), ('-', &options.exclude)] {
        for pattern in patterns {
            named.push(sign);
            named.push_str(pattern.as_str());
        }
    }
    for method in options.listed.methods() {
        named.push('#');
        named.push_str(&method.to_string());
    }
    for block in options.listed.blocks() {
        named.push('$');
        named.push_str(&block.to_string());
    }
    ClassHash::of(named.as_bytes()).to_string()
}

fn open(bytes: &[u8]) -> Result<Reader<'_>, ArchiveError> {
    let mut reader = ZipArchive::new(Cursor::new(bytes)).map_err(|e| ArchiveError::zip(&e))?;
    if reader
        .has_overlapping_files()
        .map_err(|e| ArchiveError::zip(&e))?
    {
        return Err(ArchiveError::Overlap);
    }
    Ok(reader)
}

/// Names of all entries, none of which leads out of the archive.
fn names(reader: &mut Reader<'_>) -> Result<Vec<String>, ArchiveError> {
    let mut names = Vec::with_capacity(reader.len());
    for index in 0..reader.len() {
        let entry = reader
            .by_index_raw(index)
            .map_err(|e| ArchiveError::zip(&e))?;
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        if escapes(&name) {
            return Err(ArchiveError::Escapes { entry: name });
        }
        names.push(name);
    }
    Ok(names)
}

/// A writer that begins as an archive does: with what stands before its entries.
fn writer(archive: &[u8], reader: &mut Reader<'_>) -> Result<Writer, ArchiveError> {
    let prefix = prefix(archive, reader)?;
    let mut bytes = Vec::with_capacity(archive.len() * 2);
    bytes.extend(prefix);
    let mut cursor = Cursor::new(bytes);
    cursor.set_position(prefix.len() as u64);
    Ok(ZipWriter::new(cursor))
}

/// What stands before the first entry, whether or not the archive's offsets count it in: `ZipArchive::offset` knows it only if they do not.
fn prefix<'a>(archive: &'a [u8], reader: &mut Reader<'_>) -> Result<&'a [u8], ArchiveError> {
    let mut first = None;
    for index in 0..reader.len() {
        let entry = reader
            .by_index_raw(index)
            .map_err(|e| ArchiveError::zip(&e))?;
        let start = entry.header_start();
        first = Some(first.map_or(start, |first: u64| first.min(start)));
    }
    let prefix = archive.get(..first.unwrap_or(0) as usize);
    // An entry that no directory lists any more is nobody's script.
    Ok(prefix
        .filter(|bytes| !bytes.starts_with(b"PK"))
        .unwrap_or_default())
}

fn signature(names: &[String]) -> Option<String> {
    names
        .iter()
        .find(|name| Kind::Jar.role(name) == Role::Signature)
        .cloned()
}

/// A class that counts.
pub(crate) struct Counted {
    pub hash: ClassHash,
    pub name: String,
    pub counters: u32,
}

/// The state of one archive's instrumentation, its libraries included.
struct Rewriter<'o> {
    options: &'o Options,
    digest: String,
    /// Internal name of the class that keeps the counters.
    counters: String,
    sizes: Sizes,
    counted: Vec<Counted>,
    known: BTreeMap<ClassHash, u32>,
    plans: BTreeMap<ClassHash, (Vec<u8>, String)>,
    left: BTreeSet<(String, Option<String>, String)>,
    notes: Vec<String>,
    methods: usize,
}

impl<'o> Rewriter<'o> {
    fn new(options: &'o Options, digest: String) -> Self {
        Self {
            options,
            counters: runtime::name(&digest),
            digest,
            sizes: Sizes::default(),
            counted: Vec::new(),
            known: BTreeMap::new(),
            plans: BTreeMap::new(),
            left: BTreeSet::new(),
            notes: Vec::new(),
            methods: 0,
        }
    }

    /// Copies an archive; `within` names the library that it is, with an exclamation mark, or is empty.
    fn archive(
        &mut self,
        reader: &mut Reader<'_>,
        names: &[String],
        kind: Kind,
        within: &str,
        writer: &mut Writer,
    ) -> Result<(), ArchiveError> {
        if reader.has_duplicate_names() {
            self.notes.push(format!(
                "{within}of entries with one name only the last was kept, the one that a JVM reads"
            ));
        }
        let comment = reader.comment().to_vec();
        writer
            .set_raw_comment(comment.into_boxed_slice())
            .map_err(|e| ArchiveError::zip(&e))?;
        for (index, name) in names.iter().enumerate() {
            let full = format!("{within}{name}");
            let changed = match kind.role(name) {
                Role::Class => self.class(&read(reader, index, &full, LARGEST_CLASS)?, &full),
                Role::Module => self.module(&read(reader, index, &full, LARGEST_CLASS)?, &full),
                Role::Library => {
                    self.library(&read(reader, index, &full, LARGEST_LIBRARY)?, &full)?
                }
                Role::BlindClass => {
                    let why = "it is loaded where it does not see the classes of WEB-INF";
                    self.leave(&full, None, why);
                    None
                }
                Role::OtherLibrary => {
                    self.notes
                        .push(format!("{full} is no library's place: copied as it is"));
                    None
                }
                Role::Signature => {
                    self.notes.push(format!("{full}: signature dropped"));
                    continue;
                }
                Role::Index => {
                    self.notes
                        .push(format!("{full}: dropped, it would hide the counters"));
                    continue;
                }
                Role::Other => None,
            };
            copy(reader, index, &full, changed.as_deref(), writer)?;
        }
        Ok(())
    }

    fn leave(&mut self, class: &str, method: Option<String>, reason: impl Into<String>) {
        let class = class.strip_suffix(".class").unwrap_or(class).to_owned();
        self.left.insert((class, method, reason.into()));
    }

    /// The instrumented class; none to copy it as it is.
    fn class(&mut self, bytes: &[u8], entry: &str) -> Option<Vec<u8>> {
        let class = match ClassFile::parse(bytes) {
            Ok(class) => class,
            Err(error) => {
                self.leave(entry, None, error.to_string());
                return None;
            }
        };
        let name = class.name();
        if !self.options.selects(&name) {
            return None;
        }
        if name.starts_with("java/") {
            self.leave(&name, None, "classes of java.* do not see the counters");
            return None;
        }
        let hash = ClassHash::of(bytes);
        let fresh = !self.known.contains_key(&hash);
        let index = self.known.get(&hash).copied();
        let index = index.unwrap_or(self.counted.len() as u32);
        let listed = self.options.listed.in_class(&name, hash);
        let wanted = Wanted {
            left: Some(&|method, descriptor| {
                (!listed.names(method, descriptor)).then(|| UNLISTED.to_owned())
            }),
            listed: Some(&|method, descriptor| listed.blocks(method, descriptor)),
            ..Wanted::default()
        };
        let plan = pricetag_probe::plan_with(&class, bytes, wanted);
        let instrumented = match class::instrument(bytes, &class, &plan, index, &self.counters) {
            Ok(instrumented) => instrumented?,
            Err(reason) => {
                self.leave(&name, None, reason);
                return None;
            }
        };
        let left = instrumented.left.into_iter();
        for (method, reason) in left.filter(|(_, reason)| reason != UNLISTED) {
            self.leave(&name, Some(method), reason);
        }
        if instrumented.methods == 0 {
            return None;
        }
        if fresh && let Err(reason) = self.define(&class, &plan) {
            self.leave(&name, None, reason);
            return None;
        }
        self.methods += if fresh {
            instrumented.methods as usize
        } else {
            0
        };
        Some(instrumented.bytes)
    }

    /// Gives a class its place among the counters.
    fn define(&mut self, class: &ClassFile<'_>, plan: &ClassPlan) -> Result<(), String> {
        let stored = plan.to_bytes().map_err(|error| error.to_string())?;
        if !self.sizes.push(plan.counters) {
            return Err("there are more classes than the counters have room for".to_owned());
        }
        self.known.insert(plan.hash, self.counted.len() as u32);
        self.counted.push(Counted {
            hash: plan.hash,
            name: plan.name.clone(),
            counters: plan.counters,
        });
        self.plans.insert(plan.hash, (stored, class::lines(class)));
        Ok(())
    }

    fn module(&mut self, bytes: &[u8], entry: &str) -> Option<Vec<u8>> {
        match module::with_package(bytes, &runtime::package(&self.digest)) {
            Ok(changed) => Some(changed).filter(|changed| changed != bytes),
            Err(error) => {
                self.leave(entry, None, error.to_string());
                None
            }
        }
    }

    /// A library with its classes instrumented; none to copy it as it is.
    fn library(&mut self, bytes: &[u8], entry: &str) -> Result<Option<Vec<u8>>, ArchiveError> {
        let opened = open(bytes).and_then(|mut reader| {
            let names = names(&mut reader)?;
            let writer = writer(bytes, &mut reader)?;
            // Before one of its classes counts: a library that is found to be damaged halfway can no longer be left as it is.
            for (index, name) in names.iter().enumerate() {
                if Kind::Nested.role(name) == Role::Class {
                    read(&mut reader, index, name, LARGEST_CLASS)?;
                }
            }
            Ok((reader, names, writer))
        });
        let (mut reader, names, mut writer) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                self.leave(entry, None, error.to_string());
                return Ok(None);
            }
        };
        if let Some(signature) = signature(&names).filter(|_| !self.options.strip_signatures) {
            self.leave(entry, None, format!("it is signed ({signature})"));
            return Ok(None);
        }
        let within = format!("{entry}!");
        let before = self.counted.len();
        self.archive(&mut reader, &names, Kind::Nested, &within, &mut writer)?;
        let finished = writer.finish().map_err(|e| ArchiveError::zip(&e))?;
        let signed = signature(&names).is_some();
        let unchanged = self.counted.len() == before && !signed && !self.holds_known(&names);
        Ok((!unchanged).then(|| finished.into_inner()))
    }

    /// Whether a library may hold copies of classes that are counted already.
    fn holds_known(&self, names: &[String]) -> bool {
        let classes: BTreeSet<&str> = self.counted.iter().map(|c| c.name.as_str()).collect();
        names
            .iter()
            .filter_map(|name| name.strip_suffix(".class"))
            .any(|name| classes.contains(name))
    }

    /// Adds what is ours.
    fn finish(mut self, kind: Kind, mut writer: Writer) -> Result<Outcome, ArchiveError> {
        if self.options.listed != Listed::Everything {
            let stored = self.plans.values().map(|(plan, _)| plan);
            let plans: Vec<ClassPlan> = stored
                .filter_map(|plan| ClassPlan::from_bytes(plan).ok())
                .collect();
            let plans: Vec<&ClassPlan> = plans.iter().collect();
            self.notes.extend(self.options.listed.unmatched(&plans));
        }
        let left: Vec<Left> = self
            .left
            .into_iter()
            .map(|(class, method, reason)| Left {
                class,
                method,
                reason,
            })
            .collect();
        let counters = runtime::adapted(&self.digest, &self.sizes)?;
        let place = format!("{}{}.class", kind.root(), self.counters);
        put(&mut writer, &place, &counters)?;
        let index = program::write_index(&self.digest, &self.counted, &left);
        put(
            &mut writer,
            &format!("{OURS}{}", program::INDEX),
            index.as_bytes(),
        )?;
        for (hash, (plan, lines)) in &self.plans {
            put(&mut writer, &format!("{OURS}{hash}.plan"), plan)?;
            put(
                &mut writer,
                &format!("{OURS}{hash}.lines"),
                lines.as_bytes(),
            )?;
        }
        let bytes = writer.finish().map_err(|e| ArchiveError::zip(&e))?;
        Ok(Outcome {
            bytes: bytes.into_inner(),
            classes: self.counted.len(),
            methods: self.methods,
            left,
            notes: self.notes,
        })
    }
}

/// The contents of an entry.
pub(crate) fn read(
    reader: &mut Reader<'_>,
    index: usize,
    name: &str,
    limit: u64,
) -> Result<Vec<u8>, ArchiveError> {
    let entry = reader
        .by_index(index)
        .map_err(ArchiveError::entry(name, "read"))?;
    let size = entry.size();
    let too_large = |size| ArchiveError::TooLarge {
        entry: name.to_owned(),
        size,
        limit,
    };
    if size > limit {
        return Err(too_large(size));
    }
    let mut bytes = Vec::new();
    entry
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(ArchiveError::entry(name, "read"))?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// Copies an entry, with new contents if there are any.
fn copy(
    reader: &mut Reader<'_>,
    index: usize,
    name: &str,
    changed: Option<&[u8]>,
    writer: &mut Writer,
) -> Result<(), ArchiveError> {
    let entry = reader
        .by_index_raw(index)
        .map_err(ArchiveError::entry(name, "read"))?;
    let Some(bytes) = changed else {
        return writer
            .raw_copy_file(entry)
            .map_err(ArchiveError::entry(name, "copied"));
    };
    // The comment matters: Spring Boot marks libraries by it that are to be unpacked.
    let options = entry
        .options()
        .compression_method(match entry.compression() {
            CompressionMethod::Stored => CompressionMethod::Stored,
            _ => CompressionMethod::Deflated,
        })
        .into_full_options()
        .with_file_comment(entry.comment());
    let own = String::from_utf8_lossy(entry.name_raw()).into_owned();
    drop(entry);
    add(writer, &own, bytes, options)
}

/// Adds an entry of ours.
fn put(writer: &mut Writer, name: &str, bytes: &[u8]) -> Result<(), ArchiveError> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    add(writer, name, bytes, options)
}

fn add<T: FileOptionExtension>(
    writer: &mut Writer,
    name: &str,
    bytes: &[u8],
    options: FileOptions<'_, '_, T>,
) -> Result<(), ArchiveError> {
    use std::io::Write as _;
    writer
        .start_file(name, options)
        .map_err(ArchiveError::entry(name, "copied"))?;
    writer
        .write_all(bytes)
        .map_err(ArchiveError::entry(name, "copied"))
}
