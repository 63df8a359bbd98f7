// varies: settle
/** A daemon thread sleeps, deep in calls, when the machine ends: its frames are open. */
public class DaemonSleeps {
    static int steps;

    static void nap(int depth) throws InterruptedException {
        steps++; // count: 4
        if (depth > 0) { // count: 4
            nap(depth - 1); // count: 3
            steps += 100; // count: 0
        } else {
            Thread.sleep(600_000); // count: 1
            steps += 1000; // count: 0
        }
    }

    /** Waits until the thread is where it stays; how many looks that takes differs. */
    static void settle(Thread t, Thread.State state) throws InterruptedException {
        while (t.getState() != state) {
            Thread.sleep(10);
        }
        t.join(50);
    }

    public static void main(String[] args) throws Exception {
        Thread daemon = new Thread(() -> {
            try {
                nap(3); // count: 1
            } catch (InterruptedException e) {
                steps = -1; // count: 0
            }
        });
        daemon.setDaemon(true);
        daemon.start(); // count: 1
        settle(daemon, Thread.State.TIMED_WAITING); // count: 1
        System.out.println(daemon.isAlive());
    }
}
