//! The contract every learner meets, and the diagnostics made before any fit.
