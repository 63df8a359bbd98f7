/** Decisions of all kinds: where their counters stand is what the version of plans stands for. */
class Ways {
    private final int[] all;

    Ways(int n) {
        this.all = new int[n > 0 ? n : 1];
    }

    static int even(int n) {
        int sum = 0;
        if (n > 3) {
            sum += n;
        }
        if ((n & 1) == 0) {
            sum += 2;
        } else {
            sum -= 2;
        }
        return sum == 0 ? n : sum;
    }

    int checked(int at) {
        if (at < 0 || at >= all.length) {
            throw new IllegalArgumentException("at");
        }
        return all[at];
    }

    int nested(Object lock) {
        int found = 0;
        for (int i = 0; i < all.length; i++) {
            for (int k = i; k < all.length; k++) {
                if (all[i] == all[k]) {
                    continue;
                }
                synchronized (lock) {
                    found++;
                }
            }
            if (found > 100) {
                break;
            }
        }
        return found;
    }

    static String named(int n) {
        try {
            switch (n) {
                case 1:
                case 2:
                    return "few";
                case 3:
                    return String.valueOf(12 / (n - 3));
                default:
                    return "many";
            }
        } catch (ArithmeticException e) {
            return "none";
        } finally {
            even(n);
        }
    }
}
