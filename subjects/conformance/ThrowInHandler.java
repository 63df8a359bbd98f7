/** Exceptions thrown inside handlers and inside finally; handlers that cover handlers. */
public class ThrowInHandler {
    static int log;

    static int go(int n) {
        try {
            try {
                log++; // count: 8
                if (n % 2 == 0) { // count: 8
                    throw new IllegalStateException("first"); // count: 4
                }
                return 1; // count: 4
            } catch (IllegalStateException e) {
                log += 10; // count: 4
                if (n % 4 == 0) { // count: 4
                    throw new IllegalArgumentException("second"); // count: 2
                }
                return 2; // count: 2
            } finally {
                log += 100; // total: 8
                if (n >= 6) { // total: 8
                    throw new UnsupportedOperationException("third"); // total: 2
                }
            }
        } catch (IllegalArgumentException e) {
            log += 1000; // count: 2
            return 3; // count: 2
        }
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 8; i++) {
            try {
                sum = sum * 4 + go(i); // count: 8
            } catch (UnsupportedOperationException e) {
                sum += 5; // count: 2
            }
        }
        System.out.println(sum + " " + log);
    }
}
