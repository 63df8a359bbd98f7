/** Blocks of known length for `time-blocks`: 4 naps of 5 ms, one of which ends in an exception, and a loop of 20 rounds. */
public class Naps {
    final int nap;

    Naps(int nap) {
        this.nap = nap;
    }

    void sleep(boolean fail) throws InterruptedException {
        if (nap > 0) {
            Thread.sleep(nap); // the nap
            if (fail) {
                throw new IllegalStateException();
            }
        }
    }

    static int work(int rounds) {
        int sum = 0;
        for (int i = 0; i < rounds; i++) {
            sum += i % 3; // the round
        }
        return sum;
    }

    static int deep(int n) throws InterruptedException {
        if (n == 0) {
            new Naps(5).sleep(false);
            return 0;
        }
        return deep(n - 1) + 1; // the call
    }

    public static void main(String[] args) throws InterruptedException {
        Naps naps = new Naps(5);
        int failed = 0;
        for (int i = 0; i < 3; i++) {
            try {
                naps.sleep(i == 1);
            } catch (IllegalStateException e) {
                failed++;
            }
        }
        System.out.println(work(20) + deep(3) + failed);
    }
}
