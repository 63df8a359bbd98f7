/** Sixteen threads call one method as fast as they can. Argument: calls of all threads together, a multiple of 16. */
public class Hammer {
    static final int THREADS = 16;
    static volatile int sink;

    static int step(int i) {
        return (i & 1) == 0 ? 1 : 2;
    }

    static int hammer(long calls) {
        int x = 0;
        for (long i = 0; i < calls; i++) {
            x += step((int) i);
        }
        return x;
    }

    public static void main(String[] args) throws InterruptedException {
        long each = Long.parseLong(args[0]) / THREADS;
        Thread[] all = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++) {
            all[t] = new Thread(() -> sink = hammer(each));
            all[t].start();
        }
        for (Thread t : all) {
            t.join();
        }
        System.out.println("done");
    }
}
