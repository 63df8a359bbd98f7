/** Constructors that fail before, inside and after the call of super(). */
public class ConstructorThrows {
    static int made;

    static class Base {
        int x;

        Base(int n) {
            x = n; // count: 8
            if (n == 3) { // count: 8
                throw new IllegalArgumentException("three"); // count: 2
            }
            made++; // count: 6
        }
    }

    static class Derived extends Base {
        int y;

        Derived(int n) {
            super(check(n)); // count: 10
            y = 100 / (n - 4); // count: 6
            made++; // count: 4
        }

        static int check(int n) {
            if (n == 1) { // count: 10
                throw new IllegalStateException("one"); // count: 2
            }
            return n; // count: 8
        }
    }

    public static void main(String[] args) {
        int failed = 0;
        for (int i = 0; i < 10; i++) {
            try {
                new Derived(i % 5); // count: 10
            } catch (RuntimeException e) {
                failed++; // count: 6
            }
        }
        System.out.println(failed + " " + made);
    }
}
