//! A plan as text: one line per thing, nothing left out, stable across runs and platforms.

use std::fmt::{Display, Formatter, Result};

use pricetag_classfile::opcode;

use crate::plan::{
    BlockPlan, ClassPlan, CounterIndex, EdgeKind, EdgePlan, MethodOutcome, MethodPlan, Node,
};

impl Display for CounterIndex {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "#{}", self.0)
    }
}

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Entry => f.write_str("entry"),
            Self::Block(b) => write!(f, "b{}", b.0),
            Self::Exit => f.write_str("exit"),
        }
    }
}

impl Display for EdgeKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Entry => f.write_str("entry"),
            Self::FallThrough => f.write_str("fall-through"),
            Self::NotTaken => f.write_str("not-taken"),
            Self::Taken => f.write_str("taken"),
            Self::Jump => f.write_str("jump"),
            Self::Case(n) => write!(f, "case-{n}"),
            Self::Default => f.write_str("default"),
            Self::Return => f.write_str("return"),
            Self::Continue => f.write_str("continue"),
            Self::Ret => f.write_str("ret"),
        }
    }
}

impl Display for EdgePlan {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{} -> {} {}", self.from, self.to, self.kind)?;
        self.counter.map_or(Ok(()), |c| write!(f, " {c}"))
    }
}

impl Display for BlockPlan {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(
            f,
            "[{}, {}) depth {}",
            self.start.0, self.end, self.loop_depth
        )?;
        if let Some((first, last)) = self.line_span() {
            write!(f, " lines {first}-{last}")?;
        }
        f.write_str(":")?;
        for instruction in &self.instructions {
            write!(f, " {}", opcode::mnemonic(instruction.opcode))?;
        }
        Ok(())
    }
}

impl Display for MethodPlan {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "method {}{}", self.name, self.descriptor)?;
        match &self.outcome {
            MethodOutcome::NoCode => return writeln!(f, ": no code"),
            MethodOutcome::Left(reason) => {
                return writeln!(f, ": {} bytes, left: {reason}", self.code_bytes);
            }
            MethodOutcome::Counted => writeln!(f, ": {} bytes", self.code_bytes)?,
        }
        for range in self.uninitialised.ranges() {
            let (start, end) = (range.start.0, range.end);
            writeln!(f, "  this not initialised from {start} to {end}")?;
        }
        if let Some(listed) = &self.listed_blocks {
            let numbers: Vec<String> = listed.iter().map(|b| format!("b{}", b.0)).collect();
            writeln!(f, "  only {}", numbers.join(" "))?;
        }
        for (i, block) in self.blocks.iter().enumerate() {
            writeln!(f, "  b{i} {block}")?;
            for call in &block.calls {
                let mnemonic = opcode::mnemonic(call.opcode);
                writeln!(
                    f,
                    "    call {} {mnemonic} {}.{}{}",
                    call.pc.0, call.owner, call.name, call.descriptor
                )?;
            }
        }
        for (i, edge) in self.edges.iter().enumerate() {
            writeln!(f, "  e{i} {edge}")?;
        }
        for point in &self.throw_points {
            writeln!(
                f,
                "  throw {} in b{} {}",
                point.pc.0, point.block.0, point.counter
            )?;
        }
        for handler in &self.handlers {
            let catches = if handler.catches.is_empty() {
                "any".into()
            } else {
                handler.catches.join(" ")
            };
            writeln!(
                f,
                "  handler b{} {} {catches}",
                handler.block.0, handler.counter
            )?;
        }
        for (i, l) in self.loops.iter().enumerate() {
            write!(f, "  loop {i} header b{} depth {}", l.header.0, l.depth)?;
            l.parent.map_or(Ok(()), |p| write!(f, " in {p}"))?;
            for (name, edges) in [("back", &l.back_edges), ("entry", &l.entry_edges)] {
                write!(f, " {name}")?;
                edges.iter().try_for_each(|e| write!(f, " e{}", e.0))?;
            }
            f.write_str(if l.reducible { "" } else { " irreducible" })?;
            let removed = self.is_removed(Some(i as u32));
            writeln!(f, "{}", if removed { " removed" } else { "" })?;
        }
        for c in &self.comparisons {
            let (pc, block, value) = (c.pc.0, c.block.0, c.literal.value());
            write!(f, "  compares {pc} in b{block} with {value}")?;
            c.line.map_or(Ok(()), |line| write!(f, " line {line}"))?;
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Display for ClassPlan {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "class {}", self.name)?;
        if let Some(parent) = &self.super_name {
            write!(f, " extends {parent}")?;
        }
        if !self.interfaces.is_empty() {
            write!(f, " implements {}", self.interfaces.join(" "))?;
        }
        if let Some(file) = &self.source_file {
            write!(f, " from {file}")?;
        }
        writeln!(
            f,
            ": version {}, {} bytes, {} counters",
            self.major, self.bytes, self.counters
        )?;
        self.methods.iter().try_for_each(|m| m.fmt(f))
    }
}
