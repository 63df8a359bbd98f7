// exit: 4
/** Another thread calls System.exit while main waits for it. */
public class ExitFromThread {
    static int count;

    static void finish(int n) {
        if (n == 0) { // count: 4
            System.exit(4); // count: 1
        }
        finish(n - 1); // count: 3
        count++; // count: 0
    }

    /** Gives main the time to arrive at its call of join. */
    static void later() {
        try {
            Thread.sleep(300); // count: 1
        } catch (InterruptedException e) { // count: 0
            return; // count: 0
        }
        finish(3); // count: 1
    }

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(() -> later()); // count main: 1, lambda$main$0: 1
        t.start(); // count: 1
        t.join(); // count: 1
        count = 5; // count: 0
    }
}
