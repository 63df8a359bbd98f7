// exit: 2
// varies: settle
/** At the end one thread waits for a monitor, one waits to be notified, main calls exit from inside the monitor. */
public class BlockedAtExit {
    static final Object LOCK = new Object();
    static final Object OTHER = new Object();
    static int n;

    static void enter() {
        n++; // count: 1
        synchronized (LOCK) { // count: 1
            n += 10; // count: 0
        }
    }

    static synchronized void locked() {
        n += 100; // count: 0
    }

    static void await() throws InterruptedException {
        synchronized (OTHER) {
            OTHER.wait(); // count: 1
            n += 1000; // count: 0
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
        synchronized (LOCK) {
            Thread a = new Thread(BlockedAtExit::enter);
            a.start();
            settle(a, Thread.State.BLOCKED);
            Thread b = new Thread(() -> {
                try {
                    await(); // count: 1
                } catch (InterruptedException e) {
                    n = 0; // count: 0
                }
            });
            b.start();
            settle(b, Thread.State.WAITING);
            System.exit(2); // count: 1
        }
    }
}
