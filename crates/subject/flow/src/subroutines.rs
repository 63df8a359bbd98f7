//! Subroutines of old class files: which instructions each `ret` may lead to.
//!
//! A `jsr` pushes the address behind it and jumps to a subroutine, which stores the address in a local variable; a `ret` goes to
//! the address in one. Compilers made `finally` blocks so until class files had stack map frames (version 50). The addresses that a
//! variable may hold are followed through the method, and a `ret` leads behind every `jsr` whose address it may find there: what a
//! `ret` can do is in the graph, and maybe ways that are never taken, whose count is 0.
//!
//! Source: *The Java Virtual Machine Specification*, §3.13 and §4.10.2.5; §4.9.2 has it that what follows a `jsr` is returned to by one
//! instruction only, so that a subroutine has one `ret` and a count behind a `jsr` is the count of one edge. Limit: a subroutine has to begin by storing the address, or
//! dropping it; others are refused, as addresses are not followed through the operand stack.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_classfile::{Code, Instructions, Operand, opcode as op};

use crate::error::FlowError;

/// Most steps that the search may take; methods of compilers take a thousandth of it.
const MOST_STEPS: usize = 1 << 25;

/// For each reachable `ret`, the instructions it may lead to, ascending; all by index.
#[derive(Debug, Default)]
pub(crate) struct Subroutines(BTreeMap<usize, BTreeSet<usize>>);

/// Which subroutines' addresses may stand in which locals: local and the subroutine's first instruction, ascending.
type Addresses = Vec<(u16, usize)>;

impl Subroutines {
    /// Follows the addresses.
    ///
    /// # Errors
    /// If it cannot be told where a `ret` leads.
    pub(crate) fn of(instructions: &Instructions, code: &Code<'_>) -> Result<Self, FlowError> {
        let mut search = Search {
            instructions,
            code,
            before: vec![None; instructions.len()],
            work: Vec::new(),
            sites: BTreeMap::new(),
            rets: BTreeMap::new(),
            steps: 0,
        };
        search.arrive(0, &[]);
        while let Some(i) = search.work.pop() {
            search.visit(i)?;
            if search.steps > MOST_STEPS {
                let what = "return addresses are too many to be followed, as behind";
                return Err(refused(instructions[i].pc, what));
            }
        }
        search.ways()
    }

    /// Where the `ret` at an index may lead.
    pub(crate) fn ways(&self, ret: usize) -> impl Iterator<Item = usize> {
        self.0.get(&ret).into_iter().flatten().copied()
    }
}

fn refused(pc: u16, what: &'static str) -> FlowError {
    FlowError::Subroutine { pc, what }
}

struct Search<'a> {
    instructions: &'a Instructions,
    code: &'a Code<'a>,
    /// What is known before each instruction; none for those that were not reached.
    before: Vec<Option<Addresses>>,
    /// Instructions before which more is known than when they were visited.
    work: Vec<usize>,
    /// The instructions behind the calls of each subroutine.
    sites: BTreeMap<usize, BTreeSet<usize>>,
    /// Where each subroutine returns.
    rets: BTreeMap<usize, usize>,
    /// Addresses looked at so far.
    steps: usize,
}

impl Search<'_> {
    fn arrive(&mut self, at: usize, with: &[(u16, usize)]) {
        // What runs past the end is refused elsewhere.
        let Some(before) = self.before.get_mut(at) else {
            return;
        };
        let known = before.as_ref().map(Vec::len);
        let before = before.get_or_insert_default();
        self.steps += 1 + before.len() + with.len();
        before.extend_from_slice(with);
        before.sort_unstable();
        before.dedup();
        if known != Some(before.len()) {
            self.work.push(at);
        }
    }

    fn arrive_at(&mut self, pc: u32, with: &[(u16, usize)]) {
        if let Some(at) = self.instructions.index_of(pc) {
            self.arrive(at, with);
        }
    }

    fn visit(&mut self, i: usize) -> Result<(), FlowError> {
        let (instructions, code) = (self.instructions, self.code);
        let here = &instructions[i];
        let mut addresses = self.before[i].clone().unwrap_or_default();
        self.steps += code.exception_table.len();
        for entry in &code.exception_table {
            if (entry.start_pc..entry.end_pc).contains(&here.pc) {
                self.arrive_at(u32::from(entry.handler_pc), &addresses);
            }
        }
        match (here.opcode, &here.operand) {
            (op::RET, Operand::Local(local)) => return self.ret(i, *local, &addresses),
            (op::JSR | op::JSR_W, Operand::Branch(target)) => {
                return self.call(i, *target, &addresses);
            }
            _ => {}
        }
        if let Some((local, wide)) = here.stored_local() {
            let overwritten = local..=local.saturating_add(u16::from(wide));
            addresses.retain(|(local, _)| !overwritten.contains(local));
            if self.sites.contains_key(&i) {
                addresses.push((local, i));
            }
        }
        for target in here.targets() {
            self.arrive_at(target, &addresses);
        }
        if op::falls_through(here.opcode) {
            self.arrive(i + 1, &addresses);
        }
        Ok(())
    }

    fn call(&mut self, i: usize, target: u32, with: &[(u16, usize)]) -> Result<(), FlowError> {
        let instructions = self.instructions;
        let Some(subroutine) = instructions.index_of(target) else {
            return Ok(());
        };
        let first = &instructions[subroutine];
        if !matches!(
            first.opcode,
            op::POP | op::ASTORE | op::ASTORE_0..=op::ASTORE_3
        ) {
            let what = "the return address is not stored or dropped at once by the one at";
            return Err(refused(first.pc, what));
        }
        if self.sites.entry(subroutine).or_default().insert(i + 1) {
            // What was known of its first instruction, it stored without knowing an address.
            self.work.push(subroutine);
        }
        self.arrive(subroutine, with);
        match self.rets.get(&subroutine) {
            Some(&ret) => self.come_back(ret, i + 1),
            None => Ok(()),
        }
    }

    fn ret(&mut self, i: usize, local: u16, addresses: &[(u16, usize)]) -> Result<(), FlowError> {
        for &(_, subroutine) in addresses.iter().filter(|(l, _)| *l == local) {
            if *self.rets.entry(subroutine).or_insert(i) != i {
                let what = "several instructions return from the one at";
                return Err(refused(self.instructions[subroutine].pc, what));
            }
            for site in self.sites.get(&subroutine).cloned().unwrap_or_default() {
                self.come_back(i, site)?;
            }
        }
        Ok(())
    }

    /// Goes on behind a call. The address that led there is returned to once at most (JVMS §4.9.2).
    fn come_back(&mut self, ret: usize, site: usize) -> Result<(), FlowError> {
        let Some(before) = self.instructions.get(site - 1) else {
            return Ok(());
        };
        if site == self.instructions.len() {
            return Err(FlowError::FallsOff { pc: before.pc });
        }
        let mut addresses = self.before[ret].clone().unwrap_or_default();
        if let Operand::Local(local) = self.instructions[ret].operand {
            addresses.retain(|(l, _)| *l != local);
        }
        self.arrive(site, &addresses);
        Ok(())
    }

    /// Where each `ret` that was reached may lead.
    fn ways(self) -> Result<Subroutines, FlowError> {
        let mut ways: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (subroutine, &ret) in &self.rets {
            ways.entry(ret).or_default().extend(&self.sites[subroutine]);
        }
        for (i, before) in self.before.iter().enumerate() {
            let here = &self.instructions[i];
            if before.is_some() && here.opcode == op::RET && !ways.contains_key(&i) {
                return Err(refused(here.pc, "no address is known for the ret at"));
            }
        }
        Ok(Subroutines(ways))
    }
}
