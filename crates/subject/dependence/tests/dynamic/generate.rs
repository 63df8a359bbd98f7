//! Random programs, written as class files without a compiler.
//!
//! Class `G` has static methods that call only later ones, so that every program ends; `N` and its subclass `M` are objects with fields and
//! a virtual method; `E` is an exception. Divisions stand in `try`; references are never null, indices never out of bounds.

use pricetag_classfile::{Assembler, Label, PoolAppender, assemble::Keys, opcode as op};
use rand::{Rng, RngExt as _};

/// Static methods of `G`.
pub const METHODS: u16 = 4;
/// Static fields of `G`.
pub const STATICS: u16 = 3;
/// Descriptor of `G`'s methods.
pub const SHAPE: &str = "(III)I";

const OBJECT: u16 = 8;
const ARRAY: u16 = 9;
/// The first local that statements use for themselves.
const FREE: u16 = 10;

/// A class under construction.
struct Class {
    pool: PoolAppender<'static, 'static>,
    name: &'static str,
    parent: &'static str,
    fields: Vec<(u16, &'static str, &'static str)>,
    methods: Vec<Vec<u8>>,
}

impl Class {
    fn new(name: &'static str, parent: &'static str) -> Self {
        Self {
            pool: PoolAppender::empty(),
            name,
            parent,
            fields: Vec::new(),
            methods: Vec::new(),
        }
    }

    fn method(&mut self, access: u16, name: &str, descriptor: &str, body: Body) {
        let (name, descriptor) = (
            self.pool.utf8(name).unwrap(),
            self.pool.utf8(descriptor).unwrap(),
        );
        let code = self.pool.utf8("Code").unwrap();
        let handlers: Vec<_> = body
            .handlers
            .iter()
            .map(|(start, end, handler, class)| {
                (*start, *end, *handler, self.pool.class(class).unwrap())
            })
            .collect();
        let done = body.code.finish().unwrap();
        let mut table = Vec::new();
        for (start, end, handler, class) in &handlers {
            let (start, end) = (done.offset(*start) as u16, done.offset(*end) as u16);
            if start < end {
                for part in [start, end, done.offset(*handler) as u16, *class] {
                    table.extend(part.to_be_bytes());
                }
            }
        }
        let mut out = Vec::new();
        for part in [access, name, descriptor, 1, code] {
            out.extend(part.to_be_bytes());
        }
        let bytes = &done.code;
        out.extend((12 + bytes.len() as u32 + table.len() as u32).to_be_bytes());
        out.extend([0, 20]);
        out.extend(80u16.to_be_bytes());
        out.extend((bytes.len() as u32).to_be_bytes());
        out.extend(bytes);
        out.extend((table.len() as u16 / 8).to_be_bytes());
        out.extend(table);
        out.extend([0, 0]);
        self.methods.push(out);
    }

    fn finish(mut self) -> (String, Vec<u8>) {
        let own = self.pool.class(self.name).unwrap();
        let parent = self.pool.class(self.parent).unwrap();
        let fields: Vec<[u16; 4]> = self
            .fields
            .iter()
            .map(|(access, name, kind)| {
                [
                    *access,
                    self.pool.utf8(name).unwrap(),
                    self.pool.utf8(kind).unwrap(),
                    0,
                ]
            })
            .collect();
        let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 49];
        out.extend(self.pool.count().to_be_bytes());
        out.extend(self.pool.added());
        for part in [0x21, own, parent, 0, fields.len() as u16] {
            out.extend(u16::to_be_bytes(part));
        }
        out.extend(fields.iter().flatten().flat_map(|part| part.to_be_bytes()));
        out.extend((self.methods.len() as u16).to_be_bytes());
        out.extend(self.methods.concat());
        out.extend([0, 0]);
        (self.name.to_owned(), out)
    }
}

struct Body {
    code: Assembler,
    handlers: Vec<(Label, Label, Label, &'static str)>,
}

impl Body {
    fn new() -> Self {
        Self {
            code: Assembler::new(0, 64, 8),
            handlers: Vec::new(),
        }
    }
}

/// The classes of a random program.
pub fn program(random: &mut impl Rng) -> Vec<(String, Vec<u8>)> {
    let mut classes = vec![
        object("N", "java/lang/Object", random),
        object("M", "N", random),
    ];
    classes.push(exception());
    let mut class = Class::new("G", "java/lang/Object");
    class.fields = vec![(8, "s0", "I"), (8, "s1", "I"), (8, "s2", "I")];
    for number in 0..METHODS {
        let mut writer = Writer {
            random,
            pool: &mut class.pool,
            body: Body::new(),
            number,
            free: FREE,
            left: 40,
        };
        writer.method();
        let body = writer.body;
        class.method(8, &format!("m{number}"), SHAPE, body);
    }
    let mut main = Body::new();
    for n in [3, 1, 4] {
        main.code.int(n, &mut class.pool).unwrap();
    }
    let first = class.pool.method("G", "m0", SHAPE).unwrap();
    main.code.constant(op::INVOKESTATIC, first);
    main.code.raw(&[op::POP, op::RETURN]);
    class.method(9, "main", "([Ljava/lang/String;)V", main);
    classes.push(class.finish());
    classes
}

/// `N` or `M`: fields `a`, `b`, `n`, a constructor, and `int v(int)`.
fn object(name: &'static str, parent: &'static str, random: &mut impl Rng) -> (String, Vec<u8>) {
    let mut class = Class::new(name, parent);
    if name == "N" {
        class.fields = vec![(0, "a", "I"), (0, "b", "I"), (0, "n", "LN;")];
    }
    let mut init = Body::new();
    let (up, a, b) = (
        class.pool.method(parent, "<init>", "()V").unwrap(),
        class.pool.field("N", "a", "I").unwrap(),
        class.pool.field("N", "b", "I").unwrap(),
    );
    init.code.op(op::ALOAD_0);
    init.code.constant(op::INVOKESPECIAL, up);
    init.code.raw(&[op::ALOAD_0, op::ICONST_3]);
    init.code.constant(op::PUTFIELD, a);
    init.code.op(op::RETURN);
    class.method(1, "<init>", "()V", init);
    let mut v = Body::new();
    v.code.op(op::ALOAD_0);
    v.code
        .constant(op::GETFIELD, if random.random() { a } else { b });
    v.code.op(op::ILOAD_1);
    v.code.op(if random.random() { op::IADD } else { op::IXOR });
    if random.random() {
        v.code.raw(&[op::DUP, op::ALOAD_0, op::SWAP]);
        v.code.constant(op::PUTFIELD, b);
    }
    v.code.op(op::IRETURN);
    class.method(1, "v", "(I)I", v);
    class.finish()
}

fn exception() -> (String, Vec<u8>) {
    let parent = "java/lang/RuntimeException";
    let mut class = Class::new("E", parent);
    class.fields = vec![(0, "code", "I")];
    let (up, code) = (
        class.pool.method(parent, "<init>", "()V").unwrap(),
        class.pool.field("E", "code", "I").unwrap(),
    );
    let mut init = Body::new();
    init.code.op(op::ALOAD_0);
    init.code.constant(op::INVOKESPECIAL, up);
    init.code.raw(&[op::ALOAD_0, op::ILOAD_1]);
    init.code.constant(op::PUTFIELD, code);
    init.code.op(op::RETURN);
    class.method(1, "<init>", "(I)V", init);
    class.finish()
}

struct Writer<'w, R> {
    random: &'w mut R,
    pool: &'w mut PoolAppender<'static, 'static>,
    body: Body,
    number: u16,
    free: u16,
    /// Statements that may still be written.
    left: u32,
}

impl<R: Rng> Writer<'_, R> {
    fn below(&mut self, n: u16) -> u16 {
        self.random.random_range(0..n)
    }

    fn local(&mut self) -> u16 {
        self.below(OBJECT)
    }

    fn own(&mut self) -> u16 {
        self.free += 1;
        self.free - 1
    }

    fn constant(&mut self, opcode: u8, index: u16) {
        self.body.code.constant(opcode, index);
    }

    fn field(&mut self, opcode: u8, owner: &str, name: &str, kind: &str) {
        let index = self.pool.field(owner, name, kind).unwrap();
        self.constant(opcode, index);
    }

    fn call(&mut self, opcode: u8, owner: &str, name: &str, descriptor: &str) {
        let index = self.pool.method(owner, name, descriptor).unwrap();
        self.constant(opcode, index);
    }

    fn int(&mut self, n: i32) {
        self.body.code.int(n, self.pool).unwrap();
    }

    fn method(&mut self) {
        for local in 3..OBJECT {
            self.int(i32::from(local));
            self.body.code.local(op::ISTORE, local);
        }
        self.new_object();
        self.int(4);
        self.body.code.raw(&[op::NEWARRAY, 10]);
        self.body.code.local(op::ASTORE, ARRAY);
        for _ in 0..8 {
            self.statement(2);
        }
        self.expression(2);
        self.body.code.op(op::IRETURN);
    }

    fn new_object(&mut self) {
        let name = if self.random.random() { "N" } else { "M" };
        let class = self.pool.class(name).unwrap();
        self.constant(op::NEW, class);
        self.body.code.op(op::DUP);
        self.call(op::INVOKESPECIAL, name, "<init>", "()V");
        self.body.code.local(op::ASTORE, OBJECT);
    }

    fn expression(&mut self, depth: u32) {
        let choice = if depth == 0 {
            self.below(3)
        } else {
            self.below(9)
        };
        match choice {
            0 => {
                let n = i32::from(self.below(9)) - 3;
                self.int(n);
            }
            1 | 2 => {
                let local = self.local();
                self.body.code.local(op::ILOAD, local);
            }
            3 => {
                let name = format!("s{}", self.below(STATICS));
                self.field(op::GETSTATIC, "G", &name, "I");
            }
            4 => {
                self.body.code.local(op::ALOAD, OBJECT);
                let name = if self.random.random() { "a" } else { "b" };
                self.field(op::GETFIELD, "N", name, "I");
            }
            5 => {
                self.element();
                self.body.code.op(op::IALOAD);
            }
            6 => {
                self.expression(depth - 1);
                self.expression(depth - 1);
                self.body.code.raw(&[op::SWAP, op::ISUB]);
            }
            7 => {
                self.expression(depth - 1);
                self.body.code.raw(&[op::DUP, op::IXOR]);
            }
            _ => {
                self.expression(depth - 1);
                self.expression(depth - 1);
                let opcode = [op::IADD, op::IMUL, op::IAND, op::IXOR][usize::from(self.below(4))];
                self.body.code.op(opcode);
            }
        }
    }

    /// Array and index.
    fn element(&mut self) {
        self.body.code.local(op::ALOAD, ARRAY);
        self.expression(0);
        self.body.code.raw(&[op::ICONST_3, op::IAND]);
    }

    fn block(&mut self, depth: u32) {
        for _ in 0..=self.below(3) {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: u32) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let choice = if depth == 0 {
            self.below(9)
        } else {
            self.below(16)
        };
        match choice {
            0 | 1 => {
                self.expression(2);
                let local = self.local();
                self.body.code.local(op::ISTORE, local);
            }
            2 => {
                self.expression(2);
                let name = format!("s{}", self.below(STATICS));
                self.field(op::PUTSTATIC, "G", &name, "I");
            }
            3 => {
                self.body.code.local(op::ALOAD, OBJECT);
                self.expression(2);
                let name = if self.random.random() { "a" } else { "b" };
                self.field(op::PUTFIELD, "N", name, "I");
            }
            4 => {
                self.element();
                self.expression(2);
                self.body.code.op(op::IASTORE);
            }
            5 => {
                let local = self.local() as u8;
                self.body.code.raw(&[op::IINC, local, 1]);
            }
            6 if self.number + 1 < METHODS => {
                for _ in 0..3 {
                    self.expression(1);
                }
                let callee = self.number + 1 + self.below(METHODS - self.number - 1);
                self.call(op::INVOKESTATIC, "G", &format!("m{callee}"), SHAPE);
                let local = self.local();
                self.body.code.local(op::ISTORE, local);
            }
            6 | 7 => {
                self.body.code.local(op::ALOAD, OBJECT);
                self.expression(1);
                self.call(op::INVOKEVIRTUAL, "N", "v", "(I)I");
                let local = self.local();
                self.body.code.local(op::ISTORE, local);
            }
            8 => self.objects(),
            9 | 10 => self.branch(depth),
            11 | 12 => self.repeat(depth),
            13 => self.switch(depth),
            14 => self.attempt(depth),
            _ if self.below(3) == 0 => self.leave(),
            _ => self.repeat(depth),
        }
    }

    /// Another object, linked to the last, or the one that it is linked to.
    fn objects(&mut self) {
        if self.random.random() {
            let last = self.own();
            self.body.code.local(op::ALOAD, OBJECT);
            self.body.code.local(op::ASTORE, last);
            self.new_object();
            self.body.code.local(op::ALOAD, OBJECT);
            self.body.code.local(op::ALOAD, last);
            self.field(op::PUTFIELD, "N", "n", "LN;");
        } else {
            let none = self.body.code.label();
            self.body.code.local(op::ALOAD, OBJECT);
            self.field(op::GETFIELD, "N", "n", "LN;");
            self.body.code.jump(op::IFNULL, none);
            self.body.code.local(op::ALOAD, OBJECT);
            self.field(op::GETFIELD, "N", "n", "LN;");
            self.body.code.local(op::ASTORE, OBJECT);
            self.body.code.bind(none);
        }
    }

    fn branch(&mut self, depth: u32) {
        let (other, end) = (self.body.code.label(), self.body.code.label());
        self.expression(1);
        let opcode = op::IFEQ + self.below(6) as u8;
        self.body.code.jump(opcode, other);
        self.block(depth - 1);
        self.body.code.jump(op::GOTO, end);
        self.body.code.bind(other);
        if self.random.random() {
            self.block(depth - 1);
        }
        self.body.code.bind(end);
    }

    fn repeat(&mut self, depth: u32) {
        let (head, end) = (self.body.code.label(), self.body.code.label());
        let counter = self.own();
        self.int(0);
        self.body.code.local(op::ISTORE, counter);
        self.body.code.bind(head);
        self.body.code.local(op::ILOAD, counter);
        self.expression(1);
        self.body.code.raw(&[op::ICONST_3, op::IAND]);
        self.body.code.jump(op::IF_ICMPGE, end);
        self.block(depth - 1);
        if self.below(3) == 0 {
            self.expression(1);
            self.body.code.jump(op::IFLT, end);
        }
        self.body.code.raw(&[op::IINC, counter as u8, 1]);
        self.body.code.jump(op::GOTO, head);
        self.body.code.bind(end);
    }

    fn switch(&mut self, depth: u32) {
        let labels: Vec<Label> = (0..3).map(|_| self.body.code.label()).collect();
        let end = self.body.code.label();
        self.expression(1);
        self.body.code.raw(&[op::ICONST_3, op::IAND]);
        self.body
            .code
            .switch(Keys::From(1), labels[0], vec![labels[1], labels[2], end]);
        for label in labels {
            self.body.code.bind(label);
            self.block(depth - 1);
            // Some cases go on with the next.
            if self.random.random() {
                self.body.code.jump(op::GOTO, end);
            }
        }
        self.body.code.bind(end);
    }

    /// `try` around a division or a block, with a handler.
    fn attempt(&mut self, depth: u32) {
        let (start, stop, handler, end) = (
            self.body.code.here(),
            self.body.code.label(),
            self.body.code.label(),
            self.body.code.label(),
        );
        let divides = self.random.random();
        if divides {
            self.expression(1);
            self.expression(1);
            self.body.code.op(op::IDIV);
            let local = self.local();
            self.body.code.local(op::ISTORE, local);
        } else {
            self.block(depth - 1);
            self.body.code.op(op::NOP);
        }
        self.body.code.bind(stop);
        self.body.code.jump(op::GOTO, end);
        self.body.code.bind(handler);
        let local = self.local();
        if divides {
            self.body.code.op(op::POP);
            self.int(77);
        } else {
            self.field(op::GETFIELD, "E", "code", "I");
        }
        self.body.code.local(op::ISTORE, local);
        self.block(depth - 1);
        self.body.code.bind(end);
        let class = if divides {
            "java/lang/ArithmeticException"
        } else {
            "E"
        };
        self.body.handlers.push((start, stop, handler, class));
    }

    /// A return or a throw, on a condition.
    fn leave(&mut self) {
        let stays = self.body.code.label();
        self.expression(1);
        self.body.code.jump(op::IFNE, stays);
        if self.random.random() {
            self.expression(1);
            self.body.code.op(op::IRETURN);
        } else {
            let class = self.pool.class("E").unwrap();
            self.constant(op::NEW, class);
            self.body.code.op(op::DUP);
            self.expression(1);
            self.call(op::INVOKESPECIAL, "E", "<init>", "(I)V");
            self.body.code.op(op::ATHROW);
        }
        self.body.code.bind(stays);
    }
}
