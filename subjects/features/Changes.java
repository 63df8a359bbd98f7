import java.util.Random;

/**
 * Transitions: how often a branch goes another way than the last time on its thread, the first time compared with not taken. `noisy` and
 * `crowd` write down the outcomes themselves, as the compiled code sees them (javac jumps where the condition is false), and print what they
 * come to. After `java Changes 40`:
 */
public class Changes {
    static boolean[] taken;
    static int seen;

    static int runs(int n) {
        int a = 0;
        for (int i = 0; i < n; i++) {
            if (i / 4 % 2 == 1) {
                a++;
            }
        }
        return a;
    }

    static int alternate(int n) {
        int a = 0;
        int i = 0;
        do {
            if ((i & 1) == 0) {
                a += 2;
            } else {
                a += 3;
            }
            i++;
        } while (i < n);
        return a;
    }

    static void noisy(int n, Random random) {
        for (int i = 0; i < n; i++) {
            boolean odd = random.nextInt(3) == 1;
            taken[seen++] = !odd;
            if (odd) {
                Thread.onSpinWait();
            }
        }
    }

    static int crowd(int[] outcomes) {
        int a = 0;
        for (int outcome : outcomes) {
            if (outcome != 0) {
                a++;
            }
        }
        return a;
    }

    static boolean fails(int n) {
        try {
            return 10 / (n % 2) > 3;
        } catch (ArithmeticException e) {
            return n > 2;
        }
    }

    static int serve(int n) {
        return n > 1 ? n : -n;
    }

    static int changes(boolean[] outcomes, int length) {
        boolean last = false;
        int changes = 0;
        for (int i = 0; i < length; i++) {
            changes += outcomes[i] == last ? 0 : 1;
            last = outcomes[i];
        }
        return changes;
    }

    public static void main(String[] args) throws InterruptedException {
        int n = Integer.parseInt(args[0]);
        runs(n);
        runs(n);
        alternate(10);
        taken = new boolean[100 * n];
        Random random = new Random(7);
        for (int i = 0; i < n; i++) {
            noisy(100, random);
        }
        System.out.println("value Changes.noisy(int, java.util.Random) block 8 transitions (Changes.java:39-40) " + changes(taken, seen));
        Thread[] threads = new Thread[8];
        int all = 0;
        for (int t = 0; t < threads.length; t++) {
            int[] outcomes = random.ints(5000, 0, 2).toArray();
            boolean[] zero = new boolean[outcomes.length];
            for (int i = 0; i < zero.length; i++) {
                zero[i] = outcomes[i] == 0;
            }
            all += changes(zero, zero.length);
            threads[t] = new Thread(() -> crowd(outcomes));
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("value Changes.crowd(int[]) block 2 transitions (Changes.java:48-49) " + all);
        for (int i = 0; i < 5; i++) {
            fails(i);
        }
        for (int i = 0; i < 4; i++) {
            serve(i);
        }
    }
}
//= Changes.runs(int) block 1 transitions (Changes.java:14) = 3
//= Changes.runs(int) block 2 transitions (Changes.java:15) = 20
//= Changes.alternate(int) block 1 transitions (Changes.java:26) = 9
//= Changes.alternate(int) block 4 transitions (Changes.java:31-32) = 2
//= Changes.crowd(int[]) block 1 transitions (Changes.java:48) = 8
//= Changes.fails(int) block 4 transitions (Changes.java:59-60) = 2
//= Changes.serve(int) block 0 transitions (Changes.java:65) = 2
