//! The worked example of `docs/patterns.md` says what the program says.

mod support;

use pricetag_pattern::Settings;
use support::{file_of_text, patterns};

/// The lines of the indented block that follows a line with these words.
fn block(page: &str, after: &str) -> String {
    let mut lines = page
        .lines()
        .skip_while(|line| !line.contains(after))
        .skip(1);
    let mut block = String::new();
    let mut begun = false;
    for line in lines.by_ref() {
        match line.strip_prefix("    ") {
            Some(text) => {
                begun = true;
                block += text;
                block.push('\n');
            }
            None if begun && !line.is_empty() => break,
            None if begun => block.push('\n'),
            None => {}
        }
    }
    block.trim_end().to_owned() + "\n"
}

#[test]
fn the_example_is_what_comes_out() {
    let page = include_str!("../../../../docs/patterns.md");
    let file = file_of_text(
        &block(page, "`static.txt`:"),
        &block(page, "`dynamic.txt`:"),
    );
    let text = patterns(&file, Settings::default()).to_string();
    let shown = block(page, "The answer:");
    assert!(
        text == shown,
        "the page has\n{shown}\nand the answer is\n{text}"
    );
}
