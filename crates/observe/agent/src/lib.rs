//! The JVM agent that counts, observes and never takes its host down.
