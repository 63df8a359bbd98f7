import java.util.concurrent.locks.LockSupport;

/** Sleeps for exactly as long as it says: parked for most of it, the rest on the clock. Not counted, since the last loop's rounds vary. */
final class Exactly {
    /** How late the system may wake a thread, ns. */
    private static final long LATE = 400_000;

    private Exactly() {
    }

    static void sleep(int milliseconds) {
        long end = System.nanoTime() + milliseconds * 1_000_000L;
        long left = end - System.nanoTime();
        while (left > 0) {
            if (left > LATE) {
                LockSupport.parkNanos(left - LATE);
            }
            left = end - System.nanoTime();
        }
    }
}
