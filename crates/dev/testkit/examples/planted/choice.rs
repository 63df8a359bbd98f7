//! Which block, and how many rounds.
//!
//! Most blocks of a program run once or twice: a block drawn at random would be start-up code nearly always. So a decade of
//! executions is drawn first, then a block of it. A place where the spin would be shorter than [`SHORTEST`] is not drawn: a processor
//! does so little beside other work, and nobody can say afterwards how long it took.

use std::collections::BTreeMap;

use pricetag_testkit::planted::PlantError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Failure;

/// Shortest spin per execution, nanoseconds.
const SHORTEST: f64 = 200.0;
/// Draws before giving up: classes may be full, or not in the jar.
const DRAWS: u32 = 200;

/// A place where something is planted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Planted {
    /// What our answers call it.
    pub name: String,
    /// Internal name of the class.
    pub class: String,
    pub method: String,
    pub descriptor: String,
    /// Number in its method.
    pub block: u32,
    /// Offset of its first instruction.
    pub pc: u32,
    /// Executions over the inputs.
    pub count: f64,
    /// Rounds of one spin, per wanted share.
    pub rounds: Vec<u32>,
}

/// The blocks that ran, by decade of executions.
pub struct Candidates(BTreeMap<u32, Vec<Planted>>);

impl Candidates {
    /// From an explanation by block.
    pub fn read(explained: &str, round: f64, shares: &[f64]) -> Result<Self, Failure> {
        let explained: Value = serde_json::from_str(explained)?;
        let total = explained["measured"].as_f64().ok_or("no measured total")?;
        let mut decades: BTreeMap<u32, Vec<Planted>> = BTreeMap::new();
        for item in explained["items"].as_array().into_iter().flatten() {
            let (place, count) = (&item["place"], item["count"].as_f64().unwrap_or(0.0));
            let text = |key: &str| place[key].as_str().map(str::to_owned);
            let number = |value: &Value| value.as_u64().map(|n| n as u32);
            let (Some(class), Some(method), Some(descriptor), Some(block), Some(pc)) = (
                text("class"),
                text("method"),
                text("descriptor"),
                number(&place["block"]),
                number(&place["pcs"][0]),
            ) else {
                continue;
            };
            // A share of the whole with the spin in it.
            let length = |share: &f64| share / (1.0 - share) * total / count;
            if count < 1.0 || shares.iter().map(length).any(|ns| ns < SHORTEST) {
                continue;
            }
            decades
                .entry(count.log10() as u32)
                .or_default()
                .push(Planted {
                    name: item["name"].as_str().unwrap_or_default().to_owned(),
                    class,
                    method,
                    descriptor,
                    block,
                    pc,
                    count,
                    rounds: shares
                        .iter()
                        .map(|s| (length(s) / round).round() as u32)
                        .collect(),
                });
        }
        Ok(Self(decades))
    }

    /// Draws until something can be planted.
    pub fn draw(
        &self,
        seed: u64,
        mut plant: impl FnMut(&Planted) -> Result<Result<Vec<u8>, PlantError>, Failure>,
    ) -> Result<(Planted, Vec<u8>), Failure> {
        let mut random = SplitMix(seed);
        let decades: Vec<&Vec<Planted>> = self.0.values().collect();
        for _ in 0..DRAWS {
            let decade = random.of(&decades).ok_or("no block is a candidate")?;
            let place = random.of(decade).ok_or("an empty decade")?;
            match plant(place)? {
                Ok(bytes) => return Ok((place.clone(), bytes)),
                Err(error) => eprintln!("drawn again: {error}"),
            }
        }
        Err("no block that was drawn can be planted in".into())
    }
}

/// Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators".
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        let number = self.next() % (all.len() as u64).max(1);
        all.get(number as usize)
    }
}
