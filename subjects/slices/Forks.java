// slice: Forks.result at exit
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;

/** The JDK calls what a task computes. */
public class Forks {
    static class Sum extends RecursiveTask<Integer> {
        final int n;

        Sum(int n) {
            this.n = n; // in
        }

        @Override
        protected Integer compute() {
            int sum = 0;
            for (int i = 0; i < n; i++) { // in
                sum += i; // in
            }
            return sum; // in
        }
    }

    static int result;

    public static void main(String[] args) {
        result = new ForkJoinPool(1).invoke(new Sum(args.length)); // in
    }
}
