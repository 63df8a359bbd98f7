import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Values of threads in a pool: every thread counts its own versions, which are averaged. Four tasks wait for one another, so that each of
 * the four threads takes one. After `java Pool 100`:
 */
public class Pool {
    static int last;

    static int task(int number, java.util.concurrent.CyclicBarrier all) throws Exception {
        int own = number * 10;
        own = number * 1000;
        all.await();
        return own;
    }

    public static void main(String[] args) throws Exception {
        int n = Integer.parseInt(args[0]);
        ExecutorService pool = Executors.newFixedThreadPool(4);
        java.util.concurrent.CyclicBarrier all = new java.util.concurrent.CyclicBarrier(4);
        List<Future<Integer>> results = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int number = n + t;
            results.add(pool.submit(() -> task(number, all)));
        }
        for (Future<Integer> result : results) {
            last = result.get();
        }
        pool.shutdown();
    }
}
//= Pool.task(int, java.util.concurrent.CyclicBarrier).own#1 = 1015
//= Pool.task(int, java.util.concurrent.CyclicBarrier).own#2 = 101500
//= Pool.task(int, java.util.concurrent.CyclicBarrier).own#3 = missing
//= Pool.last#1 = 100000
//= Pool.last#4 = 103000
