/** Four threads in the same method at once: no increment may be lost. */
public class ThreadsOneMethod {
    static int work(int n) {
        int sum = 0; // count: 4
        for (int i = 0; i < n; i++) { // count: 4
            if (i % 3 == 0) { // count: 800
                sum += i; // count: 268
            } else {
                sum -= i; // count: 532
            }
        }
        return sum; // count: 4
    }

    public static void main(String[] args) throws InterruptedException {
        Thread[] threads = new Thread[4];
        int[] results = new int[4];
        for (int t = 0; t < 4; t++) {
            final int id = t;
            threads[t] = new Thread(() -> { // count main: 4
                results[id] = work(200); // count: 4
            }); // count lambda$main$0: 4
        }
        for (Thread t : threads) {
            t.start(); // count: 4
        }
        for (Thread t : threads) {
            t.join(); // count: 4
        }
        System.out.println(results[0] + results[1] + results[2] + results[3]);
    }
}
