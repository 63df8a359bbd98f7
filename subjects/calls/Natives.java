/**
 * Native methods invoked in every way: by name, by reflection, by a method handle, through an interface, inherited, by other native code, registered anew, by threads.
 * Arguments: the library that holds them, and how often. Prints how often each ran on an object of which class; the library counts its own calls, and the two must agree.
 */
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.TreeMap;

public class Natives {
    interface Sized {
        int size();
    }

    static class Base implements Sized {
        public native int size();

        synchronized native double mixed(int a, long b, float c, double d, byte e, boolean f, Object g, short h, int[] i, double j);
    }

    static class Derived extends Base {
        /** Calls `size` of the superclass. */
        int more() { return super.size() + 1; }
    }

    static class Other extends Derived {
        @Override public native int size();
    }

    static native int plain(int n);

    private static native int hidden(int n);

    /** Which of two functions it is depends on `choose`. */
    static native int chosen(int n);

    static native void choose(int which);

    /** Calls `size` of an object and `plain`, so often each. */
    static native int callsBack(Sized on, int times);

    static native void fails();

    static native int missing();

    /** How often each function of the library ran, in the order of `NAMES`. */
    static native long[] counts();

    static final String[] NAMES = {"Base.size", "Other.size", "mixed", "plain", "hidden", "chosen", "choose", "callsBack", "fails", "counts"};

    static final Map<String, Long> expected = new TreeMap<>();

    static synchronized void ran(String receiver, String method, long times) {
        expected.merge("Natives" + receiver + " Natives" + method, times, Long::sum);
    }

    static void call(int n) throws Throwable {
        Base base = new Base();
        Derived derived = new Derived();
        Other other = new Other();
        int[] array = {1, 2, 3};
        for (int i = 0; i < n; i++) {
            if (plain(i) != i + 1 || hidden(i) != i + 2) throw new AssertionError();
            Sized sized = i % 3 == 0 ? base : i % 3 == 1 ? derived : other;
            if (sized.size() != (i % 3 == 2 ? 7 : 5)) throw new AssertionError();
            double sum = derived.mixed(i, 1L << 40, 0.5f, 0.25, (byte) -3, true, "four", (short) -5, array, 1e10);
            if (sum != i + (double) (1L << 40) + 0.75 - 3 + 1 + 4 - 5 + 3 + 1e10) throw new AssertionError(sum);
        }
        ran("", ".plain", n);
        ran("", ".hidden", n);
        ran("$Base", "$Base.size", (n + 2) / 3);
        ran("$Derived", "$Base.size", (n + 1) / 3);
        ran("$Other", "$Other.size", n / 3);
        ran("$Derived", "$Base.mixed", n);
    }

    static void indirectly(int n) throws Throwable {
        Method reflected = Natives.class.getDeclaredMethod("plain", int.class);
        Method inherited = Base.class.getMethod("size");
        MethodHandle handle = MethodHandles.lookup().findStatic(Natives.class, "plain", MethodType.methodType(int.class, int.class));
        MethodHandle bound = MethodHandles.lookup().findVirtual(Sized.class, "size", MethodType.methodType(int.class)).bindTo(new Other());
        Derived derived = new Derived();
        for (int i = 0; i < n; i++) {
            reflected.invoke(null, i);
            inherited.invoke(derived);
            int a = (int) handle.invokeExact(i);
            int b = (int) bound.invokeExact();
            if (a != i + 1 || b != 7 || derived.more() != 6) throw new AssertionError();
        }
        ran("", ".plain", 2L * n);
        ran("$Derived", "$Base.size", 2L * n);
        ran("$Other", "$Other.size", n);
        if (callsBack(new Other(), n) != 8 * n) throw new AssertionError();
        ran("", ".callsBack", 1);
        ran("$Other", "$Other.size", n);
        ran("", ".plain", n);
        for (int which = 0; which < 4; which++) {
            choose(which % 2);
            for (int i = 0; i < n; i++) if (chosen(i) != i + 100 * (which % 2)) throw new AssertionError();
        }
        ran("", ".choose", 4);
        ran("", ".chosen", 4L * n);
        int caught = 0;
        for (int i = 0; i < 5; i++) {
            try {
                fails();
            } catch (IllegalStateException e) {
                caught++;
            }
        }
        ran("", ".fails", caught);
        try {
            missing();
        } catch (UnsatisfiedLinkError e) {
            // It never ran.
        }
    }

    public static void main(String[] args) throws Throwable {
        System.load(args[0]);
        int n = Integer.parseInt(args[1]);
        call(n);
        indirectly(n / 10);
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            Runnable work = () -> {
                try {
                    call(n / 5);
                } catch (Throwable e) {
                    throw new AssertionError(e);
                }
            };
            threads[i] = i % 2 == 0 ? new Thread(work) : virtual(work);
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        ran("", ".counts", 1);
        long[] counts = counts();
        for (int i = 0; i < NAMES.length; i++) {
            String name = NAMES[i];
            long sum = expected.entrySet().stream().filter(e -> e.getKey().endsWith("." + name) || e.getKey().endsWith("$" + name)).mapToLong(Map.Entry::getValue).sum();
            if (sum != counts[i]) throw new AssertionError(name + ": " + sum + " and " + counts[i]);
        }
        expected.forEach((name, times) -> System.out.println(name + " " + times));
    }

    /** A virtual thread where there are such. */
    static Thread virtual(Runnable work) throws Exception {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (Thread) Class.forName("java.lang.Thread$Builder").getMethod("unstarted", Runnable.class).invoke(builder, work);
        } catch (NoSuchMethodException e) {
            return new Thread(work);
        }
    }
}
