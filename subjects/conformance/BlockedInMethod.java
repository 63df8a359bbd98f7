// exit: 0
// varies: settle
/** A thread is blocked at the entry of a synchronized method when the machine ends: the method has not begun. */
public class BlockedInMethod {
    static int n;

    static synchronized void locked() {
        n++; // count: 0
    }

    static void call() {
        n += 10; // count: 1
        locked(); // count: 1
        n += 100; // count: 0
    }

    /** Waits until the thread is where it stays; how many looks that takes differs. */
    static void settle(Thread t, Thread.State state) throws InterruptedException {
        while (t.getState() != state) {
            Thread.sleep(10);
        }
        t.join(50);
    }

    public static void main(String[] args) throws Exception {
        synchronized (BlockedInMethod.class) {
            Thread t = new Thread(BlockedInMethod::call);
            t.setDaemon(true);
            t.start();
            settle(t, Thread.State.BLOCKED); // count: 1
            System.out.println(n);
            System.exit(0); // count: 1
        }
    }
}
