/** Array accesses that throw: stores of the wrong type, negative sizes, null arrays, indices out of range. */
public class ArrayStores {
    static int store(Object[] a, int i, Object o) {
        int x = i * 2; // count: 24
        a[i] = o; // count: 24
        return x + 1; // count: 12
    }

    static int[][] make(int n, int m) {
        int before = n + m; // count: 4
        int[][] a = new int[n][m]; // count: 4
        a[0][0] = before; // count: 3
        return a; // count: 1
    }

    static int length(int[] a) {
        int x = 1; // count: 3
        x += a.length; // count: 3
        return x; // count: 2
    }

    public static void main(String[] args) {
        Object[][] arrays = {new Object[3], new String[3], new Integer[2], null};
        Object[] values = {"s", 1, null};
        int sum = 0;
        for (Object[] a : arrays) {
            for (Object v : values) {
                for (int i = 1; i < 3; i++) {
                    try {
                        sum += store(a, i, v); // count: 24
                    } catch (ArrayStoreException e) {
                        sum += 100; // count: 3
                    } catch (ArrayIndexOutOfBoundsException e) {
                        sum += 1000; // count: 3
                    } catch (NullPointerException e) {
                        sum += 10000; // count: 6
                    }
                }
            }
        }
        int[][] sizes = {{1, 1}, {-1, 2}, {0, 0}, {2, 0}};
        for (int[] s : sizes) {
            try {
                sum += make(s[0], s[1]).length; // count: 4
            } catch (NegativeArraySizeException e) {
                sum += 7; // count: 1
            } catch (ArrayIndexOutOfBoundsException e) {
                sum += 70; // count: 2
            }
        }
        int[][] some = {new int[2], null, new int[0]};
        for (int[] s : some) {
            try {
                sum += length(s); // count: 3
            } catch (NullPointerException e) {
                sum--; // count: 1
            }
        }
        System.out.println(sum);
    }
}
