//! Rows: types of polymorphic variants (Rémy 1989; Garrigue 1998).
//!
//! Two rows that are unified become one with the tags of both. Deviation: a tag has one argument type at most, where OCaml can write
//! conjunctions of several.

use std::collections::BTreeMap;

use super::{GENERIC, Mismatch, Node, Row, Ty, Types};
use crate::syntax::Name;

impl Row {
    /// Whether nothing of it is open: these tags and no others.
    pub(crate) fn is_fixed(&self) -> bool {
        self.closed && self.tags.values().all(|(needed, _)| *needed)
    }
}

/// The number that stands for a tag at run time: 31 bits of a polynomial in 223, as the compiler computes it.
pub(crate) fn hash(tag: &str) -> i64 {
    let number = tag.bytes().fold(0u64, |sum, b| {
        sum.wrapping_mul(223).wrapping_add(u64::from(b))
    });
    let low = (number & 0x7fff_ffff) as i64;
    if low > 0x3fff_ffff {
        low - (1 << 31)
    } else {
        low
    }
}

impl Types {
    /// A row of the current level.
    pub(crate) fn tags(&mut self, closed: bool, tags: BTreeMap<Name, (bool, Option<Ty>)>) -> Ty {
        let level = self.level;
        self.push(Node::Tags(Row {
            level,
            closed,
            tags,
        }))
    }

    pub(super) fn copy_row(&mut self, ty: Ty, row: &Row, map: &mut BTreeMap<Ty, Ty>) -> Ty {
        let tags: BTreeMap<_, _> = row
            .tags
            .iter()
            .map(|(name, (needed, t))| (name.clone(), (*needed, t.map(|t| self.copy(t, map)))))
            .collect();
        let same = tags.values().eq(row.tags.values());
        if row.level == GENERIC && !row.is_fixed() {
            return self.tags(row.closed, tags);
        }
        if same {
            ty
        } else {
            self.push(Node::Tags(Row { tags, ..*row }))
        }
    }

    pub(super) fn unify_rows(
        &mut self,
        a: Ty,
        x: &Row,
        b: Ty,
        y: &Row,
        depth: u32,
    ) -> Result<(), Mismatch> {
        let mut tags = x.tags.clone();
        for (name, (needed, argument)) in &x.tags {
            if !y.tags.contains_key(name) && y.closed {
                if *needed {
                    return Err(Mismatch::Different);
                }
                tags.remove(name);
            } else if let Some((also, other)) = y.tags.get(name) {
                match (argument, other) {
                    (None, None) => {}
                    (Some(s), Some(t)) => self.unify_at(*s, *t, depth + 1)?,
                    _ => return Err(Mismatch::Different),
                }
                tags.insert(name.clone(), (*needed || *also, *argument));
            }
        }
        for (name, (needed, argument)) in &y.tags {
            if !x.tags.contains_key(name) {
                if !x.closed {
                    tags.insert(name.clone(), (*needed, *argument));
                } else if *needed {
                    return Err(Mismatch::Different);
                }
            }
        }
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Ok(());
        }
        let level = x.level.min(y.level);
        let arguments: Vec<Ty> = tags.values().filter_map(|(_, t)| *t).collect();
        self.lower(&arguments, level, [a, b])?;
        // A declared row stays as it was declared: its arguments name types, where the other's may be those types spelt out.
        let (kept, linked) = if x.is_fixed() { (a, b) } else { (b, a) };
        if !x.is_fixed() && !y.is_fixed() {
            self.nodes[kept.0 as usize] = Node::Tags(Row {
                level,
                closed: x.closed || y.closed,
                tags,
            });
        }
        self.nodes[linked.0 as usize] = Node::Link(kept);
        Ok(())
    }

    /// Variables of these types belong to that level at most. The types of a row's arguments must not have the row itself in them.
    fn lower(&mut self, types: &[Ty], level: u32, rows: [Ty; 2]) -> Result<(), Mismatch> {
        let mut seen = std::collections::BTreeSet::new();
        let mut todo = types.to_vec();
        while let Some(ty) = todo.pop() {
            let ty = self.find(ty);
            if rows.contains(&ty) {
                return Err(Mismatch::Cyclic);
            }
            if seen.insert(ty) {
                if let Node::Variable(l) | Node::Tags(Row { level: l, .. }) =
                    &mut self.nodes[ty.0 as usize]
                {
                    *l = (*l).min(level);
                }
                todo.extend(self.children(ty));
            }
        }
        Ok(())
    }

    /// There are no other tags in a row than those it has.
    pub(crate) fn close(&mut self, ty: Ty) {
        let ty = self.find(ty);
        if let Node::Tags(row) = &mut self.nodes[ty.0 as usize] {
            row.closed = true;
        }
    }

    /// A row of which every tag must be there becomes open, as a value's type.
    pub(crate) fn row(&self, ty: Ty) -> Option<&Row> {
        match self.node(ty) {
            Node::Tags(row) => Some(row),
            _ => None,
        }
    }
}
