/** A stack overflow whose handlers overflow again on the way out. What was begun and ended counts itself. */
// vm: -Xss512k
// varies: dive, clean
public class StackOverflowInHandler {
    static int depth;
    static int dived;
    static int undone;
    static int cleaned;
    static int clear;

    static void clean(int n) {
        cleaned++; // count: =cleaned
        if (n > 0) {
            clean(n - 1);
        }
        clear++; // count: =clear
    }

    static void dive() {
        dived++; // count: =dived
        depth++;
        try {
            dive(); // count: =dived
        } finally {
            if (depth % 16 == 0) {
                clean(40);
            }
            undone++; // total: =undone
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
        System.err.println("dived=" + dived);
        System.err.println("undone=" + undone);
        System.err.println("cleaned=" + cleaned);
        System.err.println("clear=" + clear);
    }
}
