/** Class initialisers that need each other, are entered again by their own thread, and fail in a superclass. */
public class CyclicInit {
    static int order;

    static class A {
        static int x = ++order * 10 + B.y; // count: 1

        static int get() {
            return x; // count: 5
        }
    }

    static class B {
        static int y = ++order * 100 + A.get(); // count: 1

        static int get() {
            return y + A.get(); // count: 3
        }
    }

    static class Fails {
        static int[] a = new int[order]; // count: 1

        static {
            for (int i = 0; i < 3; i++) { // count: 1
                a[i] = i; // count: 3
            }
        }
    }

    static class Below extends Fails {
        static int z = 5; // count: 0
    }

    interface Constant {
        int K = ++order; // count: 1

        default int own() {
            return K; // count: 3
        }
    }

    static class Has implements Constant {
        int k = 1; // count: 3
    }

    public static void main(String[] args) {
        int sum = A.get() + B.get(); // count: 1
        for (int i = 0; i < 2; i++) {
            sum += B.get(); // count: 2
        }
        for (int i = 0; i < 3; i++) {
            try {
                sum += Below.z; // count: 3
            } catch (ExceptionInInitializerError e) {
                sum += 1000; // count: 1
            } catch (NoClassDefFoundError e) {
                sum += 10000; // count: 2
            }
        }
        for (int i = 0; i < 3; i++) {
            sum += new Has().own(); // count: 3
        }
        System.out.println(sum + " " + order);
    }
}
