//! The platform: what a price is valid for; and whether the machine was quiet while it was measured.

use std::collections::BTreeMap;
use std::fs;

use pricetag_dataset::secrets::without_secrets;

use crate::jvm::Java;

/// Environment variables from which a JVM takes options.
const OPTIONS: [&str; 3] = ["JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"];

/// Describes machine and runtime by name: `cpu`, `cores`, `memory_bytes`, `os`, `kernel`, `arch`, `jvm`, `java`, `flags`, ….
pub fn describe(java: Option<&Java>, flags: &[String]) -> BTreeMap<String, String> {
    let mut facts = BTreeMap::new();
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|v| !v.is_empty()) {
            facts.insert(name.to_owned(), value);
        }
    };
    put("cpu", cpu_model());
    put(
        "cores",
        std::thread::available_parallelism()
            .ok()
            .map(|n| n.to_string()),
    );
    put("memory_bytes", memory_bytes().map(|b| b.to_string()));
    put("os", os_name());
    put(
        "kernel",
        fs::read_to_string("/proc/sys/kernel/osrelease")
            .ok()
            .map(|s| s.trim().to_owned()),
    );
    put("arch", Some(std::env::consts::ARCH.to_owned()));
    if let Some(java) = java {
        let property = |name: &str| java.properties.get(name).cloned();
        put("java", property("java.version"));
        put("jvm", property("java.vm.name"));
        put("jvm_version", property("java.vm.version"));
        put("jvm_vendor", property("java.vm.vendor"));
        put("java_home", property("java.home"));
    }
    put("flags", Some(flags.join(" ")));
    let environment = OPTIONS.iter().filter_map(|name| {
        let words = std::env::var(name).ok()?;
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Some(format!("{name}={}", without_secrets(&words).join(" ")))
    });
    let environment: Vec<String> = environment.collect();
    put("jvm_environment", Some(environment.join("; ")));
    facts
}

fn cpu_model() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text
        .lines()
        .find(|l| l.starts_with("model name") || l.starts_with("Model"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Memory of the machine, bytes.
pub fn memory_bytes() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("MemTotal:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? * 1024)
}

fn os_name() -> Option<String> {
    let text = fs::read_to_string("/etc/os-release").ok()?;
    let value = text.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches('"').to_owned())
}

/// Runnable processes averaged over the last minute, per core.
pub fn load_per_core() -> Option<f64> {
    let text = fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split_whitespace().next()?.parse().ok()?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Some(load / cores as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_described() {
        let facts = describe(None, &["-Xint".to_owned()]);
        assert_eq!(facts["flags"], "-Xint");
        assert!(facts["cores"].parse::<u32>().unwrap() >= 1);
        assert!(facts["memory_bytes"].parse::<u64>().unwrap() > 1 << 20);
        assert!(facts.contains_key("kernel") && facts.contains_key("arch"));
        assert!(load_per_core().unwrap() >= 0.0);
    }
}
