/** Many nested finally blocks in a loop, left by break, continue, return and exception. */
public class DeepFinally {
    static int log;

    static int leave(int way) {
        for (int i = 0; i < 3; i++) {
            try {
                try {
                    try {
                        if (i == 1) { // count: 12
                            switch (way) { // count: 5
                                case 0:
                                    break; // count: 1
                                case 1:
                                    continue; // count: 1
                                case 2:
                                    return 2; // count: 1
                                case 3:
                                    throw new IllegalStateException(); // count: 1
                                default:
                                    log += 1 / (way - 4); // count: 1
                            }
                        }
                        log += 1; // count: 8
                    } finally {
                        log += 10; // total: 12
                    }
                } finally {
                    log += 100; // total: 12
                }
            } catch (ArithmeticException e) {
                log += 10_000; // count: 1
                break; // count: 1
            } finally {
                log += 1000; // total: 12
            }
        }
        return 0; // count: 3
    }

    public static void main(String[] args) {
        int sum = 0;
        for (int way = 0; way < 5; way++) {
            try {
                sum += leave(way); // count: 5
            } catch (IllegalStateException e) {
                sum += 100; // count: 1
            }
        }
        System.out.println(sum + " " + log);
    }
}
