import java.lang.invoke.*;
import java.lang.reflect.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.stream.*;

/** Calls a method on the main thread, and, by the way that the argument names, on another one beside it. */
public class Second {
    static final int CALLS = 300_000, WARM = 60_000;
    static final CountDownLatch BEGUN = new CountDownLatch(1), DONE = new CountDownLatch(1);
    static final AtomicBoolean ONCE = new AtomicBoolean();

    static int step(int n) { return n + 1; }

    static void many() { for (int n = 0; n < CALLS; ) n = step(n); }

    /** What a second thread runs, the first time. */
    static void beside() {
        if (!ONCE.compareAndSet(false, true)) return;
        BEGUN.countDown();
        many();
        DONE.countDown();
    }

    /** Asked, until JDK 18, whether a thread may be attached, by that thread. */
    static class Manager extends SecurityManager {
        @Override public void checkPermission(java.security.Permission permission) {}

        @Override public void checkAccess(ThreadGroup group) {
            if (Thread.currentThread().getName().equals("DestroyJavaVM")) beside();
        }
    }

    static native void attach();

    /** What native code calls. */
    static void called(long calls) { while (calls-- > 0) step(0); }

    /** A thread that C makes calls `called` by a stub; the main thread did before, until all of that was compiled. */
    static void upcall() throws Throwable {
        Class<?> linkers = Class.forName("java.lang.foreign.Linker"), functions = Class.forName("java.lang.foreign.FunctionDescriptor"),
            layouts = Class.forName("java.lang.foreign.MemoryLayout"), values = Class.forName("java.lang.foreign.ValueLayout"), arenas = Class.forName("java.lang.foreign.Arena"),
            segments = Class.forName("java.lang.foreign.MemorySegment");
        Object options = Array.newInstance(Class.forName("java.lang.foreign.Linker$Option"), 0);
        Object linker = linkers.getMethod("nativeLinker").invoke(null), lookup = linkers.getMethod("defaultLookup").invoke(linker), arena = arenas.getMethod("global").invoke(null);
        Object number = values.getField("JAVA_LONG").get(null), pointer = values.getField("ADDRESS").get(null);
        Object start = functions.getMethod("ofVoid", all(layouts)).invoke(null, array(layouts, number));
        Object create = functions.getMethod("of", layouts, all(layouts)).invoke(null, number, array(layouts, pointer, pointer, pointer, number));
        Object join = functions.getMethod("of", layouts, all(layouts)).invoke(null, number, array(layouts, number, pointer));
        Method downcall = linkers.getMethod("downcallHandle", segments, functions, options.getClass());
        Method find = Class.forName("java.lang.foreign.SymbolLookup").getMethod("find", String.class);
        MethodHandle target = MethodHandles.lookup().findStatic(Second.class, "called", MethodType.methodType(void.class, long.class));
        Object stub = linkers.getMethod("upcallStub", MethodHandle.class, functions, arenas, options.getClass()).invoke(linker, target, start, arena, options);
        MethodHandle call = (MethodHandle) downcall.invoke(linker, stub, start, options);
        for (int n = 0; n < WARM; n++) call.invoke(1L);
        Object none = segments.getField("NULL").get(null), id = Class.forName("java.lang.foreign.SegmentAllocator").getMethod("allocate", long.class).invoke(arena, 8L);
        Object symbol = ((Optional<?>) find.invoke(lookup, "pthread_create")).get();
        ((MethodHandle) downcall.invoke(linker, symbol, create, options)).invokeWithArguments(id, none, stub, (long) CALLS);
        many();
        long thread = (Long) segments.getMethod("get", Class.forName("java.lang.foreign.ValueLayout$OfLong"), long.class).invoke(id, number, 0L);
        symbol = ((Optional<?>) find.invoke(lookup, "pthread_join")).get();
        ((MethodHandle) downcall.invoke(linker, symbol, join, options)).invokeWithArguments(thread, none);
    }

    static Class<?> all(Class<?> of) { return Array.newInstance(of, 0).getClass(); }

    static Object array(Class<?> of, Object... elements) {
        Object array = Array.newInstance(of, elements.length);
        for (int i = 0; i < elements.length; i++) Array.set(array, i, elements[i]);
        return array;
    }

    static class Finalised {
        @Override protected void finalize() { beside(); }
    }

    public static void main(String[] args) throws Throwable {
        many();
        Runnable beside = Second::beside;
        switch (args[0]) {
            case "nobody": return;
            case "thread": new Thread(beside).start(); break;
            case "pool": Executors.newSingleThreadExecutor(r -> { Thread t = new Thread(r); t.setDaemon(true); return t; }).submit(beside); break;
            case "timer": new Timer(true).schedule(new TimerTask() { @Override public void run() { beside(); } }, 1); break;
            case "finalizer": for (int i = 0; i < 10; i++) new Finalised(); break;
            case "cleaner": java.lang.ref.Cleaner.create().register(new Object(), beside); break;
            case "signal":
                sun.misc.Signal.handle(new sun.misc.Signal("WINCH"), signal -> beside());
                sun.misc.Signal.raise(new sun.misc.Signal("WINCH"));
                break;
            case "notification":
                for (Object bean : java.lang.management.ManagementFactory.getGarbageCollectorMXBeans())
                    ((javax.management.NotificationEmitter) bean).addNotificationListener((n, back) -> beside(), null, null);
                break;
            case "parallel":
                Thread main = Thread.currentThread();
                new Thread(() -> IntStream.range(0, 1000).parallel().forEach(i -> { if (Thread.currentThread() != main) beside(); })).start();
                break;
            case "virtual": Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, beside); break;
            case "hook": Runtime.getRuntime().addShutdownHook(new Thread(beside)); many(); return;
            case "attached":
                System.load(System.getProperty("java.class.path") + "/libattach.so");
                attach();
                break;
            case "upcall": upcall(); return;
            case "manager":
                System.setSecurityManager(new Manager());
                many();
                return;
            case "end": // by the thread that ends the JVM, when the main thread is gone
                Runtime.getRuntime().addShutdownHook(new Thread() { @Override public void start() { beside(); super.start(); } });
                many();
                return;
            default: throw new IllegalArgumentException(args[0]);
        }
        while (!BEGUN.await(1, TimeUnit.MILLISECONDS)) System.gc();
        many();
        DONE.await();
    }
}
