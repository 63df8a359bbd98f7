/** Monitors inside monitors, left by exceptions, breaks and returns; null as a monitor. */
public class NestedMonitors {
    static int depth(Object a, Object b, int n) {
        int s = 0; // count: 12
        synchronized (a) { // count: 12
            s++; // count: 8
            for (int i = 0; i < 3; i++) {
                synchronized (b) { // count: 14
                    if (i == n) { // count: 12
                        break; // count: 4
                    }
                    if (n == 3 && i == 1) { // count: 8
                        throw new IllegalStateException(); // count: 1
                    }
                    if (n == 4 && i == 2) { // count: 7
                        return -s; // count: 1
                    }
                    s += 10; // count: 6
                }
            }
            s += 100; // count: 4
        }
        return s; // count: 4
    }

    static synchronized int own(int n) {
        if (n > 0) { // count: 4
            return own(n - 1) + 1; // count: 3
        }
        throw new ArithmeticException(); // count: 1
    }

    public static void main(String[] args) {
        Object[] locks = {new Object(), "lock", null};
        int sum = 0;
        for (int n = 0; n < 4; n++) {
            for (int k = 0; k < 3; k++) {
                try {
                    sum += depth(locks[k], locks[(k + n) % 3], n + (n == 3 && k == 1 ? 1 : 0)); // count: 12
                } catch (NullPointerException e) {
                    sum += 10000; // count: 6
                } catch (IllegalStateException e) {
                    sum += 100000; // count: 1
                }
            }
        }
        try {
            sum += own(3); // count: 1
        } catch (ArithmeticException e) {
            sum++; // count: 1
        }
        System.out.println(sum);
    }
}
