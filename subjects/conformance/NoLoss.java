/** Two threads count the same few edges as fast as they can while a third starts and ends often. */
public class NoLoss {
    static int odd;

    static int hammer(int rounds) {
        int x = 0; // count: 2
        for (int i = 0; i < rounds; i++) {
            x += step(i); // count: 4000
        }
        return x; // count: 2
    }

    static int step(int i) {
        return (i & 1) == 0 ? 1 : 2; // count: 4020
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] busy = new Thread[2];
        for (int i = 0; i < 2; i++) {
            busy[i] = new Thread(() -> hammer(2000)); // count main: 2, lambda$main$0: 2
            busy[i].start();
        }
        for (int i = 0; i < 20; i++) {
            int n = i;
            Thread t = new Thread(() -> step(n)); // count main: 20, lambda$main$1: 20
            t.start();
            t.join();
        }
        for (Thread t : busy) {
            t.join();
        }
        System.out.println("done");
    }
}
