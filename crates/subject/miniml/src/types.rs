//! Types: a store of nodes with levels (Rémy 1992), unification, generalisation and printing.
//!
//! Notation of OCaml. A variable's level says how deep the `let` is that may generalise it. Deviation: like OCaml, variables of an
//! application's type are generalised where they occur only covariantly (Garrigue 2004).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::syntax::Name;

/// A node of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ty(u32);

/// A declared type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypeId(pub(crate) u32);

/// The level of generalised variables.
const GENERIC: u32 = u32::MAX;
/// Levels a type may be nested.
const DEPTH: u32 = 700;

/// What a node is.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Variable(u32),
    Link(Ty),
    Arrow(Ty, Ty),
    Tuple(Rc<[Ty]>),
    Constructor(TypeId, Rc<[Ty]>),
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

/// All types of a program.
#[derive(Clone, Debug, Default)]
pub struct Types {
    nodes: Vec<Node>,
    pub(crate) infos: Vec<TypeInfo>,
    pub(crate) level: u32,
}

impl Types {
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
        self.push(Node::Arrow(from, to))
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
            Node::Arrow(from, to) => {
                let (f, t) = (self.copy(from, map), self.copy(to, map));
                if (f, t) == (from, to) {
                    ty
                } else {
                    self.arrow(f, t)
                }
            }
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
            Node::Arrow(from, to) => vec![*from, *to],
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
            (Node::Arrow(f, t), Node::Arrow(g, u)) => {
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
                if let Node::Variable(l) = &mut self.nodes[ty.0 as usize] {
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
            if let Node::Variable(l) = &mut self.nodes[ty.0 as usize]
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
        if let Node::Variable(level) = &mut self.nodes[ty.0 as usize]
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
            Node::Arrow(from, to) => {
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

    /// Text of a type; `names` keeps the letters of variables across several types.
    pub(crate) fn text(&self, ty: Ty, names: &mut Letters) -> String {
        let mut out = String::new();
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
            Node::Arrow(from, to) => {
                let open = precedence > 0;
                out.push_str(if open { "(" } else { "" });
                self.write(*from, 1, names, out);
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
                out.push_str(&self.infos[id.0 as usize].name);
            }
        }
    }
}

/// Names of type variables, in order of appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Letters {
    names: BTreeMap<Ty, String>,
    generic: usize,
    weak: usize,
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
    }
}
