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
            "oracle" => {
                let options = pricetag_miniml::Options { values: true, limits: pricetag_miniml::Limits { fuel: 1_000_000_000, ..Default::default() }, ..Default::default() };
                let r = match pricetag_miniml::run(&source, &options) { Ok(r) => r, Err(_) => { println!("\n== refused"); continue } };
                let mut shown = String::new();
                let complete = r.rows.len() - usize::from(r.stop.is_some());
                for row in &r.rows[..complete] {
                    if row.names.is_empty() && row.values.len() == 1 { shown.push_str(&format!("- : {} = {} ", row.types[0], row.values[0])); }
                    for ((name, ty), value) in row.names.iter().zip(&row.types).zip(&row.values) {
                        if !name.contains('.') || name.contains("..") { shown.push_str(&format!("val {name} : {ty} = {value} ")); }
                    }
                }
                if let Some(stop) = &r.stop { shown.push_str(&match stop { pricetag_miniml::Stop::Exception(e) => format!("Exception: {e}."), other => format!("STOP {other}") }); }
                print!("{}", String::from_utf8_lossy(&r.output));
                println!("\n== ok\n{}", shown.split_whitespace().collect::<Vec<_>>().join(" "));
            }
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
