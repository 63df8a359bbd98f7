// exit: 3
/** System.exit deep in a call stack: every frame above stays open. */
public class ExitDeep {
    static int state;

    static int down(int n) {
        state += n; // count: 6
        if (n == 0) { // count: 6
            System.exit(3); // count: 1
            state = -1; // count: 0
        }
        int below = down(n - 1); // count: 5
        return below + 1; // count: 0
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3; i++) {
            try {
                state += down(5); // count: 1
            } finally {
                state = 7; // count: 0
            }
        }
    }
}
