/** Two threads race for a class whose initialiser runs once; the other waits for it. */
public class InitialiserRace {
    static class Slow {
        static int value;

        static {
            try {
                Thread.sleep(100); // count: 1
            } catch (InterruptedException e) {
                value = -1; // count: 0
            }
            for (int i = 0; i < 4; i++) {
                value += i; // count: 4
            }
        }

        static int get() {
            return value; // count: 2
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int[] got = new int[2];
        Thread[] t = new Thread[2];
        for (int i = 0; i < 2; i++) {
            int k = i;
            t[i] = new Thread(() -> got[k] = Slow.get()); // count main: 2, lambda$main$0: 2
            t[i].start();
        }
        for (Thread x : t) {
            x.join();
        }
        System.out.println(got[0] + got[1]);
    }
}
