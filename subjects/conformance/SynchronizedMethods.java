/** Synchronized methods and blocks, with exceptions inside, from several threads. */
public class SynchronizedMethods {
    private int value;
    private static int shared;

    synchronized void add(int n) {
        if (n == 3) { // count: 40
            throw new IllegalArgumentException("three"); // count: 4
        }
        value += n; // count: 36
    }

    static synchronized void count() {
        shared++; // count: 40
    }

    int block(int n) {
        synchronized (this) { // count: 40
            value += 100 / (n - 5); // count: 40
        }
        return n; // count: 36
    }

    void work() {
        for (int i = 0; i < 10; i++) {
            count(); // count: 40
            try {
                add(i); // count: 40
            } catch (IllegalArgumentException e) {
                count2(); // count: 4
            }
            try {
                block(i); // count: 40
            } catch (ArithmeticException e) {
                count2(); // count: 4
            }
        }
    }

    private void count2() {
        synchronized (SynchronizedMethods.class) {
            shared += 1000; // count: 8
        }
    }

    public static void main(String[] args) throws InterruptedException {
        SynchronizedMethods s = new SynchronizedMethods();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < 4; i++) {
            threads[i] = new Thread(s::work);
            threads[i].start(); // count: 4
        }
        for (Thread t : threads) {
            t.join();
        }
        System.out.println(s.value + " " + shared);
    }
}
