//! Control flow, loops, class hierarchy and opcode categories of JVM methods.
