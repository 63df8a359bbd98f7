//! Prices of the paper, bounds of programs given as text, and random arguments with what the evaluator counts for them.

pub mod read;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use num_bigint::BigInt;
use num_rational::BigRational;
use pricetag_bound::{Bound, Metric, NoBound, Side, Way, bound};
use pricetag_miniml::first_order::{Entry, Shape, entries};
use pricetag_miniml::{Limits, Options};

/// Das and Hoffmann (TACAS 2017), section 5: nanoseconds on x86-64.
pub const PAPER: [(&str, f64); 36] = [
    ("base", 832.691),
    ("FunApp", 1.505),
    ("TailApp", 0.156),
    ("FunDef", 0.0),
    ("closure", 2.921),
    ("BoolNot", 0.424),
    ("BoolAnd", 0.184),
    ("BoolOr", 0.183),
    ("IntUMinus", 0.419),
    ("IntAdd", 0.297),
    ("IntSub", 0.278),
    ("IntMult", 1.299),
    ("IntMod", 19.231),
    ("IntDiv", 19.011),
    ("FloatUMinus", 1.232),
    ("FloatAdd", 2.102),
    ("FloatSub", 2.116),
    ("FloatMult", 1.737),
    ("FloatDiv", 8.575),
    ("IntCondEq", 0.382),
    ("IntCondLT", 0.381),
    ("IntCondLE", 0.381),
    ("IntCondGT", 0.375),
    ("IntCondGE", 0.381),
    ("FloatCondEq", 0.582),
    ("FloatCondLT", 0.619),
    ("FloatCondLE", 0.625),
    ("FloatCondGT", 0.585),
    ("FloatCondGE", 0.629),
    ("letdata", 2.828),
    ("letlambda", 1.312),
    ("letrec", 1.312),
    ("patternMatch", 0.223),
    ("tupleHead", 5.892),
    ("tupleElem", 1.717),
    ("tupleMatch", 0.237),
];

/// The paper's prices, and 1 ns for what its language has not.
pub fn prices() -> Metric {
    let mut prices: BTreeMap<String, f64> =
        PAPER.iter().map(|(n, p)| ((*n).to_owned(), *p)).collect();
    for construct in [
        "PolyCond",
        "PolyWord",
        "StringCond",
        "StringWord",
        "raise",
        "try",
        "primitive",
    ] {
        prices.insert(construct.to_owned(), 1.0);
    }
    Metric::Time(prices)
}

/// Every construct once.
pub fn steps() -> Metric {
    let Metric::Time(prices) = prices() else {
        unreachable!()
    };
    Metric::Time(prices.into_keys().map(|name| (name, 1.0)).collect())
}

pub fn entry(source: &str, name: &str) -> Entry {
    let all = entries(source).unwrap_or_else(|e| panic!("{e:?}"));
    let defined = all
        .into_iter()
        .rfind(|d| d.name == name)
        .unwrap_or_else(|| panic!("no {name}"));
    defined.entry.unwrap_or_else(|why| panic!("{name}: {why}"))
}

#[allow(dead_code, reason = "not every test asks for a text")]
pub fn text(source: &str, name: &str, metric: &Metric, side: Side, degree: u32) -> String {
    match bound(&entry(source, name), metric, side, degree) {
        Ok(bound) => bound.polynomial.text(side),
        Err(NoBound::None { degree, culprit }) => {
            format!("none to {degree} {}", culprit.unwrap_or_default())
        }
        Err(other) => panic!("{name}: {other}"),
    }
}

/// A value as the program writes it, with its nodes.
#[derive(Clone, Debug)]
pub enum Value {
    Opaque,
    Number(u64),
    Tuple(Vec<Value>),
    Constant,
    /// Constructor, fields, and which of them continue the value.
    Node(usize, Vec<(bool, Value)>),
}

/// A linear congruential generator (Knuth, MMIX): the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % n.max(1)
    }
}

/// A random value of a shape, as text and as nodes; about `size` large.
pub fn arbitrary(
    entry: &Entry,
    shape: &Shape,
    size: u64,
    random: &mut Random,
    opaque: &[&str],
) -> (String, Value) {
    match shape {
        Shape::Opaque => {
            let many = opaque.len() as u64;
            if many > 0 {
                return (
                    opaque[random.below(many) as usize].to_owned(),
                    Value::Opaque,
                );
            }
            let range = [3, 10, 1000][random.below(3) as usize];
            (format!("{}", random.below(range)), Value::Opaque)
        }
        Shape::Number => {
            let n = random.below(size + 1);
            (n.to_string(), Value::Number(n))
        }
        Shape::Tuple(parts) => {
            let parts: Vec<(String, Value)> = parts
                .iter()
                .map(|p| arbitrary(entry, p, size, random, opaque))
                .collect();
            let texts: Vec<&str> = parts.iter().map(|(t, _)| t.as_str()).collect();
            (
                format!("({})", texts.join(", ")),
                Value::Tuple(parts.into_iter().map(|(_, v)| v).collect()),
            )
        }
        Shape::Data(id) => {
            let data = &entry.data[*id];
            let nodes = random.below(size + 1);
            let leaf = |c: &pricetag_miniml::first_order::Constructor| {
                c.fields.iter().all(Option::is_some)
            };
            let list = data.constructors.iter().any(|c| c.name == "::");
            let may_end = !data.constants.is_empty();
            let choice: Vec<usize> = (0..data.constructors.len())
                .filter(|c| {
                    if nodes > 0 {
                        true
                    } else {
                        leaf(&data.constructors[*c])
                    }
                })
                .collect();
            let end = nodes == 0 && may_end && (choice.is_empty() || random.below(2) == 0);
            if end || choice.is_empty() {
                let name =
                    data.constants[random.below(data.constants.len() as u64) as usize].clone();
                return (name, Value::Constant);
            }
            let c = choice[random.below(choice.len() as u64) as usize];
            let constructor = &data.constructors[c];
            let own = constructor.fields.iter().filter(|f| f.is_none()).count() as u64;
            let mut left = nodes.saturating_sub(1);
            let (mut texts, mut values) = (vec![], vec![]);
            for field in &constructor.fields {
                #[allow(clippy::single_match_else, reason = "both are values")]
                let (text, value) = match field {
                    Some(inside) => arbitrary(entry, inside, size / 2, random, opaque),
                    None => {
                        // Lists end where their length says.
                        let part = if own == 1 {
                            left
                        } else {
                            random.below(left + 1)
                        };
                        left -= part;
                        exactly(entry, *id, part, random, opaque, size)
                    }
                };
                texts.push(text);
                values.push((field.is_none(), value));
            }
            let text = if list {
                format!("({} :: {})", texts[0], texts[1])
            } else {
                format!("({} ({}))", constructor.name, texts.join(", "))
            };
            (text, Value::Node(c, values))
        }
    }
}

/// Data of about that many nodes, of lists exactly.
fn exactly(
    entry: &Entry,
    id: usize,
    nodes: u64,
    random: &mut Random,
    opaque: &[&str],
    size: u64,
) -> (String, Value) {
    let data = &entry.data[id];
    if nodes == 0 && !data.constants.is_empty() {
        let name = data.constants[random.below(data.constants.len() as u64) as usize].clone();
        return (name, Value::Constant);
    }
    if data.constructors.len() == 1 && data.constructors[0].name == "::" {
        let inside = data.constructors[0].fields[0]
            .clone()
            .unwrap_or(Shape::Opaque);
        let mut out = ("[]".to_owned(), Value::Constant);
        for _ in 0..nodes {
            let (text, value) = arbitrary(entry, &inside, size / 2, random, opaque);
            out = (
                format!("({text} :: {})", out.0),
                Value::Node(0, vec![(false, value), (true, out.1)]),
            );
        }
        return out;
    }
    arbitrary(entry, &Shape::Data(id), nodes, random, opaque)
}

/// The size at a path, of several values the largest.
pub fn measure(values: &[&Value], path: &[Way]) -> u64 {
    let Some((way, rest)) = path.split_first() else {
        return values
            .iter()
            .map(|v| if let Value::Number(n) = v { *n } else { 0 })
            .max()
            .unwrap_or(0);
    };
    match way {
        Way::Part(i) => {
            let parts: Vec<&Value> = values
                .iter()
                .filter_map(|v| {
                    if let Value::Tuple(parts) = v {
                        parts.get(*i)
                    } else {
                        None
                    }
                })
                .collect();
            measure(&parts, rest)
        }
        Way::Nodes(c) => values
            .iter()
            .map(|v| nodes(v).iter().filter(|(d, _)| d == c).count() as u64)
            .max()
            .unwrap_or(0),
        Way::Inside(c, i) => {
            let all = values.iter().flat_map(|v| nodes(v)).filter(|(d, _)| d == c);
            let inside: Vec<&Value> = all
                .filter_map(|(_, fields)| Some(&fields.get(*i)?.1))
                .collect();
            measure(&inside, rest)
        }
    }
}

/// The nodes of a value itself, not of what is inside of them.
fn nodes(value: &Value) -> Vec<(usize, &[(bool, Value)])> {
    let mut found = Vec::new();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        if let Value::Node(c, fields) = value {
            found.push((*c, &fields[..]));
            todo.extend(fields.iter().filter(|(own, _)| *own).map(|(_, f)| f));
        }
    }
    found
}

/// What some calls cost by the evaluator, in millionths of the metric's unit, the calls themselves not charged.
pub fn costs(
    source: &str,
    name: &str,
    calls: &[Vec<String>],
    metric: &Metric,
) -> Vec<Option<i128>> {
    let mut program = source.to_owned();
    for (i, arguments) in calls.iter().enumerate() {
        for (j, argument) in arguments.iter().enumerate() {
            let _ = writeln!(program, "let argument_{i}_{j} = {argument}");
        }
    }
    let before = program.lines().count() as u32;
    for (i, arguments) in calls.iter().enumerate() {
        let names: Vec<String> = (0..arguments.len())
            .map(|j| format!("argument_{i}_{j}"))
            .collect();
        let _ = writeln!(program, "let _ = {name} {}", names.join(" "));
    }
    let options = Options {
        limits: Limits {
            fuel: 2_000_000_000,
            memory: 1 << 30,
        },
        ..Options::default()
    };
    let run =
        pricetag_miniml::run(&program, &options).unwrap_or_else(|e| panic!("{e:?}\n{program}"));
    let rows = run.rows.iter().filter(|r| r.line > before);
    let mut costs: Vec<Option<i128>> = rows
        .map(|row| {
            let mut counts = row.counts.clone();
            for own in ["FunApp", "letdata"] {
                if let Some(n) = counts.get_mut(own) {
                    *n -= 1;
                }
            }
            Some(match metric {
                Metric::Time(prices) => counts
                    .iter()
                    .map(|(c, n)| (prices[c] * 1e6).round() as i128 * i128::from(*n))
                    .sum(),
                Metric::Bytes => i128::from(row.bytes) * 1_000_000,
                Metric::Count(construct) => {
                    i128::from(counts.get(construct.name()).copied().unwrap_or(0)) * 1_000_000
                }
                Metric::Calls(_) => return None,
            })
        })
        .collect();
    costs.resize(calls.len(), None);
    costs
}

/// What a campaign of random calls found.
#[derive(Debug, Default)]
#[allow(dead_code, reason = "the example reads more than the tests")]
pub struct Found {
    pub calls: usize,
    /// The least bound ÷ cost of all calls: 1 where the bound is reached.
    pub tightest: f64,
    pub text: String,
}

/// Holds a bound against random calls of up to a size; panics where it does not hold.
#[allow(clippy::too_many_arguments, reason = "each call gives them all")]
pub fn campaign(
    source: &str,
    name: &str,
    metric: &Metric,
    side: Side,
    degree: u32,
    calls: usize,
    size: u64,
    opaque: &[&str],
) -> Result<Found, NoBound> {
    let entry = entry(source, name);
    let bound: Bound = bound(&entry, metric, side, degree)?;
    let mut random = Random(calls as u64 ^ 0x5eed);
    let mut found = Found {
        tightest: f64::INFINITY,
        text: bound.polynomial.text(side),
        ..Found::default()
    };
    while found.calls < calls {
        let (mut texts, mut sizes) = (vec![], vec![]);
        for _ in 0..calls.min(500) {
            let arguments: Vec<(String, Value)> = entry
                .parameters
                .iter()
                .map(|p| {
                    arbitrary(
                        &entry,
                        &entry.shapes[*p as usize],
                        size,
                        &mut random,
                        opaque,
                    )
                })
                .collect();
            let whole = Value::Tuple(arguments.iter().map(|(_, v)| v.clone()).collect());
            let paths = bound
                .polynomial
                .sizes
                .iter()
                .map(|s| measure(&[&whole], &s.path));
            sizes.push(paths.collect::<Vec<u64>>());
            texts.push(arguments.into_iter().map(|(t, _)| t).collect::<Vec<_>>());
        }
        let costs = costs(source, name, &texts, metric);
        for ((cost, sizes), text) in costs.iter().zip(&sizes).zip(&texts) {
            // What stops in an exception ends the batch.
            let Some(cost) = cost else { break };
            let exact = bound.polynomial.at(sizes) * BigRational::from_integer(1_000_000.into());
            let real = BigRational::from_integer(BigInt::from(*cost));
            let holds = if side == Side::Upper {
                exact >= real
            } else {
                exact <= real
            };
            assert!(
                holds,
                "{name} {}: bound {} at {sizes:?} is {exact}, cost {cost}",
                text.join(" "),
                found.text
            );
            if *cost > 0 {
                let ratio = num_traits::ToPrimitive::to_f64(&(exact / real)).unwrap_or(f64::NAN);
                if side == Side::Lower {
                    found.tightest = found.tightest.min(1.0 / ratio);
                } else {
                    found.tightest = found.tightest.min(ratio);
                }
            }
            found.calls += 1;
        }
    }
    Ok(found)
}
