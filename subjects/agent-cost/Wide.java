import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;

/** Runs every method of the generated classes in so many threads, and shows memory while all are alive: {@code Wide THREADS}. */
public final class Wide {
    private Wide() {}

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        CountDownLatch done = new CountDownLatch(threads);
        CyclicBarrier end = new CyclicBarrier(threads + 1);
        AtomicLong sum = new AtomicLong();
        for (int t = 0; t < threads; t++) {
            int seed = 7919 * t;
            new Thread(() -> {
                sum.addAndGet(Parts.all(seed));
                done.countDown();
                try {
                    end.await();
                } catch (InterruptedException | BrokenBarrierException e) {
                    throw new IllegalStateException(e);
                }
            }).start();
        }
        done.await();
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        long heap = runtime.totalMemory() - runtime.freeMemory();
        long resident = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                resident = 1024 * Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        System.out.println(resident + " " + heap + " " + sum.get());
        end.await();
    }
}
