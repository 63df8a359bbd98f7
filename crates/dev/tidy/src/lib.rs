//! Checks the repository's own rules.
