import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Threads that each serve six requests, in which they assign the variables of the generated class `All` six times, and then stay alive: after the last request, or
 * in the middle of it. Prints the live heap after a collection, and the resident set at its largest, in kB.
 */
public class Served {
    static final CountDownLatch END = new CountDownLatch(1);

    /** Touches the stack: how deep the JVM does so by itself depends on whether code is compiled. Not counted. */
    static class Stack {
        static long touch(int n) {
            return n == 0 ? 0 : touch(n - 1) + n;
        }
    }

    static void request(int n, CountDownLatch inside) throws InterruptedException {
        for (int round = 0; round < 6; round++) {
            All.run(n);
        }
        if (inside != null) {
            inside.countDown();
            END.await();
        }
    }

    static void serve(int n, boolean stays, CountDownLatch ready) {
        Stack.touch(1500);
        try {
            for (int request = 0; request < 6; request++) {
                request(n, stays && request == 5 ? ready : null);
            }
            ready.countDown();
            END.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        int threads = Integer.parseInt(args[0]);
        boolean stay = args[1].equals("inside");
        CountDownLatch ready = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            int n = t;
            Thread thread = new Thread(null, () -> serve(n, stay, ready), "t" + t, 512 << 10);
            thread.setDaemon(true);
            thread.start();
        }
        ready.await();
        System.gc();
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        long resident = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmHWM:")) {
                resident = Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        System.out.println((runtime.totalMemory() - runtime.freeMemory()) / 1024 + " " + resident);
        END.countDown();
    }
}
