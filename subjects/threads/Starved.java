/** A class whose methods run for the first time when nothing is left of the heap, and again when there is. */
public class Starved {
    static Object[] hoard;

    static class Late {
        static int twice(int n) {
            return 2 * n;
        }
    }

    /** Takes all there is, down to the smallest array, and calls then. */
    static int full(int calls) {
        for (int length = 1 << 20; ; length = Math.max(length / 4, 1)) {
            try {
                for (;;) {
                    Object[] next = new Object[length];
                    next[0] = hoard;
                    hoard = next;
                }
            } catch (OutOfMemoryError e) {
                if (length == 1) {
                    break;
                }
            }
        }
        int sum = calls(calls);
        hoard = null;
        return sum;
    }

    static int calls(int calls) {
        int sum = 0;
        for (int i = 0; i < calls; i++) {
            sum += Late.twice(i);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        // Loaded and linked beforehand: that takes memory, too.
        Class.forName("Starved$Late");
        int sum = full(1000);
        sum += calls(1000);
        System.out.println("1000 early, 1000 late, sum " + sum);
    }
}
