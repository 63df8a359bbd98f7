// vm: -Xss400k
// varies: dive
/** StackOverflowError, caught; how deep it gets differs, everything else does not, and each dive counts itself. */
public class StackOverflow {
    static int entered;

    static int dive(int n) {
        entered++; // count: =entered
        int below = dive(n + 1); // count: =entered
        return below + 1; // count: 0
    }

    public static void main(String[] args) {
        int caught = 0;
        for (int i = 0; i < 3; i++) {
            try {
                caught += dive(0); // count: 3
                caught = -100; // count: 0
            } catch (StackOverflowError e) {
                caught++; // count: 3
            }
        }
        System.out.println(caught + " " + (entered > 300));
        System.err.println("entered=" + entered);
    }
}
