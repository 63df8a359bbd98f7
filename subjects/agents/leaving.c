// Which calls leave a program, as JVMTI sees them: at every entry of a method that is not the program's, whether the frame below is the program's and stands at an instruction that
// names that method. Counts them by receiver's class and method. The oracle of `--calls leaving`.
// Options: FILE,PROGRAM. The program is the class of that name and those within it, but for what the JDK spins for lambdas.
#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 16 };

typedef struct {
    jmethodID id;
    char *class, *name, *descriptor;
    int ours, fixed; // fixed: static
    unsigned char *code, *pool;
    int *places; // of each constant in the pool
} Method;

typedef struct { char *key; long count; } Entry;

static Method *methods[SIZE];
static Entry entries[SIZE];
static jvmtiEnv *jvmti;
static jrawMonitorID lock;
static char file[4096], program[1024];
static int over;

static int ours(const char *class) {
    size_t length = strlen(program);
    return !strncmp(class, program, length) && (!class[length] || class[length] == '$') && !strstr(class, "$$Lambda");
}

// a/b/C of La/b/C;, int[] of [I, a/b/C$$Lambda$Runnable of what is spun for a lambda.
static char *class_name(JNIEnv *jni, jclass class) {
    char *signature, name[4096] = "";
    (*jvmti)->GetClassSignature(jvmti, class, &signature, NULL);
    char *at = signature + strspn(signature, "[");
    static const char *primitive[] = { "Zboolean", "Bbyte", "Cchar", "Sshort", "Iint", "Jlong", "Ffloat", "Ddouble" };
    if (*at == 'L') snprintf(name, sizeof name, "%.*s", (int) strcspn(at + 1, ";"), at + 1);
    else for (int i = 0; i < 8; i++) if (*primitive[i] == *at) strcpy(name, primitive[i] + 1);
    for (char *dimension = signature; *dimension == '['; dimension++) strcat(name, "[]");
    char *spun = strstr(name, "$$Lambda");
    if (spun) {
        jint count;
        jclass *interfaces;
        char *interface;
        (*jvmti)->GetImplementedInterfaces(jvmti, class, &count, &interfaces);
        (*jvmti)->GetClassSignature(jvmti, interfaces[0], &interface, NULL);
        char *simple = strrchr(interface, '/');
        sprintf(spun, "$$Lambda$%.*s", (int) strcspn(simple ? simple + 1 : interface + 1, ";"), simple ? simple + 1 : interface + 1);
        (*jvmti)->Deallocate(jvmti, (void *) interface);
        (*jvmti)->Deallocate(jvmti, (void *) interfaces);
    } else if (*at == 'L' && strchr(name, '.')) *strchr(name, '.') = 0; // a hidden class
    (*jvmti)->Deallocate(jvmti, (void *) signature);
    return strdup(name);
}

static unsigned at2(const unsigned char *bytes) { return bytes[0] << 8 | bytes[1]; }

static void read_code(Method *method, jclass class) {
    jint count, bytes, length;
    if ((*jvmti)->GetBytecodes(jvmti, method->id, &length, &method->code)) { method->code = NULL; return; }
    (*jvmti)->GetConstantPool(jvmti, class, &count, &bytes, &method->pool);
    method->places = calloc(count + 1, sizeof *method->places);
    for (int i = 1, at = 0; i < count; i++) {
        static const int lengths[] = { 0, 0, 0, 5, 5, 9, 9, 3, 3, 5, 5, 5, 5, 0, 0, 4, 3, 5, 5, 3, 3 };
        int tag = method->pool[at];
        method->places[i] = at;
        at += tag == 1 ? 3 + at2(method->pool + at + 1) : lengths[tag];
        if (tag == 5 || tag == 6) i++;
    }
}

static Method *look_up(JNIEnv *jni, jmethodID id) {
    unsigned slot = (unsigned) ((size_t) id >> 3) * 2654435761u >> 16;
    while (methods[slot] && methods[slot]->id != id) slot = (slot + 1) % SIZE;
    if (methods[slot]) return methods[slot];
    Method *method = calloc(1, sizeof *method);
    jclass class;
    jint access;
    method->id = id;
    (*jvmti)->GetMethodName(jvmti, id, &method->name, &method->descriptor, NULL);
    (*jvmti)->GetMethodModifiers(jvmti, id, &access);
    (*jvmti)->GetMethodDeclaringClass(jvmti, id, &class);
    method->class = class_name(jni, class);
    method->ours = ours(method->class);
    method->fixed = (access & 8) != 0;
    if (method->ours) read_code(method, class);
    (*jni)->DeleteLocalRef(jni, class);
    return methods[slot] = method;
}

static int is_text(const unsigned char *constant, const char *text) {
    return at2(constant + 1) == strlen(text) && !memcmp(constant + 3, text, strlen(text));
}

// The opcode of the instruction in the caller if it names the callee, else 0.
static int names(Method *caller, jlocation at, Method *callee) {
    if (!caller->code || at < 0) return 0;
    int opcode = caller->code[at];
    if (opcode < 0xb6 || opcode > 0xb9) return 0;
    unsigned char *pool = caller->pool, *method = pool + caller->places[at2(caller->code + at + 1)];
    unsigned char *both = pool + caller->places[at2(method + 3)];
    return is_text(pool + caller->places[at2(both + 1)], callee->name) && is_text(pool + caller->places[at2(both + 3)], callee->descriptor) ? opcode : 0;
}

static void count(const char *receiver, Method *callee) {
    char key[8192];
    snprintf(key, sizeof key, "%s %s.%s%s", receiver, callee->class, callee->name, callee->descriptor);
    unsigned slot = 5381;
    for (char *c = key; *c; c++) slot = slot * 33 + (unsigned char) *c;
    for (slot %= SIZE; entries[slot].key && strcmp(entries[slot].key, key); slot = (slot + 1) % SIZE);
    if (!entries[slot].key) entries[slot].key = strdup(key);
    entries[slot].count++;
}

static void JNICALL entered(jvmtiEnv *_, JNIEnv *jni, jthread thread, jmethodID id) {
    (*jvmti)->RawMonitorEnter(jvmti, lock);
    Method *callee = over ? NULL : look_up(jni, id);
    if (callee && !callee->ours) {
        jvmtiFrameInfo frames[2];
        jint depth;
        int opcode = 0;
        if (!(*jvmti)->GetStackTrace(jvmti, thread, 0, 2, frames, &depth) && depth == 2) {
            Method *caller = look_up(jni, frames[1].method);
            if (caller->ours) opcode = names(caller, frames[1].location, callee);
        }
        jobject receiver;
        if (opcode && !callee->fixed && strcmp(callee->name, "<init>") && !(*jvmti)->GetLocalInstance(jvmti, thread, 0, &receiver)) {
            jclass class = (*jni)->GetObjectClass(jni, receiver);
            char *name = class_name(jni, class);
            count(name, callee);
            free(name);
            (*jni)->DeleteLocalRef(jni, class);
            (*jni)->DeleteLocalRef(jni, receiver);
        } else if (opcode) count(callee->class, callee);
    }
    (*jvmti)->RawMonitorExit(jvmti, lock);
}

static void JNICALL died(jvmtiEnv *_, JNIEnv *jni) {
    (*jvmti)->RawMonitorEnter(jvmti, lock);
    over = 1;
    FILE *out = fopen(file, "w");
    for (int i = 0; i < SIZE; i++) if (entries[i].key) fprintf(out, "%ld %s\n", entries[i].count, entries[i].key);
    fclose(out);
    (*jvmti)->RawMonitorExit(jvmti, lock);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    jvmtiCapabilities wanted = { .can_generate_method_entry_events = 1, .can_access_local_variables = 1, .can_get_bytecodes = 1, .can_get_constant_pool = 1 };
    jvmtiEventCallbacks callbacks = { .MethodEntry = entered, .VMDeath = died };
    char *comma = strrchr(options, ',');
    snprintf(file, sizeof file, "%.*s", (int) (comma - options), options);
    snprintf(program, sizeof program, "%s", comma + 1);
    return (*vm)->GetEnv(vm, (void **) &jvmti, JVMTI_VERSION_11) != JNI_OK
        || (*jvmti)->AddCapabilities(jvmti, &wanted)
        || (*jvmti)->CreateRawMonitor(jvmti, "leaving", &lock)
        || (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks)
        || (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_METHOD_ENTRY, NULL)
        || (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
}
