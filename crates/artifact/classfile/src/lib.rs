//! JVM class files: reading, labels, frames and rewriting of Code attributes.
