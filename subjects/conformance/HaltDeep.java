// exit: 5
/** Runtime.halt: no shutdown hooks, no finally; the counts are there all the same. */
public class HaltDeep {
    static int state;

    static void down(int n) {
        try {
            state++; // count: 4
            if (n == 0) { // count: 4
                Runtime.getRuntime().halt(5); // count: 1
            }
            down(n - 1); // count: 3
        } finally {
            state += 10; // total: 0
        }
    }

    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            state = 0; // count: 0
        }));
        down(3); // count: 1
    }
}
