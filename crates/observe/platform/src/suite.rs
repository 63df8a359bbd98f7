//! The benchmark programs, read from their tables and made into class files.
//!
//! Each is a loop of so many steps in a method of its own, so that the compiler sees it alone; what it works on was prepared before. Values
//! go from step to step, into what the method returns and from there into a field, or nothing would keep the compiler from leaving them out
//! (Krogmann et al. 2010, section 3.5, meet the same need with helper instructions that they subtract; here they are counted).

use std::fmt::Write as _;
use std::path::Path;

use pricetag_file::sealed::digest;

use crate::MeasureError;
use crate::assembly::ClassWriter;

/// The class with the benchmarks, which is the program.
pub const SUITE: &str = "PricetagSuite";
/// Its method that runs one benchmark: which, how often, with how many steps.
pub const RUN: &str = "run";

const LANGUAGE: &str = include_str!("../suite/language.txt");
const LIBRARY: &str = include_str!("../suite/library.txt");
const PREPARE: &str = include_str!("../suite/prepare.txt");
const HARNESS: &str = include_str!("../suite/harness.txt");

/// One benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Its group.
    pub group: String,
    /// Steps of one call.
    pub steps: u32,
    /// Units of sizes that one step works on.
    pub sizes: Vec<(String, u32)>,
    before: String,
    step: String,
    after: String,
}

/// All of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// In the order of the tables.
    pub programs: Vec<Program>,
}

impl Suite {
    /// The suite that comes with Pricetag.
    ///
    /// # Errors
    /// If its tables are not well formed, which a test excludes.
    pub fn shipped() -> Result<Self, MeasureError> {
        let mut programs = parse(LANGUAGE)?;
        programs.extend(parse(LIBRARY)?);
        Ok(Self { programs })
    }

    /// Tells suites apart.
    pub fn digest(&self) -> String {
        digest(format!("{LANGUAGE}{LIBRARY}{PREPARE}{HARNESS}").as_bytes())
    }

    /// Writes the class files into a folder, from where `java -cp FOLDER PricetagSuite` runs them.
    ///
    /// # Errors
    /// If a table does not assemble, or a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), MeasureError> {
        for (name, bytes) in self.classes()? {
            let file = folder.join(format!("{name}.class"));
            std::fs::write(&file, bytes).map_err(|source| MeasureError::Io {
                action: "write",
                path: file.clone(),
                source,
            })?;
        }
        Ok(())
    }

    fn classes(&self) -> Result<Vec<(String, Vec<u8>)>, MeasureError> {
        let mut classes = helpers()?;
        let mut suite = ClassWriter::new(SUITE, "java/lang/Object", &[]);
        suite.function("<clinit>", "()V", PREPARE)?;
        let mut dispatch = String::new();
        for (index, program) in self.programs.iter().enumerate() {
            let name = format!("benchmark{index}");
            suite.function(&name, "(I)I", &kernel(program))?;
            let calls = calls(&name);
            // Writing into a string cannot fail.
            let _ = writeln!(
                dispatch,
                "iload 0 ; int {index} ; if_icmpne next{index}\n{calls}\nnext{index}:"
            );
        }
        dispatch.push_str("return");
        suite.function(RUN, "(III)V", &dispatch)?;
        for (header, text) in sections(HARNESS) {
            let (name, descriptor) = header.split_once(' ').unwrap_or((header, "()V"));
            suite.function(name, descriptor, &text)?;
        }
        classes.push((SUITE.to_owned(), suite.finish()?));
        Ok(classes)
    }
}

/// Calls a benchmark as often as is wanted.
fn calls(name: &str) -> String {
    format!(
        "iconst_0 ; istore 3\n{name}:\niload 3 ; iload 1 ; if_icmpge {name}done\n\
         getstatic $.sink:I ; iload 2 ; invokestatic $.{name}(I)I ; ixor ; putstatic $.sink:I\n\
         iinc 3 1 ; goto {name}\n{name}done:\nreturn\n"
    )
}

fn kernel(program: &Program) -> String {
    format!(
        "iconst_0 ; istore 1 ; iconst_1 ; istore 2 ; lconst_1 ; lstore 3 ; dconst_1 ; dstore 5\n\
         iconst_0 ; istore 9 ; iconst_0 ; istore 10\n{}\ngoto bench_test\nbench_step:\n{}\niinc 1 1\n\
         bench_test:\niload 1 ; iload 0 ; if_icmplt bench_step\n{}\n\
         iload 2 ; lload 3 ; l2i ; ixor ; dload 5 ; d2i ; ixor ; iload 9 ; ixor ; ireturn",
        program.before, program.step, program.after
    )
}

/// The classes that calls are dispatched over.
fn helpers() -> Result<Vec<(String, Vec<u8>)>, MeasureError> {
    let constructor = |class: &mut ClassWriter, parent: &str| {
        let text = format!("aload 0 ; invokespecial {parent}.<init>()V ; return");
        class.method("<init>", "()V", &text)
    };
    let mut out = Vec::new();
    let mut shape = ClassWriter::interface("PricetagShape");
    shape.declaration("edge", "(I)I")?;
    out.push(("PricetagShape".to_owned(), shape.finish()?));
    let mut base = ClassWriter::new("PricetagBase", "java/lang/Object", &["PricetagShape"]);
    base.field("value", "I", 1);
    base.field("other", "I", 1);
    base.field("next", "LPricetagBase;", 1);
    constructor(&mut base, "java/lang/Object")?;
    base.make_abstract();
    base.declaration("area", "(I)I")?;
    out.push(("PricetagBase".to_owned(), base.finish()?));
    for (number, operation) in ["iadd", "ixor", "imul", "isub"].into_iter().enumerate() {
        let name = format!("PricetagShape{number}");
        let mut class = ClassWriter::new(&name, "PricetagBase", &[]);
        constructor(&mut class, "PricetagBase")?;
        let text =
            format!("iload 1 ; aload 0 ; getfield PricetagBase.other:I ; {operation} ; ireturn");
        class.method("area", "(I)I", &text)?;
        class.method("edge", "(I)I", &text)?;
        out.push((name, class.finish()?));
    }
    let interfaces = [
        "java/util/function/IntUnaryOperator",
        "java/util/function/IntPredicate",
    ];
    let mut operator = ClassWriter::new("PricetagOperator", "java/lang/Object", &interfaces);
    constructor(&mut operator, "java/lang/Object")?;
    operator.method("applyAsInt", "(I)I", "iload 1 ; iconst_3 ; imul ; ireturn")?;
    operator.method("test", "(I)Z", "iload 1 ; iconst_1 ; iand ; ireturn")?;
    out.push(("PricetagOperator".to_owned(), operator.finish()?));
    out.extend(loading()?);
    Ok(out)
}

/// A loader that makes a new class of the same bytes each time, and classes for it: one of few methods, one of many.
fn loading() -> Result<Vec<(String, Vec<u8>)>, MeasureError> {
    const METHODS: u32 = 40;
    let mut loader = ClassWriter::new("PricetagLoader", "java/lang/ClassLoader", &[]);
    loader.method(
        "<init>",
        "()V",
        "aload 0 ; invokespecial java/lang/ClassLoader.<init>()V ; return",
    )?;
    loader.method(
        "fresh",
        "([B)Ljava/util/function/IntUnaryOperator;",
        "aload 0 ; aconst_null ; aload 1 ; iconst_0 ; aload 1 ; arraylength
         invokevirtual java/lang/ClassLoader.defineClass(Ljava/lang/String;[BII)Ljava/lang/Class;
         invokevirtual java/lang/Class.newInstance()Ljava/lang/Object;
         checkcast java/util/function/IntUnaryOperator ; areturn",
    )?;
    let mut out = vec![("PricetagLoader".to_owned(), loader.finish()?)];
    for (name, methods) in [("PricetagFew", 1), ("PricetagMany", METHODS)] {
        let interfaces = ["java/util/function/IntUnaryOperator"];
        let mut class = ClassWriter::new(name, "java/lang/Object", &interfaces);
        class.method(
            "<init>",
            "()V",
            "aload 0 ; invokespecial java/lang/Object.<init>()V ; return",
        )?;
        let mut calls = String::from("iload 1 ; ifeq none\n");
        for i in 0..methods {
            // Writing into a string cannot fail.
            let _ = writeln!(calls, "iload 1 ; invokestatic $.part{i}(I)I ; istore 1");
            let text = format!(
                "iload 0 ; int {} ; imul ; int {i} ; iadd ; istore 1 ; iload 1 ; ifge up ; iload 1 ; ineg ; istore 1\n\
                 up:\niload 1 ; iload 0 ; ixor ; int 7 ; iushr ; iload 1 ; iadd ; ireturn",
                2 * i + 3
            );
            class.function(&format!("part{i}"), "(I)I", &text)?;
        }
        calls.push_str("none:\niload 1 ; ireturn");
        class.method("applyAsInt", "(I)I", &calls)?;
        out.push((name.to_owned(), class.finish()?));
    }
    Ok(out)
}

/// Sections that begin with `= header`.
fn sections(text: &str) -> Vec<(&str, String)> {
    let mut out: Vec<(&str, String)> = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        if let Some(header) = line.strip_prefix("= ") {
            out.push((header, String::new()));
        } else if let Some((_, body)) = out.last_mut() {
            body.push_str(line);
            body.push('\n');
        }
    }
    out
}

fn parse(text: &str) -> Result<Vec<Program>, MeasureError> {
    let malformed = |header: &str| MeasureError::Assembly {
        method: header.to_owned(),
        instruction: header.to_owned(),
        why: "not `= name | group | steps`".to_owned(),
    };
    let mut out = Vec::new();
    for (header, body) in sections(text) {
        let parts: Vec<&str> = header.split(" | ").collect();
        let [name, group, steps] = parts[..] else {
            return Err(malformed(header));
        };
        let lines = |prefix: &str| {
            let lines = body.lines().filter_map(|l| l.strip_prefix(prefix));
            lines.collect::<Vec<_>>().join("\n")
        };
        let sizes = body.lines().filter_map(|l| l.strip_prefix("+ "));
        let sizes = sizes.map(|line| {
            let (what, amount) = line.split_once(" = ")?;
            Some((what.to_owned(), amount.parse().ok()?))
        });
        let step = body.lines().filter(|l| !l.starts_with(['-', '>', '+']));
        out.push(Program {
            name: name.to_owned(),
            group: group.to_owned(),
            steps: steps.parse().map_err(|_| malformed(header))?,
            sizes: sizes
                .collect::<Option<_>>()
                .ok_or_else(|| malformed(header))?,
            before: lines("- "),
            step: step.collect::<Vec<_>>().join("\n"),
            after: lines("> "),
        });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pricetag_classfile::ClassFile;
    use std::collections::BTreeSet;

    #[test]
    fn the_shipped_suite_assembles_into_classes_that_can_be_read() {
        let suite = Suite::shipped().unwrap();
        assert!(suite.programs.len() >= 90, "{}", suite.programs.len());
        let names: BTreeSet<&str> = suite.programs.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names.len(), suite.programs.len(), "names are unique");
        for (name, bytes) in suite.classes().unwrap() {
            let class = ClassFile::parse(&bytes).unwrap();
            assert_eq!(class.name(), name);
            for method in class.methods() {
                if let Some(code) = method.code(class.constants()).unwrap() {
                    assert!(!code.instructions().unwrap().is_empty(), "{name}");
                }
            }
        }
    }

    #[test]
    fn mistakes_name_method_and_instruction() {
        let mut class = ClassWriter::new("C", "java/lang/Object", &[]);
        let refused = class.function("f", "()V", "iconst_0 ; iadd 3").unwrap_err();
        let text = refused.to_string();
        assert!(text.contains('f') && text.contains("iadd 3"), "{text}");
        let refused = class.function("f", "()V", "jump").unwrap_err();
        assert!(refused.to_string().contains("no such instruction"));
    }
}
