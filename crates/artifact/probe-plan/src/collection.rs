//! Declared types whose values are collections or maps of the JDK, or may be.
//!
//! Deviation: of the JDK's types only those are listed whose objects can tell their size without a lock and without asking other
//! objects. Subclasses that a program declares are not known here.

/// Types of `java.util`, in order.
const TYPES: [&str; 38] = [
    "AbstractCollection",
    "AbstractList",
    "AbstractMap",
    "AbstractQueue",
    "AbstractSequentialList",
    "AbstractSet",
    "ArrayDeque",
    "ArrayList",
    "Collection",
    "Deque",
    "EnumMap",
    "EnumSet",
    "HashMap",
    "HashSet",
    "IdentityHashMap",
    "LinkedHashMap",
    "LinkedHashSet",
    "LinkedList",
    "List",
    "Map",
    "NavigableMap",
    "NavigableSet",
    "PriorityQueue",
    "Queue",
    "SequencedCollection",
    "SequencedMap",
    "SequencedSet",
    "Set",
    "SortedMap",
    "SortedSet",
    "TreeMap",
    "TreeSet",
    "concurrent/BlockingQueue",
    "concurrent/ConcurrentHashMap",
    "concurrent/ConcurrentMap",
    "concurrent/CopyOnWriteArrayList",
    "concurrent/CopyOnWriteArraySet",
    "concurrent/LinkedBlockingQueue",
];

/// Whether a descriptor is that of one of them.
pub(crate) fn is_collection(descriptor: &str) -> bool {
    let name = descriptor.strip_prefix("Ljava/util/");
    let name = name.and_then(|name| name.strip_suffix(';'));
    name.is_some_and(|name| TYPES.binary_search(&name).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(TYPES.is_sorted());
        assert!(
            TYPES
                .iter()
                .all(|name| is_collection(&format!("Ljava/util/{name};")))
        );
    }

    #[test]
    fn other_types_are_none() {
        for descriptor in [
            "Ljava/util/Random;",
            "[Ljava/util/List;",
            "Ljava/util/List",
            "LList;",
            "I",
            "",
        ] {
            assert!(!is_collection(descriptor), "{descriptor}");
        }
    }
}
