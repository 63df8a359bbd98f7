//! The `pricetag` command line.

fn main() {}
