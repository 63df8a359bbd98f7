//! Structured constants: what is built of literals alone is static data in native code.

use super::Compiler;
use crate::code::Constant;
use crate::core::Expr;

impl Compiler<'_> {
    /// The constant an expression is, in extended mode; exceptions without arguments are static in both.
    pub(super) fn structured_constant(&self, e: &Expr) -> Option<Constant> {
        match e {
            Expr::Exception(id, arguments) if arguments.is_empty() => {
                Some(Constant::Block(0, vec![Constant::Int(i64::from(*id))]))
            }
            Expr::Tuple(_) | Expr::Cons(..) | Expr::Construct { .. } | Expr::List(_)
                if self.is_native() =>
            {
                literal(e)
            }
            _ => None,
        }
    }
}

fn literal(e: &Expr) -> Option<Constant> {
    let all = |parts: &[Expr]| parts.iter().map(literal).collect::<Option<Vec<_>>>();
    Some(match e {
        Expr::Int(n) => Constant::Int(*n),
        Expr::Float(x) => Constant::Float(x.to_bits()),
        Expr::String(s) => Constant::String(s.clone()),
        Expr::Tuple(parts) => Constant::Block(0, all(parts)?),
        Expr::Cons(head, tail) => {
            let (head, tail) = (literal(head)?, literal(tail)?);
            Constant::Block(0, vec![head, tail])
        }
        Expr::Construct { tag, arguments } => Constant::Block(*tag, all(arguments)?),
        Expr::List(parts) => Constant::List(all(parts)?),
        _ => return None,
    })
}
