/**
 * Exceptions by the type that is thrown: whatever it is called, and only if it is. After `java Throws 11`:
 */
public class Throws {
    static class Stop extends RuntimeException {
        Stop(int n) {
            super(n > 3 ? "late" : "early");
        }
    }

    static class Fails extends RuntimeException {
        final int share;

        Fails(int n) {
            share = 10 / n;
        }
    }

    static void stop(int n) {
        throw new Stop(n % 2 == 0 ? n : -n);
    }

    /** Its constructor fails once: then it is not thrown, but what the constructor raised. */
    static void fails(int n) {
        throw new Fails(n);
    }

    static String kept(int n) {
        return new IllegalStateException("never thrown " + n).getMessage();
    }

    static void later(int n) {
        RuntimeException e = new UnsupportedOperationException();
        if (n > 2) {
            throw e;
        }
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        int caught = 0;
        for (int i = 0; i < n; i++) {
            try {
                stop(i);
            } catch (Stop e) {
                caught++;
            }
            try {
                fails(i);
            } catch (RuntimeException e) {
                caught++;
            }
            kept(i);
            try {
                later(i);
            } catch (UnsupportedOperationException e) {
                caught++;
            }
        }
        System.out.println(caught);
    }
}
//= thrown Throws$Stop = 11
//= thrown Throws$Fails = 10
//= thrown java.lang.ArithmeticException = 1
//= thrown java.lang.IllegalStateException = missing
//= thrown java.lang.UnsupportedOperationException = missing
