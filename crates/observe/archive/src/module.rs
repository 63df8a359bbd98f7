//! The package of the counters, made known to the module that an archive is.
//!
//! A module finds its packages in the attribute `ModulePackages` of its description (JVMS §4.7.26), if there is one; only without one the archive's
//! entries are looked through. The package is added to that list and not exported: only the module itself calls it.

use pricetag_classfile::splice::{Edit, splice};
use pricetag_classfile::{ClassFile, ClassFileError, PoolAppender};

/// The description of a module with one more package.
pub(crate) fn with_package(bytes: &[u8], package: &str) -> Result<Vec<u8>, ClassFileError> {
    let class = ClassFile::parse(bytes)?;
    let Some(list) = class.attributes().find(class.constants(), "ModulePackages") else {
        return Ok(bytes.to_vec());
    };
    let malformed = |what| ClassFileError::Malformed {
        offset: list.offset,
        what,
    };
    let count = list
        .bytes
        .first_chunk::<2>()
        .map(|count| u16::from_be_bytes(*count))
        .and_then(|count| count.checked_add(1))
        .ok_or_else(|| malformed("list of packages"))?;
    let length = list.bytes.len() as u32 + 2;
    let mut pool = PoolAppender::new(class.constants());
    let index = pool.package(package)?;
    let mut edits = pool.edits();
    edits.push(Edit {
        range: list.offset - 4..list.offset + 2,
        bytes: [&length.to_be_bytes()[..], &count.to_be_bytes()[..]].concat(),
    });
    let end = list.offset + list.bytes.len();
    edits.push(Edit {
        range: end..end,
        bytes: index.to_be_bytes().to_vec(),
    });
    Ok(splice(bytes, &edits))
}
