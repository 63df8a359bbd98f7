//! What the machine says of its caches.

use std::collections::BTreeMap;
use std::path::Path;

/// Sizes of data caches as Linux tells them: `L1 32K, L2 1024K, L3 32768K`; none elsewhere.
pub fn caches() -> Option<String> {
    read(Path::new("/sys/devices/system/cpu/cpu0/cache"))
}

fn read(folder: &Path) -> Option<String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).ok()?.flatten() {
        let text = |name: &str| {
            let text = std::fs::read_to_string(entry.path().join(name)).ok()?;
            Some(text.trim().to_owned())
        };
        let (Some(level), Some(size)) = (text("level"), text("size")) else {
            continue;
        };
        if text("type").is_some_and(|kind| kind != "Instruction") {
            found.insert(level, size);
        }
    }
    let words: Vec<String> = found
        .into_iter()
        .map(|(level, size)| format!("L{level} {size}"))
        .collect();
    (!words.is_empty()).then(|| words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instruction_caches_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for (name, level, kind, size) in [
            ("index0", "1", "Data", "32K"),
            ("index1", "1", "Instruction", "64K"),
            ("index2", "2", "Unified", "512K"),
        ] {
            let at = folder.path().join(name);
            std::fs::create_dir(&at).unwrap();
            for (file, text) in [("level", level), ("type", kind), ("size", size)] {
                std::fs::write(at.join(file), format!("{text}\n")).unwrap();
            }
        }
        assert_eq!(read(folder.path()).unwrap(), "L1 32K, L2 512K");
        assert_eq!(read(&folder.path().join("none")), None);
    }
}
