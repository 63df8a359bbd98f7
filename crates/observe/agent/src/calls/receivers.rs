//! Numbers for the classes of receivers, in a table that compiled code reads.

use std::sync::Mutex;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::facts::{Facts, Type, name_of};
use crate::jvm::{Global, Jni, jclass, jobject};
use crate::session::{Session, lock};

/// Elements of the table, a power of two.
const TABLE: usize = 1 << 16;
/// Classes at most, so that whoever looks for one soon finds it, or an empty element.
pub const MOST: usize = TABLE / 4 * 3;

/// The classes of receivers so far.
#[derive(Debug, Default)]
pub struct Receivers {
    tables: OnceLock<Tables>,
    /// One class is entered at a time; the JVM is called meanwhile, but none of its calls waits for another thread.
    entering: Mutex<()>,
    /// By number less one: what is known of each.
    facts: Mutex<Facts>,
    /// Whether there was one more than fits.
    full: AtomicBool,
}

/// `Object[]` and `int[]` of the helper.
#[derive(Clone, Copy, Debug)]
struct Tables {
    classes: Global,
    numbers: Global,
    hash: crate::jvm::Id<crate::jvm::jmethodID>,
    system: Global,
}

impl Receivers {
    /// Makes the tables and shows them to the helper.
    pub fn begin(&self, session: &Session, jni: Jni) -> Result<(), String> {
        let tables = tables(session, jni).ok_or("there is no memory for the table of classes")?;
        let _ = self.tables.set(tables);
        Ok(())
    }

    /// The number of a class, which gets one if it has none; 0 if there is no room. What `slowReceiver` returns.
    pub fn number(&self, session: &Session, jni: Jni, class: jclass) -> Option<i32> {
        let tables = self.tables.get()?;
        let hash = jni.call_static_int(tables.system.0, tables.hash, class)?;
        let described = Type::describe(session, jni, class)?;
        let _turn = lock(&self.entering);
        let mut at = hash as usize & (TABLE - 1);
        loop {
            let found = jni.element(tables.classes.0, at);
            if found.is_null() {
                break;
            }
            let same = jni.same(found, class);
            jni.delete_local(found);
            if same {
                return jni.read_int(tables.numbers.0, at);
            }
            at = (at + 1) & (TABLE - 1);
        }
        if lock(&self.facts).receivers() == MOST {
            self.full.store(true, Ordering::Relaxed);
            return Some(0);
        }
        let kept = jni.global(class)?;
        let number = lock(&self.facts).receiver(described, kept);
        jni.write_int(tables.numbers.0, at, number);
        // Who sees the class sees its number.
        std::sync::atomic::fence(Ordering::SeqCst);
        jni.set_element(tables.classes.0, at, class);
        Some(number)
    }

    /// What is known of the class with a number.
    pub fn name(&self, number: i32) -> Option<String> {
        lock(&self.facts).name(number)
    }

    /// The class with a number; the reference is kept for good.
    pub fn class(&self, number: i32) -> Option<Global> {
        lock(&self.facts).class(number)
    }

    /// Notes what a class is, and those above it.
    pub fn describe(&self, session: &Session, jni: Jni, class: jclass) {
        let known = |name: &str| lock(&self.facts).knows(name);
        if name_of(session, jni, class).is_none_or(|name| known(&name)) {
            return;
        }
        if let Some(described) = Type::describe(session, jni, class) {
            lock(&self.facts).describe(described);
        }
    }

    /// What is known of a type.
    pub fn named(&self, name: &str) -> Option<Type> {
        lock(&self.facts).named(name)
    }

    /// What the reader must know.
    pub fn caveat(&self) -> Option<String> {
        self.full.load(Ordering::Relaxed).then(|| {
            format!("invocations on objects of more than {MOST} classes: the others are taken for objects of the class that declares the method")
        })
    }
}

fn tables(session: &Session, jni: Jni) -> Option<Tables> {
    let runtime = session.runtime.get()?;
    let helper = runtime.helper?;
    let classes = jni.global(jni.new_object_array(TABLE, runtime.object.0)?)?;
    let numbers = jni.global(jni.new_int_array(TABLE)?)?;
    let system = jni.find_class(c"java/lang/System")?;
    let hash = jni.static_method(system, c"identityHashCode", c"(Ljava/lang/Object;)I")?;
    let set = |name, descriptor, array: jobject| {
        let field = jni.static_field(helper.class.0, name, descriptor)?;
        jni.set_static_object_field(helper.class.0, field, array);
        Some(())
    };
    set(c"numbers", c"[I", numbers.0)?;
    set(c"receivers", c"[Ljava/lang/Object;", classes.0)?;
    Some(Tables {
        classes,
        numbers,
        hash,
        system: jni.global(system)?,
    })
}
