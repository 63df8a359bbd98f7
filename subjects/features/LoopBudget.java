/**
 * Loops in and behind each other, with exceptions thrown and caught in them, for removing the probes of some: those whose header says `removed`. After `java LoopBudget 6`,
 * with these gone:
 */
public class LoopBudget {
    static int sum;

    /** The inner loop is hot; what is around it stays known. */
    static void nested(int n) {
        for (int i = 0; i < n; i++) {
            sum += i;
            for (int j = 0; j < 100; j++) { // removed
                if ((j & 3) == 0) {
                    sum++;
                }
            }
            if (i == 2) {
                sum += step(i);
            }
        }
    }

    static int step(int n) {
        return n + 1;
    }

    /** An exception leaves the method from the removed loop. */
    static void failing(int n) {
        for (int i = 0;; i++) {
            check(i < n ? 0 : -4); // removed
        }
    }

    /** Exceptions leave the removed loop's body and are caught in it and around it. */
    static void throwing(int n) {
        try {
            for (int i = 0; i < n; i++) { // removed
                try {
                    check(i);
                } catch (IllegalStateException e) {
                    sum += 2;
                }
                check(-i);
            }
        } catch (ArithmeticException e) {
            sum += 3;
        }
        sum += step(n);
    }

    static void check(int n) {
        if (n == 1) {
            throw new IllegalStateException();
        }
        if (n == -3) {
            throw new ArithmeticException();
        }
        if (n == -4) {
            throw new IllegalArgumentException();
        }
    }

    /** A handler begins the loop: each failure goes back to the beginning. */
    static int retry(int n) {
        int tries = 0;
        while (true) {
            try {
                tries++;
                check(tries < n ? 1 : 0);
                return tries;
            } catch (IllegalStateException e) {
                sum++;
            }
        }
    }

    /** Without the outer loop's probes the inner one, which is tested at its end, is not known either. */
    static void outer(int n) {
        int i = 0;
        do {
            int j = 0; // removed
            do {
                j += step(i);
            } while (j < 5);
            i++;
        } while (i < n);
    }

    /** Many ways through the removed loop, one out of the method. */
    static int ways(int n) {
        for (int i = 0;; i++) {
            switch (i % 5) { // removed
                case 0:
                    sum++;
                    break;
                case 1:
                    sum += 2;
                    break;
                case 2:
                    if (i > n) {
                        return i;
                    }
                    break;
                default:
                    sum += 3;
            }
        }
    }

    /** The removed loop stands behind one that is counted. */
    static void twice(int[] all) {
        for (int i = 0; i < all.length; i++) {
            all[i] = step(i);
        }
        for (int i = 0; i < all.length; i++) { // removed
            sum += all[i];
        }
    }

    static void leave(int n) {
        for (int i = 0; i < n; i++) { // removed
            if (i == 4) {
                System.exit(0);
            }
            sum += step(i);
        }
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        for (int i = 0; i < n; i++) {
            nested(i);
            throwing(i < 4 ? i : 4);
        }
        for (int i = 0; i < n; i++) {
            try {
                failing(i);
            } catch (IllegalArgumentException e) {
                sum += step(i);
            }
        }
        retry(n);
        outer(n);
        ways(n);
        twice(new int[n]);
        System.out.println(sum);
        leave(n);
    }
}
//= LoopBudget.nested(int) invocations = 6
//= LoopBudget.nested(int) loop 0 at block 1 (LoopBudget.java:10) = 21
//= LoopBudget.nested(int) loop 1 at block 3 (LoopBudget.java:12) = missing
//= LoopBudget.throwing(int) invocations = 6
//= LoopBudget.failing(int) invocations = 6
//= LoopBudget.step(int) invocations = 39
//= LoopBudget.retry(int) invocations = 1
//= LoopBudget.outer(int) invocations = 1
//= LoopBudget.ways(int) invocations = 1
//= LoopBudget.leave(int) invocations = 1
