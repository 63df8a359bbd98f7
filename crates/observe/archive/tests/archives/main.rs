//! Instrumented archives: their shape, and that they count what the agent counts.

mod agreement;
mod programs;
mod shapes;
mod support;
