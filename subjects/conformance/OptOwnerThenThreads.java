/** The first thread counts in compiled code, others join it there, it ends, and they go on. */
// vm: -Xbatch
public class OptOwnerThenThreads {
    static final int CALLS = 12_000;

    static int step(int x) {
        if (x % 3 == 0) {
            return x / 3;
        }
        return x + 1; // count: 56000
    }

    static int work(int calls) {
        int sum = 0;
        for (int i = 0; i < calls; i++) {
            sum += step(i); // count: 84000
        }
        return sum;
    }

    public static void main(String[] args) throws InterruptedException {
        int alone = work(CALLS);
        Thread first = Thread.currentThread();
        Thread beside = new Thread(() -> work(2 * CALLS));
        Thread behind = new Thread(() -> {
            try {
                first.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            work(2 * CALLS); // count: 1
        });
        beside.start();
        behind.start();
        System.out.println(alone == work(2 * CALLS)); // count: 1
        beside.join();
    }
}
