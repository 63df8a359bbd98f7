//! A jar, copied with one class changed and the spin's classes added.

use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;

use pricetag_testkit::planted::{self, PlantError, SPIN_CLASS};
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::Failure;
use crate::choice::Planted;

/// The new jar; why the place will not do; or what is wrong with the jar. Signatures are dropped, they would no longer hold.
pub fn planted(
    archive: &[u8],
    place: &Planted,
    spin: &Path,
) -> Result<Result<Vec<u8>, PlantError>, Failure> {
    let mut reader = ZipArchive::new(Cursor::new(archive))?;
    let own = format!("{}.class", place.class);
    let refused = |reason| {
        Ok(Err(PlantError::Place {
            method: place.name.clone(),
            pc: place.pc,
            reason,
        }))
    };
    let version = |name: &str| name.starts_with("META-INF/versions/") && name.ends_with(&own);
    let names = (0..reader.len()).map(|index| {
        let entry = reader.by_index_raw(index)?;
        Ok(String::from_utf8_lossy(entry.name_raw()).into_owned())
    });
    let names: Vec<String> = names.collect::<Result<_, zip::result::ZipError>>()?;
    if names.iter().any(|name| version(name)) {
        return refused("its class has versions");
    }
    let mut class = Vec::new();
    match reader.by_name(&own) {
        Ok(mut entry) => entry.read_to_end(&mut class)?,
        Err(_) => return refused("its class is not in the jar"),
    };
    let changed = match planted::plant(&class, &place.method, &place.descriptor, place.pc) {
        Ok(changed) => changed,
        Err(error) => return Ok(Err(error)),
    };
    let mut writer = ZipWriter::new(Cursor::new(Vec::with_capacity(archive.len())));
    let options = SimpleFileOptions::default();
    for index in 0..reader.len() {
        let entry = reader.by_index_raw(index)?;
        let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
        if signature(&name) {
            continue;
        }
        if name == own {
            writer.start_file(&name, options)?;
            writer.write_all(&changed)?;
        } else {
            writer.raw_copy_file(entry)?;
        }
    }
    for entry in std::fs::read_dir(spin)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let class = path.extension().is_some_and(|end| end == "class");
        if class && name.starts_with(SPIN_CLASS) {
            writer.start_file(&*name, options)?;
            writer.write_all(&std::fs::read(&path)?)?;
        }
    }
    Ok(Ok(writer.finish()?.into_inner()))
}

fn signature(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let ends = |end: &str| upper.ends_with(end);
    upper.starts_with("META-INF/") && [".SF", ".RSA", ".DSA", ".EC"].into_iter().any(ends)
}
