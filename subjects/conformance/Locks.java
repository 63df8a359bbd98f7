/** Explicit locks, latches, barriers and exchangers between threads; every one of them is passed a known number of times. */
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class Locks {
    static final ReentrantLock LOCK = new ReentrantLock();
    static final ReentrantReadWriteLock TWO = new ReentrantReadWriteLock();
    static final Semaphore SEATS = new Semaphore(2);
    static int shared;

    static void add(int n) {
        LOCK.lock(); // count: 400
        try {
            if (n == 50) { // count: 400
                throw new IllegalArgumentException(); // count: 4
            }
            shared += n; // count: 396
        } finally {
            LOCK.unlock();
        }
    }

    static int peek() {
        TWO.readLock().lock(); // count: 400
        try {
            return shared >= 0 ? 1 : 0; // count: 400
        } finally {
            TWO.readLock().unlock();
        }
    }

    static int work(CyclicBarrier barrier) throws InterruptedException, BrokenBarrierException {
        int seen = 0; // count: 4
        for (int i = 0; i < 100; i++) {
            SEATS.acquire(); // count: 400
            try {
                add(i); // count: 400
            } catch (IllegalArgumentException e) {
                seen += 1000; // count: 4
            } finally {
                SEATS.release();
            }
            seen += peek(); // count: 400
            if (i % 25 == 24) { // count: 400
                barrier.await(); // count: 16
            }
        }
        return seen; // count: 4
    }

    public static void main(String[] args) throws InterruptedException {
        CyclicBarrier barrier = new CyclicBarrier(4, () -> shared += 1); // count main: 1, lambda$main$0: 4
        CountDownLatch done = new CountDownLatch(4);
        int[] seen = new int[4];
        for (int t = 0; t < 4; t++) {
            int k = t;
            new Thread(() -> {
                try {
                    seen[k] = work(barrier); // count: 4
                } catch (InterruptedException | BrokenBarrierException e) {
                    seen[k] = -1; // count: 0
                }
                done.countDown(); // count: 4
            }).start();
        }
        done.await(); // count: 1
        System.out.println(shared + " " + (seen[0] + seen[1] + seen[2] + seen[3]));
    }
}
