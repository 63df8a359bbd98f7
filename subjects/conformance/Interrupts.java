/** A thread is interrupted while it sleeps, and one before it sleeps. */
public class Interrupts {
    static volatile int state;

    static void rest(long ms) {
        try {
            Thread.sleep(ms); // count: 2
            state = -1; // count: 0
        } catch (InterruptedException e) {
            state++; // count: 2
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread.currentThread().interrupt();
        rest(10_000); // count: 1
        Thread t = new Thread(() -> rest(600_000)); // count main: 1, lambda$main$0: 1
        t.start();
        t.join(300);
        t.interrupt(); // count: 1
        t.join(); // count: 1
        System.out.println(state);
    }
}
