import java.util.ArrayList;

/** The three blocks of {@link ThreeBlocks}, timed one by one: what the report calls fine-grained analysis. Prints block TAB nanoseconds. */
public class FineBlocks {
    static int worker(int n) throws InterruptedException {
        int x = 0;
        int a = 1;
        int m = 0;
        int i = 0;
        ArrayList<Integer> list = new ArrayList<>();
        if (n > 50) {
            long start = System.nanoTime();
            x++;
            x = x * n;
            x &= a << 1;
            list.add(x);
            report(1, start);
        } else {
            do {
                long start = System.nanoTime();
                x += i;
                m = x >> (n - i) & 1;
                i++;
                list.add(x);
                report(2, start);
            } while (i < n);
        }
        if (x % 2 == 0) {
            long start = System.nanoTime();
            x = x * n;
            x %= n / 3.14;
            x = 34;
            Thread.sleep(1);
            report(3, start);
        }
        return x + m + list.size();
    }

    private static void report(int block, long start) {
        long end = System.nanoTime();
        System.out.println(block + "\t" + (end - start));
    }

    public static void main(String[] args) throws InterruptedException {
        for (String n : args) {
            worker(Integer.parseInt(n));
        }
    }
}
