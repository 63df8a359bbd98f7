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

/// Numbers of the processor's design: family, model and stepping; on ARM implementer, part and revision. Processors of different designs may bear
/// the same name.
pub fn design() -> Vec<(String, String)> {
    design_in(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
}

/// The same of the first processor that Linux describes.
fn design_in(cpuinfo: &str) -> Vec<(String, String)> {
    let first = cpuinfo.split("\n\n").next().unwrap_or_default();
    let fact = |names: [&str; 2]| {
        first.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            names
                .contains(&name.trim())
                .then(|| value.trim().to_owned())
        })
    };
    [
        ("cpu_family", ["cpu family", "CPU implementer"]),
        ("cpu_model", ["model", "CPU part"]),
        ("cpu_stepping", ["stepping", "CPU revision"]),
    ]
    .into_iter()
    .filter_map(|(name, names)| Some((name.to_owned(), fact(names)?)))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two generations of one maker that call themselves the same.
    #[test]
    fn processors_of_one_name_are_told_apart() {
        let info = |family: u32, model: u32| {
            format!(
                "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: AMD EPYC\nstepping\t: 1\n\nprocessor\t: 1\ncpu family\t: 0\n"
            )
        };
        let told = |family, model| {
            let facts = design_in(&info(family, model));
            facts
                .into_iter()
                .map(|(n, v)| format!("{n} {v}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            told(25, 1),
            ["cpu_family 25", "cpu_model 1", "cpu_stepping 1"]
        );
        assert_eq!(
            told(25, 17),
            ["cpu_family 25", "cpu_model 17", "cpu_stepping 1"]
        );
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\nCPU revision\t: 1\n";
        assert_eq!(design_in(arm)[1].1, "0xd0c");
        assert!(design_in("").is_empty());
    }

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
