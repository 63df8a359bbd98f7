//! Class loaders of the subject, and whether they find the helper.
//!
//! A rewritten class refers to `java.lang.Pricetag`, which the JVM resolves by asking the class's own loader the first time. If the
//! loader is the subject's, that runs the subject's code, which a run without the agent would not have done: so the agent
//! asks it beforehand, once, and takes back what was counted meanwhile. A loader that does not find the helper gets its
//! classes as they are.

use crate::jvm::{Jni, jobject};
use crate::session::Session;
use crate::unobserved;

/// Tags of loaders that have been asked.
const FINDS: i64 = 1;
const DOES_NOT_FIND: i64 = 2;

/// Whether classes of a loader may refer to the helper.
pub fn finds_helper(session: &Session, jni: Jni, loader: jobject) -> bool {
    if loader.is_null() {
        return true;
    }
    match session.jvmti.tag(loader) {
        FINDS => true,
        DOES_NOT_FIND => false,
        _ => {
            // Set first: the question may load and define further classes of this loader.
            let _ = session.jvmti.set_tag(loader, FINDS);
            let found = ask(session, jni, loader);
            let _ = session
                .jvmti
                .set_tag(loader, if found { FINDS } else { DOES_NOT_FIND });
            found
        }
    }
}

fn ask(session: &Session, jni: Jni, loader: jobject) -> bool {
    let Some(runtime) = session.runtime.get() else {
        return false;
    };
    let (found, new) = unobserved::run_any(session, jni, || {
        runtime.class_of(jni, c"java.lang.Pricetag", loader)
    });
    for class in new {
        let name = session
            .classes
            .get(class)
            .map_or_else(|| "?".to_owned(), |class| class.name.clone());
        session.inexact(format!(
            "{name}: may have run for the first time on a thread while a class loader was asked"
        ));
    }
    if let Some(found) = found {
        jni.delete_local(found);
    }
    found.is_some()
}
