//! Types as shapes: what of a value has a size.

use super::{Constructor, Data, Shape};
use crate::types::{self, Letters, Node, Ty, Types};

/// Constructors with arguments, by name and argument types, and names of those without; none of a type that is not known.
pub(super) fn constructors(types: &mut Types, ty: Ty) -> (Vec<(String, Vec<Ty>)>, Vec<String>) {
    let ty = types.expand(ty);
    let Node::Constructor(id, arguments) = types.node(ty).clone() else {
        return (vec![], vec![]);
    };
    if id == types::LIST {
        return (
            vec![("::".to_owned(), vec![arguments[0], ty])],
            vec!["[]".to_owned()],
        );
    }
    let types::Shape::Variants(parameters, variants) = types.infos[id.0 as usize].shape.clone()
    else {
        return (vec![], vec![]);
    };
    let mut found = Vec::new();
    let mut constants = Vec::new();
    for (name, parts) in variants {
        if parts.is_empty() {
            constants.push(name.to_string());
            continue;
        }
        let parts = parts
            .iter()
            .map(|t| types.substitute(*t, &parameters, &arguments));
        found.push((name.to_string(), parts.collect()));
    }
    (found, constants)
}

/// The parts of a tuple or record.
pub(super) fn parts(types: &mut Types, ty: Ty) -> Option<Vec<Ty>> {
    let ty = types.expand(ty);
    match types.node(ty).clone() {
        Node::Tuple(parts) => Some(parts.to_vec()),
        Node::Constructor(id, arguments) => {
            let types::Shape::Record(parameters, fields) = types.infos[id.0 as usize].shape.clone()
            else {
                return None;
            };
            let fields = fields
                .iter()
                .map(|(_, t)| types.substitute(*t, &parameters, &arguments));
            Some(fields.collect())
        }
        _ => None,
    }
}

/// Types inside of each other that are looked into.
const NESTED: u32 = 8;

/// How many values there are inside of one of a type, at most; nothing if there is no such number.
pub(super) fn inside(types: &mut Types, ty: Ty, depth: u32) -> Option<u64> {
    let ty = types.expand(ty);
    if let Node::Constructor(
        types::INT | types::FLOAT | types::CHAR | types::BOOL | types::UNIT,
        _,
    ) = types.node(ty)
    {
        return Some(0);
    }
    if depth > NESTED {
        return None;
    }
    if let Some(parts) = parts(types, ty) {
        return inside_all(types, parts, depth);
    }
    let (found, constants) = constructors(types, ty);
    if found.is_empty() && constants.is_empty() {
        return None;
    }
    let mut each = found
        .into_iter()
        .map(|(_, parts)| inside_all(types, parts, depth));
    each.try_fold(0, |most, n| Some(most.max(n?)))
}

/// The same for the parts of a value, themselves counted.
fn inside_all(types: &mut Types, parts: Vec<Ty>, depth: u32) -> Option<u64> {
    let parts = parts.into_iter();
    let mut all = parts.map(|t| Some(1 + inside(types, t, depth + 1)?));
    all.try_fold(0, |sum, n| Some(sum + n?))
}

/// The types met so far.
#[derive(Default)]
pub(super) struct Shapes {
    pub data: Vec<Data>,
    texts: Vec<String>,
    /// Types around the one at hand.
    around: Vec<String>,
}

impl Shapes {
    /// The shape of a type; numbers have a size outside of data alone.
    pub fn of(&mut self, types: &mut Types, ty: Ty, numbers: bool) -> Shape {
        let ty = types.expand(ty);
        if self.around.len() > 20 {
            return Shape::Opaque;
        }
        if let Node::Constructor(id, _) = types.node(ty)
            && *id == types::INT
        {
            return if numbers {
                Shape::Number
            } else {
                Shape::Opaque
            };
        }
        let text = types.text(ty, &mut Letters::default());
        if let Some(parts) = parts(types, ty) {
            if self.around.contains(&text) {
                return Shape::Opaque;
            }
            self.around.push(text);
            let parts = parts.into_iter().map(|t| self.of(types, t, numbers));
            let shape = Shape::Tuple(parts.collect());
            self.around.pop();
            return shape;
        }
        let (constructors, constants) = constructors(types, ty);
        if constructors.is_empty() {
            return Shape::Opaque;
        }
        if let Some(known) = self.texts.iter().position(|t| *t == text) {
            return if self.around.contains(&text) {
                // A type inside another one that is inside it: its nodes are not counted.
                Shape::Opaque
            } else {
                Shape::Data(known)
            };
        }
        let place = self.data.len();
        self.texts.push(text.clone());
        self.data.push(Data {
            name: text.clone(),
            constructors: vec![],
            constants,
        });
        self.around.push(text.clone());
        let mut found = Vec::new();
        for (name, fields) in constructors {
            let fields = fields
                .into_iter()
                .map(|field| {
                    let own = types.text(field, &mut Letters::default()) == text;
                    (!own).then(|| self.of(types, field, false))
                })
                .collect();
            found.push(Constructor { name, fields });
        }
        self.around.pop();
        self.data[place].constructors = found;
        Shape::Data(place)
    }
}
