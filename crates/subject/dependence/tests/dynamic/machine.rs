//! Runs a program and writes down what each executed instruction depended on: the dynamic slices of this one run.
//!
//! Shares nothing with the static analysis but the decoding of class files. Post-dominators are sets, found by their definition.
//!
//! Source: Korel & Laski 1988, "Dynamic program slicing"; control: the latest execution, in the same frame, of an instruction that the one
//! in question is control dependent on, or else the call.

use std::collections::{BTreeSet, HashMap};

use pricetag_classfile::{ClassFile, Code, Instruction, Operand, opcode as op};

/// A method: class, name, descriptor.
pub type Name = (String, String, String);

/// An executed instruction.
pub struct Event {
    /// Index of the method in [`Run::methods`].
    pub method: usize,
    /// Its offset.
    pub pc: u16,
    /// Earlier events that it depended on.
    on: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Data {
    Int(i32),
    Object(usize),
    Null,
}

/// A value, and the event that made it.
#[derive(Clone, Copy, Debug)]
struct Value {
    data: Data,
    from: u32,
}

struct Object {
    class: String,
    /// Fields, or elements by their index as text.
    fields: HashMap<String, Value>,
    length: usize,
}

struct Body<'a> {
    code: Code<'a>,
    class: &'a ClassFile<'a>,
    /// By index of an instruction, those that control whether it runs.
    control: HashMap<u16, Vec<u16>>,
}

/// A run.
pub struct Run<'a> {
    classes: HashMap<String, &'a ClassFile<'a>>,
    /// The methods that ran.
    pub methods: Vec<Name>,
    bodies: Vec<Body<'a>>,
    numbers: HashMap<Name, usize>,
    heap: Vec<Object>,
    statics: HashMap<String, Value>,
    /// What ran, in order.
    pub events: Vec<Event>,
    /// The last event that set each static field.
    pub last_store: HashMap<String, u32>,
    /// Methods that ended in an exception, in an earlier run.
    threw: BTreeSet<Name>,
    /// Those that did in this run.
    pub throws: BTreeSet<Name>,
    /// Whether every call is taken for one that may throw.
    all: bool,
}

/// Events in one run at most.
const MOST: usize = 200_000;

enum End {
    Returns(Option<Value>),
    Throws(Value),
    /// It takes too long.
    Stopped,
}

impl<'a> Run<'a> {
    /// Runs `G.main`; none if that takes too long. `threw` are the methods whose calls may end in an exception; all if there are none given.
    pub fn of(classes: &'a [ClassFile<'a>], threw: Option<&BTreeSet<Name>>) -> Option<Self> {
        let mut run = Self {
            classes: classes.iter().map(|c| (c.name(), c)).collect(),
            methods: Vec::new(),
            bodies: Vec::new(),
            numbers: HashMap::new(),
            heap: Vec::new(),
            statics: HashMap::new(),
            events: Vec::new(),
            last_store: HashMap::new(),
            threw: threw.cloned().unwrap_or_default(),
            throws: BTreeSet::new(),
            all: threw.is_none(),
        };
        let main = (
            "G".to_owned(),
            "main".to_owned(),
            "([Ljava/lang/String;)V".to_owned(),
        );
        let number = run.body(&main);
        let start = run.event(number, 0, Vec::new());
        let nothing = Value {
            data: Data::Null,
            from: start,
        };
        match run.invoke(number, vec![nothing], start) {
            End::Stopped => None,
            _ => Some(run),
        }
    }

    /// What an event depended on, itself included, as methods and offsets.
    pub fn closure(&self, seeds: impl IntoIterator<Item = u32>) -> BTreeSet<(usize, u16)> {
        let mut seen = vec![false; self.events.len()];
        let mut work: Vec<u32> = seeds.into_iter().collect();
        let mut found = BTreeSet::new();
        while let Some(event) = work.pop() {
            if !std::mem::replace(&mut seen[event as usize], true) {
                // The first event is the start of the program, and no instruction.
                let is_start = event == 0;
                let event = &self.events[event as usize];
                if !is_start {
                    found.insert((event.method, event.pc));
                }
                work.extend(&event.on);
            }
        }
        found
    }

    /// What decided that an event happened: the first of what it depended on.
    pub fn control_of(&self, event: u32) -> u32 {
        self.events[event as usize].on[0]
    }

    fn event(&mut self, method: usize, pc: u16, on: Vec<u32>) -> u32 {
        self.events.push(Event { method, pc, on });
        self.events.len() as u32 - 1
    }

    fn find(&self, class: &str, name: &str, descriptor: &str) -> Option<Name> {
        let mut at = self.classes.get(class);
        while let Some(class) = at {
            let constants = class.constants();
            let own = class.methods().iter();
            let mut own = own.map(|m| (m.name(constants), m.descriptor(constants)));
            if own.any(|(n, d)| n == name && d == descriptor) {
                return Some((class.name(), name.to_owned(), descriptor.to_owned()));
            }
            at = class
                .super_name()
                .and_then(|parent| self.classes.get(&parent));
        }
        None
    }

    fn body(&mut self, name: &Name) -> usize {
        if let Some(&known) = self.numbers.get(name) {
            return known;
        }
        let class = self.classes[&name.0];
        let constants = class.constants();
        let is = |m: &&pricetag_classfile::Member<'_>| {
            m.name(constants) == name.1 && m.descriptor(constants) == name.2
        };
        let member = class.methods().iter().find(is).unwrap();
        let code = member.code(constants).unwrap().unwrap();
        let control = self.control(class, &code);
        self.bodies.push(Body {
            code,
            class,
            control,
        });
        self.methods.push(name.clone());
        self.numbers.insert(name.clone(), self.methods.len() - 1);
        self.methods.len() - 1
    }

    /// Whether an instruction may end in an exception, as far as the tracer regards that.
    fn may_throw(&self, class: &ClassFile<'_>, here: &Instruction) -> bool {
        match (here.opcode, &here.operand) {
            (op::ATHROW | op::IDIV, _) => true,
            (op::INVOKEVIRTUAL..=op::INVOKESTATIC, Operand::Constant(index)) => {
                let member = class.constants().member_ref(*index).unwrap();
                let named = |n: &Name| n.1 == member.name && n.2 == member.descriptor;
                self.all || self.threw.iter().any(named)
            }
            _ => false,
        }
    }

    /// Control dependence by its definition: `i` depends on `b` if it post-dominates a successor of `b` and not `b`.
    fn control(&self, class: &ClassFile<'_>, code: &Code<'_>) -> HashMap<u16, Vec<u16>> {
        let list = code.instructions().unwrap();
        let (n, exit) = (list.len(), list.len());
        let mut next: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (i, here) in list.iter().enumerate() {
            next[i].extend(here.targets().map(|t| list.index_of(t).unwrap()));
            match here.opcode {
                op::GOTO | op::TABLESWITCH | op::ATHROW => {}
                opcode if (op::IRETURN..=op::RETURN).contains(&opcode) => next[i].push(exit),
                _ => next[i].push(i + 1),
            }
            if self.may_throw(class, here) {
                for entry in &code.exception_table {
                    if (entry.start_pc..entry.end_pc).contains(&here.pc) {
                        next[i].push(list.index_of(u32::from(entry.handler_pc)).unwrap());
                    }
                }
                // No handler takes everything. A division is caught where it stands, or passes by.
                if here.opcode != op::IDIV {
                    next[i].push(exit);
                }
            }
            next[i].retain(|&t| t <= exit);
            next[i].sort_unstable();
            next[i].dedup();
        }
        // Sets as bits: what every way from an instruction to the exit passes.
        let words = n / 64 + 1;
        let bit = |i: usize| (i / 64, 1u64 << (i % 64));
        let mut post = vec![vec![u64::MAX; words]; n + 1];
        post[exit] = vec![0; words];
        post[exit][bit(exit).0] |= bit(exit).1;
        let mut changed = true;
        while changed {
            changed = false;
            for i in (0..n).rev() {
                let mut own = vec![u64::MAX; words];
                for &side in &next[i] {
                    own.iter_mut().zip(&post[side]).for_each(|(a, b)| *a &= b);
                }
                own[bit(i).0] |= bit(i).1;
                if own != post[i] {
                    post[i] = own;
                    changed = true;
                }
            }
        }
        let passes = |from: usize, i: usize| post[from][bit(i).0] & bit(i).1 != 0;
        let mut control: HashMap<u16, Vec<u16>> = HashMap::new();
        for (b, sides) in next.iter().enumerate().filter(|(_, sides)| sides.len() > 1) {
            for i in 0..n {
                let after = sides.iter().any(|&s| passes(s, i));
                let strictly = i != b && passes(b, i);
                if after && !strictly {
                    control.entry(list[i].pc).or_default().push(list[b].pc);
                }
            }
        }
        control
    }

    fn invoke(&mut self, method: usize, arguments: Vec<Value>, call: u32) -> End {
        let list = self.bodies[method].code.instructions().unwrap();
        let class = self.bodies[method].class;
        let constants = class.constants();
        let mut locals: Vec<Option<Value>> = arguments.into_iter().map(Some).collect();
        locals.resize(80, None);
        let mut stack: Vec<Value> = Vec::new();
        // The latest event at each offset.
        let mut latest: HashMap<u16, u32> = HashMap::new();
        let mut at = 0;
        loop {
            if self.events.len() > MOST {
                return End::Stopped;
            }
            let here = &list[at];
            let empty = Vec::new();
            let controls = self.bodies[method].control.get(&here.pc).unwrap_or(&empty);
            let control = controls
                .iter()
                .filter_map(|pc| latest.get(pc))
                .max()
                .copied();
            let control = control.unwrap_or(call);
            let mut on = vec![control];
            let mut next = at + 1;
            let mut thrown = None;
            let jump = |target: u32| list.index_of(target).unwrap();
            macro_rules! pop {
                () => {{
                    let value = stack.pop().unwrap();
                    on.push(value.from);
                    value.data
                }};
            }
            macro_rules! int {
                () => {
                    match pop!() {
                        Data::Int(n) => n,
                        other => panic!("{other:?} at {}", here.pc),
                    }
                };
            }
            macro_rules! object {
                () => {
                    match pop!() {
                        Data::Object(n) => n,
                        other => panic!("{other:?} at {}", here.pc),
                    }
                };
            }
            // What is pushed, or stored to a local.
            let mut push: Option<Data> = None;
            let mut store: Option<u16> = None;
            match (here.opcode, &here.operand) {
                (op::NOP, _) => {}
                (op::ICONST_M1..=op::ICONST_5, _) => {
                    push = Some(Data::Int(i32::from(here.opcode) - i32::from(op::ICONST_0)));
                }
                (op::BIPUSH | op::SIPUSH, Operand::Immediate(n)) => push = Some(Data::Int(*n)),
                (op::ILOAD..=op::ALOAD_3, _) => {
                    let local = match here.operand {
                        Operand::Local(n) => n,
                        _ => u16::from((here.opcode - op::ILOAD_0) % 4),
                    };
                    let value = locals[usize::from(local)].unwrap();
                    on.push(value.from);
                    push = Some(value.data);
                }
                (op::ISTORE..=op::ASTORE_3, _) => {
                    let (local, _) = here.stored_local().unwrap();
                    push = Some(pop!());
                    store = Some(local);
                }
                (op::IINC, Operand::Iinc { local, delta }) => {
                    let value = locals[usize::from(*local)].unwrap();
                    on.push(value.from);
                    let Data::Int(n) = value.data else {
                        panic!("no int")
                    };
                    push = Some(Data::Int(n.wrapping_add(i32::from(*delta))));
                    store = Some(*local);
                }
                (op::IALOAD, _) => {
                    let (index, array) = (int!(), object!());
                    let value = self.heap[array].fields.get(&index.to_string()).copied();
                    on.extend(value.map(|v| v.from));
                    push = Some(value.map_or(Data::Int(0), |v| v.data));
                }
                (op::IASTORE, _) => {
                    let (value, index, array) = (int!(), int!(), object!());
                    assert!((index as usize) < self.heap[array].length);
                    let from = self.event(method, here.pc, on.clone());
                    let data = Data::Int(value);
                    self.heap[array]
                        .fields
                        .insert(index.to_string(), Value { data, from });
                }
                (op::POP, _) => drop(pop!()),
                (op::DUP | op::SWAP, _) => {
                    let taken = if here.opcode == op::DUP { 1 } else { 2 };
                    let mut popped = stack.split_off(stack.len() - taken);
                    popped.reverse();
                    if taken == 1 {
                        popped.push(popped[0]);
                    }
                    for value in popped {
                        // Each output is an event of its own.
                        let from = self.event(method, here.pc, vec![control, value.from]);
                        stack.push(Value {
                            data: value.data,
                            from,
                        });
                    }
                }
                (op::IADD..=op::IXOR, _) => {
                    let (b, a) = (int!(), int!());
                    if here.opcode == op::IDIV && b == 0 {
                        thrown = Some(("java/lang/ArithmeticException", None));
                    } else {
                        push = Some(Data::Int(match here.opcode {
                            op::IADD => a.wrapping_add(b),
                            op::ISUB => a.wrapping_sub(b),
                            op::IMUL => a.wrapping_mul(b),
                            op::IDIV => a.wrapping_div(b),
                            op::IAND => a & b,
                            op::IXOR => a ^ b,
                            other => panic!("opcode {other}"),
                        }));
                    }
                }
                (op::IFEQ..=op::IFLE, Operand::Branch(target)) => {
                    let n = int!();
                    let taken = match here.opcode {
                        op::IFEQ => n == 0,
                        op::IFNE => n != 0,
                        op::IFLT => n < 0,
                        op::IFGE => n >= 0,
                        op::IFGT => n > 0,
                        _ => n <= 0,
                    };
                    next = if taken { jump(*target) } else { next };
                }
                (op::IF_ICMPGE, Operand::Branch(target)) => {
                    let (b, a) = (int!(), int!());
                    next = if a >= b { jump(*target) } else { next };
                }
                (op::IFNULL, Operand::Branch(target)) => {
                    next = if matches!(pop!(), Data::Null) {
                        jump(*target)
                    } else {
                        next
                    };
                }
                (op::GOTO, Operand::Branch(target)) => next = jump(*target),
                (
                    op::TABLESWITCH,
                    Operand::TableSwitch {
                        default,
                        low,
                        targets,
                    },
                ) => {
                    let case = int!().wrapping_sub(*low);
                    let target = usize::try_from(case).ok().and_then(|c| targets.get(c));
                    next = jump(*target.unwrap_or(default));
                }
                (op::IRETURN, _) => {
                    let data = pop!();
                    let from = self.event(method, here.pc, on);
                    return End::Returns(Some(Value { data, from }));
                }
                (op::RETURN, _) => {
                    self.event(method, here.pc, on);
                    return End::Returns(None);
                }
                (op::GETSTATIC | op::PUTSTATIC, Operand::Constant(index)) => {
                    let name = constants.member_ref(*index).unwrap().name;
                    if here.opcode == op::GETSTATIC {
                        let value = self.statics.get(&name).copied();
                        on.extend(value.map(|v| v.from));
                        push = Some(value.map_or(Data::Int(0), |v| v.data));
                    } else {
                        let data = pop!();
                        let from = self.event(method, here.pc, on.clone());
                        self.last_store.insert(name.clone(), from);
                        self.statics.insert(name, Value { data, from });
                    }
                }
                (op::GETFIELD, Operand::Constant(index)) => {
                    let field = constants.member_ref(*index).unwrap();
                    let object = object!();
                    let value = self.heap[object].fields.get(&field.name).copied();
                    on.extend(value.map(|v| v.from));
                    let none = if field.descriptor == "I" {
                        Data::Int(0)
                    } else {
                        Data::Null
                    };
                    push = Some(value.map_or(none, |v| v.data));
                }
                (op::PUTFIELD, Operand::Constant(index)) => {
                    let field = constants.member_ref(*index).unwrap();
                    let (data, object) = (pop!(), object!());
                    let from = self.event(method, here.pc, on.clone());
                    self.heap[object]
                        .fields
                        .insert(field.name, Value { data, from });
                }
                (op::NEW, Operand::Constant(index)) => {
                    push = Some(self.make(&constants.class_name(*index).unwrap(), 0));
                }
                (op::NEWARRAY, _) => {
                    let length = int!() as usize;
                    push = Some(self.make("[I", length));
                }
                (op::ATHROW, _) => {
                    let object = object!();
                    let class = self.heap[object].class.clone();
                    assert_eq!(class, "E");
                    thrown = Some(("E", Some(Data::Object(object))));
                }
                (op::INVOKEVIRTUAL..=op::INVOKESTATIC, Operand::Constant(index)) => {
                    let member = constants.member_ref(*index).unwrap();
                    let count = pricetag_classfile::descriptor::split(&member.descriptor)
                        .unwrap()
                        .0
                        .len()
                        + usize::from(here.opcode != op::INVOKESTATIC);
                    let arguments = stack.split_off(stack.len() - count);
                    let mut owner = member.owner.clone();
                    if here.opcode == op::INVOKEVIRTUAL {
                        on.push(arguments[0].from);
                        if let Data::Object(object) = arguments[0].data {
                            owner.clone_from(&self.heap[object].class);
                        }
                    }
                    let entry = self.event(method, here.pc, on.clone());
                    latest.insert(here.pc, entry);
                    if let Some(name) = self.find(&owner, &member.name, &member.descriptor) {
                        let callee = self.body(&name);
                        match self.invoke(callee, arguments, entry) {
                            End::Stopped => return End::Stopped,
                            End::Returns(None) => {}
                            End::Returns(Some(value)) => {
                                on.push(value.from);
                                push = Some(value.data);
                            }
                            End::Throws(value) => {
                                self.throws.insert(name);
                                on.push(value.from);
                                thrown = Some(("E", Some(value.data)));
                            }
                        }
                        on.push(entry);
                    }
                }
                other => panic!("{other:?}"),
            }
            let event = self.event(method, here.pc, on);
            // What comes after a call that returned depends on the call, not on the value.
            let calls = (op::INVOKEVIRTUAL..=op::INVOKESTATIC).contains(&here.opcode);
            if !calls || thrown.is_some() {
                latest.insert(here.pc, event);
            }
            if let Some(data) = push {
                let value = Value { data, from: event };
                match store {
                    Some(local) => locals[usize::from(local)] = Some(value),
                    None => stack.push(value),
                }
            }
            at = next;
            if let Some((class_name, data)) = thrown {
                let value = Value {
                    data: data.unwrap_or(Data::Null),
                    from: event,
                };
                let caught = self.bodies[method]
                    .code
                    .exception_table
                    .iter()
                    .find(|entry| {
                        (entry.start_pc..entry.end_pc).contains(&here.pc)
                            && constants.class_name(entry.catch_type).unwrap() == class_name
                    });
                match caught {
                    Some(entry) => {
                        stack = vec![value];
                        at = jump(u32::from(entry.handler_pc));
                    }
                    None => return End::Throws(value),
                }
            }
        }
    }

    fn make(&mut self, class: &str, length: usize) -> Data {
        self.heap.push(Object {
            class: class.to_owned(),
            fields: HashMap::new(),
            length,
        });
        Data::Object(self.heap.len() - 1)
    }
}
