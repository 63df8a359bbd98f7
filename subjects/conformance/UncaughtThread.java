/** Exceptions end threads; main goes on; one thread has a handler for the uncaught. */
public class UncaughtThread {
    static int handled;

    static void fail(int n) {
        int[] a = new int[2]; // count: 2
        a[n] = 1; // count: 2
        handled = -100; // count: 0
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 2; i < 4; i++) {
            final int n = i;
            Thread t = new Thread(() -> fail(n)); // count main: 2, lambda$main$0: 2
            t.setUncaughtExceptionHandler((thread, e) -> {
                handled++; // count: 2
            });
            t.start(); // count: 2
            t.join(); // count: 2
        }
        System.out.println(handled);
    }
}
