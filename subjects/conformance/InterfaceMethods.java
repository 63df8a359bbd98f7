/** Default, static and private interface methods, a diamond, and super calls into interfaces. */
// since: 11
public class InterfaceMethods {
    static int n;

    interface A {
        default int value() {
            n++; // count: 6
            return base() + 1; // count: 6
        }

        private int base() {
            return helper(10); // count: 6
        }

        static int helper(int x) {
            return x * 2; // count: 7
        }
    }

    interface B extends A {
        @Override
        default int value() {
            return A.super.value() + 100; // count: 3
        }
    }

    static class Plain implements A {
    }

    static class Diamond implements A, B {
    }

    static class Own implements B {
        @Override
        public int value() {
            return 7; // count: 3
        }
    }

    public static void main(String[] args) {
        int sum = A.helper(1); // count: 1
        A[] all = {new Plain(), new Diamond(), new Own()};
        for (int i = 0; i < 3; i++) {
            for (A a : all) {
                sum += a.value(); // count: 9
            }
        }
        System.out.println(sum + " " + n);
    }
}
