//! The rewriter against real class files, other readers and a real JVM.

mod counts;
mod damage;
mod modules;
mod tables;
mod timing;
mod workshop;
