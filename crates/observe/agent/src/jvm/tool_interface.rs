//! JVMTI: what an agent can ask of the JVM.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{NonNull, null_mut};

use jvmti_bindings::sys::{jni, jvmti};

use super::{ClassName, Id, Jni, decode, jclass, jint, jlong, jmethodID, jobject, jvmtiError};

/// The agent's JVMTI environment.
#[derive(Clone, Copy, Debug)]
pub struct Jvmti(NonNull<jvmti::jvmtiEnv>);

// SAFETY: a JVMTI environment may be used on any thread of the JVM.
unsafe impl Send for Jvmti {}
// SAFETY: as above.
unsafe impl Sync for Jvmti {}

/// What the JVM says about a thread.
#[derive(Clone, Debug)]
pub struct ThreadInfo {
    /// Its name.
    pub name: String,
    /// Whether the VM ends without it.
    pub daemon: bool,
}

impl Jvmti {
    /// Asks the VM for an environment.
    pub fn of(vm: *mut jni::JavaVM) -> Option<Self> {
        for version in [jvmti::JVMTI_VERSION_11, jvmti::JVMTI_VERSION_1_2] {
            let mut env = null_mut();
            // SAFETY: `vm` is what the JVM passed to the agent's entry point; the out-pointer is a live local.
            let result = unsafe { ((**vm).GetEnv)(vm, &raw mut env, version) };
            if result == jni::JNI_OK {
                return NonNull::new(env.cast()).map(Self);
            }
        }
        None
    }

    /// Feature release of the JVM's JVMTI: 17 for JDK 17.
    pub fn feature(self) -> u16 {
        let mut version = 0;
        let _ = jvmti_call!(self, GetVersionNumber, &raw mut version);
        jvmti::version_feature(version)
    }

    /// The capabilities that can be had now.
    pub fn potential_capabilities(self) -> jvmti::jvmtiCapabilities {
        let mut capabilities = jvmti::jvmtiCapabilities::default();
        let _ = jvmti_call!(self, GetPotentialCapabilities, &raw mut capabilities);
        capabilities
    }

    /// Takes capabilities.
    pub fn add_capabilities(self, wanted: &jvmti::jvmtiCapabilities) -> Result<(), jvmtiError> {
        jvmti_call!(self, AddCapabilities, &raw const *wanted)
    }

    /// Sets the callbacks, as many as this JVM knows.
    pub fn set_callbacks(self, callbacks: &jvmti::jvmtiEventCallbacks) -> Result<(), jvmtiError> {
        let size = jvmti::event_callbacks_size_for_feature(self.feature());
        jvmti_call!(self, SetEventCallbacks, &raw const *callbacks, size)
    }

    /// Switches an event on or off for all threads.
    pub fn notify(self, event: jvmti::jvmtiEvent, on: bool) -> Result<(), jvmtiError> {
        jvmti_call!(
            self,
            SetEventNotificationMode,
            jvmti::jvmtiEventMode::from(on),
            event,
            null_mut()
        )
    }

    /// Has the JVM tell again what it told before the event was switched on.
    pub fn generate_events(self, event: jvmti::jvmtiEvent) -> Result<(), jvmtiError> {
        jvmti_call!(self, GenerateEvents, event)
    }

    /// Bytes from one sampled allocation to the next, on average; only JDK 11 and later have the function.
    pub fn heap_sampling_interval(self, bytes: jint) -> Result<(), jvmtiError> {
        if self.feature() < 11 {
            return Err(jvmtiError::NOT_AVAILABLE);
        }
        jvmti_call!(self, SetHeapSamplingInterval, bytes)
    }

    /// A system property.
    pub fn property(self, name: &str) -> Option<String> {
        let name = CString::new(name).ok()?;
        let mut value = null_mut();
        jvmti_call!(self, GetSystemProperty, name.as_ptr(), &raw mut value).ok()?;
        self.take_text(value)
    }

    /// Memory that the JVM frees, filled with a copy of the bytes.
    pub fn allocate(self, bytes: &[u8]) -> Option<*mut u8> {
        let mut memory: *mut u8 = null_mut();
        jvmti_call!(self, Allocate, bytes.len() as jlong, &raw mut memory).ok()?;
        // SAFETY: the JVM has just allocated as many bytes.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), memory, bytes.len()) };
        Some(memory)
    }

    /// The current thread, as a local reference.
    pub fn current_thread(self) -> Option<jobject> {
        let mut thread = null_mut();
        jvmti_call!(self, GetCurrentThread, &raw mut thread).ok()?;
        (!thread.is_null()).then_some(thread)
    }

    /// All live platform threads, as local references.
    pub fn threads(self) -> Vec<jobject> {
        let (mut count, mut threads) = (0, null_mut());
        match jvmti_call!(self, GetAllThreads, &raw mut count, &raw mut threads) {
            Ok(()) => self.take_list(threads, count),
            Err(_) => Vec::new(),
        }
    }

    /// Name and kind of a thread.
    pub fn thread_info(self, jni: Jni, thread: jobject) -> Option<ThreadInfo> {
        let mut info = jvmti::jvmtiThreadInfo::default();
        jvmti_call!(self, GetThreadInfo, thread, &raw mut info).ok()?;
        for reference in [info.thread_group, info.context_class_loader] {
            if !reference.is_null() {
                jni.delete_local(reference);
            }
        }
        Some(ThreadInfo {
            name: self.take_text(info.name).unwrap_or_default(),
            daemon: info.is_daemon != 0,
        })
    }

    /// The state bits of a thread.
    pub fn thread_state(self, thread: jobject) -> Option<jint> {
        let mut state = 0;
        jvmti_call!(self, GetThreadState, thread, &raw mut state)
            .ok()
            .map(|()| state)
    }

    /// CPU time of a thread, ns.
    pub fn thread_cpu(self, thread: jobject) -> Option<u64> {
        let mut nanos = 0;
        jvmti_call!(self, GetThreadCpuTime, thread, &raw mut nanos).ok()?;
        u64::try_from(nanos).ok()
    }

    /// Suspends another thread.
    pub fn suspend(self, thread: jobject) -> Result<(), jvmtiError> {
        jvmti_call!(self, SuspendThread, thread)
    }

    /// Resumes a suspended thread.
    pub fn resume(self, thread: jobject) -> Result<(), jvmtiError> {
        jvmti_call!(self, ResumeThread, thread)
    }

    /// Number of Java frames on a thread's stack.
    pub fn frame_count(self, thread: jobject) -> Option<usize> {
        let mut count = 0;
        jvmti_call!(self, GetFrameCount, thread, &raw mut count).ok()?;
        usize::try_from(count).ok()
    }

    /// The Java frames of a thread, innermost first.
    pub fn stack(self, thread: jobject) -> Vec<jvmti::jvmtiFrameInfo> {
        // The thread may still be running when it could not be suspended, hence the slack.
        let room = self.frame_count(thread).unwrap_or(0) + 64;
        self.top(thread, room)
    }

    /// The innermost Java frames of a thread, so many at most.
    pub fn top(self, thread: jobject, room: usize) -> Vec<jvmti::jvmtiFrameInfo> {
        let mut frames = vec![jvmti::jvmtiFrameInfo::default(); room];
        let mut count = 0;
        let result = jvmti_call!(
            self,
            GetStackTrace,
            thread,
            0,
            room as jint,
            frames.as_mut_ptr(),
            &raw mut count
        );
        frames.truncate(if result.is_ok() {
            usize::try_from(count).unwrap_or(0)
        } else {
            0
        });
        frames
    }

    /// What is stored for a thread, 0 if nothing is.
    pub fn storage(self, thread: jobject) -> usize {
        let mut stored = null_mut();
        match jvmti_call!(self, GetThreadLocalStorage, thread, &raw mut stored) {
            Ok(()) => stored as usize,
            Err(_) => 0,
        }
    }

    /// Stores a number for a thread.
    pub fn set_storage(self, thread: jobject, number: usize) {
        let _ = jvmti_call!(self, SetThreadLocalStorage, thread, number as *const c_void);
    }

    /// The tag of an object; 0 for none.
    pub fn tag(self, object: jobject) -> jlong {
        let mut tag = 0;
        let _ = jvmti_call!(self, GetTag, object, &raw mut tag);
        tag
    }

    /// Tags an object.
    pub fn set_tag(self, object: jobject, tag: jlong) -> Result<(), jvmtiError> {
        jvmti_call!(self, SetTag, object, tag)
    }

    /// Name and descriptor of a method.
    pub fn method_name(self, method: jmethodID) -> Option<(String, String)> {
        let (mut name, mut descriptor) = (null_mut(), null_mut());
        jvmti_call!(
            self,
            GetMethodName,
            method,
            &raw mut name,
            &raw mut descriptor,
            null_mut()
        )
        .ok()?;
        Some((self.take_text(name)?, self.take_text(descriptor)?))
    }

    /// The class that declares a method, as a local reference.
    pub fn declaring_class(self, method: jmethodID) -> Option<jclass> {
        let mut class = null_mut();
        jvmti_call!(self, GetMethodDeclaringClass, method, &raw mut class).ok()?;
        (!class.is_null()).then_some(class)
    }

    /// The name of a class; none for arrays and what is no class.
    pub fn class_name(self, class: jclass) -> Option<ClassName> {
        ClassName::of(&self.signature(class)?)
    }

    /// The type signature of a class, `La/B;` or `[I`.
    pub fn signature(self, class: jclass) -> Option<String> {
        let mut signature = null_mut();
        jvmti_call!(
            self,
            GetClassSignature,
            class,
            &raw mut signature,
            null_mut()
        )
        .ok()?;
        self.take_text(signature)
    }

    /// The access flags of a method.
    pub fn method_access(self, method: Id<jmethodID>) -> Option<jint> {
        let mut access = 0;
        jvmti_call!(self, GetMethodModifiers, method.0, &raw mut access).ok()?;
        Some(access)
    }

    /// Bytes of a method's bytecode; none if it has none.
    pub fn code_length(self, method: Id<jmethodID>) -> Option<u32> {
        let (mut first, mut last) = (0, 0);
        jvmti_call!(
            self,
            GetMethodLocation,
            method.0,
            &raw mut first,
            &raw mut last
        )
        .ok()?;
        u32::try_from(last + 1).ok().filter(|_| first == 0)
    }

    /// The loader of a class as a local reference; null for the boot loader.
    pub fn class_loader(self, class: jclass) -> Option<jobject> {
        let mut loader = null_mut();
        jvmti_call!(self, GetClassLoader, class, &raw mut loader)
            .ok()
            .map(|()| loader)
    }

    /// Whether a class is an interface.
    pub fn is_interface(self, class: jclass) -> bool {
        let mut interface = 0;
        jvmti_call!(self, IsInterface, class, &raw mut interface).is_ok() && interface != 0
    }

    /// The interfaces that a class implements directly, as local references; none of one that is not prepared.
    pub fn interfaces(self, class: jclass) -> Vec<jclass> {
        let (mut count, mut interfaces) = (0, null_mut());
        match jvmti_call!(
            self,
            GetImplementedInterfaces,
            class,
            &raw mut count,
            &raw mut interfaces
        ) {
            Ok(()) => self.take_list(interfaces, count),
            Err(_) => Vec::new(),
        }
    }

    /// The bytecode of a method.
    pub fn bytecodes(self, method: jmethodID) -> Option<Vec<u8>> {
        let (mut count, mut bytes) = (0, null_mut());
        jvmti_call!(self, GetBytecodes, method, &raw mut count, &raw mut bytes).ok()?;
        Some(self.take_list(bytes, count))
    }

    /// The methods a class declares.
    pub fn methods(self, class: jclass) -> Vec<Id<jmethodID>> {
        let (mut count, mut methods) = (0, null_mut());
        match jvmti_call!(
            self,
            GetClassMethods,
            class,
            &raw mut count,
            &raw mut methods
        ) {
            Ok(()) => self.take_list(methods, count).into_iter().map(Id).collect(),
            Err(_) => Vec::new(),
        }
    }

    /// All loaded classes, as local references.
    pub fn loaded_classes(self) -> Vec<jclass> {
        let (mut count, mut classes) = (0, null_mut());
        match jvmti_call!(self, GetLoadedClasses, &raw mut count, &raw mut classes) {
            Ok(()) => self.take_list(classes, count),
            Err(_) => Vec::new(),
        }
    }

    /// Sends loaded classes through the class-file hook again; all of them or none.
    pub fn retransform(self, classes: &[jclass]) -> Result<(), jvmtiError> {
        let count = jint::try_from(classes.len()).unwrap_or(0);
        jvmti_call!(self, RetransformClasses, count, classes.as_ptr())
    }

    /// Whether a method is a version that has been replaced.
    pub fn is_obsolete(self, method: jmethodID) -> bool {
        let mut obsolete = 0;
        jvmti_call!(self, IsMethodObsolete, method, &raw mut obsolete).is_ok() && obsolete != 0
    }

    /// Sets a breakpoint.
    pub fn set_breakpoint(self, method: Id<jmethodID>, pc: u32) -> Result<(), jvmtiError> {
        jvmti_call!(self, SetBreakpoint, method.0, jlong::from(pc))
    }

    /// Copies a list that the JVM allocated, and frees it.
    fn take_list<T: Copy>(self, list: *mut T, count: jint) -> Vec<T> {
        if list.is_null() {
            return Vec::new();
        }
        // SAFETY: the JVM allocated `count` elements at `list`; they are freed once, after the copy.
        let copy = unsafe { std::slice::from_raw_parts(list, usize::try_from(count).unwrap_or(0)) }
            .to_vec();
        let _ = jvmti_call!(self, Deallocate, list.cast());
        copy
    }

    /// Copies a text that the JVM allocated, and frees it.
    fn take_text(self, text: *mut c_char) -> Option<String> {
        if text.is_null() {
            return None;
        }
        // SAFETY: the JVM allocated a NUL-terminated text.
        let copy = decode(unsafe { CStr::from_ptr(text) });
        let _ = jvmti_call!(self, Deallocate, text.cast());
        Some(copy)
    }
}
