/** Every way in and out of a block that the rewriter treats differently. */
public class Subject {
    final int value;

    Subject(String text) { this(text, Integer.parseInt(text)); }

    Subject(String text, int base) {
        super();
        if (base > 5) throw new IllegalStateException(text);
        value = base;
    }

    static int caught;

    /** Loop header at offset 0: jumps to it must not fetch the chunk again. */
    static int spin(int n) {
        do {
            n--;
        } while (n > 0);
        return n;
    }

    static int choose(int n) {
        switch (n) {
            case 1: return 10;
            case 2:
            case 3: n += 5;
            case 4: n += 7; break;
            case 1000: return 4;
            default: n = 0;
        }
        return n;
    }

    static int guarded(int n) {
        try {
            try {
                return new Subject(n % 2 == 0 ? "x" : "" + n).value;
            } finally {
                caught++;
            }
        } catch (NumberFormatException e) {
            return -1;
        } catch (IllegalStateException e) {
            return -2;
        }
    }

    static synchronized long wide(long a, double b, float c, byte d, Object e, int[] f) {
        synchronized (e) {
            if (a < 0) throw new IllegalArgumentException();
            return a + (long) (b + c) + d + f[0];
        }
    }

    static void plain(boolean z) { if (z) caught++; }

    int virtual(char c) { return c + value; }

    public static void main(String[] arguments) {
        long sum = 0;
        for (int i = 0; i < 10; i++) sum += guarded(i);
        for (int i = 0; i < 6; i++) sum += choose(i);
        sum += spin(100) + choose(1000);
        sum += wide(1, 2.5, 0.5f, (byte) 3, "lock", new int[] {4});
        try {
            wide(-1, 0, 0, (byte) 0, new Object(), null);
        } catch (IllegalArgumentException e) {
            sum++;
        }
        try {
            wide(1, 0, 0, (byte) 0, null, null);
        } catch (NullPointerException e) {
            sum++;
        }
        plain(true);
        sum += new Subject("2", 2).virtual('a');
        System.out.println("sum " + sum + " caught " + caught);
    }
}
