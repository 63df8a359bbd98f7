/** Threads call one method as fast as they can. Arguments: calls of all threads together, a multiple of the second argument: how many threads. */
public class Hammer {
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
        int threads = Integer.parseInt(args[1]);
        long each = Long.parseLong(args[0]) / threads;
        Thread[] all = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            all[t] = new Thread(() -> sink = hammer(each));
            all[t].start();
        }
        for (Thread t : all) {
            t.join();
        }
        System.out.println("done");
    }
}
