// slice: Defaults.result at exit

/** Default methods are called on lambdas, and call these back. */
public class Defaults {
    interface Op {
        int apply(int x);

        default int twice(int x) {
            return apply(apply(x)); // in
        }

        default int never(int x) {
            return x - 1; // out
        }
    }

    static int result;
    static int other;

    static int counted(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) { // in
            sum += i; // in
        }
        return sum; // in
    }

    public static void main(String[] args) {
        int n = args.length; // in
        Op op = x -> counted(x) + 1; // in
        result = op.twice(n); // in
        other = n * 3; // out
    }
}
