import java.util.*;

/** Reads a header that nearly says how many records follow, then makes 4 KiB for each record. */
public class Early {
    static int tick(int i) {
        return i * 31 + 7;
    }

    /** Passes: the number of records, two more or less. */
    static int header(int records) {
        int about = records + records * 7919 % 5 - 2;
        int sum = 0;
        for (int i = 0; i < about; i++) {
            sum += i;
        }
        return sum;
    }

    static int records(int records) {
        List<byte[]> all = new ArrayList<>();
        int sum = 0;
        for (int i = 0; i < records; i++) {
            all.add(new byte[4096]);
            for (int k = 0; k < 20; k++) {
                sum += tick(k);
            }
        }
        return sum + all.size();
    }

    public static void main(String[] args) {
        int n = Integer.parseInt(args[0]);
        int sum = header(n);
        for (int i = 0; i < 600; i++) {
            sum += tick(i);
        }
        System.out.println(sum + records(n));
    }
}
