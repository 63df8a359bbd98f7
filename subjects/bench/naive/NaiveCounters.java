import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of the naive yardstick (crates/observe/instrument/examples/naive.rs); says at the end how much was counted. */
public final class NaiveCounters {
    private static final int SIZE = Integer.getInteger("naive.counters");
    private static final String VARIANT = System.getProperty("naive.variant", "shared");
    private static final List<long[]> ALL = new CopyOnWriteArrayList<>();

    /** One counter per basic block of all instrumented classes. */
    public static final long[] COUNTERS = new long[VARIANT.equals("shared") ? SIZE : 0];
    /** The same without lost updates. */
    public static final AtomicLongArray ATOMIC = new AtomicLongArray(VARIANT.equals("atomic") ? SIZE : 0);
    private static final ThreadLocal<long[]> LOCAL = ThreadLocal.withInitial(NaiveCounters::make);

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(NaiveCounters::report));
    }

    private NaiveCounters() {}

    /** The same for this thread alone. */
    public static long[] local() {
        return LOCAL.get();
    }

    private static long[] make() {
        long[] counters = new long[SIZE];
        ALL.add(counters);
        return counters;
    }

    private static void report() {
        long sum = Arrays.stream(COUNTERS).sum();
        for (int i = 0; i < ATOMIC.length(); i++) {
            sum += ATOMIC.get(i);
        }
        for (long[] counters : ALL) {
            sum += Arrays.stream(counters).sum();
        }
        System.err.println("naive counts: " + sum);
    }
}
