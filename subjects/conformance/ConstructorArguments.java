/** Branches, divisions and constructor calls among the arguments of super(): uninitialised this and objects on the stack. */
public class ConstructorArguments {
    static int seen;

    static class Pair {
        final int a;
        final Object b;

        Pair(int a, Object b) {
            this.a = a; // count: 10
            this.b = b; // count: 10
        }
    }

    static class Special extends Pair {
        Special(int n, int d) {
            super(n > 3 ? n / d : n < 1 ? -n : n * 2, n % 2 == 0 ? new StringBuilder("even").append(n) : new Object()); // count: 12
            seen += a; // count: 10
        }

        Special(int n) {
            this(n, n % 3); // count: 6
            seen++; // count: 5
        }
    }

    public static void main(String[] args) {
        int failures = 0;
        for (int i = 0; i < 6; i++) {
            try {
                new Special(i, 5 - i); // count: 6
            } catch (ArithmeticException e) {
                failures++; // count: 1
            }
        }
        for (int i = 1; i < 7; i++) {
            try {
                new Special(i); // count: 6
            } catch (ArithmeticException e) {
                failures += 10; // count: 1
            }
        }
        System.out.println(seen + " " + failures);
    }
}
