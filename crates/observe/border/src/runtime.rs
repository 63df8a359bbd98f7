//! The Java code that notes calls: our compiled sources, the committed output of `javac --release 8` (a test compiles them again and compares).

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipWriter};

macro_rules! class {
    ($name:literal) => {
        (
            concat!("pricetag/border/", $name, ".class"),
            include_bytes!(concat!("../runtime/pricetag/border/", $name, ".class")) as &[u8],
        )
    };
}

macro_rules! source {
    ($name:literal) => {
        (
            concat!($name, ".java"),
            include_str!(concat!("../runtime/pricetag/border/", $name, ".java")),
        )
    };
}

/// Class files by name in the archive.
pub const RUNTIME_CLASSES: [(&str, &[u8]); 11] = [
    class!("Agent"),
    class!("Border"),
    class!("Border$1"),
    class!("Border$Crossing"),
    class!("Border$State"),
    class!("Log"),
    class!("Log$1"),
    class!("Targets"),
    class!("Targets$1"),
    class!("Targets$Site"),
    class!("Values"),
];

/// Sources by name of the file.
pub const RUNTIME_SOURCES: [(&str, &str); 5] = [
    source!("Agent"),
    source!("Border"),
    source!("Log"),
    source!("Targets"),
    source!("Values"),
];

/// Writes the archive that a JVM is started with. Its classes belong to the boot loader, where every class finds them.
pub(crate) fn archive(path: &Path) -> io::Result<()> {
    let options = SimpleFileOptions::default()
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut writer = ZipWriter::new(File::create(path)?);
    writer.start_file("META-INF/MANIFEST.MF", options)?;
    write!(
        writer,
        "Manifest-Version: 1.0\r\nPremain-Class: pricetag.border.Agent\r\nBoot-Class-Path: {name}\r\n\r\n"
    )?;
    for (name, bytes) in RUNTIME_CLASSES {
        writer.start_file(name, options)?;
        writer.write_all(bytes)?;
    }
    writer.finish()?;
    Ok(())
}
