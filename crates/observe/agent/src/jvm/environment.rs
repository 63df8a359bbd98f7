//! JNI: what the current thread can ask of the JVM.

use std::ffi::CStr;
use std::ptr::{NonNull, null, null_mut};

use jvmti_bindings::sys::jni;

use super::{Global, Id, jclass, jfieldID, jint, jlong, jmethodID, jobject};

/// JNI environment of the current thread.
#[derive(Clone, Copy, Debug)]
pub struct Jni(NonNull<jni::JNIEnv>);
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

    /// Calls a method without arguments that returns nothing, whether it throws or not.
    pub fn call_void(self, object: jobject, method: Id<jmethodID>) {
        jni_call!(self, CallVoidMethodA, object, method.0, null());
        self.clear_exception();
    }

    /// Calls a static method that returns nothing; false when it throws.
    pub fn call_static_void(
        self,
        class: jclass,
        method: Id<jmethodID>,
        arguments: &[jni::jvalue],
    ) -> bool {
        jni_call!(
            self,
            CallStaticVoidMethodA,
            class,
            method.0,
            arguments.as_ptr()
        );
        !self.clear_exception()
    }

    /// Calls a static method of one object that returns an int; none when it throws.
    pub fn call_static_int(
        self,
        class: jclass,
        method: Id<jmethodID>,
        argument: jobject,
    ) -> Option<jint> {
        let arguments = [jni::jvalue { l: argument }];
        let value = jni_call!(
            self,
            CallStaticIntMethodA,
            class,
            method.0,
            arguments.as_ptr()
        );
        (!self.clear_exception()).then_some(value)
    }

    /// Calls a method that returns an object; none when it throws, or returns null.
    pub fn call_object(
        self,
        object: jobject,
        method: Id<jmethodID>,
        arguments: &[jni::jvalue],
    ) -> Option<jobject> {
        let found = jni_call!(
            self,
            CallObjectMethodA,
            object,
            method.0,
            arguments.as_ptr()
        );
        self.result(found)
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

    /// A part of a string. What is no Unicode is replaced; none when the part is out of range.
    pub fn string_part(self, string: jobject, start: usize, length: usize) -> Option<String> {
        let mut units = vec![0; length];
        jni_call!(
            self,
            GetStringRegion,
            string,
            jint::try_from(start).ok()?,
            jint::try_from(length).ok()?,
            units.as_mut_ptr()
        );
        (!self.clear_exception()).then(|| String::from_utf16_lossy(&units))
    }

    /// A new `long[]`; none with the exception pending when there is no memory.
    pub fn new_long_array(self, length: usize) -> Option<jobject> {
        let array = jni_call!(self, NewLongArray, jint::try_from(length).ok()?);
        (!array.is_null()).then_some(array)
    }

    /// A new `int[]`; none with the exception pending when there is no memory.
    pub fn new_int_array(self, length: usize) -> Option<jobject> {
        let array = jni_call!(self, NewIntArray, jint::try_from(length).ok()?);
        (!array.is_null()).then_some(array)
    }

    /// An element of an `int[]`; none when it is out of range.
    pub fn read_int(self, array: jobject, index: usize) -> Option<jint> {
        let mut value = 0;
        jni_call!(
            self,
            GetIntArrayRegion,
            array,
            index as jint,
            1,
            &raw mut value
        );
        (!self.clear_exception()).then_some(value)
    }

    /// Sets an element of an `int[]`, which must be in range.
    pub fn write_int(self, array: jobject, index: usize, value: jint) {
        jni_call!(
            self,
            SetIntArrayRegion,
            array,
            index as jint,
            1,
            &raw const value
        );
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

    /// What a class extends; none for `Object` and interfaces.
    pub fn superclass(self, class: jclass) -> Option<jclass> {
        let above = jni_call!(self, GetSuperclass, class);
        (!above.is_null()).then_some(above)
    }

    /// Whether an object is an instance of a class.
    pub fn is_instance(self, object: jobject, class: jclass) -> bool {
        jni_call!(self, IsInstanceOf, object, class) != 0
    }

    /// The class of an object.
    pub fn class_of(self, object: jobject) -> jclass {
        jni_call!(self, GetObjectClass, object)
    }

    /// A result that is null when an exception is pending, which is cleared.
    fn result<T>(self, value: *mut T) -> Option<*mut T> {
        (!self.clear_exception() && !value.is_null()).then_some(value)
    }
}
