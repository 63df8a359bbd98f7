/** Loops whose counters are kept in locals, and others. */
class Promoted {
    static int caught(int[] a, int wanted) {
        int found = 0;
        for (int turn = 0; turn < 3; turn++) {
            try {
                for (int i = 0;; i++) {
                    if (a[i] == wanted) found++;
                }
            } catch (ArrayIndexOutOfBoundsException e) {
                found += 100;
            }
        }
        return found;
    }

    static int left(byte[] a, byte[] b, int most) {
        int n = 0;
        while (++n < most) {
            if (a[n] != b[n]) break;
        }
        do {
            if (--n == 0) return -1;
        } while (a[n] == b[n]);
        return n;
    }

    static int neither(int seed, int[] next, Runnable r) {
        int n = 0;
        while (seed != 1) {
            seed = (seed & 1) == 0 ? seed / 2 : 3 * seed + 1;
            n++;
        }
        for (int at = 0; next[at] != 0; at = next[at]) n++;
        for (int i = 0; i < seed; i++) r.run();
        for (int i = 0; i <= seed; i++) n++;
        return n;
    }
}
