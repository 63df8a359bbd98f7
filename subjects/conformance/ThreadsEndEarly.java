/** Threads that start and end, one after another and long before the machine does; their counts stay. */
public class ThreadsEndEarly {
    static class Worker extends Thread {
        final int n;
        int result;

        Worker(int n) {
            this.n = n; // count: 12
        }

        @Override
        public void run() {
            for (int i = 0; i <= n; i++) {
                result += i * i; // count: 78
            }
        }
    }

    public static void main(String[] args) throws Exception {
        int total = 0;
        for (int i = 0; i < 12; i++) {
            Worker w = new Worker(i);
            w.start(); // count: 12
            w.join(); // count: 12
            total += w.result;
        }
        Thread.sleep(20);
        System.out.println(total);
    }
}
