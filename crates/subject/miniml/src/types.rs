//! Types: a store of nodes with levels (Rémy 1992), unification, generalisation and printing.
//!
//! Notation of OCaml. A variable's level says how deep the `let` is that may generalise it. Deviation: like OCaml, variables of an
//! application's type are generalised where they occur only covariantly (Garrigue 2004).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::syntax::{Label, Name};

mod row;
mod text;

pub(crate) use row::hash;
pub(crate) use text::Letters;

/// A node of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ty(u32);

/// A declared type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypeId(pub(crate) u32);

/// The level of generalised variables.
const GENERIC: u32 = u32::MAX;
/// Levels a type may be nested.
const DEPTH: u32 = 10_000;

/// What a node is.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Variable(u32),
    Link(Ty),
    Arrow(Label, Ty, Ty),
    Tuple(Rc<[Ty]>),
    Constructor(TypeId, Rc<[Ty]>),
    /// Polymorphic variants.
    Tags(Row),
}

/// A type of polymorphic variants: its level says how it is generalised, unless it is [fixed](Row::is_fixed).
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub level: u32,
    /// Whether there are no other tags.
    pub closed: bool,
    /// By name: whether it must be there, and its argument.
    pub tags: BTreeMap<Name, (bool, Option<Ty>)>,
}

/// Why two types do not agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mismatch {
    Different,
    Cyclic,
    Deep,
}

/// A declared type's name and shape.
#[derive(Clone, Debug)]
pub(crate) struct TypeInfo {
    pub name: Name,
    /// Modules around its declaration.
    pub modules: Rc<[Name]>,
    pub arity: usize,
    /// Parameters and body of an abbreviation.
    pub alias: Option<(Rc<[Ty]>, Ty)>,
    /// Whether all its parameters occur only covariantly.
    pub covariant: bool,
    /// Constructors or fields, for printing values.
    pub shape: Shape,
}

/// What values of a declared type look like.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Basic,
    /// Parameters; constructors with their argument types, in order of declaration.
    Variants(Rc<[Ty]>, Vec<(Name, Rc<[Ty]>)>),
    Record(Rc<[Ty]>, Vec<(Name, Ty)>),
}

pub(crate) const INT: TypeId = TypeId(0);
pub(crate) const FLOAT: TypeId = TypeId(1);
pub(crate) const CHAR: TypeId = TypeId(2);
pub(crate) const STRING: TypeId = TypeId(3);
pub(crate) const EXN: TypeId = TypeId(4);
pub(crate) const BOOL: TypeId = TypeId(5);
pub(crate) const UNIT: TypeId = TypeId(6);
pub(crate) const LIST: TypeId = TypeId(7);
pub(crate) const ARRAY: TypeId = TypeId(8);
pub(crate) const OPTION: TypeId = TypeId(9);
pub(crate) const BYTES: TypeId = TypeId(10);
pub(crate) const LAZY: TypeId = TypeId(11);
pub(crate) const FORMAT: TypeId = TypeId(12);

/// All types of a program.
#[derive(Clone, Debug, Default)]
pub struct Types {
    nodes: Vec<Node>,
    pub(crate) infos: Vec<TypeInfo>,
    pub(crate) level: u32,
    /// Modules that text is written in: their own types need no path.
    pub(crate) inside: Vec<Name>,
}

/// Nodes of all types of a program: some 300 MB.
const MOST_NODES: usize = 4_000_000;

impl Types {
    /// Whether there are more than fit: a type can be exponentially larger than the text that it is inferred from (Mairson 1990).
    pub(crate) fn are_too_large(&self) -> bool {
        self.nodes.len() > MOST_NODES
    }

    fn push(&mut self, node: Node) -> Ty {
        self.nodes.push(node);
        Ty(self.nodes.len() as u32 - 1)
    }

    pub(crate) fn variable(&mut self) -> Ty {
        self.push(Node::Variable(self.level))
    }

    pub(crate) fn generic(&mut self) -> Ty {
        self.push(Node::Variable(GENERIC))
    }

    pub(crate) fn arrow(&mut self, from: Ty, to: Ty) -> Ty {
        self.push(Node::Arrow(Label::None, from, to))
    }

    /// A function whose argument has a label; an optional one's type is an option.
    pub(crate) fn labelled(&mut self, label: Label, from: Ty, to: Ty) -> Ty {
        self.push(Node::Arrow(label, from, to))
    }

    pub(crate) fn tuple(&mut self, parts: Vec<Ty>) -> Ty {
        self.push(Node::Tuple(parts.into()))
    }

    pub(crate) fn constructor(&mut self, id: TypeId, arguments: Vec<Ty>) -> Ty {
        self.push(Node::Constructor(id, arguments.into()))
    }

    pub(crate) fn basic(&mut self, id: TypeId) -> Ty {
        self.constructor(id, vec![])
    }

    pub(crate) fn declare(&mut self, info: TypeInfo) -> TypeId {
        self.infos.push(info);
        TypeId(self.infos.len() as u32 - 1)
    }

    /// The node itself, behind links.
    pub(crate) fn find(&self, mut ty: Ty) -> Ty {
        while let Node::Link(to) = self.nodes[ty.0 as usize] {
            ty = to;
        }
        ty
    }

    pub(crate) fn node(&self, ty: Ty) -> &Node {
        &self.nodes[self.find(ty).0 as usize]
    }

    /// The type behind abbreviations at the top.
    pub(crate) fn expand(&mut self, ty: Ty) -> Ty {
        let mut ty = self.find(ty);
        for _ in 0..DEPTH {
            let Node::Constructor(id, arguments) = self.node(ty).clone() else {
                break;
            };
            let Some((parameters, body)) = self.infos[id.0 as usize].alias.clone() else {
                break;
            };
            ty = self.substitute(body, &parameters, &arguments);
            ty = self.find(ty);
        }
        ty
    }

    /// `ty` with parameters replaced.
    pub(crate) fn substitute(&mut self, ty: Ty, parameters: &[Ty], arguments: &[Ty]) -> Ty {
        let mut map: BTreeMap<Ty, Ty> = parameters
            .iter()
            .copied()
            .zip(arguments.iter().copied())
            .collect();
        self.copy(ty, &mut map)
    }

    /// A copy with fresh variables for the generalised ones.
    pub(crate) fn instantiate(&mut self, ty: Ty) -> Ty {
        self.copy(ty, &mut BTreeMap::new())
    }

    pub(crate) fn copy(&mut self, ty: Ty, map: &mut BTreeMap<Ty, Ty>) -> Ty {
        let ty = self.find(ty);
        if let Some(&copied) = map.get(&ty) {
            return copied;
        }
        let copied = match self.nodes[ty.0 as usize].clone() {
            Node::Variable(GENERIC) => self.variable(),
            Node::Variable(_) | Node::Link(_) => ty,
            Node::Arrow(label, from, to) => {
                let (f, t) = (self.copy(from, map), self.copy(to, map));
                if (f, t) == (from, to) {
                    ty
                } else {
                    self.labelled(label, f, t)
                }
            }
            Node::Tags(row) => self.copy_row(ty, &row, map),
            Node::Tuple(parts) => match self.copy_all(&parts, map) {
                Some(new) => self.tuple(new),
                None => ty,
            },
            Node::Constructor(id, arguments) => match self.copy_all(&arguments, map) {
                Some(new) => self.constructor(id, new),
                None => ty,
            },
        };
        map.insert(ty, copied);
        copied
    }

    fn copy_all(&mut self, parts: &[Ty], map: &mut BTreeMap<Ty, Ty>) -> Option<Vec<Ty>> {
        let new: Vec<Ty> = parts.iter().map(|&p| self.copy(p, map)).collect();
        (new != parts).then_some(new)
    }

    fn children(&self, ty: Ty) -> Vec<Ty> {
        match self.node(ty) {
            Node::Variable(_) | Node::Link(_) => vec![],
            Node::Arrow(_, from, to) => vec![*from, *to],
            Node::Tags(row) => row.tags.values().filter_map(|(_, t)| *t).collect(),
            Node::Tuple(parts) | Node::Constructor(_, parts) => parts.to_vec(),
        }
    }

    /// Makes two types the same.
    pub(crate) fn unify(&mut self, a: Ty, b: Ty) -> Result<(), Mismatch> {
        self.unify_at(a, b, 0)
    }

    fn unify_at(&mut self, a: Ty, b: Ty, depth: u32) -> Result<(), Mismatch> {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Ok(());
        }
        if depth > DEPTH {
            return Err(Mismatch::Deep);
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Variable(level), _) => self.bind(a, level, b),
            (_, Node::Variable(level)) => self.bind(b, level, a),
            (Node::Tags(x), Node::Tags(y)) => self.unify_rows(a, &x, b, &y, depth),
            (Node::Arrow(l, f, t), Node::Arrow(m, g, u)) if l == m => {
                self.unify_at(f, g, depth + 1)?;
                self.unify_at(t, u, depth + 1)?;
                self.merge(a, b);
                Ok(())
            }
            (Node::Tuple(x), Node::Tuple(y)) if x.len() == y.len() => {
                for (x, y) in x.iter().zip(&*y) {
                    self.unify_at(*x, *y, depth + 1)?;
                }
                self.merge(a, b);
                Ok(())
            }
            (Node::Constructor(i, x), Node::Constructor(j, y)) if i == j => {
                for (x, y) in x.iter().zip(&*y) {
                    self.unify_at(*x, *y, depth + 1)?;
                }
                Ok(())
            }
            _ => {
                let (x, y) = (self.expand(a), self.expand(b));
                if (x, y) == (a, b) {
                    Err(Mismatch::Different)
                } else {
                    self.unify_at(x, y, depth + 1)
                }
            }
        }
    }

    /// Agreed nodes become one, so that shared parts are walked once.
    fn merge(&mut self, a: Ty, b: Ty) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.nodes[a.0 as usize] = Node::Link(b);
        }
    }

    fn bind(&mut self, variable: Ty, level: u32, to: Ty) -> Result<(), Mismatch> {
        let mut seen = BTreeSet::new();
        let mut todo = vec![to];
        while let Some(ty) = todo.pop() {
            let ty = self.find(ty);
            if ty == variable {
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
        self.nodes[variable.0 as usize] = Node::Link(to);
        Ok(())
    }

    /// Generalises the variables that belong to deeper levels; of an expansive value only those that occur covariantly alone.
    pub(crate) fn generalize(&mut self, ty: Ty, expansive: bool) -> Result<(), Mismatch> {
        let mut blocked = BTreeSet::new();
        if expansive {
            self.contravariant(ty, true, &mut BTreeSet::new(), &mut blocked, 0)?;
        }
        let level = self.level;
        for &ty in &blocked {
            // What stays weak belongs to the level outside.
            if let Node::Variable(l) | Node::Tags(Row { level: l, .. }) =
                &mut self.nodes[ty.0 as usize]
                && *l != GENERIC
            {
                *l = (*l).min(level);
            }
        }
        let mut seen = BTreeSet::new();
        self.generalize_at(ty, &mut seen, 0)
    }

    fn generalize_at(
        &mut self,
        ty: Ty,
        seen: &mut BTreeSet<Ty>,
        depth: u32,
    ) -> Result<(), Mismatch> {
        let ty = self.find(ty);
        if !seen.insert(ty) {
            return Ok(());
        }
        if depth > DEPTH {
            return Err(Mismatch::Deep);
        }
        let current = self.level;
        if let Node::Variable(level) | Node::Tags(Row { level, .. }) =
            &mut self.nodes[ty.0 as usize]
            && *level > current
        {
            *level = GENERIC;
        }
        for child in self.children(ty) {
            self.generalize_at(child, seen, depth + 1)?;
        }
        Ok(())
    }

    /// Collects the variables that occur left of an arrow or under a type that may use them so.
    fn contravariant(
        &mut self,
        ty: Ty,
        positive: bool,
        seen: &mut BTreeSet<(Ty, bool)>,
        found: &mut BTreeSet<Ty>,
        depth: u32,
    ) -> Result<(), Mismatch> {
        let ty = self.expand(ty);
        if !seen.insert((ty, positive)) {
            return Ok(());
        }
        if depth > DEPTH {
            return Err(Mismatch::Deep);
        }
        match self.node(ty).clone() {
            Node::Variable(_) if positive => {}
            Node::Variable(_) => {
                found.insert(ty);
            }
            Node::Tags(row) => {
                if !positive {
                    found.insert(ty);
                }
                for part in row.tags.values().filter_map(|(_, t)| *t) {
                    self.contravariant(part, positive, seen, found, depth + 1)?;
                }
            }
            Node::Arrow(_, from, to) => {
                // Left of an arrow nothing is generalised, as in OCaml.
                self.contravariant(from, false, seen, found, depth + 1)?;
                self.contravariant(to, positive, seen, found, depth + 1)?;
            }
            Node::Tuple(parts) => {
                for part in &*parts {
                    self.contravariant(*part, positive, seen, found, depth + 1)?;
                }
            }
            Node::Constructor(id, arguments) => {
                let positive = positive && self.infos[id.0 as usize].covariant;
                for argument in &*arguments {
                    self.contravariant(*argument, positive, seen, found, depth + 1)?;
                }
            }
            Node::Link(_) => {}
        }
        Ok(())
    }

    /// Whether a type has an arrow in it: such a declared type is not taken to be covariant.
    pub(crate) fn has_arrow(&self, ty: Ty) -> bool {
        let mut seen = BTreeSet::new();
        let mut todo = vec![ty];
        while let Some(ty) = todo.pop() {
            let ty = self.find(ty);
            if seen.insert(ty) {
                match self.node(ty) {
                    Node::Arrow(..) => return true,
                    Node::Constructor(id, _) if !self.infos[id.0 as usize].covariant => {
                        return true;
                    }
                    _ => {}
                }
                todo.extend(self.children(ty));
            }
        }
        false
    }

    /// The generalised variables of a type.
    pub(crate) fn generic_variables(&self, ty: Ty) -> Vec<Ty> {
        let mut seen = BTreeSet::new();
        let (mut todo, mut found) = (vec![ty], vec![]);
        while let Some(ty) = todo.pop() {
            let ty = self.find(ty);
            if seen.insert(ty) {
                if let Node::Variable(GENERIC) = self.nodes[ty.0 as usize] {
                    found.push(ty);
                }
                todo.extend(self.children(ty));
            }
        }
        found
    }

    /// Whether an abbreviation stands for a type that contains itself, through abbreviations alone.
    pub(crate) fn is_cyclic(&self, id: TypeId) -> bool {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<TypeId> = vec![id];
        let mut first = true;
        while let Some(at) = todo.pop() {
            if at == id && !std::mem::take(&mut first) {
                return true;
            }
            if !seen.insert(at) && at != id {
                continue;
            }
            let Some((_, body)) = &self.infos[at.0 as usize].alias else {
                continue;
            };
            let mut parts = vec![*body];
            while let Some(ty) = parts.pop() {
                if let Node::Constructor(inner, _) = self.node(ty) {
                    todo.push(*inner);
                }
                // Cycles through polymorphic variants are types of OCaml's, too.
                if !matches!(self.node(ty), Node::Tags(_)) {
                    parts.extend(self.children(ty));
                }
            }
        }
        false
    }
}
