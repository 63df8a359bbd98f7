//! What a JVM does once, and how much of a run is executed before code gets fast.
//!
//! `HotSpot` runs a method in the interpreter first, then in code of the first compiler (C1, with profiling), then in code
//! of the second (C2); a bytecode's price differs by an order of magnitude between them. Which execution ran where is
//! not observed. It is estimated from the counts with the documented thresholds of tiered compilation (JDK sources,
//! `compilationPolicy.cpp`, predicates `CallPredicate` and `LoopPredicate`), assuming that invocations *i* and loop
//! iterations *b* of a method grow in proportion: the method has reached a tier after the fraction
//! min(1, I/i, max(M/i, C/(i+b)), B/b) of its activity, with I, M, C, B from [`pricetag_probe_plan::tiers::Thresholds`]. For the second compiler the
//! fraction starts anew where the first one's code begins to count. A JVM without compilers (`-Xint`, `--jit off`) interprets everything.
//!
//! Limits: compilation takes time, during which old code goes on; inlining, compiler queues, deoptimisation and trivial
//! methods (which stay in C1) are not modelled.

use pricetag_probe_plan::tiers::{TIER3, TIER4};
use pricetag_trace::Start;

/// Shares of a method's executions, which add up to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tiers {
    /// In the interpreter.
    pub interpreted: f64,
    /// In code of the first compiler.
    pub c1: f64,
    /// In code of the second compiler.
    pub c2: f64,
}

/// Where the executions of a method with these counts presumably ran.
pub fn tiers(invocations: u64, iterations: u64) -> Tiers {
    let (i, b) = (invocations as f64, iterations as f64);
    let first = TIER3.reached(i, b).min(1.0);
    let second = (first + TIER4.reached(i, b)).min(1.0);
    Tiers {
        interpreted: first,
        c1: second - first,
        c2: 1.0 - second,
    }
}

/// The cold features of one row, summed over methods.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cold {
    /// Whether the JVM has no compilers.
    pub interpreter_only: bool,
    /// Whether only listed blocks are counted, so that of methods and instructions not all are known.
    pub partial: bool,
    /// Classes the VM loaded, the runtime's own included.
    pub classes_loaded: f64,
    /// Counted classes loaded.
    pub counted_classes: f64,
    /// Class-file bytes of those.
    pub class_bytes: f64,
    /// Methods executed for the first time.
    pub methods: f64,
    /// Blocks executed for the first time.
    pub blocks: f64,
    /// Bytecode bytes of those blocks.
    pub bytes: f64,
    /// Bytecodes executed in the interpreter.
    pub interpreted: f64,
    /// Bytecodes executed in C1 code.
    pub c1: f64,
    /// Bytecodes executed in C2 code.
    pub c2: f64,
    /// Bytecode bytes of methods that C1 compiled.
    pub c1_bytes: f64,
    /// Bytecode bytes of methods that C2 compiled.
    pub c2_bytes: f64,
}

/// Name, unit, explanation and value.
pub type ColdFeature = (&'static str, &'static str, &'static str, f64);

/// How many features are about classes.
const OF_CLASSES: usize = 3;

/// Whether a JVM says of itself that it interprets everything: `java.vm.info` is `mixed mode, sharing` or `interpreted mode, sharing`.
pub(crate) fn interprets(start: &Start) -> bool {
    let info = start.properties.iter().find(|p| p.0 == "java.vm.info");
    info.is_some_and(|(_, mode)| mode.starts_with("interpreted"))
}

impl Cold {
    /// Adds the executions of one method: bytecodes `executed` in `code_bytes` bytes of code.
    pub fn add_executions(
        &mut self,
        invocations: u64,
        iterations: u64,
        executed: u64,
        code_bytes: u32,
    ) {
        let tiers = if self.interpreter_only {
            Tiers {
                interpreted: 1.0,
                c1: 0.0,
                c2: 0.0,
            }
        } else {
            tiers(invocations, iterations)
        };
        let executed = executed as f64;
        self.interpreted += executed * tiers.interpreted;
        self.c1 += executed * tiers.c1;
        self.c2 += executed * tiers.c2;
        if tiers.interpreted < 1.0 {
            self.c1_bytes += f64::from(code_bytes);
        }
        if tiers.c2 > 0.0 {
            self.c2_bytes += f64::from(code_bytes);
        }
    }

    /// Those of [`Self::features`] that are known: where only listed blocks are counted, what is about classes.
    pub fn known<'f>(&self, features: &'f [ColdFeature; 11]) -> &'f [ColdFeature] {
        if self.partial {
            &features[..OF_CLASSES]
        } else {
            features
        }
    }

    /// Name, unit, explanation and value of each, those about classes first.
    pub fn features(&self) -> [ColdFeature; 11] {
        [
            (
                "classes loaded",
                "1",
                "classes loaded by the JVM, its own included",
                self.classes_loaded,
            ),
            (
                "counted classes loaded",
                "1",
                "classes of the counted code that were loaded",
                self.counted_classes,
            ),
            (
                "bytes of counted classes",
                "byte",
                "size of their class files",
                self.class_bytes,
            ),
            (
                "methods first executed",
                "1",
                "methods executed for the first time",
                self.methods,
            ),
            (
                "blocks first executed",
                "1",
                "blocks executed for the first time",
                self.blocks,
            ),
            (
                "bytecode first executed",
                "byte",
                "size of the blocks executed for the first time",
                self.bytes,
            ),
            (
                "instructions interpreted",
                "1",
                "bytecodes executed in the interpreter (estimated)",
                self.interpreted,
            ),
            (
                "instructions in C1 code",
                "1",
                "bytecodes executed in code of the first compiler (estimated)",
                self.c1,
            ),
            (
                "instructions in C2 code",
                "1",
                "bytecodes executed in code of the second compiler (estimated)",
                self.c2,
            ),
            (
                "bytecode compiled by C1",
                "byte",
                "bytecode of the methods hot enough for the first compiler",
                self.c1_bytes,
            ),
            (
                "bytecode compiled by C2",
                "byte",
                "bytecode of the methods hot enough for the second compiler",
                self.c2_bytes,
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use pricetag_probe_plan::tiers::Thresholds;

    use super::*;

    /// Steps through a run in proportion and applies the predicates one by one, sharing no formula with [`tiers`].
    fn simulated(invocations: u64, iterations: u64) -> (f64, f64) {
        let steps = 1_000_000u64;
        let (mut first, mut second) = (1.0, 1.0);
        let hot = |t: Thresholds, i: f64, b: f64| {
            i > t.invocations || (i > t.least_invocations && i + b > t.activity) || b > t.iterations
        };
        for step in 0..=steps {
            let s = step as f64 / steps as f64;
            let (i, b) = (invocations as f64, iterations as f64);
            if first == 1.0 && hot(TIER3, i * s, b * s) {
                first = s;
            }
            if first < 1.0 && hot(TIER4, i * (s - first), b * (s - first)) {
                second = s;
                break;
            }
        }
        (first, second)
    }

    #[test]
    fn without_compilers_everything_is_interpreted() {
        let said = |mode: &str| Start {
            version: 1,
            pid: 1,
            properties: vec![("java.vm.info".to_owned(), mode.to_owned())],
            options: String::new(),
        };
        let executed = |mode| {
            let mut cold = Cold {
                interpreter_only: interprets(&said(mode)),
                ..Cold::default()
            };
            cold.add_executions(1_000_000, 0, 5_000_000, 5);
            (cold.interpreted, cold.c1_bytes + cold.c2_bytes)
        };
        assert_eq!(executed("interpreted mode, sharing"), (5e6, 0.0));
        let (interpreted, compiled) = executed("mixed mode, sharing");
        assert!(interpreted < 5e4 && compiled == 10.0);
    }

    #[test]
    fn tiers_agree_with_stepping_through_the_run() {
        for (i, b) in [
            (1, 0),
            (200, 0),
            (1000, 0),
            (150, 5000),
            (1, 1_000_000),
            (100_000, 3),
            (700, 100_000),
            (0, 0),
        ] {
            let (first, second) = simulated(i, b);
            let t = tiers(i, b);
            assert!(
                (t.interpreted - first).abs() < 1e-5,
                "{i} {b}: {t:?} {first}"
            );
            assert!(
                (1.0 - t.c2 - second).abs() < 1e-5,
                "{i} {b}: {t:?} {second}"
            );
            assert!((t.interpreted + t.c1 + t.c2 - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_thousand_invocations_interpret_a_fifth() {
        let mut cold = Cold::default();
        cold.add_executions(1000, 0, 10_000, 40);
        assert_eq!((cold.interpreted, cold.c1, cold.c2), (2000.0, 8000.0, 0.0));
        assert_eq!((cold.c1_bytes, cold.c2_bytes), (40.0, 0.0));
    }
}
