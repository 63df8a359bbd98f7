//! The JVM agent that counts, observes and never takes its host down.
//!
//! Loaded by `-agentpath:libpricetag_agent.so=FILE`, where `FILE` holds [`pricetag_trace::AgentOptions`]. What it
//! records goes to a trace; nothing goes to the subject's standard output, and to its standard error only one line
//! when the agent cannot start at all, in which case the subject runs as without it.
//!
//! Rules of this crate: no panic crosses into the JVM; no Rust lock is held across a JNI or JVMTI call (either may run
//! Java code, load classes and come back to us), but for the one of the thread that has stopped all others (`frames.rs`); no exception is left pending that was not pending before; work that may
//! need much stack runs on the agent's own thread, since the subject's may be about to overflow.

mod beforehand;
mod block_times;
mod callbacks;
mod callers;
mod calls;
mod caught;
mod chunks;
mod classes;
mod clock;
mod compact;
mod costs;
mod dump;
mod frames;
mod hidden;
mod hook;
mod intervals;
mod jvm;
mod keeping;
mod late;
mod loaders;
mod looks;
mod main_class;
mod management;
mod natives;
mod onload;
mod processes;
mod progress;
mod reuse;
mod rewritten;
mod runtime;
mod sampling;
mod scope;
mod session;
mod sizes;
mod skipped;
mod snapshot;
mod step;
mod subject;
mod threads;
mod together;
mod unobserved;
mod values;
mod worker;
