/** A stack overflow whose handlers overflow again on the way out. */
// vm: -Xss512k
// varies: dive, clean
public class StackOverflowInHandler {
    static int depth;
    static int cleaned;

    static void clean(int n) {
        cleaned++;
        if (n > 0) {
            clean(n - 1);
        }
    }

    static void dive() {
        depth++;
        try {
            dive();
        } finally {
            if (depth % 16 == 0) {
                clean(40);
            }
            depth--;
        }
    }

    public static void main(String[] args) {
        int caught = 0;
        for (int i = 0; i < 3; i++) {
            try {
                dive(); // count: 3
                caught += 100; // count: 0
            } catch (StackOverflowError e) {
                caught++; // count: 3
            }
        }
        System.out.println(caught + " " + (cleaned > 0)); // count: 1
    }
}
