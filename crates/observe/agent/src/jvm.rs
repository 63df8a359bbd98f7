//! The two tables of function pointers a JVM hands to an agent, with Rust types.
//!
//! Handles are copied from the JVM and handed back to it; none is dereferenced here. Every method states which thread
//! and phase it needs only where that is narrower than "a thread of the JVM, after `VMStart`".

use std::ffi::{CStr, CString, c_char};
use std::ptr::{NonNull, null, null_mut};

use jvmti_bindings::sys::{jni, jvmti};

pub use jni::{jclass, jfieldID, jint, jlong, jmethodID, jobject};
pub use jvmti::jvmtiError;

/// Calls a JNI function by name.
macro_rules! jni_call {
    ($env:expr, $function:ident $(, $argument:expr)*) => {{
        // SAFETY: `Jni` holds the environment of the current thread, whose table the JVM keeps for its lifetime; the
        // arguments are handles the JVM gave out, or null where the function allows it.
        unsafe { ((**$env.0.as_ptr()).$function)($env.0.as_ptr() $(, $argument)*) }
    }};
}

/// Calls a JVMTI function by name; `Err` with its error code, or when this JVM lacks it.
macro_rules! jvmti_call {
    ($env:expr, $function:ident $(, $argument:expr)*) => {{
        // SAFETY: the environment and its table live as long as the JVM; the arguments are handles the JVM gave out and
        // out-pointers to live locals.
        let function = unsafe { (*(*$env.0.as_ptr()).functions).$function };
        match function {
            // SAFETY: as above.
            Some(function) => match unsafe { function($env.0.as_ptr() $(, $argument)*) } {
                jvmtiError::NONE => Ok(()),
                error => Err(error),
            },
            None => Err(jvmtiError::NOT_AVAILABLE),
        }
    }};
}

/// JNI environment of the current thread.
#[derive(Clone, Copy, Debug)]
pub struct Jni(NonNull<jni::JNIEnv>);

/// A global reference, or none; deleted by hand since that needs a [`Jni`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Global(pub jobject);

// SAFETY: global references may be used on any thread.
unsafe impl Send for Global {}
// SAFETY: as above.
unsafe impl Sync for Global {}

/// A field or method id; valid as long as its class is loaded, on any thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id<T>(pub T);

// SAFETY: ids are process-wide.
unsafe impl<T> Send for Id<T> {}
// SAFETY: ids are process-wide.
unsafe impl<T> Sync for Id<T> {}

impl Jni {
    /// Wraps what a callback or native method was given.
    pub fn new(raw: *mut jni::JNIEnv) -> Option<Self> {
        NonNull::new(raw).map(Self)
    }

    /// The pointer itself, for the management table.
    pub fn raw(self) -> *mut jni::JNIEnv {
        self.0.as_ptr()
    }

    /// Clears a pending exception; whether there was one.
    pub fn clear_exception(self) -> bool {
        let pending = jni_call!(self, ExceptionCheck) != 0;
        if pending {
            jni_call!(self, ExceptionClear);
        }
        pending
    }

    /// Whether an exception is pending.
    pub fn exception_pending(self) -> bool {
        jni_call!(self, ExceptionCheck) != 0
    }

    /// Finds a class by its internal name.
    pub fn find_class(self, name: &CStr) -> Option<jclass> {
        let class = jni_call!(self, FindClass, name.as_ptr());
        self.result(class)
    }

    /// Defines a class in the boot loader.
    pub fn define_boot_class(self, name: &CStr, bytes: &[u8]) -> Option<jclass> {
        let length = jint::try_from(bytes.len()).ok()?;
        let class = jni_call!(
            self,
            DefineClass,
            name.as_ptr(),
            null_mut(),
            bytes.as_ptr().cast(),
            length
        );
        self.result(class)
    }

    /// The id of a field.
    pub fn field(self, class: jclass, name: &CStr, descriptor: &CStr) -> Option<Id<jfieldID>> {
        let id = jni_call!(self, GetFieldID, class, name.as_ptr(), descriptor.as_ptr());
        self.result(id).map(Id)
    }

    /// The id of a method.
    pub fn method(self, class: jclass, name: &CStr, descriptor: &CStr) -> Option<Id<jmethodID>> {
        let id = jni_call!(self, GetMethodID, class, name.as_ptr(), descriptor.as_ptr());
        self.result(id).map(Id)
    }

    /// The id of a static method.
    pub fn static_method(
        self,
        class: jclass,
        name: &CStr,
        descriptor: &CStr,
    ) -> Option<Id<jmethodID>> {
        let id = jni_call!(
            self,
            GetStaticMethodID,
            class,
            name.as_ptr(),
            descriptor.as_ptr()
        );
        self.result(id).map(Id)
    }

    /// Calls a static method that returns an object; none when it throws.
    pub fn call_static_object(
        self,
        class: jclass,
        method: Id<jmethodID>,
        arguments: &[jni::jvalue],
    ) -> Option<jobject> {
        let object = jni_call!(
            self,
            CallStaticObjectMethodA,
            class,
            method.0,
            arguments.as_ptr()
        );
        self.result(object)
    }

    /// Calls a static method without arguments that returns nothing; false when it throws.
    pub fn call_static_void(self, class: jclass, method: Id<jmethodID>) -> bool {
        jni_call!(self, CallStaticVoidMethodA, class, method.0, null());
        !self.clear_exception()
    }

    /// Calls a method without arguments that returns a long; none when it throws.
    pub fn call_long(self, object: jobject, method: Id<jmethodID>) -> Option<jlong> {
        let value = jni_call!(self, CallLongMethodA, object, method.0, null());
        (!self.clear_exception()).then_some(value)
    }

    /// Calls a method without arguments that returns an int; none when it throws.
    pub fn call_int(self, object: jobject, method: Id<jmethodID>) -> Option<jint> {
        let value = jni_call!(self, CallIntMethodA, object, method.0, null());
        (!self.clear_exception()).then_some(value)
    }

    /// Reads an object field.
    pub fn object_field(self, object: jobject, field: Id<jfieldID>) -> jobject {
        jni_call!(self, GetObjectField, object, field.0)
    }

    /// Writes an object field.
    pub fn set_object_field(self, object: jobject, field: Id<jfieldID>, value: jobject) {
        jni_call!(self, SetObjectField, object, field.0, value);
    }

    /// The id of a static field.
    pub fn static_field(
        self,
        class: jclass,
        name: &CStr,
        descriptor: &CStr,
    ) -> Option<Id<jfieldID>> {
        let id = jni_call!(
            self,
            GetStaticFieldID,
            class,
            name.as_ptr(),
            descriptor.as_ptr()
        );
        self.result(id).map(Id)
    }

    /// Writes a static object field.
    pub fn set_static_object_field(self, class: jclass, field: Id<jfieldID>, value: jobject) {
        jni_call!(self, SetStaticObjectField, class, field.0, value);
    }

    /// Reads a static object field.
    pub fn static_object_field(self, class: jclass, field: Id<jfieldID>) -> jobject {
        jni_call!(self, GetStaticObjectField, class, field.0)
    }

    /// Writes a static int field.
    pub fn set_static_int_field(self, class: jclass, field: Id<jfieldID>, value: jint) {
        jni_call!(self, SetStaticIntField, class, field.0, value);
    }

    /// Reads an int field.
    pub fn int_field(self, object: jobject, field: Id<jfieldID>) -> jint {
        jni_call!(self, GetIntField, object, field.0)
    }

    /// Writes an int field.
    pub fn set_int_field(self, object: jobject, field: Id<jfieldID>, value: jint) {
        jni_call!(self, SetIntField, object, field.0, value);
    }

    /// Reads a long field.
    pub fn long_field(self, object: jobject, field: Id<jfieldID>) -> jlong {
        jni_call!(self, GetLongField, object, field.0)
    }

    /// Length of an array.
    pub fn array_length(self, array: jobject) -> usize {
        usize::try_from(jni_call!(self, GetArrayLength, array)).unwrap_or(0)
    }

    /// Length of a string in UTF-16 units.
    pub fn string_length(self, string: jobject) -> usize {
        usize::try_from(jni_call!(self, GetStringLength, string)).unwrap_or(0)
    }

    /// A new `long[]`; none with the exception pending when there is no memory.
    pub fn new_long_array(self, length: usize) -> Option<jobject> {
        let array = jni_call!(self, NewLongArray, jint::try_from(length).ok()?);
        (!array.is_null()).then_some(array)
    }

    /// A new array of nulls; none with the exception pending when there is no memory.
    pub fn new_object_array(self, length: usize, element: jclass) -> Option<jobject> {
        let array = jni_call!(
            self,
            NewObjectArray,
            jint::try_from(length).ok()?,
            element,
            null_mut()
        );
        (!array.is_null()).then_some(array)
    }

    /// An element of an object array; the index must be in range.
    pub fn element(self, array: jobject, index: usize) -> jobject {
        jni_call!(self, GetObjectArrayElement, array, index as jint)
    }

    /// Sets an element of an object array; the index must be in range.
    pub fn set_element(self, array: jobject, index: usize, value: jobject) {
        jni_call!(self, SetObjectArrayElement, array, index as jint, value);
    }

    /// Copies a `long[]` of the buffer's length.
    pub fn read_longs(self, array: jobject, buffer: &mut [i64]) {
        jni_call!(
            self,
            GetLongArrayRegion,
            array,
            0,
            buffer.len() as jint,
            buffer.as_mut_ptr()
        );
    }

    /// Overwrites the beginning of a `long[]`.
    pub fn write_longs(self, array: jobject, values: &[i64]) {
        self.write_longs_at(array, 0, values);
    }

    /// Overwrites elements of a `long[]`, which must be in range.
    pub fn write_longs_at(self, array: jobject, first: usize, values: &[i64]) {
        jni_call!(
            self,
            SetLongArrayRegion,
            array,
            first as jint,
            values.len() as jint,
            values.as_ptr()
        );
    }

    /// Copies a range of a `byte[]`; none when it is out of range.
    pub fn read_bytes(self, array: jobject, offset: jint, length: jint) -> Option<Vec<u8>> {
        let mut bytes = vec![0u8; usize::try_from(length).ok()?];
        jni_call!(
            self,
            GetByteArrayRegion,
            array,
            offset,
            length,
            bytes.as_mut_ptr().cast()
        );
        (!self.clear_exception()).then_some(bytes)
    }

    /// A new `byte[]`; none without memory.
    pub fn new_byte_array(self, bytes: &[u8]) -> Option<jobject> {
        let length = jint::try_from(bytes.len()).ok()?;
        let array = jni_call!(self, NewByteArray, length);
        let array = self.result(array)?;
        jni_call!(
            self,
            SetByteArrayRegion,
            array,
            0,
            length,
            bytes.as_ptr().cast()
        );
        Some(array)
    }

    /// A new string from ASCII text; none without memory.
    pub fn new_string(self, text: &CStr) -> Option<jobject> {
        let string = jni_call!(self, NewStringUTF, text.as_ptr());
        self.result(string)
    }

    /// A global reference; none without memory.
    pub fn global(self, object: jobject) -> Option<Global> {
        let global = jni_call!(self, NewGlobalRef, object);
        (!global.is_null()).then_some(Global(global))
    }

    /// Deletes a global reference.
    pub fn delete_global(self, global: Global) {
        jni_call!(self, DeleteGlobalRef, global.0);
    }

    /// Deletes a local reference.
    pub fn delete_local(self, object: jobject) {
        jni_call!(self, DeleteLocalRef, object);
    }

    /// Whether two references denote the same object.
    pub fn same(self, one: jobject, other: jobject) -> bool {
        jni_call!(self, IsSameObject, one, other) != 0
    }

    /// Whether a thread is virtual; only for JDK 21 and later, whose table has the function.
    pub fn is_virtual(self, thread: jobject) -> bool {
        jni_call!(self, IsVirtualThread, thread) != 0
    }

    /// Whether an object is an instance of a class.
    pub fn is_instance(self, object: jobject, class: jclass) -> bool {
        jni_call!(self, IsInstanceOf, object, class) != 0
    }

    /// The class of an object.
    pub fn class_of(self, object: jobject) -> jclass {
        jni_call!(self, GetObjectClass, object)
    }

    /// A result that is null exactly when an exception is pending, which is cleared.
    fn result<T>(self, value: *mut T) -> Option<*mut T> {
        (!self.clear_exception() && !value.is_null()).then_some(value)
    }
}

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

    /// Type signature of a class, `Ljava/lang/Object;`.
    pub fn class_signature(self, class: jclass) -> Option<String> {
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

    /// The loader of a class as a local reference; null for the boot loader.
    pub fn class_loader(self, class: jclass) -> Option<jobject> {
        let mut loader = null_mut();
        jvmti_call!(self, GetClassLoader, class, &raw mut loader)
            .ok()
            .map(|()| loader)
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

    /// Sends a loaded class through the class-file hook again.
    pub fn retransform(self, class: jclass) -> Result<(), jvmtiError> {
        jvmti_call!(self, RetransformClasses, 1, &raw const class)
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

/// Internal name of a class from its type signature: `a/B`, for hidden classes `a/B+0x…` as HotSpot has it inside.
pub fn internal_name(signature: &str) -> Option<String> {
    let name = signature.strip_prefix('L')?.strip_suffix(';')?;
    Some(name.replacen('.', "+", 1))
}

/// Text from the JVM's modified UTF-8; supplementary characters become what [`String::from_utf8_lossy`] makes of them.
pub fn decode(text: &CStr) -> String {
    String::from_utf8_lossy(text.to_bytes()).into_owned()
}
