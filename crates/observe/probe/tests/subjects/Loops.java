/** Loops and branches of every kind that javac makes. */
class Loops {
    static int nested(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            for (int j = i; j < n; j++) {
                if ((i ^ j) == 3) continue;
                sum += j;
            }
        }
        return sum;
    }

    static int cases(int n) {
        switch (n) {
            case 1: case 2: return 10;
            case 3: n++;
            case 1000: return n;
            default: return -1;
        }
    }

    static int dense(int n) {
        switch (n) { case 0: return 7; case 1: return 8; case 2: return 9; case 4: n = 5; }
        return n;
    }

    static void forever(Runnable r) {
        while (true) r.run();
    }

    static int retry(java.util.concurrent.Callable<Integer> c) {
        while (true) {
            try {
                return c.call();
            } catch (IllegalStateException | UnsupportedOperationException e) {
                continue;
            } catch (Exception e) {
                return -1;
            } finally {
                System.nanoTime();
            }
        }
    }
}
