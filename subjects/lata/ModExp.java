import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;

/** Modular exponentiation by squaring; multiplying sleeps 10 ms. The blocks before and behind the branch always run together. */
public class ModExp {
    static int squareMultiply(int x, int e, int modulus) {
        ArrayList<Integer> list = new ArrayList<>();
        int y = 1;
        int n = Integer.SIZE - Integer.numberOfLeadingZeros(e); // the report always takes 32 rounds
        int i = n;
        do {
            y = y * y; // block 1
            y = y % modulus;
            if (((e >> (i - 1)) & 1) == 1) {
                y = y * x; // block 2
                Exactly.sleep(10);
                y = y % modulus;
            }
            list.add(y); // block 3
            i--;
        } while (i > 0);
        return y + list.size();
    }

    public static void main(String[] args) throws IOException {
        int sum = 0;
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] words = line.trim().split(" ");
            sum += squareMultiply(
                    Integer.parseInt(words[0]), Integer.parseInt(words[1]), Integer.parseInt(words[2]));
        }
        System.out.println(sum);
    }
}
