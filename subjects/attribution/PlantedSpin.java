import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.LongAdder;

/**
 * A planted cost: `spin` takes processor time that nobody else has a use for. `planted` inserts calls of it into blocks of
 * real programs (docs/attribution/planted.md).
 *
 * <p>-Dplanted.rounds=N is how long: N rounds, 0 by default. -Dplanted.ledger=FILE measures every spin by the thread's own clock, that
 * measuring included, and appends a line to the file when the JVM ends: which of Pricetag's runs it was, nanoseconds, executions, and the
 * nanoseconds of the whole process. Run by itself it prints the nanoseconds of a round; with an argument it does nothing: what a
 * JVM takes to start and end.
 */
public final class PlantedSpin {
    private static final int ROUNDS = Integer.getInteger("planted.rounds", 0);
    private static final String LEDGER = System.getProperty("planted.ledger");
    /** Somebody might read it: so no compiler may leave the work out. */
    public static int result = 1;

    /** What stands in the planted block. */
    public static void spin() {
        if (LEDGER == null) {
            work(ROUNDS);
        } else {
            Ledger.spin();
        }
    }

    /** Each round waits for the last: there is nothing to do at once, to unroll or to foresee. */
    private static void work(int rounds) {
        int x = result;
        for (int i = 0; i < rounds; i++) {
            x = (x ^ x >>> 7) * 0x2545F491 + i;
        }
        result = x;
    }

    /** A class of its own: runs without a ledger load none of this. */
    private static final class Ledger {
        private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
        private static final LongAdder NANOSECONDS = new LongAdder();
        private static final LongAdder EXECUTIONS = new LongAdder();
        static {
            Runtime.getRuntime().addShutdownHook(new Thread(Ledger::write));
        }

        /** What reading the clock takes, before and behind what the clock sees, is the spin's as well. */
        static void spin() {
            long begin = THREADS.getCurrentThreadCpuTime();
            long ready = THREADS.getCurrentThreadCpuTime();
            work(ROUNDS);
            NANOSECONDS.add(THREADS.getCurrentThreadCpuTime() - begin + (ready - begin));
            EXECUTIONS.increment();
        }

        static void write() {
            String run = "alone";
            for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
                if (option.startsWith("-agentpath:")) run = option.substring(option.lastIndexOf('/') + 1);
            }
            var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            String line = run + " " + NANOSECONDS.sum() + " " + EXECUTIONS.sum() + " " + system.getProcessCpuTime() + "\n";
            try {
                Files.writeString(Path.of(LEDGER), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (java.io.IOException e) {
                e.printStackTrace();
            }
        }
    }

    public static void main(String[] args) {
        if (args.length > 0) return;
        long least = Long.MAX_VALUE;
        int rounds = 1_000_000;
        for (int pass = 0; pass < 200; pass++) {
            long begin = System.nanoTime();
            work(rounds);
            least = Math.min(least, System.nanoTime() - begin);
        }
        System.out.println((double) least / rounds);
    }
}
