//! Names of code for people: `org.example.Sorter.sort(int[], String)`.
//!
//! Class names are qualified, so that names are unique; parameter types from `java.lang` are not. Return types are left
//! out: they tell apart only a bridge method and its target.

/// `java/util/Map$Entry` as `java.util.Map$Entry`, `[I` as `int[]`.
pub fn class(internal: &str) -> String {
    if internal.starts_with('[') {
        let mut rest = internal;
        return next_type(&mut rest).unwrap_or_else(|| internal.to_owned());
    }
    internal.replace('/', ".")
}

/// `(IJ)V` as `(int, long)`; what is no descriptor is shown as it is.
pub fn parameters(descriptor: &str) -> String {
    let Some(mut rest) = descriptor.strip_prefix('(') else {
        return descriptor.to_owned();
    };
    let mut shown = Vec::new();
    while !rest.starts_with(')') {
        match next_type(&mut rest) {
            Some(name) => shown.push(name),
            None => return descriptor.to_owned(),
        }
    }
    format!("({})", shown.join(", "))
}

/// `Class.method(parameters)`.
pub fn method(owner: &str, name: &str, descriptor: &str) -> String {
    format!("{}.{name}{}", class(owner), parameters(descriptor))
}

/// `[J` as `long[]`; what is no descriptor is shown as it is.
pub fn field_type(descriptor: &str) -> String {
    let mut rest = descriptor;
    next_type(&mut rest).unwrap_or_else(|| descriptor.to_owned())
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

/// Takes one field type off the front.
fn next_type(rest: &mut &str) -> Option<String> {
    let dimensions = rest.len() - rest.trim_start_matches('[').len();
    *rest = &rest[dimensions..];
    let first = rest.chars().next()?;
    let name = match first {
        'B' => "byte",
        'C' => "char",
        'D' => "double",
        'F' => "float",
        'I' => "int",
        'J' => "long",
        'S' => "short",
        'Z' => "boolean",
        'L' => {
            let (name, after) = rest[1..].split_once(';')?;
            *rest = after;
            let name = name.replace('/', ".");
            let short = name.strip_prefix("java.lang.").filter(|n| !n.contains('.'));
            let shown = short.unwrap_or(&name);
            return Some(format!("{shown}{}", "[]".repeat(dimensions)));
        }
        _ => return None,
    };
    *rest = &rest[1..];
    Some(format!("{name}{}", "[]".repeat(dimensions)))
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
        assert_eq!(method("a/B$C", "<init>", "(D)V"), "a.B$C.<init>(double)");
    }
}
