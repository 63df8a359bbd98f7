/** Local slots that hold one type after another, and methods that use up to 255 words of parameters. */
public class SharedLocals {
    static double reuse(int n) {
        double sum = 0;
        {
            long a = n; // count: 4
            sum += a * 2; // count: 4
        }
        {
            String s = "x".concat(Integer.toString(n)); // count: 4
            sum += s.length(); // count: 4
        }
        for (float f = 0; f < n; f += 0.5f) {
            double d = f; // count: 12
            sum += d; // count: 12
        }
        try {
            int[] a = new int[2]; // count: 4
            sum += a[n]; // count: 4
        } catch (ArrayIndexOutOfBoundsException e) {
            sum += 100; // count: 2
        }
        return sum; // count: 4
    }

    static long many(long a, long b, long c, long d, long e, long f, long g, long h, double i, double j, double k, double l, double m, int n,
            float o, String p, long q, long r, long s, long t) {
        long x = a + b + c + d + e + f + g + h + q + r + s + t; // count: 3
        x += (long) (i + j + k + l + m + o); // count: 3
        return x + n / (p.length() - 1); // count: 3
    }

    public static void main(String[] args) {
        double sum = 0;
        for (int i = 0; i < 4; i++) {
            sum += reuse(i); // count: 4
        }
        for (int i = 0; i < 3; i++) {
            try {
                sum += many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, "ab".substring(i), 17, 18, 19, 20); // count: 3
            } catch (ArithmeticException e) {
                sum -= 1000; // count: 1
            }
        }
        System.out.println(sum);
    }
}
