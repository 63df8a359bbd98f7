//! The test methods in a folder or jar of test classes, by their annotations: each becomes a scope, and each of its invocations a benchmark.
//!
//! What a framework runs is seen by the annotations of JUnit 4 and 5, TestNG and JMH, and by the names of JUnit 3. So any launcher will do, and nothing is added to the
//! tests' class path. Limits: annotations that a project derived from those are not followed, nor is a class annotated as a whole (TestNG); what
//! runs before and after a test is no part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use pricetag_classfile::{ClassFile, annotation};
use pricetag_trace::MethodScope;

/// Annotations of test methods and benchmarks.
const TESTS: [&str; 8] = [
    "Lorg/junit/Test;",
    "Lorg/junit/jupiter/api/Test;",
    "Lorg/junit/jupiter/api/RepeatedTest;",
    "Lorg/junit/jupiter/api/TestTemplate;",
    "Lorg/junit/jupiter/params/ParameterizedTest;",
    "Lorg/testng/annotations/Test;",
    "Lnet/jqwik/api/Property;",
    "Lorg/openjdk/jmh/annotations/Benchmark;",
];
/// The class that tests of JUnit 3 extend.
const TEST_CASE: &str = "junit/framework/TestCase";
/// Access flags of a method that cannot be called.
const ABSTRACT: u16 = 0x0400;

/// Why there are no test methods.
#[derive(Debug, thiserror::Error)]
pub enum TestsError {
    /// The system said no.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// A jar that is none.
    #[error("{path} is no jar: {why}")]
    Jar {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A class file that is none.
    #[error("{0} is no class file: {1}")]
    Class(String, pricetag_classfile::ClassFileError),
    /// No test.
    #[error(
        "{0} has no methods that are annotated as tests of JUnit or TestNG, or as benchmarks of JMH"
    )]
    None(PathBuf),
}

/// The test methods of a folder of class files, or of a jar.
///
/// # Errors
/// If it cannot be read, or has none.
pub fn test_methods(place: &Path) -> Result<Vec<MethodScope>, TestsError> {
    let mut classes = Classes::default();
    if place.is_dir() {
        in_folder(place, &mut classes)?;
    } else {
        in_jar(place, &mut classes)?;
    }
    let found = classes.tests();
    if found.is_empty() {
        return Err(TestsError::None(place.to_owned()));
    }
    let scopes = found
        .into_iter()
        .map(|(class, method, descriptor)| MethodScope {
            class: class.replace('/', "."),
            method,
            descriptor: Some(descriptor),
            all_threads: false,
        });
    Ok(scopes.collect())
}

/// Class, method and descriptor.
type Name = (String, String, String);

/// What was found in class files.
#[derive(Default)]
struct Classes {
    /// Methods with an annotation.
    annotated: BTreeSet<Name>,
    /// Methods that are tests if their class is a test of JUnit 3.
    named: BTreeSet<Name>,
    /// What each class extends.
    extends: BTreeMap<String, String>,
}

impl Classes {
    fn tests(self) -> BTreeSet<Name> {
        let is_test = |class: &str| {
            // Damaged class files may extend one another in a circle.
            let mut at = class;
            for _ in 0..=self.extends.len() {
                match self.extends.get(at) {
                    Some(above) if above == TEST_CASE => return true,
                    Some(above) => at = above,
                    None => return false,
                }
            }
            false
        };
        let named = self.named.iter().filter(|(class, _, _)| is_test(class));
        let named: BTreeSet<Name> = named.cloned().collect();
        named.union(&self.annotated).cloned().collect()
    }
}

fn is_class(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "class")
}

fn in_folder(folder: &Path, found: &mut Classes) -> Result<(), TestsError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| TestsError::Io { path, source }
    };
    for entry in std::fs::read_dir(folder).map_err(io(folder))? {
        let path = entry.map_err(io(folder))?.path();
        if path.is_dir() {
            in_folder(&path, found)?;
        } else if is_class(&path) {
            let bytes = std::fs::read(&path).map_err(io(&path))?;
            in_class(&bytes, &path.display().to_string(), found)?;
        }
    }
    Ok(())
}

fn in_jar(path: &Path, found: &mut Classes) -> Result<(), TestsError> {
    let file = std::fs::File::open(path).map_err(|source| TestsError::Io {
        path: path.to_owned(),
        source,
    })?;
    let jar = |why: String| TestsError::Jar {
        path: path.to_owned(),
        why,
    };
    let mut archive = zip::ZipArchive::new(file).map_err(|e| jar(e.to_string()))?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|e| jar(e.to_string()))?;
        let name = entry.name().map_err(|e| jar(e.to_string()))?.into_owned();
        // Classes for other releases replace those beside them.
        if !is_class(Path::new(&name)) || name.starts_with("META-INF/") {
            continue;
        }
        let mut bytes = Vec::new();
        entry
            .read_to_end(&mut bytes)
            .map_err(|e| jar(e.to_string()))?;
        in_class(&bytes, &format!("{name} in {}", path.display()), found)?;
    }
    Ok(())
}

fn in_class(bytes: &[u8], shown: &str, found: &mut Classes) -> Result<(), TestsError> {
    let bad = |error| TestsError::Class(shown.to_owned(), error);
    let class = ClassFile::parse(bytes).map_err(bad)?;
    let constants = class.constants();
    found
        .extends
        .extend(class.super_name().map(|above| (class.name(), above)));
    for method in class.methods() {
        let (name, descriptor) = (method.name(constants), method.descriptor(constants));
        let annotated = match method
            .attributes
            .find(constants, "RuntimeVisibleAnnotations")
        {
            Some(attribute) => annotation::types(&attribute, constants).map_err(bad)?,
            None => Vec::new(),
        };
        let is_test = annotated.iter().any(|name| TESTS.contains(&name.as_str()));
        if method.access & ABSTRACT != 0 {
            continue;
        }
        let old = name.starts_with("test") && descriptor == "()V";
        let method = (class.name(), name, descriptor);
        if is_test {
            found.annotated.insert(method);
        } else if old {
            found.named.insert(method);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_tests_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let told = |place: &Path| test_methods(place).unwrap_err().to_string();
        assert!(told(dir.path()).contains("no methods that are annotated"));
        assert!(told(&dir.path().join("absent.jar")).contains("cannot read"));
        std::fs::write(dir.path().join("A.class"), b"nothing").unwrap();
        assert!(told(dir.path()).contains("A.class is no class file"));
        let jar = dir.path().join("a.jar");
        std::fs::write(&jar, b"PK").unwrap();
        assert!(told(&jar).contains("no jar"));
    }
}
