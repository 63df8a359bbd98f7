// exit: 2
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

    public static void main(String[] args) throws Exception {
        synchronized (LOCK) {
            Thread a = new Thread(BlockedAtExit::enter);
            a.start();
            a.join(200);
            Thread b = new Thread(() -> {
                try {
                    await(); // count: 1
                } catch (InterruptedException e) {
                    n = 0; // count: 0
                }
            });
            b.start();
            b.join(200);
            System.exit(2); // count: 1
        }
    }
}
