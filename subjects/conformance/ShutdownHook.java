/** A shutdown hook runs after main has returned, in a thread of its own. */
public class ShutdownHook {
    static int n;

    static void hook() {
        for (int i = 0; i < 7; i++) {
            n += i; // count: 7
        }
        System.out.println("hook " + n); // count: 1
    }

    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(ShutdownHook::hook)); // count: 1
        n = 100; // count: 1
    }
}
