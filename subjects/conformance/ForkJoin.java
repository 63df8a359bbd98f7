/** Fork-join tasks, a parallel stream and completable futures: which thread counts is chance, the sum is not. */
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.stream.IntStream;

public class ForkJoin {
    static class Sum extends RecursiveTask<Long> {
        final int from;
        final int to;

        Sum(int from, int to) {
            this.from = from; // count: 511
            this.to = to;
        }

        @Override
        protected Long compute() {
            if (to - from <= 8) { // count: 511
                long s = 0; // count: 256
                for (int i = from; i < to; i++) {
                    s += i; // count: 2048
                }
                return s; // count: 256
            }
            int middle = (from + to) >>> 1; // count: 255
            Sum left = new Sum(from, middle);
            left.fork();
            return new Sum(middle, to).compute() + left.join(); // count: 255
        }
    }

    static int odd(int n) {
        return n % 2 == 0 ? 0 : n; // count: 1000
    }

    static int step(int n) {
        if (n == 3) { // count: 6
            throw new IllegalStateException(); // count: 1
        }
        return n + 1; // count: 5
    }

    public static void main(String[] args) {
        ForkJoinPool pool = new ForkJoinPool(4);
        long sum = pool.invoke(new Sum(0, 2048));
        pool.shutdown();
        sum += IntStream.range(0, 1000).parallel().map(ForkJoin::odd).sum();
        for (int i = 0; i < 5; i++) {
            int k = i;
            CompletableFuture<Integer> f = CompletableFuture.supplyAsync(() -> step(k)); // count main: 5, lambda$main$0: 5
            sum += f.handle((v, e) -> e == null ? v : -1).join(); // count main: 5, lambda$main$1: 5
        }
        sum += CompletableFuture.supplyAsync(() -> 8).thenApply(ForkJoin::step).join(); // count main: 1, lambda$main$2: 1
        System.out.println(sum);
    }
}
