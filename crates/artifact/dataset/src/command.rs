//! What a `java` command runs: options of the JVM, then the program, then the program's own arguments.
//!
//! Which options are followed by a value of their own is said by the launcher (`IsWhiteSpaceOption` in the JDK's `java.c`, as of JDK 25). Limits: argument files
//! (`@FILE`) are not opened; one that stands before the program is taken for it.

/// Options whose value is the next word.
const WITH_VALUE: [&str; 16] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--limit-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--patch-module",
    "--enable-native-access",
    "--source",
    "-d",
    "--describe-module",
];

/// What a launcher's arguments say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launched<'c> {
    /// The arguments up to the program, options of the JVM among them; all others are the program's own.
    pub words: &'c [String],
    /// The jar, module, class or source file.
    pub program: &'c str,
    /// Whether it is the name of a class, or a source file.
    pub class: bool,
}

/// Finds the program among the arguments of `java`; none if there are only options.
pub fn launched(arguments: &[String]) -> Option<Launched<'_>> {
    let named = |last: usize, program, class| {
        Some(Launched {
            words: &arguments[..=last],
            program,
            class,
        })
    };
    let mut class = true;
    let mut words = arguments.iter().enumerate();
    while let Some((at, word)) = words.next() {
        match word.as_str() {
            // Options may stand between it and the jar.
            "-jar" => class = false,
            "-m" | "--module" => {
                let (at, module) = words.next()?;
                return named(at, module, false);
            }
            option if WITH_VALUE.contains(&option) => {
                words.next();
            }
            option if option.starts_with('-') => {
                if let Some(module) = option.strip_prefix("--module=") {
                    return named(at, module, false);
                }
            }
            program => return named(at, program, class),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_ends_the_words_of_the_launcher() {
        for (own, program, class) in [
            ("-Xmx1g -cp a:b org.x.Main", "org.x.Main", true),
            ("-jar lib/app.jar", "lib/app.jar", false),
            ("-jar -Xint app.jar", "app.jar", false),
            ("-p mods -m app/org.x.Main", "app/org.x.Main", false),
            ("--module=app/org.x.Main", "app/org.x.Main", false),
            ("--add-reads a=b --source 17 Main.java", "Main.java", true),
            ("{}", "{}", true),
        ] {
            let line = format!("{own} -jar x.jar {{}}");
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let found = launched(&words).unwrap();
            assert_eq!(found.words.join(" "), own);
            assert_eq!((found.program, found.class), (program, class), "{own}");
        }
        for options in [&["-version"][..], &["-cp", "a"], &["-jar"], &["-m"], &[]] {
            let words: Vec<String> = options.iter().map(|&word| word.to_owned()).collect();
            assert_eq!(launched(&words), None, "{options:?}");
        }
    }
}
