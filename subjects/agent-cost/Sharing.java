import java.lang.management.ManagementFactory;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Threads that call one small method all the time, behind a collection that moves what they count in: {@code Sharing THREADS CALLS} prints the nanoseconds of processor
 * time that a call takes.
 */
public class Sharing {
    static final class Work {
        static int step(int x) {
            return (x & 1) == 0 ? x * 31 + 7 : x + 1;
        }
    }

    static volatile int sink;
    static final AtomicLong spent = new AtomicLong();

    static void run(long calls) {
        int x = 1;
        for (long i = 0; i < calls; i++) {
            x = Work.step(x);
        }
        sink = x;
    }

    static long now() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[0]);
        long calls = Long.parseLong(arguments[1]);
        CyclicBarrier barrier = new CyclicBarrier(threads + 1);
        Thread[] all = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            all[t] = new Thread(() -> {
                try {
                    run(calls / 10);
                    barrier.await();
                    barrier.await();
                    long begun = now();
                    run(calls);
                    spent.addAndGet(now() - begun);
                } catch (InterruptedException | BrokenBarrierException e) {
                    throw new IllegalStateException(e);
                }
            });
            all[t].start();
        }
        barrier.await();
        System.gc();
        System.gc();
        barrier.await();
        for (Thread thread : all) {
            thread.join();
        }
        System.out.printf("%.3f%n", spent.get() / (double) calls / threads);
    }
}
