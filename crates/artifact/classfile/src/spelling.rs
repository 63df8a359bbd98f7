//! Methods as people write them: `Sorter.sort`, `org.example.Sorter#sort(int[])`, `org/example/Sorter.sort([I)V`.

use crate::{descriptor, naming};

/// What a text says of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spelling<'t> {
    /// Its class, with dots or slashes between packages.
    pub class: &'t str,
    /// Its name.
    pub method: &'t str,
    /// Parameters or descriptor, parentheses included; all overloads are meant without.
    pub parameters: Option<&'t str>,
}

impl<'t> Spelling<'t> {
    /// Takes a text apart; none if it names no method of a class.
    pub fn of(text: &'t str) -> Option<Self> {
        let (named, parameters) = match text.find('(') {
            Some(at) => (&text[..at], Some(&text[at..])),
            None => (text, None),
        };
        let at = named.rfind('#').or_else(|| named.rfind('.'))?;
        let (class, method) = (&named[..at], &named[at + 1..]);
        let whole = parameters.is_none_or(|list| list.contains(')'));
        (!class.is_empty() && !method.is_empty() && whole).then_some(Self {
            class,
            method,
            parameters,
        })
    }

    /// Whether a method is meant, whose class and descriptor are as class files have them.
    pub fn means(&self, class: &str, method: &str, descriptor: &str) -> bool {
        self.method == method
            && self.class.replace('/', ".") == class.replace('/', ".")
            && self.parameters.is_none_or(|list| takes(descriptor, list))
    }
}

/// Whether a method of this descriptor has the parameters that a text lists: `(int[], String)`, or a descriptor itself.
pub fn takes(descriptor: &str, parameters: &str) -> bool {
    let plain = |text: &str| -> String {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        text.replace("java.lang.", "")
    };
    let short = || format!("({})", naming::short_parameters(descriptor));
    parameters == descriptor
        || plain(parameters) == plain(&naming::parameters(descriptor))
        || plain(parameters) == plain(&short())
}

/// Parameters as they are printed, `(int[], String)`, or a whole descriptor as it is; none where a text is neither.
pub fn tidy(parameters: &str) -> Option<String> {
    let list = parameters.strip_prefix('(')?;
    let Some(list) = list.strip_suffix(')') else {
        let is_descriptor = descriptor::split(parameters).is_some();
        return is_descriptor.then(|| parameters.to_owned());
    };
    if list.trim().is_empty() {
        return Some("()".to_owned());
    }
    let types: Vec<String> = list
        .split(',')
        .map(|one| one.split_whitespace().collect())
        .collect();
    let is_type = |one: &String| {
        let name = one.trim_end_matches("[]").trim_end_matches("...");
        !name.is_empty() && !name.contains(['[', ']', ';', '/', '(', ')', '#'])
    };
    let whole = types.iter().all(is_type);
    whole.then(|| format!("({})", types.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_printed_in_one_way() {
        for (text, tidy_one) in [
            ("()", "()"),
            ("( )", "()"),
            ("(int,String)", "(int, String)"),
            ("( int [] ,  java.util.List )", "(int[], java.util.List)"),
            ("([I)V", "([I)V"),
        ] {
            assert_eq!(tidy(text).as_deref(), Some(tidy_one), "{text}");
        }
        for text in [
            "([I)",
            "(Ljava/lang/String;)",
            "(int,)",
            "(int)V",
            "(int",
            "int)",
            "(I)VV",
        ] {
            assert_eq!(tidy(text), None, "{text}");
        }
    }

    #[test]
    fn one_method_has_many_spellings() {
        let sort = (
            "org/example/Sorter$Fast",
            "sort",
            "([ILjava/lang/String;Ljava/util/List;)V",
        );
        for text in [
            "org.example.Sorter$Fast.sort",
            "org.example.Sorter$Fast#sort",
            "org/example/Sorter$Fast.sort",
            "org.example.Sorter$Fast.sort(int[], String, java.util.List)",
            "org.example.Sorter$Fast#sort(int[],java.lang.String,java.util.List)",
            "org.example.Sorter$Fast.sort(int[], String, List)",
            "org/example/Sorter$Fast.sort([ILjava/lang/String;Ljava/util/List;)V",
        ] {
            let spelling = Spelling::of(text).unwrap();
            assert!(spelling.means(sort.0, sort.1, sort.2), "{text}");
        }
        for text in [
            "org.example.Sorter.sort",
            "Fast.sort",
            "org.example.Sorter$Fast.sort(int[])",
            "org.example.Sorter$Fast.sorted",
        ] {
            let spelling = Spelling::of(text).unwrap();
            assert!(!spelling.means(sort.0, sort.1, sort.2), "{text}");
        }
        for text in ["", "sort", ".sort", "Sorter.", "Sorter#", "Sorter.sort(int"] {
            assert_eq!(Spelling::of(text), None, "{text}");
        }
    }
}
