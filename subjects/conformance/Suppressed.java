/** finally blocks that return, break, continue and throw over an exception on its way. */
public class Suppressed {
    @SuppressWarnings("finally")
    static int returns(int n) {
        try {
            if (n % 2 == 0) { // count: 6
                throw new IllegalStateException(); // count: 3
            }
            return n; // count: 3
        } finally {
            return -n;
        }
    }

    @SuppressWarnings("finally")
    static int continues() {
        int s = 0;
        for (int i = 0; i < 5; i++) {
            try {
                s += 10 / (i - 2); // count: 5
            } finally {
                if (i % 2 == 0) { // total: 5
                    continue;
                }
                s += 100; // total: 2
            }
            s += 1000; // count: 2
        }
        return s;
    }

    @SuppressWarnings("finally")
    static int throwsOver(int n) {
        try {
            try {
                throw new IllegalStateException("a" + n); // count: 3
            } finally {
                if (n == 1) { // total: 3
                    throw new IllegalArgumentException("b"); // total: 1
                }
            }
        } catch (IllegalArgumentException e) {
            return 1; // count: 1
        } catch (IllegalStateException e) {
            return 2; // count: 2
        }
    }

    static class Closes implements AutoCloseable {
        final int n;

        Closes(int n) {
            if (n == 3) { // count: 8
                throw new IllegalArgumentException(); // count: 1
            }
            this.n = n; // count: 7
        }

        @Override
        public void close() {
            if (n > 0) { // count: 7
                throw new UnsupportedOperationException(); // count: 3
            }
        }
    }

    static int resources(int a, int b) {
        try (Closes x = new Closes(a); Closes y = new Closes(b)) { // count: 4
            if (a + b == 2) { // count: 3
                throw new IllegalStateException(); // count: 1
            }
            return x.n + y.n; // count: 2
        } catch (IllegalStateException | UnsupportedOperationException | IllegalArgumentException e) {
            return 10 * e.getSuppressed().length + 5; // count: 3
        }
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 6; i++) {
            sum += returns(i); // count: 6
        }
        sum += continues();
        for (int i = 0; i < 3; i++) {
            sum += throwsOver(i); // count: 3
        }
        sum += resources(0, 0) + resources(1, 1) + resources(0, 1) + resources(0, 3); // count: 1
        System.out.println(sum);
    }
}
