package a;

import b.Part;
import b.Refused;

/**
 * Loops, switches and exceptions, caught where they are thrown and frames above, in classes of its own and of a library: what an archive of
 * any form has to count.
 */
public class Main {
    interface Step {
        int apply(int n);
    }

    static final class Worker extends Thread {
        final int rounds;
        long done;

        Worker(int rounds) {
            this.rounds = rounds;
        }

        @Override
        public void run() {
            for (int i = 0; i < rounds; i++) {
                done += kind(i) + Part.weigh(i);
            }
        }
    }

    static int finals;

    static int kind(int n) {
        switch (n % 6) {
            case 0:
                return 1;
            case 1:
            case 2:
                n += 3;
                break;
            case 4:
                n *= 2;
            default:
                n--;
        }
        return n;
    }

    static int length(String word) {
        switch (word) {
            case "loop":
                return 4;
            case "switch":
                return 6;
            case "exception":
                return 9;
            default:
                return -word.length();
        }
    }

    static int attempt(int n) {
        try {
            return Part.check(n);
        } catch (Refused refused) {
            return refused.why;
        } finally {
            finals++;
        }
    }

    /** What the library throws passes through all these frames. */
    static int through(int depth, int n) {
        if (depth == 0) {
            return Part.share(100, n);
        }
        int below = through(depth - 1, n);
        return below + 1;
    }

    public static void main(String[] args) throws InterruptedException {
        Worker worker = new Worker(200);
        worker.start();
        Step twice = n -> 2 * n;
        long sum = 0;
        String[] words = {"loop", "switch", "exception", "word"};
        for (int i = 0; i < 60; i++) {
            sum += kind(i) + attempt(i) + length(words[i % words.length]);
            try {
                sum += twice.apply(through(i % 4, i % 7));
            } catch (ArithmeticException divided) {
                sum -= i;
            }
        }
        worker.join();
        System.out.println(Part.version() + ": " + (sum + worker.done + finals));
    }
}
