//! Which classes belong to the subject.
//!
//! The subject's classes are those that neither the boot nor the platform loader defined, and that the include and
//! exclude patterns select. JDK tools on the application loader, such as `com.sun.tools.javac`, are the subject's where a
//! pattern includes them: a program that compiles something is not the compiler. The reflection glue the JVM spins itself (`jdk.internal.reflect`) never is, nor is the agent's own helper.

use std::sync::Arc;

use crate::jvm::{Jni, jobject};
use crate::session::{Session, lock};

/// Internal name of the helper in the boot loader.
pub const HELPER: &str = "java/lang/Pricetag";

/// Internal names of JDK classes that are never touched, since probes or the agent need them to run.
const NEVER: [&str; 4] = [
    HELPER,
    "java/lang/Thread",
    "java/lang/Object",
    "java/lang/VirtualThread",
];

/// Packages that the JVM fills at run time with classes it does not verify.
const GLUE: [&str; 3] = ["jdk/internal/reflect/", "sun/reflect/", "java/lang/invoke/"];

/// Packages of the JDK's tools, which the application loader defines.
const TOOLS: [&str; 4] = ["com/sun/tools/", "com/sun/source/", "jdk/", "sun/"];

/// Whether a class of the given loader and internal name is to be counted.
pub fn selected(session: &Session, jni: Jni, loader: jobject, name: &str) -> bool {
    if spun(name) || NEVER.contains(&name) || GLUE.iter().any(|package| name.starts_with(package)) {
        return false;
    }
    let selection = Arc::clone(&lock(&session.selection));
    if selection.include.is_empty() && TOOLS.iter().any(|package| name.starts_with(package)) {
        return false;
    }
    if runtime_loader(session, jni, loader)
        && (!selection.count_jdk || selection.include.is_empty())
    {
        return false;
    }
    selection.selects(&name.replace('/', "."))
}

/// Whether the JDK spins classes of such names for lambdas: they hold no code of the subject.
pub fn spun(name: &str) -> bool {
    name.contains("$$Lambda")
}

/// Whether a loader is the boot loader (null) or the platform loader.
pub fn runtime_loader(session: &Session, jni: Jni, loader: jobject) -> bool {
    if loader.is_null() {
        return true;
    }
    let platform = session
        .runtime
        .get()
        .and_then(|runtime| runtime.platform_loader);
    platform.is_some_and(|platform| jni.same(platform.0, loader))
}
