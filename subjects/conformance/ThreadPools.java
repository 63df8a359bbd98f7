/** A thread pool: tasks from several threads, one fails, results by future. */
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class ThreadPools {
    static int task(int n) {
        int s = 0; // count: 8
        for (int i = 0; i < n; i++) { // count: 8
            s += 60 / (n - 5 + (n == 5 ? 0 : 10)); // count: 24
        }
        return s; // count: 7
    }

    public static void main(String[] args) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            final int n = i;
            results.add(pool.submit(() -> task(n))); // count main: 8, lambda$main$0: 8
        }
        int sum = 0;
        for (Future<Integer> f : results) {
            try {
                sum += f.get(); // count: 8
            } catch (ExecutionException e) {
                sum += 1000; // count: 1
            }
        }
        pool.shutdown();
        System.out.println(sum);
    }
}
