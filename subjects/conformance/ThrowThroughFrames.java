/** An exception crosses several frames, each left in the middle of a block by a call. */
public class ThrowThroughFrames {
    static int before;
    static int after;

    static void bottom(int n) {
        before++; // count: 6
        if (n % 2 == 0) { // count: 6
            throw new IllegalStateException("even"); // count: 3
        }
        after++; // count: 3
    }

    static void middle(int n) {
        before++; // count: 6
        bottom(n); // count: 6
        after++; // count: 3
    }

    static void top(int n) {
        before++; // count: 6
        middle(n); // count: 6
        after++; // count: 3
    }

    public static void main(String[] args) {
        for (int i = 0; i < 6; i++) {
            try {
                top(i); // count: 6
            } catch (IllegalStateException e) {
                before += 10; // count: 3
            }
        }
        System.out.println(before + " " + after);
    }
}
