//! Files of programs and answers: pieces, each after a line `(*** NAME ***)`.

/// Names and texts.
pub fn pieces(text: &str) -> Vec<(String, String)> {
    let mut pieces: Vec<(String, String)> = vec![];
    for line in text.split_inclusive('\n') {
        let head = line
            .trim_end()
            .strip_prefix("(*** ")
            .and_then(|l| l.strip_suffix(" ***)"));
        match (head, pieces.last_mut()) {
            (Some(name), _) => pieces.push((name.to_owned(), String::new())),
            (None, Some((_, text))) => text.push_str(line),
            (None, None) => {}
        }
    }
    pieces
}
