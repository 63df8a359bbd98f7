// What JVMTI itself offers: an event at every entry of a method, each written to a file. The peer of scripts/calls-cost.sh.
#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVENTS = 8192 };
static FILE *file;
static jrawMonitorID lock;
static _Thread_local jmethodID *log;
static _Thread_local int used;
static long long total;

static void write_out(jvmtiEnv *jvmti) {
    (*jvmti)->RawMonitorEnter(jvmti, lock);
    total += used;
    fwrite(log, sizeof *log, used, file);
    (*jvmti)->RawMonitorExit(jvmti, lock);
    used = 0;
}

static void JNICALL entered(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method) {
    if (!log) log = malloc(EVENTS * sizeof *log);
    log[used++] = method;
    if (used == EVENTS) write_out(jvmti);
}

static void JNICALL ended(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread) { if (log) write_out(jvmti); }

static void JNICALL died(jvmtiEnv *jvmti, JNIEnv *jni) {
    if (log) write_out(jvmti);
    fclose(file);
    fprintf(stderr, "entries %lld\n", total);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    jvmtiEnv *jvmti;
    jvmtiCapabilities wanted = { .can_generate_method_entry_events = 1 };
    jvmtiEventCallbacks callbacks = { .MethodEntry = entered, .ThreadEnd = ended, .VMDeath = died };
    if (!(file = fopen(options, "wb"))) return JNI_ERR;
    return (*vm)->GetEnv(vm, (void **) &jvmti, JVMTI_VERSION_11) != JNI_OK
        || (*jvmti)->AddCapabilities(jvmti, &wanted)
        || (*jvmti)->CreateRawMonitor(jvmti, "entries", &lock)
        || (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks)
        || (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_METHOD_ENTRY, NULL)
        || (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_END, NULL)
        || (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
}
