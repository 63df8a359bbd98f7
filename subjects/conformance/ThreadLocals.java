/** Thread-locals and threads that subclass Thread with fields of their own. */
public class ThreadLocals {
    static final ThreadLocal<int[]> CELL = ThreadLocal.withInitial(() -> new int[1]); // count <clinit>: 1, lambda$static$0: 3

    static class Own extends Thread {
        int total;

        @Override
        public void run() {
            for (int i = 0; i < 5; i++) {
                total += ++CELL.get()[0]; // count: 15
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int sum = 0;
        Own[] all = {new Own(), new Own(), new Own()};
        for (Own o : all) {
            o.start(); // count: 3
        }
        for (Own o : all) {
            o.join(); // count: 3
            sum += o.total; // count: 3
        }
        System.out.println(sum);
    }
}
