/** long and double locals take two slots; an exception in between; locals reused with other types. */
public class WideLocals {
    static long mix(int a, long b, double c, long d, float e) {
        long x = a + b; // count: 6
        double y = c * e; // count: 6
        if (x % 2 == 0) { // count: 6
            int t = (int) (x / 2); // count: 3
            y += t; // count: 3
        } else {
            String t = "odd" + x; // count: 3
            y -= t.length(); // count: 3
        }
        long z = d / (b - 3); // count: 6
        return x + (long) y + z; // count: 5
    }

    public static void main(String[] args) {
        long sum = 0;
        for (int i = 0; i < 6; i++) {
            try {
                sum += mix(0, i, 1.5 * i, 100L, 2f); // count: 6
            } catch (ArithmeticException e) {
                sum += 1L << 40; // count: 1
            }
        }
        System.out.println(sum);
    }
}
