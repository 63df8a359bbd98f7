/** Arithmetic at its edges in branches: overflow, shifts, long compare, NaN in float and double compares. */
public class IntegerEdges {
    static int classify(double d, float f, long l) {
        int r = 0; // count: 6
        if (d < 1.0) { // count: 6
            r += 1; // count: 3
        }
        if (!(d >= 1.0)) { // count: 6
            r += 2; // count: 4
        }
        if (f > 0f || f != f) { // count: 6
            r += 4; // count: 4
        }
        if (l > Integer.MAX_VALUE) { // count: 6
            r += 8; // count: 2
        }
        return r; // count: 6
    }

    public static void main(String[] args) {
        double[] d = {0.0, 1.0, Double.NaN, -1.0, 2.0, Double.NEGATIVE_INFINITY};
        float[] f = {Float.NaN, 1f, -1f, 0f, Float.MIN_VALUE, Float.POSITIVE_INFINITY};
        long[] l = {0, 1L << 40, -1L << 40, Long.MAX_VALUE, Integer.MIN_VALUE, 7};
        int sum = 0;
        for (int i = 0; i < 6; i++) {
            sum = sum * 16 + classify(d[i], f[i], l[i]); // count: 6
        }
        int x = Integer.MIN_VALUE / -1 + (1 << 33) + (-1 >>> 28) + (-7 % 3);
        System.out.println(sum + x);
    }
}
