// inexact: threads are in the middle of loops when the machine ends
// varies: one, several, forever
/** Daemon threads are in loops that call nothing while main ends: what these have counted may be in their locals. */
public class RunningInLoops {
    static volatile int turns;

    static int one(int n) {
        int bits = 0;
        for (int i = 0; i < n; i++) {
            bits ^= turns;
        }
        return bits;
    }

    static int several(int n, int by) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            if ((turns & by) == 0) {
                sum += i;
            } else if (i % 3 == by) {
                sum ^= i;
            }
            sum += turns / by;
        }
        return sum;
    }

    /** Some collectors let a loop come to its end before they stop it. */
    static void forever(boolean single) {
        while (true) {
            turns += single ? one(2_000_000_000) : several(2_000_000_000, 5);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        for (int i = 0; i < 4; i++) {
            boolean single = i % 2 == 0;
            Thread t = new Thread(() -> forever(single)); // count main: 4
            t.setDaemon(true);
            t.start(); // count: 4
        }
        Thread.sleep(200);
        System.out.println(one(3) + several(4, 2) >= 0); // count: 1
    }
}
