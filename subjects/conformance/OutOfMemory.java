// vm: -Xmx96m
/** OutOfMemoryError for an array that can never fit, caught in the frame that asks and in its caller. */
public class OutOfMemory {
    static int n;

    static Object ask(int size) {
        n++; // count: 4
        Object o = new long[size]; // count: 4
        n += 100; // count: 2
        return o; // count: 2
    }

    public static void main(String[] args) {
        for (int i = 0; i < 4; i++) {
            try {
                ask(i % 2 == 0 ? 10 : Integer.MAX_VALUE); // count: 4
                n += 10; // count: 2
            } catch (OutOfMemoryError e) {
                n += 1000; // count: 2
            }
        }
        try {
            Object[][] cube = new Object[4][Integer.MAX_VALUE]; // count: 1
            n = cube.length; // count: 0
        } catch (OutOfMemoryError e) {
            n++; // count: 1
        }
        System.out.println(n);
    }
}
