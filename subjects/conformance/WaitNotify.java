/** Two threads hand a value over by wait and notify; the waiter's loop may wake for nothing, the hand-over may not. */
// varies: take, put
public class WaitNotify {
    static final Object LOCK = new Object();
    static Integer slot;
    static int empty;
    static int full;

    static int take() throws InterruptedException {
        synchronized (LOCK) {
            while (slot == null) {
                empty++; // count: =empty
                LOCK.wait(); // count: =empty
            }
            int v = slot; // count: 200
            slot = null;
            LOCK.notifyAll();
            return v;
        }
    }

    static void put(int v) throws InterruptedException {
        synchronized (LOCK) {
            while (slot != null) {
                full++; // count: =full
                LOCK.wait(); // count: =full
            }
            slot = v; // count: 200
            LOCK.notifyAll();
        }
    }

    static int use(int v) {
        return v % 3 == 0 ? v : -v; // count: 200
    }

    public static void main(String[] args) throws InterruptedException {
        Thread producer = new Thread(() -> {
            try {
                for (int i = 0; i < 200; i++) {
                    put(i); // count: 200
                }
            } catch (InterruptedException e) {
                slot = -1; // count: 0
            }
        });
        producer.start();
        int sum = 0;
        for (int i = 0; i < 200; i++) {
            sum += use(take()); // count: 200
        }
        producer.join();
        try {
            LOCK.notify(); // count: 1
            sum = 0; // count: 0
        } catch (IllegalMonitorStateException e) {
            sum++; // count: 1
        }
        System.out.println(sum);
        System.err.println("empty=" + empty);
        System.err.println("full=" + full);
    }
}
