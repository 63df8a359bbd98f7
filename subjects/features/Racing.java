/** Threads that call a method as fast as they can while the program ends, after as many milliseconds as its argument says. */
public class Racing {
    static int step(int n) { return n + 1; }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 4; i++) {
            Thread thread = new Thread(() -> { for (int n = 0; ; ) n = step(n); });
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(Long.parseLong(args[0]));
    }
}
