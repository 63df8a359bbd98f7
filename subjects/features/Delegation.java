import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.SynchronousQueue;

/**
 * Work that an invocation hands to other threads: with `Delegation#serve+threads` as scope, a row is what all threads do while the invocation
 * lasts. It starts a thread and joins it, submits to a pool, and asks a worker that waits in counted code from one invocation to the next. After
 * `java Delegation 4`, whose invocations have the arguments 0, 1, 2 and 3:
 */
public class Delegation {
    static final LinkedTransferQueue<Integer> ASKED = new LinkedTransferQueue<>();
    static final SynchronousQueue<Integer> DONE = new SynchronousQueue<>();

    /** What each of the four threads does. */
    static int steps(int n) {
        int asked = n;
        int sum = 0;
        for (int i = 0; i < asked; i++) {
            sum += i;
        }
        return sum;
    }

    static int down(int n) {
        return n == 0 ? 0 : 1 + down(n - 1);
    }

    static int parsed(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    static void worker() {
        try {
            while (true) {
                int n = ASKED.take();
                if (n < 0) {
                    return;
                }
                DONE.put(steps(n));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void joined(int n) {
        steps(10 * n);
        down(5 - n);
    }

    static int pooled(int n) {
        return parsed(n % 2 == 0 ? "7" : "seven") + steps(100 * n);
    }

    static void serve(int n, ExecutorService pool, Thread worker) throws Exception {
        if (n == 0) {
            worker.start();
        }
        Thread thread = new Thread(() -> joined(n));
        thread.start();
        thread.join();
        Future<Integer> result = pool.submit(() -> pooled(n));
        result.get();
        ASKED.put(1000 * n);
        DONE.take();
        steps(n);
        if (n == 3) {
            ASKED.put(-1);
            worker.join();
        } else {
            settle();
        }
    }

    /** Until the worker waits again. */
    static void settle() {
        while (!ASKED.hasWaitingConsumer()) {
            Thread.onSpinWait();
        }
    }

    /** Belongs to no invocation. */
    static void between() {
        steps(7);
        down(9);
        parsed("nine");
    }

    static ExecutorService pool() throws Exception {
        try {
            return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException before21) {
            return Executors.newFixedThreadPool(2);
        }
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = pool();
        Thread worker = new Thread(Delegation::worker);
        for (int n = 0; n < Integer.parseInt(args[0]); n++) {
            between();
            serve(n, pool, worker);
        }
        pool.shutdown();
    }
}
//= [0] Delegation.steps(int) invocations = 4
//= [3] Delegation.steps(int) invocations = 4
//= [0] Delegation.worker() invocations = 1
//= [1] Delegation.worker() invocations = 0
//= [1] Delegation.joined(int) invocations = 1
//= [2] Delegation.pooled(int) invocations = 1
//= [2] Delegation.between() invocations = missing
//= [0] Delegation.steps(int).asked#1 = 0
//= [1] Delegation.steps(int).asked#1 = 277.75
//= [3] Delegation.steps(int).asked#1 = 833.25
//= [3] Delegation.steps(int).asked#2 = missing
//= [0] Delegation.down(int) depth = 6
//= [1] Delegation.down(int) depth = 5
//= [3] Delegation.down(int) depth = 3
