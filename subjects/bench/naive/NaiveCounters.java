/** The shared array of the naive yardstick (crates/observe/instrument/examples/naive.rs); says at the end how much was counted. */
public final class NaiveCounters {
    /** One counter per basic block of all instrumented classes. */
    public static final long[] COUNTERS = new long[Integer.getInteger("naive.counters")];

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(NaiveCounters::report));
    }

    private NaiveCounters() {}

    private static void report() {
        long sum = 0;
        for (long counter : COUNTERS) {
            sum += counter;
        }
        System.err.println("naive counts: " + sum);
    }
}
