//! Invocations of native methods of the program.
//!
//! They have no bytecode, so nothing can be put at their entry. But before the JVM calls one for the first time it asks the agent which function to call
//! (`NativeMethodBind`; the same when the program registers one). The agent names a [thunk](super::thunks), which writes the invocation to the thread's log and goes on to
//! the native's own function. Whoever invokes the method comes by there: code, reflection, a method handle, other native code, through a class or an interface.
//!
//! Limits: natives of the program's own loaders, not those of the JDK; [`thunks::COUNT`] of them; none that was bound before the agent came. An invocation that finds no function
//! (`UnsatisfiedLinkError`) is none. On JDK 11 to 17 compiled code calls a `JavaCritical_…` function, where the library has one, and passes the thunk by.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use jvmti_bindings::sys::jni::jmethodID;
use pricetag_instrument::{NATIVE_BIT, RECEIVER_SHIFT};

use super::thunks;
use crate::jvm::{Global, Id, Jni, jobject};
use crate::session::{Session, lock};
use crate::subject;

const ACC_STATIC: i32 = 0x0008;

/// Native methods that have a thunk.
#[derive(Debug, Default)]
pub struct Natives {
    table: Mutex<Table>,
    /// Whether there was one more than there are thunks.
    full: AtomicBool,
}

#[derive(Debug, Default)]
struct Table {
    /// By number.
    methods: Vec<Bound>,
    numbers: HashMap<usize, usize>,
}

#[derive(Debug)]
struct Bound {
    method: Arc<NativeMethod>,
    /// The class of the receiver that came by last, and its number.
    last: Option<(Global, i32)>,
}

/// A native method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeMethod {
    /// Internal name of the class that declares it.
    pub class: String,
    /// Name.
    pub name: String,
    /// Descriptor.
    pub descriptor: String,
    /// Access flags.
    pub access: i32,
}

impl Natives {
    /// The method of a number.
    pub fn method(&self, number: usize) -> Option<Arc<NativeMethod>> {
        let table = lock(&self.table);
        table.methods.get(number).map(|one| Arc::clone(&one.method))
    }

    /// What the reader must know.
    pub fn caveat(&self) -> Option<String> {
        self.full.load(Ordering::Relaxed).then(|| {
            format!(
                "more than {} native methods: invocations of the others are not written down",
                thunks::COUNT
            )
        })
    }

    /// The number of a method, which gets one if it has none. An id may come again for another method when its class is gone.
    fn number(&self, id: jmethodID, method: NativeMethod) -> Option<usize> {
        let mut table = lock(&self.table);
        let known = table.numbers.get(&id.addr()).copied();
        if let Some(number) = known
            && *table.methods.get(number)?.method == method
        {
            return Some(number);
        }
        let number = table.methods.len();
        if number == thunks::COUNT {
            self.full.store(true, Ordering::Relaxed);
            return None;
        }
        table.numbers.insert(id.addr(), number);
        table.methods.push(Bound {
            method: Arc::new(method),
            last: None,
        });
        Some(number)
    }

    fn last(&self, number: usize) -> Option<(Global, i32)> {
        lock(&self.table).methods.get(number)?.last
    }
}

/// A native method is being bound to a function: the one to bind instead, if it is the program's and invocations are written down.
pub fn bind(
    session: &Session,
    jni: Jni,
    method: jmethodID,
    address: *mut c_void,
) -> Option<*mut c_void> {
    if !super::wanted(session) || session.runtime.get().is_none() || thunks::has(address) {
        return None;
    }
    let class = session.jvmti.declaring_class(method)?;
    let name = session.jvmti.class_name(class).map(|name| name.plain);
    let loader = session.jvmti.class_loader(class);
    jni.delete_local(class);
    let (name, loader) = (name?, loader?);
    let counted = !subject::runtime_loader(session, jni, loader)
        && subject::selected(session, jni, loader, &name);
    if !loader.is_null() {
        jni.delete_local(loader);
    }
    if !counted {
        return None;
    }
    let (own, descriptor) = session.jvmti.method_name(method)?;
    let described = NativeMethod {
        class: name,
        name: own,
        descriptor,
        access: session.jvmti.method_access(Id(method))?,
    };
    let number = session.calls.natives.number(method, described)?;
    thunks::lead(number, address)
}

/// A native method was called, on the current thread; of a static one the receiver is its class.
pub fn called(session: &'static Session, jni: Jni, number: usize, receiver: jobject) {
    if !super::open(session) {
        return;
    }
    let natives = &session.calls.natives;
    let Some(method) = natives.method(number) else {
        return;
    };
    let mut word = 1 << NATIVE_BIT | number as i64;
    if method.access & ACC_STATIC == 0 && !receiver.is_null() {
        let class = jni.class_of(receiver);
        let known = natives.last(number);
        let of = match known.filter(|(last, _)| jni.same(last.0, class)) {
            Some((_, of)) => of,
            None => fresh(session, jni, number, class).unwrap_or(0),
        };
        jni.delete_local(class);
        word |= i64::from(of) << RECEIVER_SHIFT;
    }
    super::write(session, jni, word);
}

/// The number of a receiver's class that is not the last one's, which it then is.
fn fresh(session: &Session, jni: Jni, number: usize, class: jobject) -> Option<i32> {
    let receivers = &session.calls.receivers;
    let of = receivers.number(session, jni, class)?;
    // The table keeps a reference for good.
    let kept = receivers.class(of)?;
    if let Some(bound) = lock(&session.calls.natives.table).methods.get_mut(number) {
        bound.last = Some((kept, of));
    }
    Some(of)
}
