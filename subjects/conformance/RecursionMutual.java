/** Recursion: direct, mutual, and through an interface. */
public class RecursionMutual {
    interface Step {
        int go(int n);
    }

    static int fib(int n) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2); // count: 177
    }

    static boolean even(int n) {
        return n == 0 || odd(n - 1); // count: 6
    }

    static boolean odd(int n) {
        return n != 0 && even(n - 1); // count: 5
    }

    static class Down implements Step {
        @Override
        public int go(int n) {
            if (n == 0) { // count: 8
                return 0; // count: 1
            }
            Step next = this; // count: 7
            return 1 + next.go(n - 1); // count: 7
        }
    }

    public static void main(String[] args) {
        System.out.println(fib(10) + " " + even(10) + " " + new Down().go(7)); // count: 1
    }
}
