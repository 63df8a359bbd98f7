//! Class file and probe plan to instrumented class file.
