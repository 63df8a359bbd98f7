//! Prints a trace: `cargo run -p pricetag-trace --example dump -- FILE`.

use std::path::Path;

fn main() -> Result<(), pricetag_trace::TraceError> {
    for path in std::env::args().skip(1) {
        print!("{}", pricetag_trace::Trace::read(Path::new(&path))?);
    }
    Ok(())
}
