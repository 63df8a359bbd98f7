//! Lengths of strings and arrays, sizes of collections: of arguments, and of what variables are assigned. Of arguments also what tells them
//! apart for people.
//!
//! A collection is asked for its size only if it is one of the JDK's own (packages below `java` belong to the boot loader) that answers at
//! once: without a lock, without going through its elements, and without a call that may arrive at the subject's code. Should the JDK be
//! counted, too, what that runs is not.

use pricetag_trace::Argument;

use crate::jvm::{Jni, jint, jobject};
use crate::session::Session;
use crate::unobserved;

/// Collections of the JDK that know their size without asking anyone: no wrappers, views or counts by iteration, whose
/// `size()` may run the subject's code, and none that locks.
const SIZED: [&str; 32] = [
    "ArrayDeque",
    "ArrayList",
    "Arrays$ArrayList",
    "Collections$EmptyList",
    "Collections$EmptyMap",
    "Collections$EmptySet",
    "Collections$SingletonList",
    "Collections$SingletonMap",
    "Collections$SingletonSet",
    "EnumMap",
    "HashMap",
    "HashSet",
    "IdentityHashMap",
    "ImmutableCollections$List12",
    "ImmutableCollections$ListN",
    "ImmutableCollections$Map1",
    "ImmutableCollections$MapN",
    "ImmutableCollections$Set12",
    "ImmutableCollections$SetN",
    "ImmutableCollections$SubList",
    "JumboEnumSet",
    "LinkedHashMap",
    "LinkedHashSet",
    "LinkedList",
    "PriorityQueue",
    "RegularEnumSet",
    "TreeMap",
    "TreeSet",
    "concurrent/ConcurrentHashMap",
    "concurrent/CopyOnWriteArrayList",
    "concurrent/CopyOnWriteArraySet",
    "concurrent/LinkedBlockingQueue",
];

/// What is known of an object without running the subject's code.
pub fn describe(session: &Session, jni: Jni, object: jobject) -> Argument {
    if object.is_null() {
        return Argument::Null;
    }
    let Some(runtime) = session.runtime.get() else {
        return Argument::Opaque;
    };
    if jni.is_instance(object, runtime.string.0) {
        return Argument::Size(jni.string_length(object) as u64);
    }
    if runtime
        .arrays
        .iter()
        .any(|class| jni.is_instance(object, class.0))
    {
        return Argument::Size(jni.array_length(object) as u64);
    }
    for (class, size) in [runtime.collection, runtime.map].into_iter().flatten() {
        if jni.is_instance(object, class.0) {
            let size = if knows_its_size(session, jni, object) {
                unobserved::run(session, jni, || jni.call_int(object, size)).0
            } else {
                None
            };
            return size
                .and_then(|size| u64::try_from(size).ok())
                .map_or(Argument::Opaque, Argument::Size);
        }
    }
    Argument::Opaque
}

/// An argument as a row shows it: as [`describe`] does, and what a string, a file or a path is called.
pub fn argument(session: &Session, jni: Jni, object: jobject) -> Argument {
    match describe(session, jni, object) {
        Argument::Size(length) if is_string(session, jni, object) => {
            let shown = usize::try_from(length).map_or(Argument::SHOWN, |n| n.min(Argument::SHOWN));
            match jni.string_part(object, 0, shown) {
                Some(beginning) => Argument::Text { length, beginning },
                None => Argument::Size(length),
            }
        }
        Argument::Opaque => path(session, jni, object).map_or(Argument::Opaque, Argument::Path),
        other => other,
    }
}

fn is_string(session: &Session, jni: Jni, object: jobject) -> bool {
    let runtime = session.runtime.get();
    runtime.is_some_and(|runtime| jni.is_instance(object, runtime.string.0))
}

/// The end of the name of one of the JDK's own files and paths, from its field: its methods may be the subject's.
fn path(session: &Session, jni: Jni, object: jobject) -> Option<String> {
    let class = jni.class_of(object);
    let name = session.jvmti.class_name(class);
    let field = name.and_then(|name| match name.plain.as_str() {
        "java/io/File" => jni.field(class, c"path", c"Ljava/lang/String;"),
        "sun/nio/fs/UnixPath" => jni.field(class, c"path", c"[B"),
        _ => None,
    });
    jni.delete_local(class);
    let value = jni.object_field(object, field?);
    if value.is_null() {
        return None;
    }
    let end = |length: usize| {
        let shown = length.min(Argument::SHOWN);
        (length - shown, shown)
    };
    let shown = if is_string(session, jni, value) {
        let (start, length) = end(jni.string_length(value));
        jni.string_part(value, start, length)
    } else {
        let (start, length) = end(jni.array_length(value));
        let part = jint::try_from(start).ok().zip(jint::try_from(length).ok());
        let bytes = part.and_then(|(start, length)| jni.read_bytes(value, start, length));
        bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    jni.delete_local(value);
    shown
}

/// Whether a collection is one of [`SIZED`]. A `TreeSet` may be a view of a part of another, which counts by comparing.
fn knows_its_size(session: &Session, jni: Jni, object: jobject) -> bool {
    match jdk_collection(session, jni, object) {
        Some("TreeSet") => {
            let class = jni.class_of(object);
            let field = jni.field(class, c"m", c"Ljava/util/NavigableMap;");
            jni.delete_local(class);
            field.is_some_and(|field| {
                let map = jni.object_field(object, field);
                !map.is_null() && jdk_collection(session, jni, map) == Some("TreeMap")
            })
        }
        name => name.is_some(),
    }
}

/// Which of [`SIZED`] an object is.
fn jdk_collection(session: &Session, jni: Jni, object: jobject) -> Option<&'static str> {
    let class = jni.class_of(object);
    let name = session.jvmti.class_name(class);
    jni.delete_local(class);
    let name = name?;
    let name = name.plain.strip_prefix("java/util/")?;
    SIZED.into_iter().find(|known| *known == name)
}

/// The length or size of an object; none if it is not known, or has none.
pub fn of(session: &Session, jni: Jni, object: jobject) -> Option<u64> {
    match describe(session, jni, object) {
        Argument::Size(size) => Some(size),
        _ => None,
    }
}
