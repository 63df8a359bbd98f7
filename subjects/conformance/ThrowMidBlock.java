/** An exception leaves a block in its middle: what stands behind it does not run. */
public class ThrowMidBlock {
    static int sink;

    static int divide(int a, int b) {
        sink++; // count: 10
        int q = a / b; // count: 10
        sink += q; // count: 7
        return q + 1; // count: 7
    }

    public static void main(String[] args) {
        int caught = 0; // count: 1
        for (int i = 0; i < 10; i++) { // count: 1
            try {
                sink += divide(100, i % 4); // count: 10
                sink--; // count: 7
            } catch (ArithmeticException e) {
                caught++; // count: 3
            }
        }
        System.out.println(caught + " " + sink); // count: 1
    }
}
