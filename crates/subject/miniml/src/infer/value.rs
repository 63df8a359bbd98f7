//! The value restriction: which expressions do nothing when they are evaluated (Wright 1995), as OCaml sees them.

use super::{FieldInfo, Infer};
use crate::syntax::{Expr, ExprKind, Path};

impl Infer {
    /// Whether evaluating an expression cannot do anything: its type may be generalised in full.
    pub(super) fn is_value(&mut self, expression: &Expr) -> bool {
        match &expression.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::String(_)
            | ExprKind::Variable(_)
            | ExprKind::Fun(..)
            | ExprKind::Function(_) => true,
            ExprKind::Constructor(_, argument) | ExprKind::Tag(_, argument) => {
                argument.as_deref().is_none_or(|a| self.is_value(a))
            }
            ExprKind::List(parts) | ExprKind::Tuple(parts) => {
                parts.iter().all(|p| self.is_value(p))
            }
            ExprKind::Array(parts) => parts.is_empty(),
            ExprKind::Record(fields) => {
                !self.has_mutable(fields) && fields.iter().all(|(_, e)| self.is_value(e))
            }
            ExprKind::RecordWith(base, fields) => {
                !self.has_mutable(fields)
                    && self.is_value(base)
                    && fields.iter().all(|(_, e)| self.is_value(e))
            }
            ExprKind::Field(e, _)
            | ExprKind::Annotate(e, _)
            | ExprKind::Open(_, e)
            | ExprKind::Lazy(e)
            | ExprKind::LetException(_, e) => self.is_value(e),
            ExprKind::Let(d, body) => {
                d.bindings.iter().all(|b| self.is_value(&b.value)) && self.is_value(body)
            }
            ExprKind::If(_, a, b) => {
                self.is_value(a) && b.as_deref().is_none_or(|b| self.is_value(b))
            }
            ExprKind::Match(v, clauses) => {
                self.is_value(v)
                    && clauses
                        .iter()
                        .all(|c| c.guard.is_none() && self.is_value(&c.body))
            }
            ExprKind::Sequence(parts) => {
                let last = parts.last();
                last.is_none_or(|p| self.is_value(p))
            }
            _ => false,
        }
    }

    /// Whether a record with such a field changes.
    fn has_mutable(&mut self, fields: &[(Path, Expr)]) -> bool {
        let infos = fields.iter().filter_map(|(path, e)| {
            let found = self.lookup(path, e.span, "field", |s| s.fields.get(&path.name));
            found.ok()
        });
        let infos: Vec<FieldInfo> = infos.collect();
        infos.iter().any(|info| self.is_mutable(info))
    }
}
