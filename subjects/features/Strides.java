import java.util.Random;

/**
 * Strides: how often a read of an array element leaves the 64-byte line that the same instruction read last on its thread, lines counted
 * from the array's header of 16 bytes, the first read compared with the first line. `random` writes down the indexes it reads and prints
 * what they come to, for each type of elements. After `java Strides 1000`:
 */
public class Strides {
    static long sink;

    /** Elements 0 … 47 of the first line of bytes, then 64 to a line. */
    static int bytes(byte[] a) {
        int s = 0;
        for (int i = 0; i < a.length; i++) {
            s += a[i];
        }
        return s;
    }

    static int backwards(int[] a) {
        int s = 0;
        for (int i = a.length - 1; i >= 0; i--) {
            s += a[i];
        }
        return s;
    }

    /** Two instructions, each with a line of its own: neither leaves it. */
    static int apart(int[] a, int n) {
        int s = 0;
        for (int i = 0; i < n; i++) {
            s += a[0] + a[500];
        }
        return s;
    }

    /** One instruction that is sent from one end to the other. */
    static int to(int[] a, int i) {
        return a[i];
    }

    static int beyond(int[] a, int i) {
        try {
            return a[i];
        } catch (ArrayIndexOutOfBoundsException e) {
            return -1;
        }
    }

    static long crowd(long[] a, int[] indexes) {
        long s = 0;
        for (int i = 0; i < indexes.length; i++) {
            s += a[indexes[i]];
        }
        return s;
    }

    static void random(int n, Random random) {
        byte[] b = new byte[1000];
        boolean[] z = new boolean[1000];
        char[] c = new char[1000];
        short[] s = new short[1000];
        int[] k = new int[1000];
        float[] f = new float[1000];
        long[] l = new long[1000];
        double[] d = new double[1000];
        Object[] o = new Object[1000];
        int[] indexes = new int[n];
        for (int j = 0; j < n; j++) {
            int i = random.nextInt(8) == 0 ? random.nextInt(1000) : random.nextInt(100);
            indexes[j] = i;
            sink += b[i];
            sink += z[i] ? 1 : 0;
            sink += c[i];
            sink += s[i];
            sink += k[i];
            sink += (long) f[i];
            sink += l[i];
            sink += (long) d[i];
            sink += o[i] == null ? 0 : 1;
        }
        print("", indexes, 1, 1, 2, 2, 4, 4, 8, 8, 4);
    }

    static int strides(int[] indexes, int size) {
        int last = 0;
        int strides = 0;
        for (int index : indexes) {
            int line = (16 + index * size) / 64;
            strides += line == last ? 0 : 1;
            last = line;
        }
        return strides;
    }

    static void print(String what, int[] indexes, int... sizes) {
        for (int size : sizes) {
            System.out.println("strides " + size + " " + strides(indexes, size));
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int n = Integer.parseInt(args[0]);
        bytes(new byte[n]);
        backwards(new int[n]);
        apart(new int[n], 100);
        int[] ends = new int[n];
        for (int i = 0; i < 6; i++) {
            to(ends, i % 2 * (n - 1));
        }
        beyond(ends, n);
        beyond(ends, -1);
        Random random = new Random(5);
        random(n, random);
        Thread[] threads = new Thread[8];
        int all = 0;
        for (int t = 0; t < threads.length; t++) {
            int[] indexes = random.ints(5000, 0, 40).toArray();
            all += strides(indexes, 8);
            threads[t] = new Thread(() -> crowd(new long[40], indexes));
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("value crowd " + all);
    }
}
//= Strides.bytes(byte[]) block 2 strides at 13 (Strides.java:14-15) = 15
//= Strides.backwards(int[]) block 2 strides at 14 (Strides.java:22-23) = 63
//= Strides.apart(int[], int) block 2 strides at 17 (Strides.java:31-32) = 1
//= Strides.to(int[], int) block 0 strides at 2 (Strides.java:39) = 5
//= Strides.beyond(int[], int) block 0 strides at 2 (Strides.java:44) = 2
