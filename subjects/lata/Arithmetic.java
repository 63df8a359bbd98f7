import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Loops of one kind of arithmetic instruction each; a mixed loop whose time is predicted from their prices. Run with -Xint. */
public class Arithmetic {
    /** Loops of one and of four instructions a round: what a round costs and what the instruction costs can be told apart. */
    static int run(int x, int y, int adds, int subs, int muls, int divs, int adds4, int subs4, int muls4, int divs4) {
        int result = 0;
        for (int i = 0; i < adds; i++) {
            result = x + y;
        }
        for (int i = 0; i < subs; i++) {
            result = x - y;
        }
        for (int i = 0; i < muls; i++) {
            result = x * y;
        }
        for (int i = 0; i < divs; i++) {
            result = x / y;
        }
        for (int i = 0; i < adds4; i++) {
            result = x + y;
            result = x + y;
            result = x + y;
            result = x + y;
        }
        for (int i = 0; i < subs4; i++) {
            result = x - y;
            result = x - y;
            result = x - y;
            result = x - y;
        }
        for (int i = 0; i < muls4; i++) {
            result = x * y;
            result = x * y;
            result = x * y;
            result = x * y;
        }
        for (int i = 0; i < divs4; i++) {
            result = x / y;
            result = x / y;
            result = x / y;
            result = x / y;
        }
        return result;
    }

    static int mixed(int a, int b, int rounds) {
        int f = 0;
        for (int i = 0; i < rounds; i++) {
            int c = a + b;
            int d = a - b;
            int e = a * b;
            f = a / b;
        }
        return f;
    }

    public static void main(String[] args) throws IOException {
        int sum = 0;
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] w = line.trim().split(" ");
            int[] n = new int[w.length];
            for (int i = 0; i < n.length; i++) {
                n[i] = Integer.parseInt(w[i]);
            }
            sum += n.length == 3 ? mixed(n[0], n[1], n[2]) : run(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9]);
        }
        System.out.println(sum);
    }
}
