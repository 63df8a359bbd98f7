//! The two tables of function pointers a JVM hands to an agent, with Rust types.
//!
//! Handles are copied from the JVM and handed back to it; none is dereferenced here. Every method states which thread
//! and phase it needs only where that is narrower than "a thread of the JVM, after `VMStart`".

use std::ffi::CStr;

use jvmti_bindings::sys::{jni, jvmti};
use pricetag_classfile::pool::decode_modified_utf8;

pub use jni::{jclass, jfieldID, jint, jlong, jmethodID, jobject};
pub use jvmti::jvmtiError;

pub use environment::Jni;
pub use tool_interface::Jvmti;

/// Calls a JNI function by name.
macro_rules! jni_call {
    ($env:expr, $function:ident $(, $argument:expr)*) => {{
        // SAFETY: `Jni` holds the environment of the current thread, whose table the JVM keeps for its lifetime; the
        // arguments are handles the JVM gave out, or null where the function allows it.
        unsafe { ((**$env.0.as_ptr()).$function)($env.0.as_ptr() $(, $argument)*) }
    }};
}

/// Calls a JVMTI function by name; `Err` with its error code, or when this JVM lacks it.
macro_rules! jvmti_call {
    ($env:expr, $function:ident $(, $argument:expr)*) => {{
        // SAFETY: the environment and its table live as long as the JVM; the arguments are handles the JVM gave out and
        // out-pointers to live locals.
        let function = unsafe { (*(*$env.0.as_ptr()).functions).$function };
        match function {
            // SAFETY: as above.
            Some(function) => match unsafe { function($env.0.as_ptr() $(, $argument)*) } {
                jvmtiError::NONE => Ok(()),
                error => Err(error),
            },
            None => Err(jvmtiError::NOT_AVAILABLE),
        }
    }};
}

mod environment;
mod tool_interface;

/// A global reference, or none; deleted by hand since that needs a [`Jni`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Global(pub jobject);

// SAFETY: global references may be used on any thread.
unsafe impl Send for Global {}
// SAFETY: as above.
unsafe impl Sync for Global {}

/// A field or method id; valid as long as its class is loaded, on any thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id<T>(pub T);

// SAFETY: ids are process-wide.
unsafe impl<T> Send for Id<T> {}
// SAFETY: ids are process-wide.
unsafe impl<T> Sync for Id<T> {}

/// The name of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassName {
    /// Internal name, `a/B`; of a hidden class that of the class file it was made from.
    pub plain: String,
    /// Whether it is a hidden class.
    pub hidden: bool,
}

impl ClassName {
    /// From a type signature; none if that is an array's or of no class. A hidden class's is `La/B.0x…;`, with a dot, which is in no internal name.
    fn of(signature: &str) -> Option<Self> {
        let name = signature.strip_prefix('L')?.strip_suffix(';')?;
        let plain = name.split_once('.').map(|(plain, _)| plain);
        Some(Self {
            plain: plain.unwrap_or(name).to_owned(),
            hidden: plain.is_some(),
        })
    }
}

/// Text from the JVM's modified UTF-8.
pub fn decode(text: &CStr) -> String {
    decode_modified_utf8(text.to_bytes()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::ClassName;

    #[test]
    fn names_of_classes() {
        let of = |signature| ClassName::of(signature).map(|name| (name.plain, name.hidden));
        let named = |plain: &str, hidden| Some((plain.to_owned(), hidden));
        assert_eq!(of("La/B;"), named("a/B", false));
        assert_eq!(of("La/B.0x00007f0001002000;"), named("a/B", true));
        assert_eq!(of("La/A+B;"), named("a/A+B", false));
        assert_eq!((of("[La/B;"), of("I")), (None, None));
    }
}
