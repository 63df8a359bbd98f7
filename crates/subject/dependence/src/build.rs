//! Builds the system dependence graph, method by method.

use std::collections::BTreeMap;

use pricetag_classfile::class::ACC_STATIC;
use pricetag_classfile::opcode as op;
use pricetag_classfile::{ClassFile, Instruction, MemberRef, Operand, descriptor};
use pricetag_flow::FlowError;

use crate::calls::{Call, CallGraph, LambdaId, Reached, parameter_slots};
use crate::method::MethodDependence;
use crate::models::{ALL, Model};
use crate::program::{MethodId, Program};
use crate::system::{Caller, Kind, Layout, Location, Site, System, Vertex};
use crate::throwing::{Exceptions, catchers, may_throw};
use crate::values::{Value, ValueId};

/// Marks a location's vertex until all methods have theirs.
const LATER: u32 = 1 << 31;
/// Kinds of arrays.
const KINDS: [char; 8] = ['B', 'C', 'S', 'I', 'J', 'F', 'D', 'L'];

/// Builds the graph of the reached methods; what cannot be analysed is told in `notes`.
pub fn build(
    program: &Program<'_>,
    graph: &CallGraph,
    exceptions: Exceptions,
    notes: &mut Vec<String>,
) -> System {
    let mut builder = Builder {
        program,
        graph,
        exceptions,
        layouts: vec![None; graph.reached.len()],
        callers: vec![Vec::new(); graph.reached.len()],
        locations: BTreeMap::new(),
        next: 0,
        edges: Vec::new(),
        called: Vec::new(),
    };
    for (index, reached) in graph.reached.iter().enumerate() {
        let method = MethodId(index as u32);
        if let Some(reached) = reached
            && let Err(e) = builder.method(method, reached)
        {
            notes.push(format!("{} is left out: {e}", program.shown(method)));
        }
    }
    builder.finish()
}

struct Builder<'p, 'a> {
    program: &'p Program<'a>,
    graph: &'p CallGraph,
    exceptions: Exceptions,
    layouts: Vec<Option<Layout>>,
    callers: Vec<Vec<Caller>>,
    locations: BTreeMap<Location, u32>,
    next: Vertex,
    edges: Vec<(Vertex, Vertex, Kind)>,
    /// Calls, to be connected when all methods have their vertices.
    called: Vec<(MethodId, Caller)>,
}

/// One method while its edges are made.
struct Work<'m> {
    file: &'m ClassFile<'m>,
    found: MethodDependence,
    layout: Layout,
    /// By slot, the parameter that starts there.
    of_slot: Vec<u32>,
}

impl Work<'_> {
    fn value(&self, value: ValueId) -> Option<Vertex> {
        let instructions = self.layout.instructions;
        Some(match self.found.values().value(value) {
            Value::Unset => return None,
            Value::Parameter(slot) => self.layout.parameter(self.of_slot[usize::from(*slot)]),
            Value::Result(i) => match self.layout.site(*i as u32) {
                Some(site) => site.outcome(),
                None => self.layout.instruction(*i as u32),
            },
            _ => self.layout.instruction(instructions) + value.0 - 1 - instructions,
        })
    }
}

impl Builder<'_, '_> {
    fn location(&mut self, location: Location) -> Vertex {
        let next = self.locations.len() as u32;
        LATER | *self.locations.entry(location).or_insert(next)
    }

    fn edge(&mut self, from: Vertex, to: Vertex, kind: Kind) {
        self.edges.push((from, to, kind));
    }

    fn method(&mut self, method: MethodId, reached: &Reached) -> Result<(), FlowError> {
        let (file, member) = self.program.member(method);
        let constants = file.constants();
        let Some(code) = member.code(constants)? else {
            return Ok(());
        };
        let slots = parameter_slots(self.program, method);
        let mut of_slot = Vec::new();
        for (parameter, &width) in slots.iter().enumerate() {
            of_slot.extend((0..width).map(|_| parameter as u32));
        }
        let (graph, all) = (self.graph, self.exceptions == Exceptions::All);
        let leaves = |i: usize, here: &Instruction| {
            (all && may_throw(here.opcode)) || graph.raises(method, i)
        };
        let found = MethodDependence::of_code(&code, constants, of_slot.len() as u16, &leaves)?;
        let instructions = found.cfg().instructions.len() as u32;
        let extra = found.values().all().len() as u32 - 1 - instructions;
        let mut layout = Layout {
            base: self.next,
            parameters: slots.len() as u32,
            instructions,
            ..Layout::default()
        };
        let mut next = layout.instruction(instructions) + extra;
        for call in &reached.calls {
            let arguments = call.slots.len() as u32;
            layout
                .sites
                .push((call.instruction as u32, next, arguments));
            next += arguments + 2;
        }
        layout.end = next;
        self.next = next;
        let work = Work {
            file,
            found,
            layout,
            of_slot,
        };
        let blocks = work.found.cfg().blocks.clone();
        for i in blocks.iter().flat_map(|b| b.instructions.clone()) {
            let out = work.found.cfg().instructions[i].opcode == op::ATHROW
                || leaves(i, &work.found.cfg().instructions[i]);
            if out && !catchers(&code, &work.found.cfg().instructions[i]).all {
                let (thrown, by) = (work.layout.thrown(), work.layout.decides(i as u32));
                self.edge(thrown, by, Kind::Local);
            }
            self.instruction(&work, i)?;
        }
        self.values(&work);
        for call in &reached.calls {
            if work.found.is_reachable(call.instruction) {
                self.call(&work, call);
            }
        }
        self.layouts[method.0 as usize] = Some(work.layout);
        Ok(())
    }

    fn instruction(&mut self, work: &Work<'_>, i: usize) -> Result<(), FlowError> {
        let here = &work.found.cfg().instructions[i];
        let vertex = work.layout.instruction(i as u32);
        self.edge(vertex, work.layout.entry(), Kind::Local);
        for &branch in work.found.control(i) {
            self.edge(vertex, work.layout.decides(branch), Kind::Local);
        }
        if op::is_return(here.opcode) && here.opcode != op::RETURN {
            self.edge(work.layout.returned(), vertex, Kind::Local);
        }
        if work.layout.site(i as u32).is_some() {
            return Ok(());
        }
        for &operand in work.found.values().operands(i) {
            if let Some(value) = work.value(operand) {
                self.edge(vertex, value, Kind::Local);
            }
        }
        let constants = work.file.constants();
        match (here.opcode, &here.operand) {
            (op::GETSTATIC | op::GETFIELD, Operand::Constant(index)) => {
                let location = self.field(&constants.member_ref(*index)?);
                self.edge(vertex, location, Kind::Heap);
            }
            (op::PUTSTATIC | op::PUTFIELD, Operand::Constant(index)) => {
                let location = self.field(&constants.member_ref(*index)?);
                self.edge(location, vertex, Kind::Heap);
            }
            (op::IALOAD..=op::SALOAD, _) => {
                let location = self.location(Location::Elements(element(here.opcode - op::IALOAD)));
                self.edge(vertex, location, Kind::Heap);
            }
            (op::IASTORE..=op::SASTORE, _) => {
                let location =
                    self.location(Location::Elements(element(here.opcode - op::IASTORE)));
                self.edge(location, vertex, Kind::Heap);
            }
            _ => {}
        }
        Ok(())
    }

    fn field(&mut self, field: &MemberRef) -> Vertex {
        let owner = self.program.named(&field.owner);
        let declares = owner.and_then(|o| self.program.declares(o, &field.name, &field.descriptor));
        let class = match declares {
            Some(class) => self.program.class(class).name.clone(),
            None => field.owner.clone(),
        };
        self.location(Location::Field(
            class,
            field.name.clone(),
            field.descriptor.clone(),
        ))
    }

    fn values(&mut self, work: &Work<'_>) {
        for (id, value) in work.found.values().all().iter().enumerate() {
            let Some(vertex) = work.value(ValueId(id as u32)) else {
                continue;
            };
            match value {
                Value::Copy { by, of } => {
                    self.edge(vertex, work.layout.instruction(*by as u32), Kind::Local);
                    if let Some(of) = work.value(*of) {
                        self.edge(vertex, of, Kind::Local);
                    }
                }
                Value::Phi(operands) => {
                    for operand in operands.iter().filter_map(|&o| work.value(o)) {
                        self.edge(vertex, operand, Kind::Local);
                    }
                }
                Value::Caught { thrown_by, .. } => {
                    for &by in thrown_by {
                        self.edge(vertex, work.layout.decides(by as u32), Kind::Local);
                    }
                }
                Value::Unset | Value::Parameter(_) | Value::Result(_) => {}
            }
        }
    }

    fn call(&mut self, work: &Work<'_>, call: &Call) {
        let Some(site) = work.layout.site(call.instruction as u32) else {
            return;
        };
        let operands = work.found.values().operands(call.instruction);
        let mut slot = 0;
        for (argument, &width) in call.slots.iter().enumerate() {
            let vertex = site.argument(argument as u32);
            self.edge(vertex, site.call, Kind::Local);
            let value = operands.get(slot).and_then(|&v| work.value(v));
            slot += usize::from(width);
            if let Some(value) = value {
                self.edge(vertex, value, Kind::Local);
                if argument == 0 && call.dispatches {
                    self.edge(site.call, value, Kind::Local);
                }
            }
        }
        self.edge(site.outcome(), site.call, Kind::Local);
        self.edge(site.thrown(), site.call, Kind::Local);
        for (method, through) in self.graph.methods_of(&call.target) {
            self.called.push((method, Caller { site, through }));
            if self.graph.reached[method.0 as usize].is_none() {
                // A native method of the program.
                self.unknown(work, site);
            }
        }
        if call.makes.is_some() {
            self.hand_over(site, None);
        }
        if let Some(outside) = call.target.outside {
            let (member, model) = &self.graph.outside[outside];
            self.outside(work, site, member, model);
        }
        for lambda in call
            .target
            .key
            .iter()
            .flat_map(|k| &self.graph.keys[k.0 as usize].lambdas)
        {
            if let Some(outside) = self.graph.lambdas[lambda.0 as usize].target.outside {
                let (member, model) = &self.graph.outside[outside];
                self.outside(work, site, member, model);
            }
        }
    }

    /// The outcome follows from the arguments, and from what is at another place.
    fn hand_over(&mut self, site: Site, from: Option<Vertex>) {
        for argument in 0..site.arguments {
            self.edge(site.outcome(), site.argument(argument), Kind::Local);
            self.edge(site.thrown(), site.argument(argument), Kind::Local);
        }
        if let Some(from) = from {
            self.edge(site.outcome(), from, Kind::Heap);
            self.edge(site.thrown(), from, Kind::Heap);
        }
    }

    fn unknown(&mut self, work: &Work<'_>, site: Site) {
        let groups = self
            .graph
            .outside
            .iter()
            .flat_map(|(_, m)| m.reads.iter().chain(&m.writes));
        let groups: std::collections::BTreeSet<String> = groups.cloned().collect();
        let model = Model {
            reads: groups.clone(),
            writes: groups,
            arrays: true,
            calls: [ALL.to_owned()].into(),
            unknown: true,
        };
        let member = MemberRef {
            owner: String::new(),
            name: String::new(),
            descriptor: "(Ljava/lang/Object;)V".to_owned(),
        };
        self.outside(work, site, &member, &model);
    }

    fn outside(&mut self, work: &Work<'_>, site: Site, member: &MemberRef, model: &Model) {
        self.hand_over(site, None);
        for group in &model.reads {
            let group = self.location(Location::Group(group.clone()));
            self.hand_over(site, Some(group));
        }
        for group in &model.writes {
            let group = self.location(Location::Group(group.clone()));
            self.edge(group, site.outcome(), Kind::Heap);
        }
        for kind in arrays(&member.descriptor, model.arrays) {
            let elements = self.location(Location::Elements(kind));
            self.hand_over(site, Some(elements));
            if model.arrays {
                self.edge(elements, site.outcome(), Kind::Heap);
            }
        }
        for name in &model.calls {
            let calls = self.location(Location::Calls(name.clone()));
            self.edge(calls, site.outcome(), Kind::Heap);
            let returns = self.location(Location::Returns(name.clone()));
            self.hand_over(site, Some(returns));
        }
        if member.owner == "java/lang/runtime/ObjectMethods" {
            let constants = work.file.constants();
            for field in work
                .file
                .fields()
                .iter()
                .filter(|f| f.access & ACC_STATIC == 0)
            {
                let (name, kind) = (field.name(constants), field.descriptor(constants));
                let field = self.location(Location::Field(work.file.name(), name, kind));
                self.hand_over(site, Some(field));
            }
        }
    }

    /// Connects calls with what they call.
    fn finish(mut self) -> System {
        for (method, caller) in std::mem::take(&mut self.called) {
            let Some(layout) = self.layouts[method.0 as usize].clone() else {
                continue;
            };
            let site = caller.site;
            self.edge(site.outcome(), layout.returned(), Kind::Down);
            self.edge(site.thrown(), layout.thrown(), Kind::Down);
            self.edge(layout.entry(), site.call, Kind::Up);
            for parameter in 0..layout.parameters {
                if let Some(argument) = System::argument(self.graph, caller, parameter) {
                    self.edge(layout.parameter(parameter), argument, Kind::Up);
                }
            }
            if let Some(lambda) = caller.through {
                self.captured(lambda, &layout);
            }
            self.callers[method.0 as usize].push(caller);
        }
        let graph = self.graph;
        for (name, methods) in &graph.callbacks {
            for method in methods {
                self.call_back(name, *method, None);
            }
        }
        for (name, lambdas) in &graph.lambda_callbacks {
            for &lambda in lambdas {
                for (method, _) in graph.methods_of(&graph.lambdas[lambda.0 as usize].target) {
                    self.call_back(name, method, Some(lambda));
                }
            }
        }
        let vertices = self.next + self.locations.len() as u32;
        let place = |v: Vertex| {
            if v & LATER == 0 {
                v
            } else {
                self.next + (v & !LATER)
            }
        };
        let edges = self
            .edges
            .iter()
            .map(|&(from, to, kind)| (place(from), place(to), kind));
        let edges = edges.collect();
        let locations = self
            .locations
            .into_iter()
            .map(|(l, v)| (l, self.next + v))
            .collect();
        System::finish(self.layouts, self.callers, locations, vertices, edges)
    }

    /// The parameters that a lambda captured come from where it was made.
    fn captured(&mut self, lambda: LambdaId, layout: &Layout) {
        let lambda = &self.graph.lambdas[lambda.0 as usize];
        let (method, instruction) = lambda.made_at;
        let site = self.layouts[method.0 as usize]
            .as_ref()
            .and_then(|l| l.site(instruction as u32));
        let Some(site) = site else {
            return;
        };
        for captured in 0..lambda.captured as u32 {
            let parameter = captured + u32::from(lambda.constructs);
            if parameter < layout.parameters && captured < site.arguments {
                self.edge(
                    layout.parameter(parameter),
                    site.argument(captured),
                    Kind::Heap,
                );
            }
        }
        self.edge(layout.entry(), site.call, Kind::Heap);
    }

    /// A method that code outside may call.
    fn call_back(&mut self, name: &str, method: MethodId, through: Option<LambdaId>) {
        let Some(layout) = self.layouts[method.0 as usize].clone() else {
            return;
        };
        if let Some(lambda) = through {
            self.captured(lambda, &layout);
        }
        for name in [name, ALL] {
            let calls = self.location(Location::Calls(name.to_owned()));
            self.edge(layout.entry(), calls, Kind::Heap);
            for parameter in 0..layout.parameters {
                self.edge(layout.parameter(parameter), calls, Kind::Heap);
            }
            let returns = self.location(Location::Returns(name.to_owned()));
            self.edge(returns, layout.returned(), Kind::Heap);
            self.edge(returns, layout.thrown(), Kind::Heap);
        }
    }
}

/// The elements that an array instruction is about, by its place in the family.
fn element(place: u8) -> char {
    ['I', 'J', 'F', 'D', 'L', 'B', 'C', 'S'][usize::from(place)]
}

/// Kinds of arrays among the arguments of a call; `any` if an `Object` may be one.
fn arrays(text: &str, any: bool) -> Vec<char> {
    let mut kinds = Vec::new();
    for parameter in descriptor::split(text).map(|(p, _)| p).unwrap_or_default() {
        match parameter.as_bytes() {
            [b'[', b'Z', ..] => kinds.push('B'),
            [b'[', b'[' | b'L', ..] => {
                kinds.push('L');
                // Arrays of arrays, or of anything.
                if any {
                    kinds.extend(KINDS);
                }
            }
            [b'[', kind, ..] => kinds.push(char::from(*kind)),
            _ if any && parameter == "Ljava/lang/Object;" => kinds.extend(KINDS),
            _ => {}
        }
    }
    // What a receiver keeps (a stream's buffer) may be an array of the program.
    if any && kinds.is_empty() {
        kinds.extend(['B', 'C']);
    }
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
