/** Nested try, catch and finally; a finally that returns and swallows the exception. */
public class FinallyNested {
    static int log;

    static int nested(int n) {
        try {
            log++; // count: 8
            try {
                if (n == 1) { // count: 8
                    throw new IllegalStateException(); // count: 2
                }
                if (n == 2) { // count: 6
                    return n; // count: 2
                }
                log += 10 / (n - 3); // count: 4
            } catch (IllegalStateException e) {
                log += 2; // count: 2
            } finally {
                log += 100; // total: 8
            }
            log += 3; // count: 4
        } finally {
            log += 1000; // total: 8
        }
        return -n; // count: 4
    }

    @SuppressWarnings("finally")
    static int swallow(int n) {
        try {
            if (n > 1) { // count: 4
                throw new RuntimeException("lost"); // count: 2
            }
            return 1; // count: 2
        } finally {
            log++; // total: 4
            return 2; // total: 4
        }
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 8; i++) {
            try {
                sum += nested(i % 4); // count: 8
            } catch (ArithmeticException e) {
                sum += 50; // count: 2
            }
        }
        for (int i = 0; i < 4; i++) {
            sum += swallow(i); // count: 4
        }
        System.out.println(sum + " " + log);
    }
}
