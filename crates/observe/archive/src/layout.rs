//! Where things are in an archive, by the names of its entries.
//!
//! A war is told by its `WEB-INF/` (Jakarta Servlet 6.0, §10.5), an executable archive of Spring Boot by its `BOOT-INF/`; a class below
//! `META-INF/versions/` is a version of one (JAR specification, "Multi-release JAR files").

/// Our part of an instrumented archive.
pub(crate) const OURS: &str = "META-INF/pricetag/";

/// What kind of archive it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Classes at the root; libraries of Spring Boot below `BOOT-INF/lib/`.
    Jar,
    /// Classes below `WEB-INF/classes/`, libraries below `WEB-INF/lib/`.
    War,
    /// A library inside another archive.
    Nested,
}

/// What an entry is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A class that is loaded where it sees the counters.
    Class,
    /// A class that is loaded where it does not.
    BlindClass,
    /// The description of the module that the archive is.
    Module,
    /// A library in which there are classes.
    Library,
    /// A library that is not looked into.
    OtherLibrary,
    /// A signature or a signature's list of digests.
    Signature,
    /// The list of packages of a group of jars, which ours is not on.
    Index,
    /// Anything else.
    Other,
}

impl Kind {
    /// The kind of an outer archive.
    pub(crate) fn of<'n>(mut names: impl Iterator<Item = &'n str>) -> Self {
        if names.any(|name| name.starts_with("WEB-INF/")) {
            Self::War
        } else {
            Self::Jar
        }
    }

    /// Where classes are that every class of the archive sees.
    pub(crate) fn root(self) -> &'static str {
        match self {
            Self::War => "WEB-INF/classes/",
            Self::Jar | Self::Nested => "",
        }
    }

    /// What an entry is.
    pub(crate) fn role(self, name: &str) -> Role {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        if is_signature(name) {
            Role::Signature
        } else if name.eq_ignore_ascii_case("META-INF/INDEX.LIST") {
            Role::Index
        } else if name.ends_with("module-info.class") {
            let own = name
                .strip_prefix("META-INF/versions/")
                .map_or(name, |rest| rest.split_once('/').map_or(rest, |(_, n)| n));
            match self {
                Self::Jar if own == "module-info.class" => Role::Module,
                _ => Role::Other,
            }
        } else if extension == "class" {
            if self == Self::War && !name.starts_with(self.root()) {
                Role::BlindClass
            } else {
                Role::Class
            }
        } else if extension == "jar" {
            let folders: &[&str] = match self {
                Self::Jar => &["BOOT-INF/lib/"],
                Self::War => &["WEB-INF/lib/", "WEB-INF/lib-provided/"],
                Self::Nested => &[],
            };
            if folders.iter().any(|folder| name.starts_with(folder)) {
                Role::Library
            } else {
                Role::OtherLibrary
            }
        } else {
            Role::Other
        }
    }
}

/// Whether an entry belongs to a signature (JAR specification, "Signed JAR file").
pub(crate) fn is_signature(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let Some(file) = upper.strip_prefix("META-INF/") else {
        return false;
    };
    let extension = file.rsplit_once('.').map(|(_, extension)| extension);
    !file.contains('/')
        && (matches!(extension, Some("SF" | "RSA" | "DSA" | "EC")) || file.starts_with("SIG-"))
}

/// Whether a name leads out of the archive when somebody unpacks it.
pub(crate) fn escapes(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':');
    name.starts_with(['/', '\\']) || drive || name.split(['/', '\\']).any(|part| part == "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_of_entries() {
        let jar = Kind::of(["a/B.class", "META-INF/MANIFEST.MF"].into_iter());
        assert_eq!(jar, Kind::Jar);
        assert_eq!(jar.role("a/B.class"), Role::Class);
        assert_eq!(jar.role("META-INF/versions/11/a/B.class"), Role::Class);
        assert_eq!(jar.role("BOOT-INF/classes/a/B.class"), Role::Class);
        assert_eq!(jar.role("BOOT-INF/lib/x.jar"), Role::Library);
        assert_eq!(jar.role("lib/x.jar"), Role::OtherLibrary);
        assert_eq!(jar.role("module-info.class"), Role::Module);
        assert_eq!(
            jar.role("META-INF/versions/9/module-info.class"),
            Role::Module
        );
        assert_eq!(jar.role("META-INF/TEST.RSA"), Role::Signature);
        assert_eq!(jar.role("META-INF/sub/TEST.RSA"), Role::Other);
        let war = Kind::of(["WEB-INF/web.xml"].into_iter());
        assert_eq!(war.role("WEB-INF/classes/a/B.class"), Role::Class);
        assert_eq!(war.role("a/B.class"), Role::BlindClass);
        assert_eq!(war.role("WEB-INF/lib/x.jar"), Role::Library);
        assert_eq!(Kind::Nested.role("module-info.class"), Role::Other);
    }

    #[test]
    fn names_that_escape() {
        for name in ["../a", "a/../../b", "/etc/x", "C:\\x", "a\\..\\b"] {
            assert!(escapes(name), "{name}");
        }
        for name in ["a/..b/c", "a.b", "WEB-INF/x..y"] {
            assert!(!escapes(name), "{name}");
        }
    }
}
