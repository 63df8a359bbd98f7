/** Static initialisers: run once, in order of use, with superclass first; one fails, and its class stays unusable. */
public class StaticInitialiser {
    static int order;

    static class Base {
        static int a;

        static {
            for (int i = 0; i < 3; i++) {
                order = order * 2 + 1; // count: 3
            }
            a = order;
        }
    }

    static class Derived extends Base {
        static final int B = compute();

        static int compute() {
            order += 10; // count: 1
            return a + 1; // count: 1
        }
    }

    static class Broken {
        static int value;

        static {
            order += 100; // count: 1
            value = 1 / (order - order); // count: 1
            order += 1000; // count: 0
        }

        static int get() {
            return value; // count: 0
        }
    }

    interface Constants {
        int X = next();

        static int next() {
            order += 5; // count: 1
            return order; // count: 1
        }
    }

    public static void main(String[] args) {
        int sum = Derived.B; // count: 1
        int errors = 0;
        for (int i = 0; i < 3; i++) {
            try {
                sum += Broken.get(); // count: 3
                sum = -1; // count: 0
            } catch (ExceptionInInitializerError e) {
                errors++; // count: 1
            } catch (NoClassDefFoundError e) {
                errors += 10; // count: 2
            }
        }
        sum += Constants.X; // count: 1
        System.out.println(sum + " " + errors + " " + order);
    }
}
