// exit: 0
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

    public static void main(String[] args) throws Exception {
        synchronized (BlockedInMethod.class) {
            Thread t = new Thread(BlockedInMethod::call);
            t.setDaemon(true);
            t.start();
            t.join(200); // count: 1
            System.out.println(n);
            System.exit(0); // count: 1
        }
    }
}
