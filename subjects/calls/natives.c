// The native methods of Natives.java. Each counts its own calls.
#include <jni.h>

enum { BASE_SIZE, OTHER_SIZE, MIXED, PLAIN, HIDDEN, CHOSEN, CHOOSE, CALLS_BACK, FAILS, COUNTS, FUNCTIONS };
static jlong counts[FUNCTIONS];

static void ran(int function) { __atomic_fetch_add(&counts[function], 1, __ATOMIC_SEQ_CST); }

JNIEXPORT jint JNICALL Java_Natives_00024Base_size(JNIEnv *env, jobject on) { ran(BASE_SIZE); return 5; }

JNIEXPORT jint JNICALL Java_Natives_00024Other_size(JNIEnv *env, jobject on) { ran(OTHER_SIZE); return 7; }

// More than there are registers for, of every kind.
JNIEXPORT jdouble JNICALL Java_Natives_00024Base_mixed(JNIEnv *env, jobject on, jint a, jlong b, jfloat c, jdouble d, jbyte e, jboolean f,
                                                       jobject g, jshort h, jintArray i, jdouble j) {
    ran(MIXED);
    return a + (double) b + c + d + e + f + (*env)->GetStringLength(env, g) + h + (*env)->GetArrayLength(env, i) + j;
}

JNIEXPORT jint JNICALL Java_Natives_plain(JNIEnv *env, jclass class, jint n) { ran(PLAIN); return n + 1; }

JNIEXPORT jint JNICALL Java_Natives_hidden(JNIEnv *env, jclass class, jint n) { ran(HIDDEN); return n + 2; }

static jint JNICALL first(JNIEnv *env, jclass class, jint n) { ran(CHOSEN); return n; }

static jint JNICALL second(JNIEnv *env, jclass class, jint n) { ran(CHOSEN); return n + 100; }

JNIEXPORT void JNICALL Java_Natives_choose(JNIEnv *env, jclass class, jint which) {
    ran(CHOOSE);
    JNINativeMethod method = { "chosen", "(I)I", which ? (void *) second : (void *) first };
    (*env)->RegisterNatives(env, class, &method, 1);
}

JNIEXPORT jint JNICALL Java_Natives_callsBack(JNIEnv *env, jclass class, jobject on, jint times) {
    ran(CALLS_BACK);
    jmethodID size = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, on), "size", "()I");
    jmethodID plain = (*env)->GetStaticMethodID(env, class, "plain", "(I)I");
    jint sum = 0;
    for (jint i = 0; i < times; i++)
        sum += (*env)->CallIntMethod(env, on, size) + (*env)->CallStaticIntMethod(env, class, plain, 0);
    return sum;
}

JNIEXPORT void JNICALL Java_Natives_fails(JNIEnv *env, jclass class) {
    ran(FAILS);
    (*env)->ThrowNew(env, (*env)->FindClass(env, "java/lang/IllegalStateException"), "as it should");
}

JNIEXPORT jlongArray JNICALL Java_Natives_counts(JNIEnv *env, jclass class) {
    ran(COUNTS);
    jlongArray all = (*env)->NewLongArray(env, FUNCTIONS);
    (*env)->SetLongArrayRegion(env, all, 0, FUNCTIONS, counts);
    return all;
}
