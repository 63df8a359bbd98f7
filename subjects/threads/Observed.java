/** Sixty-four threads, virtual ones if the argument is so, invoke one observed method at once; what it calls runs nowhere else. */
public class Observed {
    static class Work {
        static int invoke(int n) {
            int s = 0;
            for (int i = 0; i < n; i++) {
                s += i % 3 == 0 ? leaf(i) : 1;
            }
            if (n % 7 == 3) {
                throw new IllegalStateException();
            }
            return n > 40 ? s + invoke(n - 30) : s;
        }

        static int leaf(int n) {
            try {
                return 100 / (n % 5);
            } catch (ArithmeticException e) {
                return -1;
            }
        }
    }

    static Thread start(Runnable r, boolean virtual) throws ReflectiveOperationException {
        if (virtual) {
            return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, r);
        }
        Thread t = new Thread(r);
        t.start();
        return t;
    }

    public static void main(String[] args) throws Exception {
        Thread[] all = new Thread[64];
        for (int t = 0; t < all.length; t++) {
            int base = t;
            all[t] = start(() -> {
                for (int i = 0; i < 30; i++) {
                    try {
                        Work.invoke(base + i);
                    } catch (IllegalStateException e) {
                        Thread.yield();
                    }
                }
            }, args.length > 0);
        }
        for (Thread t : all) {
            t.join();
        }
    }
}
