//! Writes a report of an invented program: `cargo run -p pricetag-report --example sample [FILE] [ROWS] [BLOCKS]`.

mod synthetic;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = arguments.first().map_or("report.html", String::as_str);
    let size = |index: usize, default| {
        arguments
            .get(index)
            .and_then(|text| text.parse().ok())
            .unwrap_or(default)
    };
    let page = synthetic::page(size(1, 300), size(2, 3000), &[]);
    std::fs::write(file, &page)?;
    println!("{file}: {} KiB", page.len() / 1024);
    Ok(())
}
