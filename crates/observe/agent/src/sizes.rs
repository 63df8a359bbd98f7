//! Lengths of strings and arrays, sizes of collections: of arguments, and of what variables are assigned.
//!
//! A collection is asked for its size only if it is one of the JDK's own (packages below `java` belong to the boot loader) that answers at
//! once: without a lock, without going through its elements, and without a call that may arrive at the subject's code. Should the JDK be
//! counted, too, what that runs is not.

use pricetag_trace::Argument;

use crate::jvm::{Jni, jobject};
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
