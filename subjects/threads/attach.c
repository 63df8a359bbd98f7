// A thread of C's that calls Java: for subjects/threads/Second.java, which crates/observe/agent/tests/threads.rs runs.
#include <jni.h>
#include <pthread.h>

static JavaVM *machine;
static jclass second;

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
