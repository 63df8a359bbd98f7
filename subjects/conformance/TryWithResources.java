/** try-with-resources: bodies and close() that throw, suppressed exceptions, a null resource. */
public class TryWithResources {
    static int opened;
    static int closed;

    static class Res implements AutoCloseable {
        final boolean failing;

        Res(boolean failing) {
            this.failing = failing; // count: 10
            opened++; // count: 10
        }

        @Override
        public void close() {
            closed++; // count: 10
            if (failing) { // count: 10
                throw new IllegalStateException("close"); // count: 4
            }
        }
    }

    static int use(int n) {
        try (Res a = new Res(n == 1); Res b = new Res(n >= 2); Res c = null) { // count: 5
            if (n == 3) { // count: 5
                throw new RuntimeException("body"); // count: 1
            }
            opened += 100; // count: 4
        }
        return n; // count: 1
    }

    public static void main(String[] args) {
        int suppressed = 0;
        for (int i = 0; i < 5; i++) {
            try {
                suppressed += use(i); // count: 5
            } catch (RuntimeException e) {
                suppressed += e.getSuppressed().length * 10; // count: 4
            }
        }
        System.out.println(opened + " " + closed + " " + suppressed);
    }
}
