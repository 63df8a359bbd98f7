import java.util.ArrayList;
import java.util.List;

/**
 * An invocation of `serve` does a quarter of its work in `first` and the rest in `second`: with `--scope Phases#serve --availability` what `first` counts is
 * final after 0.25 of the invocation, and not more than a sixteenth later. Two threads serve at once; `serve` is reached by way of
 * a method that it calls itself.
 */
public class Phases {
    static int step(int i) {
        return down(i % 3) + i;
    }

    static int down(int n) {
        return n == 0 ? 0 : down(n - 1);
    }

    static int first(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            try {
                sum += step(i) / (i % 5);
            } catch (ArithmeticException e) {
                sum--;
            }
        }
        return sum;
    }

    static int second(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            try {
                sum += step(i) / (i % 5);
            } catch (ArithmeticException e) {
                sum--;
            }
        }
        return sum;
    }

    static int serve(int n) {
        return first(n) + second(3 * n);
    }

    static int by(int depth, int n) {
        return depth == 0 ? serve(n) : by(depth - 1, n) + down(depth);
    }

    public static void main(String[] args) throws InterruptedException {
        int n = Integer.parseInt(args[0]);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            Thread thread = new Thread(() -> {
                for (int i = 1; i <= 8; i++) {
                    by(i, i * n);
                }
            });
            thread.start();
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
