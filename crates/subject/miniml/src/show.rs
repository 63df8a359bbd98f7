//! Values as text, in the words of OCaml's toplevel.

use std::collections::BTreeMap;

use crate::machine::{Heap, Word, word};
use crate::types::{self, Node, Shape, Ty, Types};

/// A float as OCaml's `string_of_float` writes it: twelve digits, and a point at least.
pub(crate) fn float(x: f64) -> String {
    if x.is_infinite() {
        return if x > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    digits_of(x, 12)
}

/// As C's `%.*g` writes it, with a point where it would look like an integer.
pub(crate) fn digits_of(x: f64, digits: usize) -> String {
    if x.is_nan() {
        return "nan".to_owned();
    }
    let scientific = format!("{x:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let short = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    if (-4..digits as i32).contains(&exponent) {
        let text = short(&format!("{x:.*}", (digits as i32 - 1 - exponent) as usize));
        return if text.contains('.') { text } else { text + "." };
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", short(mantissa), exponent.abs())
}

/// A float as the toplevel writes it: as few of 12, 15 and 18 digits as read back to the same number.
pub(crate) fn exact_float(x: f64) -> String {
    if x.is_infinite() {
        return if x > 0.0 { "infinity" } else { "neg_infinity" }.to_owned();
    }
    let texts = [12, 15, 18].map(|digits| digits_of(x, digits));
    let same = texts.iter().find(|t| t.parse() == Ok(x));
    same.unwrap_or(&texts[2]).clone()
}

/// A byte as `Char.escaped` writes it; `quote` is escaped too.
pub(crate) fn escape(byte: u8, quote: u8, out: &mut String) {
    match byte {
        b'\n' => out.push_str("\\n"),
        b'\t' => out.push_str("\\t"),
        b'\r' => out.push_str("\\r"),
        8 => out.push_str("\\b"),
        b'\\' => out.push_str("\\\\"),
        b if b == quote => out.extend(['\\', char::from(b)]),
        b' '..=b'~' => out.push(char::from(byte)),
        _ => out.push_str(&format!("\\{byte:03}")),
    }
}

/// Longest text of a value; what is longer ends in dots.
const LONGEST: usize = 1 << 20;
/// Levels a value is printed.
const DEPTH: u32 = 2000;

/// Writes values in the toplevel's words.
pub(crate) struct Printer<'a> {
    pub heap: &'a Heap,
    pub types: &'a mut Types,
    pub exceptions: &'a [(String, Vec<Ty>)],
}

impl Printer<'_> {
    /// The text of a value of a type.
    pub(crate) fn text(&mut self, value: Word, ty: Ty) -> String {
        let mut out = String::new();
        self.write(value, ty, false, 0, &mut out);
        out
    }

    /// An exception that nobody caught, as the toplevel reports it.
    pub(crate) fn exception(&mut self, value: Word) -> String {
        let mut out = String::new();
        self.write_exception(value, false, 0, &mut out);
        out
    }

    fn write(&mut self, value: Word, ty: Ty, inside: bool, depth: u32, out: &mut String) {
        if out.len() > LONGEST || depth > DEPTH {
            out.push_str("...");
            return;
        }
        let ty = self.types.expand(ty);
        match self.types.node(ty).clone() {
            Node::Variable(_) | Node::Link(_) => out.push_str("<poly>"),
            Node::Arrow(..) => out.push_str("<fun>"),
            Node::Tuple(parts) => {
                let fields = parts.iter().enumerate();
                let fields: Vec<_> = fields
                    .map(|(i, t)| (self.heap.field(value, i), *t))
                    .collect();
                self.sequence(&fields, ["(", ", ", ")"], depth, out);
            }
            Node::Tags(row) => {
                let block = value & 1 == 0;
                let number = word(if block {
                    self.heap.field(value, 0)
                } else {
                    value
                });
                let found = row
                    .tags
                    .iter()
                    .find(|(name, _)| types::hash(name) == number);
                let Some((name, (_, argument))) = found else {
                    return out.push_str("<unknown constructor>");
                };
                let fields: Vec<_> = argument
                    .iter()
                    .map(|t| (self.heap.field(value, 1), *t))
                    .collect();
                self.constructor(&format!("`{name}"), &fields, inside, depth, out);
            }
            Node::Constructor(id, arguments) => match id {
                types::ARRAY => {
                    let fields: Vec<_> = (0..self.heap.size(value))
                        .map(|i| (self.heap.field(value, i), arguments[0]))
                        .collect();
                    let signs = ["[|", "; ", "|]"];
                    self.sequence(&fields, signs, depth, out);
                }
                types::BYTES => {
                    out.push_str("Bytes.of_string \"");
                    let bytes = self.heap.bytes(value);
                    bytes.into_iter().for_each(|b| escape(b, b'"', out));
                    out.push('"');
                }
                types::LAZY => {
                    if self.heap.field(value, 0) == crate::machine::int(1) {
                        out.push_str("lazy ");
                        self.write(
                            self.heap.field(value, 1),
                            arguments[0],
                            true,
                            depth + 1,
                            out,
                        );
                    } else {
                        out.push_str("<lazy>");
                    }
                }
                types::INT => self.number(&word(value).to_string(), inside, out),
                types::FLOAT => {
                    self.number(&exact_float(self.heap.as_float(value)), inside, out);
                }
                types::CHAR => {
                    out.push('\'');
                    escape(word(value) as u8, b'\'', out);
                    out.push('\'');
                }
                types::STRING => {
                    out.push('"');
                    let bytes = self.heap.bytes(value);
                    bytes.into_iter().for_each(|b| escape(b, b'"', out));
                    out.push('"');
                }
                types::EXN => self.write_exception(value, inside, depth, out),
                types::BOOL => out.push_str(if word(value) == 0 { "false" } else { "true" }),
                types::UNIT => out.push_str("()"),
                types::LIST => self.list(value, arguments[0], depth, out),
                _ => self.declared(value, id, &arguments, inside, depth, out),
            },
        }
    }

    #[expect(clippy::unused_self, reason = "a rule of the printer like the others")]
    fn number(&self, text: &str, argument: bool, out: &mut String) {
        if argument && text.starts_with('-') {
            out.push_str(&format!("({text})"));
        } else {
            out.push_str(text);
        }
    }

    fn list(&mut self, mut value: Word, element: Ty, depth: u32, out: &mut String) {
        out.push('[');
        let mut first = true;
        while value & 1 == 0 {
            if out.len() > LONGEST {
                out.push_str("...");
                break;
            }
            out.push_str(if first { "" } else { "; " });
            first = false;
            self.write(self.heap.field(value, 0), element, false, depth + 1, out);
            value = self.heap.field(value, 1);
        }
        out.push(']');
    }

    fn sequence(&mut self, fields: &[(Word, Ty)], signs: [&str; 3], depth: u32, out: &mut String) {
        out.push_str(signs[0]);
        for (i, (value, ty)) in fields.iter().enumerate() {
            out.push_str(if i > 0 { signs[1] } else { "" });
            self.write(*value, *ty, false, depth + 1, out);
        }
        out.push_str(signs[2]);
    }

    fn declared(
        &mut self,
        value: Word,
        id: types::TypeId,
        arguments: &[Ty],
        argument: bool,
        depth: u32,
        out: &mut String,
    ) {
        match self.types.infos[id.0 as usize].shape.clone() {
            Shape::Basic => out.push_str("<abstr>"),
            Shape::Record(parameters, fields) => {
                let mut map: BTreeMap<Ty, Ty> = parameters
                    .iter()
                    .copied()
                    .zip(arguments.iter().copied())
                    .collect();
                out.push('{');
                for (i, (name, ty)) in fields.iter().enumerate() {
                    let ty = self.types.copy(*ty, &mut map);
                    out.push_str(&format!("{}{name} = ", if i > 0 { "; " } else { "" }));
                    self.write(self.heap.field(value, i), ty, false, depth + 1, out);
                }
                out.push('}');
            }
            Shape::Variants(parameters, variants) => {
                let block = value & 1 == 0;
                let tag = if block {
                    i64::from(self.heap.tag(value))
                } else {
                    word(value)
                };
                let mut same = variants.iter().filter(|(_, a)| a.is_empty() != block);
                let Some((name, parts)) = usize::try_from(tag).ok().and_then(|n| same.nth(n))
                else {
                    return out.push_str("<unknown constructor>");
                };
                let mut map: BTreeMap<Ty, Ty> = parameters
                    .iter()
                    .copied()
                    .zip(arguments.iter().copied())
                    .collect();
                let parts: Vec<Ty> = parts
                    .iter()
                    .map(|t| self.types.copy(*t, &mut map))
                    .collect();
                let fields: Vec<_> = parts
                    .iter()
                    .enumerate()
                    .map(|(i, t)| (self.heap.field(value, i), *t))
                    .collect();
                self.constructor(name, &fields, argument, depth, out);
            }
        }
    }

    fn constructor(
        &mut self,
        name: &str,
        fields: &[(Word, Ty)],
        argument: bool,
        depth: u32,
        out: &mut String,
    ) {
        let open = argument && !fields.is_empty();
        out.push_str(if open { "(" } else { "" });
        out.push_str(name);
        match fields {
            [] => {}
            [(value, ty)] => {
                out.push(' ');
                self.write(*value, *ty, true, depth + 1, out);
            }
            several => self.sequence(several, [" (", ", ", ")"], depth, out),
        }
        out.push_str(if open { ")" } else { "" });
    }

    fn write_exception(&mut self, value: Word, argument: bool, depth: u32, out: &mut String) {
        let id = word(self.heap.field(value, 0)) as usize;
        let Some((name, parts)) = self.exceptions.get(id).cloned() else {
            return out.push_str("<unknown exception>");
        };
        let fields: Vec<_> = parts
            .iter()
            .enumerate()
            .map(|(i, t)| (self.heap.field(value, i + 1), *t))
            .collect();
        self.constructor(&name, &fields, argument, depth, out);
    }
}
