//! The class-file hook: decides what happens to a class that is being loaded.
//!
//! Runs on whatever thread loads the class. Planning and rewriting is done by the [`crate::worker`]; what an earlier run rewrote is taken here.

use std::ffi::CStr;

use pricetag_classfile::ClassFile;
use pricetag_instrument::{
    CallerProbes, RewriteError, ScopeMethod, ScopeProbe, Wiring, add_thread_fields, rewrite,
    rewrite_timed,
};
use pricetag_probe_plan::{ClassHash, ClassPlan, MethodOutcome};
use pricetag_trace::{AgentOptions, Mode, Parameters, Record, Scope};

use crate::block_times::chosen;
use crate::classes::ClassIndex;
use crate::hidden;
use crate::jvm::{Jni, decode, jclass, jobject};
use crate::loaders;
use crate::rewritten::{Rewritten, code_lengths};
use crate::scope::MAIN;
use crate::session::Session;
use crate::skipped::Skipped;
use crate::subject;

/// A class on its way into the JVM.
pub struct Incoming<'a> {
    /// None before `VMStart`.
    pub jni: Option<Jni>,
    /// Whether the class is loaded already and about to change.
    pub redefined: bool,
    /// Its loader; null for the boot loader.
    pub loader: jobject,
    /// Its internal name, if the JVM was told.
    pub name: Option<&'a CStr>,
    /// The class file.
    pub bytes: &'a [u8],
}

/// How many loaded classes are changed at once; the program stands still meanwhile.
const TOGETHER: usize = 64;
/// HotSpot compiles no method with more bytes of code, unless it was started with `-XX:-DontCompileHugeMethods`.
const HUGE: usize = 8000;
/// Why a method is left that counters would make so long.
const TOO_LONG: &str = "with counters it would have over 8,000 bytes, which this JVM does not compile (-XX:-DontCompileHugeMethods)";

/// The bytes to load instead; none to load the class as it is.
pub fn class_file(session: &'static Session, class: &Incoming<'_>) -> Option<Vec<u8>> {
    let name = class.name.map(decode);
    let adds_fields = session.counting() && !session.late;
    if adds_fields && class.loader.is_null() && name.as_deref() == Some("java/lang/Thread") {
        return thread_class(session, class.bytes);
    }
    let jni = class.jni?;
    if session.is_dying() || session.is_resting() || session.runtime.get().is_none() {
        return None;
    }
    let name = match name {
        Some(name) => name,
        None => own_name(session, class.bytes)?,
    };
    if name == subject::HELPER {
        return None;
    }
    let blocks = session.options.mode == Mode::Blocks;
    let count =
        (session.counting() || blocks) && subject::selected(session, jni, class.loader, &name);
    let main = !blocks
        && session.main_class.may_be(&name)
        && !subject::runtime_loader(session, jni, class.loader);
    let scoped = session.scopes.concerns(&name);
    if !count && !main && !scoped {
        return None;
    }
    if !loaders::finds_helper(session, jni, class.loader) {
        session.left(
            &name,
            None,
            "its class loader does not find java.lang.Pricetag",
        );
        return None;
    }
    // Probes of scopes are no part of what is kept.
    let reuse = session.reuse.as_ref().filter(|_| count && !main && !scoped);
    let kept = reuse.and_then(|reuse| reuse.find(session, ClassHash::of(class.bytes)));
    let (index, rewritten) = if let Some(kept) = kept {
        kept
    } else {
        let request = Request {
            name: name.clone(),
            bytes: class.bytes.to_vec(),
            count,
            main,
        };
        let Some(outcome) = session.worker.run(move || request.serve(session)) else {
            session.left(&name, None, "the agent failed on this class");
            return None;
        };
        match outcome? {
            Outcome::Counted(index, rewritten) => {
                if let Some(reuse) = reuse {
                    let rewritten = rewritten.clone();
                    session.worker.post(move || reuse.keep(index, &rewritten));
                }
                (index, rewritten)
            }
            Outcome::Observed(bytes) => return Some(bytes),
        }
    };
    for (method, reason) in rewritten.left {
        session.left(&name, Some(method), reason);
    }
    if !session.chunks.reserve(jni, rewritten.counted.chunk) {
        session.left(&name, None, "no memory for its counters");
        return None;
    }
    let new_loader = !class.redefined;
    session
        .classes
        .define(index, &rewritten.counted, new_loader);
    Some(rewritten.bytes)
}

/// Whether classes may be wanted that are loaded before the agent can rewrite them: the JDK's own.
pub fn may_be_late(options: &AgentOptions) -> bool {
    let of_jdk = |class: &str| {
        ["java.", "javax.", "jdk.", "sun."]
            .iter()
            .any(|package| class.starts_with(package))
    };
    let mut scopes = options.scopes.iter();
    (options.count_jdk && options.mode == Mode::Count)
        || scopes.any(|scope| matches!(scope, Scope::Method(method) if of_jdk(&method.class)))
}

/// Rewrites wanted classes that were loaded before the agent could; from now on they are counted and observed.
pub fn retransform_loaded(session: &Session, jni: Jni) {
    retransform(session, jni, |name, loader| {
        (session.counting() && subject::selected(session, jni, loader, name))
            || session.scopes.concerns(name)
    });
}

/// Sends loaded classes through the hook again, those of which `wanted` says so by name and loader.
pub fn retransform(session: &Session, jni: Jni, wanted: impl Fn(&str, jobject) -> bool) {
    let mut classes = Vec::new();
    for class in session.jvmti.loaded_classes() {
        let Some(name) = session.jvmti.class_name(class) else {
            jni.delete_local(class);
            continue;
        };
        if name.hidden {
            if session.late && !session.is_resting() {
                hidden_class(session, jni, class);
            }
        } else if let Some(loader) = session.jvmti.class_loader(class) {
            let wanted = wanted(&name.plain, loader);
            jni.delete_local(loader);
            if wanted {
                classes.push((class, name.plain));
                continue;
            }
        }
        jni.delete_local(class);
    }
    for some in classes.chunks(TOGETHER) {
        let handles: Vec<jclass> = some.iter().map(|(class, _)| *class).collect();
        if session.jvmti.retransform(&handles).is_ok() {
            continue;
        }
        for (class, name) in some {
            if let Err(error) = session.jvmti.retransform(&[*class]) {
                let why = format!(
                    "loaded before the agent, and cannot be changed (JVMTI error {})",
                    error.raw()
                );
                session.left(name, None, why);
            }
        }
    }
    for (class, _) in classes {
        jni.delete_local(class);
    }
}

/// A class is about to be used for the first time; hidden ones came by here only if their definition is intercepted.
pub fn hidden_class(session: &Session, jni: Jni, class: jclass) {
    let name = session.jvmti.class_name(class);
    let Some(plain) = name.filter(|name| name.hidden).map(|name| name.plain) else {
        return;
    };
    if hidden::intercepted() || subject::spun(&plain) {
        return;
    }
    let Some(loader) = session.jvmti.class_loader(class) else {
        return;
    };
    let selected = subject::selected(session, jni, loader, &plain);
    jni.delete_local(loader);
    if selected {
        session.left(
            &format!("{plain}/hidden"),
            None,
            "the JVM does not offer hidden classes to agents",
        );
    }
}

/// The name of a class that was defined without one.
fn own_name(session: &'static Session, bytes: &[u8]) -> Option<String> {
    let bytes = bytes.to_vec();
    let parsed = session
        .worker
        .run(move || ClassFile::parse(&bytes).map(|class| class.name()))?;
    if let (Err(error), true) = (&parsed, session.counting()) {
        session.left("?", None, error.to_string());
    }
    parsed.ok()
}

fn thread_class(session: &'static Session, bytes: &[u8]) -> Option<Vec<u8>> {
    let bytes = bytes.to_vec();
    match session.worker.run(move || add_thread_fields(&bytes)) {
        Some(Ok(bytes)) => Some(bytes),
        Some(Err(error)) => {
            session.left("java/lang/Thread", None, error.to_string());
            None
        }
        None => None,
    }
}

/// What is to be done with a class.
struct Request {
    name: String,
    bytes: Vec<u8>,
    count: bool,
    /// Whether it may be the main class.
    main: bool,
}

/// What became of it.
enum Outcome {
    /// It counts; so does one whose blocks are timed, as far as the agent is concerned.
    Counted(ClassIndex, Rewritten),
    /// Methods of it are observed, no more.
    Observed(Vec<u8>),
}

impl Request {
    fn serve(self, session: &Session) -> Option<Outcome> {
        let class = match ClassFile::parse(&self.bytes) {
            Ok(class) => class,
            Err(error) => {
                session.left(&self.name, None, error.to_string());
                return None;
            }
        };
        let mut scopes = session.scopes.probes(&class.name());
        if self.main {
            scopes.extend(
                session
                    .main_class
                    .inspect(&class)
                    .map(|descriptor| ScopeProbe {
                        id: MAIN,
                        method: "main".to_owned(),
                        descriptor: Some(descriptor.to_owned()),
                    }),
            );
        }
        if !self.count {
            return self.wire(session, &scopes);
        }
        let (plan, stored) = match self.plan(session, &class) {
            Ok(planned) => planned,
            Err(reason) => {
                session.left(&self.name, None, reason);
                return self.wire(session, &scopes);
            }
        };
        self.instrument(session, &plan, stored, &scopes)
    }

    /// Observes methods without counting.
    fn wire(&self, session: &Session, scopes: &[ScopeProbe]) -> Option<Outcome> {
        if scopes.is_empty() {
            return None;
        }
        match rewrite(
            &self.bytes,
            None,
            &Wiring {
                class_index: 0,
                scopes,
                caught: false,
                ..Wiring::default()
            },
        ) {
            Ok(rewritten) => {
                self.refused(session, &rewritten.refused_scopes);
                self.named(session, &rewritten.scopes);
                Some(Outcome::Observed(rewritten.bytes))
            }
            Err(error) => {
                session.left(&self.name, None, error.to_string());
                None
            }
        }
    }

    /// The stored plan, or a new one, and its bytes where classes are kept.
    fn plan(
        &self,
        session: &Session,
        class: &ClassFile<'_>,
    ) -> Result<(ClassPlan, Vec<u8>), String> {
        let store = session.plans()?;
        let hash = ClassHash::of(&self.bytes);
        let skipped = Skipped::of(&session.options, &class.name(), hash);
        if let Ok(Some(plan)) = store.load(hash)
            && skipped.agrees(&plan)
        {
            let stored = session.reuse.as_ref().map(|_| plan.to_bytes());
            let stored = stored.transpose().map_err(|error| error.to_string())?;
            return Ok((plan, stored.unwrap_or_default()));
        }
        // A damaged plan is replaced.
        let plan = skipped.plan(class, &self.bytes);
        let stored = plan.to_bytes().map_err(|error| error.to_string())?;
        store.store_bytes(hash, &stored).map_err(|error| {
            eprintln!("pricetag: {error}");
            session.stop_recording();
            error.to_string()
        })?;
        Ok((plan, stored))
    }

    fn instrument(
        &self,
        session: &Session,
        plan: &ClassPlan,
        stored: Vec<u8>,
        scopes: &[ScopeProbe],
    ) -> Option<Outcome> {
        let index = session.classes.index(plan.hash);
        let result = if session.options.mode == Mode::Blocks {
            session.block_times.define(index, plan);
            rewrite_timed(&self.bytes, plan, index.0, &|method| {
                chosen(
                    &session.options,
                    &plan.name,
                    &method.name,
                    &method.descriptor,
                )
            })
        } else {
            let numbered = || {
                let methods = plan.methods.len();
                session.callers.number(index, plan.hash, methods)
            };
            let wiring = Wiring {
                class_index: index.0,
                scopes,
                caught: session.options.caught,
                callers: session.options.by_caller().then(|| CallerProbes {
                    first: numbered(),
                    loops: session.options.callers,
                    invocations: session.options.invocations,
                }),
                calls: session.options.calls.is_some(),
                asked: &[],
            };
            self.count_asking(session, plan, &wiring)
        };
        let rewritten = match result {
            Ok(rewritten) => rewritten,
            Err(error) => {
                session.left(&self.name, None, error.to_string());
                return None;
            }
        };
        self.refused(session, &rewritten.refused_scopes);
        self.named(session, &rewritten.scopes);
        for (method, _) in &rewritten.without_callers {
            session.callers.silence(plan.hash, *method);
        }
        let rewritten = Rewritten::of(self.name.clone(), plan, rewritten, stored);
        Some(Outcome::Counted(index, rewritten))
    }

    /// The same, with the calls that may leave written down if that is wanted.
    fn count_asking(
        &self,
        session: &Session,
        plan: &ClassPlan,
        wiring: &Wiring<'_>,
    ) -> Result<pricetag_instrument::Rewritten, RewriteError> {
        let calls = session.options.calls.as_ref();
        if !calls.is_some_and(|calls| calls.which.leaving) {
            return self.count(session, plan, wiring);
        }
        let asking = |all| {
            let sites = session.calls.asked.sites(plan, all);
            let wiring = Wiring {
                asked: &sites,
                ..*wiring
            };
            self.count(session, plan, &wiring)
        };
        let rewritten = asking(false)?;
        // Calls of a method that is not counted after all leave, too.
        if rewritten.left.is_empty() {
            Ok(rewritten)
        } else {
            asking(true)
        }
    }

    /// Counters for the methods of a plan. In a JVM that compiles no huge methods those are left that would only become one by them.
    fn count(
        &self,
        session: &Session,
        plan: &ClassPlan,
        wiring: &Wiring<'_>,
    ) -> Result<pricetag_instrument::Rewritten, RewriteError> {
        let rewritten = rewrite(&self.bytes, Some(plan), wiring)?;
        if !session.late {
            return Ok(rewritten);
        }
        let before = code_lengths(&self.bytes);
        let grown = |rewritten: &pricetag_instrument::Rewritten| -> Vec<usize> {
            let after = code_lengths(&rewritten.bytes);
            (0..after.len().min(before.len()))
                .filter(|&index| before[index] <= HUGE && after[index] > HUGE)
                .collect()
        };
        let long = grown(&rewritten);
        if long.is_empty() {
            return Ok(rewritten);
        }
        let mut fewer = plan.clone();
        for &index in &long {
            fewer.methods[index].outcome = MethodOutcome::Left(TOO_LONG.to_owned());
        }
        let mut rewritten = rewrite(&self.bytes, Some(&fewer), wiring)?;
        let left = long.into_iter();
        rewritten
            .left
            .extend(left.map(|index| (index as u16, TOO_LONG.to_owned())));
        Ok(rewritten)
    }

    /// Records what the parameters of scopes are called, other than those of `main`.
    fn named(&self, session: &Session, scopes: &[ScopeMethod]) {
        for method in scopes {
            if let Ok(scope) = u32::try_from(method.id) {
                session.record(&Record::Parameters(Parameters {
                    scope,
                    class: self.name.clone(),
                    method: method.method.clone(),
                    names: method.parameters.clone(),
                }));
            }
        }
    }

    fn refused(&self, session: &Session, refused: &[(i32, String)]) {
        for (id, reason) in refused {
            session.left(
                &self.name,
                Some(session.scopes.label(*id)),
                format!("not observed: {reason}"),
            );
        }
    }
}
