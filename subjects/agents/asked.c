// An agent that has Java code run on whichever thread changes a class; and a thread of C's that calls Java.
// With subjects/threads/Second.java, for crates/observe/agent/tests/sole.rs.
#include <jvmti.h>
#include <pthread.h>

static JavaVM *machine;
static jclass second;
static jmethodID step;

static void *attached(void *nothing) {
    JNIEnv *jni;
    if ((*machine)->AttachCurrentThread(machine, (void **) &jni, NULL) == JNI_OK) {
        (*jni)->CallStaticVoidMethod(jni, second, (*jni)->GetStaticMethodID(jni, second, "beside", "()V"));
        (*machine)->DetachCurrentThread(machine);
    }
    return nothing;
}

JNIEXPORT void JNICALL Java_Second_attach(JNIEnv *jni, jclass class) {
    pthread_t thread;
    (*jni)->GetJavaVM(jni, &machine);
    second = (*jni)->NewGlobalRef(jni, class);
    if (pthread_create(&thread, NULL, attached, NULL) == 0) pthread_detach(thread);
}

// From now on it calls a counted method when it is asked.
JNIEXPORT void JNICALL Java_Second_ask(JNIEnv *jni, jclass class) {
    second = (*jni)->NewGlobalRef(jni, class);
    step = (*jni)->GetStaticMethodID(jni, class, "step", "(I)I");
}

static void JNICALL class_file(jvmtiEnv *jvmti, JNIEnv *jni, jclass changed, jobject loader, const char *name, jobject domain, jint length,
        const unsigned char *bytes, jint *new_length, unsigned char **new_bytes) {
    if (changed == NULL) return;
    jclass integer = (*jni)->FindClass(jni, "java/lang/Integer");
    jmethodID text = (*jni)->GetStaticMethodID(jni, integer, "toString", "(I)Ljava/lang/String;");
    (*jni)->CallStaticObjectMethod(jni, integer, text, 5);
    if (step != NULL) (*jni)->CallStaticIntMethod(jni, second, step, 0);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    jvmtiEnv *jvmti;
    jvmtiEventCallbacks callbacks = { .ClassFileLoadHook = class_file };
    return (*vm)->GetEnv(vm, (void **) &jvmti, JVMTI_VERSION_11) != JNI_OK
        || (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks)
        || (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
}
