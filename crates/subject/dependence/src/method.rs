//! The dependences of one method, and what is closed under them.
//!
//! Start here for a set of instructions that must stay together: [`MethodDependence::of`], then [`MethodDependence::closure`].

use pricetag_classfile::class::ACC_STATIC;
use pricetag_classfile::{ClassFile, Code, ConstantPool, Instruction, Member, descriptor, opcode};
use pricetag_flow::{Cfg, FlowError};
use pricetag_probe_plan::BlockId;

use crate::control::ControlDependences;
use crate::throwing::{Exceptions, may_throw};
use crate::values::{Value, ValueId, Values};

/// A method's program dependence graph. Instructions are indices into [`Cfg::instructions`].
#[derive(Clone, Debug)]
pub struct MethodDependence {
    cfg: Cfg,
    values: Values,
    control: ControlDependences,
}

/// Instructions that are closed under the local dependences of their method, and what they need from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Closure {
    /// Indices of the instructions, ascending.
    pub instructions: Vec<usize>,
    /// Slots of the parameters whose values they take, ascending; `this` is in slot 0.
    pub parameters: Vec<u16>,
}

impl MethodDependence {
    /// Analyses a method of a class; none if it has no code.
    ///
    /// # Errors
    /// If the code cannot be decoded or the verifier would refuse it.
    pub fn of(
        class: &ClassFile<'_>,
        method: &Member<'_>,
        exceptions: Exceptions,
    ) -> Result<Option<Self>, FlowError> {
        let constants = class.constants();
        let Some(attribute) = method.attributes.find(constants, "Code") else {
            return Ok(None);
        };
        let code = Code::parse(&attribute, constants)?;
        let bad = FlowError::Stack { pc: 0 };
        let (slots, _) =
            descriptor::slots_of_call(constants.utf8_bytes(method.descriptor_index)?).ok_or(bad)?;
        let receiver = u32::from(method.access & ACC_STATIC == 0);
        let leaves =
            |_: usize, here: &Instruction| exceptions == Exceptions::All && may_throw(here.opcode);
        Self::of_code(&code, constants, (slots + receiver) as u16, &leaves).map(Some)
    }

    /// Analyses code. `parameters` are the slots of receiver and arguments; `leaves` says which instructions may leave the method by an
    /// exception, besides `athrow`.
    ///
    /// # Errors
    /// As [`MethodDependence::of`].
    pub fn of_code(
        code: &Code<'_>,
        constants: &ConstantPool<'_>,
        parameters: u16,
        leaves: &dyn Fn(usize, &Instruction) -> bool,
    ) -> Result<Self, FlowError> {
        let cfg = Cfg::of(code)?;
        let values = Values::of(&cfg, code, constants, parameters)?;
        let control = ControlDependences::of(&cfg, code, leaves);
        Ok(Self {
            cfg,
            values,
            control,
        })
    }

    /// Its control flow.
    pub fn cfg(&self) -> &Cfg {
        &self.cfg
    }

    /// Where its operands come from.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Instructions that decide whether an instruction runs, ascending.
    pub fn control(&self, instruction: usize) -> &[u32] {
        self.control.on(instruction)
    }

    /// Instructions that decide how often a block runs: what its count depends on.
    pub fn decide(&self, block: BlockId) -> &[u32] {
        self.control(self.cfg.blocks[block.0 as usize].instructions.start)
    }

    /// The instructions that made a value, seen through φs and copies (`dup` and its kin are among them), and parameters.
    pub fn origins(&self, value: ValueId) -> Closure {
        let mut closing = Closing::new(self);
        closing.value(value);
        closing.values_alone();
        closing.finish()
    }

    /// The smallest set that holds `seeds` and with each instruction all that made its operands and all that decides whether it runs. Calls
    /// are single instructions; the heap is not looked at.
    pub fn closure(&self, seeds: impl IntoIterator<Item = usize>) -> Closure {
        let mut closing = Closing::new(self);
        for seed in seeds {
            closing.instruction(seed);
        }
        closing.run();
        closing.finish()
    }

    /// The instructions at offsets of the bytecode that some instruction starts at.
    pub fn at(&self, pc: u16) -> Option<usize> {
        self.cfg.instructions.index_of(u32::from(pc))
    }

    /// Whether an instruction can be reached from the method's entry.
    pub fn is_reachable(&self, instruction: usize) -> bool {
        let blocks = &self.cfg.blocks;
        let block = blocks.partition_point(|b| b.instructions.end <= instruction);
        blocks
            .get(block)
            .is_some_and(|b| b.instructions.contains(&instruction))
    }

    /// Mnemonic of an instruction, for people.
    pub fn mnemonic(&self, instruction: usize) -> &'static str {
        opcode::mnemonic(self.cfg.instructions[instruction].opcode)
    }
}

/// Work on a closure.
struct Closing<'a> {
    of: &'a MethodDependence,
    instructions: Vec<bool>,
    values: Vec<bool>,
    parameters: Vec<u16>,
    pending: Vec<usize>,
    pending_values: Vec<ValueId>,
}

impl<'a> Closing<'a> {
    fn new(of: &'a MethodDependence) -> Self {
        Self {
            of,
            instructions: vec![false; of.cfg.instructions.len()],
            values: vec![false; of.values.all().len()],
            parameters: Vec::new(),
            pending: Vec::new(),
            pending_values: Vec::new(),
        }
    }

    fn instruction(&mut self, i: usize) {
        if !std::mem::replace(&mut self.instructions[i], true) {
            self.pending.push(i);
        }
    }

    fn value(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.values[value.0 as usize], true) {
            self.pending_values.push(value);
        }
    }

    /// Follows values to the instructions that made them, and no further.
    fn values_alone(&mut self) {
        while let Some(value) = self.pending_values.pop() {
            match self.of.values.value(value) {
                Value::Unset => {}
                Value::Parameter(slot) => self.parameters.push(*slot),
                Value::Result(i) => self.instruction(*i),
                Value::Copy { by, of } => {
                    self.instruction(*by);
                    self.value(*of);
                }
                Value::Phi(operands) => {
                    for &operand in operands {
                        self.value(operand);
                    }
                }
                Value::Caught { thrown_by, .. } => {
                    for &i in thrown_by {
                        self.instruction(i);
                    }
                }
            }
        }
    }

    fn run(&mut self) {
        loop {
            self.values_alone();
            let Some(i) = self.pending.pop() else {
                return;
            };
            for &operand in self.of.values.operands(i) {
                self.value(operand);
            }
            for &branch in self.of.control(i) {
                self.instruction(branch as usize);
            }
        }
    }

    fn finish(mut self) -> Closure {
        self.parameters.sort_unstable();
        let chosen = self
            .instructions
            .iter()
            .enumerate()
            .filter(|(_, kept)| **kept);
        Closure {
            instructions: chosen.map(|(i, _)| i).collect(),
            parameters: self.parameters,
        }
    }
}
