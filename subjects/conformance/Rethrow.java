/** Rethrown, wrapped and chained exceptions; several handlers for one range; multi-catch. */
public class Rethrow {
    static int hits;

    static void raise(int n) {
        switch (n % 4) { // count: 12
            case 0:
                throw new IllegalStateException("s"); // count: 3
            case 1:
                throw new IllegalArgumentException("a"); // count: 3
            case 2:
                throw new UnsupportedOperationException("u"); // count: 3
            default:
                hits++; // count: 3
        }
    }

    static void wrap(int n) {
        try {
            raise(n); // count: 12
            hits++; // count: 3
        } catch (IllegalStateException e) {
            hits += 2; // count: 3
            throw e; // count: 3
        } catch (IllegalArgumentException | UnsupportedOperationException e) {
            hits += 3; // count: 6
            throw new RuntimeException(e); // count: 6
        }
    }

    public static void main(String[] args) {
        for (int i = 0; i < 12; i++) {
            try {
                wrap(i); // count: 12
            } catch (IllegalStateException e) {
                hits += 100; // count: 3
            } catch (RuntimeException e) {
                hits += e.getCause().getMessage().length(); // count: 6
            }
        }
        System.out.println(hits);
    }
}
