/** Virtual threads: many, blocking, pinned by a monitor, failing; each counts what it does, wherever it runs. */
// since: 21
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.ArrayList;
import java.util.List;

public class VirtualThreads {
    static final AtomicInteger SUM = new AtomicInteger();

    static int work(int n) throws InterruptedException {
        int s = 0; // count: 1000
        for (int i = 0; i < n % 10; i++) {
            s += i; // count: 4500
        }
        if (n % 50 == 0) { // count: 1000
            Thread.sleep(1); // count: 20
            s++; // count: 20
        }
        if (n % 333 == 7) { // count: 1000
            throw new IllegalStateException(); // count: 3
        }
        return s; // count: 997
    }

    static synchronized int pinned(int n) throws InterruptedException {
        if (n % 8 == 0) { // count: 40
            Thread.sleep(1); // count: 5
        }
        return n; // count: 40
    }

    static int yields(int n) {
        int s = 0; // count: 30
        for (int i = 0; i < 20; i++) {
            s += n; // count: 600
            Thread.yield(); // count: 600
        }
        return s; // count: 30
    }

    public static void main(String[] args) throws InterruptedException {
        List<Future<Integer>> all = new ArrayList<>();
        int sum = 0;
        int failed = 0;
        try (var pool = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 1000; i++) {
                int k = i;
                all.add(pool.submit(() -> work(k))); // count main: 1000, lambda$main$0: 1000
            }
            for (Future<Integer> f : all) {
                try {
                    sum += f.get(); // count: 1000
                } catch (ExecutionException e) {
                    failed++; // count: 3
                }
            }
        }
        CountDownLatch done = new CountDownLatch(40);
        for (int i = 0; i < 40; i++) {
            int k = i;
            Thread.ofVirtual().start(() -> {
                try {
                    SUM.addAndGet(pinned(k)); // count: 40
                } catch (InterruptedException e) {
                    SUM.set(-1); // count: 0
                }
                done.countDown(); // count: 40
            });
        }
        done.await();
        Thread[] yielding = new Thread[30];
        for (int i = 0; i < 30; i++) {
            int k = i;
            yielding[i] = Thread.startVirtualThread(() -> SUM.addAndGet(yields(k))); // count main: 30, lambda$main$2: 30
        }
        for (Thread t : yielding) {
            t.join(); // count: 30
        }
        System.out.println(sum + " " + failed + " " + SUM.get());
    }
}
