import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Passes of loops by calling method: exceptions, recursion, constructors, threads, uncounted code between, an exit in the middle. After `java LoopCallers 5`: */
public class LoopCallers {
    static int work(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        return sum;
    }

    static int few(int n) {
        return work(n);
    }

    static int many(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += work(i);
        }
        return sum;
    }

    /** A method that calls itself is its own caller. */
    static int down(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        return n == 0 ? 0 : sum + down(n - 1);
    }

    static void fail(int n) {
        for (int i = 0;; i++) {
            if (i == n) {
                throw new IllegalStateException();
            }
        }
    }

    static void passOn(int n) {
        fail(n);
        few(100);
    }

    static int caught(int n) {
        int sum = 0;
        for (int i = 0; i < 2; i++) {
            try {
                passOn(n + i);
            } catch (IllegalStateException e) {
                sum += work(n);
            }
        }
        return sum;
    }

    /** Called by the sort, which is not counted: the caller is the method that sorts. */
    static int compare(Integer a, Integer b) {
        int difference = 0;
        for (int i = 0; i < 3; i++) {
            difference += a - b;
        }
        return difference;
    }

    static void sort(List<Integer> two) {
        two.sort(LoopCallers::compare);
    }

    static class Base {
        Base(int n) {
            for (int i = 0; i < n; i++) {
                work(1);
            }
        }
    }

    static class Picky extends Base {
        Picky(int n) {
            super(checked(n > 0 ? n : -n));
        }

        static int checked(int n) {
            for (int i = 0; i < 1; i++) {
                if (n > 9) {
                    throw new IllegalArgumentException();
                }
            }
            return n;
        }
    }

    /** The constructor fails before it has called another, and the JDK catches that: here no handler runs, and the caller of what follows is this method. */
    static int refused(int n) {
        CompletableFuture<Picky> refused = CompletableFuture.completedFuture(n).thenApply(Picky::new);
        return refused.isCompletedExceptionally() ? work(n) : 0;
    }

    static class Worker extends Thread {
        final int n;

        Worker(int n) {
            this.n = n;
        }

        public void run() {
            for (int i = 0; i < n; i++) {
                few(i);
            }
        }
    }

    static void leave(int n) {
        for (int i = 0;; i++) {
            if (i == n) {
                System.exit(0);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int n = Integer.parseInt(args[0]);
        few(n);
        many(n);
        many(n + 1);
        down(n);
        caught(n);
        sort(Arrays.asList(2, 1));
        new Picky(3);
        refused(20);
        Thread[] workers = {new Worker(n), new Worker(2 * n)};
        for (Thread worker : workers) {
            worker.start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        Runnable lambda = () -> few(2);
        lambda.run();
        leave(n);
    }
}
//= LoopCallers.work(int) loop 0 at block 1 called from LoopCallers.few(int) (LoopCallers.java:9) = 79
//= LoopCallers.work(int) loop 0 at block 1 called from LoopCallers.many(int) (LoopCallers.java:9) = 36
//= LoopCallers.work(int) loop 0 at block 1 called from LoopCallers.caught(int) (LoopCallers.java:9) = 12
//= LoopCallers.work(int) loop 0 at block 1 called from LoopCallers$Base.<init>(int) (LoopCallers.java:9) = 6
//= LoopCallers.work(int) loop 0 at block 1 called from LoopCallers.refused(int) (LoopCallers.java:9) = 21
//= LoopCallers.many(int) loop 0 at block 1 called from LoopCallers.main(String[]) (LoopCallers.java:21) = 13
//= LoopCallers.down(int) loop 0 at block 1 called from LoopCallers.main(String[]) (LoopCallers.java:30) = 6
//= LoopCallers.down(int) loop 0 at block 1 called from LoopCallers.down(int) (LoopCallers.java:30) = 15
//= LoopCallers.fail(int) loop 0 at block 1 called from LoopCallers.passOn(int) (LoopCallers.java:38) = 13
//= LoopCallers.caught(int) loop 0 at block 1 called from LoopCallers.main(String[]) (LoopCallers.java:51) = 3
//= LoopCallers.compare(Integer, Integer) loop 0 at block 1 called from LoopCallers.sort(java.util.List) (LoopCallers.java:64) = 4
//= LoopCallers$Base.<init>(int) loop 0 at block 2 called from LoopCallers$Picky.<init>(int) (LoopCallers.java:76) = 4
//= LoopCallers$Picky.checked(int) loop 0 at block 1 called from LoopCallers$Picky.<init>(int) (LoopCallers.java:88) = 3
//= LoopCallers$Worker.run() loop 0 at block 1 called from uncounted code (LoopCallers.java:111) = 17
//= LoopCallers.leave(int) loop 0 at block 1 called from LoopCallers.main(String[]) (LoopCallers.java:119) = 6
//= LoopCallers.main(String[]) loop 0 at block 1 called from uncounted code (LoopCallers.java:136) = 3
//= LoopCallers.main(String[]) loop 1 at block 4 called from uncounted code (LoopCallers.java:139) = 3
