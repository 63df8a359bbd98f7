package b;

/** The library's class for newer releases of Java: other code, other nested classes, and as many passes as the release says. */
public class Part {
    static final int RELEASE = 0;

    static class Table {
        static int entry(int n) {
            switch (n & 3) {
                case 0:
                    return 5;
                case 3:
                    throw new Refused(n);
                default:
                    return n;
            }
        }
    }

    public static String version() {
        return "release " + RELEASE;
    }

    public static int weigh(int n) {
        int sum = 0;
        for (int i = 0; i < RELEASE; i++) {
            try {
                sum += Table.entry(n + i);
            } catch (Refused refused) {
                sum += refused.why;
            }
        }
        return sum;
    }

    public static int check(int n) {
        return Table.entry(n) + weigh(n);
    }

    public static int share(int all, int among) {
        int share = 0;
        for (int left = all; left >= among; left -= among) {
            if (among == 0) {
                throw new ArithmeticException("among none");
            }
            share++;
        }
        return share;
    }
}
