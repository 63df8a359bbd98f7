import java.util.Arrays;

/** Loops that call nothing and surely end, left in every way. */
public class LoopExits {
    static final int[] TABLE = {3, 1, 4, 1, 5, 9, 2, 6};
    static int steps;
    final int[] kept;
    int sum;

    LoopExits(int n) {
        kept = new int[n];
        for (int i = 0; i < n; i++) {
            kept[i] = TABLE[i % 8]; // count: 30
        }
    }

    static int up(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i; // count: 15
        }
        for (int i = 1; i <= 10; i++) {
            sum += i; // count: 40
        }
        for (int i = 0; i != n; i++) {
            sum ^= i; // count: 15
        }
        return sum;
    }

    static int down(int n) {
        int sum = 0;
        while (n-- > 0) {
            sum += n; // count: 15
        }
        for (int i = 5; --i >= 0;) {
            sum += i; // count: 20
        }
        for (int i = 7; i > 0; i--) {
            sum -= i; // count: 28
        }
        return sum;
    }

    /** At the test: a jump up, down, or over a step. */
    static int behind(byte[] a, byte[] b, int from) {
        int length = 0;
        do {
            if (++length == 6) { // count: 12
                return length; // count: 1
            }
        } while (a[from + length] == b[length]); // count: 11
        return -length; // count: 2
    }

    static int branches(int[] a) {
        int even = 0;
        int odd = 0;
        int large = 0;
        for (int i = 0; i < a.length; i++) {
            int x = a[i];
            if ((x & 1) == 0) {
                even += x; // count: 37
            } else if (x > 4) {
                odd += x; // count: 24
                continue;
            }
            if (x == 6) {
                large++; // count: 12
            }
        }
        return even * 100 + odd * 10 + large;
    }

    static int switched(int[] a) {
        int i = 0;
        int sum = 0;
        for (; i < a.length; i++) {
            switch (a[i]) {
                case 1:
                    sum += 1; // count: 2
                    break;
                case 3:
                case 4:
                    continue;
                case 9:
                    return sum; // count: 1
                default:
                    sum += 1000; // count: 1
            }
            steps++; // count: 3
        }
        return -1;
    }

    static int search(int[][] rows, int wanted) {
        int seen = 0;
        outer:
        for (int r = 0; r < rows.length; r++) {
            for (int c = 0; c < rows[r].length; c++) {
                if (rows[r][c] == wanted) {
                    break outer; // count: 2
                }
                if (rows[r][c] < 0) {
                    continue outer; // count: 2
                }
                seen++; // count: 16
            }
        }
        return seen;
    }

    /** The handler is behind the loop, and the loop runs again. */
    static int caughtBehind(int[] a, int wanted) {
        int found = 0;
        for (int turn = 0; turn < 3; turn++) {
            try {
                for (int i = 0;; i++) {
                    if (a[i] == wanted) {
                        found++; // count: 15
                    }
                }
            } catch (ArrayIndexOutOfBoundsException e) {
                found += 100; // count: 9
            }
        }
        return found;
    }

    /** The handler is inside the loop. */
    static int caughtInside(int[] a) {
        int sum = 0;
        for (int i = 0; i < 8; i++) {
            try {
                sum += 100 / a[i]; // count: 8
            } catch (ArithmeticException e) {
                sum--; // count: 2
            } catch (ArrayIndexOutOfBoundsException e) {
                sum -= 10; // count: 3
            }
        }
        return sum;
    }

    /** The handler is the caller's. */
    static int thrown(int[] a, int by) {
        int sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] / (i - by); // count: 33
        }
        return sum; // count: 1
    }

    static synchronized int locked(Object lock, int[] a) {
        int sum = 0;
        synchronized (lock) {
            for (int i = 0; i < 9; i++) {
                sum += a[i]; // count: 18
            }
        }
        return sum; // count: 1
    }

    static int last(int[] a) {
        int sum = 0;
        try {
            sum = a[5]; // count: 3
        } finally {
            for (int i = 0; i < a.length; i++) {
                sum += a[i]; // total: 13
            }
            steps += sum;
        }
        return sum; // count: 1
    }

    /** More counters than fit. */
    static int many(int n) {
        int x = 0;
        for (int i = 0; i < n; i++) x += 1; // count: 1
        for (int i = 0; i < n; i++) x += 2; // count: 1
        for (int i = 0; i < n; i++) x += 3; // count: 1
        for (int i = 0; i < n; i++) if ((i & 1) == 0) x += 4; // count: 1
        for (int i = 0; i < n; i++) if ((i & 2) == 0) x += 5; // count: 1
        for (int i = 0; i < n; i++) if ((i & 1) == 0) x += 6; else x++; // count: 1
        for (int i = 0; i < n; i++) x += 7; // count: 1
        for (int i = 0; i < n; i++) x += 8; // count: 1
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < n; i++) x += i & k; // count: 4
            for (int i = n; i > 0; i--) x ^= i; // count: 4
            for (int i = 0; i < n; i++) if ((i & k) == 0) x++; // count: 4
            for (int i = 0; i < n; i++) if (i == k) break; // count: 4
        }
        return x;
    }

    /** Runs again while it has not returned. */
    static int recursive(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i; // count: 15
        }
        return n == 0 ? sum : sum + recursive(n - 1);
    }

    /** Not known to end soon, or at all but for this input. */
    static int unknown(int seed, int[] next) {
        int turns = 0;
        while (seed != 1) {
            seed = (seed & 1) == 0 ? seed / 2 : 3 * seed + 1; // count: 111
            turns++;
        }
        for (int at = 0; next[at] != 0; at = next[at]) {
            turns++; // count: 4
        }
        for (long i = 0; i < 5; i++) {
            turns++; // count: 5
        }
        for (int i = Integer.MAX_VALUE - 4; i <= Integer.MAX_VALUE; i += 2) {
            if (++turns > 200) { // count: 81
                break;
            }
        }
        for (int i = Integer.MAX_VALUE - 5; i < Integer.MAX_VALUE; i++) {
            turns++; // count: 5
        }
        for (int i = Integer.MIN_VALUE + 3; i > Integer.MIN_VALUE; i--) {
            turns++; // count: 3
        }
        return turns;
    }

    static double wide(long[] longs, double[] doubles, Object[] objects) {
        double sum = 0;
        for (int i = 0; i < longs.length; i++) {
            longs[i] += i; // count: 6
            doubles[i] = longs[i] * 0.5;
            objects[i] = "text"; // count: 6
        }
        for (int i = 0; i < objects.length; i++) {
            if (objects[i] instanceof String) {
                sum += ((String) objects[i] == "text") ? doubles[i] : 1e9; // count: 6
            }
        }
        return sum;
    }

    int fields() {
        for (int i = 0; i < kept.length; i++) {
            sum += kept[i]; // count: 30
        }
        return sum;
    }

    static int tried(int way) {
        try {
            switch (way) {
                case 0:
                    return thrown(new int[4], 9);
                case 1:
                    return thrown(new int[40], 28);
                case 2:
                    return thrown(null, 0);
                case 3:
                    return locked("", new int[9]);
                case 4:
                    return locked("", new int[8]);
                case 5:
                    return last(new int[] {1, 2, 3, 4, 5, 6, 7});
                case 6:
                    return last(new int[] {1, 2, 3});
                default:
                    return last(new int[] {1, 2, 3});
            }
        } catch (RuntimeException e) {
            return -way;
        }
    }

    public static void main(String[] args) throws Exception {
        System.out.println(up(0) + up(3) + up(12) + up(0));
        System.out.println(down(0) + down(3) + down(12) + down(0));
        byte[] text = "abcabcabd".getBytes("US-ASCII");
        System.out.println(behind(text, text, 0) + " " + behind(text, text, 3) + " " + behind(text, text, 1));
        int[] long1 = new int[100];
        for (int i = 0; i < 100; i++) {
            long1[i] = TABLE[i % 8];
        }
        System.out.println(branches(long1) + " " + branches(new int[0]) + " " + switched(TABLE));
        int[][] rows = {{1, 2, 3}, {}, {4, 5, -1, 6}, {7, 8, 9}};
        System.out.println(search(rows, 9) + " " + search(rows, 99) + " " + search(rows, 2));
        System.out.println(caughtBehind(TABLE, 1) + caughtBehind(new int[0], 1) + caughtBehind(new int[] {1, 1, 1}, 1));
        System.out.println(caughtInside(new int[] {1, 0, 2, 0, 5}));
        for (int way = 0; way < 8; way++) {
            System.out.print(tried(way) + " ");
        }
        System.out.println(many(10) + " " + recursive(5) + " " + unknown(27, new int[] {2, 0, 4, 1, 3}));
        System.out.println(wide(new long[6], new double[6], new Object[6]));
        LoopExits one = new LoopExits(10);
        LoopExits two = new LoopExits(20);
        System.out.println(one.fields() + two.fields());
        int[] sums = new int[2];
        Thread[] threads = new Thread[2];
        for (int t = 0; t < 2; t++) {
            int me = t;
            threads[t] = new Thread(() -> {
                for (int i = 0; i < 500; i++) {
                    sums[me] += i; // count: 1000
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(Arrays.toString(sums) + steps);
    }
}
