//! Formulas from text: `k1*(a*log(a)) + k2`, `if(a > 200000, 3·a + 50, 1000)`.
//!
//! A Pratt parser (Pratt, Top down operator precedence, POPL 1973). From loose to tight: comparisons (which do not
//! chain), `+ -`, `* /`, unary minus, `^` (to the right). Every name becomes a feature; whoever knows the columns decides
//! which names are parameters.
//!
//! `a - b` becomes a + (-1)·b, `sqrt(x)` x^0.5, `cos(x)` sin(x + π/2), `log2(x)` log(x)/log(2). What is written in one
//! sum or product stays one sum or product; parentheses keep theirs, so that the order of rounding is the one written.
//!
//! Limits: trees of at most [`MAX_DEPTH`] levels, which `MODEL.json` can hold.

use std::f64::consts::{FRAC_PI_2, LN_2, LN_10};

use crate::lexer::{Token, tokens};
use crate::text::FUNCTIONS;
use crate::{Comparison, Formula, Problem, SyntaxError};

/// Levels of a formula that is read from text.
pub const MAX_DEPTH: usize = 60;

impl Formula {
    /// Reads a formula.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut parser = Parser {
            text,
            tokens: tokens(text)?,
            next: 0,
            nesting: 0,
        };
        let node = parser.expression(0)?;
        match parser.peek() {
            Token::End => Ok(node.formula),
            _ => Err(parser.expected("an operator or the end")),
        }
    }
}

impl std::str::FromStr for Formula {
    type Err = SyntaxError;
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Self::parse(text)
    }
}

/// How tightly operators bind.
const COMPARED: u8 = 1;
const SUMMED: u8 = 3;
const MULTIPLIED: u8 = 5;
const RAISED: u8 = 9;

/// What an unparenthesised list may still be extended by.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    No,
    Sum,
    Product,
    Comparison,
}

struct Node {
    formula: Formula,
    depth: usize,
    open: Open,
}

impl Node {
    fn closed(formula: Formula, depth: usize) -> Self {
        Self {
            formula,
            depth,
            open: Open::No,
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, usize)>,
    next: usize,
    nesting: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        if token != Token::End {
            self.next += 1;
        }
        token
    }

    fn error(&self, token: usize, problem: Problem) -> SyntaxError {
        SyntaxError::new(self.text, self.tokens[token].1, problem)
    }

    fn expected(&self, expected: &'static str) -> SyntaxError {
        let found = self.peek().describe();
        self.error(self.next, Problem::Expected { expected, found })
    }

    fn take(&mut self, sign: &'static str, expected: &'static str) -> Result<(), SyntaxError> {
        if *self.peek() == Token::Sign(sign) {
            self.next += 1;
            Ok(())
        } else {
            Err(self.expected(expected))
        }
    }

    /// An expression whose operators bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<Node, SyntaxError> {
        self.nesting += 1;
        if self.nesting > 2 * MAX_DEPTH {
            return Err(self.error(self.next, Problem::Depth));
        }
        let mut left = self.operand(least)?;
        while let Token::Sign(sign) = *self.peek() {
            let (binding, right) = match sign {
                "<" | "<=" | ">" | ">=" | "==" | "!=" => (COMPARED, COMPARED + 1),
                "+" | "-" => (SUMMED, SUMMED + 1),
                "*" | "/" => (MULTIPLIED, MULTIPLIED + 1),
                "^" => (RAISED, RAISED),
                _ => break,
            };
            if binding < least {
                break;
            }
            let operator = self.next;
            if binding == COMPARED && left.open == Open::Comparison {
                return Err(self.error(operator, Problem::Chained));
            }
            self.next += 1;
            let operand = self.expression(right)?;
            left = combine(left, sign, operand);
            if left.depth > MAX_DEPTH {
                return Err(self.error(operator, Problem::Depth));
            }
        }
        self.nesting -= 1;
        Ok(left)
    }

    fn operand(&mut self, least: u8) -> Result<Node, SyntaxError> {
        let start = self.next;
        let node = match self.peek() {
            Token::Number(value) => Node::closed(Formula::Constant(*value), 1),
            Token::Quoted(name) => Node::closed(Formula::Feature(name.clone()), 1),
            Token::Name(name) => {
                let name = name.clone();
                self.next += 1;
                if *self.peek() == Token::Sign("(") {
                    return self.call(start, &name);
                }
                return Ok(Node::closed(Formula::Feature(name), 1));
            }
            Token::Sign("(") => {
                self.next += 1;
                let inner = self.expression(0)?;
                self.take(")", "`)` or an operator")?;
                return Ok(Node::closed(inner.formula, inner.depth));
            }
            Token::Sign(sign @ ("-" | "+")) => {
                let minus = *sign == "-";
                self.next += 1;
                let inner = self.expression(least.max(MULTIPLIED))?;
                let node = if minus { negated(inner) } else { inner };
                if node.depth > MAX_DEPTH {
                    return Err(self.error(start, Problem::Depth));
                }
                return Ok(Node::closed(node.formula, node.depth));
            }
            _ => return Err(self.expected("a number, a name or `(`")),
        };
        self.advance();
        Ok(node)
    }

    fn call(&mut self, name_at: usize, name: &str) -> Result<Node, SyntaxError> {
        if !FUNCTIONS.contains(&name) {
            return Err(self.error(name_at, Problem::Function(name.to_owned())));
        }
        self.take("(", "`(`")?;
        let mut arguments = Vec::new();
        let mut depth = 0;
        while *self.peek() != Token::Sign(")") {
            let argument = self.expression(0)?;
            depth = depth.max(argument.depth);
            arguments.push(argument.formula);
            if *self.peek() != Token::Sign(",") {
                break;
            }
            self.next += 1;
        }
        self.take(")", "`,`, `)` or an operator")?;
        let found = arguments.len();
        let depth = depth
            + match name {
                "min" | "max" => found.saturating_sub(1),
                "log2" | "log10" | "cos" => 2,
                _ => 1,
            };
        match apply(name, arguments) {
            Ok(_) if depth > MAX_DEPTH => Err(self.error(name_at, Problem::Depth)),
            Ok(formula) => Ok(Node::closed(formula, depth)),
            Err(expected) => {
                let function = name.to_owned();
                let problem = Problem::Arguments {
                    function,
                    expected,
                    found,
                };
                Err(self.error(name_at, problem))
            }
        }
    }
}

/// The function of its arguments, or how many it takes.
fn apply(name: &str, arguments: Vec<Formula>) -> Result<Formula, &'static str> {
    if name == "min" || name == "max" {
        let join = |a, b| match name {
            "min" => Formula::Min(Box::new(a), Box::new(b)),
            _ => Formula::Max(Box::new(a), Box::new(b)),
        };
        let many = arguments.len() > 1;
        let joined = arguments.into_iter().reduce(join).filter(|_| many);
        return joined.ok_or("two or more arguments");
    }
    if name == "if" {
        let [condition, then, otherwise] =
            <[Formula; 3]>::try_from(arguments).map_err(|_| "three arguments")?;
        return Ok(Formula::If {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
        });
    }
    if name == "pow" {
        let [base, exponent] = <[Formula; 2]>::try_from(arguments).map_err(|_| "two arguments")?;
        return Ok(Formula::Power(Box::new(base), Box::new(exponent)));
    }
    let [x] = <[Formula; 1]>::try_from(arguments).map_err(|_| "one argument")?;
    let logarithm = |x, base| {
        Formula::Quotient(
            Box::new(Formula::Log(Box::new(x))),
            Box::new(Formula::Constant(base)),
        )
    };
    Ok(match name {
        "log2" => logarithm(x, LN_2),
        "log10" => logarithm(x, LN_10),
        "exp" => Formula::Exp(Box::new(x)),
        "sqrt" => Formula::Power(Box::new(x), Box::new(Formula::Constant(0.5))),
        "sin" => Formula::Sin(Box::new(x)),
        "cos" => Formula::Sin(Box::new(Formula::Sum(vec![
            x,
            Formula::Constant(FRAC_PI_2),
        ]))),
        "arctan" => Formula::Arctan(Box::new(x)),
        _ => Formula::Log(Box::new(x)),
    })
}

fn combine(left: Node, sign: &str, right: Node) -> Node {
    let right = if sign == "-" { negated(right) } else { right };
    let depth = 1 + left.depth.max(right.depth);
    let list = match sign {
        "+" | "-" => Open::Sum,
        "*" => Open::Product,
        _ => Open::No,
    };
    if list != Open::No {
        return match (left.formula, list == left.open) {
            (Formula::Sum(mut parts) | Formula::Product(mut parts), true) => {
                parts.push(right.formula);
                listed(parts, list, left.depth.max(right.depth + 1))
            }
            (first, _) => listed(vec![first, right.formula], list, depth),
        };
    }
    let (a, b) = (Box::new(left.formula), Box::new(right.formula));
    let how = match sign {
        "/" => return Node::closed(Formula::Quotient(a, b), depth),
        "^" => return Node::closed(Formula::Power(a, b), depth),
        "<" => Comparison::Less,
        "<=" => Comparison::LessOrEqual,
        ">" => Comparison::Greater,
        ">=" => Comparison::GreaterOrEqual,
        "==" => Comparison::Equal,
        _ => Comparison::NotEqual,
    };
    Node {
        formula: Formula::Compare(how, a, b),
        depth,
        open: Open::Comparison,
    }
}

fn listed(parts: Vec<Formula>, open: Open, depth: usize) -> Node {
    let formula = if open == Open::Sum {
        Formula::Sum(parts)
    } else {
        Formula::Product(parts)
    };
    Node {
        formula,
        depth,
        open,
    }
}

/// Its negative: of a number or a product without parentheses the sign of the first number, else a product with -1.
fn negated(node: Node) -> Node {
    match (node.formula, node.open) {
        (Formula::Constant(c), _) => Node::closed(Formula::Constant(-c), node.depth),
        (Formula::Product(mut factors), Open::Product) => {
            match factors.first_mut() {
                Some(Formula::Constant(c)) => *c = -*c,
                _ => factors.insert(0, Formula::Constant(-1.0)),
            }
            Node::closed(Formula::Product(factors), node.depth)
        }
        (other, _) => {
            let factors = vec![Formula::Constant(-1.0), other];
            Node::closed(Formula::Product(factors), node.depth + 1)
        }
    }
}
