// slice: Privates.result at exit

/** A private method is overridden by nothing, whatever a subclass has under its name. */
public class Privates {
    static class A {
        int n;

        A(int n) {
            this.n = n; // in
        }

        private int step() {
            int sum = 0;
            for (int i = 0; i < n; i++) { // in
                sum += i; // in
            }
            return sum; // in
        }

        int run() {
            return step(); // in
        }
    }

    static class B extends A {
        B(int n) {
            super(n); // in
        }

        private int step() {
            return 7; // out
        }

        int own() {
            return step();
        }
    }

    static int result;

    public static void main(String[] args) {
        A a = new B(args.length); // in
        result = a.run(); // in
    }
}
