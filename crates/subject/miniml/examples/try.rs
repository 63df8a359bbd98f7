//! scratch
fn main() {
    let mode = std::env::args().nth(1).unwrap();
    for path in std::env::args().skip(2) {
        let bytes = std::fs::read(&path).unwrap();
        let source = String::from_utf8_lossy(&bytes).into_owned();
        match mode.as_str() {
            "sig" => match pricetag_miniml::signature(&source) {
                Ok(s) => println!("{s}"),
                Err(e) => println!("{}", pricetag_miniml::render(&e[..1], &path, &source, false)),
            },
            "check" => match pricetag_miniml::signature(&source) {
                Ok(_) => println!("ok {path}"),
                Err(e) => println!("REFUSED {path}:{}:{} {} | {}", e[0].line, e[0].column, e[0].message, source.lines().nth(e[0].line as usize - 1).unwrap_or("")),
            },
            _ => {
                let options = pricetag_miniml::Options { values: true, mode: if mode == "ext" { pricetag_miniml::Mode::Extended } else { pricetag_miniml::Mode::Paper }, ..Default::default() };
                match pricetag_miniml::run(&source, &options) {
                    Ok(r) => {
                        print!("{}", String::from_utf8_lossy(&r.output));
                        for row in &r.rows { println!("{:?} {:?} {:?} {}", row.names, row.types, row.values, row.bytes); }
                        println!("{:?}", r.stop);
                    }
                    Err(e) => println!("{}", pricetag_miniml::render(&e[..1], &path, &source, false)),
                }
            }
        }
    }
}
