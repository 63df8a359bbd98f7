//! Puts probes at the border into a class of the component.
//!
//! - Each method that outside code may call is given away to a wrapper: the wrapper takes its name, its flags and what else is known of it; its code goes to a
//!   private method that only the wrapper calls. So overriding, `super` and reflection find what they did.
//! - Each call that may leave becomes a call of a private static wrapper of the same class, which makes it. The instruction keeps its length, so nothing in the
//!   method moves.
//!
//! Neither changes what is serialised: a class's version number does not depend on private methods.

use std::collections::{BTreeMap, BTreeSet};

use pricetag_classfile::class::{
    ACC_ABSTRACT, ACC_FINAL, ACC_INTERFACE, ACC_NATIVE, ACC_PRIVATE, ACC_PROTECTED, ACC_PUBLIC,
    ACC_STATIC, ACC_SYNCHRONIZED,
};
use pricetag_classfile::pool::tag;
use pricetag_classfile::splice::{Edit, splice};
use pricetag_classfile::{
    ClassFile, ClassFileError, Constant, Member, MemberRef, Operand, PoolAppender, opcode,
};
use pricetag_services::Service;
use pricetag_trace::Pattern;

use crate::wrapper::{Way, Wrapper, code};

const ACC_BRIDGE: u16 = 0x0040;
const ACC_VARARGS: u16 = 0x0080;
const ACC_SYNTHETIC: u16 = 0x1000;
const ACC_ENUM: u16 = 0x4000;
const ACC_PUBLIC_PROTECTED: u16 = ACC_PUBLIC | ACC_PROTECTED;
/// First class-file version whose interfaces may have private methods.
const JAVA_8: u16 = 52;
/// Packages of the JDK.
const JDK: [&str; 5] = ["java/", "javax/", "jdk/", "sun/", "com/sun/"];
/// Packages of the JDK's files and sockets.
const FILES: [&str; 3] = ["java/io/", "java/nio/", "java/net/"];

/// A place from which calls may leave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Its number.
    pub id: i32,
    /// What the instruction names.
    pub method: MemberRef,
    /// Whether the receiver's class decides what runs.
    pub looked_up: bool,
}

/// What is being watched, and the numbers that were given so far.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// The component.
    pub component: Vec<Pattern>,
    /// Whether files and sockets of the JDK are required services.
    pub resources: bool,
    /// Methods that may be entered, by number.
    pub methods: Vec<Service>,
    /// Places of calls, by number.
    pub sites: Vec<MemberRef>,
    /// Classes that were changed, with dots.
    pub classes: BTreeSet<String>,
    /// Numbers in their code, by bits: whether something is compared with them, and where.
    pub constants: BTreeMap<u64, (bool, Vec<String>)>,
}

/// A changed class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewritten {
    /// The class file; none if there is nothing to change.
    pub bytes: Option<Vec<u8>>,
    /// Places that are new.
    pub sites: Vec<Site>,
}

impl Watch {
    fn inside(&self, internal: &str) -> bool {
        let mut patterns = self.component.iter();
        patterns.any(|pattern| pattern.matches_internal(internal))
    }

    /// Changes a class of the component.
    ///
    /// # Errors
    /// If it is no class file, or has no room for what is added.
    pub fn rewrite(&mut self, bytes: &[u8]) -> Result<Rewritten, ClassFileError> {
        let class = ClassFile::parse(bytes)?;
        self.classes.insert(class.name().replace('/', "."));
        self.mine(&class, bytes)?;
        let interface = class.access() & ACC_INTERFACE != 0;
        if interface && class.major() < JAVA_8 {
            return Ok(Rewritten::default());
        }
        let mut table = Table {
            name: class.name(),
            interface,
            constants: PoolAppender::new(class.constants()),
            methods: Vec::new(),
            wrappers: BTreeMap::new(),
            sites: Vec::new(),
        };
        for member in class.methods() {
            table.method(self, &class, member)?;
        }
        if table.methods.len() == class.methods().len() && table.sites.is_empty() {
            return Ok(Rewritten::default());
        }
        let start = class.field_table().end;
        let end = methods_end(&class, start);
        let count = u16::try_from(table.methods.len()).map_err(|_| ClassFileError::Limit {
            what: "the number of methods",
            value: table.methods.len(),
            limit: usize::from(u16::MAX),
        })?;
        let mut methods = count.to_be_bytes().to_vec();
        table.methods.iter().for_each(|m| methods.extend(m));
        let mut edits = table.constants.edits();
        edits.push(Edit {
            range: start..end,
            bytes: methods,
        });
        Ok(Rewritten {
            bytes: Some(splice(bytes, &edits)),
            sites: table.sites,
        })
    }

    /// Notes the numbers in the code of a class.
    fn mine(&mut self, class: &ClassFile<'_>, bytes: &[u8]) -> Result<(), ClassFileError> {
        let pool = class.constants();
        let dotted = class.name().replace('/', ".");
        let mut note = |value: f64, compared: bool, place: String| {
            if value.is_finite() && value.abs() > 1.0 {
                let entry = self.constants.entry(value.to_bits()).or_default();
                entry.0 |= compared;
                if !entry.1.contains(&place) && entry.1.len() < 3 {
                    entry.1.push(place);
                }
            }
        };
        for method in pricetag_probe::plan(class, bytes).methods {
            for comparison in &method.comparisons {
                let place = format!("{dotted}.{}", method.name);
                note(comparison.literal.value(), true, place);
            }
        }
        for member in class.methods() {
            let Some(code) = member.code(pool)? else {
                continue;
            };
            let place = format!("{dotted}.{}", member.name(pool));
            for instruction in &*code.instructions()? {
                let number = match (&instruction.operand, instruction.opcode) {
                    (Operand::Immediate(n), _) => Some(f64::from(*n)),
                    (Operand::Constant(index), opcode::LDC | opcode::LDC_W | opcode::LDC2_W) => {
                        match pool.loadable(*index) {
                            Ok(Constant::Integer(n)) => Some(f64::from(n)),
                            Ok(Constant::Float(n)) => Some(f64::from(n)),
                            Ok(Constant::Long(n)) => Some(n as f64),
                            Ok(Constant::Double(n)) => Some(n),
                            _ => None,
                        }
                    }
                    _ => None,
                };
                if let Some(number) = number {
                    note(number, false, place.clone());
                }
            }
        }
        Ok(())
    }
}

/// One past the last method.
fn methods_end(class: &ClassFile<'_>, start: usize) -> usize {
    let attributes =
        |a: pricetag_classfile::Attributes<'_>| a.iter().map(|a| 6 + a.bytes.len()).sum::<usize>();
    let members = class.methods().iter();
    start + 2 + members.map(|m| 8 + attributes(m.attributes)).sum::<usize>()
}

/// The methods of the changed class, and what they need.
struct Table<'c, 'a> {
    name: String,
    interface: bool,
    constants: PoolAppender<'c, 'a>,
    methods: Vec<Vec<u8>>,
    /// Wrappers of calls that may leave, by opcode and constant of the call.
    wrappers: BTreeMap<(u8, u16), u16>,
    sites: Vec<Site>,
}

impl Table<'_, '_> {
    fn method(
        &mut self,
        watch: &mut Watch,
        class: &ClassFile<'_>,
        member: &Member<'_>,
    ) -> Result<(), ClassFileError> {
        let pool = class.constants();
        let (name, descriptor) = (member.name(pool), member.descriptor(pool));
        let changed = self.calls(watch, class, member)?;
        let wrapped = is_entrance(class, member, &name, &descriptor);
        let mut own = Vec::new();
        let mut others = Vec::new();
        let mut count = 0_u16;
        for attribute in member.attributes.iter() {
            let bytes = &class.bytes()[attribute.range()];
            let is_code = pool
                .utf8_bytes(attribute.name_index)
                .is_ok_and(|n| n == b"Code");
            match (is_code, &changed) {
                (true, Some(changed)) => own.extend(changed),
                (true, None) => own.extend(bytes),
                (false, _) => {
                    others.extend(bytes);
                    count += 1;
                }
            }
        }
        if !wrapped {
            let all = member.attributes.count();
            let parts = [own, others].concat();
            self.push(
                member.access,
                (member.name_index, member.descriptor_index),
                all,
                &parts,
            );
            return Ok(());
        }
        let id = watch.methods.len() as i32;
        let parameters = member.parameter_names(pool);
        watch.methods.push(Service {
            class: self.name.replace('/', "."),
            method: name.clone(),
            descriptor: descriptor.clone(),
            interface: None,
            parameters: (0..)
                .zip(parameters)
                .map(|(i, name)| name.unwrap_or_else(|| format!("p{i}")))
                .collect(),
        });
        let hidden = format!("{name}$pricetag");
        let is_static = member.access & ACC_STATIC != 0;
        let body = self.reference(&hidden, &descriptor)?;
        let how = if is_static {
            opcode::INVOKESTATIC
        } else {
            opcode::INVOKESPECIAL
        };
        let entrance = code(
            &Wrapper {
                access: member.access,
                descriptor: &descriptor,
                class: &self.name,
                way: Way::Enters,
                id,
                receiver: !is_static,
                invoke: (how, body),
            },
            &mut self.constants,
        )?;
        let attributes = [entrance, others].concat();
        let named = (member.name_index, member.descriptor_index);
        self.push(member.access, named, count + 1, &attributes);
        let gone = ACC_PUBLIC_PROTECTED | ACC_FINAL | ACC_SYNCHRONIZED | ACC_BRIDGE | ACC_VARARGS;
        let access = (member.access & !gone) | ACC_PRIVATE | ACC_SYNTHETIC;
        let hidden = self.constants.utf8(&hidden)?;
        self.push(access, (hidden, member.descriptor_index), 1, &own);
        Ok(())
    }

    fn reference(&mut self, name: &str, descriptor: &str) -> Result<u16, ClassFileError> {
        if self.interface {
            self.constants
                .interface_method(&self.name, name, descriptor)
        } else {
            self.constants.method(&self.name, name, descriptor)
        }
    }

    fn push(&mut self, access: u16, named: (u16, u16), attributes: u16, bytes: &[u8]) {
        let mut method = Vec::with_capacity(8 + bytes.len());
        for number in [access, named.0, named.1, attributes] {
            method.extend(number.to_be_bytes());
        }
        method.extend(bytes);
        self.methods.push(method);
    }

    /// The `Code` attribute with calls that may leave led through wrappers; none if there is no such call.
    fn calls(
        &mut self,
        watch: &mut Watch,
        class: &ClassFile<'_>,
        member: &Member<'_>,
    ) -> Result<Option<Vec<u8>>, ClassFileError> {
        let pool = class.constants();
        let Some(code) = member.code(pool)? else {
            return Ok(None);
        };
        let (start, end) = code.range;
        let mut bytes = class.bytes()[start..end].to_vec();
        let mut changed = false;
        for instruction in &*code.instructions()? {
            let index = match instruction.operand {
                Operand::Constant(index)
                    if matches!(
                        instruction.opcode,
                        opcode::INVOKEVIRTUAL | opcode::INVOKESTATIC
                    ) =>
                {
                    index
                }
                Operand::InvokeInterface { index, .. } => index,
                _ => continue,
            };
            let method = pool.member_ref(index)?;
            if !self.may_leave(watch, instruction.opcode, &method) {
                continue;
            }
            let wrapper =
                self.wrapper(watch, instruction.opcode, (pool.tag(index), index), &method)?;
            // Name, length, stack, locals and length of the code come first.
            let at = 14 + usize::from(instruction.pc);
            let [high, low] = wrapper.to_be_bytes();
            bytes[at..at + 3].copy_from_slice(&[opcode::INVOKESTATIC, high, low]);
            let rest = at + 3..at + instruction.length as usize;
            bytes[rest].fill(opcode::NOP);
            changed = true;
        }
        Ok(changed.then_some(bytes))
    }

    /// Whether a call may reach what is outside. Of virtual methods of the JDK and of the own class it is taken that none does.
    fn may_leave(&self, watch: &Watch, how: u8, method: &MemberRef) -> bool {
        let owner = method.owner.as_str();
        if owner.starts_with('[') || method.name.starts_with('<') {
            return false;
        }
        let jdk = JDK.iter().any(|package| owner.starts_with(package));
        let file = watch.resources && FILES.iter().any(|package| owner.starts_with(package));
        match how {
            opcode::INVOKEINTERFACE => true,
            opcode::INVOKESTATIC => file || !jdk && !watch.inside(owner),
            _ => file || !jdk && owner != self.name,
        }
    }

    /// The constant of the wrapper that makes such a call.
    fn wrapper(
        &mut self,
        watch: &mut Watch,
        how: u8,
        (kind, index): (Option<u8>, u16),
        method: &MemberRef,
    ) -> Result<u16, ClassFileError> {
        if let Some(&known) = self.wrappers.get(&(how, index)) {
            return Ok(known);
        }
        let id = watch.sites.len() as i32;
        watch.sites.push(method.clone());
        let looked_up = how != opcode::INVOKESTATIC;
        self.sites.push(Site {
            id,
            method: method.clone(),
            looked_up,
        });
        let descriptor = if looked_up {
            method
                .descriptor
                .replacen('(', &format!("(L{};", method.owner), 1)
        } else {
            method.descriptor.clone()
        };
        debug_assert!(matches!(
            kind,
            Some(tag::METHOD_REF | tag::INTERFACE_METHOD_REF)
        ));
        let access = ACC_PRIVATE | ACC_STATIC | ACC_SYNTHETIC;
        let attribute = code(
            &Wrapper {
                access,
                descriptor: &descriptor,
                class: &self.name,
                way: Way::Leaves,
                id,
                receiver: looked_up,
                invoke: (how, index),
            },
            &mut self.constants,
        )?;
        let name = format!("pricetag${}", self.wrappers.len());
        let wrapper = self.reference(&name, &descriptor)?;
        let named = (
            self.constants.utf8(&name)?,
            self.constants.utf8(&descriptor)?,
        );
        self.push(access, named, 1, &attribute);
        self.wrappers.insert((how, index), wrapper);
        Ok(wrapper)
    }
}

/// Whether outside code may call a method: private ones only as bodies of lambdas; bridges lead to methods that are entrances themselves.
fn is_entrance(class: &ClassFile<'_>, member: &Member<'_>, name: &str, descriptor: &str) -> bool {
    let lambda = member.access & ACC_SYNTHETIC != 0 && name.starts_with("lambda$");
    if member.access & (ACC_ABSTRACT | ACC_NATIVE) != 0 || name.starts_with('<') {
        return false;
    }
    if member.access & (ACC_SYNTHETIC | ACC_BRIDGE | ACC_PRIVATE) != 0 && !lambda {
        return false;
    }
    let made = name == "values" && descriptor.starts_with("()")
        || name == "valueOf" && descriptor.starts_with("(Ljava/lang/String;)");
    !(made && class.access() & ACC_ENUM != 0)
}
