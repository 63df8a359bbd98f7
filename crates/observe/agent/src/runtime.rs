//! Handles into the Java runtime that the agent looks up once.

use std::ffi::CStr;

use jvmti_bindings::sys::jni::jvalue;

use crate::jvm::{Global, Id, Jni, jclass, jfieldID, jmethodID, jobject};
use crate::keeping::Keeper;
use crate::management::Management;
use crate::natives::Helper;

/// Classes, fields and methods of the Java runtime.
#[derive(Debug)]
pub struct Runtime {
    /// The platform class loader; none when this runtime has no such thing.
    pub platform_loader: Option<Global>,
    /// `java.lang.Class` and `forName(String, boolean, ClassLoader)`.
    pub class_for_name: Option<(Global, Id<jmethodID>)>,
    /// `Object.class`.
    pub object: Global,
    /// `long[].class`.
    pub long_array: Global,
    /// `Thread.tid`.
    pub thread_id: Option<Id<jfieldID>>,
    /// Where threads keep their chunks; only in counting runs, once the helper is defined.
    pub keeper: Option<Keeper>,
    /// `Thread.$pricetagSlot`, the thread's place in the rows of chunks, 0 if it has none; only in counting runs with fields.
    pub thread_slot: Option<Id<jfieldID>>,
    /// `Thread.$pricetagCell`, a `long[]` with the number of its innermost active counted method; only in counting runs with fields.
    pub thread_cell: Option<Id<jfieldID>>,
    /// `Thread.$pricetagCalls`, its log of invocations; only in counting runs with fields.
    pub thread_calls: Option<Id<jfieldID>>,
    /// `java.lang.Pricetag`, once it is defined.
    pub helper: Option<Helper>,
    /// `java.lang.Runtime`'s only instance and its ways to measure the heap.
    pub heap: Option<Heap>,
    /// `java.lang.String`.
    pub string: Global,
    /// `java.util.Collection` and `size()`.
    pub collection: Option<(Global, Id<jmethodID>)>,
    /// `java.util.Map` and `size()`.
    pub map: Option<(Global, Id<jmethodID>)>,
    /// `java.lang.Class.isArray` by trial: `java.lang.Object[]` and the primitive arrays.
    pub arrays: Vec<Global>,
    /// The management table.
    pub management: Option<Management>,
}

impl Runtime {
    /// The class of this name (with dots) that a loader finds, the boot loader if that is null. Other than JNI's `FindClass` it leaves it uninitialised.
    pub fn class_of(&self, jni: Jni, name: &CStr, loader: jobject) -> Option<jclass> {
        let (class, for_name) = self.class_for_name?;
        let name = jni.new_string(name)?;
        let arguments = [jvalue { l: name }, jvalue { z: 0 }, jvalue { l: loader }];
        let found = jni.call_static_object(class.0, for_name, &arguments);
        jni.delete_local(name);
        found
    }
}

/// How to measure the heap.
#[derive(Clone, Copy, Debug)]
pub struct Heap {
    runtime: Global,
    total: Id<jmethodID>,
    free: Id<jmethodID>,
    most: Id<jmethodID>,
}

impl Heap {
    /// Bytes in use.
    pub fn used(self, jni: Jni) -> Option<u64> {
        let total = jni.call_long(self.runtime.0, self.total)?;
        let free = jni.call_long(self.runtime.0, self.free)?;
        u64::try_from(total - free).ok()
    }

    /// Bytes that can still be allocated, with what no longer lives counted as in use.
    pub fn room(self, jni: Jni) -> Option<u64> {
        let most = jni.call_long(self.runtime.0, self.most)?;
        Some(u64::try_from(most).ok()?.saturating_sub(self.used(jni)?))
    }

    fn find(jni: Jni) -> Option<Self> {
        let class = jni.find_class(c"java/lang/Runtime")?;
        let get = jni.static_method(class, c"getRuntime", c"()Ljava/lang/Runtime;")?;
        Some(Self {
            runtime: jni.global(jni.call_static_object(class, get, &[])?)?,
            total: jni.method(class, c"totalMemory", c"()J")?,
            free: jni.method(class, c"freeMemory", c"()J")?,
            most: jni.method(class, c"maxMemory", c"()J")?,
        })
    }
}

impl Runtime {
    /// Looks everything up. None means that not even the basics are there.
    pub fn find(jni: Jni) -> Option<Self> {
        let thread = jni.find_class(c"java/lang/Thread")?;
        let global = |name| jni.find_class(name).and_then(|class| jni.global(class));
        let sized = |name| {
            let class = jni.find_class(name)?;
            Some((jni.global(class)?, jni.method(class, c"size", c"()I")?))
        };
        let arrays = [
            c"[Ljava/lang/Object;",
            c"[Z",
            c"[B",
            c"[C",
            c"[S",
            c"[I",
            c"[J",
            c"[F",
            c"[D",
        ];
        Some(Self {
            platform_loader: platform_loader(jni),
            class_for_name: jni.find_class(c"java/lang/Class").and_then(|class| {
                let descriptor = c"(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
                Some((
                    jni.global(class)?,
                    jni.static_method(class, c"forName", descriptor)?,
                ))
            }),
            object: global(c"java/lang/Object")?,
            long_array: global(c"[J")?,
            thread_id: jni.field(thread, c"tid", c"J"),
            keeper: None,
            thread_slot: jni.field(thread, c"$pricetagSlot", c"I"),
            thread_cell: jni.field(thread, c"$pricetagCell", c"[J"),
            thread_calls: jni.field(thread, c"$pricetagCalls", c"[J"),
            helper: None,
            heap: Heap::find(jni),
            string: global(c"java/lang/String")?,
            collection: sized(c"java/util/Collection"),
            map: sized(c"java/util/Map"),
            arrays: arrays.into_iter().filter_map(global).collect(),
            management: Management::find(jni),
        })
    }

    /// The Java id of a thread.
    pub fn id_of(&self, jni: Jni, thread: jobject) -> Option<i64> {
        self.thread_id.map(|field| jni.long_field(thread, field))
    }

    /// Bytes the current thread has allocated.
    pub fn allocated(&self, jni: Jni) -> Option<u64> {
        self.management?.allocated(jni, 0)
    }
}

fn platform_loader(jni: Jni) -> Option<Global> {
    let class = jni.find_class(c"java/lang/ClassLoader")?;
    let descriptor = c"()Ljava/lang/ClassLoader;";
    let get = jni
        .static_method(class, c"getBuiltinPlatformClassLoader", descriptor)
        .or_else(|| jni.static_method(class, c"getPlatformClassLoader", descriptor))?;
    jni.global(jni.call_static_object(class, get, &[])?)
}
