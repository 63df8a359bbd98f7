import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;

/**
 * Exceptions by class where they arrive, with `--features exceptions`; after `java Catches 6`. Wherever a handler knows what it caught it says so to
 * `tally`, and the program prints, as `caught CLASS NUMBER`, what it has seen.
 */
public class Catches {
    static final Map<String, Integer> SEEN = new TreeMap<>();

    /** An exception without a stack: made once, thrown often. */
    static class Signal extends RuntimeException {
        static final Signal ONE = new Signal();

        Signal() {
            super(null, null, false, false);
        }
    }

    static synchronized void tally(Throwable e) {
        SEEN.merge(e.getClass().getName(), 1, Integer::sum);
    }

    /** Thrown by the JVM and by the JDK, caught by their superclass. */
    static int convert(String text) {
        try {
            return 12 / Integer.parseInt(text.trim());
        } catch (RuntimeException e) {
            tally(e);
            return -1;
        }
    }

    static int pick(int n) {
        try {
            if (n % 3 == 0) {
                throw Signal.ONE;
            }
            int[] two = new int[2];
            Iterator<Integer> none = new ArrayList<Integer>().iterator();
            return n % 3 == 1 ? none.next() : two[n];
        } catch (Signal | NoSuchElementException e) {
            tally(e);
            return 1;
        } catch (ArrayIndexOutOfBoundsException e) {
            tally(e);
            return 2;
        }
    }

    /** `finally` has a handler of everything; what it throws on arrives in the caller's. */
    static void passing(int n) {
        try {
            if (n > 2) {
                throw new IllegalArgumentException();
            }
        } finally {
            SEEN.size();
        }
    }

    static int deep(int n) {
        return deep(n + 1) + 1;
    }

    static void exhausted() {
        try {
            deep(0);
        } catch (StackOverflowError e) {
            tally(e);
        }
        try {
            SEEN.put("never", new int[Integer.MAX_VALUE][Integer.MAX_VALUE].length);
        } catch (OutOfMemoryError e) {
            tally(e);
        }
    }

    /** Never entered: no column. */
    static void calm() {
        try {
            SEEN.size();
        } catch (IllegalStateException e) {
            tally(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int n = Integer.parseInt(args[0]);
        for (String text : new String[] {"3", "x", null, "0", "", null}) {
            convert(text);
        }
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            Thread thread = new Thread(() -> {
                for (int i = 0; i < 500 * n; i++) {
                    pick(i);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
        for (int i = 0; i < n; i++) {
            try {
                passing(i);
            } catch (IllegalArgumentException e) {
                tally(e);
            }
        }
        exhausted();
        calm();
        SEEN.forEach((name, count) -> System.out.println("caught " + name + " " + count));
    }
}
//= Catches.convert(String) handler 0 at block 1 (Catches.java:32-34) = 5
//= Catches.convert(String) handler 0 at block 1 caught java.lang.NumberFormatException (Catches.java:32-34) = 2
//= Catches.convert(String) handler 0 at block 1 caught java.lang.NullPointerException (Catches.java:32-34) = 2
//= Catches.convert(String) handler 0 at block 1 caught java.lang.ArithmeticException (Catches.java:32-34) = 1
//= Catches.convert(String) handler 0 at block 1 caught unknown class (Catches.java:32-34) = missing
