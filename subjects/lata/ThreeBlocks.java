import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;

/** Three basic blocks: one for large arguments, one in a loop for small ones, one that sleeps 1 ms for even results. */
public class ThreeBlocks {
    static int worker(int n) {
        int x = 0;
        int a = 1;
        int m = 0;
        int i = 0;
        ArrayList<Integer> list = new ArrayList<>();
        if (n > 50) {
            x++; // block 1
            x = x * n;
            x &= a << 1;
            list.add(x);
        } else {
            do {
                x += i; // block 2
                m = x >> (n - i) & 1;
                i++;
                list.add(x);
            } while (i < n);
        }
        if (x % 2 == 0) {
            x = x * n; // block 3
            x %= n / 3.14;
            x = 34;
            Exactly.sleep(1);
        }
        return x + m + list.size();
    }

    public static void main(String[] args) throws IOException {
        int sum = 0;
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            sum += worker(Integer.parseInt(line.trim()));
        }
        System.out.println(sum);
    }
}
