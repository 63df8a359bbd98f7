//! Planted costs: a spin of known length goes into a block of a real program, and Pricetag is asked where the time goes.
//!
//! - `planted plant JAR OUT.jar --from BLOCKS.json --spin FOLDER --round NS --seed N SHARE …` draws a block that ran, copies the jar with a
//!   call in it, and prints the place as JSON, with the rounds that make the spin so large a share of the program's time.
//! - `planted rounds PLACE.json` prints these rounds.
//! - `planted compare PROGRAM PLACE.json SIZE FOLDER` holds answers against what was measured and prints a line of figures. In the
//!   folder are `base-methods.json` and `base-blocks.json` (`explain --json` of the program as it is), `methods.json` and
//!   `blocks.json` (with the spin), `ledger` (of the mined runs, as `PlantedSpin` writes it) and `times` (`on|off|start INPUT USER SYSTEM` in
//!   seconds, of runs outside Pricetag).
//! - `planted table FILE …` makes the tables of docs/attribution/planted.md of such lines.
//!
//! scripts/planted.sh calls them in turn.

mod choice;
mod compare;
mod jar;
mod table;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &words[..] {
        ["plant", jar, out, rest @ ..] => {
            let (options, shares) = options(rest);
            let option = |name: &str| {
                options
                    .get(name)
                    .copied()
                    .ok_or(format!("--{name} is missing"))
            };
            let shares: Vec<f64> = shares.iter().map(|s| s.parse()).collect::<Result<_, _>>()?;
            let text = std::fs::read_to_string(option("from")?)?;
            let candidates = choice::Candidates::read(&text, option("round")?.parse()?, &shares)?;
            let archive = std::fs::read(jar)?;
            let spin = Path::new(option("spin")?);
            let (place, planted) = candidates.draw(option("seed")?.parse()?, |place| {
                jar::planted(&archive, place, spin)
            })?;
            std::fs::write(out, planted)?;
            println!("{}", serde_json::to_string_pretty(&place)?);
            Ok(())
        }
        ["rounds", place] => {
            let rounds: Vec<String> = read(place)?.rounds.iter().map(u32::to_string).collect();
            println!("{}", rounds.join(" "));
            Ok(())
        }
        ["compare", program, place, size, folder] => {
            let place = read(place)?;
            println!(
                "{}",
                compare::line(program, &place, size.parse()?, Path::new(folder))?
            );
            Ok(())
        }
        ["table", files @ ..] => table::print(files),
        _ => Err("planted plant|compare|table …: see the head of the source".into()),
    }
}

fn read(place: &str) -> Result<choice::Planted, Failure> {
    Ok(serde_json::from_str(&std::fs::read_to_string(place)?)?)
}

/// `--name value` pairs, and the other words.
fn options<'a>(words: &[&'a str]) -> (BTreeMap<&'a str, &'a str>, Vec<&'a str>) {
    let (mut named, mut others) = (BTreeMap::new(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match (word.strip_prefix("--"), word) {
            (Some(name), _) => {
                named.insert(name, words.next().copied().unwrap_or_default());
            }
            (None, other) => others.push(*other),
        }
    }
    (named, others)
}
