//! When HotSpot compiles a method: the documented thresholds of tiered compilation (JDK sources, `compilationPolicy.cpp`, predicates `CallPredicate` and `LoopPredicate`).

/// When a method is compiled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Invocations that suffice by themselves (`TierNInvocationThreshold`).
    pub invocations: f64,
    /// Invocations needed together with loop iterations (`TierNMinInvocationThreshold`).
    pub least_invocations: f64,
    /// Invocations and iterations together (`TierNCompileThreshold`).
    pub activity: f64,
    /// Iterations that replace a running frame (`TierNBackEdgeThreshold`).
    pub iterations: f64,
}

/// Interpreter to C1: `Tier3InvocationThreshold` and relatives, JDK 17 to 25.
pub const TIER3: Thresholds = Thresholds {
    invocations: 200.0,
    least_invocations: 100.0,
    activity: 2000.0,
    iterations: 60_000.0,
};

/// C1 to C2: `Tier4InvocationThreshold` and relatives, JDK 17 to 25.
pub const TIER4: Thresholds = Thresholds {
    invocations: 5000.0,
    least_invocations: 600.0,
    activity: 15_000.0,
    iterations: 40_000.0,
};

impl Thresholds {
    /// The fraction of a method's activity after which it is compiled; 1 or more if it never is.
    pub fn reached(&self, invocations: f64, iterations: f64) -> f64 {
        let share = |threshold: f64, count: f64| {
            if count > 0.0 {
                threshold / count
            } else {
                f64::INFINITY
            }
        };
        let together = share(self.least_invocations, invocations)
            .max(share(self.activity, invocations + iterations));
        share(self.invocations, invocations)
            .min(together)
            .min(share(self.iterations, iterations))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_threshold_suffices() {
        let reached = |invocations, iterations| TIER4.reached(invocations, iterations) <= 1.0;
        for (invocations, iterations, expected) in [
            (5000.0, 0.0, true),
            (4999.0, 10_000.0, false),
            (600.0, 14_400.0, true),
            (599.0, 14_401.0, false),
            (600.0, 14_399.0, false),
            (0.0, 40_000.0, true),
            (0.0, 39_999.0, false),
            (0.0, 0.0, false),
        ] {
            assert_eq!(
                reached(invocations, iterations),
                expected,
                "{invocations} {iterations}"
            );
        }
    }
}
