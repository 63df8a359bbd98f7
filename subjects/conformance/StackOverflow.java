// vm: -Xss400k
// varies: dive
/** StackOverflowError, caught; how deep it gets differs, everything else does not. */
public class StackOverflow {
    static int depth;

    static int dive(int n) {
        depth = n;
        return dive(n + 1) + 1;
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
        System.out.println(caught + " " + (depth > 100));
    }
}
