//! Names of code for people: `org.example.Sorter.sort(int[], String)`.
//!
//! Class names are qualified, so that names are unique; parameter types from `java.lang` are not. Return types are left
//! out: they tell apart only a bridge method and its target.

use crate::descriptor::split;

/// `java/util/Map$Entry` as `java.util.Map$Entry`, `[I` as `int[]`.
pub fn class(internal: &str) -> String {
    if internal.starts_with('[') {
        return field_type(internal);
    }
    internal.replace('/', ".")
}

/// `(IJ)V` as `(int, long)`; what is no descriptor is shown as it is.
pub fn parameters(descriptor: &str) -> String {
    let shown = types(descriptor, qualified);
    shown.map_or_else(|| descriptor.to_owned(), |shown| format!("({shown})"))
}

/// `([ILjava/util/Map$Entry;)V` as `int[], Map$Entry`, for where little room is; what is no descriptor is shown as it is.
pub fn short_parameters(descriptor: &str) -> String {
    types(descriptor, unqualified).unwrap_or_else(|| descriptor.to_owned())
}

/// `Class.method(parameters)`.
pub fn method(owner: &str, name: &str, descriptor: &str) -> String {
    format!("{}.{name}{}", class(owner), parameters(descriptor))
}

/// `[J` as `long[]`; what is no descriptor is shown as it is.
pub fn field_type(descriptor: &str) -> String {
    single(descriptor, qualified).unwrap_or_else(|| descriptor.to_owned())
}

/// `Sorter.java:6-7`; none without file or lines.
pub fn place(file: Option<&str>, lines: Option<(u32, u32)>) -> Option<String> {
    let (first, last) = lines?;
    let file = file?;
    Some(if first == last {
        format!("{file}:{first}")
    } else {
        format!("{file}:{first}-{last}")
    })
}

/// The parameter types of a method descriptor, with classes called so.
fn types(descriptor: &str, class: fn(&str) -> String) -> Option<String> {
    let (parameters, _) = split(descriptor)?;
    let shown = parameters.iter().map(|parameter| single(parameter, class));
    Some(shown.collect::<Option<Vec<_>>>()?.join(", "))
}

/// A field type, with its class called so.
fn single(descriptor: &str, class: fn(&str) -> String) -> Option<String> {
    let element = descriptor.trim_start_matches('[');
    let dimensions = descriptor.len() - element.len();
    let name = match element {
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "D" => "double".to_owned(),
        "F" => "float".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "S" => "short".to_owned(),
        "Z" => "boolean".to_owned(),
        _ => {
            let name = element.strip_prefix('L')?.strip_suffix(';')?;
            (!name.contains(';')).then(|| class(name))?
        }
    };
    Some(format!("{name}{}", "[]".repeat(dimensions)))
}

/// The whole name, but for the package that every Java file knows.
fn qualified(internal: &str) -> String {
    let name = internal.replace('/', ".");
    match name.strip_prefix("java.lang.") {
        Some(known) if !known.contains('.') => known.to_owned(),
        _ => name,
    }
}

/// The name without its package.
fn unqualified(internal: &str) -> String {
    let name = internal.rsplit_once('/').map_or(internal, |(_, name)| name);
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_as_in_java() {
        for (descriptor, shown) in [
            ("()V", "()"),
            ("(I)V", "(int)"),
            ("([[JLjava/lang/String;Z)I", "(long[][], String, boolean)"),
            (
                "(Ljava/util/List;[Ljava/lang/Object;)V",
                "(java.util.List, Object[])",
            ),
            (
                "(Ljava/lang/reflect/Method;)V",
                "(java.lang.reflect.Method)",
            ),
            ("(Q)V", "(Q)V"),
            ("(Lbroken", "(Lbroken"),
            ("(é", "(é"),
            ("", ""),
        ] {
            assert_eq!(parameters(descriptor), shown);
        }
        assert_eq!(class("[[I"), "int[][]");
        assert_eq!(class("[broken"), "[broken");
        assert_eq!(field_type("[Ljava/util/List;"), "java.util.List[]");
        for strange in ["II", "LA;LB;", "[", ""] {
            assert_eq!(field_type(strange), strange);
        }
        assert_eq!(method("a/B$C", "<init>", "(D)V"), "a.B$C.<init>(double)");
    }

    #[test]
    fn where_little_room_is_packages_go() {
        for (descriptor, shown) in [
            ("()V", ""),
            (
                "([ILjava/util/Map$Entry;[[JLA;)V",
                "int[], Map$Entry, long[][], A",
            ),
            ("(Lfoo)V", "(Lfoo)V"),
            ("(Q)V", "(Q)V"),
            ("x", "x"),
            ("([)V", "([)V"),
            ("(é)V", "(é)V"),
        ] {
            assert_eq!(short_parameters(descriptor), shown);
        }
    }
}
