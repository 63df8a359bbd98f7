// inexact: a thread is in the middle of a loop when the machine ends
// varies: spin
/** A daemon thread computes while main ends: its counts are a snapshot and must be marked as one. */
public class RunningAtExit {
    static volatile long spins;

    static void spin() {
        while (true) {
            spins++;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread t = new Thread(RunningAtExit::spin);
        t.setDaemon(true);
        t.start(); // count: 1
        t.join(200); // count: 1
        System.out.println(spins > 0); // count: 1
    }
}
