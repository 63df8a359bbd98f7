//! Types as text, in the words of `ocamlc -i`.

use std::collections::BTreeMap;

use super::{GENERIC, Node, OPTION, Row, Ty, TypeId, Types};
use crate::syntax::Label;

impl Types {
    /// Text of a type; `names` keeps the letters of variables across several types.
    pub(crate) fn text(&self, ty: Ty, names: &mut Letters) -> String {
        let mut out = String::new();
        self.repeated(ty, names, &mut BTreeMap::new());
        self.write(ty, 0, names, &mut out);
        out
    }

    /// Text of a type as a constructor's argument: arrows and tuples in parentheses.
    pub(crate) fn argument_text(&self, ty: Ty, names: &mut Letters) -> String {
        let mut out = String::new();
        self.write(ty, 2, names, &mut out);
        out
    }

    fn write(&self, ty: Ty, precedence: u8, names: &mut Letters, out: &mut String) {
        // A type of many shared parts may be exponentially longer than its graph.
        if out.len() > 20_000 {
            out.push('…');
            return;
        }
        let ty = self.find(ty);
        match self.node(ty) {
            Node::Variable(level) => out.push_str(&names.name(ty, *level == GENERIC)),
            Node::Link(_) => {}
            Node::Tags(row) => self.write_row(ty, row, names, out),
            Node::Arrow(label, from, to) => {
                let open = precedence > 0;
                out.push_str(if open { "(" } else { "" });
                let mut from = *from;
                match label {
                    Label::None => {}
                    Label::Named(name) => *out += &format!("{name}:"),
                    Label::Optional(name) => {
                        *out += &format!("?{name}:");
                        if let Node::Constructor(OPTION, arguments) = self.node(from) {
                            from = arguments[0];
                        }
                    }
                }
                self.write(from, 1, names, out);
                out.push_str(" -> ");
                self.write(*to, 0, names, out);
                out.push_str(if open { ")" } else { "" });
            }
            Node::Tuple(parts) => {
                let open = precedence > 1;
                out.push_str(if open { "(" } else { "" });
                for (i, part) in parts.iter().enumerate() {
                    out.push_str(if i > 0 { " * " } else { "" });
                    self.write(*part, 2, names, out);
                }
                out.push_str(if open { ")" } else { "" });
            }
            Node::Constructor(id, arguments) => {
                match &arguments[..] {
                    [] => {}
                    [one] => {
                        self.write(*one, 2, names, out);
                        out.push(' ');
                    }
                    several => {
                        out.push('(');
                        for (i, argument) in several.iter().enumerate() {
                            out.push_str(if i > 0 { ", " } else { "" });
                            self.write(*argument, 0, names, out);
                        }
                        out.push_str(") ");
                    }
                }
                self.write_name(*id, out);
            }
        }
    }

    /// A type's name, with the modules that are not those at hand.
    pub(crate) fn write_name(&self, id: TypeId, out: &mut String) {
        let info = &self.infos[id.0 as usize];
        let known = info.modules.iter().zip(&self.inside);
        let known = known.take_while(|(a, b)| a == b).count();
        info.modules[known..]
            .iter()
            .for_each(|m| *out += &format!("{m}."));
        out.push_str(&info.name);
    }

    /// Polymorphic variants; one that occurs again has a name.
    fn write_row(&self, ty: Ty, row: &Row, names: &mut Letters, out: &mut String) {
        if let Some(name) = names.rows.get(&ty) {
            return out.push_str(name);
        }
        let fixed = row.is_fixed();
        let named = !fixed && names.repeated.contains(&ty);
        let name = named.then(|| names.name(ty, true));
        out.push_str(if named { "(" } else { "" });
        if let Some(name) = &name {
            names.rows.insert(ty, name.clone());
        }
        if !fixed && row.level != GENERIC {
            out.push('_');
        }
        out.push_str(match (fixed, row.closed) {
            (true, _) => "[ ",
            (false, true) => "[< ",
            (false, false) => "[> ",
        });
        for (i, (tag, (_, argument))) in row.tags.iter().enumerate() {
            out.push_str(if i > 0 { " | `" } else { "`" });
            out.push_str(tag);
            if let Some(argument) = argument {
                out.push_str(" of ");
                self.write(*argument, 1, names, out);
            }
        }
        if !fixed && row.closed && row.tags.values().any(|(needed, _)| *needed) {
            out.push_str(" >");
            for (tag, _) in row.tags.iter().filter(|(_, (needed, _))| *needed) {
                *out += &format!(" `{tag}");
            }
        }
        out.push_str(" ]");
        if let Some(name) = name {
            *out += &format!(" as {name})");
        }
    }

    /// Rows that occur more than once in a type.
    fn repeated(&self, ty: Ty, names: &mut Letters, seen: &mut BTreeMap<Ty, u32>) {
        let ty = self.find(ty);
        let times = seen.entry(ty).or_insert(0);
        *times += 1;
        if *times > 1 {
            if let Node::Tags(row) = self.node(ty)
                && !row.is_fixed()
            {
                names.repeated.insert(ty);
            }
            return;
        }
        for child in self.children(ty) {
            self.repeated(child, names, seen);
        }
    }
}

/// Names of type variables, in order of appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Letters {
    names: BTreeMap<Ty, String>,
    generic: usize,
    weak: usize,
    /// Rows that occur more than once, and the names of those that were written.
    repeated: std::collections::BTreeSet<Ty>,
    rows: BTreeMap<Ty, String>,
}

impl Letters {
    fn name(&mut self, ty: Ty, generic: bool) -> String {
        if let Some(name) = self.names.get(&ty) {
            return name.clone();
        }
        let name = if generic {
            let n = self.generic;
            self.generic += 1;
            let letter = char::from(b'a' + (n % 26) as u8);
            if n < 26 {
                format!("'{letter}")
            } else {
                format!("'{letter}{}", n / 26)
            }
        } else {
            self.weak += 1;
            format!("'_weak{}", self.weak)
        };
        self.names.insert(ty, name.clone());
        name
    }

    /// Forgets the generalised letters: each value's type begins with `'a`.
    pub(crate) fn restart(&mut self) {
        self.names.retain(|_, name| name.starts_with("'_"));
        self.generic = 0;
        self.rows.clear();
        self.repeated.clear();
    }
}
