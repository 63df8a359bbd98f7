// exit: 1
/** An exception leaves main. */
public class UncaughtMain {
    static int n;

    static void fail(int depth) {
        n++; // count: 3
        if (depth == 0) { // count: 3
            throw new IllegalStateException("uncaught on purpose"); // count: 1
        }
        fail(depth - 1); // count: 2
        n = 0; // count: 0
    }

    public static void main(String[] args) {
        n = 1; // count: 1
        fail(2); // count: 1
        n = 2; // count: 0
    }
}
