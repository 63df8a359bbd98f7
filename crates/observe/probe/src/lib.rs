//! Class file to probe plan.
